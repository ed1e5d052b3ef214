"""fetch() of scripts: the test is the renderer's parent, and answers."""

import contextlib
import json
import struct
import time

import pytest

from renderer import Renderer, head, without_places


class Relay(Renderer):
    def reply(self, number, body=b"", **members):
        text = json.dumps({"fetch": {"id": number} | members}).encode()
        self.link.sendall(struct.pack(">II", len(text), len(body)) + text + body)

    def ask_once(self, head, script):
        self.send(head, script)
        self.asked = []
        while True:
            got, blob = self.receive()
            if "waits" in got:
                self.answer(self, got)
                continue
            if "fetch" not in got:
                return got, blob
            self.asked.append((got["fetch"], blob))
            self.answer(self, got["fetch"])

    def ask_all(self, script, answer, **changes):
        """The answer, the tree, and what the script asked for."""
        self.answer = answer
        got, blob = self.ask_calmly(head(**{"network": True} | changes), script)
        return got, without_places(json.loads(blob)) if blob else None, self.asked


@pytest.fixture
def relay():
    with contextlib.closing(Relay()) as running:
        yield running


def fulfil(relay, fetch):
    relay.reply(fetch["id"], b'{"a": "\xc3\xa9"}', status=200, url=fetch["url"] + "end",
                headers={"content-type": "application/json"})


def ignore(_relay, _fetch):
    pass


def printed(relay, body, answer=fulfil, **changes):
    """Log lines that the body of an asynchronous main() prints, the requests, and the answer."""
    script = "export default async function main() {" + body + "\n return null; }"
    got, _, asked = relay.ask_all(script, answer, **changes)
    assert "error" not in got, got
    return got.get("log"), asked, got


def test_what_is_asked_and_what_comes(relay):
    log, asked, got = printed(relay, """
        const r = await fetch("https://example.org/path", {
            method: "POST", headers: { "X-One": "1", "X-Two": 2 }, body: "b\u00f6dy", ttlSeconds: 60.5 });
        print(r.status, r.ok, r.url, r.headers.get("Content-Type"), r.headers.has("content-type"),
              r.headers.get("x-none"), r.headers.has("x-none"));
        print(await r.text(), await r.json(), Array.from(await r.bytes()).length);""")
    assert log == ["200 true https://example.org/pathend application/json true null false",
                   '{"a": "\u00e9"} {"a":"\u00e9"} 11']
    fetch, body = asked[0]
    assert fetch | {"id": 0} == {"id": 0, "method": "POST", "url": "https://example.org/path",
                                 "headers": {"X-One": "1", "X-Two": "2"}, "ttl_s": 60}
    assert body.decode() == "b\u00f6dy"
    assert got["hosts"] == ["example.org"]


def test_defaults_bytes_and_other_answers(relay):
    def missing(relay, fetch):
        relay.reply(fetch["id"], b"\xef\xbb\xbf\xff", status=404, url="u", headers={})

    log, asked, _ = printed(relay, """
        const r = await fetch("http://a.org/");
        print(r.status, r.ok, (await r.text()).codePointAt(0), (await r.bytes()).length);
        try { await r.json(); } catch (e) { print(e.name); }
        await fetch("http://a.org/", { method: "PUT", body: new Uint8Array([0, 255]) });
        await fetch("http://a.org/", { body: null, headers: {} });""", missing)
    assert log == ["404 false 65533 4", "SyntaxError"]
    assert asked[0] == ({"id": asked[0][0]["id"], "url": "http://a.org/", "method": "GET"}, b"")
    assert asked[1][1] == b"\0\xff" and asked[2][1] == b""


def test_several_at_once_in_any_order(relay):
    waiting = []

    def answer(relay, fetch):
        waiting.append(fetch)
        if len(waiting) == 3:
            for other in reversed(waiting):
                relay.reply(other["id"], other["url"][-1].encode(), status=200)

    log, asked, got = printed(relay, """
        const all = await Promise.all([1, 2, 3].map(async (n) => {
            const r = await fetch("https://host" + n + ".org:8080/" + n);
            print("got", n);
            return await r.text();
        }));
        print(all);""", answer)
    assert log == ["got 3", "got 2", "got 1", '["1","2","3"]']
    assert len(asked) == 3
    assert got["hosts"] == ["host1.org", "host2.org", "host3.org"]


def test_at_the_top_level(relay):
    got, tree, _ = relay.ask_all("""
        import { Root, Text } from "panel";
        const text = await (await fetch("https://a.org/")).text();
        export default () => Root({ child: Text({ content: text }) });""", fulfil)
    assert tree["fields"]["child"]["fields"]["content"] == '{"a": "\u00e9"}'
    assert got["hosts"] == ["a.org"]


