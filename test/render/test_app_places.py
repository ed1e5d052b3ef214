"""displayctl app render: source locations, in TypeScript, of invalid fields and of syntax that esbuild rejects."""

import subprocess

import pytest
from app_render import needs_typescript, run

# A widget in a picture, with § before the invalid field.
FIELDS = {
    "Column({ §main_align: 5, children: [\n        Row({ children: [Text({ content: 'a' })] }),\n        Box({ height: 1 })] })":
        'for parameter "main_align": got int, want string',
    "Column({ children: [\n        Row({ children: [\n            Text({ content: 'a' }),\n            Text({ §content: 5 as any })] })] })":
        'for parameter "content": got int, want string',
    "Box({\n        child: Text({ content: 'a' }),\n        §colour: '#fff' } as any)": 'unexpected keyword argument "colour"',
    "§Text({\n        color: '#fff' } as any)": "missing argument for content",
    "Box({\n        width: 4,\n        §color: 'mauve',\n        child: Text({ content: 'a' }) })": "color",
    "Text({ content: `a${1 + 1}\n${Math.max(3)}`,\n        §font: `tom-${'thumb'}s` })": "font",
    "Text({\n        §content: Symbol() as any, color: '#fff' })": "must be text, a number, a list or a widget",
    "Row({\n        §children: [Text({ content: 'a' }), 'b' as any] })": "Widget",
    "Row({ children: [Box({ width: 1 }),\n        Box({ width: 2, §height: Infinity })] })": "a number must be finite",
    "Padding({\n        child: Text({ content: 'a' }),\n        §pad: [1, 2] as any })": "pad",
    "Line({ x1: 0, y1: 0, x2: 5,\n        §y2: 'five' as any, color: '#fff', width: 1 })": "Line.y2: expected number",
    "Image({ width: 3,\n        §src: 'no picture' })": "the image cannot be read",
    "PieChart({ diameter: 10, weights: [1, 2],\n        §colors: ['#fff', 'pink-ish'] })": "color",
    "Polygon({ fill_color: '#fff',\n        §vertices: [[1], [2, 3], [4, 5]] as any })": "vert",
    "animation.Transformation({ child: Box({ width: 1 }), duration: 5,\n"
    "        keyframes: [animation.Keyframe({ percentage: 0, transforms: [],\n            §curve: 'round' })] })": "curve",
    "filter.Blur({ child: Text({ content: 'ä😀' }),\n        §radius: '3' as any })": "filter.Blur.radius: expected number",
    "render.Box({ ...{ width: 3 }, padding: 1,\n        §height: 'a' as any })": "height",
    "[1, 2].map((n) => Box({ width: n,\n        §height: String(n) as any }))[0]": "height",
}


@needs_typescript
@pytest.mark.parametrize("widget", FIELDS)
def test_errors_are_at_the_field_that_is_wrong(app, tmp_path, widget):
    source = ("import { animation, Box, Column, filter, Image, Line, Padding, PieChart, Polygon, render, Root, Row, Text }"
              f" from 'panel';\ninterface A {{ b: string }}\nexport default () => Root({{ delay: 50, child: {widget},\n"
              "    max_age: 60 });\n")
    before, after = source.split("§")
    place = f"{before.count(chr(10)) + 1}:{len(before.rpartition(chr(10))[2].encode('utf-16-le')) // 2 + 1}"
    path = app(before + after, "mine.ts")
    done = run(path, "-o", tmp_path / "out.webp")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}:{place}: "), done.stderr
    assert FIELDS[widget] in done.stderr


# Syntax that Debian 12's esbuild rejects (docs/apps.md), and the app's output with a later one.
NEW_SYNTAX = {
    "class A { accessor x = 1; }\nconsole.log(new A().x);": "1",
    "{ using a = { [Symbol.dispose]() {} }; }\nconsole.log(2);": "2",
    "const f = async () => { await using a = null; };\nconsole.log(3);": "3",
    "const f = <const T,>(x: T): T => x;\nconsole.log(f(4));": "4",
    "function f<const T>(x: T): T { return x; }\nconsole.log(f(5));": "5",
    "@(function (t: any) { return t; }) class B {}\nconsole.log(6);": "6",
    "const d = (t: any) => t; @d class B { static n = 1; static { B.n = 7; } }\nconsole.log(7);": "7",
}


def is_of_debian_12():
    return subprocess.run(["esbuild", "--version"], capture_output=True, text=True, check=True).stdout.startswith("0.17.")


@needs_typescript
@pytest.mark.parametrize("script", NEW_SYNTAX)
def test_what_esbuild_does_not_take(app, tmp_path, script):
    path = app("import { Box, Root } from 'panel';\n" + script +
               "\nexport default () => Root({ child: Box({}) });\n", "mine.ts")
    done = run(path, "-o", tmp_path / "out.webp")
    if is_of_debian_12():
        there = ": esbuild crashed on this script" if script.startswith("@(function") else ":2:"
        assert done.returncode == 1 and done.stderr.startswith(f"{path}{there}"), done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, NEW_SYNTAX[script] + "\n")


@needs_typescript
def test_decorators_are_those_of_typescript(app, tmp_path):
    """Debian 12's esbuild gives them no context; this static block works with any."""
    path = app("import { Box, Root } from 'panel';\n"
               "const d = (t: any, c?: any) => { console.log(typeof c); return t; };\n"
               "@d class B { static n = 1; static { this.n = 2; } }\nconsole.log(B.n);\n"
               "export default () => Root({ child: Box({}) });\n", "mine.ts")
    done = run(path, "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, f"{'undefined' if is_of_debian_12() else 'object'}\n2\n")
