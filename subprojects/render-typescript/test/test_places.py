"""Source locations of errors: § stands before the location."""

import contextlib
import json

import pytest

from renderer import Renderer, cut_mark, find_esbuild, head, strip

pytestmark = pytest.mark.skipif(not find_esbuild(), reason="without esbuild no types are stripped")


@pytest.fixture(scope="module")
def renderer():
    with contextlib.closing(Renderer()) as running:
        yield running


def compile_all(files):
    return "".join(f"-- {name} --\n{strip(text)}" for name, text in files.items())


MAIN = "export default function main() {\n    const x: any = { a: {} };\n"


@pytest.mark.parametrize("source", [
    pytest.param(MAIN + "    return `one ${1}\n        ${x.a}\n        ${x.b.§c}\n        ${2}`;\n}", id="value in a text"),
    pytest.param(MAIN + "    const t = §`one ${1}\n        ${Symbol() as any}\n        ${2}`;\n}", id="text"),
    pytest.param(MAIN + "    return x\n        .a\n        .b\n        .§c;\n}", id="chain"),
    pytest.param(MAIN + "    return [x.§nothing(\n        Math.max(1),\n        [Math.min(2)])];\n}", id="call"),
    pytest.param(MAIN + "    return §x(\n        Math.max(1));\n}", id="call of a name"),
    pytest.param(MAIN + "    return §x['b'](\n        Math.max(1));\n}", id="call of an element"),
    pytest.param(MAIN + "    return x.§nothing(\n        ...[Math.max(1)]);\n}", id="call of a list"),
    pytest.param(MAIN + "    return §new x.a(\n        Math.max(1));\n}", id="new"),
    pytest.param(MAIN + "    return 'ünïcö€😀' + x.§nothing(Math.max(3)) + '😀' + x.a;\n}", id="beside letters"),
    pytest.param(MAIN + "    const { b: §{ c } } = { b: x.b };\n}", id="pattern"),
    pytest.param(MAIN + "    for (const a of\n        §x.a)\n        print(a);\n}", id="loop"),
    pytest.param(MAIN + "    let n: any = 5n;\n    return Math.max(1,\n        n +\n        §1 * Math.max(1));\n}", id="operator"),
    pytest.param(MAIN + "    §x.b.c = Math.max(\n        1);\n}", id="assignment"),
    pytest.param("const f = (a: any) => { throw §new Error(`${a}`); };\n" + MAIN + "    f(\n        Math.max(1));\n}", id="error"),
    pytest.param("import { Text } from 'panel';\ntype A = 1;\nimport { b } from §'fs/promises';\nexport default () => b;",
                 id="module"),
    pytest.param("import { Text,\n    §Nothing } from 'panel';\nexport default () => [Text, Nothing];", id="name"),
    pytest.param("export default async () => {\n    await 0;\n    return await import(§'std');\n};", id="module in main()"),
])
def test_errors(renderer, source):
    script, place = cut_mark(source)
    error = renderer.ask(strip(script))[0]["error"]
    assert (error["file"], error["line"], error["column"]) == ("app.ts", *place), error


@pytest.mark.parametrize("source", [
    MAIN + "    for (;;)§ {\n    }\n}",
    MAIN + "    while (true) {\n        x.a = 1;\n        x.§b = 2;\n    }\n}",
    "const endless = (): any => {\n    for (;;) {\n        §Math.max(1);\n    }\n};\n" + MAIN + "    return endless();\n}",
    "export default async function main() {\n    await 0;\n    for (;;)\n        §Math.max(1);\n}",
    MAIN + "    return { get frames() {\n        for (;;)§;\n    } };\n}",
    MAIN + "    return /^(a+)+$/.§test('a'.repeat(40) + 'b');\n}",
    "let n = 0;\n\nwhile (true)\n    n§++;\nexport default () => n;",
    "function spin() {\n    for (;;)§ {\n    }\n}\nspin();\nexport default () => null;",
    "export default async function main() {\n    const n = 0;\n    for (;;)\n        §await n;\n}",
])
def test_time_limit_names_the_line(renderer, source):
    script, (line, _) = cut_mark(source)
    error = renderer.ask(strip(script), timeout_ms=200)[0]["error"]
    assert (error["kind"], error["message"]) == ("limit", "the app takes more than 200ms")
    assert (error["file"], error["line"]) == ("app.ts", line), error