def test_errors_have_the_place_of_the_call(relay):
    def fail(relay, fetch):
        relay.reply(fetch["id"], error="there is no host example.org")

    got, _, _ = relay.ask_all("""export default async function main() {
        return await fetch("https://example.org/");
    }""", fail)
    assert got["error"]["message"] == "TypeError: there is no host example.org"
    assert got["error"]["line"] == 2
    log, _, _ = printed(relay, """
        try { await fetch("https://example.org/"); } catch (e) { print(e.message, e instanceof TypeError); }
        print(await fetch("https://example.org/").catch(() => "caught"));""", fail)
    assert log == ["there is no host example.org true", "caught"]


def test_no_network(relay):
    script = "export default async () => { await fetch('https://example.org/'); }"
    relay.send(head(network=False), script)
    got, _ = relay.receive()
    assert got["error"]["message"] == "TypeError: fetch: no network here"
    assert "hosts" not in got


def test_they_are_counted(relay):
    for _ in range(2):
        log, asked, _ = printed(relay, """
            for (let i = 0; i < 100; i++)
                try { await fetch("https://a.org/" + i); } catch (e) { print(i, e.message); break; }""")
        assert log == ["20 fetch: an app asks the network 20 times at most"]
        assert len(asked) == 20


def test_what_cannot_be_sent(relay):
    log, asked, _ = printed(relay, """
        for (const arguments of [
            ["https://a.org/", { body: "x".repeat(1100000) }], ["https://a.org/" + "x".repeat(200000)],
            ["https://a.org/", { headers: 7 }], ["https://a.org/", { headers: { a: Symbol() } }],
            ["https://a.org/", { get method() { throw new Error("mine"); } }], [Symbol()],
            ["https://a.org/", { ttlSeconds: Symbol() }], ["https://a.org/", { body: Symbol() }],
        ]) await fetch(...arguments).catch((e) => print(e.message.slice(0, 50)));""".replace(
            "arguments", "values"))
    assert len(log) == 8 and not asked
    assert log[0] == "fetch: what is sent is larger than 1 MiB"
    assert log[4] == "mine"


def test_waiting_has_a_time_of_its_own(relay):
    began = time.monotonic()
    script = "export default async () => { print('before'); await fetch('https://a.org/'); }"
    got, _, asked = relay.ask_all(script, ignore, network_ms=300)
    assert (got["error"]["kind"], got["error"]["message"]) == ("script", "the network takes too long")
    assert got["log"] == ["before"] and time.monotonic() - began < 30
    relay.reply(asked[0][0]["id"], b"late", status=200)  # nobody waits for it any more
    log, _, _ = printed(relay, "print(await (await fetch('https://a.org/')).text());")
    assert log == ['{"a": "\u00e9"}']


def test_a_slow_network_is_not_the_script_s_time(relay):
    def slow(relay, fetch):
        time.sleep(0.7)
        fulfil(relay, fetch)

    log, _, _ = printed(relay, "await fetch('https://a.org/'); print('late');", slow, timeout_ms=300)
    assert log == ["late"]
    for loop in ("for (;;);", "'x'.repeat(1e6).indexOf.call({ length: 2 ** 53 }, 1); for (;;);"):
        got, _, _ = relay.ask_all("export default async () => { await fetch('https://a.org/'); " + loop + " }",
                                  slow, timeout_ms=300)
        assert (got["error"]["kind"], got["error"]["message"]) == ("limit", "the app takes more than 300ms")


def test_the_parent_s_queue_is_not_the_network_s_time(relay):
    """The waits take longer than the time for the network, but the parent has kept each answer for a while."""
    def slow(relay, fetch):
        if "waits" not in fetch:
            time.sleep(0.7)
            relay.reply(0, queued_ms=queued_ms)
            fulfil(relay, fetch)

    queued_ms = 600
    log, asked, _ = printed(relay, """
        for (const n of [1, 2, 3]) await fetch("https://a.org/" + n); print("done");""",
        slow, network_ms=1500, reports_waits=True)
    assert (log, len(asked)) == (["done"], 3)
    queued_ms = 1
    got, _, _ = relay.ask_all("""export default async () => {
        for (const n of [1, 2, 3]) await fetch("https://a.org/" + n); }""", slow, network_ms=1500)
    assert got["error"]["message"] == "the network takes too long"


