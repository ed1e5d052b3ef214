"""displayctl app render --check, displayctl app import and the server accept and reject the same apps: apps
at each limit, and one beyond it."""

import json
import os
import subprocess

import pytest
from authors import Author
from forms import needs, reviewer
from people import Person
from server import DISPLAYCTL

__all__ = ["reviewer"]  # a fixture
pytestmark = needs("starlark")

STARLARK = """
load("render.star", "render")
load("schema.star", "schema")

def text(id, desc = "D", **options):
    return schema.Text(id = id, name = "N", desc = desc, icon = "gear", **options)

def options(count):
    return [schema.Option(display = "O", value = str(i)) for i in range(count)]

def deeper(n):
    return 1 + deeper(n - 1) if n > 0 else 0

def main(config):
    return render.Root(child = render.Box(color = "#00f"))

def get_schema():
    return schema.Schema(version = "1", fields = FIELDS)
"""
TYPESCRIPT = """
import { Box, form, Root } from "panel";

function text(id: string, desc = "D") {
    return form.Text({ id, name: "N", desc, icon: "gear" });
}
export const schema = FIELDS;
export default function main() { return Root({ child: Box({ color: "#00f" }) }); }
"""
FULL_MIB = 4 * 1024 * 1024 - 1000

# The fields, and a word of the error; None: valid.
OF_STARLARK = {
    "most fields": ('[text("f%d" % i) for i in range(200)]', None),
    "too many fields": ('[text("f%d" % i) for i in range(201)]', "more than 200 fields"),
    "most options": ('[schema.Dropdown(id = "a", name = "A", desc = "D", icon = "gear", default = "0", '
                     "options = options(5000))]", None),
    "too many options": ('[schema.Dropdown(id = "a", name = "A", desc = "D", icon = "gear", default = "0", '
                         "options = options(5001))]", "more than 5000 options"),
    "one id twice": ('[text("a"), text("a", secret = True)]', None),
    "longest id": ('[text("i" * 200)]', None),
    "too long an id": ('[text("i" * 201)]', "200 bytes"),
    "no id": ('[text("")]', 'field 1: "id" is missing'),
    "a NUL in an id": ('[text("a" + chr(0))]', "200 bytes"),
    "nearly 4 MiB": (f'[text("a", desc = "x" * {FULL_MIB})]', None),
    "more than 4 MiB": ('[text("a", desc = "x" * (4 * 1024 * 1024))]', "too large"),
    "deep calls": ('[text("a", desc = str(deeper(19000)))]', None),
    "endless calls": ('[text("a", desc = str(deeper(1 << 40)))]', "deep"),
    "too much memory": ('[text("a", desc = str(len(["x" * 1000000 + str(i) for i in range(300)])))]', "memory"),
    "it fails": ('fail("asked to")', "asked to"),
}
OF_TYPESCRIPT = {
    "typescript: most fields": ("Array.from({ length: 200 }, (_, i) => text(`f${i}`))", None),
    "typescript: too many fields": ("Array.from({ length: 201 }, (_, i) => text(`f${i}`))", "more than 200 fields"),
    "typescript: one id twice": ('[text("a"), text("a")]', None),
    "typescript: a default that is no option": (
        '[form.Dropdown({ id: "d", name: "D", desc: "", icon: "x", default: "z", options: [] })]', None),
    "typescript: nearly 4 MiB": (f'[text("a", "x".repeat({FULL_MIB}))]', None),
    "typescript: more than 4 MiB": ('[text("a", "x".repeat(4 * 1024 * 1024))]', "4 MiB"),
    "typescript: too much memory": ('[text("a", String(new Uint8Array(1 << 27).length))]', "memory"),
    "typescript: no form": ("7", "schema"),
}


def cases():
    typescript = OF_TYPESCRIPT if os.environ.get("HAS_TYPESCRIPT") else {}
    for name, (fields, words) in [*OF_STARLARK.items(), *typescript.items()]:
        language = "TYPESCRIPT" if name in typescript else "STARLARK"
        template = TYPESCRIPT if language == "TYPESCRIPT" else STARLARK
        yield name, language, template.replace("FIELDS", fields), words


def check(path):
    """None, or the error of the check."""
    done = subprocess.run([DISPLAYCTL, "app", "render", path, "--check"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr


def imported(folder, server, email):
    answer = server.ctl("app", "import", folder, "--account", email)
    return {app["folder"].removeprefix("apps/"): app["remark"] for app in answer["apps"]}


def write(folder, number, language, script):
    os.makedirs(os.path.join(folder, "apps", str(number)))
    with open(os.path.join(folder, "apps", str(number), "manifest.yaml"), "w", encoding="utf-8") as file:
        file.write(f'---\nid: {json.dumps(f"judged-{number}")}\nname: Judged\nsummary: S\nauthor: Ada\n')
    path = os.path.join(folder, "apps", str(number), "app.ts" if language == "TYPESCRIPT" else "main.star")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    return path


@pytest.fixture(scope="module")
def judgements(world, reviewer, tmp_path_factory):
    """By case: result of each of the three."""
    folder, author, importer = tmp_path_factory.mktemp("checkout"), Author(world), Person(world)
    checks, served = {}, {}
    for number, (name, language, script, _) in enumerate(cases()):
        checks[name] = check(write(folder, number, language, script))
        app = author.make(visibility="public")
        app.publish(reviewer, "1.0", script, language)
        # Use each account once: after an app at a limit, an account has less time.
        problem = Person(world).browser().get(f"/web/apps/{app.slug}/schema").ok()["problem"]
        served[name] = problem and problem["message"]
    remarks = imported(str(folder), world.server, importer.email)
    return {name: (checks[name], remarks[str(number)], served[name])
            for number, (name, *_) in enumerate(cases())}


@pytest.mark.parametrize("name, words", [(name, words) for name, _, _, words in cases()])
def test_all_three_say_the_same(judgements, name, words):
    said = judgements[name]
    if words is None:
        assert said == (None, None, None)
    else:
        assert all(one is not None and words in one for one in said), said
