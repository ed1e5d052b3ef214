"""Short forms of docs/api say what OpenAPI says in its long ones, member by member in the same order."""

import json
import pathlib
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import operations  # noqa: E402
import problem_kinds  # noqa: E402
import short_forms  # noqa: E402

TIME = "2026-11-20T08:15:30.123Z"


def loaded(tmp_path, text):
    path = tmp_path / "lamps.yaml"
    path.write_text(text)
    return operations.load(path)


def text_of(said):
    return json.dumps(said)


SCHEMAS = [
    ("Clock", {"$ref": "#/components/schemas/Clock"}),
    ("{$ref: Clock, description: When.}", {"$ref": "#/components/schemas/Clock", "description": "When."}),
    ("{type: string, description: Its name.}", {"type": "string", "description": "Its name."}),
    ("{type: string or null}", {"type": ["string", "null"]}),
    ("{type: Clock or null, description: When.}",
     {"anyOf": [{"$ref": "#/components/schemas/Clock"}, {"type": "null"}], "description": "When."}),
    ("{type: list of Clock, description: All.}",
     {"type": "array", "description": "All.", "items": {"$ref": "#/components/schemas/Clock"}}),
    ("{type: list of integer}", {"type": "array", "items": {"type": "integer"}}),
    ("{type: time, description: When.}",
     {"type": "string", "format": "date-time", "description": "When.", "examples": [TIME]}),
    ("{type: time or null}", {"type": ["string", "null"], "format": "date-time", "examples": [TIME]}),
    ("{type: uuid or null}", {"type": ["string", "null"], "format": "uuid", "minLength": 36, "maxLength": 36}),
    ("{type: integer 0 to 100, description: Percent.}",
     {"type": "integer", "minimum": 0, "maximum": 100, "description": "Percent."}),
    ("{type: integer from 1 or null}", {"type": ["integer", "null"], "minimum": 1}),
    ("{type: string 1 to 64}", {"type": "string", "minLength": 1, "maxLength": 64}),
    ("{oneOf: [Clock, {type: boolean}]}", {"oneOf": [{"$ref": "#/components/schemas/Clock"}, {"type": "boolean"}]}),
    ("{description: A lamp., fields: {on: {type: boolean}, room?: Room}, minProperties: 1}",
     {"type": "object", "description": "A lamp.", "additionalProperties": False, "required": ["on"],
      "properties": {"on": {"type": "boolean"}, "room": {"$ref": "#/components/schemas/Room"}}, "minProperties": 1}),
    ("{fields: {b: Room, a: Room}, required: [a, b]}",
     {"type": "object", "additionalProperties": False,
      "properties": {"b": {"$ref": "#/components/schemas/Room"}, "a": {"$ref": "#/components/schemas/Room"}},
      "required": ["a", "b"]}),
    ("{description: What to change., minProperties: 1, optional: {type: {type: string}}}",
     {"type": "object", "description": "What to change.", "additionalProperties": False, "minProperties": 1,
      "properties": {"type": {"type": "string"}}}),
    ("{x-displayd: {type: int2, past}, type: integer}",
     {"x-displayd-type": "int2", "x-displayd-past": True, "type": "integer"}),
    ("{enum: [Clock, time], example: {type: time, fields: {a: b}}}",
     {"enum": ["Clock", "time"], "example": {"type": "time", "fields": {"a": "b"}}}),
]


@pytest.mark.parametrize("short, long", SCHEMAS, ids=[short for short, _ in SCHEMAS])
def test_schemas(tmp_path, short, long):
    for text in (short, json.dumps(long)):
        said = loaded(tmp_path, f"components: {{schemas: {{Lamp: {text}, Other: {{items: {text}}}}}}}")["components"]
        assert text_of(said["schemas"]["Lamp"]) == text_of(long)
        assert text_of(said["schemas"]["Other"]["items"]) == text_of(long)


def completed(tmp_path, text):
    said = loaded(tmp_path, f"components: {{schemas: {{Lamp: {{fields: {{room: {{type: string, x-displayd-check: c}}}}}}, {text}}}}}")
    short_forms.complete(said, said["components"]["schemas"])
    return said["components"]["schemas"]["Other"]


@pytest.mark.parametrize("short, long", [
    ("as in Lamp", {"type": "string"}),
    ("{as: Lamp, description: Where., x-displayd: {check: d}}",
     {"type": "string", "description": "Where.", "x-displayd-check": "d"}),
])
def test_properties_of_another_schema(tmp_path, short, long):
    """Without its facts: those of a body and of an answer differ."""
    made = completed(tmp_path, f"Other: {{fields: {{room?: {short}}}}}")
    assert made["properties"] == {"room": long} and "required" not in made


@pytest.mark.parametrize("text", ["Other: {fields: {hall: as in Lamp}}", "Other: {fields: {room: as in Nothing}}",
                                  "Third: {fields: {room: as in Lamp}}, Other: {fields: {room: as in Other}}"])
def test_properties_of_no_schema(tmp_path, text):
    with pytest.raises(problem_kinds.Fault, match="has no .* of its own"):
        completed(tmp_path, text)


def own_properties(path):
    """(schema, property, what its text says) of a file, of those that are not as in another schema."""
    schemas = yaml.load(path.read_text(encoding="utf-8"), operations.Loader).get("components", {}).get("schemas", {})
    for name, said in schemas.items():
        for key in ("fields", "optional", "properties"):
            for one, value in said.get(key, {}).items():
                if isinstance(value, dict) and "as" not in value:
                    yield name, one.rstrip("?"), text_of({k: v for k, v in value.items() if not k.startswith("x-")})


