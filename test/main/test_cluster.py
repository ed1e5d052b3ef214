"""The embedded PostgreSQL, other databases, and migrations."""

import contextlib
import os
import pwd
import re
import shutil
import stat
import subprocess

import psycopg2
import psycopg2.extras
import pytest
from conftest import displayd, is_alive, kill, kill_database
from postgres import Postgres
from server import DISPLAYD, Server, run_ctl, wait_until

is_root = os.getuid() == 0


def connect(server):
    socket = os.path.join(server.state_dir, "postgres/socket")
    return psycopg2.connect(host=socket, user="displayd", dbname="displayd")


def displayd_for_all(folder):
    """A copy that every user may run."""
    programs = os.path.join(folder, "programs")
    os.mkdir(programs)
    os.chmod(folder, 0o755)
    return shutil.copy(os.path.realpath(DISPLAYD), programs)


def show(server, name):
    with connect(server) as database, database.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return cursor.fetchone()[0]


def test_its_command_line_can_be_read(running):
    """systemctl status shows the command line, in one line."""
    with open(f"/proc/{running.postmaster()}/cmdline", encoding="ascii") as file:
        words = file.read().split("\0")
    assert len(" ".join(words)) < 200
    # Settings that no file in the cluster can disable.
    assert {"--fsync=on", "--full_page_writes=on", "--listen_addresses="} < set(words)
    assert show(running, "shared_buffers") == "64MB" and show(running, "log_line_prefix") == ""
    assert show(running, "checkpoint_timeout") == "6h" and show(running, "unix_socket_permissions") == "0770"


def test_durable_and_private(running):
    assert show(running, "fsync") == "on"
    assert show(running, "synchronous_commit") == "on"
    assert show(running, "full_page_writes") == "on"
    assert show(running, "data_checksums") == "on"
    assert show(running, "listen_addresses") == ""
    # Nothing is written for replicas.
    assert show(running, "wal_level") == "minimal"
    # A recovery does not sync each file of the cluster.
    assert show(running, "recovery_init_sync_method") == "syncfs"
    # Flash wears out: bench/footprint.py measures what is written at rest.
    assert show(running, "checkpoint_timeout") == "6h"
    assert show(running, "wal_writer_delay") == "2s"
    assert show(running, "autovacuum_vacuum_threshold") == "500"
    assert show(running, "autovacuum_analyze_threshold") == "500"
    folder = os.path.join(running.state_dir, "postgres")
    assert stat.S_IMODE(os.stat(os.path.join(folder, "data")).st_mode) == 0o700
    socket_mode = 0o2710 if is_root else 0o700
    assert stat.S_IMODE(os.stat(os.path.join(folder, "socket")).st_mode) == socket_mode
    assert stat.S_IMODE(os.stat(running.state_dir).st_mode) == 0o700


def test_no_file_of_the_cluster_turns_durability_off(launch):
    server = launch().start()
    server.stop()
    with open(os.path.join(server.state_dir, "postgres/data/postgresql.auto.conf"), "a",
              encoding="utf-8") as file:
        file.write("fsync = off\nsynchronous_commit = off\n")
    server.start()
    assert show(server, "fsync") == "on"
    assert show(server, "synchronous_commit") == "on"


def test_only_times_of_contact_do_not_wait_for_the_disk(launch):
    """Only times of contact are committed without waiting for the disk, though they share connections with
    changes by callers."""
    server = launch(workers=1).start()
    server.ctl("account", "create", "a@example.org")
    device = server.ctl("device", "create", "--account", "a@example.org", "--name", "Desk")
    key = server.ctl("key", "create", "--account", "a@example.org")["key"]
    with connect(server) as database, database.cursor() as cursor:
        database.autocommit = True

        def ask(statement):
            cursor.execute(statement)
            return cursor.fetchone()[0]

        assert server.get(server.path_of(device["pollUrl"])).status == 200
        wait_until(lambda: ask("SELECT connected_at IS NOT NULL FROM device"), "the contact")
        for brightness in range(10):
            before = ask("SELECT pg_current_wal_insert_lsn()")
            assert server.request("PATCH", f"/v1/devices/{device['id']}", key=key,
                                  body={"brightness": brightness}).status == 200
            assert ask(f"SELECT pg_current_wal_flush_lsn() > '{before}'")


