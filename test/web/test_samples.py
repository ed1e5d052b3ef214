"""Samples of widgets and fields that the studio shows with pictures and inserts, in both languages, with the real
renderers."""

import json
import os
import re

import pytest
from authors import Author
from forms import needs

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../subprojects/webapp/src/studio/samples.json")
with open(FILE, encoding="utf-8") as file:
    SAMPLES = json.load(file)
WIDGETS = [sample for sample in SAMPLES if sample["kind"] == "widget"]
FIELDS = [sample for sample in SAMPLES if sample["kind"] == "field"]
LOADS = "".join(f'load("{name}.star", "{name}")\n' for name in ("animation", "filter", "render", "schema"))
pytestmark = needs("starlark")


@pytest.fixture(scope="module")
def preview(world):
    app = Author(world).make()

    def run(language, script):
        shown = app.author.browser.post(app.path + "/preview", {
            "scriptLanguage": language, "scriptContent": script}).ok()
        assert shown["problem"] is None, (script, shown["problem"]["message"])
        return shown

    return run


def imports(code):
    names = {*re.findall(r"(?<![.\w])([A-Z]\w+)\(", code), *re.findall(r"\b(animation|filter|form)\.", code), "Root"}
    return f'import {{ {", ".join(sorted(names))} }} from "panel";\n'


def in_typescript(sample):
    code = sample["TYPESCRIPT"]
    return f"{imports(code)}export default function main() {{\n  return Root({{ child: {code} }});\n}}\n"


@pytest.mark.parametrize("sample", WIDGETS, ids=lambda sample: sample["name"])
def test_widgets(preview, sample):
    shown = preview("STARLARK", f"{LOADS}def main():\n    return render.Root(child = {sample['STARLARK']})\n")
    assert shown["picture"] and shown["log"] == []
    if os.environ.get("HAS_TYPESCRIPT"):
        assert preview("TYPESCRIPT", in_typescript(sample))["picture"] == shown["picture"]


def test_fields(preview):
    def listed(language):
        return ", ".join(sample[language] for sample in FIELDS)

    form = preview("STARLARK", f"{LOADS}def get_schema():\n    return schema.Schema(version = '1', fields = "
                               f"[{listed('STARLARK')}])\ndef main():\n    return []\n")["fields"]
    assert [field["id"] for field in form] == [sample["id"] for sample in FIELDS]
    assert not [field for field in form if field["unavailable"]]
    if os.environ.get("HAS_TYPESCRIPT"):
        code = listed("TYPESCRIPT")
        assert preview("TYPESCRIPT", f"{imports(code)}export const schema = [{code}];\nexport default function main() "
                                     "{ return []; }\n")["fields"] == form


def test_each_widget_has_a_sample():
    """Those of the types that authors get, but for transforms and filters, of which one stands for all."""
    with open(os.path.join(os.path.dirname(FILE), "../../../../share/panel.d.ts"), encoding="utf-8") as types:
        widgets = re.findall(r"^    export function (\w+)\(.*\): Widget;$", types.read(), re.MULTILINE)
    assert len(widgets) > 15 and set(widgets) <= {sample["name"] for sample in WIDGETS}
