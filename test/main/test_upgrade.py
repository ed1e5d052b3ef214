"""SIGUSR2 and displayctl upgrade: another program replaces that of the server in the same process.

"New programs" are scripts here that end in the program under test, with something else before."""

import fcntl
import os
import re
import signal
import ssl
import struct
import subprocess
import sys
import threading

import certificates
import pytest
import tls
from scrape import Scrape
from upgrade_scene import CHECK, Scene, free_port

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from keep_alive import Load, Panels  # noqa: E402
from server import CtlError, Server, wait_until  # noqa: E402


@pytest.fixture(scope="module")
def scene():
    one = Scene()
    yield one
    one.remove()


@pytest.fixture(autouse=True)
def as_it_was(request):
    """Each test starts with one generation of workers, and restores the program."""
    yield
    if "scene" in request.fixturenames:
        one = request.getfixturevalue("scene")
        one.install()
        if one.server.process.poll() is None:
            one.retire()


def test_another_program_takes_over(scene):
    workers, postmaster = scene.server.workers(), scene.server.postmaster()
    answer = scene.upgrade()
    assert answer["state"] == "done"
    assert answer["from"] == answer["to"]
    scene.retire()
    assert not set(workers) & set(scene.server.workers())
    assert scene.server.postmaster() == postmaster
    assert scene.server.process.poll() is None
    with open(os.path.join(scene.server.state_dir, "lock"), encoding="ascii") as file:
        assert file.read().strip() == str(scene.server.process.pid)
    assert scene.server.get("/v1/devices", key=scene.key).status == 200


def test_it_is_the_program_that_is_there_now(scene):
    """Three upgrades leave the current program running, without more descriptors than one."""
    counts = []
    for _ in range(3):
        assert scene.upgrade()["state"] == "done"
        scene.retire()
        counts.append(len(os.listdir(f"/proc/{scene.server.process.pid}/fd")))
    assert len(set(counts)) == 1


def test_no_request_fails_and_panels_come_back(scene):
    address = scene.server.address
    paths = [scene.server.path_of(device["websocketUrl"]) for device in scene.devices]
    with Panels(address, paths) as panels, Load(address, "/livez") as load:
        for _ in range(2):
            load.wait_for(100)
            assert scene.upgrade()["state"] == "done"
            load.wait_for(100)
            scene.retire()
        panels.wait_until_connected()
    assert load.failures == []
    assert load.closed > 0
    assert panels.faults == []
    # On a slow machine a client may reach an old worker again, which does not know yet that it drains.
    assert len(panels.gaps) >= 2 * len(paths)


def test_old_workers_serve_until_the_new_ones_have_the_database():
    """PostgreSQL takes no new connections, as while it is overloaded; its backends go on."""
    one = Scene("--rate-limit", "0")
    waiting = 'msg="waiting for the database, the old workers serve meanwhile"'
    try:
        before, postmaster = one.server.workers(), one.server.postmaster()
        with Load(one.server.address, "/v1/devices", one.key) as load:
            os.kill(postmaster, signal.SIGSTOP)
            try:
                one.server.process.send_signal(signal.SIGUSR2)
                one.server.wait_for_log(waiting, 2)
                load.wait_for(100)
                wait_until(lambda: set(before) < set(one.server.children()[0]), "workers of both programs")
                assert "msg=upgraded" not in one.server.log()
            finally:
                os.kill(postmaster, signal.SIGCONT)
            one.server.wait_for_log("msg=upgraded")
            one.retire()
            load.wait_for(100)
        assert load.failures == []
        assert not set(before) & set(one.server.workers())
    finally:
        one.remove()


