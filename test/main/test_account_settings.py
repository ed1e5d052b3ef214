"""Settings that docs/api describes are exported and imported without being named by a statement or a file of C."""

import hashlib
import json
import os
import sys

import pytest
from ctl_scene import database_of, query
from server import CtlError, Server

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))

import exported  # noqa: E402

EMAIL = "ada@example.org"
VALUES = {"bool": "NOT {name}", "str": "{name}", "clock": "77"}
WITH_FORM = {"brightness_curve": "'3,8,16,35,100'",
             "leader_id": "(SELECT leader.id FROM device AS leader WHERE leader.serial = 'S-2')",
             "place_json": """'{"lat":"1","lng":"2","description":"","locality":"","place_id":"","timezone":"UTC"}'"""}


def value_of(name, setting):
    """Another value of a setting, in SQL. The one that it has, if only a check of C knows others."""
    if "enum" in setting.whole:
        return f"'{setting.whole['enum'][-1]}'"
    if name in WITH_FORM:
        return WITH_FORM[name]
    if setting.exported[1] == "str" and "maxLength" in setting.whole:
        return "'new'"
    return VALUES.get(setting.exported[1], f"{setting.whole.get('minimum', 0) + 2}").format(name=name)


@pytest.fixture(scope="module")
def source():
    with Server() as server:
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        server.ctl("device", "create", "--account", EMAIL, "--name", "Kitchen", "--serial", "S-1")
        yield server


def values_of(server, names):
    return query(server, f"SELECT {', '.join(names)} FROM device WHERE serial = 'S-1'")


@pytest.fixture
def leader(source):
    source.ctl("device", "create", "--account", EMAIL, "--name", "Hall", "--serial", "S-2")
    yield
    query(source, "DELETE FROM device WHERE serial = 'S-2'")


def with_end(path, lines):
    """Writes a file of lines that has a right end."""
    text = "".join(line + "\n" for line in lines)
    end = {"kind": "end", "lines": len(lines) + 1, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps(end, separators=(",", ":")) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("leader")
def test_settings_of_the_description(source, tmp_path):
    made = exported.of_tree()[0].made["device"]
    columns = {one.exported[0]: one for one in made.values()}
    assert {"brightness", "auto_dim", "schedule_interval_s"} <= set(columns)
    changes = [f"{name} = {value_of(name, one)}" for name, one in columns.items()]
    before = values_of(source, columns)
    query(source, f"UPDATE device SET {', '.join(changes)} WHERE serial = 'S-1'")
    source.ctl("export", "--account", EMAIL, path := str(tmp_path / "ada.export"))
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    [line] = [line for line in map(json.loads, lines) if line.get("serial") == "S-1"]
    assert set(made) <= set(line)
    with Server() as target:
        without = [text for text in lines[:-1] if json.loads(text).get("serial") != "S-2"]
        with pytest.raises(CtlError, match="the file has no device that it follows"):
            target.ctl("import", with_end(tmp_path / "without.export", without))
        # The leader's line comes after that of the follower.
        assert target.ctl("import", path)["devices"] == 2
        assert values_of(target, columns) == values_of(source, columns) != before


ROWS = [
    "INSERT INTO app (id, account_id, slug, name, description) SELECT md5('app')::uuid, id, 'clock', 'Clock', 'old' FROM account",
    "INSERT INTO app_draft (app_id, script_language, script_content) VALUES (md5('app')::uuid, 'STARLARK', 'old')",
    "INSERT INTO installation (device_id, id, position, picture, picture_hash, name) "
    "SELECT id, 'entry', 1, 'picture', 'h', 'old' FROM device",
    "INSERT INTO api_key (id, account_id, name, secret_hash) SELECT md5('key')::uuid, id, 'old', sha256('key') FROM account",
    "INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name) "
    "SELECT gen_random_uuid(), id, 'credential', -7, 'key', 1, 'old' FROM account",
]


@pytest.mark.parametrize("kind, table, column, members", [
    ("account", "account", "name", {}),
    ("app", "app", "description", {}),
    ("draft", "app_draft", "script_content", {}),
    ("device", "device", "name", {}),
    ("entry", "installation", "name", {"id": "entry"}),
    ("key", "api_key", "name", {"id": "key"}),
    ("passkey", "passkey", "name", {"credentialId": "credential"}),
])
def test_the_row_of_each_kind(source, kind, table, column, members):
    """account_import_settings() changes the row of a line; a member that the line lacks leaves its column."""
    with database_of(source) as connection, connection.cursor() as cursor:
        for row in ROWS:
            cursor.execute(row)
        cursor.execute("SELECT md5('key')::uuid::text, account.id::text, md5('app')::uuid::text, device.id::text FROM account, device")
        key, *ids = cursor.fetchone()
        line = {**members, **({"id": key} if kind == "key" else {}), "words": "new"}
        columns = {"words": column, "later": "no_such_column"}
        cursor.execute("SELECT account_import_settings(%s, %s, %s, %s, %s, %s)",
                       (json.dumps(columns), kind, json.dumps(line), *ids))
        cursor.execute(f"SELECT {column} FROM {table}")
        assert cursor.fetchall() == [("new",)]
        connection.rollback()


def test_kinds_of_values(source):
    with database_of(source) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id::text FROM device")
        [device] = cursor.fetchone()
        columns = {"from": ["dim_start_minute", "clock"], "isOn": "auto_dim", "share": "dim_brightness", "none": "serial"}
        cursor.execute("SELECT account_import_settings(%s, 'device', %s, NULL, NULL, %s)",
                       (json.dumps(columns), json.dumps({"from": "07:01", "isOn": True, "share": 3, "none": None}), device))
        cursor.execute("SELECT dim_start_minute, auto_dim, dim_brightness, serial FROM device")
        assert cursor.fetchall() == [(421, True, 3, None)]
        connection.rollback()
