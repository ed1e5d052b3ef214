import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceEvents } from "../src/stream/leader";
import { Member, type Word } from "../src/stream/member";
import type { News, PanelNews } from "../src/stream/news";
import { WATCHED_MAX, Wants } from "../src/stream/wants";

interface Opened {
	ids: readonly string[];
	events: SourceEvents;
	isClosed: boolean;
}

interface Tab {
	member: Member;
	heard: News[];
	ups: string[];
}

function panel(deviceId: string): News {
	return { event: "panel", data: { deviceId } as PanelNews };
}

/** A browser whose time only moves when the test says so. */
class Browser {
	nowMs = 0;
	/** The server sends no pings. */
	isSilent = false;
	readonly opened: Opened[] = [];
	private readonly tabs = new Map<string, Tab>();
	private readonly queue: (() => void)[] = [];
	private timers: { dueMs: number; call: () => void }[] = [];

	/** Streams that are open or being opened. */
	get sources(): Opened[] {
		return this.opened.filter((source) => !source.isClosed);
	}

	get source(): Opened {
		const source = this.sources.at(-1);
		assert.ok(source);
		return source;
	}

	tab(name: string): Tab {
		const heard: News[] = [];
		const ups: string[] = [];
		const events = {
			onNews: (news: News) => void heard.push(news),
			onUp: (isUp: boolean, isResumed: boolean) =>
				void ups.push((isUp ? "up" : "down") + (isResumed ? " again" : "")),
		};
		const tab = { heard, ups } as unknown as Tab;
		this.tabs.set(name, tab);
		tab.member = new Member(
			{
				tab: name,
				say: (word) => this.tell(name, word),
				lead: (call) => this.lock(call),
				open: (ids, sourceEvents) => {
					const source = { ids, events: sourceEvents, isClosed: false };
					this.opened.push(source);
					this.ping(source);
					return { close: () => void (source.isClosed = true) };
				},
				later: (call, ms) => this.later(call, ms),
				nowMs: () => this.nowMs,
			},
			events,
		);
		return tab;
	}

	advance(ms: number): void {
		const endMs = this.nowMs + ms;
		for (;;) {
			const next = this.timers.sort((a, b) => a.dueMs - b.dueMs)[0];
			if (!next || next.dueMs > endMs) break;
			this.timers.shift();
			this.nowMs = next.dueMs;
			next.call();
		}
		this.nowMs = endMs;
	}

	private ping(source: Opened): void {
		this.later(() => {
			if (source.isClosed || this.isSilent) return;
			source.events.onPing();
			this.ping(source);
		}, 15_000);
	}

	private tell(from: string, word: Word): void {
		for (const [name, { member }] of this.tabs)
			if (name !== from) this.later(() => member.hear(word), 0);
	}

	/** Works as a browser's lock: the first caller has it, the others wait. */
	private lock(call: () => void): () => void {
		this.queue.push(call);
		if (this.queue.length === 1) this.later(call, 1);
		return () => {
			const place = this.queue.indexOf(call);
			this.queue.splice(place, 1);
			const next = this.queue[0];
			if (place === 0 && next) this.later(next, 0);
		};
	}

	private later(call: () => void, ms: number): () => void {
		const timer = { dueMs: this.nowMs + ms, call };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	}
}

void test("eight tabs have one stream, and all hear it", () => {
	const browser = new Browser();
	const tabs = Array.from({ length: 8 }, (_, i) => browser.tab(`tab${i}`));
	for (const [i, { member }] of tabs.entries()) member.want([`d${i}`]);
	browser.advance(100);
	assert.equal(browser.opened.length, 1);
	assert.deepEqual([...browser.source.ids].sort(), [
		"d0",
		"d1",
		"d2",
		"d3",
		"d4",
		"d5",
		"d6",
		"d7",
	]);
	browser.source.events.onOpen();
	browser.source.events.onNews(panel("d5"));
	browser.advance(0);
	for (const { heard, ups } of tabs) {
		assert.deepEqual(heard, [panel("d5")]);
		assert.deepEqual(ups, ["up"]);
	}
});

void test("another tab leads when the first is closed, and asks for all again", () => {
	const browser = new Browser();
	const [one, other, third] = ["one", "other", "third"].map((name) => browser.tab(name));
	one?.member.want(["a"]);
	other?.member.want(["b"]);
	third?.member.want(["c"]);
	browser.advance(100);
	browser.source.events.onOpen();
	one?.member.close();
	browser.advance(100);
	assert.equal(browser.sources.length, 1);
	assert.deepEqual([...browser.source.ids].sort(), ["b", "c"]);
	browser.source.events.onOpen();
	browser.advance(0);
	assert.deepEqual(other?.ups, ["up", "up again"]);
	assert.deepEqual(third?.ups, ["up", "up again"]);
});

