"""displayctl database upgrade: a private PostgreSQL moves into a new cluster, or stays as it is.

Here both clusters have the one installed version, so rows are copied by dump and restore;
test_database_upgrade_trixie.py has two versions. DISPLAYD_TEST_INTERRUPTIONS is the number of moments at
which it is killed.
"""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time

import backups
import pytest
from conftest import displayd, is_alive, kill
from ctl_scene import on_terminal
from sealed import crypt, key_of
from server import DISPLAYCTL, CtlError, Server, run_ctl
from waiting import let_pass, wait_until
from test_full_disk import fill

COUNT = int(os.environ.get("DISPLAYD_TEST_INTERRUPTIONS", "1"))
BEATS = {"hint_beat"}  # change while a server runs
DUMP = ("database", "upgrade", "--method", "dump", "--yes")
ROOT_ONLY = pytest.mark.skipif(os.getuid() != 0, reason="only root mounts, and can be another user")


def folder_of(server):
    return os.path.join(os.path.realpath(server.state_dir), "postgres")


def names(server):
    return set(os.listdir(folder_of(server)))


def url_of(server):
    return f"host={folder_of(server)}/socket user=displayd dbname=displayd"


def schema_of(server):
    """All constraints and types. A dump writes "(a AND b) AND c" without its parentheses, which have no
    effect there."""
    return [rule.replace("(", "").replace(")", "") for rule in backups.schema_of(url_of(server))]


def refused(server, *arguments, code=4, **options):
    with pytest.raises(CtlError) as caught:
        run_ctl("--state-dir", server.state_dir, *arguments, **options)
    assert caught.value.code == code, caught.value.text
    return caught.value.text


def emails(server):
    return [one["email"] for one in server.ctl("account", "list")]


