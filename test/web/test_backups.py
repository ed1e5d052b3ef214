"""An administrator downloads an encrypted backup from the pages, and restores it on a second server."""

import contextlib
import shutil
import socket
import subprocess

import pytest
from people import OTHER_PASSWORD, OWN_PAGE, PASSWORD, UNKNOWN_ID, Browser, Person, request_bytes, wait_until
from server import CtlError, Server, run_ctl
from test_removal import app

PHRASE = "purple lamps hum quietly"
BODY = {"passPhrase": PHRASE, "password": PASSWORD}
MAGIC = b"age-encryption.org/v1\n-> scrypt "
PATH = "/web/admin/backups"
LOCK = 7235441203039271269


@pytest.fixture
def boss(world):
    return Person(world, is_administrator=True).browser()


def order(browser, **wish):
    return "/" + browser.post(PATH, BODY | wish).json()["url"]


def write(path, data):
    path.write_bytes(data)
    return str(path)


def phrase_file(tmp_path, phrase=PHRASE):
    return write(tmp_path / "phrase", phrase.encode() + b"\n")


def restore(tmp_path, url, file, phrase=PHRASE):
    return run_ctl("--database", url, "--state-dir", str(tmp_path / "state"), "restore", file,
                   "--pass-phrase-file", phrase_file(tmp_path, phrase))


def test_the_whole_round_on_a_second_server(world, boss, person, tmp_path):
    kitchen = person.browser().post("/web/devices", {"name": "Kitchen", "timezone": "UTC"}).json()["device"]
    answer = boss.get(order(boss))
    assert answer.status == 200 and answer.body.startswith(MAGIC)
    assert "attachment; filename=\"displayd-" in answer["Content-Disposition"]
    assert answer["Cache-Control"] == "no-store" and b"Kitchen" not in answer.body
    file = write(tmp_path / "b.age", answer.body)
    wait_until(lambda: world.server.ctl("status")["database"]["lastBackupAt"], "the time of the backup")
    deeds = boss.get("/web/admin/audit?q=backup.download").ok()
    assert deeds[0]["actor"] == boss.get("/web/account").ok()["email"] and deeds[0]["address"]
    state = str(tmp_path / "second")
    told = run_ctl("--state-dir", state, "restore", file, "--pass-phrase-file", phrase_file(tmp_path))
    assert told["hasSecretKey"] and told["rows"] > 0
    with Server(state_dir=state) as second:
        devices = second.ctl("device", "list", "--account", person.email)
        assert [(one["id"], one["name"]) for one in devices] == [(kitchen["id"], "Kitchen")]


def test_the_program_age_reads_it(boss, tmp_path):
    if not shutil.which("age"):
        pytest.skip("the program age is not installed")
    file = write(tmp_path / "b.age", boss.get(order(boss)).body)
    # The program asks on a terminal only.
    shown = subprocess.run(["script", "-qec", f"age -d -o {tmp_path}/plain {file}", "/dev/null"],
                           input=PHRASE.encode() + b"\n", capture_output=True, timeout=60, check=False)
    assert (tmp_path / "plain").read_bytes().startswith(b"displayd backup\n"), shown


def test_displayctl_encrypts_as_the_pages_do(world, postgres, tmp_path):
    file, phrase = str(tmp_path / "c.age"), phrase_file(tmp_path)
    world.server.ctl("backup", file, "--pass-phrase-file", phrase)
    assert (tmp_path / "c.age").read_bytes().startswith(MAGIC)
    assert restore(tmp_path, postgres.create_empty(), file)["rows"] > 0


@pytest.mark.parametrize("change, words", [
    (lambda data: data[:-1], "damaged, or incomplete"),
    (lambda data: data[:len(MAGIC) + 300], "damaged, or incomplete"),
    (lambda data: data[:40], "not with a pass phrase, or its first lines are damaged"),
    (lambda data: data + b"x", "damaged, or incomplete"),
    (lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:], "damaged, or incomplete"),
    (lambda data: data.replace(b" 16\n", b" 17\n", 1), "the pass phrase is wrong"),
    (lambda data: data.replace(b" 16\n", b" 40\n", 1), "not with a pass phrase, or its first lines are damaged"),
    (lambda data: data.replace(b"-> scrypt", b"-> X25519", 1),
     "not with a pass phrase, or its first lines are damaged"),
    (lambda data: MAGIC * 1000, "not with a pass phrase, or its first lines are damaged")])