def shared_memory(pid):
    """Shared memory that a process has mapped."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as file:
        return set(re.findall(r" (\d+) +/memfd:displayd", file.read()))


def test_limits_outlive_it(scene):
    """Limits survive an upgrade: workers count uses of keys and addresses in shared memory."""
    before = [shared_memory(pid) for pid in scene.server.workers()]
    assert before[0] and before[0] == before[1]
    assert scene.upgrade()["state"] == "done"
    assert [shared_memory(pid) for pid in scene.server.workers()] == before


def test_tls_goes_on(folder):
    """TLS continues, even with a ticket of the old program."""
    made = certificates.make(folder, "wall")
    port = free_port()
    one = Scene("--tls-listen", f"127.0.0.1:{port}", *made.options)
    try:
        context = tls.context(made, version=ssl.TLSVersion.TLSv1_2)
        with tls.connect(port, context) as stream:
            assert tls.ask(stream).status == 200
            session = stream.session
        url = one.server.ctl("device", "create", "--account", "ada@example.org", "--name", "E")
        assert one.upgrade()["state"] == "done"
        one.retire()
        with tls.connect(port, context, session=session) as stream:
            assert stream.session_reused
            assert tls.ask(stream).status == 200
        again = one.server.ctl("device", "create", "--account", "ada@example.org", "--name", "F")
        assert again["pollUrl"].partition("/d/")[0] == url["pollUrl"].partition("/d/")[0]
    finally:
        one.remove()


def test_the_token_of_metrics_goes_on(folder):
    path = os.path.join(folder, "token")
    one = Scene()
    try:
        for token in ("the-first-of-some-tokens-012345678", "the-second-one-of-them-0123456789"):
            with open(path, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(token)
            with open(one.config, "w", encoding="utf-8") as file:
                file.write(f"metrics-token-file = {path}\n")
            assert one.upgrade()["state"] == "done"
            one.retire()
            for _ in range(4):
                assert one.server.get("/metrics", key=token).status == 200
    finally:
        one.remove()


def test_cpu_time_is_counted_once():
    """CPU time before the upgrade is not counted again by the new program."""
    one = Scene("--admin-listen", "127.0.0.1:0")
    try:
        scrape = Scrape(one.server)

        def seconds():
            return scrape.value("process_cpu_seconds_total", process="supervisor")

        for _ in range(4):
            assert one.upgrade()["state"] == "done"
            one.retire()
        with open(f"/proc/{one.server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        assert 0 < seconds() <= used + 0.05
    finally:
        one.remove()


def test_it_stops_after_an_upgrade():
    one = Scene()
    try:
        assert one.upgrade()["state"] == "done"
        assert one.server.stop() == 0
        assert "ended unexpectedly" not in one.server.log()
        one.server.start()
        assert one.server.stop() == 0
    finally:
        one.remove()


@pytest.mark.parametrize("script, reason", [
    ("exit 3", "failed the check with exit status 3 and no message"),
    ("echo no; exit 3", "failed the check with exit status 3: no"),
    pytest.param("printf '%0900d' 1; exit 3", f"failed the check with exit status 3: {1:0900d}", id="long"),
    ("kill -SEGV $$", "killed by signal 11"),
    ("echo nonsense", "is not a displayd that can take over"),
    (f"{CHECK} echo displayd-upgrade 9.9 1 1 abc;; esac", "only knows 1"),
    ("exec $DISPLAYD --no-such-flag \"$@\"", "no-such-flag"),
])
def test_a_program_that_does_not_fit_is_refused(scene, script, reason):
    workers = scene.server.workers()
    scene.install(script)
    error = scene.refused()
    assert error.code == 4 and reason in error.text
    assert scene.server.workers() == workers


def test_a_program_that_is_not_there_is_refused(scene):
    workers = scene.server.workers()
    os.unlink(scene.program)
    assert "No such file" in scene.refused().text
    assert scene.server.workers() == workers


def test_a_faulty_configuration_is_refused(scene):
    with open(scene.config, "w", encoding="utf-8") as file:
        file.write("rate-limit = many\n")
    assert "rate-limit" in scene.refused().text
    with open(scene.config, "w", encoding="utf-8"):
        pass


def test_a_program_that_cannot_be_executed_after_all(scene):
    workers = scene.server.workers()
    scene.install(f'{CHECK} chmod 000 "$0"; exec $DISPLAYD "$@";; esac\nexec $DISPLAYD "$@"')
    error = scene.refused()
    assert error.code == 1 and "Permission denied" in error.text
    assert scene.server.workers() == workers
    assert scene.server.get("/v1/devices", key=scene.key).status == 200


def go_back(scene, line):
    """An upgrade that fails once the new program runs with this line in the configuration: the old one
    continues, with the configuration that it has read."""
    workers = scene.server.workers()
    scene.install(f'{CHECK} ;; *) echo "{line}" > {scene.config};; esac\nexec $DISPLAYD "$@"')
    error = scene.refused()
    assert error.code == 1
    assert scene.server.get("/v1/devices", key=scene.key).status == 200
    scene.retire()
    assert sorted(scene.server.workers()) == sorted(workers)
    with open(scene.config, "w", encoding="utf-8"):
        pass
    scene.install()
    assert scene.upgrade()["state"] == "done"
    return error.text


def test_a_program_that_does_not_understand_goes_back(scene):
    assert "nonsense" in go_back(scene, "nonsense = 1")


def test_a_program_that_cannot_listen_goes_back(scene):
    text = go_back(scene, f"admin-listen = 0.0.0.0:{scene.server.address[1]}")
    assert "another program listens there" in text


def ctl_upgrade(scene):
    try:
        return scene.upgrade()["state"]
    except CtlError as error:
        return error.text


def end_a_fresh_worker(scene):
    """Ends a new worker during an upgrade whose workers wait for a database that has been stopped. Returns
    displayctl's output. On a slow machine a worker may already serve."""
    found, begun = [], len(scene.server.log())
    postmaster = scene.server.postmaster()
    os.kill(postmaster, signal.SIGSTOP)
    thread = threading.Thread(target=lambda: found.append(ctl_upgrade(scene)))
    thread.start()
    try:
        fresh = wait_until(
            lambda: re.search(r'replaces this one.*?msg="worker started" number=\d+ pid=(\d+)\n',
                              scene.server.log()[begun:], re.DOTALL), "a fresh worker")
        os.kill(int(fresh[1]), signal.SIGKILL)
        thread.join()
    finally:
        os.kill(postmaster, signal.SIGCONT)
    scene.retire()
    if found[0] == "done":
        pytest.skip("this machine is too slow to end a worker before it serves")
    return found[0]


