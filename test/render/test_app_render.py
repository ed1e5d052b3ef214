"""displayctl app render: pictures of apps without a server."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from app_render import DISPLAYCTL, RED, RED_TYPED, frames, needs_starlark, needs_typescript, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPS = ROOT / "share/apps"
PICTURES = ROOT / "subprojects/render-starlark/testdata"
COMMUNITY = pathlib.Path(os.environ.get("DISPLAYD_APPS", ROOT.parent / "shared/apps"))
MOMENT = ("--now", "2026-07-01T12:34:56Z", "--timezone", "Europe/Zagreb", "--seed", "1")


@needs_starlark
@pytest.mark.parametrize("name", ["clock", "date", "marquee", "countdown", "weather"])
def test_own_apps(name, tmp_path):
    output = tmp_path / "out.webp"
    done = run(APPS / name, *MOMENT, "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    shown, known = list(frames(output)), list(frames(PICTURES / f"{name}.webp"))
    assert shown[:len(known)] == known
    # One asks for its whole animation, of which the picture has the first 15 s.
    assert len(shown) == len(known) + (68 if name == "marquee" else 0)
    assert os.listdir(tmp_path) == ["out.webp"]


@needs_starlark
@pytest.mark.skipif(not COMMUNITY.is_dir(), reason="no apps of the community beside the project")
def test_apps_of_the_community(tmp_path):
    output = tmp_path / "out.webp"
    differs = []
    for reference in sorted(COMMUNITY.glob("*/picture.webp")):
        done = run(reference.parent / "app", *MOMENT, "-o", output)
        assert done.returncode == 0, done.stderr
        if list(frames(output)) != list(frames(reference)):
            differs.append(reference.parent.name)
    assert differs == []


CROWDED = """load("render.star", "render")
def frame(i):
    return render.Stack(children = [
        render.Padding(pad = (i % 60, 3 * k, 0, 0), child = render.Box(width = 4, height = 2, color = "#" + str(100000 + 7 * i + k)))
        for k in range(5)])
def main():
    return render.Root(delay = 7, child = render.Animation([frame(i) for i in range(2048)]))
"""
CROWDED_TYPED = """import { Animation, Box, Padding, Root, Stack } from "panel";
const five = [0, 1, 2, 3, 4];
const frame = (i: number) => Stack({ children: five.map((k) => Padding({
    pad: [i % 60, 3 * k, 0, 0], child: Box({ width: 4, height: 2, color: "#" + String(100000 + 7 * i + k) }) })) });
const children = Array.from({ length: 2048 }, (_, i) => frame(i));
export default () => Root({ delay: 7, child: Animation({ children }) });
"""


@needs_starlark
@needs_typescript
def test_long_animations_of_many_widgets(app, tmp_path):
    """Each of 2,048 frames has ten widgets, and 2,000 are painted: the result is the same in both languages."""
    shown = []
    for name, script in ("long.star", CROWDED), ("long.ts", CROWDED_TYPED):
        done = run(app(script, name), "-o", tmp_path / "out.webp")
        assert (done.returncode, done.stderr) == (0, "")
        shown.append(list(frames(tmp_path / "out.webp")))
    assert len(shown[0]) == 2000 and shown[0] == shown[1]


@pytest.mark.parametrize("name", ["out.png", "out.GIF", "out.webp.jpeg"])
def test_a_file_of_another_format(app, tmp_path, name):
    done = run(app(RED), "-o", tmp_path / name)
    assert done.returncode == 2 and "the picture is a WebP" in done.stderr
    assert not (tmp_path / name).exists()


@needs_starlark
def test_settings_and_what_was_printed(app, tmp_path):
    done = run(app(RED), "who=Ada = Bob", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "for Ada = Bob\n")
    assert next(frames(tmp_path / "out.webp"))[0][:4] == b"\xff\0\0\xff"


@needs_starlark
@pytest.mark.parametrize("body", ["count(19000)", "loop(10000000)"])
def test_what_the_reference_renders(app, tmp_path, body):
    """Deep calls, and many steps."""
    script = ('load("render.star", "render")\n'
              "def count(n):\n    return 0 if n == 0 else 1 + count(n - 1)\n"
              "def loop(n):\n    for i in range(n):\n        n += i * 2\n    return n\n"
              'def main():\n    return render.Root(child = render.Text("%d" % ' + body + "))\n")
    done = run(app(script), "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "")


@needs_starlark
def test_a_form_that_no_server_could_show_fails_the_check(app):
    script = ('load("render.star", "render")\nload("schema.star", "schema")\n'
              "def main():\n    return render.Root(child = render.Box())\n"
              'def get_schema():\n    return schema.Schema(version = "1", fields = [\n'
              '        schema.Text(id = "a" * 300, name = "A", desc = "A", icon = "gear")])\n')
    done = run(app(script), "--check")
    assert done.returncode == 1 and "whose id does not have 1 to" in done.stderr


ZONED = """load("render.star", "render")
def main(config):
    print("in", config.get("$tz"))
    return render.Root(child = render.Box(color = "#f00"))
