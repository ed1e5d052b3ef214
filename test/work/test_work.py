"""Rows that statements read beside many rows of each kind (rows.sql).

A statement whose header says "work: bounded" reads at most a few rows for each row that it returns,
changes or was asked for. WORK_ROWS: number of rows of each kind. """

import json
import os
import re
import sys

import psycopg2
import pytest

from postgres import shared

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
MADE = os.path.join(os.path.dirname(os.environ["DISPLAYD"]), "../domain")  # records that the build has made
sys.path.insert(0, os.path.join(ROOT, "tools"))
generate_statements = pytest.importorskip("generate_statements")
record_tables = pytest.importorskip("record_tables")

ROWS = int(os.environ.get("WORK_ROWS", "4000"))
# Rows read for each requested, returned or changed row: the row and its related rows, in as many tables.
# Also the fixed allowance of each statement.
ROWS_FOR_EACH, ROWS_MORE = 10, 60
# Pages: an index is three or four levels deep, and each insert updates several.
PAGES_FOR_EACH, PAGES_MORE = 60, 600
ENTRIES = 100  # maximum for a device; an account has fewer sessions
SETTINGS = """
    SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off;
    SET track_functions = none"""


def key(kind, number):
    return f"{kind:08x}-0000-0000-0000-{number:012x}"


def of_hash(kind, number):
    return f"hash({kind}, {number})"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