TIMEOUTS = [
    ("await fetch('https://a.org/', { signal: AbortSignal.timeout(100) }).catch((e) => print(e.name, e.message));",
     "TimeoutError The operation was aborted due to timeout"),
    ("const c = new AbortController(); setTimeout(() => c.abort(), 100);"
     "await fetch('https://a.org/', { signal: c.signal }).catch((e) => print(e.name, e.message));",
     "AbortError This operation was aborted"),
    ("const c = new AbortController(); setTimeout(() => c.abort(new Error('mine')), 100);"
     "await fetch('https://a.org/', { signal: AbortSignal.any([c.signal, AbortSignal.timeout(60000)]) })"
     ".catch((e) => print(e.name, e.message));", "Error mine"),
    ("print(await Promise.race([fetch('https://a.org/'), new Promise((resolve) => setTimeout(resolve, 100, 'first'))]));",
     "first"),
]


@pytest.mark.parametrize("reports_waits", [False, True])
@pytest.mark.parametrize("body, words", TIMEOUTS)
def test_timers_run_while_the_network_is_slow(relay, body, words, reports_waits):
    """As in Node: nobody answers the fetch, and the timer ends the wait."""
    def answer(relay, got):
        if got.get("turn"):
            relay.reply(0, queued_ms=0, turn=got["turn"])

    log, asked, _ = printed(relay, body, answer, reports_waits=reports_waits)
    assert (log, len(asked)) == ([words], 1)


def test_timers_do_not_run_early(relay):
    """A timer that is later than the answer does not run before it."""
    def slow(relay, fetch):
        time.sleep(0.3)
        fulfil(relay, fetch)

    log, _, _ = printed(relay, """
        const r = await Promise.race([fetch("https://a.org/"), new Promise((resolve) => setTimeout(resolve, 30000, "early"))]);
        print(r.status);
        await new Promise((resolve) => setTimeout(resolve, 3600000));
        print("at once");""", slow)
    assert log == ["200", "at once"]


def test_what_was_ended_is_not_awaited(relay):
    log, asked, _ = printed(relay, """
        const c = new AbortController();
        const ended = fetch("https://a.org/1", { signal: c.signal }).catch((e) => print(e.name));
        c.abort();
        await ended;
        await new Promise((resolve) => setTimeout(resolve, 3600000)); // at once: no fetch is open
        print((await fetch("https://a.org/2")).status);""",
        lambda relay, fetch: fetch["url"].endswith("2") and fulfil(relay, fetch))
    assert (log, len(asked)) == (["AbortError", "200"], 2)


def test_a_timer_waits_for_its_turn(relay):
    """The parent has given the process's turn to others: the script goes on when it has one again, and an answer that came
    meanwhile is in time."""
    told = []

    def answer(relay, got):
        told.append(got)
        if got.get("waits"):
            return
        if "turn" in got:
            time.sleep(0.4)
            relay.reply(0, queued_ms=queued_ms, turn=got["turn"])
            if is_answered:
                relay.reply(number[0], status=200, url="u", headers={})
        else:
            number[:] = [got["id"]]

    number = []
    # The answer came 350 ms before the turn, of which the timer knew 50.
    for is_answered, timeout_ms, queued_ms, words in ((False, 100, 400, "TimeoutError"), (True, 350, 450, "200")):
        told.clear()
        log, _, _ = printed(relay, f"""
            print(await fetch("https://a.org/", {{ signal: AbortSignal.timeout({timeout_ms}) }}).then((r) => r.status, (e) => e.name));""",
            answer, reports_waits=True)
        assert [one.get("waits") for one in told[:3]] == [None, 1, 0] and told[2]["turn"] > 0, told
        assert log == [words]


def test_many_timers_do_not_ask_for_many_turns(relay):
    told = []

    def answer(relay, got):
        if "waits" in got:
            told.append(got)
        if got.get("turn"):
            relay.reply(0, queued_ms=0, turn=got["turn"])

    log, _, _ = printed(relay, """
        let count = 0;
        const c = new AbortController();
        const again = () => { if (++count < 45) setTimeout(again, 25); else c.abort(); };
        setTimeout(again, 25);
        await fetch("https://a.org/", { signal: c.signal }).catch(() => print(count));""", answer, reports_waits=True)
    assert log == ["45"] and len(told) <= 60


