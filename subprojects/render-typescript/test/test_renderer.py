"""The renderer of apps in TypeScript: what scripts get, what they may show, and what ends them."""

import base64
import contextlib
import json
import re
import struct
import subprocess

import pytest
from renderer import LAUNCHER, NOW_MS, PROGRAM, Renderer, returns, strip

BOX = 'import { Root, Box } from "panel"; export default () => Root({ child: Box() });'
PAINTED = {"widget": "Root", "fields": {"child": {"widget": "Box", "fields": {}}}}


@pytest.fixture
def renderer():
    with contextlib.closing(Renderer()) as started:
        yield started


def test_greets_and_ends_with_the_other_side(renderer):
    assert renderer.hello["engine"] == "TYPESCRIPT"
    assert re.fullmatch(r"quickjs-ng 0\.16\.\d+", renderer.hello["library"])
    assert ("no_new_privs" if LAUNCHER else "none") in renderer.hello["layers"]
    renderer.link.close()
    assert renderer.end() == (0, "")


def test_answers_one_request_after_the_other(renderer):
    for _ in range(3):
        answer, tree = renderer.ask(BOX)
        assert "error" not in answer
        assert tree == PAINTED
        assert answer["elapsed_us"] > 0 and answer["memory_bytes"] > 0
        answer, tree = renderer.ask("throw new Error('no')")
        assert answer["error"]["message"] == "Error: no"
        assert tree is None


def test_main_gets_its_argument(renderer):
    script = "export default (given) => { print(JSON.stringify(given)); return null; }"
    answer, tree = renderer.ask(script, config={"who": "Ada"}, locale="de")
    assert tree is None and "error" not in answer
    given = json.loads(answer["log"][0])
    assert given == {
        "config": {"who": "Ada"},
        "now": "2026-07-01T12:34:56.000Z",
        "timezone": "Europe/Zagreb",
        "local": {"year": 2026, "month": 7, "day": 1, "hour": 14, "minute": 34, "second": 56,
                  "weekday": 3, "offset_minutes": 120},
        "locale": "de",
        "device": {"width": 64, "height": 32},
    }


def printed(renderer, expression, **changes):
    answer, _ = renderer.ask(f"export default (given) => {{ print({expression}); }}", **changes)
    return answer["log"][0]


def test_clock_zone_and_random_numbers_are_inputs(renderer):
    for expression, text in [
        ("Date.now()", str(NOW_MS)),
        ("new Date().getTime()", str(NOW_MS)),
        ("new Date()", '"2026-07-01T12:34:56.000Z"'),
        ("String(new Date())", "Wed Jul 01 2026 14:34:56 GMT+0200"),
        ("new Date().getHours()", "14"),
        ("new Date(2026, 0, 1).toISOString()", "2025-12-31T23:00:00.000Z"),
        ("new Date(2026, 6, 1).toISOString()", "2026-06-30T22:00:00.000Z"),
        ("new Date().getTimezoneOffset()", "-120"),
        ("performance.now()", "0"),
    ]:
        assert printed(renderer, expression) == text, expression
    assert printed(renderer, "new Date().getHours()", zone=[0, -34200]) == "3"  # 03:04
    assert printed(renderer, "new Date().getHours()", zone=[]) == "12"
    assert printed(renderer, "new Date().getFullYear()", now_ms=-1) == "1970"
    assert printed(renderer, "given.local.second", now_ms=-1) == "59"
    first = printed(renderer, "Math.random()")
    assert printed(renderer, "Math.random()") == first
    assert printed(renderer, "Math.random()", seed=2) != first
    assert printed(renderer, "Math.random()", seed=0) not in ("0", first)
    with contextlib.closing(Renderer()) as other:
        assert printed(other, "Math.random()") == first