@pytest.mark.parametrize("source", [
    MAIN + "    new Promise(() => {\n        for (;;)§;\n    });\n    return 1;\n}",
    "async function spin() {\n    for (;;)§;\n}\n" + MAIN + "    spin();\n    for (let i = 0; i < 3; i++)\n        Math.max(i);\n    return null;\n}",
    "export default async function main() {\n    await new Promise((resolve) => setTimeout(() => {\n        for (;;)§;\n    }, 1));\n}",
    MAIN + "    const big = 'x,'.repeat(100000);\n    for (;;)\n        big.§split(',').join('');\n}",
    MAIN + "    const list = Array.from({ length: 100000 }, (_, i) => i % 7);\n    while (true)\n        list.§slice().sort();\n}",
    MAIN + "    const text = JSON.stringify(Array(50000).fill({ a: 1 }));\n    for (;;) {\n        JSON.§parse(text);\n    }\n}",
    MAIN + "    try {\n        for (;;)§;\n    } finally {\n        x.a = 1;\n    }\n}",
    MAIN + "    Promise.resolve().then(() => {\n        for (;;)§;\n    }).catch(() => 0);\n    return new Promise(() => {});\n}",
])
def test_time_limit_names_the_line_whoever_catches_it(renderer, source):
    script, (line, _) = cut_mark(source)
    error = renderer.ask(strip(script), timeout_ms=200)[0]["error"]
    assert (error["kind"], error["message"]) == ("limit", "the app takes more than 200ms"), error
    assert (error["file"], error["line"]) == ("app.ts", line), error


@pytest.mark.parametrize("expression, words", [
    ("x.nothing()", "x.nothing is not a function"), ("x.a.b()", "x.a.b is not a function"), ("x()", "x is not a function"),
    ("x['b'](1)", None), ("x.a?.b.c.d", None), ("x?.a.none(1)", "x?.a.none is not a function"),
    ("new x.a()", "x.a is not a constructor"), ("new x()", "x is not a constructor"), ("x.list().map(1)", "x.list is not a function"),
    ("[1].map(x.none)", "undefined is not a function"), ("[1].map(5)", "5 is not a function"), ("[1].map({})", "an object is not a function"),
    ("[1].find('abc')", "the text of 3 characters is not a function"), ("(x.a || 5)(1)", None),
    ("x.nothing(...[Math.max(1)])", "x.nothing is not a function"), ("x.tag`a`", "x.tag is not a function"),
    ("Math.max(1).foo()", "(intermediate value).foo is not a function"), ("this.foo()", None),
    ("new Promise(3)", "3 is not a function"), ("[3, 1].sort(7)", None), ("'a'.replace('a', 'b').big.bad()", None),
    ("new Map([[1, 2]]).get(1).go()", "(intermediate value).go is not a function"), ("new (class { #p: any = 1; m() { this.#p(); } })().m()", "this.#p is not a function"),
    ("globalThis['eval']('y()')", None),
])
def test_what_is_not_a_function_is_named(renderer, expression, words):
    error = renderer.ask(strip(MAIN + f"    return {expression};\n}}"))[0]["error"]
    assert words is None or error["message"] == f"TypeError: {words}", error
    assert error["message"] != "TypeError: not a function", error
    assert error["line"] == 3