def makers(server):
    """Processes that work on data.new: those that have it as descriptor 3 or 4, and the clients that fill it."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        for fd in ("3", "4"):
            try:
                path = os.readlink(f"/proc/{name}/fd/{fd}").removesuffix(" (deleted)")
            except OSError:
                continue
            if path == folder_of(server) + "/data.new":
                found.add(int(name))
    return found


@pytest.fixture(scope="module")
def kept():
    """A state directory with one account."""
    with Server(workers=1) as server:
        server.ctl("account", "create", "kept@example.org")
        server.stop()
        yield server.state_dir


@pytest.fixture
def stopped(kept):
    """A stopped server on a copy of it."""
    server = Server(workers=1)
    subprocess.run(["cp", "-a", kept + "/.", server.state_dir], check=True)
    yield server
    server.remove()


def upgrading(server):
    return subprocess.Popen([DISPLAYCTL, "--state-dir", server.state_dir, *DUMP], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_everything_is_carried_over(stopped):
    server = stopped.start()
    backups.fill(url_of(server))
    with backups.connect(url_of(server)) as connection, connection.cursor() as cursor:
        # A server rejects a key that cannot decrypt the secrets of its database.
        cursor.execute("SELECT device_id::text, id FROM installation WHERE secret_settings IS NOT NULL")
        for device, entry in cursor.fetchall():
            cursor.execute("UPDATE installation SET secret_settings = %s WHERE device_id = %s AND id = %s",
                           (crypt(key_of(server), device, entry, text=b'{"c":"d"}'), device, entry))
        cursor.execute("CREATE ROLE reader; GRANT SELECT ON device TO reader; "
                       "ALTER DATABASE displayd SET work_mem = '5MB'; "
                       "COMMENT ON TABLE device IS 'line\n\\connect nowhere\nCREATE ROLE displayd;\n'")
    server.stop()
    server.start()  # stores the fingerprint of the right key
    rows, schema = backups.tables_of(url_of(server), BEATS), schema_of(server)
    assert "in use by another server" in refused(server, *DUMP, code=5)
    server.kill()  # an unclean shutdown
    # Nothing happens if no newer version is installed.
    told = server.ctl("database", "upgrade")
    version = told["from"]
    assert told == {"from": version, "to": version, "method": "none", "old": ""}
    assert names(server) == {"data", "socket"}
    old = os.path.join(folder_of(server), "data.old")
    told = server.ctl(*DUMP)
    assert told == {"from": version, "to": version, "method": "dump", "old": old}
    assert names(server) == {"data", "socket", "data.old"}
    server.start()
    assert backups.tables_of(url_of(server), BEATS) == rows
    assert schema_of(server) == schema
    with backups.connect(url_of(server)) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW work_mem")
        assert cursor.fetchone() == ("5MB",)
        cursor.execute("SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1")
        assert [name for name, in cursor.fetchall()] == ["displayd", "displayd_worker", "reader"]
        cursor.execute("SHOW data_checksums")
        assert cursor.fetchone() == ("on",)
    # The rules for connections are restored: only the upgrade lets PostgreSQL's own user connect.
    for name in ("pg_hba.conf", "pg_ident.conf"):
        with open(f"{folder_of(server)}/data/{name}", encoding="utf-8") as file:
            text = file.read()
        assert "trust" not in text and "displayd-db" not in text
    server.wait_for_log("the old database of the last upgrade still exists")
    server.stop()
    assert "remove it first" in refused(server, *DUMP)
    shutil.rmtree(old)
    assert server.ctl(*DUMP)["old"] == old
    # Go back to the old cluster.
    shutil.rmtree(os.path.join(folder_of(server), "data"))
    assert "rename data.old to data" in refused(server, "migrate", code=5)
    os.rename(old, os.path.join(folder_of(server), "data"))
    server.start()
    assert backups.tables_of(url_of(server), BEATS) == rows


def test_it_asks_first(stopped):
    reason = refused(stopped, *DUMP[:-1], stdin=subprocess.DEVNULL)
    assert re.search(r"needs up to \d+ MiB of space in \S+, where \d+ MiB are free", reason)
    assert "standard input is not a terminal" in reason
    code, text = on_terminal(stopped, *DUMP[:-1], typed=b"no\n")
    assert code == 4 and "keeps the old one in" in text and "nothing was changed" in text
    assert names(stopped) == {"data", "socket"}


def test_what_it_does_not_touch(folder):
    where = os.path.join(folder, "nowhere")
    with pytest.raises(CtlError, match="there is no state directory") as caught:
        run_ctl("--state-dir", where, *DUMP)
    assert caught.value.code == 3 and not os.path.exists(where)
    os.mkdir(where)
    with pytest.raises(CtlError, match="no database in") as caught:
        run_ctl("--state-dir", where, *DUMP)
    assert caught.value.code == 3 and not os.path.exists(where + "/postgres")
    with pytest.raises(CtlError, match="which displayctl does not upgrade") as caught:
        run_ctl("--state-dir", where, "--database", "postgresql:///x", *DUMP)
    assert caught.value.code == 4


def test_programs_of_the_clusters_version_are_missing(stopped):
    for version, words in ((16, "Debian: package postgresql-16"), (14, "Debian: package postgresql-14"),
                           (18, "install a newer displayd")):
        if os.path.exists(f"/usr/lib/postgresql/{version}"):
            continue
        with open(folder_of(stopped) + "/data/PG_VERSION", "w", encoding="ascii") as file:
            file.write(f"{version}\n")
        code, _, log = displayd("--state-dir", stopped.state_dir, "--listen", "127.0.0.1:0")
        assert code == 9
        for text in (log, refused(stopped, *DUMP, code=5)):
            assert f"was created by PostgreSQL {version}, which is not installed" in text
            assert words in text


# ---- interrupted ----

def check_it_goes_on(server, told="", accounts=("kept@example.org",)):
    """Checks that one cluster is whole and in use, and that only data.old remains of the other one."""
    server.start()
    assert sorted(emails(server)) == sorted(accounts), told
    assert server.stop() == 0
    assert names(server) <= {"data", "socket", "data.old"}, told
    assert not makers(server), told


def test_killed_at_any_moment(stopped):
    seed = random.randrange(1 << 32)
    moments = random.Random(seed)
    whole_s = 3
    if COUNT > 1:
        begun = time.monotonic()
        upgrading(stopped).communicate()
        whole_s = time.monotonic() - begun
    for number in range(COUNT):
        shutil.rmtree(folder_of(stopped) + "/data.old", ignore_errors=True)
        process = upgrading(stopped)
        moment_s = moments.uniform(0, whole_s)
        let_pass(moment_s)
        process.kill()
        process.communicate()
        check_it_goes_on(stopped, f"seed {seed}, number {number}, {moment_s:.3f} of {whole_s:.3f} s")


def test_killed_with_servers_that_cannot_follow(stopped):
    """If displayctl is killed while the processes that it uses are stopped, the next start ends those."""
    process = upgrading(stopped)
    path = folder_of(stopped) + "/data.new/postmaster.pid"
    wait_until(lambda: os.path.exists(path), "a server on the new cluster")
    left = []
    for pid in makers(stopped):
        with contextlib.suppress(ProcessLookupError):  # some are busy with other work meanwhile
            kill(pid, signal.SIGSTOP)
            left.append(pid)
    process.kill()
    process.communicate()
    check_it_goes_on(stopped)
    assert not any(map(is_alive, left))


def test_told_to_end(stopped):
    for number in (signal.SIGINT, signal.SIGTERM):
        process = upgrading(stopped)
        wait_until(lambda: makers(stopped), "a new cluster")
        process.send_signal(number)
        text = process.communicate()[0]
        assert process.returncode == 1 and "interrupted; the database is unchanged" in text, text
        assert names(stopped) == {"data", "socket"}
        assert not makers(stopped)
    check_it_goes_on(stopped)


def test_a_power_cut_between_the_renames(stopped, kept):
    data, ready, old = (f"{folder_of(stopped)}/{name}" for name in ("data", "data.ready", "data.old"))
    stopped.start()
    stopped.ctl("account", "create", "later@example.org")
    stopped.stop()
    # The new cluster was whole, but not in use: the old one is used, and later changes to it count.
    subprocess.run(["cp", "-a", os.path.join(kept, "postgres/data"), ready], check=True)
    check_it_goes_on(stopped, accounts=("kept@example.org", "later@example.org"))
    assert names(stopped) == {"data", "socket"}
    # The old cluster had been moved away, the new one not yet renamed.
    os.rename(data, ready)
    subprocess.run(["cp", "-a", os.path.join(kept, "postgres/data"), old], check=True)
    assert stopped.ctl("database", "upgrade")["method"] == "none"
    check_it_goes_on(stopped, accounts=("kept@example.org", "later@example.org"))
    assert names(stopped) == {"data", "socket", "data.old"}


# ---- no room ----

@ROOT_ONLY
def test_too_little_room(disk, kept):
    state = os.path.join(disk, "state")
    subprocess.run(["cp", "-a", kept, state], check=True)
    filler = os.path.join(disk, "filler")
    fill(filler)
    os.truncate(filler, os.path.getsize(filler) - 60 * 1024 * 1024)
    with pytest.raises(CtlError, match=r"not enough space in .* MiB are needed, \d+ MiB are free") as caught:
        run_ctl("--state-dir", state, *DUMP)
    assert caught.value.code == 4


@ROOT_ONLY
def test_the_disk_fills_up_meanwhile(disk, kept):
    subprocess.run(["mount", "-o", "remount,size=320m", disk], check=True)
    state = os.path.join(disk, "state")
    subprocess.run(["cp", "-a", kept, state], check=True)
    server = Server(state_dir=state, workers=1)
    process = upgrading(server)
    wait_until(lambda: makers(server), "a new cluster")
    fill(os.path.join(disk, "filler"))
    text = process.communicate()[0]
    assert process.returncode == 1 and "; the database is unchanged" in text, text
    os.unlink(os.path.join(disk, "filler"))
    assert names(server) == {"data", "socket"}, text
    with server:
        assert emails(server) == ["kept@example.org"]


# ---- users ----

@ROOT_ONLY
def test_of_an_ordinary_user_by_root(folder, kept):
    """Root does the upgrade as the owner of the state directory."""
    os.chmod(folder, 0o711)
    state = os.path.join(folder, "state")
    subprocess.run(["cp", "-a", kept, state], check=True)
    shutil.rmtree(os.path.join(state, "postgres/socket"))
    subprocess.run(["chown", "-R", "65534:65534", state], check=True)
    assert run_ctl("--state-dir", state, *DUMP)["method"] == "dump"
    for name in ("data", "data.old"):
        info = os.stat(f"{state}/postgres/{name}/PG_VERSION")
        assert info.st_uid == 65534
    with Server(state_dir=state, workers=1) as server:
        assert os.stat(f"/proc/{server.postmaster()}").st_uid == 65534
        assert emails(server) == ["kept@example.org"]


@ROOT_ONLY
def test_a_cluster_of_another_user(stopped):
    """Root takes over a cluster of another user, as displayd does."""
    subprocess.run(["chown", "-R", "nobody", folder_of(stopped) + "/data"], check=True)
    assert stopped.ctl(*DUMP)["method"] == "dump"
    check_it_goes_on(stopped)
