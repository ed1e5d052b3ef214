import assert from "node:assert/strict";
import { test } from "node:test";
import { Draft, type DraftStore, type Script } from "../src/studio/draft";

class Conflict extends Error {}

/** A server with one draft; saving waits until the test lets it. */
class Server implements DraftStore {
	revision = 1;
	script: Script = { scriptLanguage: "STARLARK", scriptContent: "first" };
	saves: string[] = [];
	fault: Error | undefined;
	hold: Promise<void> | undefined;

	load = (): Promise<Script & { revision: number }> =>
		Promise.resolve({ ...this.script, revision: this.revision, updatedAt: null });

	save = async (script: Script, revision: number): Promise<{ revision: number }> => {
		this.saves.push(script.scriptContent);
		await this.hold;
		if (this.fault) throw this.fault;
		if (revision !== this.revision) throw new Conflict();
		this.script = script;
		this.revision += 1;
		return { revision: this.revision };
	};

	isConflict = (error: unknown): boolean => error instanceof Conflict;
	wordsOf = (error: unknown): string => String(error);
}

async function opened(): Promise<{ server: Server; draft: Draft }> {
	const server = new Server();
	const draft = new Draft(server);
	assert.equal(draft.state.value, "loading");
	await draft.open();
	assert.equal(draft.state.value, "saved");
	return { server, draft };
}

void test("what is saved has what a draft has, and nothing else", async () => {
	const { server, draft } = await opened();
	draft.change({ scriptContent: "second" });
	assert.equal(draft.isUnsaved.value, true);
	await draft.save();
	assert.deepEqual(server.script, { scriptLanguage: "STARLARK", scriptContent: "second" });
	assert.equal(draft.state.value, "saved");
	await draft.save();
	assert.deepEqual(server.saves, ["second"]);
});

void test("what is typed while a save is under way is saved after it", async () => {
	const { server, draft } = await opened();
	let let_go: () => void = () => undefined;
	server.hold = new Promise((resolve) => (let_go = resolve));
	draft.change({ scriptContent: "second" });
	const saving = draft.save();
	draft.change({ scriptContent: "third" });
	const again = draft.save();
	assert.deepEqual(server.saves, ["second"]);
	let_go();
	await Promise.all([saving, again]);
	assert.deepEqual(server.saves, ["second", "third"]);
	assert.equal(server.script.scriptContent, "third");
	assert.equal(draft.state.value, "saved");
	draft.end();
});

void test("nothing is overwritten before the author has chosen", async () => {
	for (const choice of ["other", "mine"]) {
		const { server, draft } = await opened();
		await server.save({ scriptLanguage: "STARLARK", scriptContent: "theirs" }, 1);
		draft.change({ scriptContent: "mine" });
		await draft.save();
		assert.equal(draft.state.value, "conflict");
		draft.change({ scriptContent: "mine again" });
		await draft.save();
		assert.equal(server.script.scriptContent, "theirs");
		if (choice === "mine") await draft.keepMine();
		else await draft.open();
		const kept = choice === "mine" ? "mine again" : "theirs";
		assert.equal(server.script.scriptContent, kept);
		assert.equal(draft.script.value?.scriptContent, kept);
		assert.equal(draft.state.value, "saved");
	}
});

void test("a save that failed is tried again", async () => {
	const { server, draft } = await opened();
	server.fault = new Error("away");
	draft.change({ scriptContent: "second" });
	await draft.save();
	assert.equal(draft.state.value, "failed");
	assert.match(draft.words.value, /away/);
	server.fault = undefined;
	await draft.save();
	assert.equal(server.script.scriptContent, "second");
});

void test("what somebody else saves is shown where nothing is lost by it", async () => {
	const { server, draft } = await opened();
	const before = draft.epoch.value;
	await server.save({ scriptLanguage: "TYPESCRIPT", scriptContent: "theirs" }, 1);
	await draft.look(1); // what is here
	assert.equal(draft.epoch.value, before);
	await draft.look(2);
	assert.equal(draft.script.value?.scriptContent, "theirs");
	assert.equal(draft.epoch.value, before + 1);
	draft.change({ scriptContent: "mine" });
	await draft.look(3);
	assert.equal(draft.script.value.scriptContent, "mine");
	draft.end();
});
