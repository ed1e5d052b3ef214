"""displayctl app new: a folder in which editors know the types, and app render --check, which checks them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from app_render import DISPLAYCTL, needs_starlark, needs_typescript, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import node  # noqa: E402  pylint: disable=wrong-import-position

TSC = next((path for path in [*ROOT.glob("subprojects/webapp/node_modules/.bin"), *ROOT.glob("build/*/npm/node_modules/.bin")]
            if (path / "tsc").exists()), None)
NODE = [node.path().parent] if node.path().exists() else []
needs_tsc = pytest.mark.skipif(not TSC or not (NODE or shutil.which("node")), reason="the pages' packages have tsc")


def new(*arguments):
    return subprocess.run([DISPLAYCTL, "app", "new", *map(str, arguments)], capture_output=True, text=True, timeout=60)


def environment(*folders):
    return {**os.environ, "PATH": os.pathsep.join(map(str, folders))}


def with_tsc():
    return environment(*NODE, TSC, *os.environ["PATH"].split(os.pathsep))


@needs_typescript
def test_a_new_app_is_rendered(tmp_path):
    folder = tmp_path / "My App"
    assert new(folder).returncode == 0
    assert sorted(os.listdir(folder)) == ["main.ts", "manifest.yaml", "panel.d.ts", "tsconfig.json"]
    assert (folder / "panel.d.ts").read_text() == (ROOT / "share/panel.d.ts").read_text()
    assert "id: my-app\n" in (folder / "manifest.yaml").read_text()
    done = run(folder, "who=Ada", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "")


@needs_starlark
def test_a_new_app_in_starlark(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    assert new(folder, "--language", "starlark").returncode == 0
    assert sorted(os.listdir(folder)) == ["main.star", "manifest.yaml"]
    assert run(folder, "--check").returncode == 0


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app/tsconfig.json").write_text("{}")
    done = new(tmp_path / "app")
    assert (done.returncode, done.stderr) == (4, f"displayctl: {tmp_path}/app/tsconfig.json: File exists\n")
    assert os.listdir(tmp_path / "app") == ["tsconfig.json"]
    assert (tmp_path / "app/tsconfig.json").read_text() == "{}"
    done = new(tmp_path / "none/app")
    assert done.returncode == 1 and "No such file or directory" in done.stderr


@needs_tsc
def test_editors_find_the_types(tmp_path):
    """VS Code reads the written configuration, and finds the declarations of panel.d.ts."""
    folder = tmp_path / "app"
    assert new(folder).returncode == 0
    (folder / "draw.ts").write_text("""import { Box, type Widget } from "panel";
import data from "./data.json";
import logo from "./logo.png";

export async function draw(): Promise<Widget> {
    const answer = await fetch(new URL("/a", "https://example.org"), { signal: AbortSignal.timeout(5), ttlSeconds: 60 });
    const text: string = new TextDecoder().decode(await answer.bytes());
    setTimeout(() => print(text, structuredClone({ a: 1 }).a, new Headers({ a: "b" }).get("a")), 1);
    console.log(new URLSearchParams("a=1").get("a"), crypto.getRandomValues(new Uint8Array(logo.length)), data.width);
    return Box({ width: 3 });
}
""")
    (folder / "data.json").write_text('{"width": 3}')
    (folder / "logo.png").write_bytes(b"\x89PNG\xff")
    (folder / "main.ts").write_text("""import { Root, type Input } from "panel";
import { draw } from "./draw";
import { draw as again } from "./draw.ts";