def note(scene):
    with open(os.path.join(scene.server.state_dir, "upgrade"), encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(" ", 1) for line in file)


@pytest.fixture
def own_scene():
    one = Scene()
    yield one
    one.remove()


def test_a_crash_in_the_middle_is_an_end(own_scene):
    """A crash during an upgrade ends the upgrade. The program that starts again is the new one."""
    scene = own_scene
    postmaster, begun = scene.server.postmaster(), len(scene.server.log())
    os.kill(postmaster, signal.SIGSTOP)
    os.kill(scene.server.process.pid, signal.SIGUSR2)
    scene.server.wait_for_log('msg="new program replaces this one"')
    wait_until(lambda: 'msg="worker started"' in scene.server.log()[begun:], "a fresh worker")
    assert note(scene)["state"] == "replacing"
    scene.server.kill()
    os.kill(postmaster, signal.SIGCONT)
    scene.server.start()
    last = note(scene)
    assert last["state"] == "done" and last["reason"] == "displayd was restarted during the upgrade"
    assert scene.upgrade()["state"] == "done"


@pytest.mark.parametrize("state", ["checking", "waiting", "replacing"])
def test_an_upgrade_that_ended_with_its_server_has_failed(own_scene, state):
    scene = own_scene
    scene.server.kill()
    with open(os.path.join(scene.server.state_dir, "upgrade"), "w", encoding="utf-8") as file:
        file.write(f"number 7\nstate {state}\nfrom 0.1\nto 99\nreason \n")
    scene.server.start()
    last = note(scene)
    assert (last["number"], last["state"]) == ("7", "failed")
    assert last["reason"] == "displayd ended before the upgrade finished"


def test_workers_that_do_not_start_go_back(scene):
    before = scene.server.workers()
    assert "its workers did not start" in end_a_fresh_worker(scene)
    assert sorted(scene.server.workers()) == sorted(before)
    # The database had been stopped for so long that they gave up.
    wait_until(lambda: scene.server.get("/v1/devices", key=scene.key).status == 200, "the database")


def test_a_socket_that_only_the_new_program_listens_on_goes_with_it(scene, folder):
    """A failed upgrade also removes the file of a socket that only the new program listened on, since
    nothing would answer there."""
    path = os.path.join(folder, "admin")
    with open(scene.config, "w", encoding="utf-8") as file:
        file.write(f"admin-listen = unix:{path}\n")
    try:
        assert "its workers did not start" in end_a_fresh_worker(scene)
    finally:
        with open(scene.config, "w", encoding="utf-8"):
            pass
    assert f"msg=listening address=unix:{path}" in scene.server.log()
    assert not os.path.lexists(path)
    wait_until(lambda: scene.server.get("/v1/devices", key=scene.key).status == 200, "the database")