def test_scripts_do_not_see_each_other(renderer):
    renderer.ask("globalThis.mine = 1; Object.prototype.mine = 1; Array.prototype.map = null;")
    assert printed(renderer, "typeof mine, typeof ({}).mine, typeof [].map") == \
        "undefined undefined function"


def test_promises_run_to_their_end(renderer):
    script = """
        export default async function main() {
            let steps = 0;
            for (let i = 0; i < 1000; i++) { await null; steps++; }
            await Promise.all([1, 2].map(async () => { await null; steps++; }));
            print(steps);
            return [];
        }"""
    answer, tree = renderer.ask(script)
    assert (answer["log"], tree) == (["1002"], [])
    answer, _ = renderer.ask("await null; const late = 5; export default () => { print(late); }")
    assert answer["log"] == ["5"]
    answer, _ = renderer.ask("export default async () => { throw new Error('late'); }")
    assert answer["error"]["message"] == "Error: late"
    answer, _ = renderer.ask("export default () => new Promise(() => {})")
    assert "waits for a promise that nothing will settle" in answer["error"]["message"]
    answer, _ = renderer.ask("await new Promise(() => {}); export default () => null")
    assert "waits for a promise that nothing will settle" in answer["error"]["message"]


@pytest.mark.parametrize("expression, tree", [
    ("null", None),
    ("undefined", None),
    ("[]", []),
    ("[1, -1.5, 0.1, 1e21, 'a\\u00e9\\n\"', true, null, undefined]",
     [1, -1.5, 0.1, 1e21, "aé\n\"", True, None, None]),
    ("'\\ud800x'", "\ufffd\ufffd\ufffdx"),
    ("Text({ content: 'x', color: undefined })",
     {"widget": "Text", "fields": {"content": "x"}}),
    ("new Uint8Array([0, 255, 7])", {"bytes": "AP8H"}),
    ("new Uint8Array(0)", {"bytes": ""}),
    ("filter.Blur({ child: Box(), radius: 2 })",
     {"widget": "filter.Blur", "fields": {"child": {"widget": "Box", "fields": {}}, "radius": 2}}),
])
def test_trees(renderer, expression, tree):
    answer, shown = renderer.ask(returns(expression))
    assert "error" not in answer, answer
    assert shown == tree


def test_raw_frames(renderer):
    frames = "[new Uint8Array(6144).fill(7), new Uint8Array(6144)]"
    answer, tree = renderer.ask(returns(f"({{ frames: {frames}, delay: 100 }})"))
    assert "error" not in answer
    assert tree["delay"] == 100
    assert [base64.b64decode(frame["bytes"]) for frame in tree["frames"]] == \
        [bytes([7] * 6144), bytes(6144)]


@pytest.mark.parametrize("expression, message", [
    ("({ frames: [new Uint8Array(5)] })", "frames[0] must be a Uint8Array of 6144 bytes"),
    ("({ frames: [7] })", "frames[0] must be a Uint8Array of 6144 bytes"),
    ("({ frames: new Array(10000).fill(new Uint8Array(6145)) })", "frames[0] must be a Uint8Array"),
    ("({ frames: 7 })", "this object is no widget"),
    ("({})", "this object is no widget"),
    ("new Proxy([], {})", "this object is no widget"),
    ("new Map()", "this object is no widget"),
    ("5n", "must be text, a number, a list or a widget"),
    ("Symbol.iterator", "must be text, a number, a list or a widget"),
    ("NaN", "a number must be finite"),
    ("() => 5", "a function has no place in what is shown"),
    ("Root({ child: Box({ width: Infinity }) })", "Root.child Box.width: a number must be finite"),
    ("[Root({ child: [0, { a: 1 }] })]", "[0] Root.child[1]: this object is no widget"),
    ("Text('Hello')", "Text takes its fields as one object"),
    ("Box(Box())", "Box takes its fields as one object"),
    ("Box([])", "Box takes its fields as one object"),
    ("Text({ content: 'a' }, 'b')", "Text takes its fields as one object"),
    ("Root({ get child() { throw new Error('mine'); } })", "Error: mine"),
])
def test_what_is_no_tree(renderer, expression, message):
    answer, tree = renderer.ask(returns(expression))
    assert message in answer["error"]["message"]
    assert answer["error"]["kind"] == "script"
    assert tree is None