export default async function main({ config, local, now }: Input) {
    return [Root({ child: await draw() }), Root({ child: await again(), delay: local.hour + now.getTime() + (config.a ?? "").length })];
}
""")
    done = subprocess.run(["tsc", "--pretty", "false"], cwd=folder, env=with_tsc(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    for wrong in ("document.title", "window", "process.env", "localStorage", "Root({})", "Box({ colour: 1 })", "require('fs')"):
        (folder / "wrong.ts").write_text(f'import {{ Box, Root }} from "panel";\nexport const a = () => [Box, Root, {wrong}];\n')
        done = subprocess.run(["tsc", "--pretty", "false"], cwd=folder, env=with_tsc(), capture_output=True, text=True)
        assert done.returncode != 0 and done.stdout.startswith("wrong.ts(2,"), (wrong, done.stdout)


def ask_editor(folder, requests):
    """Answers of the server that VS Code uses for TypeScript, by the number of the request. The last
    request must have an answer."""
    sent = "".join(json.dumps({"seq": number, "type": "request", "command": name, "arguments": arguments}) + "\n"
                   for number, (name, arguments) in enumerate(requests))
    answers = {}
    with subprocess.Popen(["tsserver", "--disableAutomaticTypingAcquisition"], cwd=folder, env=with_tsc(), text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        server.stdin.write(sent)
        server.stdin.flush()
        for line in server.stdout:
            message = json.loads(line) if line.startswith("{") else {"type": None}
            if message["type"] == "response":
                answers[message["request_seq"]] = message.get("body")
            if len(requests) - 1 in answers:
                break
        server.kill()
    return answers


@needs_tsc
def test_an_editor_helps(tmp_path):
    """A new app has no errors, an invalid property has one, and names of widgets are completed and explained."""
    folder = tmp_path / "app"
    assert new(folder).returncode == 0
    script = {"file": str(folder / "main.ts")}
    wrong = {"file": str(folder / "wrong.ts")}
    (folder / "wrong.ts").write_text('import { Box } from "panel";\nexport const box = Box({ colour: "#fff" });\n')
    answers = ask_editor(folder, [
        ("open", script), ("open", wrong),
        ("semanticDiagnosticsSync", script), ("syntacticDiagnosticsSync", script), ("semanticDiagnosticsSync", wrong),
        ("quickinfo", script | {"line": 4, "offset": 13}),
        ("completionInfo", wrong | {"line": 2, "offset": 28})])
    assert answers[2] == answers[3] == []
    assert ["colour" in one["text"] for one in answers[4]] == [True]
    assert "Root" in answers[5]["displayString"]
    assert {"color", "width", "height", "child"} <= {one["name"] for one in answers[6]["entries"]}


@needs_typescript
@needs_tsc
def test_check_checks_types(tmp_path):
    folder = tmp_path / "app"
    assert new(folder).returncode == 0
    done = run(folder, "--check", env=with_tsc())
    assert (done.returncode, done.stderr) == (0, "") and "types: correct (tsc)\n" in done.stdout
    (folder / "main.ts").write_text('import { Root, Text } from "panel";\nimport { n } from "./lib/n";\n'
                                    'export default () => Root({ child: Text({ content: "a" }), delay: n });\n')
    (folder / "lib").mkdir()
    (folder / "lib/n.ts").write_text('export const n: number =\n    "50" as any;\nexport const m: number = "5";\n')
    # Files in an app's folder are untrusted: they are neither executed nor used as configuration.
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": {"strict": False, "noEmit": False, "outDir": "out"}}))
    (folder / "panel.d.ts").write_text("syntax error")
    (folder / "node_modules/.bin").mkdir(parents=True)
    (folder / "node_modules/.bin/tsc").write_text("#!/bin/sh\ntouch was-run\n")
    (folder / "node_modules/.bin/tsc").chmod(0o755)
    before = set(os.listdir(folder))
    done = run(folder, "--check", env={**with_tsc(), "TMPDIR": str(tmp_path)}, cwd=folder)
    assert done.returncode == 1
    assert f"{folder}/lib/n.ts:3:14: Type 'string' is not assignable to type 'number'. (TS2322)\n" in done.stderr
    assert set(os.listdir(folder)) == before and not list(tmp_path.glob("displayctl-*"))
    script = tmp_path / "alone.ts"
    script.write_text('import { Root, Text } from "panel";\nexport default () => Root({ child: Text({\n    content: [] }) });\n')
    done = run("alone.ts", "--check", env=with_tsc(), cwd=tmp_path)
    assert done.returncode == 1
    assert "alone.ts:3:5: Type 'never[]' is not assignable to type 'string'. (TS2322)\n" in done.stderr


@needs_typescript
def test_check_says_if_there_is_no_tsc(tmp_path):
    assert new(tmp_path / "app").returncode == 0
    (tmp_path / "empty").mkdir()
    done = run(tmp_path / "app", "--check", env=environment(tmp_path / "empty"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "types: not checked: tsc or node is not installed; npm install --global typescript\n" in done.stdout
    (tmp_path / "empty/tsc").write_text("#!/usr/bin/env node\n")
    (tmp_path / "empty/tsc").chmod(0o755)
    for name in ("env", "sh"):
        (tmp_path / "empty" / name).symlink_to(shutil.which(name))
    done = run(tmp_path / "app", "--check", env=environment(tmp_path / "empty"))
    assert "types: not checked: tsc or node is not installed;" in done.stdout
    (tmp_path / "empty/tsc").write_text("#!/bin/sh\necho \"error TS6046: Argument for '--moduleResolution' option must be: 'node'.\"\nexit 1\n")
    (tmp_path / "empty/tsc").chmod(0o755)
    done = run(tmp_path / "app", "--check", env=environment(tmp_path / "empty", "/bin", "/usr/bin"))
    assert done.returncode == 0
    assert "types: not checked: tsc is older than 5.0; npm install --global typescript\n" in done.stdout


@needs_typescript
def test_check_gives_tsc_no_pattern(tmp_path):
    """tsc would check other files than those of the app, up to the whole disk."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/tsc").write_text(f"#!/bin/sh\ntouch '{tmp_path}/was-run'\n")
    (tmp_path / "tools/tsc").chmod(0o755)
    tools = environment(tmp_path / "tools", "/bin", "/usr/bin")
    for name in (b"a*", b"b?", b"c\xff"):
        folder = os.path.join(os.fsencode(tmp_path), name)
        assert subprocess.run([DISPLAYCTL, "app", "new", folder], check=False).returncode == 0
        done = subprocess.run([DISPLAYCTL, "app", "render", folder, "--check"], env=tools, capture_output=True,
                              check=False, timeout=120)
        assert b"types: not checked: tsc supports no path with *, ? or invalid UTF-8\n" in done.stdout, done
    assert not (tmp_path / "was-run").exists()


@needs_typescript
def test_check_says_once_that_it_cannot_write(tmp_path):
    assert new(tmp_path / "app").returncode == 0
    done = run(tmp_path / "app", "--check", env={**os.environ, "TMPDIR": str(tmp_path / "none")})
    assert (done.returncode, done.stderr) == (0, "")
    assert f"types: not checked: {tmp_path}/none/displayctl-" in done.stdout
    assert ": No such file or directory\n" in done.stdout


@needs_tsc
def test_our_own_apps_have_right_types(tmp_path):
    for script in (ROOT / "share/apps").glob("*/*.ts"):
        done = run(script, "--check", env=with_tsc())
        assert "types: correct (tsc)\n" in done.stdout, done.stdout + done.stderr