def test_connections_for_all_workers(launch):
    """A worker at rest has few connections, since each is a process of some megabytes: for reads, writes
    and hints. One worker has one more while it measures the size of the database, and for a minute after
    that."""
    server = launch(workers=12).start()
    assert int(show(server, "max_connections")) >= 12 * 5 + 20
    with connect(server) as database, database.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'displayd_worker'")
        assert cursor.fetchone()[0] in (12 * 3, 12 * 3 + 1)


def test_data_stay(launch):
    server = launch().start()
    server.ctl("account", "create", "a@example.org")
    server.restart()
    with pytest.raises(Exception, match="already"):
        server.ctl("account", "create", "a@example.org")


def test_a_killed_postgresql_is_started_again(launch):
    server = launch().start()
    workers = server.workers()
    kill_database(server)
    server.wait_for_log('msg="PostgreSQL started"', 2)
    wait_until(lambda: server.get("/readyz").status == 200, "a database again")
    assert server.workers() == workers
    assert server.ctl("account", "create", "a@example.org")["email"] == "a@example.org"


def test_a_client_that_leaves_is_no_error(launch):
    """A process that ends may close its connection while PostgreSQL answers."""
    server = launch("--log-level", "debug", workers=1).start()
    client = psycopg2.connect(connect(server).dsn, async_=True)
    psycopg2.extras.wait_select(client)
    client.cursor().execute("SELECT repeat('x', 1000000) FROM generate_series(1, 100)")
    client.close()
    server.wait_for_log('level=debug group=cluster msg=PostgreSQL line="FATAL:  connection to client lost"')


def test_workers_answer_while_the_database_is_away(launch):
    server = launch(workers=1).start()
    # Restarts of PostgreSQL are delayed while they keep failing.
    data = os.path.join(server.state_dir, "postgres/data")
    os.rename(data, data + ".away")
    kill(server.postmaster())
    wait_until(lambda: server.get("/readyz").status == 503, "a worker without database")
    assert server.get("/livez").status == 200
    # The server continues, and starts a PostgreSQL again.
    wait_until(lambda: server.postmaster() is not None or server.process.poll() is not None,
               "a new PostgreSQL")
    assert server.process.poll() is None


def test_a_postgresql_that_was_left_behind_is_ended(launch):
    server = launch().start()
    postmaster = server.postmaster()
    # A PostgreSQL that was left behind is ended. If it is stopped, it cannot follow its supervisor.
    os.kill(postmaster, 19)
    server.kill()
    assert is_alive(postmaster)
    os.kill(postmaster, 18)
    server.start()
    assert server.postmaster() != postmaster
    assert server.ctl("account", "create", "a@example.org")["id"]


def test_a_stale_process_id_does_not_matter(launch):
    """Process IDs repeat in containers: this one is now a living process of the same user."""
    server = launch().start()
    data = os.path.join(server.state_dir, "postgres/data")
    server.stop()
    user = os.stat(data).st_uid
    with subprocess.Popen(["sleep", "1000"], user=user) as other:
        for path in (data + "/postmaster.pid", data + "/../socket/.s.PGSQL.5432.lock"):
            with open(path, "w", encoding="ascii") as file:
                file.write(f"{other.pid}\n/x\n1795237139\n5432\n../socket\n\n  9978142   4\n")
            shutil.chown(path, user)
        try:
            server.start()
            assert server.get("/readyz").status == 200
            assert other.poll() is None
        finally:
            other.kill()


