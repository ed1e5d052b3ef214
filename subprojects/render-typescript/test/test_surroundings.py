"""Expectations of scripts in TypeScript: dates, promises, and missing features."""

import contextlib
import datetime
import glob
import json
import os
import shutil
import subprocess
import time
import zoneinfo

import pytest

from renderer import LAUNCHER, Renderer


@pytest.fixture
def renderer():
    with contextlib.closing(Renderer()) as started:
        yield started


@pytest.mark.parametrize("script, words", [
    ("export default function main() { Promise.reject(new Error('lost')); return null; }", "Error: lost"),
    ("async function late() { throw new Error('later'); }\nexport default () => { late(); return null; };",
     "Error: later"),
    ("const fail = async (word) => { throw new Error(word); };\nexport default async () => {"
     " const a = fail('first'), b = fail('second'); await a.catch(() => 0); return null; };", "Error: second"),
    ("export default async () => { Promise.reject(7); await 0; return null; };", "thrown: 7"),
    ("export const schema = []; export default () => { [1].forEach(async (n) => n.x.y); return null; };", "cannot read property 'y'"),
    ("export default () => new Date().toLocaleTimeString('de-DE');", "knows no languages, options or zones"),
    ("export default () => new Date().toLocaleDateString(undefined, { timeZone: 'Asia/Tokyo' });",
     "use input.local"),
    ("export default () => (1234.5).toLocaleString('de-DE');", "use toFixed()"),
    ("export default () => new Uint8Array(1).toLocaleString('de-DE');", "TypedArray.toLocaleString() knows no languages"),
    ("export default () => 'a'.localeCompare('b', 'de');", "compare with < and >"),
    ("export default () => Temporal.Now.instant();", "Temporal is not defined: use Date"),
    ("export default () => localStorage.a;", "localStorage is not defined: nothing is kept"),
    ("export default async () => { await crypto.subtle.digest('SHA-256', new Uint8Array()); };",
     "crypto has getRandomValues() and randomUUID() only"),
    ("export default () => new Intl.NumberFormat('de');", "Intl is not defined: use input.local"),
    ("export default () => { require('fs'); };", "require is not defined: use import"),
])
def test_what_is_not_there_says_so(renderer, script, words):
    answer, _ = renderer.ask(script)
    assert words in answer["error"]["message"], answer
    assert answer["error"]["kind"] == "script" and answer["error"]["line"] >= 1


@pytest.mark.parametrize("script", [
    "export default async () => { const p = Promise.reject(1); await 0; await p.catch(() => 0); return null; };",
    "export default async () => { try { await Promise.reject(1); } catch {} return null; };",
    "export default () => { new Date().toLocaleString(); (1).toLocaleString(); 'a'.localeCompare('b'); return null; };",
    "export default () => { if (typeof Intl !== 'undefined') throw 1; return null; };",
])
def test_what_is_handled_is_no_error(renderer, script):
    answer, _ = renderer.ask(script)
    assert answer.get("error") is None, answer


def test_calls_are_as_deep_as_in_other_engines(renderer):
    calls = 8000 if LAUNCHER else 800  # a sanitizer takes more of the stack for each
    answer, _ = renderer.ask(f"const sum = (n) => n === 0 ? 0 : 1 + sum(n - 1);\nexport default () => {{ print(sum({calls})); return null; }};")
    assert answer.get("log") == [str(calls)], answer


def caught(expression):
    return f"(() => {{ try {{ {expression} }} catch (e) {{ return [e.name, e.message, e instanceof Error].join(); }} }})()"


