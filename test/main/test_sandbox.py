"""Sandboxed workers: what they can still do. subprojects/sandbox/test tests what they cannot, in a process
with the same filter."""

import contextlib
import http.client
import os
import pwd
import re
import shutil
import subprocess

import pytest
from conftest import displayd, kill, refusing
from postgres import Postgres
from ports import free_port
from server import DISPLAYD, Server, wait_until

WITHOUT_LANDLOCK = refusing("landlock_create_ruleset=ENOSYS")


def layers(server):
    """Returns the layers that its log names; a missing one has a "-" before its name."""
    found = re.findall(r'group=sandbox msg="workers run in a sandbox" layers="?([^"\n]*)', server.log())
    assert len(found) == 1
    return found[0].split()


def filters(pid):
    """Counts the active filters. All processes have one that forbids io_uring."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^Seccomp_filters:\s+(\d+)$", file.read(), re.M)[1])


def has_filter(pid):
    return filters(pid) > filters(os.getpid()) + 1


def test_workers_are_sealed(running):
    for pid in running.workers():
        assert has_filter(pid)
    assert not has_filter(running.process.pid)


def below(pid):
    """The process and all its descendants, except those that end meanwhile."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [pid] + [one for child in file.read().split() for one in below(int(child))]
    except (FileNotFoundError, ProcessLookupError):
        return []


def links_of(pid):
    """What the process has open, except what it closes meanwhile."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(f"/proc/{pid}/fd/{fd}")


def test_no_process_can_make_an_io_uring(running):
    """libuv makes a ring with each loop, if it can, which sandbox_restrict_server() would cut off."""
    pids = below(running.process.pid)
    assert len(pids) > 2 + running.worker_count  # with the host of renderers and PostgreSQL
    seen = set()
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # processes of PostgreSQL come and go
            assert filters(pid) > filters(os.getpid())
            assert not [link for link in links_of(pid) if "io_uring" in link]
            seen.add(pid)
    assert len(seen) > 2 + running.worker_count
    assert seen.issuperset(running.workers())


def test_without_seccomp(launch):
    """Without seccomp, neither io_uring nor other calls can be forbidden."""
    server = launch(prefix=refusing("seccomp=ENOSYS", "prctl:0:22=EINVAL"), workers=1).start()
    assert server.get("/readyz").status == 200


def test_layers_are_logged_once(launch):
    server = launch(workers=2).start()
    expected = ["no_new_privs", "landlock", "seccomp"]
    if os.getuid() == 0:
        expected.insert(0, "user")
    assert [name.lstrip("-") for name in layers(server)] == expected
    kill(server.workers()[0])
    server.wait_for_log('msg="worker started"', 3)
    assert layers(server)


def test_a_replaced_worker_is_sealed(launch):
    server = launch(workers=1).start()
    before = server.workers()
    kill(before[0])
    after = wait_until(lambda: (now := server.workers()) != before and now, "another worker")
    wait_until(lambda: server.get("/readyz").status == 200, "a worker again")
    assert has_filter(after[0])


def test_best_effort_does_without_a_layer(launch):
    server = launch(prefix=WITHOUT_LANDLOCK, workers=1).start()
    assert "-landlock" in layers(server)
    assert "seccomp" in layers(server)
    assert server.get("/readyz").status == 200


def test_required_does_not_start_without_a_layer(folder):
    done = subprocess.run([*WITHOUT_LANDLOCK, DISPLAYD, "--state-dir", folder + "/state", "--listen",
                           "127.0.0.1:0", "--sandbox", "required"], stderr=subprocess.PIPE, text=True,
                          check=False, timeout=120)
    assert done.returncode == 2
    assert "--sandbox required" in done.stderr and "-landlock" in done.stderr


def test_required_starts_with_all_layers(launch, running):
    if any(name.startswith("-") for name in layers(running)):
        pytest.skip("this kernel, container or build has not all layers")
    server = launch("--sandbox", "required", workers=1).start()
    assert layers(server) == layers(running)


def test_a_mode_that_is_none():
    code, _, text = displayd("--sandbox", "off")
    assert code == 2
    assert "required" in text and "best-effort" in text


def become(pid):
    """Prefix that runs a command as the process's user: only that user, and root with the right capability,
    may set its limits."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        ids = dict(line.split()[:2] for line in file if line.startswith(("Uid:", "Gid:")))
    if os.getuid() != 0:
        return ()
    return ("setpriv", f"--reuid={ids['Uid:']}", f"--regid={ids['Gid:']}", "--clear-groups")


