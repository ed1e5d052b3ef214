"""Output of tools/generate_operations.py for a description, and the faults that it finds."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools/generate_operations.py"
SHARED = """
x-general-responses: {}
components:
  parameters:
    IfMatch: {name: If-Match, in: header, schema: {type: string}}
    IfNoneMatch: {name: If-None-Match, in: header, schema: {type: string}}
    IfNoneMatchOfChange: {name: If-None-Match, in: header, schema: {type: string}}
  headers: {%s}
  responses:
%s
  schemas:
    Problem: {type: object}
    Lamp:
      type: object
      required: [on, room]
      properties:
        on: {type: boolean}
        off: {type: string}
        room: {x-displayd-pages-only: true, type: string}
      x-displayd-example: {on: true, off: 22:30, room: hall}
""" % (", ".join(f"{name}: {{schema: {{type: string}}}}" for name in (
    "X-Request-Id", "RateLimit", "RateLimit-Policy", "ETag", "Cache-Control")),
       "\n".join(["    NotModified: {description: As it was.}"] + [
           f"    {name}: {{description: No., x-displayd-problem: {{code: {code}}}}}" for name, code in {
               "BadRequest": "body_invalid", "Unauthorized": "key_invalid", "Forbidden": "key_too_narrow",
               "NotFound": "device_not_found", "RequestTimeout": "body_too_slow",
               "PreconditionFailed": "precondition_failed", "ContentTooLarge": "body_too_large",
               "UnsupportedMediaType": "type_unsupported", "TooManyRequests": "requests_too_many",
               "ServiceUnavailable": "server_busy"}.items()]))
PROBLEMS = (TOOL.parents[1] / "docs/api/problems.yaml").read_text()
DOCUMENT = """
openapi: 3.1.0
info: {title: Lamps}
servers: []
security: []
x-displayd-access: api_key
x-displayd-groups: [lamps]
components: {}
"""
LAMPS = """
description: Lamps.
paths:
  "/v1/lamps/{lampId}":
    parameters: [{name: lampId, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getLamp
      x-displayd-endpoint: lamp_get
      x-displayd-key-devices: {only: it is one of its own}
      summary: Get a lamp
      description: One lamp.
      responses:
        "200":
          description: The lamp.
          content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}
    patch:
      operationId: updateLamp
      x-displayd-endpoint: lamp_update
      x-displayd-resource: device
      x-displayd-record: lamp_record
      x-displayd-body-limit: page
      summary: Turn a lamp
      description: On or off.
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}
      responses: {"200": {description: Turned.}}
"""
SOURCE = """
ENDPOINT_LAMP_GET(.handler = get);
ENDPOINT_LAMP_UPDATE(.handler = update,
                     .state_size = 8);
"""


class Description:
    def __init__(self, folder):
        self.folder = folder
        self.write("api/shared.yaml", SHARED)
        self.write("api/problems.yaml", PROBLEMS)
        for name in ("public", "pages"):
            self.write(f"api/{name}/document.yaml", DOCUMENT)
            self.write(f"api/{name}/lamps.yaml", LAMPS)
        self.write("lamps/lamps.c", SOURCE)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def run(self, *words):
        return subprocess.run([sys.executable, TOOL, *words], cwd=self.folder, capture_output=True,
                              text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})

    def document(self, name="public"):
        done = self.run("documents", "api", "--output", name, "out.json", "--depfile", "out.d")
        assert done.returncode == 0, done.stderr
        assert f"api/{name}/lamps.yaml" in (self.folder / "out.d").read_text()
        return json.loads((self.folder / "out.json").read_text())

    def c(self, sources="lamps"):
        done = self.run("c", "api", "public", "--header", "out.h", "--source", "out.c", "--plain", "plain.c",
                        "--sources", sources, "--statements", "sql")
        return done, done.returncode == 0 and (self.folder / "out.h").read_text()


@pytest.fixture
def description(tmp_path):
    return Description(tmp_path)


def test_what_follows(description):
    item = description.document()["paths"]["/v1/lamps/{lampId}"]
    assert list(item["get"]["responses"]) == ["200", "304", "401", "403", "404", "429", "503"]
    assert [one["$ref"].split("/")[-1] for one in item["get"]["parameters"]] == ["IfNoneMatch"]
    assert set(item["get"]["responses"]["200"]["headers"]) == {
        "X-Request-Id", "RateLimit", "RateLimit-Policy", "ETag", "Cache-Control"}
    assert list(item["patch"]["responses"]) == [
        "200", "400", "401", "403", "404", "408", "412", "413", "415", "429", "503"]
    assert [one["$ref"].split("/")[-1] for one in item["patch"]["parameters"]] == [
        "IfMatch", "IfNoneMatchOfChange"]
    assert item["patch"]["requestBody"]["required"] is True
    codes = item["patch"]["x-problem-codes"]
    assert codes == sorted(codes) and {"body_invalid", "device_not_found", "key_missing"} <= set(codes)
    assert item["patch"]["tags"] == ["lamps"] and "x-displayd" not in json.dumps(item)


def test_names_are_text_and_examples_stand_once(description):
    for name, lamp in (("public", {"on": True, "off": "22:30"}),
                       ("pages", {"on": True, "off": "22:30", "room": "hall"})):
        made = description.document(name)
        answer = made["paths"]["/v1/lamps/{lampId}"]["get"]["responses"]["200"]
        assert answer["content"]["application/json"]["example"] == lamp
        assert set(made["components"]["schemas"]["Lamp"]["properties"]) == set(lamp)
        assert "x-displayd-example" not in made["components"]["schemas"]["Lamp"]
    conflict = made["components"]["responses"]["NotFound"]["content"]["application/problem+json"]
    assert conflict["example"] == {"type": "about:blank", "title": "Not Found", "status": 404,
                                   "code": "device_not_found"}


def test_examples_say_what_differs(description):
    """The example of a schema begins with those of its parts, and that of a body with that of its schema."""
    room = """
