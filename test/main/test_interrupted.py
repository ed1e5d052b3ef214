"""First starts that are interrupted, and the start after them.

DISPLAYD_TEST_INTERRUPTIONS is the number of moments tried; a hundred take some minutes.
"""

import os
import random
import signal
import subprocess

import pytest
from conftest import is_alive, kill, state_of
from server import DISPLAYCTL, PATIENCE_S
from waiting import let_pass, wait_until

COUNT = int(os.environ.get("DISPLAYD_TEST_INTERRUPTIONS", "4"))


def makers(server):
    """Processes that make this server's database: their descriptor 3 is the folder."""
    folder = os.path.realpath(server.state_dir) + "/postgres/data.new"
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            if os.readlink(f"/proc/{name}/fd/3").removesuffix(" (deleted)") == folder:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    found[int(name)] = file.read()
        except OSError:
            pass
    return found


def wait_for_helper_of_initdb(server):
    """A PostgreSQL that initdb has started. It is stopped, so that it cannot end by itself."""
    def stop_one():
        for pid, command in makers(server).items():
            program = command.split(b"\0")[0]
            if os.path.basename(program) == b"postgres" and b"--single" not in command.split(b"\0"):
                kill(pid, signal.SIGSTOP)
                # A process that was already ending ends anyway.
                wait_until(lambda pid=pid: state_of(pid) in "TXZ", "a stop or an end")
                if state_of(pid) == "T":
                    return pid
        return None

    return wait_until(stop_one, "a PostgreSQL of initdb")


def test_a_new_database_is_synced_once(launch):
    """One call syncs the whole file system: syncing each file takes a minute on a memory card."""
    server = launch(is_new=True).launch()
    helper = wait_for_helper_of_initdb(server)
    programs = {os.path.basename(command.split(b"\0")[0]): command.split(b"\0")
                for command in makers(server).values()}
    assert b"--no-sync" in programs[b"initdb"]
    kill(helper, signal.SIGCONT)
    server.wait_until_ready()
    steps = ("creating the database, which takes seconds, or up to a minute on a slow disk",
             "flushing the new database to disk", "flushed the new database to disk",
             "PostgreSQL started")
    places = [server.log().index(step) for step in steps]
    assert places == sorted(places)


def test_initdb_ends_with_its_server_to_the_last_process(launch):
    server = launch(is_new=True).launch()
    wait_for_helper_of_initdb(server)
    assert server.stop() == 0
    wait_until(lambda: not makers(server), "the end of initdb and its processes")
    server.start()


def test_initdb_ends_with_a_killed_server_to_the_last_process(launch):
    server = launch(is_new=True).launch()
    wait_for_helper_of_initdb(server)
    server.kill()
    wait_until(lambda: not makers(server), "the end of initdb and its processes")
    server.start()


def test_what_is_left_of_initdb_is_ended_by_the_next_start(launch):
    server = launch(is_new=True).launch()
    helper = wait_for_helper_of_initdb(server)
    others = [pid for pid in makers(server) if pid != helper]
    # All that could end the helper is killed at once: the guard leads its process group.
    above = [server.process.pid, *server.children()[0], os.getpgid(helper)]
    for pid in above:
        kill(pid, signal.SIGSTOP)
        # A process that still runs would react to the end of the others.
        wait_until(lambda pid=pid: state_of(pid) == "T", "a stop")
    for pid in [*others, *above]:
        kill(pid)
    server.wait()
    assert is_alive(helper)
    server.start()
    assert not is_alive(helper)


def test_first_starts_that_are_interrupted_at_any_moment(launch):
    seed = random.randrange(1 << 32)
    moments = random.Random(seed)
    for number in range(COUNT):
        server = launch(is_new=True).launch()
        moment_s = moments.uniform(0, 1.6)
        let_pass(moment_s)
        server.process.send_signal(signal.SIGTERM)
        code = server.wait()
        # Before displayd has blocked the signal, the signal kills it.
        told = f"seed {seed}, number {number}, {moment_s:.3f} s\n{server.log()}"
        assert code in (0, -signal.SIGTERM), told
        server.start()
        assert server.stop() == 0, told
        wait_until(lambda server=server: not makers(server), "the end of initdb")
        server.remove()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_made", [False, True])
def test_a_restore_that_is_interrupted_leaves_nothing(running, folder, number, is_made):
    """Interrupts a restore into a new state directory while it makes the database, and while it waits for
    more of the backup."""
    backup, new = os.path.join(folder, "backup"), os.path.join(folder, "new")
    running.ctl("backup", backup)
    with open(backup, "rb") as file:
        data = file.read()
    with subprocess.Popen([DISPLAYCTL, "--state-dir", new, "restore", "-"], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=False) as process:
        process.stdin.write(data[:len(data) * 3 // 4])
        process.stdin.flush()
        wait_until(lambda: os.path.exists(os.path.join(new, "postgres/data" if is_made else "postgres/data.new")),
                   "a database that is made")
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 1
        assert process.stderr.read().count(b"\n") == 1
    assert os.listdir(folder) == ["backup"]
