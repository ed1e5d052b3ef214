"""Starts, stops, rejected starts, and workers that crash."""

import fcntl
import http.client
import os
import re
import signal
import socket
import struct
import subprocess
import time

import psycopg2
import pytest
from conftest import displayd, is_alive, kill, refusing
from server import wait_until

SENTENCE = 'msg="cannot start"'


def test_starts_and_stops(launch):
    server = launch().start()
    assert server.get("/livez").status == 200
    assert server.get("/readyz").status == 200
    workers, postmaster = server.children()
    assert len(workers) == 2
    assert server.stop() == 0
    assert not any(is_alive(pid) for pid in [*workers, postmaster])
    assert not os.path.exists(os.path.join(server.state_dir, "public-url"))
    assert server.log().rstrip().endswith("msg=stopped")


def test_workers_need_no_larger_table_of_descriptors(running):
    """Workers do not enlarge their table of descriptors later, which would stop the loop for 10 ms and more."""
    for pid in running.workers():
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            size = int(re.search(r"^FDSize:\s+(\d+)", file.read(), re.M)[1])
        with open(f"/proc/{pid}/limits", encoding="ascii") as file:
            allowed = re.search(r"^Max open files\s+(\w+)", file.read(), re.M)[1]
        most = 16 * 1024 if allowed == "unlimited" else min(16 * 1024, int(allowed))
        assert size >= most


def test_says_what_it_listens_on(running):
    assert running.url == "http://{}:{}".format(*running.address)


def test_public_url_is_handed_out(serve):
    server = serve("--public-url", "https://panels.example/").start()
    assert server.url == "https://panels.example"


def test_several_listeners(serve, folder):
    path = os.path.join(folder, "socket")
    server = serve("--listen", "127.0.0.1:0", "--listen", "unix:" + path, listen=None).start()
    assert os.stat(path).st_mode & 0o777 == 0o660
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
    assert server.stop() == 0
    assert not os.path.exists(path)


