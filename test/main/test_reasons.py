"""Each reason for an unavailable database is provoked, at the start and while displayd runs. displayd names
it in the log and in the body of /readyz."""

import os
import pwd
import shutil
import socket
import subprocess

import pytest
from conftest import displayd
from postgres import Postgres
from run_folder import new_folder
from ports import free_port
from server import Server, wait_until

PASSWORD = "correct-horse"
# pg_hba.conf of a test's server: TCP connections need TLS and a password.
ACCESS = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"


def make_certificate(folder, name):
    """Makes a self-signed certificate for 127.0.0.1. Returns the paths of the certificate and of its key."""
    certificate, key = (os.path.join(folder, f"{name}.{end}") for end in ("crt", "key"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return certificate, key


class Tls(Postgres):
    """A PostgreSQL with TLS on a port."""

    def __init__(self):
        self.files = new_folder("displayd-tls-")
        os.chmod(self.files, 0o755)
        super().__init__({"listen_addresses": "127.0.0.1", "port": str(free_port()), "ssl": "on",
                          "ssl_cert_file": self.files + "/used.crt",
                          "ssl_key_file": self.files + "/used.key"})
        self.authority, _ = make_certificate(self.files, "good")
        make_certificate(self.files, "other")
        self.use("good")
        with open(self.data + "/pg_hba.conf", "w", encoding="ascii") as file:
            file.write(ACCESS)

    def use(self, name):
        """Uses this server certificate from its next reload on."""
        for end in ("crt", "key"):
            path = f"{self.files}/used.{end}"
            shutil.copy(f"{self.files}/{name}.{end}", path)
            os.chmod(path, 0o600)
            if os.getuid() == 0:
                os.chown(path, pwd.getpwnam("postgres").pw_uid, -1)

    def tcp_url(self, user="panels", password=PASSWORD, database="panels", **options):
        options = {"sslmode": "verify-full", "sslrootcert": self.authority} | options
        return (f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}?"
                + "&".join(f"{name}={value}" for name, value in options.items()))

    def remove(self):
        super().remove()
        shutil.rmtree(self.files, ignore_errors=True)


@pytest.fixture(scope="module")
def tls():
    with Tls() as one:
        one.execute(f"CREATE ROLE panels LOGIN PASSWORD '{PASSWORD}'")
        one.execute("CREATE DATABASE panels OWNER panels")
        yield one


def at_start(folder, url):
    code, _, text = displayd("--state-dir", folder, "--listen", "127.0.0.1:0", "--database", url)
    assert PASSWORD not in text
    return code, text


@pytest.mark.parametrize("options, reason, words", [
    ({"password": "wrong-horse"}, "it rejects the password", "password authentication failed"),
    ({"password": ""}, "it rejects the password", "no password supplied"),
    ({"user": "stranger"}, "it rejects the password", "stranger"),
    ({"database": "nowhere"}, "it has no database with this name", "nowhere"),
    ({"sslrootcert": "OTHER"}, "a certificate is not valid", "certificate verify failed"),
    ({"sslrootcert": "/nothing"}, "a certificate is not valid", "/nothing"),
    ({"sslmode": "disable"}, "it does not allow this user", "no encryption"),
    ({"sslmode": "perhaps"}, "the connection settings are wrong", "perhaps"),
])
def test_it_does_not_wait_for_what_will_not_pass(tls, folder, options, reason, words):
    if options.get("sslrootcert") == "OTHER":
        options = {"sslrootcert": tls.files + "/other.crt"}
    code, text = at_start(folder, tls.tcp_url(**options))
    assert code == 5
    assert f'reason="the database cannot be reached: {reason}' in text
    assert words in text
    assert "waiting for the database" not in text


def test_a_server_without_tls(folder):
    with Postgres({"listen_addresses": "127.0.0.1", "port": str(free_port())}) as plain:
        url = f"postgresql://postgres@127.0.0.1:{plain.port}/x?sslmode=require"
        code, text = at_start(folder, url)
    assert code == 5
    assert "the database cannot be reached: a certificate is not valid, or TLS is missing" in text
    assert "does not support SSL" in text


def test_a_server_that_does_not_answer_is_passed_over(launch, folder):
    """Servers that do not answer are skipped: at the start, by displayctl, by workers, and if the good
    server leaves and returns."""
    with Postgres() as good, socket.create_server(("127.0.0.1", 0)) as silent:
        database = good.create_database().split("/")[3].split("?")[0]
        url = (f"host=127.0.0.1,localhost,database.invalid,{good.folder} dbname={database} user=postgres "
               f"port={silent.getsockname()[1]},{silent.getsockname()[1]},1,{good.port}")
        server = launch(database=url, workers=1).start()
        assert server.get("/readyz").status == 200
        server.ctl("account", "create", "a@example.org", "--name", "A")
        server.ctl("device", "create", "--account", "a@example.org", "--name", "D")
        key = server.ctl("key", "create", "--account", "a@example.org")["key"]
        assert server.get("/v1/devices", key=key).status == 200
        good.restart()
        wait_until(lambda: server.get("/v1/devices", key=key).status == 200, "a server with database")
        assert server.stop() == 0


def waits(launch, url, reason):
    server = launch(database=url).launch()
    server.wait_for_log(f'msg="waiting for the database" reason="{reason}"')
    server.stop()
    assert PASSWORD not in server.log()


def test_it_waits_for_a_closed_port(launch):
    waits(launch, f"postgresql://u:{PASSWORD}@127.0.0.1:{free_port()}/x",
          "nothing listens at its address")


def test_it_waits_for_a_socket(launch, folder):
    os.chmod(folder, 0o755)
    waits(launch, f"postgresql:///x?host={folder}&user=u", "nothing listens at its address")


def test_it_waits_for_a_name(launch):
    waits(launch, f"postgresql://u:{PASSWORD}@database.invalid/x",
          "its host name is unknown")


def test_it_waits_for_one_that_is_silent(launch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        waits(launch, "postgresql://u@127.0.0.1:%d/x" % silent.getsockname()[1],
              "it does not answer")


def test_it_waits_for_a_standby(launch, tls):
    tls.execute("ALTER DATABASE panels SET default_transaction_read_only = on")
    try:
        waits(launch, tls.tcp_url(), "it is read-only")
    finally:
        tls.execute("ALTER DATABASE panels RESET default_transaction_read_only")


# ---- while it runs ----

@pytest.fixture(scope="module")
def server(tls):
    with Server(database=tls.tcp_url()) as one:
        yield one


def body(server):
    return server.get("/readyz").body.decode()


def end_connections(tls):
    tls.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'panels'")


def check(server, reason, undo):
    """Checks the reason once all connections are gone or break."""
    before = server.log().count(f'reason="{reason}')
    wait_until(lambda: f"the database cannot be reached: {reason}" in body(server), reason)
    wait_until(lambda: server.log().count(f'reason="{reason}') > before, "a line of the log")
    undo()
    server.wait_until_ready()


@pytest.mark.parametrize("change, undo, reason", [
    ("ALTER ROLE panels PASSWORD 'battery-staple'", f"ALTER ROLE panels PASSWORD '{PASSWORD}'",
     "it rejects the password"),
    ("ALTER ROLE panels NOLOGIN", "ALTER ROLE panels LOGIN", "it does not allow this user"),
])
def test_it_says_so_while_it_runs(server, tls, change, undo, reason):
    tls.execute(change)
    end_connections(tls)
    check(server, reason, lambda: tls.execute(undo))


def test_a_schema_that_has_changed(server, tls):
    tls.execute("ALTER TABLE device RENAME COLUMN brightness TO glow", "panels")
    end_connections(tls)
    check(server, "its schema does not match this displayd",
          lambda: tls.execute("ALTER TABLE device RENAME COLUMN glow TO brightness", "panels"))


def test_a_certificate_that_has_changed(server, tls):
    def use(name):
        tls.use(name)
        tls.execute("SELECT pg_reload_conf()")

    use("other")
    end_connections(tls)
    check(server, "a certificate is not valid", lambda: use("good"))


def test_no_connection_left(server, tls):
    tls.execute("ALTER ROLE panels CONNECTION LIMIT 0")
    end_connections(tls)
    wait_until(lambda: "cannot be reached: it accepts no more connections" in body(server), "why")
    tls.execute("ALTER ROLE panels CONNECTION LIMIT -1")
    server.wait_until_ready()


def test_it_was_stopped(server, tls):
    tls.stop()
    try:
        wait_until(lambda: "cannot be reached: nothing listens at its address" in body(server),
                   "why")
    finally:
        tls.start()
    server.wait_until_ready()
    assert PASSWORD not in server.log()


def test_it_hangs(server, tls):
    """Hints show first that the database hangs: they query it four times a second."""
    tls.pause()
    try:
        wait_until(lambda: "the database's notifications do not arrive: it does not answer" in body(server), "why")
    finally:
        tls.resume()
    server.wait_until_ready()
