"""Apps of several files: scripts without their types, pictures and other files, as txtar."""

import base64
import contextlib

import pytest

from renderer import Renderer, strip


@pytest.fixture(scope="module")
def renderer():
    with contextlib.closing(Renderer()) as running:
        yield running


def pack(**files):
    parts = []
    for name, data in files.items():
        name = name.replace("__", "/").replace("_", ".")
        if isinstance(data, bytes):
            parts.append(f"-- {name};base64 --\n{base64.encodebytes(data).decode()}")
        else:
            parts.append(f"-- {name} --\n{data}\n")
    return "".join(parts)


def test_files_import_each_other(renderer):
    answer, _ = renderer.ask(pack(
        app_ts="""import { twice } from "./lib/twice.ts"; import { more } from "./lib/more";
            import picture from "./a.png"; import data from "./lib/data.json";
            export default () => { print(twice(4), more, picture instanceof Uint8Array, Array.from(picture), data.a); };""",
        lib__twice_ts="export const twice = (n) => 2 * n;",
        lib__more_ts="""import { twice } from "./twice.ts"; import picture from "../a.png";
            export const more = twice(picture.length);""",
        lib__data_json='{"a": [1, 2]}', a_png=bytes([0, 255, 13, 10])))
    assert "error" not in answer, answer
    assert answer["log"] == ["8 8 true [0,255,13,10] [1,2]"]


def test_errors_have_their_file(renderer):
    source = "export function fail(): number {\n    const typed: number = 1;\n    throw new Error('mine');\n}"
    answer, _ = renderer.ask(pack(
        app_ts=strip("import { fail } from './lib/b.ts';\nexport default function main(): void {\n    fail();\n}"),
        lib__b_ts=strip(source)))
    error = answer["error"]
    assert (error["file"], error["line"]) == ("lib/b.ts", 3)
    assert "lib/b.ts:3" in error["backtrace"] and "app.ts:3" in error["backtrace"]


@pytest.mark.parametrize("files, words", [
    ({"app_ts": "import './none.ts';"}, "there is no"),
    ({"app_ts": "import '../../etc/passwd';", "b_ts": ""}, 'there is no file "../../etc/passwd"'),
    ({"app_ts": "import '/etc/passwd';", "b_ts": ""}, 'there is no file "/etc/passwd"'),
    ({"app_ts": "import 'std';", "b_ts": ""}, 'there is no file "std"'),
    ({"app_ts": "import a from './a.json';", "a_json": "{"}, "SyntaxError"),
    ({"app_ts": "import { x } from './b.ts';", "b_ts": ""}, "SyntaxError"),
    ({"app_ts": "import { x } from './b.ts'; export const y = x; export default () => null;",
      "b_ts": "import { y } from './app.ts'; export const x = y;"}, "ReferenceError"),
    ({"app_ts": "import './b.ts';", "b_ts": "for (;;);"}, "takes more than 500ms"),
    ({"app_ts": "await import('./b.ts'); export default () => null;", "b_ts": "throw new Error('late')"}, "late"),
])
def test_faults(renderer, files, words):
    answer, _ = renderer.ask(pack(**files), timeout_ms=500)
    assert words in answer["error"]["message"], answer


@pytest.mark.parametrize("archive", [
    "-- a --", "-- a --\n", "-- a --\n-- b --", "-- a;base64 --\n????", "-- ;base64 --\nAAAA", "-- a --\r\nx",
    "--  --\nexport default () => null;", "-- app.ts --\nexport default () => null;" + "\n-- b --" * 499,
    "-- app.ts --\n" * 501, "-- app.ts --" + "\n-- app.ts --" * 5000,
])
def test_odd_archives(renderer, archive):
    answer, _ = renderer.ask(archive)
    assert "error" in answer or "elapsed_us" in answer
    assert renderer.ask("export default () => null;")[0].get("error") is None


@pytest.mark.parametrize("manifest, seconds", [
    ("name: x\nrecommendedInterval: 5\n", 300), ("recommendedInterval: 99999999999999999999", 7 * 24 * 3600),
    ("recommendedInterval: 0\nname: x", 0), ("recommendedInterval: -1", None), ("recommendedInterval: soon", None), ("name: recommendedInterval: 5", None),
])
def test_the_interval_of_the_manifest(renderer, manifest, seconds):
    answer, _ = renderer.ask(pack(app_ts="export default () => null;", manifest_yaml=manifest))
    assert answer.get("interval_s") == seconds


def test_large_files(renderer):
    answer, _ = renderer.ask(pack(app_ts="import p from './p.bin'; export default () => print(p.length);",
                                  p_bin=bytes(2 << 20)))
    assert answer["log"] == [str(2 << 20)]


def sized(result):
    return f"export default ({{ device }}) => {{ print(device.width, device.height); return {result}; }};"


@pytest.mark.parametrize("line, width", [
    ("supports2x: true", 128), ("supports2x:   True # drawn for it", 128), ("supports2x: true\r", 128), ("supports2x: true\nid: x", 128),
    ("supports2x: false", 64), ("supports2x: trueish", 64), ("supports2x: \"true\"", 64), ("supports2x:", 64), ("# supports2x: true", 64),
    ("  supports2x: true", 64), ("supports2x: true# no comment", 64), ("", 64),
])
def test_the_size_of_a_wide_panel(renderer, line, width):
    script = pack(app_ts=sized("null"), manifest_yaml=line)
    answer, _ = renderer.ask(script, is_2x=True)
    assert answer["log"] == [f"{width} {width // 2}"]
    answer, _ = renderer.ask(script)
    assert answer["log"] == ["64 32"]


@pytest.mark.parametrize("pixels, is_right", [(128 * 64, True), (64 * 32, False)])
def test_raw_pictures_of_a_wide_panel(renderer, pixels, is_right):
    script = pack(app_ts=sized(f"{{ frames: [new Uint8Array({pixels} * 3)] }}"), manifest_yaml="supports2x: true")
    answer, _ = renderer.ask(script, is_2x=True)
    assert ("error" not in answer) == is_right
    if not is_right:
        assert answer["error"]["message"] == "TypeError: frames[0] must be a Uint8Array of 24576 bytes"