components:
  schemas:
    Room:
      type: object
      required: [lamp, name]
      properties: {lamp: {$ref: "#/components/schemas/Lamp"}, name: {type: string}}
      x-displayd-example: {name: hall, lamp: {on: false}}
"""
    lamps = LAMPS.replace('schemas/Lamp"}}}\n    patch',
                          'schemas/Room"}, x-displayd-example: {lamp: {off: 23:00}}}}\n    patch')
    description.write("api/public/lamps.yaml", lamps + room)
    answer = description.document()["paths"]["/v1/lamps/{lampId}"]["get"]["responses"]["200"]["content"]
    assert answer["application/json"]["example"] == {"name": "hall", "lamp": {"on": False, "off": "23:00"}}


def test_c(description):
    done, header = description.c()
    assert done.returncode == 0, done.stderr
    macro = header[header.index("#define ENDPOINT_LAMP_UPDATE"):]
    for member in ('.name = "lamp_update"', ".access = &access_api_key", ".body = &lamp_record",
                   ".resource = RESOURCE_DEVICE", ".body_max_bytes = LIMIT_PAGE_BODY_BYTES"):
        assert member in macro
    assert '{HTTP_PATCH, "/v1/lamps/{lampId}", &endpoint_lamp_update},' in (
        description.folder / "out.c").read_text()


def test_only_marked_operations_are_for_the_operator(description):
    description.write("api/public/lamps.yaml", LAMPS.replace(
        "x-displayd-endpoint: lamp_get", "x-displayd-endpoint: lamp_get\n      x-displayd-operator: true"))
    header = description.c()[1]
    get, update = header.split("#define ENDPOINT_LAMP_UPDATE")
    assert ".is_for_operator = true" in get and ".is_for_operator" not in update


def test_keys_for_chosen_devices(description):
    """The C and the text of an operation without a device follow from what it says of such keys."""
    only = "{only: it is one of its own}"
    get = description.document()["paths"]["/v1/lamps/{lampId}"]["get"]
    assert get["description"] == "One lamp.\n\nFor a key for chosen devices, it is one of its own."
    assert "is_account_wide" not in description.c()[1]
    description.write("api/public/lamps.yaml", LAMPS.replace(only, "account"))
    get = description.document()["paths"]["/v1/lamps/{lampId}"]["get"]
    assert get["description"] == "One lamp.\n\nA key for chosen devices gets 403."
    macros = description.c()[1].split("#define ENDPOINT_LAMP_UPDATE")
    assert [".is_account_wide = true" in macro for macro in macros] == [True, False]
    description.write("api/public/lamps.yaml", LAMPS.replace(only, "none"))
    assert description.document()["paths"]["/v1/lamps/{lampId}"]["get"]["description"] == "One lamp."
    assert "is_account_wide" not in description.c()[1]


SAID = "      x-displayd-key-devices: {only: it is one of its own}\n"


@pytest.mark.parametrize("old, new, reason", [
    (SAID, "", "GET /v1/lamps/{lampId}: what may a key for chosen devices do?"),
    ("{only: it is one of its own}", "some", "GET /v1/lamps/{lampId}: what may a key for chosen devices do?"),
    ("{only: it is one of its own}", "{all: of them}", "what may a key for chosen devices do?"),
    (SAID, SAID + "      x-displayd-resource: device\n", "is for calls of keys without a device in the path"),
    (SAID, SAID + "      x-displayd-access: visitor\n", "is for calls of keys without a device in the path"),
    ("{lampId}", "{deviceId}", "without x-displayd-resource: device nothing checks the path's device"),
    (SAID, SAID + "      x-displayd-same-as: lamp_update\n", "x-displayd-key-devices differs from that of lamp_update"),
    (SAID, "      x-displayd-access: session\n      x-displayd-bridge: true\n", "what may a key for chosen devices do?"),
    ("x-displayd-record: lamp_record", "x-displayd-rekord: lamp_record",
     "lamps.yaml: PATCH /v1/lamps/{lampId}: nobody knows x-displayd-rekord"),
    ("x-displayd-resource: device", "x-displayd-resource: lamp", "is one of ['device', 'app']"),
    ("x-displayd-endpoint: lamp_get", "x-displayd-endpoint: lamp_get\n      x-displayd-operator: false",
     "x-displayd-operator is one of [True, 'all'], and not False"),
    ("summary: Get a lamp", "operationId: getLamps", "lamps.yaml:10: operationId stands twice"),
    ("summary: Get a lamp", "title: Get a lamp", "GET /v1/lamps/{lampId}: summary is missing"),
    ("operationId: updateLamp", "operationId: getLamp", "getLamp stands twice"),
    ("schemas/Lamp", "schemas/Lump", "there is no #/components/schemas/Lump"),
    ("    patch:", "    paint:", "paint is no method"),
    ("      responses: {", "      x-displayd-without: [\"409\"]\n      responses: {",
     "409 does not follow from anything"),
    ("\"200\": {", "200: {", "the name 200 is to stand in quotation marks"),
    ("x-displayd-endpoint: lamp_get", "x-displayd-endpoint: lamp_update", "lamp_update stands twice"),
])
def test_faults(description, old, new, reason):
    assert old in LAMPS
    description.write("api/public/lamps.yaml", LAMPS.replace(old, new))
    done = description.run("documents", "api", "--output", "public", "out.json")
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def test_an_unused_component_is_a_fault(description):
    description.write("api/public/document.yaml",
                      DOCUMENT.replace("components: {}", "components: {schemas: {Lump: {}}}"))
    done = description.run("documents", "api", "--output", "public", "out.json")
    assert done.returncode == 1 and "nothing names #/components/schemas/Lump" in done.stderr


@pytest.mark.parametrize("old, new, reason", [
    ("ENDPOINT_LAMP_GET", "ENDPOINT_LAMP_FETCH", "nothing describes endpoint_lamp_fetch"),
    ("ENDPOINT_LAMP_GET(", "const struct endpoint endpoint_lamp_get = (", "no C file of lamps has endpoint_lamp_get"),
    ("ENDPOINT_LAMP_GET", "ENDPOINT_LAMP_UPDATE", "nothing describes endpoint_lamp_update, or it stands twice"),
    (SOURCE, "", "GET /v1/lamps/{lampId}: no C file of lamps has endpoint_lamp_get"),
])
def test_faults_between_description_and_c(description, old, new, reason):
    description.write("lamps/lamps.c", SOURCE.replace(old, new))
    done, _ = description.c()
    assert done.returncode == 1 and reason in done.stderr, done.stderr


@pytest.mark.parametrize("code, reason", [
    ("lamp_not_found", "problems.yaml has no lamp_not_found"),
    ("slug_used", "slug_used has a status that the operation does not answer"),
    ("key_invalid", "key_invalid follows from the other facts, or stands twice"),
])
def test_faults_of_problems(description, code, reason):
    description.write("api/public/lamps.yaml", LAMPS.replace(
        "summary: Get a lamp", f"x-displayd-problems: [{code}]\n      summary: Get a lamp"))
    done = description.run("documents", "api", "--output", "public", "out.json")
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def test_problems_of_c_are_documented(description):
    description.write("lamps/lamps.c", SOURCE + "task_fail(task, PROBLEM_PICTURE_NOT_FOUND);")
    done, _ = description.c()
    assert done.returncode == 1, done.stderr
    assert "GET /v1/lamps/{lampId}: x-displayd-problems lacks picture_not_found of lamps/lamps.c" in done.stderr
    description.write("api/public/lamps.yaml", LAMPS.replace(
        "summary: Get a lamp", "x-displayd-problems: [picture_not_found]\n      summary: Get a lamp"))
    assert description.c()[0].returncode == 0


def test_same_as_has_the_problems_of_the_other(description):
    """Its resource is that of the other operation, also across documents; a status that it lacks is left out."""
    description.write("api/public/lamps.yaml", LAMPS.replace(
        "summary: Turn a lamp", "x-displayd-problems: [picture_not_found, slug_used]\n      summary: Turn a lamp").replace(
        "{description: Turned.}", "{description: Turned.}, \"409\": {$ref: \"#/components/responses/NotFound\"}"))
    description.write("api/pages/lamps.yaml", LAMPS.replace("lamp_update", "own_lamp_update").replace(
        "x-displayd-resource: device", "x-displayd-key-devices: none\n      x-displayd-same-as: lamp_update").replace("lamp_get", "own_lamp_get"))
    codes = description.document("pages")["paths"]["/v1/lamps/{lampId}"]["patch"]["x-problem-codes"]
    assert {"picture_not_found", "device_not_found", "of_other_account"} <= set(codes) and "slug_used" not in codes
    description.write("lamps/lamps.c", SOURCE.replace("ENDPOINT_LAMP", "ENDPOINT_OWN_LAMP").split("ENDPOINT_OWN_LAMP_UPDATE")[0])
    done = description.run("c", "api", "pages", "--header", "out.h", "--source", "out.c", "--plain", "plain.c",
                           "--sources", "lamps", "--statements", "sql")
    assert done.returncode == 0, done.stderr
    text = (description.folder / "out.c").read_text()
    assert "extern const struct endpoint endpoint_lamp_update;\nENDPOINT_OWN_LAMP_UPDATE();\n" in text
    assert ".same_as = &endpoint_lamp_update, \\\n\t__VA_ARGS__}\n" in (description.folder / "out.h").read_text()
    description.write("api/pages/lamps.yaml", LAMPS.replace(
        "x-displayd-resource: device", "x-displayd-key-devices: none\n      x-displayd-same-as: lamp_paint"))
    done = description.run("documents", "api", "--output", "pages", "out.json")
    assert done.returncode == 1 and "nothing describes endpoint_lamp_paint" in done.stderr, done.stderr


def kinds(description, text):
    description.write("api/problems.yaml", text)
    return description.run("problems", "api", "--header", "out.h", "--source", "out.c", "--sources", "lamps")


def test_kinds_of_problems(description):
    description.write("lamps/lamps.c", "PROBLEM_LAMP_BROKEN")
    done = kinds(description, "lamp_broken: {status: 409, about: It is broken.}\n")
    assert done.returncode == 0, done.stderr
    assert "#define PROBLEM_LAMP_BROKEN (&problem_kinds[0])" in (description.folder / "out.h").read_text()
    assert '{"lamp_broken", 409},' in (description.folder / "out.c").read_text()


@pytest.mark.parametrize("text, reason", [
    ("Lamp_Broken: {status: 409, about: No.}", "is not in snake case"),
    ("lamp_broken: {status: 200, about: No.}", "must have a status from 400 to 599"),
    ("lamp_broken: {status: 409}", "must have a status from 400 to 599 and about"),
    ("lamp_out: {status: 409, about: No.}\nlamp_broken: {status: 409, about: No.}", "alphabetical"),
    ("lamp_gone: {status: 409, about: No.}", "no C file names lamp_gone"),
])
def test_faults_of_kinds(description, text, reason):
    done = kinds(description, text)
    assert done.returncode == 1 and reason in done.stderr, done.stderr


COMMANDED = """
x-displayd-command:
        name: lamp update
        about: LAMP
        asks: true
        own: true
        options: {isLit: {value: "on|off"}, lateHour: null, names: {value: NAME, check: name}}
        more: [{name: key-file, value: FILE, help: A key., hand: true}]
