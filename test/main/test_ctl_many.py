"""displayctl device create --from FILE: creates all devices of a file, or none and reports all its faults at once."""

import csv
import io
import json
import os
import subprocess

import pytest
from ctl_scene import email, query
from private_socket import ask_operator
from server import DISPLAYCTL, PATIENCE_S

__all__ = ["email"]  # a fixture

COLUMNS = ["name", "serial", "mac", "account", "id", "key", "pollUrl", "websocketUrl"]


@pytest.fixture
def create(running, tmp_path):
    def run(text, *options, **how):
        path = tmp_path / "devices.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "device", "create",
                               "--from", "devices.csv", *options], cwd=tmp_path, check=False,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how,
                              timeout=PATIENCE_S)
    return run


def rows_of(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))


def faults_of(done, code=2):
    assert (done.returncode, done.stdout) == (code, b"")
    *faults, last = done.stderr.decode().splitlines()
    assert last.endswith("no device was made") and last.startswith("displayctl: ")
    return [line.removeprefix("devices.csv:") for line in faults]


def devices_of(server, email):
    return [device["name"] for device in server.ctl("device", "list", "--account", email)]


def test_rows(running, create, email):
    rows = rows_of(create("\ufeffserial,name,MAC\r\nM-1,\"Hall, 1st \"\"floor\"\"\",\r\n\r\n"
                          ",Kitchen,08002B0102AA\r\n", "--account", email))
    assert [list(row) for row in rows] == [COLUMNS, COLUMNS]
    assert [(row["name"], row["serial"], row["mac"], row["account"]) for row in rows] == [
        ('Hall, 1st "floor"', "M-1", "", email), ("Kitchen", "", "08:00:2b:01:02:aa", email)]
    for row in rows:
        assert running.get(row["pollUrl"].removeprefix(running.url)).status == 200
        assert row["websocketUrl"].endswith(f"/d/{row['id']}/ws?key={row['key']}")
    assert devices_of(running, email) == ['Hall, 1st "floor"', "Kitchen"]


def test_json_and_accounts(running, create, email):
    running.ctl("account", "create", "other-" + email)
    done = create(f"name,account\na,  \nb, OTHER-{email} \n", "--account", email, "--json")
    devices = json.loads(done.stdout)
    assert [device["name"] for device in devices] == ["a", "b"]
    assert list(devices[0]) == ["id", "name", "serialNumber", "macAddress", "key", "pollUrl", "websocketUrl",
                                "createdAt"]
    assert devices_of(running, "other-" + email) == ["b"]


def test_all_faults_at_once(running, create, email):
    running.ctl("device", "create", "--account", email, "--name", "x", "--serial", f"T-{email.partition('@')[0]}",
                "--mac", "08:00:2b:99:00:01")
    done = create(
        "name,serial,mac,account\n"
        ",,,\n"
        f"ok,T-{email.partition('@')[0]},,\n"
        f"ok,,08-00-2b-99-00-01,{email.upper()}\n"
        "ok,,08-00-2b-99-00-01,no@example.org\n"
        "ok,a b,1234,nobody\n"
        "ok,D-1,,\n"
        "two\nok,D-1,,\n"
        "ok,D-2,,nobody\nok,D-2,,somebody\n"
        "ok,\"x,,\n", "--account", email)
    assert faults_of(done) == [
        "2: name must have 1 to 25 characters",
        f"3: there is a device with the serial number T-{email.partition('@')[0]} already",
        "4: there is a device with the MAC address 08:00:2b:99:00:01 already",
        "5: there is no account no@example.org",
        "6: serial must have 1 to 32 letters, digits, \"-\" or \"_\", and must not look "
        "like a MAC address or an ID",
        "6: mac must be a MAC address such as 08:00:2b:01:02:03",
        "6: account must be an e-mail address: NAME@DOMAIN",
        "8: the line has 1 fields, the first line 4",
        "9: serial D-1 is already used in line 7",
        "10: account must be an e-mail address: NAME@DOMAIN",
        "11: account must be an e-mail address: NAME@DOMAIN",
        "12: the line has a quote that is not closed",
    ]
    assert devices_of(running, email) == ["x"]


def test_numbers_are_those_of_an_account(running, create, email):
    """Devices of different accounts may have the same number."""
    other = "other-" + email
    running.ctl("account", "create", other)
    serial = f"A-{email.partition('@')[0]}"
    text = (f"name,serial,mac,account\na,{serial},02:00:5e:78:00:01,\n"
            f"b,{serial},02:00:5e:78:00:01,{other.upper()}\n")
    assert len(rows_of(create(text, "--account", email))) == 2
    done = create(text.replace("a,", "c,", 1), "--account", other)
    assert faults_of(done) == [
        f"2: there is a device with the serial number {serial} already",
        "2: there is a device with the MAC address 02:00:5e:78:00:01 already",
        f"3: serial {serial} is already used in line 2",
        "3: mac 02:00:5e:78:00:01 is already used in line 2",
        f"3: there is a device with the serial number {serial} already",
        "3: there is a device with the MAC address 02:00:5e:78:00:01 already"]


