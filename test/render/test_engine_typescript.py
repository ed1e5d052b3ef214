"""Apps in TypeScript through a worker: their handlers, and several files."""

import json
import os

import pytest

from test_engine import Client

pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_TYPESCRIPT"), reason="built without the TypeScript renderer"
)

HANDLERS = """import { form } from "panel";
const named = { name: "N", desc: "D", icon: "i" };
export const schema = [
    form.Typeahead({ id: "find", ...named, async handler(text: string, config) {
        print(text, config);
        return [form.Option({ display: "Zagreb", value: text })];
    } }),
];
export default () => null;
"""
GENERATED = """import { form } from "panel";
export const schema = [form.Generated({ id: "find", source: "x", handler: (value: string) =>
    [form.Toggle({ id: "is_" + value, name: "N", desc: "D", icon: "i" })] })];
"""
ODD = """import { form } from "panel";
export const schema = [form.Typeahead({ id: "find", name: "N", desc: "D", icon: "i", handler: () => [7 as any] })];
"""


@pytest.fixture
def client(tmp_path):
    running = Client(tmp_path, 1)
    yield running
    running.end()


def test_handlers(client):
    answer = client.ask_in_time(HANDLERS, what="schema", language="TYPESCRIPT")
    assert json.loads(answer["schema"])["schema"][0]["handler"] == "find$handler"
    answer = client.ask_in_time(HANDLERS, what="handler", language="TYPESCRIPT", config='{"a":"b"}')
    assert (answer["kind"], answer["log"]) == ("done", 'par {"a":"b","$tz":"Europe/Zagreb"}\n'), answer
    assert json.loads(answer["result"]) == [{"display": "Zagreb", "text": "Zagreb", "value": "par"}]
    answer = client.ask_in_time(GENERATED, what="handler", language="TYPESCRIPT")
    assert [field["id"] for field in json.loads(answer["result"])["schema"]] == ["is_par"]
    answer = client.ask_in_time(ODD, what="handler", language="TYPESCRIPT")
    assert answer["kind"] == "script" and "not a list of other values" in answer["message"], answer


FILES = """-- manifest.yaml --
name: Mine
recommendedInterval: 5
-- lib/colour.ts --
export const colour: string = "#f00";
export const marks: string[] = ["mark"];
-- types.d.ts --
this is no TypeScript
-- dot.png;base64 --
AAEC
-- data.json --
{"a": 1}
-- app.ts --
import { Box, Root } from "panel";
import { colour, marks } from "./lib/colour";
import picture from "./dot.png";
import data from "./data.json";
export default function main(): unknown {
    print(colour, marks.length, Array.from(picture), data);
    return Root({ child: Box({ color: colour }) });
}
"""


def test_several_files(client):
    answer = client.ask_in_time(FILES, language="TYPESCRIPT")
    assert (answer["kind"], answer["log"]) == ("done", '#f00 1 [0,1,2] {"a":1}\n'), answer
    assert answer["picture"] and answer["compiled"] > 0 and answer["interval_s"] == 300
    answer = client.ask_in_time(FILES, what="compile", language="TYPESCRIPT")
    assert (answer["kind"], answer["picture"]) == ("done", "")


@pytest.mark.parametrize("what", ["picture", "compile"])
def test_faults_of_several_files(client, what):
    answer = client.ask_in_time("-- app.ts --\nimport './b.ts';\n-- b.ts --\n\nlet a: = 1;\n", language="TYPESCRIPT",
                        what=what)
    assert (answer["kind"], answer["file"], answer["line"]) == ("script", "b.ts", 2), answer
    answer = client.ask_in_time("-- a.ts --\n\n-- b.ts --\n\n", language="TYPESCRIPT", what=what)
    assert (answer["kind"], answer["message"]) == \
        ("app", "if there are several scripts, one must be app.ts or main.ts")
    answer = client.ask_in_time("-- ../app.ts --\n", language="TYPESCRIPT", what=what)
    assert (answer["kind"], answer["message"]) == ("app", '"../app.ts" is not a valid file name')


def test_a_fault_at_run_time_has_its_file(client):
    answer = client.ask_in_time("-- main.ts --\nimport { f } from './b';\nexport default function main() { f(); }\n"
                        "-- b.ts --\ninterface A { a: 1 }\n\nexport function f(): void {\n    throw new Error('mine');\n}\n",
                        language="TYPESCRIPT")
    assert (answer["kind"], answer["file"], answer["line"]) == ("script", "b.ts", 4), answer