void test("a stream that watches more replaces the old one when it is there", () => {
	const browser = new Browser();
	const { member, heard, ups } = browser.tab("one");
	member.want(["a"]);
	browser.advance(100);
	const old = browser.source;
	old.events.onOpen();
	member.want(["a", "b"]);
	browser.advance(100);
	assert.equal(browser.sources.length, 2);
	old.events.onNews(panel("a"));
	browser.source.events.onOpen();
	assert.equal(old.isClosed, true);
	assert.deepEqual(heard, [panel("a")]);
	assert.deepEqual(ups, ["up"]);
});

void test("what is not shown any more is let go of later, unless it comes back", () => {
	const browser = new Browser();
	const { member } = browser.tab("one");
	member.want(["a", "b"]);
	browser.advance(100);
	browser.source.events.onOpen();
	member.want(["a"]);
	browser.advance(10_000);
	member.want(["a", "b"]);
	browser.advance(100_000);
	assert.equal(browser.opened.length, 1);
	member.want(["a"]);
	browser.advance(100_000);
	assert.deepEqual(browser.source.ids, ["a"]);
});

void test("a tab that comes late hears what is known", () => {
	const browser = new Browser();
	browser.tab("one").member.want(["a"]);
	browser.advance(100);
	browser.source.events.onOpen();
	browser.source.events.onNews(panel("a"));
	const late = browser.tab("late");
	late.member.want(["a"]);
	browser.advance(0);
	assert.deepEqual(late.heard.at(-1), panel("a"));
	assert.deepEqual(late.ups, ["up"]);
	assert.equal(browser.opened.length, 1);
});

void test("a lost stream is tried again, ever more seldom, and at once when the server is back", () => {
	const browser = new Browser();
	const { member, ups } = browser.tab("one");
	member.want(["a"]);
	browser.advance(100);
	browser.source.events.onOpen();
	browser.source.events.onEnd();
	assert.deepEqual(ups, ["up", "down"]);
	for (let i = 0; i < 20; i++) {
		browser.advance(40_000);
		browser.source.events.onEnd();
	}
	const count = browser.opened.length;
	browser.advance(20_000);
	assert.equal(browser.opened.length, count);
	member.wake();
	browser.advance(0);
	assert.equal(browser.opened.length, count + 1);
	browser.source.events.onOpen();
	assert.deepEqual(ups.at(-1), "up again");
});

void test("no more devices are watched than a server watches; who spoke last has them", () => {
	const wants = new Wants();
	const many = (name: string) => Array.from({ length: WATCHED_MAX }, (_, i) => `${name}${i}`);
	wants.set("old", many("o"), 0);
	wants.set("new", many("n").slice(0, 150), 0);
	const union = wants.union();
	assert.equal(union.size, WATCHED_MAX);
	assert.ok(
		many("n")
			.slice(0, 150)
			.every((id) => union.has(id)),
	);
	wants.drop("new");
	assert.ok(wants.union().has("o199"));
	wants.expire(1_000_000);
	assert.equal(wants.union().size, 0);
});

void test("a stream that falls silent is old after 45 s, and opened anew", () => {
	const browser = new Browser();
	browser.isSilent = true;
	const tab = browser.tab("a");
	tab.member.want(["x"]);
	browser.advance(100);
	const first = browser.source;
	first.events.onOpen();
	for (let i = 0; i < 20; i++) {
		browser.advance(15_000);
		first.events.onPing();
	}
	assert.equal(browser.source, first);
	assert.deepEqual(tab.ups, ["up"]);
	browser.advance(44_999);
	assert.deepEqual(tab.ups, ["up"]);
	browser.advance(1);
	assert.deepEqual(tab.ups, ["up", "down"]);
	assert.ok(first.isClosed);
	browser.advance(1_500);
	assert.notEqual(browser.source, first);
	browser.source.events.onOpen();
	assert.deepEqual(tab.ups, ["up", "down", "up again"]);
});

void test("an answer that never comes is not waited for, and one that is silent is not, either", () => {
	const browser = new Browser();
	browser.isSilent = true;
	browser.tab("a").member.want(["x"]);
	browser.advance(100);
	const first = browser.source;
	browser.advance(45_000);
	assert.ok(first.isClosed);
	browser.advance(1_500);
	assert.notEqual(browser.source, first);
});

void test("a tab that wakes tries at once, whichever leads", () => {
	const browser = new Browser();
	browser.isSilent = true;
	const [one, other] = [browser.tab("a"), browser.tab("b")];
	other.member.want(["x"]);
	browser.advance(1_000);
	const first = browser.source;
	first.events.onOpen();
	// Lets a minute pass in which no timer runs, as in a computer that sleeps.
	browser.nowMs += 60_000;
	other.member.wake();
	browser.advance(0);
	assert.ok(first.isClosed);
	assert.notEqual(browser.source, first);
	assert.ok(one.ups.includes("down"));
	// One that spoke a moment ago stays.
	const second = browser.source;
	second.events.onOpen();
	one.member.wake();
	browser.advance(0);
	assert.equal(browser.source, second);
});
