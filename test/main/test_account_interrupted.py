"""An import of an account that is interrupted is resumed, or leaves nothing."""

import hashlib
import json
import os
import signal
import subprocess
import uuid

import pytest
from ctl_scene import database_of, query
from server import CtlError, Server, wait_until

EMAIL = "many@example.org"
CREATED = "2026-11-20T08:15:30.123Z"


@pytest.fixture(scope="module")
def server():
    with Server() as one:
        one.ctl("account", "create", "first@example.org")
        yield one


def export_of(devices):
    """The bytes of an export with so many devices, each with an entry of an app of its own account, and the place
    behind its first half."""
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
    """Nothing of it is there; it can be imported at once, and what is left of it is removed."""
    data, half = export_of(3000)
    process = begin(server)
    write_half(server, process, data, half)
    process.kill()
    process.communicate()
    assert accounts(server) == {"first@example.org": 0} and server.ctl("device", "list") == []
    process = begin(server)
    told, said = process.communicate(data)
    assert process.returncode == 0, said
    assert json.loads(told) == {"account": EMAIL, "devices": 3000, "entries": 3000, "apps": 1, "versions": 0, "keys": 0,
                                "skipped": 0}
    assert accounts(server)[EMAIL] == 3000
    assert query(server, "SELECT actor, target FROM audit_entry WHERE action = 'account.import'") == [
        ("displayctl", EMAIL)]
    query(server, "UPDATE account_import SET ends_at = present_time()")
    refused = begin(server)
    refused.communicate(data)  # its end makes a worker look
    assert refused.returncode == 4
    wait_until(lambda: staged(server) == 0, "the end of what was staged")
    wait_until(lambda: query(server, "SELECT count(*) FROM account_import") == [(0,)], "the end of the imports")
    forget(server)


def test_workers_killed_between_lines(server):
    """The import goes on with those that come after them."""
    data, half = export_of(3000)
    process = begin(server)
    write_half(server, process, data, half)
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    told, said = process.communicate(data[half:])
    assert process.returncode == 0, said
    assert json.loads(told)["devices"] == 3000
    assert accounts(server)[EMAIL] == 3000
    forget(server)


@pytest.mark.parametrize("is_taken", (False, True))
def test_workers_killed_while_it_is_applied(server, is_taken):
    """The statement ends by itself, with all or nothing, and displayctl says what became of it."""
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
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%%account_import_apply%%'"
        wait_until(lambda: query(server, waits) == [(1,)], "an import that waits")
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
    """There is no file, whoever ends in the middle."""
    data, _ = export_of(3000)
    process = begin(server)
    process.communicate(data)
    path = tmp_path / "many"
    server.ctl("export", "--account", EMAIL, str(path))
    kinds = [json.loads(line)["kind"] for line in path.read_bytes().split(b"\n")[:-1]]
    assert kinds == ["account", "app", *["device", "entry"] * 3000, "end"]
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
    """Others are told to wait, until one ends."""
    data, half = export_of(2000)
    processes = [begin(server) for _ in range(4)]
    for number, process in enumerate(processes):
        process.stdin.write(data[:half])
        process.stdin.flush()
        wait_until(lambda: query(server, "SELECT count(*) FROM account_import") == [(number + 1,)], "an import")
    fifth = begin(server)
    said = fifth.communicate(data)[1]
    assert fifth.returncode == 5 and b"4 imports of accounts are under way" in said, said
    for process in processes:
        process.kill()
        process.communicate()
    forget(server)
    process = begin(server)
    assert process.communicate(data) and process.returncode == 0
    forget(server)


def test_bounds(server):
    """413 when there is too much of it; 404 when nobody went on with it."""
    data, half = export_of(3000)
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
