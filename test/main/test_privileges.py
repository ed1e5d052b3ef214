"""Users of displayd's processes, their rights, and access to the private database."""

import glob
import os
import pwd
import shutil
import stat
import subprocess

import old_state
import psycopg2
import pytest
from conftest import kill
from server import DISPLAYD, wait_until

as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")


def status(pid):
    """Fields of /proc/PID/status."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return {name: value.split() for name, value in (line.split(":", 1) for line in file)}


def connect(server, role="displayd"):
    socket = os.path.join(server.state_dir, "postgres/socket")
    return psycopg2.connect(host=socket, user=role, dbname="displayd")


def connect_as(server, user, role):
    """Output of psql, run as this user of the operating system."""
    uid = pwd.getpwnam(user).pw_uid
    socket = os.path.join(server.state_dir, "postgres/socket")
    done = subprocess.run(
        ["setpriv", f"--reuid={uid}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups",
         "psql", "-X", "-A", "-t", "-h", socket, "-U", role, "displayd", "-c", "SELECT current_user"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd="/")
    return done.stdout.strip()


def test_workers_have_no_rights(running):
    for worker in running.workers():
        found = status(worker)
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(found[name][0], 16) == 0
        assert found["NoNewPrivs"] == ["1"]


def test_postgresql_has_no_rights(running):
    found = status(running.postmaster())
    assert int(found["CapEff"][0], 16) == 0
    assert found["NoNewPrivs"] == ["1"]


def test_workers_cannot_have_the_database_run_programs(running):
    with connect(running, "displayd_worker") as database, database.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM account")
        for statement in ("COPY (SELECT 1) TO PROGRAM 'true'", "CREATE TABLE mine (number int4)",
                          "SELECT pg_read_file('PG_VERSION')", "DROP TABLE account",
                          "ALTER ROLE displayd_worker SUPERUSER", "SET ROLE displayd"):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                cursor.execute(statement)
            database.rollback()


def test_workers_are_known_by_their_role(running):
    with connect(running) as database, database.cursor() as cursor:
        cursor.execute("SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name ~ 'displayd' "
                       "AND application_name !~ 'migrate'")
        assert cursor.fetchall() == [("displayd_worker",)]


@as_root
class TestUsers:
    def test_whom_processes_run_as(self, running):
        worker, database = pwd.getpwnam("displayd"), pwd.getpwnam("displayd-db")
        for pid in running.workers():
            found = status(pid)
            assert found["Uid"] == [str(worker.pw_uid)] * 4
            assert found["Gid"] == [str(worker.pw_gid)] * 4
            assert found["Groups"] == [str(worker.pw_gid)]
            assert int(found["CapBnd"][0], 16) == 0
        found = status(running.postmaster())
        assert found["Uid"] == [str(database.pw_uid)] * 4
        assert found["Groups"] == [str(database.pw_gid)]
        assert int(found["CapBnd"][0], 16) == 0

    def test_the_supervisor_keeps_what_it_needs(self, running):
        kept = int(status(running.process.pid)["CapEff"][0], 16)
        needed = (0, 1, 3, 4, 5, 6, 7, 8, 10, 19, 23)  # of <linux/capability.h>
        assert kept & ~sum(1 << number for number in needed) == 0
        assert int(status(running.process.pid)["CapBnd"][0], 16) == kept

    def test_a_worker_that_is_replaced(self, launch):
        """A crashed worker is replaced: the supervisor may signal and start processes of another user."""
        server = launch(workers=1).start()
        before = server.workers()
        kill(before[0])
        server.wait_for_log('msg="worker started"', 2)
        after = server.workers()
        assert after != before
        assert status(after[0])["Uid"][0] == str(pwd.getpwnam("displayd").pw_uid)
        wait_until(lambda: server.get("/readyz").status == 200, "a worker again")
        assert server.stop() == 0

    def test_modes_of_the_state(self, running):
        folder = os.path.join(running.state_dir, "postgres")
        expected = {
            "": ("root", "root", 0o711),
            "data": ("displayd-db", "displayd-db", 0o700),
            "data/pg_hba.conf": ("displayd-db", "displayd-db", 0o600),
            "socket": ("displayd-db", "displayd", 0o2710),
            "socket/.s.PGSQL.5432": ("displayd-db", "displayd", 0o770),
        }
        for name, (user, group, mode) in expected.items():
            path = os.path.join(folder, name)
            info = os.stat(path)
            assert (shutil._get_uid(user), shutil._get_gid(group)) == (info.st_uid, info.st_gid), name
            assert stat.S_IMODE(info.st_mode) == mode, name

    def test_who_gets_to_the_database(self, launch):
        """Only displayd's users reach the database, even if all folders are open: PostgreSQL asks the
        kernel who connects."""
        server = launch(workers=1).start()
        folder = os.path.join(server.state_dir, "postgres")
        os.chmod(server.state_dir, 0o755)
        os.chmod(folder + "/socket", 0o755)
        os.chmod(folder + "/socket/.s.PGSQL.5432", 0o777)
        assert connect_as(server, "root", "displayd") == "displayd"
        assert connect_as(server, "displayd", "displayd_worker") == "displayd_worker"
        for user, role in (("displayd", "displayd"), ("displayd-db", "displayd"),
                           ("displayd-db", "displayd_worker"), ("postgres", "displayd"),
                           ("nobody", "displayd"), ("nobody", "displayd_worker")):
            assert "Peer authentication failed" in connect_as(server, user, role), (user, role)

    def test_displayctl_as_root(self, running):
        account = running.ctl("account", "create", "root@example.org")
        assert account["email"] == "root@example.org"

    @pytest.mark.parametrize("missing", [("displayd",), ("displayd-db",), ("displayd", "displayd-db")])
    def test_without_its_users_it_does_not_start(self, folder, missing):
        """Without its users, displayd does not start. A passwd file without them is mounted over the
        system's for this process."""
        passwd, script = os.path.join(folder, "passwd"), 'mount --bind "$1" /etc/passwd && shift && "$@"'
        with open("/etc/passwd", encoding="utf-8") as file, open(passwd, "w", encoding="utf-8") as out:
            out.writelines(line for line in file if line.split(":")[0] not in missing)
        apart = ["unshare", "--mount", "sh", "-c", script, "sh", passwd]
        if subprocess.run([*apart, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            pytest.skip("this container allows no namespaces")
        state = os.path.join(folder, "state")
        done = subprocess.run([*apart, DISPLAYD, "--state-dir", state, "--listen", "127.0.0.1:0"],
                              stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        assert done.returncode == 2
        assert not os.path.exists(state)
        command = done.stderr.split("run: ")[1].rstrip('"\n')
        made = [part.split()[-1] for part in command.split(" && ")]
        assert tuple(made) == missing
        assert all(part.startswith("useradd --system ") for part in command.split(" && "))


@as_root
class TestTakingOver:
    @pytest.fixture
    def old(self, launch):
        server = launch(is_new=True)
        shutil.rmtree(server.state_dir)
        old_state.make(server.state_dir)
        return server

    def check(self, server):
        assert server.get("/readyz").status == 200
        assert status(server.postmaster())["Uid"][0] == str(pwd.getpwnam("displayd-db").pw_uid)
        with connect(server) as database, database.cursor() as cursor:
            cursor.execute("SELECT number FROM past.kept")
            assert cursor.fetchall() == [(42,)]
        data = os.path.join(server.state_dir, "postgres/data")
        owner = pwd.getpwnam("displayd-db")
        for path in [data, *glob.glob(data + "/**", recursive=True)]:
            info = os.lstat(path)
            assert (info.st_uid, info.st_gid) == (owner.pw_uid, owner.pw_gid), path
        with open(os.path.join(data, "pg_hba.conf"), encoding="ascii") as file:
            lines = [line for line in file if line.strip() and not line.startswith("#")]
        assert lines == ["local all all peer map=displayd\n"]

    def test_at_the_first_start(self, old):
        old.start()
        assert "taking over the database" in old.log()
        self.check(old)
        assert old.ctl("account", "create", "a@example.org")["id"]
        old.restart()
        assert "taking over the database" not in old.log()
        self.check(old)

    def test_while_its_postgresql_still_runs(self, old):
        left = old_state.start(old.state_dir)
        old.start()
        assert left.wait() is not None
        self.check(old)

    def test_after_one_that_was_interrupted(self, old):
        """An interrupted change of owners is completed: some files have their new owner, the folder does not."""
        data = os.path.join(old.state_dir, "postgres/data")
        for name in ("base", "PG_VERSION", "global/pg_control"):
            shutil.chown(os.path.join(data, name), "displayd-db", "displayd-db")
        old.start()
        self.check(old)

    def test_links_lead_nowhere(self, old, folder):
        """Links are not followed: the user that owns the cluster may be hostile, so only that user's own
        files change owner."""
        target = os.path.join(folder, "roots-own")
        os.mkdir(target)
        data = os.path.join(old.state_dir, "postgres/data")
        os.symlink(target, data + "/link")
        roots_file = os.path.join(old.state_dir, "roots-file")
        with open(roots_file, "w", encoding="ascii"):
            os.link(roots_file, data + "/hard")
        old.start()
        assert os.stat(target).st_uid == 0
        assert os.stat(roots_file).st_uid == 0

    def test_an_interrupted_initdb(self, launch):
        server = launch(is_new=True)
        shutil.rmtree(server.state_dir)
        old_state.make(server.state_dir)
        os.rename(server.state_dir + "/postgres/data", server.state_dir + "/postgres/data.new")
        server.start()
        assert server.get("/readyz").status == 200