"""
ZONED_TYPED = RED_TYPED.replace("config.who", "config.$tz")


@pytest.mark.parametrize("script, name", [
    (ZONED, "a.star"),
    pytest.param(ZONED_TYPED, "a.ts", marks=needs_typescript),
])
@needs_starlark
def test_zone_among_the_settings(app, tmp_path, script, name):
    """Community apps read the zone there."""
    def printed(*arguments):
        done = run(app(script, name), *arguments, "-o", tmp_path / "out.webp")
        assert done.returncode == 0, done.stderr
        return done.stderr.split()[-1]

    assert printed() == "UTC"
    assert printed("--timezone", "Asia/Tokyo") == "Asia/Tokyo"
    assert printed("$tz=Europe/Zagreb") == "Europe/Zagreb"  # as their authors test them


SECRET = """load("render.star", "render")
load("schema.star", "schema")
def main(config):
    print(config.get("who"), config.get("token"))
    return render.Root(child = render.Box(color = "#f00"))
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "who", name = "Who", desc = "", icon = "user"),
        schema.Text(id = "token", name = "Token", desc = "", icon = "key", secret = True),
    ])
"""
SECRET_TYPED = """import { Box, form, Root, type Input } from "panel";
export default function main({ config }: Input) {
    console.log(config.who, config.token);
    return Root({ child: Box({ color: "#f00" }) });
}
export const schema = [
    form.Text({ id: "who", name: "Who", desc: "", icon: "user" }),
    form.Text({ id: "token", name: "Token", desc: "", icon: "key", secret: true }),
];
"""
languages = pytest.mark.parametrize("script, name", [
    pytest.param(SECRET, "mine.star", marks=needs_starlark, id="starlark"),
    pytest.param(SECRET_TYPED, "mine.ts", marks=needs_typescript, id="typescript")])


@languages
def test_settings_of_a_file(app, tmp_path, script, name):
    path, settings = app(script, name), tmp_path / "settings.json"
    settings.write_text('{"who": "Ada", "token": "hunter2", "other": null}')
    done = run(path, "--settings", settings, "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "Ada hunter2\n")
    done = run(path, "who=Bob", "--settings", settings, "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "Bob hunter2\n")  # no warning
    done = run(path, "--settings", "-", "-o", tmp_path / "out.webp", input='{"token": "of a pipe"}')
    assert done.returncode == 0 and "of a pipe\n" in done.stderr


@languages
@pytest.mark.parametrize("options", [(), ("--check",)])
def test_a_secret_among_the_arguments_is_warned_of(app, tmp_path, script, name, options):
    done = run(app(script, name), "who=Ada", "token=hunter2", *options, "-o", tmp_path / "out.webp")
    assert done.returncode == 0  # it works nevertheless
    assert sorted(done.stderr.splitlines()) == [
        "Ada hunter2", "displayctl: the setting token is secret, and others can read arguments; "
        "use --settings FILE"]


@needs_starlark
@pytest.mark.parametrize("given, reason", [
    (None, "No such file"),
    ("", "must hold a JSON object"),
    ("[]", "must hold a JSON object"),
    ('{"who": 7}', "the setting who must be a string"),
    (f'{{"who": "{"x" * 300_000}"}}', "must hold a JSON object"),
], ids=["none", "empty", "array", "number", "large"])
def test_a_file_that_holds_no_settings(app, tmp_path, given, reason):
    settings = tmp_path / "settings.json"
    if given is not None:
        settings.write_text(given)
    done = run(app(SECRET), "--settings", settings, "-o", tmp_path / "out.webp")
    assert done.returncode == 2 and reason in done.stderr
    assert not (tmp_path / "out.webp").exists()


@needs_starlark
def test_a_picture_that_cannot_be_written_leaves_nothing_behind(app, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    done = run(app(RED), "-o", folder)
    assert done.returncode == 1 and "Is a directory" in done.stderr
    assert not (tmp_path / "out.part").exists()


@needs_starlark
def test_an_app_that_has_nothing_to_show(app, tmp_path):
    done = run(app("def main():\n    return []\n"), "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "displayctl: the app has nothing to show\n")
    assert not (tmp_path / "out.webp").exists()


@needs_starlark
def test_errors_say_where(app, tmp_path):
    path = app("def main():\n    return [][1]\n")
    done = run(path, "-o", tmp_path / "out.webp")
    assert done.returncode == 1
    assert done.stderr == f"{path}:2:14: index 1 out of range: empty list\n"

    folder = tmp_path / "folder"
    (folder / "lib").mkdir(parents=True)
    (folder / "main.star").write_text('load("lib/a.star", "a")\ndef main():\n    a()\n')
    (folder / "lib/a.star").write_text("def a():\n    fail('no\x1b[2J')\n")
    done = run(folder, "--check")
    assert done.returncode == 1
    assert done.stderr == f"{folder}/lib/a.star:2:9: fail: no\\u001b[2J\n"


FORM = 'load("schema.star", "schema")\ndef main(config):\n    return []\n'


@needs_starlark
@pytest.mark.parametrize("script, place, message", [
    ('load("render.star", "render")\n\ndef main():\n'
     '    return render.Root(child = render.Text(contents = ""))\n', ":4:43",
     'unexpected keyword argument "contents"'),
    ("\ndef main():\n    return 7\n", ":2:5", "main() must return a Root or a list of Roots, not a value of the type int"),
    (FORM + "def get_schema():\n    return 7\n", ":4:5", "get_schema(): it must return a Schema, or a list of fields or options, not a value of the type int"),
    (FORM + 'def get_schema():\n    return schema.Schema(version = "1", fields = [7])\n', ":5:25",
     "expected fields to be a list of Field"),
])
def test_errors_of_widgets_and_forms_say_where(app, script, place, message):
    path = app(script)
    done = run(path, "--check")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}{place}: ")
    assert message in done.stderr


@needs_starlark
def test_check(tmp_path):
    done = run(APPS / "clock", "--check")
    assert done.returncode == 0
    assert '"id": "twelve_hours"' in done.stdout
    assert "2 frames in 1.0 s" in done.stdout
    assert "MiB" in done.stdout
    assert "no_new_privs" in done.stdout
    assert os.listdir(tmp_path) == []


@needs_typescript
@pytest.mark.parametrize("settings", [(), ("twelve_hours=true", "colour=#0f0")])
@pytest.mark.parametrize("moment", [
    ("2026-07-01T12:34:56Z", "Europe/Zagreb"),
    ("2026-01-01T00:04:56Z", "UTC"),
    ("2026-03-29T00:59:59Z", "Europe/Zagreb"),  # winter's last second
    ("2026-03-29T01:00:00Z", "Europe/Zagreb"),
    ("2060-10-31T00:59:59Z", "Europe/Zagreb"),  # after the last entry of the zone's file
    ("2060-10-31T01:00:00Z", "Europe/Zagreb"),
    ("2026-07-01T17:29:56Z", "Asia/Kathmandu"),
    ("1969-12-31T23:59:59.5Z", "Australia/Lord_Howe"),
    ("2026-02-28T12:00:00Z", "Africa/Casablanca"),
])
def test_clocks_of_both_languages_are_equal(settings, moment, tmp_path):
    now, zone = moment
    shown = []
    for name in ("clock", "clock-ts"):
        output = tmp_path / f"{name}.webp"
        done = run(APPS / name, *settings, "--now", now, "--timezone", zone, "-o", output)
        assert (done.returncode, done.stderr) == (0, "")
        shown.append(list(frames(output)))
    assert shown[0] == shown[1]


@needs_typescript
def test_settings_and_what_was_printed_in_typescript(app, tmp_path):
    done = run(app(RED_TYPED, "mine.ts"), "who=Ada = Bob", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "for Ada = Bob\n")
    assert next(frames(tmp_path / "out.webp"))[0][:4] == b"\xff\0\0\xff"


@needs_typescript
def test_raw_frames(app, tmp_path):
    script = """export default () => {
    const frames = [0, 1].map((n: number) => new Uint8Array(64 * 32 * 3).fill(n * 255));
    return { frames, delay: 200 };
};
"""
    done = run(app(script, "mine.ts"), "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "")
    black, white = frames(tmp_path / "out.webp")
    assert (black[0][:4], black[1]) == (b"\0\0\0\xff", 200)
    assert (white[0][:4], white[1]) == (b"\xff\xff\xff\xff", 200)


@needs_typescript
@pytest.mark.parametrize("script, place, message", [
    ("let a: = 5;\n", ":1:8", "Unexpected"),
    ("type A = {\n", ":2:1", "end of file"),
    ("export const schema = [];\n", ":1:1", 'has no "export default function main"'),
    ("interface A { b: C }\n\nexport default function main() {\n    nobody;\n}\n", ":4:5",
     "ReferenceError: nobody is not defined"),
    ("\nimport { Box, Root, Text } from 'panel';\n"
     "export default () => Root({ child: Text({ contents: '' }) });\n", ":3:43",
     'Root.child Text: unexpected keyword argument "contents"'),
    ("import { Text, Root } from 'panel';\ntype A = string;\nfunction draw(text: A) {\n"
     "    return Text({ content: text, colour: 'red' });\n}\n"
     "export default () => Root({ child: draw('') });\n", ":4:34",
     'Root.child Text: unexpected keyword argument "colour"'),
    ("import { Root } from 'panel';\nexport default () => Root({ child: { a: 1 } });\n", ":2:29",
     "Root.child: this object is no widget"),
    ("import { Root } from 'panel';\nexport default () => Root({});\n", ":2:22",
     "Root: missing argument for child"),
    ("import { Box } from 'panel';\nexport default () => {\n    return Box({});\n};\n", ":3:12",
     "not a value of the type Box"),
    ("import { Box } from 'panel';\nexport default () => [Box({})];\n", ":2:16",
     "value 1 of its list is of the type Box"),
    ("type A = number;\nexport default () => 7 as A;\n", ":2:16",
     "not a value of the type int"),
    ("type A = number;\nexport default async function main() {\n    return { frames: [7] };\n}\n",
     ":2:1", "frames[0] must be a Uint8Array"),
    ("export default () => new Promise(() => {});\n", ":1:16", "a promise that nothing will settle"),
])
def test_errors_say_where_in_typescript(app, tmp_path, script, place, message):
    path = app(script, "mine.ts")
    done = run(path, "-o", tmp_path / "out.webp")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}{place}: ")
    assert message in done.stderr
    assert not (tmp_path / "out.webp").exists()


@needs_typescript
def test_check_in_typescript(tmp_path):
    checks = [run(APPS / name, "--check") for name in ("clock", "clock-ts")]
    schemas = [done.stdout[done.stdout.index("{") : done.stdout.rindex("}")] for done in checks]
    assert schemas[0] == schemas[1]
    assert re.search(r"quickjs-ng 0\.16\.\d+ in a sandbox of: ", checks[1].stdout)
    assert "2 frames in 1.0 s" in checks[1].stdout
    assert "MiB" in checks[1].stdout


@needs_typescript
def test_a_schema_that_is_none(app):
    script = "export const schema = 7;\nexport default () => null;\n"
    path = app(script, "mine.ts")
    done = run(path, "--check")
    assert done.returncode == 1
    assert done.stderr == f"{path}:1:8: schema must be a Schema or a list of fields, not int\n"


@needs_typescript
@pytest.mark.parametrize("schema, place, message", [
    ("form.Text({ id: 'a', name: 'A' })", ":5:10", "Text: missing argument for desc"),
    ("form.Toggle({ id: 'a', name: 'A', desc: 'B', icon: 'c', fault: 'd' })", ":5:61",
     'Toggle: unexpected keyword argument "fault"'),
    ("form.Text({ id: 'a', name: 'A', desc: 'B',\n        icon: 7 })", ":6:9", 'for parameter "icon": got int'),
    ("{ id: 'a' }", ":4:8", "[0]: this object is no widget"),
])
def test_errors_of_forms_say_where_in_typescript(app, schema, place, message):
    path = app("import { form } from 'panel';\ninterface A { b: number }\nexport default () => null;\n"
               f"export const schema = [\n    {schema},\n];\n", "mine.ts")
    done = run(path, "--check")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}{place}: ")
    assert message in done.stderr


@needs_typescript
def test_errors_name_the_file_of_the_widget(tmp_path):
    folder = tmp_path / "app"
    (folder / "lib").mkdir(parents=True)
    (folder / "main.ts").write_text("import { Root } from 'panel';\nimport { red } from './lib/red';\n"
                                    "export default () => Root({ child: red() });\n")
    (folder / "lib/red.ts").write_text("import { Box } from 'panel';\n\nexport function red() {\n"
                                       "    return Box({ colour: '#f00' });\n}\n")
    done = run(folder, "--check")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{folder}/lib/red.ts:4:18: Root.child Box: unexpected")


@needs_typescript
def test_unknown_zone_in_typescript(app):
    done = run(app(RED_TYPED, "mine.ts"), "--check", "--timezone", "Mars/Olympus")
    assert done.returncode == 1
    assert "unknown time zone" in done.stderr


@needs_typescript
def test_folders_of_typescript(app, tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "main.ts").write_text(RED_TYPED)
    (folder / "panel.d.ts").write_text("no script")
    assert run(folder, "who=Ada", "-o", tmp_path / "out.webp").stderr == "for Ada\n"
    (folder / "main.ts").write_text("import { red } from './lib/red'; import dot from './dot.png';\n"
                                    "print(dot.length);\nexport default red;\n")
    (folder / "lib").mkdir()
    (folder / "lib/red.ts").write_text(RED_TYPED.replace("default function main", "function red"))
    (folder / "dot.png").write_bytes(b"\x89\xff\0")
    (folder / "README.md").write_text("-- no file --\n")
    done = run(folder, "who=Ada", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "3\nfor Ada\n")
    (folder / "lib/red.ts").write_text("\nlet a: = 1;\n")
    done = run(folder, "-o", tmp_path / "out.webp")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{folder}/lib/red.ts:2:8: ")
    (folder / "lib/red.ts").write_text("export function red(): void {\n    throw new Error('mine');\n}\n")
    done = run(folder, "-o", tmp_path / "out.webp")
    assert done.stderr == f"3\n{folder}/lib/red.ts:2:11: Error: mine\n"
    (folder / "main.ts").rename(folder / "mine.ts")
    (folder / "other.ts").write_text("")
    done = run(folder, "-o", tmp_path / "out.webp")
    assert "if there are several scripts, one must be app.ts or main.ts" in done.stderr


@pytest.mark.parametrize("language, ending", [
    pytest.param("starlark", "star", marks=needs_starlark),
    pytest.param("typescript", "ts", marks=needs_typescript)])
def test_scripts_of_the_guide(language, ending, app):
    guide = (ROOT / "docs/apps.md").read_text()
    [script] = re.findall(rf"^```{language}\n(.*?)^```", guide, re.M | re.S)
    done = run(app(script, f"hello.{ending}"), "--check", "who=Ada")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"id": "who"' in done.stdout and "a still picture" in done.stdout


def test_types():
    done = subprocess.run([DISPLAYCTL, "app", "types"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout == (ROOT / "share/panel.d.ts").read_text()


def test_types_name_all_that_scripts_can_import():
    source = (ROOT / "subprojects/render-typescript/src/panel.c").read_text()
    types = (ROOT / "share/panel.d.ts").read_text()
    declared = {}
    for name, body in re.findall(r"export const (\w+): \{\n(.*?)\n    \};", types, re.S):
        declared[name] = set(re.findall(r"^        (\w+)[(:]", body, re.M))
    exported = set(re.findall(r"export function (\w+)\(", types))
    listed = set(re.findall(r'"((?:\w+\.)?[A-Z]\w+)"', source)) - {"Widget"}
    assert exported == {name for name in listed if "." not in name} == declared.pop("render")
    assert {f"{group}.{name}" for group, names in declared.items() for name in names} == {
        name for name in listed if "." in name
    }


@pytest.mark.parametrize(
    "arguments, code",
    [
        ((APPS / "clock", "setting"), 2),
        ((APPS / "clock", "=value"), 2),
        ((APPS / "clock",), 2),  # no terminal, and no -o
        ((APPS / "clock", "--now", "noon"), 2),
        ((APPS / "clock", "--seed", "-1"), 2),
        (("/nowhere", "--check"), 3),
        ((), 2),
    ],
)
def test_wrong_usage(arguments, code):
    done = run(*arguments)
    assert done.returncode == code
    assert done.stderr


def test_without_a_renderer_it_says_why(tmp_path):
    alone = tmp_path / "bin/displayctl"
    alone.parent.mkdir()
    shutil.copy(DISPLAYCTL, alone)
    done = run(APPS / "clock", "--check", program=alone)
    assert done.returncode == 1
    assert "was built without the Starlark renderer" in done.stderr
    done = run(APPS / "clock-ts", "--check", program=alone)
    assert done.returncode == 1
    assert "was built without the TypeScript renderer" in done.stderr
