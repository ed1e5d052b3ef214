"""Hostile scripts of apps in both languages: for the tests, and for bench/, which runs them beside other
requests. Each with texts of which its error contains one; see test/render/test_hostile_scripts.py.
"""

import base64
import struct
import zlib

PIXLET = 'load("render.star", "render")\n'
PANEL = 'import { Animation, Box, Image, Root, Row, Stack, Text } from "panel";\n'

# Any of these errors is accepted: the machine decides which limit is reached first.
LIMIT = ("takes more than", "too busy", "memory", "ended", "killed", "crashed")
STEPS = ("takes more than", "too busy")
LATE = ("takes more than", "too busy")
ANY = ("",)
NOTHING = (None,)  # harmless, and not an error


def png(width, height):
    """A picture that claims this size, and has no data."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b""))


HUGE = base64.b64encode(png(60_000, 60_000)).decode()
SVG = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
       'viewBox="0 0 64 32">%s</svg>')
ENTITIES = ('<!DOCTYPE svg [<!ENTITY a "' + "x" * 1000 + '">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)) + "]>" + SVG % "&j;")
USES = SVG % ("<defs><g id='g0'><rect width='64' height='32' fill='#fff'/></g>" + "".join(
    f"<g id='g{i + 1}'>" + f"<use xlink:href='#g{i}'/>" * 10 + "</g>" for i in range(12))
    + "</defs><use xlink:href='#g12'/>")


def main_of(body):
    return PIXLET + "def main(config):\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def shown(widget):
    return main_of(f"return render.Root(child = {widget})")


def image_of(text):
    return shown(f"render.Image(src = '''{text}''')")


def default(body):
    return PANEL + f"export default function main() {{ {body} }}\n"


def load(module, name="x"):
    return f'load("{module}", "{name}")\ndef main():\n    return []\n'


STARLARK = {
    # time
    "loop at top level": ("while True:\n    pass\ndef main():\n    pass\n", STEPS),
    "loop in main": (main_of("while True:\n    pass"), STEPS),
    "loop in the schema": ("def main():\n    return []\ndef get_schema():\n    while True:\n        pass\n",
                           STEPS),
    "loop while a file loads": ("-- a.star --\nload('b.star', 'b')\ndef main():\n    return []\n"
                                "-- b.star --\nb = 1\nwhile True:\n    pass\n", STEPS),
    "files that load each other": ("-- a.star --\nload('b.star', 'b')\na = 1\ndef main():\n    return b\n"
                                   "-- b.star --\nload('a.star', 'a')\nb = 1\n", ("in a circle",)),
    "regular expression": ('load("re.star", "re")\ndef main():\n'
                           '    for i in range(1 << 30):\n        re.findall("(a*)*b", "a" * 100000)\n',
                           LIMIT),
    "integers that square": (main_of("x = 3\nfor i in range(60):\n    x *= x"), LIMIT),
    "recursion": ("def f():\n    f()\ndef main():\n    f()\n", ("calls itself",)),
    # memory
    "a string of 512 MiB": (main_of("return 'a' * (1 << 29)"), LIMIT),
    "a list that grows": (main_of("l = []\nwhile True:\n    l.append('x' * 1000 + str(len(l)))"), LIMIT),
    "closures": ("def make():\n    big = [0] * 1000\n    return lambda: big\n"
                 "def main():\n    l = []\n    while True:\n        l.append(make())\n", LIMIT),
    # pictures
    "a deep tree": (main_of("w = render.Box()\nfor i in range(1000000):\n"
                            "    w = render.Padding(pad = 0, child = w)\nreturn render.Root(child = w)"),
                    LIMIT),
    "a wide tree": (main_of("w = render.Box()\nfor i in range(40):\n"
                            "    w = render.Stack(children = [w, w])\nreturn render.Root(child = w)"),
                    LIMIT),
    "a picture of 60,000 x 60,000": (
        'load("encoding/base64.star", "base64")\n'
        + shown(f'render.Image(src = base64.decode("{HUGE}"))'), LIMIT),
    "a box of 60,000 x 60,000": (shown("render.Box(width = 60000, height = 60000, color = '#fff')"),
                                 NOTHING),
    "10,000 frames": (shown("render.Animation([render.Box(color = '#' + ('00000' + str(i))[-6:]) "
                            "for i in range(10000)])"), NOTHING),
    "roots of 2,000 frames each": (main_of(
        "return [render.Root(delay = 1, child = render.Animation([\n"
        "    render.Box(color = '#' + str(100000 + i + 2000 * j)) for i in range(10000)])) for j in range(20)]"),
        NOTHING + LATE),
    "SVG with entities": (image_of(ENTITIES), ("the image cannot be read",)),
    "SVG that uses itself ten times, twelve times": (image_of(USES), LIMIT),
    # no pictures
    "no tree": (main_of("return {1: main}"), ("main() must return a Root",)),
    "a list that holds itself": (main_of("l = []\nl.append(l)\nreturn l"), ("of the type list",)),
    "a tree that holds itself": (main_of("l = [render.Box()]\nr = render.Row(children = l)\nl.append(r)\n"
                                         "return render.Root(child = r)"), NOTHING),
    "a million lines": (main_of("for i in range(1000000):\n    print(i)\nreturn []"), NOTHING),
    "lines that steer the terminal": (main_of("print('\\033[2J\\033]0;x\\007\\r')\nreturn []"), NOTHING),
    # the machine
    "a file": (load("/etc/passwd"), ("nor a module",)),
    "a file above": (load("../../../../etc/passwd"), ("nor a module",)),
    "a file of an archive, above": ("-- ../../x.star --\n-- a.star --\ndef main():\n    return []\n",
                                    ("not a valid file name",)),
    "a file opened": (main_of("open('/etc/passwd')"), ("undefined: open",)),
    "the environment": (load("os.star", "os"), ("nor a module",)),
    "a process": (main_of("exec('id')"), ("undefined: exec",)),
    "the network": ('load("http.star", "http")\n' + main_of('http.get("http://127.0.0.1")'),
                    ("no network", "not public")),
}

TYPESCRIPT = {
    # time
    "loop at top level": ("for (;;);\n", LATE),
    "loop in main": (default("for (;;);"), LATE),
    "loop in a getter": (default("return Root({ get child() { for (;;); } } as any);"), LATE),
    "loop in the schema": ("export const schema = (() => { for (;;); })();\nexport default () => null;\n",
                           LATE),
    "promises": ("async function f(): Promise<void> { await null; return f(); }\nawait f();\n", LIMIT),
    "a thenable": ("export default async () => ({ then() { for (;;); } });\n", LATE),
    "regular expression": ("/^(a+)+$/.test('a'.repeat(40) + 'b');\n", LATE),
    "a built-in function": ("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);\n", LATE),
    "recursion": ("function f(): void { f(); }\nf();\n", ("calls itself too deep",)),
    "a proxy that calls itself": ("const p: any = new Proxy({}, { get: (t, k) => p[k] });\np.x;\n",
                                  ("calls itself too deep",)),
    # memory
    "bytes of 1 GB": ("new Uint8Array(1e9);\n", ("more than 24 MiB of memory",)),
    "a list that grows": ("const kept: unknown[] = [];\nfor (;;) kept.push('x'.repeat(1000) + kept.length);\n",
                          LIMIT),
    "a string that doubles": ("let s = 'x';\nfor (;;) s += s;\n", LIMIT + ("string",)),
    "a big integer": ("let x = 3n;\nfor (;;) x *= x;\n", LIMIT + ("BigInt",)),
    "closures": ("const kept: unknown[] = [];\n"
                 "for (;;) { const big = new Array(100); kept.push(() => big); }\n", LIMIT),
    # pictures
    "a deep tree": (default("let b = Box(); for (let i = 0; i < 1e5; i++) b = Box({ child: b });"
                            "return Root({ child: b });"), ("100 levels deep",)),
    "a wide tree": (default("let s = Stack({ children: [] });"
                            "for (let i = 0; i < 40; i++) s = Stack({ children: [s, s] });"
                            "return Root({ child: s });"), ("more than 4 MiB",)),
    "a picture of 60,000 x 60,000": (
        default("return Root({ child: Image({ src: new Uint8Array(%s) }) });"
                % list(png(60_000, 60_000))), LIMIT),
    "a box of 60,000 x 60,000": (
        default("return Root({ child: Box({ width: 60000, height: 60000, color: '#fff' }) });"), NOTHING),
    "10,000 frames": (default("const b = Box({ color: '#f00' }); return Root({ child: "
                              "Animation({ children: new Array(9000).fill(b) }) });"), NOTHING),
    "10,000 other frames": (default("const children = Array.from({ length: 10000 }, (_, i) => "
                                    "Box({ color: '#' + String(100000 + i) }));"
                                    "return Root({ child: Animation({ children }), delay: 1 });"), NOTHING),
    "10,000 raw frames": (default("return { frames: new Array(10000).fill(new Uint8Array(6144)) };"), NOTHING),
    "10,000 other raw frames": (
        default("return { frames: Array.from({ length: 10000 }, () => new Uint8Array(6144)) };"),
        ("more than 24 MiB of memory",)),
    "SVG that uses itself ten times, twelve times": (
        default(f"return Root({{ child: Image({{ src: `{USES}` }}) }});"), LIMIT),
    # no pictures
    "no tree": (default("return 7;"), ("main() must return a Root",)),
    "a tree that holds itself": (default("const children: any[] = []; children.push(Row({ children }));"
                                         "return Root({ child: children[0] });"), ("or holds itself",)),
    "a million lines": (default("for (let i = 0; i < 1e6; i++) console.log(i); return null;"),
                        NOTHING + LATE),
    "lines that steer the terminal": (default("console.log('\\x1b[2J\\x1b]0;x\\x07\\r'); return null;"),
                                      NOTHING),
    # the machine
    "a module": ("import 'std';\n", ('no module "std"',)),
    "a file": ("import text from '/etc/passwd' with { type: 'text' };\n", ("no module", "with")),
    "a file by URL": ("await import('file:///etc/passwd');\n", ("no module",)),
    "a file of a map": ("export default () => null;\n//# sourceMappingURL=file:///etc/passwd\n", NOTHING),
    "a file for the compiler": ('/// <reference path="/etc/passwd" />\nexport default () => null;\n',
                                NOTHING),
    "the environment": ("process.env.HOME;\n", ("process is not defined",)),
    "a process": ("import 'node:child_process';\n", ('no module "node:child_process"',)),
    "code of a string": ("new Function('return this')().process.env;\n", ("undefined",)),
    "what else there is": (
        default("const odd = /std|^os$|bjs|require|process|Deno|Worker|module/i;"
                "const found = Object.getOwnPropertyNames(globalThis).filter((name) => odd.test(name));"
                "if (found.length) throw Error(String(found)); return null;"), NOTHING),
    "the network": ("await fetch('http://127.0.0.1/');\n", ("no network", "not public")),
    # the compiler
    "1 MiB": ("// " + "x" * (1 << 20), ("at most 1 MiB",)),
    "parentheses": ("(" * 500_000, ANY),
    "brackets": ("[" * 500_000, ANY),
    "types": ("type A = " + "{ a: " * 100_000, ANY),
    "templates": ("`${" * 100_000, ANY),
    "sums": ("let a = " + "1+" * 400_000 + "1;", ANY),
    "zeros": ("\0" * 100_000, ANY),
    "nothing": ("", ANY),
}