def test_imports_of_several_files(renderer):
    """A file is one module, whatever the names by which scripts import it."""
    answer, _ = renderer.ask(compile_all({
        "main.ts": "import { x } from './lib/red';\nimport { y } from './lib/blue.ts';\nexport default () => { print(x, y); };",
        "lib/red.ts": "import { s } from '../state';\nexport const x = ++s.n;",
        "lib/blue.ts": "import { s } from '../state.ts';\nimport './../lib/red';\nexport const y = ++s.n;",
        "state.ts": "print('once');\nexport const s = { n: 0 };"}))
    assert answer["log"] == ["once", "1 2"]
    for wrong, column in (("import { s } from '../stat';", 19), ("import {\n    t } from '../state';", 5)):
        error = renderer.ask(compile_all({
            "main.ts": "import { x } from './lib/red';\nexport default () => { print(x); };",
            "lib/red.ts": f"type A = 1;\n{wrong}\nexport const x = typeof s + typeof t;".replace(
                "typeof s", "typeof s" if "{ s" in wrong else "'s'").replace("typeof t", "typeof t" if " t " in wrong else "'t'"),
            "state.ts": "export const u = 1;" if " t " in wrong else "export const s = 1;"}))[0]["error"]
        assert (error["file"], error["line"], error["column"]) == ("lib/red.ts", 2 + wrong.count("\n"), column), error


PARAMETERS = """import { Root, Row, Text, Box, render } from "panel";
const style: any = { color: "#fff", "height": 4 };
export default () => Root({ child: Row({ /* a: 1, */ children: [
    Text({ content: `a}${`b,${[1, 2].map((x) => ({ x }))}`}`, "font": "x", ...style, height: 5 }),
    render.Box({ padding: "😀é/}".replace(/[}/,]/g, "").length, get color() { return "#123"; }, ["width"]: 7 }),
    Box(style)] }), delay: 100 / 2 / 5, // }
    max_age: 6 })"""


def test_fields_of_calls(renderer):
    renderer.send(head(), strip(PARAMETERS))
    answer, tree = renderer.receive()
    assert "error" not in answer
    found, lines = [], PARAMETERS.split("\n")
    for _, line, column, *fields in json.loads(tree)["places"]:
        for i in range(0, len(fields), 3):
            units = lines[fields[i + 1] - 1].encode("utf-16-le")[2 * (fields[i + 2] - 1):].decode("utf-16-le")
            assert units.replace("get ", "").replace('"', "").startswith(fields[i])
        found.append((lines[line - 1][column - 1:column + 2], fields[::3]))
    assert found == [("Roo", ["child", "delay", "max_age"]), ("Row", ["children"]), ("Tex", ["content", "font", "height"]),
                     ("Box", ["padding", "color"]), ("Box", [])]


@pytest.mark.parametrize("call", [
    "Box({ width: 1, ...`" + "${`" * 40 + "`}" * 40 + "` })", "Box({ width: 1 /* } */ })", "Box({ width: 4 / 2 / 1, height: 1 })",
    "Box({ 'width': [1].concat(/[/]}/.test('') ? 1 : 2).length })", "(0, Box)({ width: 1 })", "Box?.({ width: 1 })",
    "Box /* a */ ( // b\n { width: 1 })", "Box((() => ({ width: 1 }))())", "eval('Box')({ width: 1 })", "eval('Box({ width: 1 })')",
    "Box.call(null, { width: 1 })", "[1].map((width) => Box({ width }))[0]", "((a) => (Box)({ [a]: 1 }))('width')",
])
def test_odd_calls_do_no_harm(renderer, call):
    answer, tree = renderer.ask(f'import {{ Box, Root }} from "panel"; globalThis.Box = Box; export default () => Root({{ child: {call} }});')
    assert "error" not in answer
    assert tree["fields"]["child"]["fields"]["width"] in (1, 2)


def test_many_calls_do_not_take_long(renderer):
    deep = "Box({ child: " * 12 + "Box({ width: 1 })" + " })" * 12
    script = 'import { Box, Root, Row } from "panel"; const fill = "' + "x" * 500000 + '";\n'
    script += f"export default () => [{', '.join(f'Root({{ child: {deep} }})' for _ in range(70))}];"
    answer, _ = renderer.ask(script, timeout_ms=60000)
    assert "error" not in answer
