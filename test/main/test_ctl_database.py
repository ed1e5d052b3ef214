"""displayctl database show: with a running server, a stopped one, and a database elsewhere."""

import json
import os
import re
import subprocess

import backups
import psycopg2
import pytest
from ctl_scene import query
from server import DISPLAYCTL, CtlError, run_ctl

FIELDS = ["kind", "address", "version", "encoding", "collation", "schema", "connections",
          "isPooled", "bytes", "tables"]
TABLES = 10


def show_elsewhere(url, folder, **options):
    environment = os.environ | {"DISPLAYD_DATABASE": url}
    return run_ctl("--state-dir", os.path.join(folder, "none"), "database", "show",
                   env=environment, **options)


def test_of_a_running_server(running):
    shown = running.ctl("database", "show")
    assert list(shown) == FIELDS
    assert shown["kind"] == "private" and shown["isPooled"] is False
    assert shown["address"] == {"host": os.path.join(running.state_dir, "postgres/socket"),
                                "port": 5432, "database": "displayd", "user": "displayd"}
    [[version, most]] = query(running, "SELECT current_setting('server_version'), "
                                       "current_setting('max_connections')::int")
    assert shown["version"] == version
    assert shown["encoding"] == "UTF8" and shown["collation"]
    assert shown["schema"] == dict.fromkeys(("applied", "expected"), len(backups.migrations()))
    assert 1 < shown["connections"]["used"] <= shown["connections"]["most"] == most


def test_room(running):
    query(running, "CREATE TABLE large WITH (autovacuum_enabled = off) AS "
                   "SELECT repeat('x', 90) FROM generate_series(1, 50000)")
    try:
        shown = running.ctl("database", "show")
        [[bytes_of_it]] = query(running, "SELECT pg_total_relation_size('large')")
    finally:
        query(running, "DROP TABLE large")
    sizes = [table["bytes"] for table in shown["tables"]]
    assert len(sizes) == TABLES and sizes == sorted(sizes, reverse=True)
    assert list(shown["tables"][0]) == ["name", "bytes", "rowsAbout"]
    assert (shown["tables"][0]["name"], sizes[0]) == ("large", bytes_of_it)
    assert shown["bytes"] > sum(sizes)
    assert not any(table["name"].startswith("pg_") for table in shown["tables"])


def test_for_a_person(running):
    text = running.ctl("database", "show", json_output=False)
    assert re.search(r"^kind +private$", text, re.M)
    assert re.search(r"^address\.host +/.*/postgres/socket$", text, re.M)
    assert re.search(r"^schema\.applied +\d+$", text, re.M)
    assert re.search(r"^size +\d+\.\d MiB$", text, re.M)
    head, tables = text.split("\n\n")
    assert "bytes" not in head
    lines = tables.splitlines()
    assert lines[0] == "The largest tables, with their indexes:"
    assert re.fullmatch(r"table +size +rowsAbout", lines[1]) and len(lines) == 2 + TABLES
    assert all(re.fullmatch(r"\w+ +\d+(\.\d)? [KM]iB +\d+", line) for line in lines[2:])


def test_of_a_server_that_does_not_run(launch):
    server = launch().start()
    before = server.ctl("database", "show")
    server.stop()
    done = subprocess.run([DISPLAYCTL, "--state-dir", server.state_dir, "--json", "database", "show"],
                          capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    assert f"no displayd is running on {server.state_dir}: " in done.stderr
    assert (shown["address"], shown["schema"]) == (before["address"], before["schema"])
    assert not os.path.exists(os.path.join(server.state_dir, "postgres/data/postmaster.pid"))
    server.start()  # nothing holds it


def test_where_there_is_none(folder):
    """If there is no database, none is created."""
    path = os.path.join(folder, "none")
    for state_dir, why in ((folder, f"no database in {folder}"),
                           (path, f"cannot open the state directory {path}")):
        with pytest.raises(CtlError) as caught:
            run_ctl("--state-dir", state_dir, "database", "show")
        assert caught.value.code == 5
        assert caught.value.text.startswith(f"displayctl: {why}")
        assert os.listdir(folder) == []


def test_a_database_that_cannot_be_reached(folder):
    with pytest.raises(CtlError) as caught:
        show_elsewhere("postgresql://ada:open-sesame@127.0.0.1:1/x", folder)
    assert caught.value.code == 5 and "open-sesame" not in caught.value.text


def test_a_database_elsewhere(postgres, folder):
    """The password is never shown, and a role that owns nothing may ask."""
    url = postgres.create_database()
    name = psycopg2.extensions.parse_dsn(url)["dbname"]
    role = f"ada_{name}"  # the cluster, to which roles belong, is that of other tests, too
    postgres.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'open-sesame'")
    postgres.execute(f"GRANT SELECT ON schema_migration TO {role}", database=name)
    with psycopg2.connect(url) as database:
        host, port = database.info.host, database.info.port
    parts = f"host={host} port={port} dbname={name} user={role} password=open-sesame"
    shown = show_elsewhere(parts, folder)
    assert shown["kind"] == "external" and shown["isPooled"] is False
    assert shown["address"] == {"host": host, "port": int(port), "database": name, "user": role}
    assert shown["schema"]["applied"] == shown["schema"]["expected"]
    assert len(shown["tables"]) == TABLES
    assert "open-sesame" not in str(shown) + show_elsewhere(parts, folder, json_output=False)


def test_an_empty_database(postgres, folder):
    shown = show_elsewhere(postgres.create_empty(), folder)
    assert shown["schema"] == {"applied": 0, "expected": len(backups.migrations())}
    assert shown["tables"] == [] and shown["bytes"] > 0


def test_a_newer_database(postgres, folder):
    """displayd does not start on a newer database; this command names the reason."""
    url = postgres.create_database()
    with psycopg2.connect(url) as database, database.cursor() as cursor:
        cursor.execute("INSERT INTO schema_migration (number, name, sha256) "
                       "SELECT max(number) + 1, 'later', '' FROM schema_migration")
    schema = show_elsewhere(url, folder)["schema"]
    assert schema["applied"] == schema["expected"] + 1