NONE = quoted(key(0, 0))
ALL_DEVICES = [key(3, number) for number in range(101, 165)]  # of several accounts, as in a worker
RENDER_KEYS = ", ".join(f"encode({of_hash(8, number)}, 'hex')" for number in range(1, 65))
# By name of the parameter: SQL of the type.
VALUES = {
    "account_id": quoted(key(1, 1)), "actor_id": quoted(key(1, 1)), "reviewer_id": quoted(key(1, 2)),
    "device_id": quoted(key(3, 1)), "app_id": quoted(key(4, 1)), "version_id": quoted(key(5, 2)),
    "slug": quoted("app-1"), "name": quoted("Name"), "email": quoted("account-1@example.org"),
    "render_key": of_hash(8, 2), "claim": quoted(key(16, 1)), "engine": quoted("engine"), "locale": quoted("en"),
    "languages": "'{STARLARK,TYPESCRIPT}'", "row_limit": "100", "after_name": "''", "after_id": NONE,
    "after_app": NONE, "after_device": NONE, "after_created_at": "'1970-01-01'", "after_sequence": "0",
    "before_sequence": str(2 ** 62), "before_id": str(2 ** 62), "wanted": "'zqzq'",
    "render_keys": f"ARRAY[{RENDER_KEYS}]", "known_generations": f"array_fill(0, '{{{64}}}')",
    "app_generations": f"array_fill(0, '{{{64}}}')", "render_generations": f"array_fill(0, '{{{64}}}')",
    "known_push_generations": f"array_fill(0, '{{{64}}}')",
    "ids": "'{" + ",".join(ALL_DEVICES) + "}'", "device_ids": "'{" + ",".join(ALL_DEVICES) + "}'",
    "account_ids": "'{" + ",".join(key(1, number) for number in range(1, 33)) + "}'",
    "lease_ms": "30000", "lease_s": "60", "life_s": "86400", "idle_s": "86400", "sessions_max": "50",
    "device_limit": "1000", "password_hash": quoted("$argon2id$x"), "picture": "'x'", "duration_s": "10",
    "script_content": "'x'", "script_language": "'STARLARK'", "checksum": "'sha256:x'",
    "serial": quoted("serial-1"), "mac": "'00:00:00:00:00:01'", "credential_id": quoted("credential-1"),
    "source_id": quoted(key(3, 1)), "source_entry": "'e1'", "revision": "1", "visibility": "'public'", "timezone": "'UTC'", "is_good": "true", "hosts": "'example.net'",
    "settings": "'{}'", "settings_hash": of_hash(17, 1), "link_key_hash": of_hash(17, 2),
    "algorithm": "-7", "public_key": "'x'", "challenge": of_hash(17, 3), "status": "'APPROVED'",
    "ages_us": "array_fill(0, '{64}')", "holds": "array_fill(2, '{64}')", "displayed_at": "array_fill(now(), '{64}')",
    "push_generations": "array_fill(1, '{64}')", "hash": "'y'", "first_characters": "'ddk_x'",
    "address": "'192.0.2.1'", "user_agent": "'x'", "kind": "1", "brightness": "50", "night_brightness": "1",
    "seen_hash": "sha256('{}')", "weekdays": "127", "start_minute": "-1", "end_minute": "-1",
    "firmware_versions": "array_fill('2'::text, '{64}')", "firmware_types": "array_fill('x'::text, '{64}')",
    "protocol_versions": "array_fill(1, '{64}')", "hostnames": "array_fill('x'::text, '{64}')",
    "ssids": "array_fill('x'::text, '{64}')", "wifi_signals": "array_fill(-50, '{64}')",
}
# Values for one statement, or for those whose names have this prefix.
SPECIAL = {
    "key_find": {"secret_hash": of_hash(2, 1)}, "session_find": {"secret_hash": of_hash(12, 1)},
    "link_": {"secret_hash": of_hash(13, 1)}, "link_create_password": {"secret_hash": of_hash(17, 4)},
    "session_start": {"id": quoted(key(17, 1)), "secret_hash": of_hash(17, 4)},
    "identity_register": {"email": "'new@example.org'", "issuer": "'https://example.org'", "subject": "'new'"},
    "app_archive_": {"url": "'https://example.org/apps.zip'"},
    "session_": {"id": quoted(key(12, 1)), "current_id": quoted(key(12, 1))},
    "sessions_alive": {"ids": "'{" + key(12, 1) + "}'"}, "key_used": {"ids": "'{" + key(2, 1) + "}'"},
    "own_key_": {"id": quoted(key(2, 2)), "scope": "'push'", "device_ids": "'{" + key(3, 1) + "}'"},
    "own_key_create": {"id": quoted(key(17, 1)), "secret_hash": of_hash(17, 5), "scope": "'push'",
                       "device_ids": "'{" + key(3, 1) + "}'"},
    "own_key_end": {"id": quoted(key(2, 1999))}, "mqtt_set": {"key_hash": of_hash(2, 2)},
    "own_device_create": {"serial": "'new'", "mac": "'02:ff:00:00:00:01'",
                          "id": quoted(key(17, 1))},
    "account_get": {"id": quoted(key(1, 1))}, "account_rename": {"id": quoted(key(1, 1))},
    "member_update": {"id": quoted(key(1, 3))}, "account_register": {"email": "'new@example.org'"},
    "app_by_id": {"id": quoted(key(4, 1))}, "app_update": {"id": quoted(key(4, 1))},
    "own_app_get": {"id": quoted(key(4, 1))}, "app_script": {"id": quoted(key(5, 1))},
    "app_create": {"slug": "'new'", "account_id": quoted(key(1, ROWS))}, "review_": {"id": quoted(key(6, 1))},
    "app_version_review": {"id": quoted(key(6, 1)), "comments": "'{}'", "lines": "'{}'", "reason": "NULL"},
    "app_version_upload": {"app_id": quoted(key(4, 2))}, "version_code": {"id": quoted(key(5, 1))},
    "app_version_list": {"app_id": quoted(key(4, 2))}, "app_version_part": {"app_id": quoted(key(4, 2))},
    "own_version_list": {"app_id": quoted(key(4, 2))}, "own_version_part": {"app_id": quoted(key(4, 2))},
    "app_version_deploy": {"app_id": quoted(key(4, 2)), "name": "'v1'"},
    "app_version_draft": {"app_id": quoted(key(4, 2)), "name": "'v1'"},
    "account_close": {"account_id": quoted(key(1, 3))}, "version_check_lease": {"language": "'STARLARK'"},
    "webhook_secret": {"key_hash": of_hash(2, 2)},
    "version_check_store": {"version_id": quoted(key(6, 3)), "verdict": "'{}'"},
    "version_check_hold": {"version_id": quoted(key(6, 3))},
    "version_check_get": {"app_id": quoted(key(4, 2)), "name": "'v1'"},
    "device_by_id": {"id": quoted(key(3, 1))},
    "device_update": {"id": quoted(key(3, 1)), "change.brightness": "50", "change.volume": "50",
                      "change.timezone": "'Europe/Paris'"},
    "device_follow": {"id": quoted(key(3, 1)), "leader_id": quoted(key(3, 2))},
    "device_unfollow": {"id": quoted(key(3, 1))}, "device_leader": {"device_id": quoted(key(3, 1))},
    "own_device_": {"id": quoted(key(3, 1))}, "panel_mac": {"id": quoted(key(3, 1))},
    "installation_": {"id": "'e1'"}, "installation_create": {"id": "'new'", "device_id": quoted(key(3, 101))}, "rotation_": {"id": "'e1'"},
    "rotation_order": {"ids": "'{}'"}, "entry_": {"id": "'e1'"},
    "entry_copy": {"id": "'new'", "source_id": quoted(key(3, 1)), "source_entry": "'e1'", "device_id": quoted(key(3, 101))},
    "panel_picture": {"id": "'e1'"},
    "push_store_installation": {"device_id": quoted(key(3, 101)), "id": "'pushed'"},
    "passkey_": {"id": quoted(key(14, 1))}, "invitation_revoke": {"id": quoted(key(13, 1))},
    "invitation_create": {"email": "'new@example.org'"},
    "passkey_create": {"id": quoted(key(17, 1)), "account_id": quoted(key(1, ROWS)), "credential_id": "'new'"},
    "account_password": {"email": quoted("account-2@example.org")},
    "app_allow": {"id": quoted(key(4, 1))}, "app_remove": {"id": quoted(key(4, 1))},
    "account_create": {"id": quoted(key(17, 1)), "email": "'new@example.org'"},
    "account_remove": {"id": quoted(key(1, 3))}, "operator_link_create": {"secret_hash": of_hash(17, 4)},
    "firmware_": {"id": quoted(key(3, 1))}, "firmware_look": {}, "firmware_part": {"start": "0", "length": "65536"}, "firmware_fetched": {}, "firmware_set": {"id": quoted(key(3, 1)), "settings": "'{}'"},
    "device_reboot": {"id": quoted(key(3, 1))}, "device_move": {"id": quoted(key(3, 1))},
    "tronbyt_import": {"line": quoted(json.dumps({
        "formerId": "0a1b2c3d", "aliasIsGuessable": False, "aliasIsOpen": False, "name": "New", "timezone": "UTC", "locale": "en", "board": "other", "colorFilter": "none", "nightColorFilter": "inherit", "dimColorFilter": "inherit", "brightness": 5, "scheduleInterval": 15,
        "sleepEnabled": False, "sleepStart": 0, "sleepEnd": 0, "nightBrightness": 0, "dimEnabled": False, "dimStart": 0,
        "dimBrightness": 0, "entries": []})), "device_limit": "1000000"},
    "firmware_add": {"board": "'tidbyt_gen1'", "version": "'1.0'"}, "app_collection_choose": {"source": "'/checkout'", "name": "'Name'"}, "app_source": {"installation_id": "'e1'"}, "entry_render": {"id": "'e2'"},
    "render_store": {"is_good": "false", "is_blamed": "true"}, "render_lease": {"version_id": quoted(key(5, 2))},
    "device_key_find": {"link_key_hash": of_hash(3, 1)}, "v0_device_": {"id": quoted(key(3, 1))}, "v0_installation_get": {"id": "'e1'"}, "v0_picture": {"id": "'e1'"},
    "webhook_": {"id": quoted(key(18, 1)), "lease": quoted(key(18, 1)), "status": "500",
                 "url": "'https://example.org'"},
    "account_access_end": {"account_id": quoted(key(1, ROWS))},
    "webhook_update": {"key_hash": of_hash(2, 2)},
    "webhook_create": {"id": quoted(key(17, 1)), "key_hash": of_hash(2, 2), "events": "2", "is_enabled": "true", "url": "'https://example.org'", "account_id": quoted(key(1, ROWS))},
    "webhook_lease": {"after": "'00000000-0000-0000-0000-000000000000'", "lease_ms": "1000",
                      "lease": quoted(key(18, 1))},
    "webhook_trim": {"row_limit": "10000"}, "webhook_online": {"row_limit": "1000"},
    "mqtt_": {"holder": quoted(key(18, 1)), "url": "'mqtt://a'", "username": "'u'", "row_limit": "40"}, "mqtt_told": {"error": "NULL"}, "mqtt_own": {"url": "'mqtt://a'", "username": "'u'"},
    "render_outdated": {"engine": "'newer'"}, "app_picture_": {"version_id": quoted(key(5, 1))},
}
ABSENT = {"uuid": NONE, "text": "''", "bytea": "'\\x00'", "bool": "false", "timestamptz": "now()",
          "int2": "0", "int4": "0", "int8": "0", "float8": "0", "macaddr": "'00:00:00:00:00:01'"}