def test_widgets_cannot_be_made_up(renderer):
    script = """
        import { Box } from "panel";
        const box = Box({ width: 1 });
        box.fields = 7;
        delete box.fields;
        Object.defineProperty(box, "fields", { value: 7 });
        export default () => box;"""
    answer, _ = renderer.ask(script)
    assert answer["error"]["kind"] == "script"
    answer, _ = renderer.ask(returns("Object.create(Box())"))
    assert "this object is no widget" in answer["error"]["message"]
    answer, _ = renderer.ask(returns("({ __proto__: Box(), fields: {} })"))
    assert "this object is no widget" in answer["error"]["message"]


DEFAULTS = """import { form } from "panel";
    const named = (id) => ({ id, name: "N", desc: "d", icon: "i" });
    const fields = [
        form.Text({ ...named("text"), default: "fallback" }), form.Text(named("none")),
        form.Toggle({ ...named("on"), default: true }), form.Toggle({ ...named("off"), default: false }),
        form.Text({ ...named("toString"), default: "own" }),
    ];
    export default ({ config }) => { print(JSON.stringify(config)); return null; };
"""


@pytest.mark.parametrize("schema", ["fields", 'form.Schema({ version: "1", fields })'])
def test_settings_have_the_defaults_of_the_schema(renderer, schema):
    script = DEFAULTS + f"export const schema = {schema};"
    answer, _ = renderer.ask(script, config={})
    assert json.loads(answer["log"][0]) == {"text": "fallback", "on": "true", "off": "false",
                                            "toString": "own"}
    answer, _ = renderer.ask(script, config={"text": "", "on": "false", "other": "x"})
    assert json.loads(answer["log"][0]) == {"text": "", "on": "false", "other": "x", "off": "false",
                                            "toString": "own"}


@pytest.mark.parametrize("schema", ["undefined", "7", "null", "[7, null, {}]", "{ length: 9 }"])
def test_what_is_no_schema_has_no_defaults(renderer, schema):
    answer, _ = renderer.ask(DEFAULTS + f"export const schema = {schema};", config={"a": "b"})
    assert json.loads(answer["log"][0]) == {"a": "b"}


def test_getter_of_a_schema_that_throws_is_told(renderer):
    script = DEFAULTS + "export const schema = [form.Text({ get id() { throw new Error('so'); } })];"
    assert "so" in renderer.ask(script, config={})[0]["error"]["message"]


def test_schema(renderer):
    script = """
        import { form } from "panel";
        export const schema = [form.Toggle({ id: "a", name: "A", desc: "b", icon: "c" })];"""
    answer, tree = renderer.ask(script, what="schema")
    assert "error" not in answer
    assert tree == [{"widget": "form.Toggle",
                     "fields": {"id": "a", "name": "A", "desc": "b", "icon": "c"}}]
    assert renderer.ask("1", what="schema")[1] is None
    assert "error" not in renderer.ask("1", what="schema")[0]


def test_errors_say_where(renderer):
    source = """import { Root } from "panel";
type Name = string;
interface Given { name: Name }

function greet(given: Given): Name {
    const name: Name = given.name;
    return name + nobody;
}

export default function main(): Name {
    return greet({ name: "Ada" } as Given);
}
"""
    error = renderer.ask(strip(source))[0]["error"]
    assert error["message"] == "ReferenceError: nobody is not defined"
    assert (error["file"], error["line"], error["column"]) == ("app.ts", 7, 19)
    assert error["backtrace"] == "  app.ts:7:19: in greet\n  app.ts:11:12: in main\n"


