"""Several PostgreSQL servers, of which one has replaced another: what is written to the old one nobody else has."""

import os
import pathlib
import signal

import pytest
from postgres import Postgres, Standby
from server import CtlError, wait_until

SETTINGS = {"max_connections": "100"}
OTHER = "it is another database than before"
REPLACED = "it is a copy that was replaced"


class Other(Postgres):
    """With a system identifier of its own: others are copies of one."""

    def _make_data(self):
        self._initialise(self.data)


def url_of(database, *servers):
    return (f"host={','.join(one.folder for one in servers)} port={','.join(one.port for one in servers)} "
            f"dbname={database} user=postgres")


class Pair:
    """A primary, its standby, and a device in their database."""

    def __init__(self, first, second, database):
        self.first, self.second, self.database = first, second, database
        self.url = url_of(database, first, second)

    def wait_for_standby(self):
        wait_until(lambda: self.first.execute("SELECT 1 FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()"),
                   "a standby that has everything")

    def connections_to_second(self):
        """How many displayd has opened so far."""
        return self.second.read_log().count("application_name=displayd")

    def fail_over(self):
        """The first dies and the second becomes the primary. Then the first wakes up."""
        self.wait_for_standby()
        self.first.kill()
        self.second.promote()
        self.first.start()

    def name(self, server):
        """The device's name there."""
        return server.execute("SELECT name FROM device", self.database)


@pytest.fixture
def pair(launch):
    with Postgres(SETTINGS | {"log_connections": "on", "log_min_messages": "log"}) as first:
        database = first.create_database().split("/")[3].split("?")[0]
        with Standby(first) as second:
            yield Pair(first, second, database)


def make_device(server):
    server.ctl("account", "create", "a@example.org", "--name", "A")
    device = server.ctl("device", "create", "--account", "a@example.org", "--name", "old")
    return f"/v1/devices/{device['id']}", server.ctl("key", "create", "--account", "a@example.org")["key"]


def rename(server, device, count=20):
    path, key = device
    for number in range(count):
        assert server.request("PATCH", path, body={"name": f"name {number}"}, key=key).status == 200
    return f"name {count - 1}"


def test_an_instance_that_starts_after_a_failover(launch, pair):
    with launch(database=url_of(pair.database, pair.first)) as before:
        device = make_device(before)
    pair.fail_over()
    server = launch(database=pair.url).start()
    assert rename(server, device) == pair.name(pair.second)
    assert pair.name(pair.first) == "old"
    server.ctl("device", "update", device[0].rpartition("/")[2], "--name", "by displayctl")
    assert pair.name(pair.second) == "by displayctl"


def test_a_failover_while_it_runs(launch, pair):
    server = launch(database=pair.url).start()
    device = make_device(server)
    pair.fail_over()
    wait_until(lambda: server.get("/readyz").status == 200, "a server with its database")
    assert rename(server, device) == pair.name(pair.second)
    assert pair.name(pair.first) == "old"


def test_a_standby_is_not_read(launch, pair):
    """Between the end of the primary and the promotion requests are 503, and a start waits."""
    server = launch(database=pair.url).start()
    path, key = make_device(server)
    pair.wait_for_standby()
    server.is_patient = False
    pair.first.kill()
    asked = pair.connections_to_second()
    other = launch(database=pair.url).launch()
    other.wait_for_log('msg="waiting for the database"')
    wait_until(lambda: server.request("GET", path, key=key).status == 503, "a refusal")
    wait_until(lambda: pair.connections_to_second() > asked + 3, "connections that found a standby")
    for _ in range(20):
        assert server.request("GET", path, key=key).status == 503
    assert other.process.poll() is None and "msg=connected" not in other.log()
    pair.second.promote()
    other.wait_until_ready()
    server.is_patient = True  # each worker of it finds the new primary at its own time
    assert rename(other, (path, key)) == rename(server, (path, key)) == pair.name(pair.second)


def set_read_only(postgres, is_read_only):
    how = "SET default_transaction_read_only = on" if is_read_only else "RESET default_transaction_read_only"
    postgres.execute(f"ALTER SYSTEM {how}")
    postgres.execute("SELECT pg_reload_conf()")


def test_a_primary_that_is_set_read_only_is_read(launch):
    """Also over new connections: a worker, and displayd, that starts meanwhile serves."""
    with Postgres(SETTINGS) as postgres:
        server = launch(database=postgres.create_database()).start()
        path, key = make_device(server)
        server.is_patient = False
        set_read_only(postgres, True)
        wait_until(lambda: server.request("PATCH", path, body={"name": "x"}, key=key).status == 503, "a refusal")
        before = set(server.workers())
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not before & set(server.workers()), "other workers")
        wait_until(lambda: server.get(path, key=key).status == 200, "workers that serve")
        for _ in range(20):
            assert server.get(path, key=key).status == 200
            refused = server.request("PATCH", path, body={"name": "x"}, key=key)
            assert (refused.status, refused.json()["code"]) == (503, "database_read_only")
        wait_until(lambda: server.get("/readyz").body == b"ok, but the database is read-only\n", "the reason")
        assert server.stop() == 0
        server.start()
        assert server.get(path, key=key).status == 200
        set_read_only(postgres, False)
        wait_until(lambda: server.request("PATCH", path, body={"name": "x"}, key=key).status == 200, "a change")
        wait_until(lambda: server.get("/readyz").body == b"ok\n", "a database that takes changes")