# The same in Node 24, as test_node_agrees() shows if it is here.
OTHERS = [
    (caught("btoa('\u20ac')"), None), (caught("atob('%')"), None), (caught("atob('a')"), None),
    ("(d => [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac, 65])), "
     "d.decode(new Uint8Array([0xe2]), { stream: true }), d.decode()].join('|'))(new TextDecoder())", "|\u20acA||\ufffd"),
    ("(d => [d.decode(new Uint8Array([0xef]), { stream: true }), d.decode(new Uint8Array([0xbb, 0xbf, 66]), { stream: true }), "
     "d.decode(new Uint8Array([0xef, 0xbb, 0xbf])), d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 67]))]"
     ".map(t => JSON.stringify(t)).join('|'))(new TextDecoder())", '""|"B"|"\ufeff"|"C"'),
    ("(d => [d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }), d.decode(new Uint8Array([0x98, 0x80, 0xe2, 0x28]))]"
     ".join('|'))(new TextDecoder())", "|\U0001f600\ufffd("),
    (caught("const d = new TextDecoder('utf-8', { fatal: true }); d.decode(new Uint8Array([0xe2]), { stream: true }); d.decode();"), None),
    ("(b => [JSON.stringify(new TextEncoder().encodeInto('a\u20ac\U0001f600z', b)), b].join())(new Uint8Array(6))",
     '{"read":2,"written":4},97,226,130,172,0,0'),
    ("JSON.stringify(new TextEncoder().encodeInto('\\ud800x', new Uint8Array(9)))", '{"read":2,"written":4}'),
    ("(() => { const a = new AbortController(), b = new AbortController(); const any = AbortSignal.any([a.signal, b.signal]);"
     " const seen = []; any.addEventListener('abort', () => seen.push('heard')); any.onabort = () => seen.push('on');"
     " b.abort('why'); a.abort('late'); return [any.aborted, any.reason, seen.sort()].join(); })()", "true,why,heard,on"),
    ("AbortSignal.any([AbortSignal.abort('first'), AbortSignal.abort('second')]).reason", "first"),
    ("AbortSignal.any([]).aborted", "false"),
    ("(r => [r.name, r.message, r instanceof DOMException, r.code].join())(AbortSignal.abort().reason)",
     "AbortError,This operation was aborted,true,20"),
    (caught("new AbortSignal()").replace("e.message, ", ""), "TypeError,true"),
    ("(h => { h.append('Set-Cookie', 'a=1, x'); h.append('set-cookie', 'b=2'); h.append('X-A', '1'); h.append('x-a', '2');"
     " return JSON.stringify([h.getSetCookie(), h.get('set-cookie'), [...h]]); })(new Headers())",
     '[["a=1, x","b=2"],"a=1, x, b=2",[["set-cookie","a=1, x"],["set-cookie","b=2"],["x-a","1, 2"]]]'),
    ("(h => { h.set('set-cookie', 'c'); return h.getSetCookie().concat(h.delete('set-cookie') ?? [], h.getSetCookie()).join(); })"
     "(new Headers([['set-cookie', 'a'], ['set-cookie', 'b']]))", "c"),
    ("new Headers().getSetCookie().length", "0"),
    (caught("structuredClone(() => 1)").replace("e.message", "e.code"), "DataCloneError,25,true"),
    (caught("crypto.getRandomValues(new Uint8Array(65537))").replace("e.message", "e.code"), "QuotaExceededError,22,true"),
]


def node():
    folder = os.path.join(os.path.dirname(__file__), "../../../build/tools")
    found = sorted(glob.glob(f"{folder}/node-24*/**/bin/node", recursive=True))
    return found[0] if found else shutil.which("node")


@pytest.mark.skipif(not node(), reason="Node is not installed")
def test_node_agrees(renderer):
    """Node's results, except where the words differ by a full stop or are not told."""
    told = ", ".join(f"String({expression})" for expression, _ in OTHERS)
    done = subprocess.run([node(), "-e", f"console.log(JSON.stringify([{told}]))"], capture_output=True, text=True, check=True)
    expected = json.loads(done.stdout)
    answer, _ = renderer.ask(f"export default () => {{ print(JSON.stringify([{told}])); return null; }}")
    got = json.loads(answer["log"][0])
    for (expression, known), ours, theirs in zip(OTHERS, got, expected):
        if known is None:
            ours, theirs = ours.partition(",")[0], theirs.partition(",")[0]
        assert ours == theirs, expression