@pytest.mark.parametrize("script, message, place", [
    ("let a = ;", "SyntaxError", (1, 9)),
    ("\n  nobody", "ReferenceError: nobody is not defined", (2, 3)),
    ("throw 7", "thrown: 7", None),
    ("throw null", "thrown: null", None),
    ("throw { toString() { throw 1; } }", "thrown: a value", None),
    ("throw { message: 'why', code: 5 }", "thrown: why", None),
    ("throw { get message() { throw 1; }, toString() { return 'own'; } }", "thrown: own", None),
    ("throw 'text'", "thrown: text (throw new Error() to see the line)", None),
    ('import "os"', 'there is no module "os": apps import from "panel" only', None),
    ('import { Nothing } from "panel"; Nothing()', "Nothing", None),
    ("await import('std')", 'there is no module "std"', None),
    ("export const main = 5", 'no "export default function main"', None),
    ("export default 5", 'no "export default function main"', None),
    ("export default () => fetch('http://127.0.0.1/')", "no network here", None),
])
def test_errors(renderer, script, message, place):
    error = renderer.ask(script)[0]["error"]
    assert message in error["message"]
    if place:
        assert (error["line"], error["column"]) == place


def test_a_map_that_lies_does_no_harm(renderer):
    comment = "\n//# sourceMappingURL=data:application/json;base64,"
    for lie in [b"", b"{}", b'{"mappings":', b'{"mappings":"', b'{"mappings": "AAAA;gggggggggggB"}',
                b'{"mappings":";;;;' + b"/" * 100000, b'{"mappings":"DDDD"}', b"\xff" * 99,
                b'{"mappings":"' + b";" * 100000]:
        answer, _ = renderer.ask("nobody" + comment + base64.b64encode(lie).decode())
        assert answer["error"]["message"] == "ReferenceError: nobody is not defined"
        assert answer["error"]["line"] >= 1


GROWS = "for (;;) kept.push({0});"
# QuickJS has no line for some of the blocks that may be the first without room. Which one that is depends on the
# sizes of malloc's blocks, and a sanitizer has others.
by_block = pytest.mark.skipif(not LAUNCHER, reason="with a sanitizer another block is the first without room")


@pytest.mark.parametrize("grow", [
    "const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });",
    "const all = []; for (;;) all.push('x'.repeat(1000) + all.length);",
    "const all = []; for (;;) all.push({});",
    "const all = []; for (;;) all.push(Symbol('x'.repeat(1000)));",
    pytest.param("const all = []; for (let i = 0; ; i++) all.push(new Function('return ' + i));", marks=by_block),
    "const all = []; for (;;) all.push(new Uint8Array(1000));",
    pytest.param("const all = []; for (;;) { const big = new Array(100); all.push(() => big); }", marks=by_block),
    "return new Uint8Array(1e9);",
])
def test_the_limit_of_memory_has_its_line(renderer, grow):
    script = "function grow() {\n    " + grow + "\n}\n\nexport default () => grow();"
    error = renderer.ask(script, timeout_ms=60_000)[0]["error"]  # long, for a program with a sanitizer
    assert FULL in error["message"]
    assert (error["line"], "in grow" in error["backtrace"]) == (2, True)