def test_members_of_answers(relay):
    log, _, _ = printed(relay, """
        const r = await fetch("https://a.org/");
        const buffer = await r.arrayBuffer();
        print(buffer instanceof ArrayBuffer, buffer.byteLength, [...r.headers].join(), typeof Headers);
        r.headers.forEach((value, name) => print(name, value));
        for (const use of [() => r.blob(), () => r.formData(), () => r.clone(), () => r.body.getReader(), () => r.headers.getSetCookie()])
            try { use(); } catch (e) { print(e.message); }
        print(JSON.stringify(Object.keys(r)));""")
    assert log == ["true 11 content-type,application/json function", "content-type application/json",
                   "blob of an answer: use bytes() or arrayBuffer()", "formData of an answer: use text()",
                   "clone of an answer: an answer can be read several times", "body of an answer: there are no streams: use bytes()",
                   "getSetCookie() of an answer: its cookies are not kept",
                   '["status","ok","url","headers","text","json","bytes","arrayBuffer"]']


@pytest.mark.parametrize("body, sent", [
    ("new Uint8Array([1, 2, 3]).buffer", b"\1\2\3"), ("new Uint16Array([0x4241, 0x4443]).subarray(1)", b"CD"),
    ("new Uint8Array([1, 2, 3]).subarray(1, 2)", b"\2"), ("new ArrayBuffer(0)", b""),
    ("(b => (b.transfer(0), b))(new ArrayBuffer(9))", b""),
])
def test_bodies_of_bytes(relay, body, sent):
    _, asked, _ = printed(relay, f"await fetch('https://a.org/', {{ method: 'POST', body: {body} }});")
    assert asked[0][1] == sent


def test_forms_have_their_type(relay):
    _, asked, _ = printed(relay, """
        const body = new URLSearchParams({ a: "1 2" });
        await fetch("https://a.org/", { method: "POST", body });
        await fetch("https://a.org/", { method: "POST", body, headers: { "Content-Type": "x/y", b: "c" } });""")
    assert [(one["headers"], body) for one, body in asked] == [
        ({"content-type": "application/x-www-form-urlencoded;charset=UTF-8"}, b"a=1+2"), ({"content-type": "x/y", "b": "c"}, b"a=1+2")]
    got, _, _ = relay.ask_all("export default () => fetch('https://a.org/', { headers: [['a', 'b']] });", fulfil)
    assert "headers must be an object" in got["error"]["message"]


def test_what_nobody_waits_for(relay):
    log, asked, _ = printed(relay, "fetch('https://a.org/'); print('done');", ignore)
    assert log == ["done"] and len(asked) == 1
    got, _, _ = relay.ask_all(
        "export default () => new Promise(() => {});", ignore)
    assert "nothing will settle" in got["error"]["message"]


def test_hostile_use(relay):
    got, _, asked = relay.ask_all("""export default async () => {
        for (;;) { try { await fetch("https://a.org/"); } catch {} }
    }""", fulfil, timeout_ms=500)
    assert got["error"]["kind"] == "limit" and len(asked) == 20
    log, _, _ = printed(relay, """
        Object.defineProperty(Object.prototype, "then", { configurable: true, get() { throw new Error("then"); } });
        delete Object.prototype.then;
        let again = 0;
        const options = { get method() { if (again++ < 50) fetch("https://a.org/", options).catch(() => {}); return "GET"; } };
        await fetch("https://a.org/", options).catch(() => {});
        print("alive", again);""")
    assert log == ["alive 20"]
    log, _, _ = printed(relay, """
        const body = new Uint8Array(1000);
        const r = await fetch("https://a.org/", { get headers() { body.buffer.transfer(0); return {}; }, body });
        print(r.status);""")
    assert log == ["200"]


@pytest.mark.parametrize("body", [b"x" * (2 << 20), b"[" * 100_000, b""], ids=["large", "deep", "empty"])
def test_answers_of_strangers(relay, body):
    def answer(relay, fetch):
        relay.reply(fetch["id"], body, status=200, url="u", headers={"a": "b" * 60_000})

    log, _, _ = printed(relay, """
        const r = await fetch("https://a.org/");
        print((await r.text()).length, (await r.bytes()).length);
        try { await r.json(); } catch (e) { print("no JSON"); }""", answer)
    assert log == [f"{len(body)} {len(body)}", "no JSON"]


def test_a_wait_is_reported_once_until_the_next_answer(relay):
    seen, ids = [], []

    def answer(relay, got):
        if "waits" not in got:
            ids.append(got["id"])
            return
        seen.append(got["waits"])
        relay.reply(ids.pop(0), status=200)

    printed(relay, """
        await Promise.all(["a", "b", "c"].map(name => fetch("https://example.org/" + name)));
    """, answer, reports_waits=True)
    assert seen == [3, 2, 1]
