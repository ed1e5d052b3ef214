"""A run of the tests leaves nothing behind, however it ends (test/run_guard.py)."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import pytest

TEST = pathlib.Path(__file__).resolve().parent.parent
GUARD = TEST / "run_guard.py"
sys.path.insert(0, str(TEST))

# pylint: disable=wrong-import-position
from postgres import has_ended  # noqa: E402
from run_guard import descendants  # noqa: E402
from waiting import PATIENCE_S, wait_until  # noqa: E402

# A run at its interruption: a displayd with its PostgreSQL, a process that has left its session and its
# parent, a closed folder, and, as root, a nested mount.
RUN = """
import os, signal, subprocess, sys
sys.path.insert(0, sys.argv[1])
from server import Server
if sys.argv[2] == "deaf":
    signal.signal(signal.SIGTERM, lambda *_: print("heard", flush=True))
folder = os.environ["DISPLAYD_TEST_RUN"]
if os.getuid() == 0:
    for path in (folder + "/a disk", folder + "/a disk/inner"):
        os.mkdir(path)
        subprocess.run(["mount", "-t", "tmpfs", "displayd-test", path], check=True)
subprocess.run(["sh", "-c", "setsid sleep 1000 & true"], check=True)
os.mkdir(folder + "/closed")
open(folder + "/closed/file", "w").close()
os.chmod(folder + "/closed", 0)
with Server(is_new=True) as server:
    if sys.argv[2] == "paused":
        os.kill(server.postmaster(), signal.SIGSTOP)
    print("running", flush=True)
    while True:
        signal.pause()
"""


def segments_of(pids=None):
    """Segments made by these processes, or all."""
    lines = pathlib.Path("/proc/sysvipc/shm").read_text(encoding="ascii").splitlines()[1:]
    return {line.split()[1] for line in lines if pids is None or int(line.split()[4]) in pids}


def shared_memory(pids):
    """Shared memory of PostgreSQL outside its folder, which remains until it is removed: segments made by
    these processes, and files that they map."""
    segments = segments_of(pids)
    maps = ""
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended since the listing
            maps += pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    return segments, set(re.findall(r"/dev/shm/PostgreSQL\S+", maps))


class Run:
    def __init__(self, kind="usual"):
        self.folder = tempfile.mktemp(prefix="displayd-run-", dir="/tmp")
        self.before = segments_of()  # a process that was killed long ago may have had the number of a current one
        build = os.environ.get("BUILD", str(TEST.parent / "build/dev"))
        environment = os.environ | {
            "DISPLAYD": build + "/src/main/displayd", "DISPLAYCTL": build + "/src/ctl/displayctl"}
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [GUARD, self.folder, "--", sys.executable, "-c", RUN, str(TEST), kind], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_until_it_runs(self):
        assert self.process.stdout.readline() == "running\n", self.process.stderr.read()
        self.keeper, self.command, *_ = self.pids = list(descendants(self.process.pid))
        self.segments, self.files = shared_memory(self.pids)
        self.segments -= self.before
        assert len(self.segments) == 1

    def must_leave_nothing(self):
        """All processes must close standard output as well, so that its reader sees the end."""
        self.process.stdout.read()
        errors = self.process.stderr.read()
        # The keeper is the last: it closes standard output when it ends.
        wait_until(lambda: has_ended(self.keeper), "the keeper's end")
        assert all(map(has_ended, self.pids))
        assert not self.segments & set(pathlib.Path("/proc/sysvipc/shm").read_text(encoding="ascii").split())
        assert not any(map(os.path.exists, self.files))
        assert self.folder not in pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8")
        assert not os.path.exists(self.folder)
        assert "run_guard:" not in errors, errors
        return self.process.wait()


@pytest.fixture(name="start")
def fixture_start():
    runs = []

    def start(*arguments):
        runs.append(Run(*arguments))
        runs[-1].wait_until_it_runs()
        return runs[-1]

    yield start
    for run in runs:
        run.process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal(start, number):
    run = start()
    run.process.send_signal(number)
    assert run.must_leave_nothing() in (1, 128 + number)


def test_kill(start):
    run = start("paused")
    run.process.kill()
    assert run.must_leave_nothing() == -signal.SIGKILL


def test_kill_of_the_command(start):
    run = start("paused")
    os.kill(run.command, signal.SIGKILL)
    assert run.must_leave_nothing() == 128 + signal.SIGKILL


def test_kill_of_the_keeper(start):
    run = start()
    os.kill(run.keeper, signal.SIGKILL)
    assert run.must_leave_nothing() == 128 + signal.SIGKILL


def test_second_signal(start):
    """The second signal ends a command that ignores the first."""
    run = start("deaf")
    run.process.terminate()
    assert run.process.stdout.readline() == "heard\n"
    run.process.terminate()
    assert run.must_leave_nothing() == 128 + signal.SIGKILL


def guard(*command):
    folder = tempfile.mktemp(prefix="displayd-run-", dir="/tmp")
    done = subprocess.run([GUARD, folder, "--", *command], capture_output=True, text=True, check=False)
    assert not os.path.exists(folder)
    return folder, done


def test_end():
    """Processes that outlive the command are ended."""
    script = "echo $TMPDIR $DISPLAYD_TEST_RUN; stat -c %a $TMPDIR; sleep 1000 & echo $!; exit 7"
    folder, done = guard("sh", "-c", script)
    assert done.returncode == 7
    assert done.stdout.split()[:-1] == [folder, folder, "1777"]
    assert has_ended(int(done.stdout.split()[-1]))


def test_an_orphan_that_ends_is_gone():
    """A process that checks for an orphan must not find a zombie for ever, so orphans are collected as by
    process 1."""
    script = 'orphan=$(sh -c "sleep 0.1 >/dev/null & echo \\$!"); while [ -e /proc/$orphan ]; do sleep 0.1; done'
    assert guard("timeout", str(PATIENCE_S), "sh", "-c", script)[1].returncode == 0


def test_missing_command():
    _, done = guard("/nonexistent/program")
    assert done.returncode == 127
    assert done.stderr == "run_guard: cannot run /nonexistent/program: No such file or directory\n"


def test_existing_folder(tmp_path):
    """An existing folder may belong to somebody, so it stays."""
    done = subprocess.run([GUARD, tmp_path, "--", "true"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"run_guard: cannot make {tmp_path}: File exists\n"
    assert tmp_path.exists()