@pytest.mark.parametrize("what, reason", [
    ("echo displayd-upgrade $1 99 $3 $4", "use different handover versions"),
    ("echo displayd-upgrade $1 $2 9999 $4", "migrated"),
    ("echo displayd-upgrade $1 $2 $3 abc", "settings"),
])
def test_what_takes_a_restart_is_one(scene, what, reason):
    workers, postmaster = scene.server.workers(), scene.server.postmaster()
    scene.install(f'{CHECK} set -- $($DISPLAYD "$@" | tail -n 1 | cut -d " " -f 2-); {what}; exit;;'
                  'esac\nexec $DISPLAYD "$@"')
    answer = scene.upgrade()
    assert answer["state"] == "done" and reason in answer["reason"]
    assert scene.server.process.poll() is None
    assert not set(workers) & set(scene.server.workers())
    assert scene.server.postmaster() != postmaster
    assert wait_until(lambda: scene.server.get("/readyz").status == 200, "ready")
    # The script is not the current program.
    scene.install()
    scene.server.restart()


def restarting(what):
    """A check that turns an upgrade into a restart; what: commands after the check."""
    return (f'{CHECK} set -- $($DISPLAYD "$@" | tail -n 1 | cut -d " " -f 2-)\n{what}\nexit;;\n'
            'esac\nexec $DISPLAYD "$@"')


def test_a_restart_whose_program_cannot_be_executed(scene):
    """If the program of a restart cannot be executed, the old one starts again, and logs that."""
    workers = scene.server.workers()
    ready = scene.server.log().count("msg=ready")
    scene.install(restarting('echo displayd-upgrade $1 99 $3 $4; chmod 000 "$0"'))
    error = scene.refused()
    assert error.code == 1 and "Permission denied" in error.text
    scene.server.wait_for_log("msg=ready", ready + 1)
    assert not set(workers) & set(scene.server.workers())
    os.unlink(scene.program)
    assert "No such file" in scene.refused().text  # looked up at its old path
    scene.install()
    assert scene.upgrade()["state"] == "done"


def test_a_restart_that_starts_another_program(scene):
    scene.install(restarting("echo displayd-upgrade 9.9 99 $3 $4"))
    error = scene.refused()
    assert error.code == 1 and "is not the one that was checked" in error.text
    scene.install()
    scene.server.restart()


def test_a_program_that_warns_a_lot(scene):
    scene.install(f'{CHECK} for i in $(seq 200); do echo "a warning of a library" >&2; done;; esac\n'
                  'exec $DISPLAYD "$@"')
    assert scene.upgrade()["state"] == "done"


def test_it_says_what_it_waits_for(scene):
    """The upgrade names what it waits for: an open connection keeps a worker draining."""
    with scene.server.connect() as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000)
        assert scene.upgrade()["state"] == "done"
        scene.server.process.send_signal(signal.SIGUSR2)
        scene.server.wait_for_log('msg="upgrade waiting" reason="worker is finishing requests"')
        upgraded = scene.server.log().count("msg=upgraded")
    scene.server.wait_for_log("msg=upgraded", upgraded + 1)


def test_it_waits_for_a_change_of_the_configuration(scene):
    """A change of the configuration and an upgrade at the same time run one after the other."""
    with open(scene.config, "w", encoding="utf-8") as file:
        file.write("rate-limit = 99\n")
    scene.server.process.send_signal(signal.SIGHUP)
    assert scene.upgrade()["state"] == "done"
    policy = scene.server.get("/v1/devices", key=scene.key).headers["RateLimit-Policy"]
    assert "q=198;" in policy


def test_no_server_is_there(folder):
    with pytest.raises(CtlError) as error:
        Server(state_dir=folder, is_new=True).ctl("upgrade")
    assert error.value.code == 5 and "no displayd is running on " in error.value.text


def test_what_holds_the_lock_is_no_server(folder):
    """Displayctl upgrade sends no signal to another holder of the lock, such as displayctl restore."""
    told = []
    before = signal.signal(signal.SIGUSR2, lambda *_: told.append(True))
    try:
        with open(os.path.join(folder, "lock"), "w+", encoding="utf-8") as lock:
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            fcntl.fcntl(lock, fcntl.F_OFD_SETLK,
                        struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            with pytest.raises(CtlError) as error:
                Server(state_dir=folder, is_new=True).ctl("upgrade")
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert error.value.code == 4 and "is not a displayd" in error.value.text
    assert not told


def test_the_number_of_another_process(scene):
    """The lock may contain the number of another process, left by a server in a container."""
    path = os.path.join(scene.server.state_dir, "lock")
    with open(path, "r+", encoding="utf-8") as lock:
        own = lock.read()
        with subprocess.Popen(["sleep", "600"]) as other:
            try:
                lock.seek(0)
                lock.write(f"{other.pid}\n")
                lock.truncate()
                lock.flush()
                assert "a container" in scene.refused().text
                assert other.poll() is None
            finally:
                other.kill()
                lock.seek(0)
                lock.write(own)
                lock.truncate()