def test_an_initdb_that_was_interrupted(launch):
    server = launch(is_new=True)
    folder = os.path.join(server.state_dir, "postgres")
    os.makedirs(os.path.join(folder, "data.new/base/1"))
    with open(os.path.join(folder, "data.new/PG_VERSION"), "w", encoding="ascii") as file:
        file.write("15\n")
    os.symlink("/etc", os.path.join(folder, "data.new/base/link"))
    if is_root:
        subprocess.run(["chown", "-hR", "postgres", folder + "/data.new"], check=True)
    server.start()
    assert os.path.exists("/etc/passwd")
    assert server.get("/readyz").status == 200


def test_long_path(launch, folder):
    """The path is as long as displayd's own socket permits; the socket of PostgreSQL would be too long."""
    deep = os.path.join(folder, "a-long-name-of-a-folder", "it's, 'a' state")
    deep += "x" * (96 - len(deep))
    os.makedirs(deep)
    server = launch(state_dir=deep).start()
    assert server.ctl("account", "create", "a@example.org")["email"] == "a@example.org"
    kill(server.postmaster())
    server.wait_for_log('msg="PostgreSQL started"', 2)
    wait_until(lambda: server.get("/readyz").status == 200, "a database again")
    assert server.stop() == 0
    assert run_ctl("--state-dir", deep, "migrate") == {"applied": 0}


def test_another_version_of_postgresql(launch):
    server = launch().start()
    server.stop()
    path = os.path.join(server.state_dir, "postgres/data/PG_VERSION")
    with open(path, "w", encoding="ascii") as file:
        file.write("9\n")
    code, _, text = displayd("--state-dir", server.state_dir, "--listen", "127.0.0.1:0")
    with open(os.path.join(os.path.dirname(__file__), "../../share/displayd.service.in"), encoding="utf-8") as file:
        assert str(code) in re.search("(?m)^RestartPreventExitStatus=(.*)", file.read())[1].split()
    assert code == 9  # the service is not started again
    assert "was created by PostgreSQL 9, which is not installed" in text


def test_a_cluster_that_does_not_start(launch):
    server = launch().start()
    server.stop()
    os.unlink(os.path.join(server.state_dir, "postgres/data/global/pg_control"))
    assert server.launch().wait() == 5
    assert "PostgreSQL ended while starting" in server.log()