def value_of(statement, name, kind):
    """Value of a parameter: that of the statement, of the longest prefix of its name, of the parameter's
    name, or of its type."""
    for start in sorted(SPECIAL, key=len, reverse=True):
        if statement["name"].startswith(start) and name in SPECIAL[start]:
            return SPECIAL[start][name]
    if "." in name:
        return "NULL"  # a record's field, which is missing
    if name in VALUES:
        return VALUES[name]
    if name == "id":
        return "gen_random_uuid()" if kind == "uuid" else "'e1'"
    if name.endswith("_hash") and kind == "bytea":
        return of_hash(17, 9)
    return "'{}'" if kind.endswith("[]") else ABSENT[kind]


def all_statements():
    records, _ = record_tables.read_folders(
        [os.path.join(ROOT, "src/domain"), os.path.join(ROOT, "src/ctl"), MADE], os.path.join(ROOT, "include"))
    statements, *_ = generate_statements.read_statements(os.path.join(ROOT, "sql/query"), records)
    # A prepared statement cannot create a table.
    return [statement for statement in statements
            if not statement["is_for_ctl"] and statement["name"] != "storage_probe"]


STATEMENTS = {statement["name"]: statement for statement in all_statements()}


@pytest.fixture(scope="module")
def database():
    with shared() as cluster:
        url = cluster.create_database()
        with open(os.path.join(HERE, "rows.sql"), encoding="utf-8") as file:
            cluster.execute(file.read().replace(":n", str(ROWS)), cluster.databases[-1])
        with psycopg2.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(SETTINGS)
            connection.commit()
            yield connection
        connection.close()