"""
BODY = """
components:
  schemas:
    LampUpdate:
      type: object
      required: [names]
      properties:
        isLit: {type: boolean, description: "Whether it is lit, or as `glowEnabled` and `on` say."}
        lateHour: {type: string, description: Never an option.}
        glowEnabled: {type: boolean, description: Whether it glows.}
        warmthPercent: {type: integer, minimum: 1, maximum: 99, description: Percent.}
        shape: {type: [string, "null"], enum: [round, flat], description: Its shape.}
        names: {type: array, maxItems: 3, items: {type: string}, description: A name.}
"""
TABLE = "    {CTL_LAMP_UPDATE},\n"


def commanded(description, command=COMMANDED, table=TABLE, lamps=LAMPS):
    pages = lamps.replace("summary: Turn a lamp", command.strip() + "\n      summary: Turn a lamp")
    description.write("api/pages/lamps.yaml", pages.replace(
        'requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}',
        'requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/LampUpdate"}}}}') + BODY)
    description.write("commands.c", table)
    done = description.run("commands", "api", "--header", "out.h", "--table", "commands.c", "--depfile", "out.d")
    return done, done.returncode == 0 and (description.folder / "out.h").read_text()


def test_commands(description):
    done, header = commanded(description)
    assert done.returncode == 0, done.stderr
    assert "enum ctl_exit ctl_lamp_update(struct ctl *ctl);" in header and ".run = ctl_lamp_update," in header
    macro = header[header.index("#define CTL_LAMP_UPDATE"):]
    for fact in ('.name = "lamp update", .positionals = "LAMP"', '.help = "Turn a lamp. On or off. Asks first."',
                 'OPTION(SWITCH, "yes", NULL, "Skip the confirmation.', 'OPTION(TEXT, "key-file", "FILE", "A key.")',
                 'OPTION(ON_OFF, "lit", "on|off", "Whether it is lit, or as --glow and on say.")',
                 'OPTION(NUMBER, "warmth-percent", "1-99", "Percent.", .least = 1, .most = 99)',
                 'OPTION(CHOICE, "shape", "round|flat", "Its shape.")',
                 'OPTION(LIST, "names", "NAME", "A name. May be given several times.", .most = 3, '
                 '.check = ctl_check_name, .is_required = true)',
                 '{NULL, NULL, "isLit", "glowEnabled", "warmthPercent", "shape", "names"}'):
        assert fact in macro, macro
    assert "late-hour" not in macro and "api/pages/lamps.yaml" in (description.folder / "out.d").read_text()
    assert "x-displayd" not in json.dumps(description.document("pages"))


def test_a_plain_command(description):
    """A command without a handler of its own is data for the one that asks and prints."""
    plain = COMMANDED.replace("asks: true", "asks: Is {name} to change?").replace("own: true", "argument: warmthPercent").replace(
        "lateHour: null", "lateHour: null, warmthPercent: null, glowEnabled: {absent: true}").replace(
        "about: LAMP", "about: LAMP\n        columns: name isLit\n        row: id\n        list: lamps\n"
        "        account: Owner.\n        all: /web/lamps")
    hooks = LAMPS.replace("lampId", "webhookId")  # objects that it finds
    done, header = commanded(description, plain, lamps=hooks)
    assert done.returncode == 0, done.stderr
    for fact in ('.question = "Is {name} to change?"', '.argument = "warmthPercent", ', ".takes_number = true",
                 '.absent = (const char *const[]){NULL, NULL, NULL, NULL, "true", NULL, NULL}', ".run = ctl_plain,", ".has_body = true",
                 '.columns = "name isLit"', '.row_id = "id"', '.list = "lamps"', '.path_of_all = "/web/lamps"',
                 'OPTION(TEXT, "account", "EMAIL", "Owner.", .check = ctl_check_account)'):
        assert fact in header, header
    assert "ctl_lamp_update" not in header and ".is_of_account" not in header
    _, header = commanded(description, plain.replace("\n        all: /web/lamps", ""), lamps=hooks)
    assert ".is_of_account = true" in header and '"Owner. Required without --server."' in header


@pytest.mark.parametrize("old, new, reason", [
    ("own: true", "own: true\n        argument: colour", "the body has no colour"),
    ("own: true", "columns: name", "lamp update needs a handler, because nothing finds {"),
    ("about: LAMP", "abuot: LAMP", "nobody knows one of its members"),
    ("isLit: {value", "isLight: {value", "the body has no isLight"),
    ("{value: NAME,", "{values: NAME,", "nobody knows one of its members"),
    ("help: A key.,", "", "lacks help"),
    ("name: key-file", "name: glow", "lamp update has two options --glow"),
    ("name: lamp update", "name: lamp change", "the row {CTL_LAMP_CHANGE} is missing"),
])
def test_faults_of_commands(description, old, new, reason):
    assert old in COMMANDED
    done, _ = commanded(description, COMMANDED.replace(old, new))
    assert done.returncode == 1 and reason in done.stderr, done.stderr