@pytest.mark.parametrize("columns, bytes_of_fields, faults", [
    ("name,account", b"\xff,", ["name must be UTF-8", "account is missing; use --account for lines without one"]),
    ("name,serial,mac,account", b"\xff,\xff,\xff,\xff", ["account must be UTF-8", "name must be UTF-8",
                                                         "serial must be UTF-8", "mac must be UTF-8"]),
    ("name,account", b"a\tb,nobody", ["name must not contain control characters",
                                     "account must be an e-mail address: NAME@DOMAIN"]),
])
def test_each_field_is_reported_once(create, columns, bytes_of_fields, faults):
    done = create(columns.encode() + b"\n" + bytes_of_fields + b"\n")
    assert sorted(faults_of(done)) == sorted(f"2: {fault}" for fault in faults)


@pytest.mark.parametrize("text, fault", [
    ("", "1: the file is empty"),
    ("\n\n", "1: the file is empty"),
    ("serial\nx\n", "1: the column name is missing"),
    ("name,colour\nx,red\n", "1: unknown column \"colour\"; the first line may name name"),
    ("name,name\nx,y\n", "1: the column name is given twice"),
    ("name\nx\n", "2: account is missing; use --account for lines without one"),
    (b"name\n\xff\n", "2: name must be UTF-8"),
    (b"name\na\0b\n", "2: the line contains a NUL byte"),
    ("name\n\"a\"b\n", "2: the line continues after a closing quote"),
    ("name\na\"b\n", "2: the line has a quote inside a field that does not begin with one"),
    ("name\n" + "," * 40 + "\n", "2: the line has too many fields"),
    (b"\xff\xfe\n", "1: unknown column \"\""),
    ("name,ddk_0123456789abcdef\n", f"1: unknown column \"ddk_{16 * '*'}\";"),
    ("name,a\x1b[31mb\n", "1: unknown column \"a\\u001b[31mb\";"),
])
def test_no_such_file(create, text, fault):
    assert faults_of(create(text))[0].startswith(fault)


def test_a_file_without_devices(create, email):
    done = create("name\n", "--account", email)
    assert (done.returncode, done.stderr) == (2, b"displayctl: devices.csv contains no device\n")


def test_wrong_options(running):
    def reason(*options):
        done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "device", "create",
                               *options], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        return done.stderr
    assert "/nowhere: No such file" in reason("--from", "/nowhere")
    assert "--name and --from exclude each other" in reason("--from", "x", "--name", "y")
    assert "device create needs --account EMAIL" in reason("--name", "y")
    assert "device create needs --name NAME, or --from FILE" in reason("--account", "a@b")


def test_portions_are_one_transaction(running, create, email):
    """1,200 devices are three portions of one transaction. If the output cannot be written, none is created."""
    text = "name,serial\n" + "".join(f"n{i},{email.partition('@')[0]}-{i}\n" for i in range(1200))
    with open("/dev/full", "wb") as full:
        done = create(text, "--account", email, stdout=full)
    assert done.returncode == 1 and b"cannot write" in done.stderr
    assert devices_of(running, email) == []
    rows = rows_of(create(text, "--account", email))
    assert [row["name"] for row in rows] == [f"n{i}" for i in range(1200)]
    assert len({row["key"] for row in rows}) == 1200
    assert query(running, "SELECT device_count FROM account WHERE email = %s", email) == [(1200,)]
    assert len(faults_of(create(text, "--account", email))) == 1200


def test_limits(create, email):
    """Limits of the request that creates the devices."""
    assert faults_of(create("name\n" + 10001 * "n\n", "--account", email)) == ["10002: more than 10000 devices"]
    done = create("name\n" + 1000 * (5000 * "n" + "\n"), "--account", email)
    assert (done.returncode, done.stderr) == (2, b"displayctl: devices.csv: is larger than 4 MiB\n")


def test_the_log_has_one_entry_of_each_account(running, create, email):
    create("name\na\nb\n", "--account", email)
    assert query(running, "SELECT target, actor FROM audit_entry WHERE action = 'device.create' "
                          "ORDER BY id DESC LIMIT 1") == [(f"2 devices of {email}", "displayctl")]


def test_what_the_server_refuses(running, email):
    """The server also checks the file, in addition to displayctl."""
    line = ["0198f6a3-02d4-7f19-a3c6-5e8b7d904c13", email, "Desk", "S-1", "", 64 * "0"]

    def faults(*lines, **members):
        answer = ask_operator(running, "POST", "/web/admin/devices", {"lines": "\n".join(
            "\t".join(one) for one in lines)} | members)
        return answer.status, answer.json().get("errors", [{}])[0].get("detail")

    for place, value in ((0, "x"), (1, "x"), (2, ""), (2, 26 * "x"), (3, "a/b"), (4, "x"), (5, 64 * "g"), (5, "0")):
        wrong = [*line[:place], value, *line[place + 1:]]
        status, detail = faults(line, wrong)
        assert status == 400 and detail.startswith("number 2: "), (value, detail)
    for wrong in (line[:5], [*line, "x"], [""]):
        assert faults(wrong, onlyCheck=True) == (400, "number 1: a line must have six fields")
    assert faults(line, [*line[:1], "no@example.org", *line[2:]])[0] == 409
    assert devices_of(running, email) == []
    assert faults(6 * [""], onlyCheck=True) == (200, None)


def test_from_a_pipe(running, email):
    done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "device", "create",
                           "--from", "-", "--account", email], input=b"name\nPiped\n",
                          capture_output=True, check=False)
    assert rows_of(done)[0]["name"] == "Piped"
    assert os.path.exists(running.state_dir + "/panel-url")
