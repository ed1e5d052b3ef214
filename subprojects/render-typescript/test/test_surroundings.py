"""Expectations of scripts in TypeScript: dates, promises, and missing features."""

import contextlib
import datetime
import json
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
])
def test_what_other_engines_have(renderer, expression, expected):
    answer, _ = renderer.ask(f"export default () => {{ print(String({expression})); return null; }}")
    assert answer.get("error") is None and answer["log"] == [expected], answer


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