@pytest.mark.parametrize("address", [":0", "[::]:0"])
def test_all_addresses_of_both_families(serve, address):
    """Clients over IPv4 are logged with their IPv4 address. A panel without IPv6 reaches the URL."""
    server = serve("--access-log", "on", listen=address).start()
    port = server.address[1]
    for host, remote in (("127.0.0.1", "127.0.0.1"), ("::1", "::1")):
        connection = http.client.HTTPConnection(host, port, timeout=60)
        connection.request("GET", "/livez")
        assert connection.getresponse().status == 200
        connection.close()
        server.wait_for_log(f" remote={remote} ")
    has_v4 = any(":" not in word for word in subprocess.run(
        ["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split())
    assert (re.match(r"http://[0-9.]+:\d+$", server.url) is not None) is has_v4


def test_admin_listener(serve):
    """The admin listener answers only requests for the operator."""
    server = serve("--admin-listen", "127.0.0.1:0").start()
    port = int(re.search(r"msg=listening .*port=(\d+) role=admin", server.log())[1])
    for path, status in (("/livez", 200), ("/readyz", 200), ("/v1/devices", 404), ("/docs", 404)):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path)
        assert connection.getresponse().status == status
        connection.close()
    assert server.get("/readyz").status == 200
    assert server.get("/docs").status == 200
    assert server.url.endswith(f":{server.address[1]}") and server.address[1] != port


@pytest.mark.parametrize(("arguments", "ports"), [
    ((), ["public"]),
    (("--admin-access-log", "on"), ["admin", "public"]),
    (("--access-log", "off", "--admin-access-log", "on"), ["admin"]),
])
def test_access_lines_of_the_admin_listener(serve, arguments, ports):
    """Requests of a monitor, every few seconds, are not logged unless that is enabled."""
    server = serve("--admin-listen", "127.0.0.1:0", *arguments).start()
    port = int(re.search(r"msg=listening .*port=(\d+) role=admin", server.log())[1])
    for name, to in (("admin", port), ("public", server.address[1])):
        connection = http.client.HTTPConnection("127.0.0.1", to, timeout=60)
        connection.request("GET", f"/nowhere-{name}")
        assert connection.getresponse().status == 404
        connection.close()
    assert server.stop() == 0
    assert sorted(re.findall(r"group=access .*path=/nowhere-(\w+)", server.log())) == ports


def test_a_socket_that_a_killed_server_left_is_replaced(launch, folder):
    path = os.path.join(folder, "socket")
    server = launch("--listen", "unix:" + path).start()
    workers = server.workers()
    server.kill()
    wait_until(lambda: not any(is_alive(pid) for pid in workers), "workers that end")
    assert os.path.exists(path)
    server.start()
    assert server.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_every_stop_signal_ends_with_0(serve, number):
    server = serve().start()
    server.process.send_signal(number)
    assert server.wait() == 0


def test_requests_at_work_are_finished(serve):
    server = serve().start()
    with server.connect() as client:
        client.sendall(b"POST /livez HTTP/1.1\r\nHost: x\r\nContent-Le")
        server.wait_for_log("msg=listening")
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_log("msg=\"stopping")
        client.sendall(b"ngth: 0\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 405 ")
    assert server.wait() == 0


def test_the_second_signal_ends_at_once(launch):
    server = launch().start()
    workers, postmaster = server.children()
    # Hold the drain up with a request that never ends.
    with server.connect() as client:
        client.sendall(b"POST /v1/devices HTTP/1.1\r\nHost: x\r\n")
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_log("msg=\"stopping after requests")
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
    assert "stopping at once" in server.log()
    assert "ended unexpectedly" not in server.log()
    assert not any(is_alive(pid) for pid in [*workers, postmaster])


def test_stops_while_it_starts(launch):
    server = launch(is_new=True).launch()
    server.wait_for_log("creating the database")
    assert server.stop() == 0
    server.start()
    assert server.stop() == 0


def test_a_killed_worker_is_started_again(serve):
    server = serve().start()
    victim, other = server.workers()
    kill(victim)
    server.wait_for_log('msg="worker started"', 3)
    assert 'msg="worker ended unexpectedly" number=' in server.log()
    assert "signal=9" in server.log()
    assert other in server.workers()
    wait_until(lambda: server.get("/readyz").status == 200, "a ready worker")


def test_a_worker_that_keeps_crashing_is_started_less_often(serve):
    server = serve(workers=1).start()
    for count in range(1, 5):
        kill(server.workers()[0])
        server.wait_for_log('msg="worker started"', count + 1)
    for delay in (100, 200, 400, 800):
        assert f"restart_in_ms={delay}\n" in server.log()


CRASHING_WORKERS = refusing("epoll_ctl=SIGSYS")  # the supervisor and the migrating process have no loop


def test_a_crash_loop_ends(launch, postgres):
    server = launch(database=postgres.create_database(), workers=5,
                    prefix=CRASHING_WORKERS).launch()
    assert server.wait() == 8
    lines = server.log().splitlines()
    assert server.log().count("msg=\"worker ended unexpectedly\"") == 9
    assert re.search(r'msg="ended: workers crashed too often before being ready"'
                     r' times=10 last="worker [1-5] was killed by signal 31 \(SIGSYS\)" log=', lines[-1])
    assert lines[-1].endswith(f"log={server.log_path}")
    assert "msg=ready" not in server.log() and "/link#" not in server.log()
    assert not os.path.exists(os.path.join(server.state_dir, "public-url"))
    # The next server starts normally.
    server.command = server.command[len(CRASHING_WORKERS):]
    server.start()
    assert server.stop() == 0


def test_workers_that_end_by_themselves_are_a_crash_loop_too(launch, postgres):
    server = launch(database=postgres.create_database(), workers=5,
                    prefix=refusing("epoll_create1=EMFILE")).launch()
    assert server.wait() == 8
    assert 'ended with exit status 1" log=' in server.log().splitlines()[-1]


def test_ready_waits_for_each_worker(launch, postgres):
    server = launch(database=postgres.create_database()).launch()

    def stop_all_but_the_first():
        workers = re.findall(r'msg="worker started" number=2 pid=(\d+)', server.log())
        for pid in workers[-1:]:
            kill(int(pid), signal.SIGSTOP)
        return workers

    wait_until(stop_all_but_the_first, "a second worker", pause_s=0)
    # Without the database a worker takes 2 s to accept.
    if "msg=ready" in server.log():
        pytest.skip("this machine was too busy to stop a worker before it was ready")

    def is_starting():
        stop_all_but_the_first()
        answer = server.get("/readyz")
        return answer.status == 503 and b"this instance is starting" in answer.body

    wait_until(is_starting, "a worker that says that others are not ready")
    assert server.get("/livez").status == 200
    assert "msg=ready" not in server.log() and "/link#" not in server.log()
    assert not os.path.exists(os.path.join(server.state_dir, "public-url"))
    kill(int(stop_all_but_the_first()[-1]), signal.SIGCONT)
    server.wait_until_ready()
    log = server.log()
    assert log.index("msg=ready") < log.index("/link#")


def test_the_link_of_the_first_account(launch, postgres):
    server = launch(database=postgres.create_database()).start()
    assert len(re.findall(r"/link#\w{43}", server.log())) == 1
    server.ctl("account", "create", "first@example.org", "--name", "First")
    server.ctl("account", "link", "first@example.org", "--role", "administrator")
    server.ctl("account", "link", "new@example.org", "--role", "reviewer", "--invite")
    with psycopg2.connect(server.database) as database, database.cursor() as cursor:
        roles = "SELECT is_administrator, is_reviewer FROM account_link WHERE kind <> 'first' ORDER BY id"
        cursor.execute(roles)
        # The administrator also reviews, because no other account can.
        assert cursor.fetchall() == [(True, True), (False, True)]
        cursor.execute("UPDATE account SET is_reviewer = true")
    server.ctl("account", "link", "first@example.org", "--role", "administrator")
    with psycopg2.connect(server.database) as database, database.cursor() as cursor:
        cursor.execute(roles)
        assert cursor.fetchall()[-1] == (True, False)
    server.restart()
    assert "/link#" not in server.log()
    server = launch("--first-link", "off", database=postgres.create_database()).start()
    assert "/link#" not in server.log()


def test_a_worker_that_hangs_is_replaced(serve):
    server = serve(workers=1).start()
    victim = server.workers()[0]
    kill(victim, signal.SIGSTOP)
    # Its connection waits until another worker accepts it.
    assert server.get("/livez").status == 200
    assert 'msg="worker did not respond, killed" number=1' in server.log()
    assert not is_alive(victim)
    wait_until(lambda: server.get("/readyz").status == 200, "a ready worker")


def test_a_busy_worker_is_left_alone(serve):
    server = serve("--access-log", "off", workers=1).start()
    workers = server.workers()
    batch = 500
    # Longer than the hang limit; requests of one batch wait for those before.
    end = time.monotonic() + 8
    with server.connect() as client, client.makefile("rb") as answers:
        while time.monotonic() < end:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n" * batch)
            seen = 0
            while seen < batch:
                seen += answers.readline() == b"ok\n"
    assert "did not respond" not in server.log()
    assert server.workers() == workers


def test_all_ends_with_a_killed_supervisor(launch):
    server = launch().start()
    workers, postmaster = server.children()
    server.kill()
    wait_until(lambda: not any(is_alive(pid) for pid in [*workers, postmaster]),
               "children that end")
    # State files of the killed server are stale, but do not mislead the next server.
    server.start()
    assert server.get("/readyz").status == 200


def test_workers_inherit_only_what_they_need(running):
    for pid in running.workers():
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        assert not [link for link in links if link.endswith("/lock") or "signalfd" in link]


def test_passwords_are_not_in_the_list_of_processes(launch):
    server = launch(database="postgresql://u:hunter2@127.0.0.1:1/panels").launch()
    server.wait_for_log("msg=listening")
    with open(f"/proc/{server.process.pid}/cmdline", encoding="ascii") as file:
        assert "postgresql://u:*******@127.0.0.1:1/panels" in file.read().split("\0")
    server.wait_for_log("waiting for the database")
    assert "hunter2" not in server.log()


def test_descriptors_up_to_the_hard_limit(serve):
    server = serve(prefix=("prlimit", "--nofile=512:4096")).start()
    with open(f"/proc/{server.workers()[0]}/limits", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("Max open files"))
    assert line.split()[3:5] == ["4096", "4096"]


def test_port_taken(launch, folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        code, _, text = displayd("--state-dir", folder, "--listen", address)
    assert code == 3
    assert SENTENCE in text
    assert f'reason="cannot listen on {address}: another program listens there; stop it or choose another port"' in text


def test_waits_for_the_port_of_a_server_that_was_killed(serve, folder):
    path = folder + "/socket"
    with socket.create_server(("127.0.0.1", 0)) as taken, \
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as local:
        local.bind(path)
        local.listen()
        port = taken.getsockname()[1]
        server = serve("--listen", f"unix:{path}", listen=f"127.0.0.1:{port}").launch()
        server.wait_for_log("waiting for a server that may be ending")
        taken.close()
        server.wait_for_log("waiting for a server that may be ending", 2)
    server.wait_until_ready()


def test_waits_for_the_lock_of_a_server_that_was_killed(serve):
    server = serve()
    with open(server.state_dir + "/lock", "w", encoding="ascii") as file:
        # struct flock: the whole file, for writing.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        server.launch()
        server.wait_for_log("waiting for a server that may be ending")
    server.wait_until_ready()


def test_stops_while_it_waits(serve, folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = serve(listen="127.0.0.1:%d" % taken.getsockname()[1]).launch()
        server.wait_for_log("waiting for a server that may be ending")
        assert server.stop() == 3


def test_starts_at_once_after_all_its_processes_were_killed(launch):
    server = launch(prefix=("setsid",)).start()
    address = "%s:%d" % server.address
    server.command[server.command.index("--listen") + 1] = address
    for _ in range(5):
        os.killpg(server.process.pid, signal.SIGKILL)
        old = server.process
        server.start()
        old.wait()


def test_address_of_another_machine(folder):
    code, _, text = displayd("--state-dir", folder, "--listen", "192.0.2.1:0")
    assert code == 3
    assert "this machine has no such address" in text


def test_state_directory_in_use(running):
    code, _, text = displayd("--state-dir", running.state_dir, "--listen", "127.0.0.1:0")
    assert code == 4
    assert f"is in use by another server (pid {running.process.pid})" in text
    # The running server is not disturbed.
    assert running.get("/readyz").status == 200
    assert running.url


def test_state_directory_that_cannot_be_made():
    code, _, text = displayd("--state-dir", "/dev/null/x", "--listen", "127.0.0.1:0")
    assert code == 4
    assert 'reason="cannot create the state directory /dev/null/x: Not a directory"' in text


def test_json_log(serve):
    import json
    server = serve("--log-format", "json").start()
    server.stop()
    lines = [json.loads(line) for line in server.log().splitlines()]
    assert lines[-1]["msg"] == "stopped"


def test_no_access_log(serve):
    server = serve("--access-log", "off").start()
    server.get("/livez")
    server.stop()
    assert "group=access" not in server.log()


def test_help_version():
    code, text, errors = displayd("--help")
    assert (code, errors) == (0, "")
    assert "--rate-limit N" in text and "DISPLAYD_RATE_LIMIT" in text and "Exit codes" in text
    code, text, _ = displayd("--version")
    version, built_in = re.fullmatch(r"displayd (\S+)\nbuilt in: (.+)\n", text).groups()
    assert code == 0 and re.fullmatch(r"\d+\.\d+\.\d+", version)
    with open(os.path.join(os.path.dirname(__file__), "../../SECURITY.md"), encoding="utf-8") as file:
        said = file.read()
    for name, version in re.findall(r"(\S+) (\S+)(?:, |$)", built_in):
        # SECURITY.md names the series; the version is Debian's, with the revision of its patches, if its archive had it.
        assert re.fullmatch(r"[\d.]+(-\S+)?", version)
        assert name + " " + ".".join(version.split(".")[:2]) in said


def test_the_log_begins_with_the_version(launch):
    server = launch().start()
    first = server.log().splitlines()[0]
    assert re.search(r' msg=starting version=\S+ built_in="mbedTLS \d', first)


def test_configuration_errors(folder):
    path = os.path.join(folder, "displayd.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("workers = 3\n\nlisten = 127.0.0.1\n")
    for flags in ([], ["--check-config"]):
        code, text, errors = displayd(*flags, "--config", path)
        assert (code, text) == (2, "")
        assert errors.startswith(f"displayd: {path}:3: listen must be ADDR:PORT")
    code, _, errors = displayd("--config", path + "x")
    assert code == 2
    assert errors == (f"displayd: cannot read the configuration file {path}x: "
                      "No such file or directory\n")


def test_configuration_from_the_file(serve, folder):
    path = os.path.join(folder, "displayd.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("listen = 127.0.0.1:0\npublic-url = http://file.example\n")
    server = serve("--config", path, listen=None).start()
    assert server.url == "http://file.example"