@pytest.mark.parametrize("expression, expected", [
    ("new URL('../b?x=1#h', 'https://Example.org:443/a/c/d').href", "https://example.org/a/b?x=1#h"),
    ("(u => (u.searchParams.set('q', 'ü a'), u.href))(new URL('https://h/?q=1'))", "https://h/?q=%C3%BC+a"),
    ("URL.canParse('no address')", "false"),
    ("new URLSearchParams({ a: '1', b: 'ö' }).toString()", "a=1&b=%C3%B6"),
    ("[...new URLSearchParams('?a=%20+x&b').entries()].join('|')", "a,  x|b,"),
    ("new TextEncoder().encode('é€😀').join()", "195,169,226,130,172,240,159,152,128"),
    ("new TextDecoder().decode(new Uint8Array([195, 169, 255]))", "é\ufffd"),
    ("JSON.stringify(structuredClone({ a: [1, { b: new Date(0) }] }))", '{"a":[1,{"b":"1970-01-01T00:00:00.000Z"}]}'),
    ("new Headers({ 'X-A': '1' }).get('x-a')", "1"),
    ("(() => { try { structuredClone(() => 1); } catch (e) { return e.name; } })()", "DataCloneError"),
    ("atob(btoa('hi')) + typeof queueMicrotask", "hifunction"),
    ("crypto.getRandomValues(new Uint8Array(4)).length", "4"),
    ("(c => (c.abort(), c.signal.aborted))(new AbortController())", "true"),
    *OTHERS,
])
def test_what_other_engines_have(renderer, expression, expected):
    answer, _ = renderer.ask(f"export default () => {{ print(String({expression})); return null; }}")
    assert answer.get("error") is None, answer
    assert answer["log"] == [expected] or (expected is None and ",true" in answer["log"][0]), answer


@pytest.mark.parametrize("script, words, place", [
    ("export default () =>\n    btoa('\u20ac');", "InvalidCharacterError: String contains an invalid character", (2, 5)),
    ("export default () =>\n    atob('%');", "InvalidCharacterError: The string to be decoded is not correctly encoded", (2, 5)),
    ("export default () => {\n    AbortSignal.abort().throwIfAborted();\n};", "AbortError: This operation was aborted", (2, None)),
    ("export default () => {\n    throw new DOMException('mine', 'OddError');\n};", "OddError: mine", (2, None)),
])
def test_errors_of_the_web_have_name_and_message(renderer, script, words, place):
    answer, _ = renderer.ask(script)
    error = answer["error"]
    assert error["message"] == words and error["line"] == place[0], answer
    assert place[1] in (None, error["column"]), answer
    answer, _ = renderer.ask(script.replace("export default", "const f =") +
                             "\nexport default () => { try { f(); } catch (e) { print(e); console.log(`${e}`); } return null; };")
    assert answer["log"] == [words, words], answer


def test_timers_run_in_their_order_when_nothing_else_is_left(renderer):
    answer, _ = renderer.ask("""export default async () => {
        setTimeout(() => print("late"), 1000);
        clearTimeout(setTimeout(() => print("never"), 10));
        setTimeout((word) => print(word), 10, "soon");
        Promise.resolve().then(() => print("first"));
        await new Promise((resolve) => setTimeout(resolve, 3600000));
        print("end");
        return null;
    };""")
    assert answer["log"] == ["first", "soon", "late", "end"], answer
    answer, _ = renderer.ask("""export default async () => {
        await new Promise(() => setTimeout(() => { throw new Error("in a timer"); }, 1));
    };""")
    assert answer["error"]["message"] == "Error: in a timer", answer
    again = "const again = () => setTimeout(again); again(); return new Promise(() => {});"
    answer, _ = renderer.ask(f"export default () => {{ {again} }};", timeout_ms=300)
    assert answer["error"]["kind"] == "limit", answer


def zone_of(name):
    """Returns the changes of a zone in 2026, as displayd sends them."""
    zone, year = zoneinfo.ZoneInfo(name), []
    begin = int(datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC).timestamp())
    for at in range(begin, begin + 3 * 366 * 86400, 1800):
        offset = int(datetime.datetime.fromtimestamp(at, zone).utcoffset().total_seconds())
        if not year or year[-1] != offset:
            year += [at, offset]
    return year


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "Europe/Zagreb", "Australia/Lord_Howe",
                                  "Asia/Kolkata", "America/Santiago"])
def test_local_times_around_changes_of_the_clocks(renderer, zone):
    """Same results as in Node: a local time that exists twice, or not at all, has the old offset."""
    changes = zone_of(zone)
    at = [second for i in range(2, len(changes), 2) for second in
          range(changes[i] - 14 * 3600, changes[i] + 14 * 3600, 1800)] or [1_780_000_000]
    walls = [[*time.gmtime(second + changes[1])[:5]] for second in at]
    script = "given => print(%s.map(([y, m, d, h, n]) => new Date(y, m - 1, d, h, n).getTime() / 1000).join())"
    answer, _ = renderer.ask("export default " + script % json.dumps(walls), zone=changes)
    expected = [int(datetime.datetime(*wall, tzinfo=zoneinfo.ZoneInfo(zone)).timestamp()) for wall in walls]
    assert [int(word) for word in "".join(answer["log"]).split(",")] == expected