@pytest.mark.parametrize("document", ["pages", "public"])
def test_long_texts_stand_once(document):
    folder = ROOT / "docs/api"
    known = {}
    for path in [folder / "shared.yaml", *sorted((folder / document).glob("*.yaml"))]:
        for schema, name, text in own_properties(path):
            first = known.setdefault((name, text), schema)
            assert len(text) < 150 or first == schema, f"{path.name}: {schema}: write '{name}: as in {first}'"


PARTS = [
    ("parameters", "{path: lampId, description: ID of a lamp., example: a}",
     {"name": "lampId", "in": "path", "required": True, "description": "ID of a lamp.", "schema": {"type": "string"},
      "example": "a"}),
    ("parameters", "{query: on, description: Only those., schema: {type: boolean}}",
     {"name": "on", "in": "query", "required": False, "description": "Only those.", "schema": {"type": "boolean"}}),
    ("parameters", "{cursor: lamps, example: bA}",
     {"name": "cursor", "in": "query", "required": False, "description":
      "Start of the part: follow the `Link` of the previous part. Opaque; it stays valid when elements are added or "
      "removed. Ignored without `limit`. Valid only for the list of lamps.", "schema": {"type": "string"}, "example": "bA"}),
    ("responses", "{description: No., headers: [ETag]}",
     {"description": "No.", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}}}),
    ("responses", "{description: Yes., content: Lamp}",
     {"description": "Yes.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Lamp"}}}}),
]


@pytest.mark.parametrize("kind, short, long", PARTS, ids=[short for _, short, _ in PARTS])
def test_other_components(tmp_path, kind, short, long):
    for text in (short, json.dumps(long)):
        assert text_of(loaded(tmp_path, f"components: {{{kind}: {{Lamp: {text}}}}}")["components"][kind]["Lamp"]) == text_of(long)


SHORT = """
paths:
  "/v1/lamps/{lampId}/parts/{part}":
    put:
      x-displayd: {endpoint: lamp_put, operator, list: {cursor: l}}
      parameters: [Limit, {header: Why, description: Why.}]
      body: {schema: Lamp, usual: {on: true}}
      answer: {Lamp: The lamp., Conflict: 409}
    get:
      answer: {list of Lamp: The lamps.}
    post:
      body: Lamp
      created: {Lamp: The lamp.}
      responses: {"404": {$ref: "#/components/responses/NotFound"}, "202": {description: Soon., content: Lamp}}
  /v1/lamps: {get: {responses: {}}}
"""
LONG = """
paths:
  "/v1/lamps/{lampId}/parts/{part}":
    parameters: [{$ref: "#/components/parameters/LampId"}, {$ref: "#/components/parameters/Part"}]
    put:
      x-displayd-endpoint: lamp_put
      x-displayd-operator: true
      x-displayd-list: {cursor: l}
      parameters:
        - {$ref: "#/components/parameters/Limit"}
        - {name: Why, in: header, required: false, description: Why., schema: {type: string}}
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Lamp"}
            examples: {default: {summary: A usual body, value: {on: true}}}
      responses:
        "200": {description: The lamp., content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}
        "409": {$ref: "#/components/responses/Conflict"}
    get:
      responses:
        "200":
          description: The lamps.
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Lamp"}, description: The lamps.}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}
      responses:
        "201": {description: The lamp., content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}
        "404": {$ref: "#/components/responses/NotFound"}
        "202": {description: Soon., content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}
  /v1/lamps: {get: {responses: {}}}
"""


def test_operations(tmp_path):
    said = loaded(tmp_path, SHORT)
    assert text_of(said) == text_of(loaded(tmp_path, LONG))
    assert text_of(said["paths"]["/v1/lamps"]) == '{"get": {"responses": {}}}'


@pytest.mark.parametrize("operation", [
    "{parameters: [{path: lampId, description: Another.}]}", '{parameters: [LampId], responses: {}}'])
def test_a_path_of_an_operation_with_its_own_parameters(tmp_path, operation):
    said = loaded(tmp_path, f'paths: {{"/v1/lamps/{{lampId}}": {{get: {operation}}}}}')
    assert "parameters" not in said["paths"]["/v1/lamps/{lampId}"]


def test_a_mapping_knows_its_place(tmp_path):
    said = loaded(tmp_path, "components:\n  schemas:\n    Lamp:\n      fields: {on: Switch}\n")["components"]["schemas"]["Lamp"]
    assert said.place.endswith("lamps.yaml:4") and said["properties"]["on"].place.endswith("lamps.yaml:4")


@pytest.mark.parametrize("text, reason", [
    ("components: {schemas: {Lamp: {type: text}}}", "there is no type text"),
    ("components: {schemas: {Lamp: {type: string or integer}}}",
     "a type is a name, or a name or null, and not string or integer"),
    ("paths: {/lamps: {get: {answer: Lamp}}}", "the answer 200 is {SCHEMA: DESCRIPTION}, and not Lamp"),
    ("paths: {/lamps: {get: {created: {Conflict: 409}}}}", "the answer 201 is {SCHEMA: DESCRIPTION}"),
])
def test_faults(tmp_path, text, reason):
    with pytest.raises(problem_kinds.Fault) as found:
        loaded(tmp_path, text)
    assert reason in str(found.value)