def test_a_changed_file_changes_nothing(boss, postgres, tmp_path, change, words):
    file = write(tmp_path / "b.age", change(boss.get(order(boss)).body))
    with pytest.raises(CtlError, match=words):
        restore(tmp_path, postgres.create_empty(), file)


def test_a_wrong_pass_phrase(boss, postgres, tmp_path):
    file = write(tmp_path / "b.age", boss.get(order(boss)).body)
    with pytest.raises(CtlError, match="the pass phrase is wrong"):
        restore(tmp_path, postgres.create_empty(), file, "purple lamps hum quietlx")
    with pytest.raises(CtlError, match="there is no terminal to ask on; give --pass-phrase-file"):
        run_ctl("--database", postgres.create_empty(), "--state-dir", str(tmp_path / "state"), "restore", file,
                start_new_session=True)


def test_who_may_and_with_what(world, boss, person):
    Person(world).browser().post(PATH, BODY).problem(403)
    Person(world, is_reviewer=True).browser().post(PATH, BODY).problem(403)
    Browser(world).post(PATH, BODY).problem(401)
    boss.request("POST", PATH, body=BODY, fields=[("Sec-Fetch-Site", "cross-site")]).problem(403)
    assert boss.post(PATH, BODY | {"password": OTHER_PASSWORD}).faults() == {
        "/password": "is not the password of this account"}
    for phrase, fault in (("seven77", "/passPhrase"), ("x" * 1025, "/passPhrase"), ("", "/passPhrase")):
        assert boss.post(PATH, BODY | {"passPhrase": phrase}).faults().keys() == {fault}
    boss.post(PATH, BODY | {"passPhrase": "x" * 1024 * 1024}).problem(413)
    assert boss.post(PATH, {"passPhrase": PHRASE}).faults().keys() == {"/password"}


def test_an_order_is_for_one_session_and_a_short_time(world, boss):
    place = order(boss)
    Person(world, is_administrator=True).browser().get(place).problem(404)
    person = Person(world)
    person.browser().get(place).problem(403)
    Browser(world).get(place).problem(401)
    boss.get(f"{PATH}/{UNKNOWN_ID}").problem(404)
    boss.get(place[:-1] + ("A" if place[-1] != "A" else "B")).problem(404)
    other = order(boss)
    assert boss.get(other).status == 200
    assert other.rsplit("/", 1)[1] not in world.server.log()


def sessions(world):
    """PostgreSQL's sessions that make backups: while there is one, replaced rows are kept."""
    return world.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                     "AND application_name = 'displayd backup'")[0][0]


@pytest.fixture
def large(world, person):
    """The database is so large that a backup does not fit into the buffers of a connection."""
    world.sql("INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, reviewed_at) "
              "SELECT gen_random_uuid(), %s, 'n' || number, 'STARLARK', (SELECT string_agg(md5(random()::text), '') "
              "FROM generate_series(1, 15000)), 'sha256:x', 'APPROVED', now() FROM generate_series(1, 12) AS number",
              app(world, person))


def begin(world, browser, place):
    """A connection that has asked for the backup, with small buffers."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(world.server.address)
    connection.sendall(request_bytes("GET", place, fields=[*OWN_PAGE, ("Cookie", browser.cookie)]))
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def test_a_client_that_leaves(world, boss, large):
    with begin(world, boss, order(boss)):
        assert sessions(world) == 1
        wanted = order_is_refused(boss)
        assert "another backup" in wanted
    wait_until(lambda: sessions(world) == 0, "the end of the backup")
    assert boss.get(order(boss)).body.startswith(MAGIC)


def order_is_refused(browser):
    return browser.post(PATH, BODY).problem(409)["detail"]


def test_a_client_that_reads_a_byte_a_second(world, boss, large):
    with begin(world, boss, order(boss)) as connection:
        def reads():
            with contextlib.suppress(OSError):
                connection.recv(1)
            return sessions(world) == 0

        wait_until(reads, "the end of the backup", pause_s=1)
    assert boss.get(order(boss)).body.startswith(MAGIC)


def test_two_at_once(world, boss):
    """While one is made, another is refused in words; afterwards it works."""
    place = order(boss)
    world.sql("SELECT pg_advisory_lock(%s)", LOCK)
    try:
        assert "another backup" in boss.get(place).problem(409)["detail"]
        assert "another backup" in boss.post(PATH, BODY).problem(409)["detail"]
    finally:
        world.sql("SELECT pg_advisory_unlock(%s)", LOCK)
    assert boss.get(place).body.startswith(MAGIC)
