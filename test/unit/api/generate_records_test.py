"""Output of tools/generate_records.py for schemas, and the faults that it finds."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from generate_operations_test import Description, LAMPS

TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools/generate_records.py"
SCHEMAS = """
components:
  schemas:
    Room:
      x-displayd-records:
        room_listed: {struct: room, rows: true, to: name}
        room: {rows: true, check: room_check, columns: {account_id: id, is_dark: bool}, sets: {is_full: bool}}
      type: object
      description: A room. It has lamps.
      required: [id, name, floor, seenAt, opening, lamp]
      properties:
        id: {type: string, format: uuid, description: Its ID.}
        name: {type: string, description: Its name.}
        floor: {type: integer, x-displayd-type: int2, x-displayd-column: storey}
        seenAt: {type: [string, "null"], format: date-time}
        opening:
          type: object
          required: [start]
          properties:
            start: {type: string, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
        lamp:
          x-displayd-null-if: is_dark
          x-displayd-member: ""
          anyOf: [{$ref: "#/components/schemas/Bulb"}, {type: "null"}]
    Bulb:
      type: object
      required: []
      properties: {colour: {type: string}}
    RoomUpdate:
      x-displayd-changes: Room
      type: object
      properties:
        name: {type: string, minLength: 1, maxLength: 20, x-displayd-check: room_name_check}
        floor: {type: integer, minimum: -2, maximum: 90}
        openingStart: {type: string, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
    Visit:
      x-displayd-records: {visit: {file: room, body: true}}
      type: object
      required: [guests]
      properties:
        guests: {type: array}
        note: {type: string, maxLength: 9}
"""


TWO_CHANGES = """
    Step:
      x-displayd-records: {step: {file: room, rows: true, body: true, check: step_check}}
      type: object
      properties: {floor: {type: integer, x-displayd-type: int2}}
    OtherStep:
      x-displayd-records: {other_step: {struct: step, file: room, rows: true, body: true, check: step_check}}
      type: object
      properties: {at: {type: string}, floor: {type: integer, x-displayd-type: int2}}
    Visit:
"""


class Rooms(Description):
    def __init__(self, folder, schemas):
        super().__init__(folder)
        self.write("api/public/lamps.yaml", LAMPS + schemas)

    def make(self):
        return subprocess.run([sys.executable, TOOL, "api", ".", "room", "--depfile", "out.d"], cwd=self.folder,
                              capture_output=True, text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})

    def made(self):
        done = self.make()
        assert done.returncode == 0, done.stderr
        return [(self.folder / f"room_records.{end}").read_text() for end in "hc"]


def test_struct(tmp_path):
    header, _ = Rooms(tmp_path, SCHEMAS).made()
    struct = header[header.index("/* A room. */\nstruct room {"):].split("};")[0]
    assert [line.strip().split(";")[0] for line in struct.splitlines()[2:]] == [
        "struct id id", "struct str name", "int64_t floor", "int64_t seen_at_us", "int64_t opening_start_minute",
        "bool is_dark", "struct str colour", "struct id account_id", "bool is_full"]
    assert "const struct json_value *guests;" in header and "struct id id; /* Its ID. */" in header
    assert "ROOM_FLOOR_FIELD = 2," in header and "ROOM_SEEN_AT_US_FIELD" not in header
    for line in ("extern const struct record room_listed_record;", "const char *room_name_check(struct str value);",
                 "void room_check(void *body, uint64_t seen, struct faults *faults);"):
        assert line in header
    assert "api/public/lamps.yaml" in (tmp_path / "out.d").read_text()


def test_tables(tmp_path):
    _, source = Rooms(tmp_path, SCHEMAS).made()
    source = " ".join(source.split())
    for field in (
            'RECORD_ID(struct room, id, .name = "id", .column = "id"),',
            'RECORD_STR(struct room, name, .name = "name", .body = "name", .column = "name", .minimum = 1, '
            '.maximum = 20, .check = room_name_check),',
            'RECORD_INT2(struct room, floor, .name = "floor", .body = "floor", .column = "storey", '
            '.minimum = -2, .maximum = 90),',
            'RECORD_TIMESTAMP(struct room, seen_at_us, .name = "seenAt", .column = "seen_at", .nullable = true),',
            'RECORD_OPEN(.name = "opening"), RECORD_CLOCK(struct room, opening_start_minute, .name = "start", '
            '.body = "openingStart", .column = "opening_start_minute"), RECORD_CLOSE(),',
            'RECORD_BOOL(struct room, is_dark, .column = "is_dark"), '
            'RECORD_OPEN(.name = "lamp", .nullable = true, .offset = offsetof(struct room, is_dark)), '
            'RECORD_STR(struct room, colour, .name = "colour", .column = "colour", .nullable = true, '
            '.is_optional = true), RECORD_CLOSE(),',
            'RECORD_ID(struct room, account_id, .column = "account_id"),',
            'RECORD_ANY(struct visit, guests, .body = "guests", .required = true), '
            'RECORD_STR(struct visit, note, .body = "note", .minimum = 0, .maximum = 9), }; '
            'const struct record visit_record = RECORD(struct visit, visit_fields);'):
        assert field in source
    assert "room_record = RECORD(struct room, room_fields, .check = room_check);" in source


@pytest.mark.parametrize("old, new, fault", [
    ("x-displayd-column: storey", "x-displayd-colum: storey", "x-displayd-colum: storey means nothing here"),
    ("x-displayd-type: int2, ", "", "floor: say its x-displayd-type, int2, int4 or int8: it is in rows"),
    ("          x-displayd-null-if: is_dark\n", "", "lamp: say by x-displayd-null-if which member says that it is null"),
    ("to: name", "to: names", "to: there is no property names"),
    ("sets: {", "set: {", "room: set means nothing here"),
    ("openingStart:", "openingEnd:", "openingEnd: no record of Room has this member"),
    ("maxLength: 20, ", "", "name: minLength without maxLength"),
    ("guests: {type: array}", "guests: {type: array, x-displayd-type: list}", "x-displayd-type: list means nothing here"),
    ("visit: {file: room, ", "visit: {", "visit: meson.build has no file visit of records"),
    ("struct: room, ", "struct: hall, file: room, ", None),
    ("    Visit:\n", TWO_CHANGES, "floor: give it the same place in all bodies of struct step: a statement knows by its bit "
     "whether to change its column"),
    ("    Visit:\n", TWO_CHANGES.replace("{at: {type: string}, ", "{"), None),
])
def test_faults_name_file_and_line(tmp_path, old, new, fault):
    schemas = SCHEMAS.replace(old, new)
    assert schemas != SCHEMAS
    done = Rooms(tmp_path, schemas).make()
    if fault is None:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 1 and done.stderr.startswith("api/public/lamps.yaml:"), done.stderr
    place, _, text = done.stderr.strip().partition(": ")
    assert text.endswith(fault) and int(place.split(":")[1]) > 20


def test_an_operation_reads_its_body_by_a_record_of_the_schema(tmp_path):
    lamps = LAMPS.replace('requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}',
                          'requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Visit"}}}}')
    rooms = Rooms(tmp_path, SCHEMAS)
    rooms.write("api/public/lamps.yaml", lamps + SCHEMAS)
    done = rooms.make()
    assert done.returncode == 1 and "PATCH /v1/lamps/{lampId} reads it by lamp_record, which is none" in done.stderr
    rooms.write("api/public/lamps.yaml", (lamps + SCHEMAS).replace("lamp_record", "visit_record"))
    assert rooms.make().returncode == 0


EXPORT = {
    "src/domain/account_line.c": """
#define NAME TEXT(name, "name", 1)
static const struct record_field room_fields[] = {
    LINE_OF(ROOM),
    NAME,
    NUMBER(floor, "floor", 0, 9),
    RECORD_CLOCK(LINE, start, .body = "opening"),
};
""",
    "sql/query/account_export.sql": "SELECT json_build_object('kind', 'room', 'name', name, 'floor', f(a), 'opening', b)",
    "sql/schema/09_old.sql": "CREATE FUNCTION account_import_line_apply() AS $$\n\tWHEN 'room' THEN\n\tEND CASE;\n$$",
    "sql/migration/0002_new.sql": "CREATE OR REPLACE FUNCTION account_import_line_apply() AS $$\n\tWHEN 'room' THEN\n"
                                  "\t\tINSERT name, floor, opening\n\tWHEN 'hall' THEN\n\t\tname\n\tEND CASE;\n$$",
}
EXPORTED = (SCHEMAS.replace("    RoomUpdate:\n", "    RoomUpdate:\n      x-displayd-exported: room\n")
            .replace("openingStart: {", "openingStart: {x-displayd-exported-as: opening, "))
ROOMS = LAMPS.replace('requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Lamp"}}}}',
                      'requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/RoomUpdate"}}}}')


def make_exported(folder, schemas, files):
    rooms = Rooms(folder, schemas)
    rooms.write("api/public/lamps.yaml", ROOMS + schemas)
    rooms.write("api/pages/lamps.yaml", ROOMS + schemas)
    for name, text in files.items():
        rooms.write(name, text)
    return subprocess.run([sys.executable, TOOL, "api", ".", "room", "--export", "."], cwd=folder, capture_output=True,
                          text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})


def test_exported(tmp_path):
    done = make_exported(tmp_path, EXPORTED, EXPORT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("old, new, file, fault", [
    ("      x-displayd-exported: room\n", "", None, "PATCH /v1/lamps/{lampId} changes this: say by x-displayd-exported"),
    ("    Visit:\n", "    Visit:\n      x-displayd-exported: room\n", None, "guests is lost by an export: no body of the line room has guests"),
    ("openingStart: {x-displayd-exported-as: opening, ", "openingStart: {x-displayd-column: false, ", None, "openingStart is lost by an export: it has no column"),
    ("x-displayd-exported: room", "x-displayd-exported: house", None, "has no line of the kind house"),
    ("'floor', ", "", "sql/query/account_export.sql", "floor is lost by an export: sql/query/account_export.sql has no floor"),
    ("name, floor, ", "name, ", "sql/migration/0002_new.sql", "floor is lost by an export: sql/migration/0002_new.sql has no floor"),
    ("LINE_OF(ROOM),\n", "", "src/domain/account_line.c", "src/domain/account_line.c has no line of the kind room"),
])
def test_settings_that_an_export_would_lose(tmp_path, old, new, file, fault):
    text = EXPORT[file] if file else EXPORTED
    assert old in text
    done = make_exported(tmp_path, EXPORTED if file else text.replace(old, new),
                         EXPORT | {file: text.replace(old, new)} if file else EXPORT)
    assert done.returncode == 1 and fault in done.stderr and done.stderr.startswith("api/"), done.stderr
    assert done.stderr.split(":")[1].isdigit()


def test_a_reason_not_to_export(tmp_path):
    reason = EXPORTED.replace("x-displayd-exported-as: opening", "x-displayd-not-exported: it differs here")
    assert make_exported(tmp_path, reason, EXPORT).returncode == 0


def test_members_that_are_made(tmp_path):
    """Members that account_line.c does not name: those of the first format are required."""
    lines = EXPORT["src/domain/account_line.c"].replace("    NAME,\n", "").replace('    NUMBER(floor, "floor", 0, 9),\n', "")
    update = "        openingStart: {"
    assert update in EXPORTED
    schemas = EXPORTED.replace(update, "        isDim: {type: boolean}\n        closing: {type: string, pattern: "
                               '"^([01][0-9]|2[0-3]):[0-5][0-9]$"}\n' + update)
    schemas = schemas.replace("        name: {type: string, description: Its name.}\n", "        name: {type: string, description: "
                              'Its name.}\n        isDim: {type: boolean}\n        closing: {type: string, pattern: '
                              '"^([01][0-9]|2[0-3]):[0-5][0-9]$"}\n')
    done = make_exported(tmp_path, schemas, EXPORT | {"src/domain/account_line.c": lines})
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "account_line_records.h").read_text()
    assert header.split("struct account_line_values {\n")[1].split("}")[0].split("\n\t") == [
        "\tstruct str room_name;", "int64_t room_storey;", "bool room_is_dim;", "int64_t room_closing_minute;\n"]
    assert header.split("#define ROOM_LINE_FIELDS")[1].split("\n\n")[0].replace(" \\\n    ", "\n").splitlines()[1:] == [
        'RECORD_STR(struct account_line, values.room_name, .body = "name", .required = true, .minimum = 1, .maximum = 20, '
        '.check = room_name_check),',
        'RECORD_INT2(struct account_line, values.room_storey, .body = "floor", .required = true, .minimum = -2, .maximum = 90),',
        'RECORD_BOOL(struct account_line, values.room_is_dim, .body = "isDim"),',
        'RECORD_CLOCK(struct account_line, values.room_closing_minute, .body = "closing"),']
    source = (tmp_path / "account_line_records.c").read_text()
    text = "".join(line.strip()[1:-1] for line in source.splitlines() if line.startswith("    ")).replace('\\"', '"').rstrip('"')
    assert json.loads(text) == {"room": {"name": "name", "floor": "storey", "isDim": "is_dim",
                                         "closing": ["closing_minute", "clock"]}}
