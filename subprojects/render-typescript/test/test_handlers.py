"""Handlers of schemas: what a form asks while it is filled in."""

import contextlib

import pytest

from renderer import Renderer


@pytest.fixture(scope="module")
def renderer():
    with contextlib.closing(Renderer()) as running:
        yield running


NAMED = 'name: "N", desc: "D", icon: "i"'
SCHEMA = f"""
import {{ form }} from "panel";
const city = form.Typeahead({{ id: "city", {NAMED}, async handler(text, config) {{
    await null;
    print(text, config);
    return text === "" ? [] : [form.Option({{ display: text.toUpperCase(), value: text }})];
}} }});
const near = form.LocationBased({{ id: "near", {NAMED}, handler: (place) =>
    [form.Option({{ display: JSON.parse(place).locality, value: "1" }})] }});
const more = form.Generated({{ id: "more", source: "city", handler: (value) =>
    value === "whole" ? form.Schema({{ version: "1", fields: [] }})
                      : [form.Text({{ id: "x" + value, {NAMED} }})] }});
const wrong = form.Typeahead({{ id: "wrong", {NAMED}, handler: () => {{ throw new Error("mine"); }} }});
const endless = form.Typeahead({{ id: "endless", {NAMED}, handler: () => {{ for (;;); }} }});
const odd = form.Typeahead({{ id: "odd", {NAMED}, handler: () => ({{}}) }});
const never = form.Typeahead({{ id: "never", {NAMED}, handler: () => new Promise(() => {{}}) }});
const none = form.Typeahead({{ id: "none", {NAMED}, handler: 7 }});
"""
LIST = SCHEMA + "export const schema = [city, near, more, wrong, endless, odd, never, none];"
WHOLE = SCHEMA + """export const schema = form.Schema({ version: "1", fields: [city, near] });
export default () => { throw new Error("main() is not called"); };"""


def ask(renderer, script, handler, parameter="", **changes):
    return renderer.ask(script, what="handler", handler=handler, parameter=parameter, **changes)


@pytest.mark.parametrize("script", [LIST, WHOLE], ids=["list", "schema"])
def test_options(renderer, script):
    answer, tree = ask(renderer, script, "city$handler", "zagreb", config={"a": "b"})
    assert "error" not in answer
    assert answer["log"] == ['zagreb {"a":"b"}']
    assert tree == [{"widget": "form.Option", "fields": {"display": "ZAGREB", "value": "zagreb"}}]
    assert ask(renderer, script, "city")[1] == []
    _, tree = ask(renderer, script, "near$handler", '{"locality": "Split"}')
    assert tree[0]["fields"]["display"] == "Split"


def test_generated_fields_are_a_schema(renderer):
    _, tree = ask(renderer, LIST, "more$handler", "1")
    assert tree["widget"] == "form.Schema" and tree["fields"]["version"] == "1"
    assert tree["fields"]["fields"][0]["fields"]["id"] == "x1"
    assert ask(renderer, LIST, "more$handler", "whole")[1]["fields"] == {"version": "1", "fields": []}


def test_the_schema_names_them(renderer):
    answer, tree = renderer.ask(SCHEMA + "export const schema = [city, more];", what="schema")
    assert "error" not in answer
    assert tree[0]["fields"]["handler"] == {"function": "handler"}
    assert tree[1]["fields"] == {"id": "more", "source": "city", "handler": {"function": "handler"}}
    for expression in ("form.Text({ id: 'a', default: () => 1 })", "Box({ handler: () => 1 })",
                       "Box({ child: form.Text({ default: { handler: () => 1 } }) })"):
        answer, _ = renderer.ask(f"import {{ form, Box }} from 'panel';\nexport const schema = {expression};",
                                 what="schema")
        assert "a function has no place" in answer["error"]["message"] or \
            "no widget" in answer["error"]["message"], answer


@pytest.mark.parametrize("handler, words, kind", [
    ("absent$handler", "the schema has no handler absent$handler", "app"),
    ("", "the schema has no handler", "app"), ("none$handler", "no handler none", "app"),
    ("wrong$handler", "Error: mine", "script"), ("endless$handler", "takes more than 500ms", "limit"),
    ("odd$handler", "this object is no widget", "script"),
    ("never$handler", "waits for a promise that nothing will settle", "script"),
])
def test_faults(renderer, handler, words, kind):
    answer, _ = ask(renderer, LIST, handler, timeout_ms=500)
    assert words in answer["error"]["message"] and answer["error"]["kind"] == kind
    if kind == "script" and "mine" in words:
        assert answer["error"]["line"] > 0


@pytest.mark.parametrize("schema", ["undefined", "null", "7", "{}", "[7, null]", "[{ fields: {} }]",
                                    "new Proxy([], { get() { throw new Error('trap'); } })",
                                    "Array.from({ length: 5000 })"])
def test_hostile_schemas(renderer, schema):
    answer, _ = ask(renderer, f"export const schema = {schema};", "city$handler")
    assert "no handler" in answer["error"]["message"] or "trap" in answer["error"]["message"]


def test_without_a_schema(renderer):
    answer, _ = ask(renderer, "export default () => null;", "city$handler")
    assert answer["error"]["message"] == "the schema has no handler city$handler"
