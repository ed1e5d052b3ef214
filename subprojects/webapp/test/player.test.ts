import assert from "node:assert/strict";
import { test } from "node:test";
import { Player, type Queued } from "../src/panel/player";
import { animation, still } from "./webps";

function playerWithLog(): { player: Player; shown: number[] } {
	const shown: number[] = [];
	return {
		player: new Player({ onDisplaying: ({ number }: Queued) => shown.push(number) }),
		shown,
	};
}

void test("the first picture is shown at once", () => {
	const { player, shown } = playerWithLog();
	assert.equal(player.nextMs(), Infinity);
	assert.equal(player.queue(still(), 15), 1);
	assert.equal(player.nextMs(), 0);
	player.advance(100);
	assert.deepEqual(shown, [1]);
	assert.equal(player.nextMs(), 15_100);
});

void test("a queued picture waits for the end of the displayed one, and the newest wins", () => {
	const { player, shown } = playerWithLog();
	player.queue(still(), 10);
	player.advance(0);
	player.queue(still(), 10);
	player.queue(still(), 10);
	player.advance(9_999);
	assert.deepEqual(shown, [1]);
	player.advance(10_000);
	assert.deepEqual(shown, [1, 3]);
});

void test("with nothing queued a picture stays for its time once more", () => {
	const { player, shown } = playerWithLog();
	player.queue(still(), 10);
	player.advance(0);
	player.advance(10_000);
	player.queue(still(), 10);
	player.advance(15_000);
	assert.deepEqual(shown, [1]);
	player.advance(20_000);
	assert.deepEqual(shown, [1, 2]);
});

void test("an animation is not cut at its dwell", () => {
	const { player, shown } = playerWithLog();
	player.queue(animation([3_000, 4_000]), 10);
	player.advance(0);
	player.queue(still(), 10);
	assert.equal(player.nextMs(), 14_000);
	player.advance(13_999);
	assert.deepEqual(shown, [1]);
	player.advance(14_000);
	assert.deepEqual(shown, [1, 2]);
});

void test("immediate shows the queued picture now, and nothing where none is queued", () => {
	const { player, shown } = playerWithLog();
	player.queue(still(), 60);
	player.advance(0);
	player.interrupt(1_000);
	assert.deepEqual(shown, [1]);
	player.queue(still(), 5);
	player.interrupt(2_000);
	assert.deepEqual(shown, [1, 2]);
	assert.equal(player.nextMs(), 7_000);
});

void test("a dwell is from a second to an hour", () => {
	const { player } = playerWithLog();
	player.queue(still(), 0);
	player.advance(0);
	assert.equal(player.nextMs(), 1_000);
	player.queue(still(), 100_000);
	player.interrupt(0);
	assert.equal(player.nextMs(), 3_600_000);
});