def read_by(cursor):
    """Rows read by this transaction, including its triggers."""
    cursor.execute("SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint "
                   "FROM pg_stat_xact_user_tables")
    return cursor.fetchone()[0]


def nodes_of(node):
    yield node
    for inner in node.get("Plans", ()):
        yield from nodes_of(inner)


def changed_by(plan):
    return sum(node["Actual Rows"] * node["Actual Loops"] for node in nodes_of(plan)
               if node["Node Type"] == "ModifyTable" and node["Actual Loops"])


def looked_at(plan):
    """Rows read by scans, including those that a filter discarded. An index-only scan reads no rows of a table."""
    return sum((node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
                + node.get("Rows Removed by Index Recheck", 0)) * node["Actual Loops"]
               for node in nodes_of(plan) if "Scan" in node["Node Type"] and "Relation Name" in node)


def run(connection, statement):
    """(rows read, pages read, rows requested)"""
    values = [value_of(statement, name, kind) for name, kind in statement["parameters"]]
    kinds = ", ".join(kind for _, kind in statement["parameters"])
    typed = ", ".join(f"({value})::{kind}" for value, (_, kind) in zip(values, statement["parameters"]))
    with connection.cursor() as cursor:
        try:
            cursor.execute(f"PREPARE work {f'({kinds})' if kinds else ''} AS {statement['text']}".replace("%", "%%"))
            before = read_by(cursor)
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE work "
                           + (f"({typed})" if typed else ""))
            explained = cursor.fetchone()[0][0]
            rows = max(read_by(cursor) - before, 0)
            cursor.execute(f"SELECT coalesce(sum(n), 0) FROM unnest(ARRAY[{counts(values, statement)}]::bigint[]) AS n")
            asked = int(cursor.fetchone()[0])
        finally:
            connection.rollback()
            cursor.execute("DEALLOCATE ALL")
            connection.commit()
    plan = explained["Plan"]
    rows = max(rows, looked_at(plan))
    pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return rows, pages, asked + plan["Actual Rows"] + changed_by(plan), json.dumps(explained, indent=1)