def is_closed(connection):
    """Whether the connection is closed, not answered. A connection that gets neither times out."""
    try:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection.recv(1) == b""
    except (BrokenPipeError, ConnectionResetError):
        return True


def has_room(server):
    """Whether the server has room. Until it notices that others have left, it closes this connection, too."""
    try:
        return server.get("/livez").status == 200
    except (OSError, http.client.HTTPException):
        return False


def test_out_of_descriptors_again_and_again(launch):
    """A connection for which there is no descriptor is closed, not left to wait; libuv reserves a
    descriptor for that, which a sandboxed worker cannot open again."""
    server = launch(workers=1).start()
    worker = server.workers()[0]
    subprocess.run([*become(worker), "prlimit", f"--pid={worker}", "--nofile=60:60"], check=True)
    own = len(os.listdir(f"/proc/{worker}/fd"))
    for _ in range(3):
        connections = [server.connect() for _ in range(80)]
        closed = 0
        for connection in connections:
            connection.settimeout(60)
            closed += is_closed(connection)
        # All connections without a descriptor; meanwhile the worker may have freed one of its own.
        assert closed >= 80 - (60 - own) - 2
        for connection in connections:
            connection.close()
        wait_until(lambda: has_room(server), "room for connections")


class Tls:
    """A PostgreSQL that is reached by name over TLS, with a password."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        os.chmod(folder, 0o755)
        self.database = Postgres({
            "listen_addresses": "localhost", "port": str(port), "ssl": "on",
            "ssl_cert_file": folder + "/server.crt", "ssl_key_file": folder + "/server.key"})
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test CA", "-keyout",
                     folder + "/ca.key", "-out", folder + "/ca.crt", "-days", "2")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout",
                     folder + "/server.key", "-out", folder + "/server.csr")
        with open(folder + "/names", "w", encoding="ascii") as file:
            file.write("subjectAltName=DNS:localhost\n")
        self.openssl("x509", "-req", "-in", folder + "/server.csr", "-CA", folder + "/ca.crt", "-CAkey",
                     folder + "/ca.key", "-CAcreateserial", "-extfile", folder + "/names", "-out",
                     folder + "/server.crt", "-days", "2")
        os.chmod(folder + "/server.key", 0o600)
        if os.getuid() == 0:
            shutil.chown(folder + "/server.key", "postgres")
        with open(self.database.data + "/pg_hba.conf", "w", encoding="ascii") as file:
            file.write("local all all trust\nhostssl all secret all scram-sha-256\n")
        self.url = (f"host=localhost port={port} user=secret dbname=named sslmode=verify-full "
                    f"sslrootcert={folder}/ca.crt")

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def set_password(self, password):
        """Sets the password in the database, and in a file that replaces the old one."""
        self.database.execute(f"ALTER ROLE secret PASSWORD '{password}'")
        path = self.folder + "/pgpass"
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(f"localhost:{self.port}:*:secret:{password}\n")
        os.chmod(path + ".new", 0o600)
        if os.getuid() == 0:
            shutil.chown(path + ".new", pwd.getpwnam("displayd").pw_uid)
        os.rename(path + ".new", path)


@pytest.fixture
def tls(folder, monkeypatch):
    port = free_port("localhost")
    monkeypatch.setenv("PGPORT", str(port))
    made = Tls(folder, port)
    with made.database:
        made.database.execute("CREATE ROLE secret LOGIN")
        made.database.execute("CREATE DATABASE named OWNER secret")
        yield made


def test_reconnects_by_name_under_verify_full(launch, tls):
    """A sandboxed worker reads the name, the certificate and the password again."""
    tls.set_password("first")
    server = launch(database=tls.url, workers=1,
                    environment={"PGPASSFILE": tls.folder + "/pgpass"}).start()
    worker = server.workers()
    tls.set_password("second")
    tls.database.restart()
    server.wait_for_log("msg=connected connection=read", 2)
    wait_until(lambda: server.get("/readyz").status == 200, "a database again")
    assert server.workers() == worker
    assert has_filter(worker[0])


def test_a_certificate_for_another_name_is_refused(tls):
    tls.set_password("first")
    url = tls.url.replace("host=localhost", "host=127.0.0.1")
    with Server(database=tls.url, environment={"PGPASSFILE": tls.folder + "/pgpass"}, workers=1):
        pass
    done = subprocess.run(["psql", "-X", url, "-c", "SELECT 1"], stderr=subprocess.PIPE, text=True,
                          check=False, env=os.environ | {"PGPASSWORD": "first"})
    assert "does not match host name" in done.stderr