@pytest.mark.skipif(not is_root, reason="only root can be another user")
class TestAsRoot:
    def test_runs_as_an_unprivileged_user(self, running):
        assert os.stat(running.state_dir).st_uid == 0
        assert os.stat(f"/proc/{running.postmaster()}").st_uid == pwd.getpwnam("displayd-db").pw_uid

    def test_parents_of_the_state_directory_may_be_closed(self, launch, folder):
        closed = os.path.join(folder, "closed")
        os.mkdir(closed, 0o700)
        server = launch(state_dir=os.path.join(closed, "state")).start()
        assert stat.S_IMODE(os.stat(closed).st_mode) == 0o700
        kill(server.postmaster())
        server.wait_for_log('msg="PostgreSQL started"', 2)
        wait_until(lambda: server.get("/readyz").status == 200, "a database again")

    def test_as_an_ordinary_user(self, folder):
        programs = os.path.join(folder, "programs")
        shutil.copytree(os.path.dirname(os.path.realpath(DISPLAYD)), programs,
                        ignore=lambda path, names: [n for n in names if n != "displayd"])
        os.chmod(folder, 0o755)
        state = os.path.join(folder, "state")
        os.mkdir(state, 0o700)
        os.chown(state, 65534, 65534)
        server = Server(state_dir=state, is_new=True,
                        prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
        server.command[server.command.index(DISPLAYD)] = os.path.join(programs, "displayd")
        with server:
            assert os.stat(f"/proc/{server.postmaster()}").st_uid == 65534
            assert server.ctl("account", "create", "a@example.org")["id"]
            assert server.stop() == 0
            # Root continues it as that user.
            server.command = [word for word in server.command
                              if not word.startswith(("setpriv", "--re", "--clear"))]
            server.start()
            assert os.stat(f"/proc/{server.postmaster()}").st_uid == 65534

    def test_what_root_restores_is_the_owners(self, folder):
        """Root restores into a state directory of an ordinary user, whose server then starts on it."""
        program = displayd_for_all(folder)
        path = os.path.join(folder, "b")
        with Server() as server:
            server.ctl("account", "create", "a@example.org")
            server.ctl("backup", path)
        state = os.path.join(folder, "state")
        os.mkdir(state, 0o700)
        os.chown(state, 65534, 65534)
        server = Server(state_dir=state, is_new=True,
                        prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
        server.command[server.command.index(DISPLAYD)] = program
        server.ctl("restore", path)
        with server:
            assert "a@example.org" in str(server.ctl("account", "list"))
            assert server.stop() == 0
            server.ctl("restore", path, "--replace", "--yes")
            server.start()

    def test_a_database_of_another_user_is_refused(self, folder):
        program = displayd_for_all(folder)
        state = os.path.join(folder, "state")
        with Server(state_dir=state):
            pass
        kept = [f"{state}/{name}" for name in ("lock", "postgres", "secret-key")]
        subprocess.run(["chown", "65534", state, *kept], check=True)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                               program, "--state-dir", state, "--listen", "127.0.0.1:0"],
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 5
        assert "belongs to another user (uid" in done.stderr


def test_a_database_elsewhere(launch, postgres):
    url = postgres.create_database()
    one, other = launch(database=url).start(), launch(database=url).start()
    assert one.postmaster() is None
    account = one.ctl("account", "create", "a@example.org")
    with pytest.raises(Exception, match="already"):
        other.ctl("account", "create", "A@example.org")
    assert account["email"] == "a@example.org"


def test_instances_that_start_together(launch, postgres):
    url = postgres.create_empty()
    servers = [launch(database=url).launch() for _ in range(3)]
    for server in servers:
        server.wait_until_ready()


def test_a_database_that_does_not_exist(postgres, folder):
    code, _, text = displayd("--state-dir", folder, "--listen", "127.0.0.1:0", "--database",
                             postgres.url_of("nowhere"))
    assert code == 5
    assert "nowhere" in text


def test_a_newer_database(launch, postgres):
    url = postgres.create_database()
    server = launch(database=url).start()
    server.stop()
    with psycopg2.connect(url) as database, database.cursor() as cursor:
        cursor.execute("INSERT INTO schema_migration (number, name, sha256) "
                       "SELECT max(number) + 1, 'later', '' FROM schema_migration")
    assert server.launch().wait() == 7
    assert "the database is newer than this program" in server.log()


def test_a_migration_that_was_changed(launch, postgres):
    url = postgres.create_database()
    server = launch(database=url).start()
    server.stop()
    with psycopg2.connect(url) as database, database.cursor() as cursor:
        cursor.execute("UPDATE schema_migration SET sha256 = repeat('0', 64) WHERE number = 1")
    assert server.launch().wait() == 6


def test_a_database_that_comes_later(launch):
    postgres = Postgres()
    try:
        server = launch(database=postgres.url).launch()
        server.wait_for_log("waiting for the database")
        postgres.start()
        server.wait_until_ready()
    finally:
        postgres.remove()


@contextlib.contextmanager
def shut_socket():
    """A PostgreSQL whose socket not even its owner may use, until the mode is set."""
    postgres = Postgres()
    try:
        postgres.start()
        path = f"{postgres.folder}/.s.PGSQL.{postgres.port}"
        os.chmod(path, 0)
        yield postgres, path
    finally:
        postgres.remove()


def test_a_socket_that_is_there_before_its_mode(launch):
    with shut_socket() as (postgres, path):
        server = launch(database=postgres.url).launch()
        server.wait_for_log("waiting for the database")
        assert "this user may not open its socket" in server.log()
        os.chmod(path, 0o777)
        server.wait_until_ready()


def test_a_socket_that_stays_shut(launch):
    with shut_socket() as (postgres, _):
        server = launch(database=postgres.url).launch()
        assert server.process.wait() == 5
        assert "the database cannot be reached: this user may not open its socket" in server.log()