def counts(values, statement):
    """SQL of the number of requested rows: elements of arrays, and limits."""
    counted = [f"cardinality(({value})::{kind})" for value, (_, kind) in zip(values, statement["parameters"])
               if kind.endswith("[]")]
    return ", ".join(counted + [value for value, (name, _) in zip(values, statement["parameters"])
                                if name == "row_limit"])


# Statements that read everything of one device (the whole rotation) or of one account (its sessions, or the
# devices of its webhooks).
READS_ENTRIES = ("rotation_", "entry_retry", "installation_list", "installation_part", "own_device_remove", "device_update",
                 "panel_installations", "installation_", "picture_by_hash", "session_", "webhook_", "entry_move", "device_pin",
                 "script_install")

# Statements that sum the bytes of an account: its devices and apps, of limited number, have the partial
# sums. Also the one that checks its devices for expired entries.
READS_SUMS = re.compile(r"\b(account_bytes|push_room|app_takes|account_takes)\(")
READS_DEVICES = {"account_expire"}
SUMS = 100 + min(5000, ROWS // 2)  # rows.sql


@pytest.mark.parametrize("name", [name for name, statement in STATEMENTS.items() if not statement["grows"]])
def test_bounded(database, name):
    rows, pages, asked, explained = run(database, STATEMENTS[name])
    more = ENTRIES if name.startswith(READS_ENTRIES) else 0
    sums = SUMS if name in READS_DEVICES or READS_SUMS.search(STATEMENTS[name]["text"]) else 0
    rows_max = ROWS_MORE + more * 8 + sums + ROWS_FOR_EACH * asked
    pages_max = PAGES_MORE + more * 20 + 3 * sums + PAGES_FOR_EACH * asked
    assert rows <= rows_max and pages <= pages_max, (
        f"{name} was asked for {asked} rows, and read {rows} rows of {pages} pages; maximum {rows_max} and {pages_max}; "
        f"add an index, or \"-- work: grows with ...\" (include/db/statement.h)\n{explained}")


@pytest.mark.parametrize("name", [name for name, statement in STATEMENTS.items() if statement["grows"]])
def test_growing_ones_run(database, name):
    run(database, STATEMENTS[name])


# Scripts and their JavaScript have up to 4 MiB, so only statements that run, show, compare or store them may read them.
CODE = {"account_export", "app_archive_reach", "app_compile_store", "app_deployed_script", "app_draft_save", "app_import", "app_picture_next",
        "app_script", "app_version_draft", "app_version_upload", "render_lease", "review_scripts", "review_source", "encrypt_form", "version_check_lease",
        "version_code", "script_install"}


def test_code_is_read_where_it_is_used():
    """The size of a script is known without reading it."""
    texts = {name: re.sub(r"octet_length\([a-z_.]+\)", "", generate_statements.code_of(statement["text"]))
             for name, statement in STATEMENTS.items()}
    readers = {name for name, text in texts.items() if re.search(r"\b(script_content|javascript)\b", text)}
    assert readers - {"app_draft_get"} == CODE


@pytest.mark.parametrize("name", ["render_lease", "app_picture_next", "version_check_lease", "version_code", "review_source"])
def test_script_is_not_read_beside_its_javascript(name):
    assert re.search(r"CASE WHEN [^;]*javascript IS NULL\s+THEN [a-z_.]*script_content END",
                     STATEMENTS[name]["text"])
