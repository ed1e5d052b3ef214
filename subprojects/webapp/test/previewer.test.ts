import assert from "node:assert/strict";
import { test } from "node:test";
import { Previewer } from "../src/forms/previewer";

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
async function until(is: () => boolean): Promise<void> {
	while (!is()) await turn();
}

/** A server that answers when the test says so. */
class Painter {
	asked: string[] = [];
	private waiting: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];

	ask = (wish: string): Promise<string> =>
		new Promise((resolve, reject) => {
			this.asked.push(wish);
			this.waiting.push({ resolve, reject });
		});

	answer(text: string): void {
		this.waiting.shift()?.resolve(text);
	}

	refuse(): void {
		this.waiting.shift()?.reject(new Error("no"));
	}
}

void test("of wishes in a row the last one is asked for", async () => {
	const painter = new Painter();
	const previewer = new Previewer(painter.ask, 5);
	for (const wish of ["a", "b", "c"]) previewer.want(wish);
	assert.equal(previewer.isBusy.value, true);
	await until(() => painter.asked.length > 0);
	painter.answer("picture of c");
	await until(() => !previewer.isBusy.value);
	assert.deepEqual(painter.asked, ["c"]);
	assert.equal(previewer.answer.value, "picture of c");
});

void test("one is asked at a time, and what was wished meanwhile comes next", async () => {
	const painter = new Painter();
	const previewer = new Previewer(painter.ask, 0);
	previewer.want("a");
	await until(() => painter.asked.length === 1);
	previewer.want("b");
	previewer.want("c");
	for (let i = 0; i < 5; i++) await turn();
	assert.deepEqual(painter.asked, ["a"]);
	painter.answer("picture of a");
	await until(() => painter.asked.length === 2);
	assert.deepEqual(painter.asked, ["a", "c"]);
	assert.equal(previewer.isBusy.value, true);
	painter.answer("picture of c");
	await until(() => !previewer.isBusy.value);
	assert.equal(previewer.answer.value, "picture of c");
});

void test("a refusal is said, and leaves what was there", async () => {
	const painter = new Painter();
	const previewer = new Previewer(painter.ask, 0);
	previewer.want("a");
	await until(() => painter.asked.length === 1);
	painter.answer("picture of a");
	await until(() => !previewer.isBusy.value);
	previewer.want("b");
	await until(() => painter.asked.length === 2);
	painter.refuse();
	await until(() => previewer.error.value !== undefined);
	assert.equal(previewer.answer.value, "picture of a");
	previewer.want("c");
	await until(() => painter.asked.length === 3);
	painter.answer("picture of c");
	await until(() => !previewer.isBusy.value);
	assert.equal(previewer.error.value, undefined);
});

void test("after its end nothing is asked or shown", async () => {
	const painter = new Painter();
	const previewer = new Previewer(painter.ask, 0);
	previewer.want("a");
	await until(() => painter.asked.length === 1);
	previewer.want("b");
	previewer.end();
	painter.answer("picture of a");
	for (let i = 0; i < 5; i++) await turn();
	assert.deepEqual(painter.asked, ["a"]);
	assert.equal(previewer.answer.value, undefined);
});