# A script, and what it gets.
LATE, DEEP, FULL = "takes more than", "calls itself too deep", "holds more than 24 MiB of memory"
HOSTILE = {
    "endless loop at top level": ("for (;;);", LATE),
    "endless loop in main": ("export default () => { for (;;); }", LATE),
    "endless loop in a getter": (returns("Root({ get child() { for (;;); } })"), LATE),
    "endless loop in the schema": ("export const schema = { get x() { for (;;); } }; for (;;);", LATE),
    "endless loop that catches": ("for (;;) { try { for (;;); } catch {} finally { for (;;); } }", LATE),
    "endless promises": ("function f() { return Promise.resolve().then(f); } await f();", FULL),
    "endless jobs": ("function f() { Promise.resolve().then(f); } f(); await new Promise(() => {});", LATE),
    "endless async": ("export default async () => { for (;;) await null; }", LATE),
    "endless then": ("export default () => ({ then() { for (;;); } })", None),
    "endless thenable": ("export default async () => ({ then() { for (;;); } })", LATE),
    "endless generator": ("export default () => { for (const x of (function* () { for (;;) yield 1; })()); }", LATE),
    "endless iterator": ("export default () => [...{ [Symbol.iterator]: () => ({ next: () => ({}) }) }]", None),
    "regular expression": ("/^(a+)+$/.test('a'.repeat(40) + 'b')", LATE),
    "regular expression of stars": ("/(a*)*b/.test('a'.repeat(1000))", LATE),
    "regular expression too deep": ("new RegExp('('.repeat(100000))", None),
    "a built-in function without end": ("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", LATE),
    "a built-in search without end": ("Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)", LATE),
    "a sort without end": ("[3, 2, 1].sort(() => { for (;;); })", LATE),
    "a proxy without end": (returns("Root(new Proxy({}, { ownKeys() { for (;;); } }))"), LATE),
    "JSON without end": ("JSON.stringify({ toJSON() { for (;;); } })", LATE),
    "an error without end": ("throw { toString() { for (;;); } }", LATE),
    "an error's stack without end": (
        "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e;", LATE),
    "lock without end": (
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", None),
    "recursion": ("function f() { return f() + 1; } f();", DEEP),
    "recursion in main": ("export default function main() { main(); }", DEEP),
    "recursion through a getter": ("const o = { get x() { return this.x; } }; o.x;", DEEP),
    "recursion through sort": ("function f() { [2, 1].sort(f); } f();", DEEP),
    "recursion through toString": ("const o = { toString() { return '' + this; } }; '' + o;", DEEP),
    "recursion through a proxy": ("const p = new Proxy({}, { get: (t, k) => p[k] }); p.x;", DEEP),
    "nested too deep to parse": ("(" * 200000, None),
    "nested arrays to parse": ("[" * 200000, None),
    "JSON too deep": ("JSON.parse('['.repeat(1000000))", None),
    "an array that grows": ("const kept = []; " + GROWS.format("new Array(1000).fill(0)"), FULL),
    "a string that doubles": ("let s = 'x'; for (;;) s += s;", None),
    "strings that are kept": ("const kept = []; " + GROWS.format("'x'.repeat(100000)"), FULL),
    "a string of 1 GB": ("'x'.repeat(2 ** 30 - 1) + 'y'", None),
    "padding of 1 GB": ("'x'.padStart(2 ** 30 - 1)", None),
    "an array of a billion": ("new Array(1e9).fill(0)", None),
    "bytes of 1 GB": ("new Uint8Array(1e9)", FULL),
    "a buffer that grows": ("const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30);", None),
    "a big integer": ("let x = 3n; for (;;) x *= x;", None),
    "a power of big integers": ("2n ** (2n ** 40n)", None),
    "closures": ("const kept = []; for (;;) { const big = new Array(100); kept.push(() => big); }", FULL),
    "maps that grow": ("const m = new Map(); for (let i = 0; ; i++) m.set(i, [i]);", FULL),
    "symbols": ("const kept = []; " + GROWS.format("Symbol('x'.repeat(1000))"), FULL),
    "promises that wait": ("const kept = []; " + GROWS.format("new Promise(() => {})"), FULL),
    "memory that is caught": ("const kept = []; for (;;) try { for (;;) kept.push('x'.repeat(1e6)); } catch {}", LATE),
    "functions that are compiled": ("const kept = []; for (let i = 0; ; i++) kept.push(new Function('return ' + i));", FULL),
    "regular expressions that are kept": ("const kept = []; for (let i = 0; ; i++) kept.push(new RegExp('a{1,1000}' + i));", FULL),
    "a regular expression that is large": ("new RegExp('(?:a{1,60000}){1,60000}')", None),
    "a deep tree": (
        'import { Box, Root } from "panel"; let b = Box(); for (let i = 0; i < 1e5; i++) b = Box({ child: b });'
        "export default () => Root({ child: b });", "100 levels deep"),
    "a tree that holds itself": (
        'import { Row, Root } from "panel"; const children = []; children.push(Row({ children }));'
        "export default () => Root({ child: children[0] });", "or holds itself"),
    "a wide tree": (returns("Root({ child: Box({ children: new Array(1e6).fill(1) }) })"), "too long"),
    "a tree that doubles": (
        'import { Stack, Root } from "panel"; let s = Stack({ children: [] });'
        "for (let i = 0; i < 40; i++) s = Stack({ children: [s, s] });"
        "export default () => Root({ child: s });", "more than 4 MiB"),
    "a large tree": (
        'import { Text, Stack, Root } from "panel"; const content = "x".repeat(1e6);'
        "export default () => Root({ child: Stack({ children: new Array(10).fill(Text({ content })) }) });",
        "more than 4 MiB"),
    "fields without end": (
        returns("{ const f = {}; for (let i = 0; i < 1e5; i++) f['a' + i] = 0; const r = Root(f); return [r, r, r]; }"),
        "more than 200000 values"),
    "10,000 frames": (returns("({ frames: new Array(10000).fill(new Uint8Array(6144)) })"), "no error"),
    "10,000 frames that are": (
        returns("({ frames: Array.from({ length: 10000 }, () => new Uint8Array(6144)) })"), "memory"),
    "frames without end": (returns("({ frames: new Array(2 ** 32 - 1) })"), "frames[0] must be"),
    "children without end": (
        returns("Root({ child: Animation({ children: new Array(2 ** 32 - 1) }) })", "Animation, Root"),
        "no error"),
    "an array that lies": (
        returns("{ const a = [1]; Object.defineProperty(a, 0, { get() { a.length = 0; a.push(...new Array(1e5)); } });"
                " return a; }"), None),
    "a buffer that goes away": (
        returns("{ const u = new Uint8Array(8); u.buffer.transfer(); return Root({ child: u }); }"), "detached"),
    "a frame that goes away": (
        returns("{ const u = new Uint8Array(6144); u.buffer.transfer(); return { frames: [u] }; }"),
        "must be a Uint8Array of 6144 bytes"),
    "a buffer that shrinks": (
        returns("{ const b = new ArrayBuffer(6144, { maxByteLength: 6144 }); const u = new Uint8Array(b);"
                " return { frames: [u], get delay() { b.resize(1); return 50; } }; }"), None),
    "a million lines": ("for (let i = 0; i < 1e6; i++) print(i); export default () => null", "no error"),
    "lines without end": ("for (;;) print('x'.repeat(1000));", LATE),
    "a file": ('import * as std from "std";', "no module"),
    "a file of the machine": ('import "/etc/passwd";', "no module"),
    "a module by an address": ('import "https://example.org/a.js";', "no module"),
    "a file that is loaded later": ("await import('./app.ts');", None),
    "the environment": ("process.env", "process is not defined"),
    "a program": ("require('child_process')", "require is not defined"),
    "the host's modules": ("os.exec(['sh'])", "os is not defined"),
    "a worker": ("new Worker('a.js')", "Worker is not defined"),
    "address 127.0.0.1": ("await fetch('http://127.0.0.1/')", "no network"),
    "address [::1]": ("await fetch('http://[::1]/')", "no network"),
    "address of link": ("await fetch('http://169.254.169.254/latest')", "no network"),
    "a socket": ("new WebSocket('ws://127.0.0.1/')", "WebSocket is not defined"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_scripts(name, renderer):
    script, wanted = HOSTILE[name]
    # Scripts that fill memory get the time that this takes on a busy machine. Others need none of theirs.
    is_slow = wanted == FULL or (not LAUNCHER and wanted not in (LATE, None))  # with a sanitizer
    timeout_ms = 60_000 if is_slow else 200 if wanted == LATE else 1000
    try:
        answer, _ = renderer.ask_calmly({"what": "render", "network": False, "timeout_ms": timeout_ms}, script)
    except EOFError as ended:
        pytest.fail(f"the process ended without an answer: {ended}")
    got = answer["error"]["message"] if "error" in answer else "no error"
    print(f"{name}: {got} ({answer['elapsed_us'] // 1000} ms)")
    assert not wanted or wanted in got
    if wanted in (LATE, DEEP, FULL):
        assert answer["error"]["kind"] == "limit"
    if answer.get("recycle"):
        assert renderer.end() == (3, "")
    else:
        assert renderer.ask(BOX)[1] == PAINTED  # it goes on as if nothing had been


@pytest.mark.skipif(not LAUNCHER, reason="a sanitizer keeps what was freed")
def test_memory_goes_back(renderer):
    def resident_kib():
        with open(f"/proc/{renderer.process.pid}/status", encoding="ascii") as file:
            return int(next(line for line in file if line.startswith("VmRSS")).split()[1])

    renderer.ask(HOSTILE["an array that grows"][0], timeout_ms=60000)
    renderer.ask(BOX)
    assert resident_kib() <= 8 * 1024


@pytest.mark.parametrize("bad", [
    {"what": "dance"}, {"what": 7}, {}, {"what": "render"}, {"what": "render", "width": 0, "height": 32},
    {"what": "render", "width": 64, "height": -1},
    {"what": "render", "width": 1 << 16, "height": 2}, [], 7, None,
])
def test_bad_requests(renderer, bad):
    renderer.send(bad, BOX)
    answer, tree = renderer.receive()
    assert answer["error"]["kind"] == "request"
    assert tree == b""
    assert renderer.ask(BOX)[1] == PAINTED


@pytest.mark.parametrize("odd", [
    {"zone": "UTC"}, {"zone": [1]}, {"zone": [0, 1e300, "x", None]}, {"zone": [0, 0] * 5000},
    {"now_ms": 1e300}, {"now_ms": "now"}, {"seed": -1}, {"seed": 1e300}, {"timeout_ms": 1e9},
    {"config": 7}, {"config": None}, {"timezone": 7}, {"locale": []},
])
def test_odd_requests(renderer, odd):
    assert renderer.ask(BOX, **odd)[1] == PAINTED


def test_too_long_a_time_is_the_longest(renderer):
    slow = "for (let i = 0, sum = 0; i < 1e6; i++) sum += i;\n" + BOX
    assert renderer.ask(slow, timeout_ms=1e9)[1] == PAINTED


def test_frames_that_are_too_large_end_it(renderer):
    renderer.link.sendall(struct.pack(">II", 2 << 20, 0))
    assert renderer.end() == (1, "render-typescript: Message too long\n")


def test_a_frame_that_is_cut_ends_it(renderer):
    renderer.link.sendall(struct.pack(">II", 10, 10) + b"{}")
    renderer.link.close()
    assert renderer.end() == (1, "")


def test_sealed_it_has_few_calls():
    with contextlib.closing(Renderer()) as renderer:
        with open(f"/proc/{renderer.process.pid}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        if not LAUNCHER or "-seccomp" in renderer.hello["layers"]:
            pytest.skip("no seccomp here")
        assert "sealed" in renderer.hello["layers"].split()
        assert status["Seccomp"].strip() == "2"
        assert status["Threads"].strip() == "1"


def test_alone_it_says_what_it_is():
    done = subprocess.run(["sh", "-c", 'exec "$0" 3>&-', PROGRAM], capture_output=True, text=True)
    assert done.returncode == 2
    assert "is started by displayd and displayctl" in done.stderr