def kept(folder):
    path = pathlib.Path(folder, "timeline")
    return path.read_text(encoding="ascii").split() if path.exists() else [None, None]


def kept_system(folder):
    return kept(folder)[0]


def kept_timeline(folder):
    return kept(folder)[1]


def test_only_the_old_one_is_there(launch, folder, pair):
    server = launch(database=pair.url, state_dir=folder).start()
    device = make_device(server)
    pair.fail_over()
    wait_until(lambda: pair.second.execute(
        f"SELECT 1 FROM pg_stat_activity WHERE datname = '{pair.database}' AND application_name = 'displayd'"),
        "connections to the new primary")
    rename(server, device)
    wait_until(lambda: kept_timeline(folder) == "2", "the new timeline in the state directory")
    pair.second.stop()
    wait_until(lambda: REPLACED in server.get("/readyz").body.decode(), "the reason")
    assert server.stop() == 0
    # So after a restart.
    server.launch().wait_for_log(f'msg="waiting for the database" reason="{REPLACED}')
    with pytest.raises(CtlError, match=REPLACED):
        server.ctl("database", "show")
    pair.second.start()
    server.wait_until_ready()
    rename(server, device, 30)
    assert pair.name(pair.second) == "name 29" and pair.name(pair.first) == "old"


def test_one_server_is_not_compared(launch, folder, pair):
    server = launch(database=url_of(pair.database, pair.first), state_dir=folder).start()
    device = make_device(server)
    assert server.stop() == 0
    pair.fail_over()
    server.start()
    assert rename(server, device) == pair.name(pair.first)
    assert server.stop() == 0


def test_another_database_is_accepted_once(launch, folder, pair):
    server = launch(database=pair.url, state_dir=folder).start()
    device = make_device(server)
    wait_until(lambda: kept_timeline(folder) == "1", "the timeline in the state directory")
    server.stop()
    with Other(SETTINGS) as third:
        third.create_empty(pair.database)
        server = launch(database=url_of(pair.database, third, pair.second), state_dir=folder).launch()
        server.wait_for_log(f'msg="waiting for the database" reason="{OTHER}')
        with pytest.raises(CtlError, match=OTHER):
            server.ctl("migrate")
        made = server.ctl("database", "accept", "--yes")
        assert made["host"] == third.folder and made["timeline"] == 1
        server.stop()
        assert server.start().request("GET", device[0], key=device[1]).status == 401
        # And back, while it runs.
        pair.fail_over()
        third.stop()
        wait_until(lambda: OTHER in server.get("/readyz").body.decode(), "the reason")
        server.ctl("database", "accept", "--yes")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.request("GET", device[0], key=device[1]).status == 200, "the accepted database")
        assert rename(server, device) == pair.name(pair.second)


@pytest.mark.parametrize("count", (1, 2))
def test_a_restore_accepts_its_database(launch, folder, pair, tmp_path, count):
    """Also if --database names one server then, and several at the next start."""
    server = launch(database=pair.url, state_dir=folder).start()
    device = make_device(server)
    wait_until(lambda: kept_timeline(folder) == "1", "the timeline in the state directory")
    server.ctl("backup", str(tmp_path / "all"))
    server.stop()
    with Other(SETTINGS) as third:
        third.create_empty(pair.database)
        servers = third, pair.second
        launch(database=url_of(pair.database, *servers[:count]), state_dir=folder).ctl("restore", str(tmp_path / "all"))
        assert kept_system(folder) == third.execute("SELECT system_identifier FROM pg_control_system()")
        server = launch(database=url_of(pair.database, *servers), state_dir=folder).start()
        assert rename(server, device) == pair.name(third)


def test_a_restore_with_one_server_keeps_no_timeline(launch, folder, pair, tmp_path):
    server = launch(database=url_of(pair.database, pair.first), state_dir=folder)
    server.ctl("backup", str(tmp_path / "all"))
    server.ctl("restore", str(tmp_path / "all"))
    assert not kept_timeline(folder)


def test_one_server_needs_no_acceptance(launch, pair):
    server = launch(database=url_of(pair.database, pair.first)).start()
    with pytest.raises(CtlError, match="only if --database names several servers"):
        server.ctl("database", "accept", "--yes")
