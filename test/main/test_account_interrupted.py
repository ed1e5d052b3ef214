"""An import of an account that is interrupted is resumed, or leaves nothing."""

import concurrent.futures
import hashlib
import json
import os
import signal
import subprocess
import uuid

import pytest
from ctl_scene import database_of, query
from private_socket import ask_operator
from server import CtlError, Server, amount, wait_until

EMAIL = "many@example.org"
CREATED = "2026-11-20T08:15:30.123Z"
MANY = amount(1200, 3000)  # devices, half of which take more than displayctl sends at once (PART_BYTES)
TRIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../sql/query/account_import_trim.sql")
WAITS = ("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
         "AND query LIKE '%%account_import_apply%%'")


@pytest.fixture(scope="module")
def server():
    with Server() as one:
        one.ctl("account", "create", "first@example.org")
        yield one


def export_of(devices):
    """Bytes of an export with this many devices, each with an entry of an app of the same account, and the
    offset after the first half."""
    app = {"kind": "app", "id": str(uuid.uuid4()), "slug": "many-clock", "name": "Clock", "description": "",
           "visibility": "private", "isDisabled": False, "createdAt": CREATED}
    lines = [{"kind": "account", "format": 1, "email": EMAIL, "name": "Many", "createdAt": CREATED}, app]
    for number in range(devices):
        device = str(uuid.uuid4())
        lines.append({"kind": "device", "id": device, "name": f"Panel {number}", "linkKeyHash": uuid.uuid4().hex * 2,
                      "createdAt": CREATED, "isDisabled": False, "brightness": 20, "volume": 50, "autoDim": False,
                      "timezone": "UTC", "scheduleInterval": 60, "isSleepOn": False, "sleepStart": "22:00",
                      "sleepEnd": "06:00", "nightBrightness": 5, "pictureLimit": 60000, "locale": "en"})
        lines.append({"kind": "entry", "device": device, "id": "clock", "createdAt": CREATED, "app": "many-clock",
                      "settings": {}, "isEnabled": True, "weekdays": 127, "isPinned": False, "isNight": False})
    rows = [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]
    data = b"".join(rows)
    end = {"kind": "end", "lines": len(rows) + 1, "sha256": hashlib.sha256(data).hexdigest()}
    return data + json.dumps(end).encode() + b"\n", len(b"".join(rows[:len(rows) // 2]))


def begin(server):
    return subprocess.Popen([os.environ["DISPLAYCTL"], "--json", "--state-dir", server.state_dir, "import", "-"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def staged(server):
    return query(server, "SELECT count(*) FROM account_import_line")[0][0]


def accounts(server):
    return {one["email"]: one["devices"] for one in server.ctl("account", "list")}


def forget(server):
    query(server, "DELETE FROM app")
    query(server, "DELETE FROM account WHERE email = %s", EMAIL)
    query(server, "DELETE FROM account_import")
    query(server, "DELETE FROM account_import_line")


def write_half(server, process, data, half):
    process.stdin.write(data[:half])
    process.stdin.flush()
    wait_until(lambda: staged(server) > 0, "lines that are staged")


def test_displayctl_killed(server):
    """If displayctl is killed, nothing of the account exists. The import can be repeated at once, and
    leftovers are removed."""
    data, half = export_of(MANY)
    process = begin(server)
    write_half(server, process, data, half)
    process.kill()
    process.communicate()
    assert accounts(server) == {"first@example.org": 0} and server.ctl("device", "list") == []
    process = begin(server)
    told, said = process.communicate(data)
    assert process.returncode == 0, said
    assert json.loads(told) == {"account": EMAIL, "devices": MANY, "entries": MANY, "apps": 1, "versions": 0, "keys": 0,
                                "skipped": 0}
    assert accounts(server)[EMAIL] == MANY
    assert query(server, "SELECT actor, target FROM audit_entry WHERE action = 'account.import'") == [
        ("displayctl", EMAIL)]
    query(server, "UPDATE account_import SET ends_at = present_time()")
    refused = begin(server)
    refused.communicate(data)  # its end lets a worker check
    assert refused.returncode == 4
    wait_until(lambda: staged(server) == 0, "the end of what was staged")
    wait_until(lambda: query(server, "SELECT count(*) FROM account_import") == [(0,)], "the end of the imports")
    forget(server)


def test_workers_killed_between_lines(server):
    """If workers are killed between lines, the import goes on with the next worker."""
    data, half = export_of(MANY)
    process = begin(server)
    write_half(server, process, data, half)
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    told, said = process.communicate(data[half:])
    assert process.returncode == 0, said
    assert json.loads(told)["devices"] == MANY
    assert accounts(server)[EMAIL] == MANY
    forget(server)


@pytest.mark.parametrize("is_taken", (False, True))
def test_workers_killed_while_it_is_applied(server, is_taken):
    """If workers are killed while the import is applied, the statement ends with all or nothing, and
    displayctl reports the outcome."""
    data, _ = export_of(50)
    last = [json.loads(line) for line in data.split(b"\n")[:-1] if b'"device"' in line][-2]["id"]
    with database_of(server) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("INSERT INTO device (id, account_id, name, link_key_hash) SELECT %s, id, 'x', sha256('x') "
                       "FROM account WHERE email = 'first@example.org'", (last,))
        process = begin(server)
        process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
        wait_until(lambda: query(server, WAITS) == [(1,)], "an import that waits")
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
        server.wait_until_ready()
        assert accounts(server) == {"first@example.org": 0}
        if is_taken:
            holder.commit()
        else:
            holder.rollback()
    told, said = process.communicate()
    if is_taken:
        assert process.returncode == 4 and b"a device with this ID already" in said, said
        assert list(accounts(server)) == ["first@example.org"]
        query(server, "DELETE FROM device")
    else:
        assert process.returncode == 0, said
        assert json.loads(told)["devices"] == 50 and accounts(server)[EMAIL] == 50
    forget(server)


def test_an_export_that_is_cut_off(server, tmp_path):
    """An export that is cut off leaves no file, whichever side ends."""
    data, _ = export_of(MANY)
    process = begin(server)
    process.communicate(data)
    path = tmp_path / "many"
    server.ctl("export", "--account", EMAIL, str(path))
    kinds = [json.loads(line)["kind"] for line in path.read_bytes().split(b"\n")[:-1]]
    assert kinds == ["account", "app", *["device", "entry"] * MANY, "end"]
    path.unlink()
    os.mkfifo(tmp_path / "full")
    with pytest.raises(CtlError):
        server.ctl("export", "--account", EMAIL, str(tmp_path / "full"))
    process = subprocess.Popen([os.environ["DISPLAYCTL"], "--state-dir", server.state_dir, "export", "--account", EMAIL,
                                "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(1000)
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    rest, said = process.communicate()
    assert process.returncode != 0 or b'"kind":"end"' in rest, said
    forget(server)


def test_as_many_as_may_be(server):
    """Above the limit of parallel imports, others are told to wait until one ends."""
    data, half = export_of(MANY)
    processes = [begin(server) for _ in range(4)]
    for number, process in enumerate(processes):
        process.stdin.write(data[:half])
        process.stdin.flush()
        wait_until(lambda: query(server, "SELECT count(*) FROM account_import") == [(number + 1,)], "an import")
    fifth = begin(server)
    said = fifth.communicate(data)[1]
    assert fifth.returncode == 5 and b"4 account imports are running" in said, said
    for process in processes:
        process.kill()
        process.communicate()
    forget(server)
    process = begin(server)
    assert process.communicate(data) and process.returncode == 0
    forget(server)


def test_bounds(server):
    """displayctl names the reason if an import is too large or was not continued in time."""
    data, half = export_of(MANY)
    for column, value, code, why in (("line_count", 200000, 2, b"200000 lines"),
                                     ("byte_count", 4 << 30, 2, b"4096 MiB"),
                                     ("ends_at", "2000-01-01", 3, b"not continued in time")):
        process = begin(server)
        write_half(server, process, data, half)
        query(server, f"UPDATE account_import SET {column} = %s", value)
        said = process.communicate(data[half:])[1]
        assert process.returncode == code and why in said, said
        assert list(accounts(server)) == ["first@example.org"]
        forget(server)


def lines_of(data):
    return data.decode().split("\n")[:-2]


def begun(server, data):
    """An import to which all lines were sent: its ID."""
    found = json.loads(post(server, "/web/admin/imports", {"publicApps": False}).body)["id"]
    assert send(server, found, lines_of(data)).status == 200
    return found


def send(server, found, lines, first=1):
    return post(server, f"/web/admin/imports/{found}/lines", {"firstLine": first, "lines": "\n".join(lines)})


def post(server, path, body=None):
    return ask_operator(server, "POST", path, {} if body is None else body)


def apply(server, found):
    return post(server, f"/web/admin/imports/{found}/apply")


def test_applied_again(server):
    """If the answer is lost, a repeat returns the same result. No lines of the import remain."""
    found = begun(server, export_of(20)[0])
    told = apply(server, found)
    assert told.status == 200 and staged(server) == 0
    query(server, "UPDATE account_import SET ends_at = '2000-01-01'")
    assert apply(server, found).body == told.body
    query(server, "TRUNCATE account_import, account_import_line")  # as PostgreSQL does after a crash
    assert apply(server, found).body == told.body
    assert json.loads(told.body) == {"account": EMAIL, "devices": 20, "entries": 20, "apps": 1, "versions": 0, "keys": 0,
                                     "skipped": 0}
    forget(server)
    assert apply(server, found).status == 404


def test_others_meanwhile(server):
    """While an import is applied, it stays busy beyond its time; other accounts are made and apps imported."""
    data, _ = export_of(50)
    last = [json.loads(line) for line in lines_of(data) if '"device"' in line][-2]["id"]
    found = begun(server, data)
    with database_of(server) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("INSERT INTO device (id, account_id, name, link_key_hash) SELECT %s, id, 'x', sha256('x') "
                       "FROM account WHERE email = 'first@example.org'", (last,))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            first = pool.submit(apply, server, found)
            wait_until(lambda: query(server, WAITS) == [(1,)], "an import that waits")
            query(server, "SET lock_timeout = '5s'; UPDATE site SET account_count = account_count")
            query(server, "SET lock_timeout = '5s'; LOCK TABLE app_collection IN SHARE ROW EXCLUSIVE MODE")
            assert apply(server, found).status == 503
            holder.rollback()
            assert first.result().status == 200
    counts = query(server, "SELECT device_count, app_count, owned_app_count, reaches_local, (SELECT account_count FROM site) "
                           "FROM account WHERE email = %s", EMAIL)
    assert counts == [(50, 1, 1, False, 2)]
    forget(server)


def test_lines_that_come_again(server):
    """Repeated lines count once, and do not replace each other."""
    lines = lines_of(export_of(20)[0])
    found = begun(server, export_of(0)[0])
    query(server, "DELETE FROM account_import_line")
    query(server, "UPDATE account_import SET line_count = 0, byte_count = 0")
    counted = "SELECT line_count, byte_count > 0 FROM account_import"
    for _ in range(2):
        assert send(server, found, lines).status == 200
        assert query(server, counted) == [(42, True)]
    refused = send(server, found, [lines[4]], first=3)
    assert refused.status == 409 and b"line 3 of the file has come before with another text" in refused.body
    query(server, "UPDATE account_import SET line_count = 200000")
    assert send(server, found, lines).status == 200
    assert send(server, found, [lines[0]], first=43).status == 413
    assert staged(server) == 42
    forget(server)


def test_what_is_removed_in_portions(server):
    """A portion has about 8 MiB, however many lines it contains."""
    found = begun(server, export_of(0)[0])
    query(server, "INSERT INTO account_import_line (import_id, number, kind, name, line) SELECT %s, 100 + number, 'entry', "
                  "'x', number || text FROM generate_series(1, 40) AS one (number), (SELECT "
                  "string_agg(gen_random_uuid()::text, '') AS text FROM generate_series(1, 30000)) AS random", found)
    with open(TRIM, encoding="utf-8") as file:
        trim = file.read().replace(":row_limit", "1000").replace(":byte_limit", "8388608").replace("%", "%%")
    query(server, "UPDATE account_import SET ends_at = '-infinity'")
    portions = []
    with database_of(server) as connection, connection.cursor() as cursor:
        while True:
            cursor.execute(trim)
            rows = cursor.fetchall()
            if not rows:
                break
            portions.append(rows[0][0])
    assert len(portions) > 3 and sum(portions) == 42 and max(portions) < 20
    assert staged(server) == 0 and query(server, "SELECT count(*) FROM account_import") == [(0,)]
