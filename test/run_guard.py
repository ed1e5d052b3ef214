#!/usr/bin/env python3
"""Runs a command and leaves nothing of it behind, however it ends.

    test/run_guard.py FOLDER -- COMMAND [ARGUMENT...]

Makes FOLDER, in which everything temporary of the run lies, and runs the command with

    DISPLAYD_TEST_RUN                        FOLDER
    TMPDIR, PYTEST_DEBUG_TEMPROOT            FOLDER

FOLDER/m is for databases. As root, where there is memory to spare, it is in memory: copies of a cluster
then cost a tenth.

When the command has ended, every process that it started and that still lives is killed, also one in
a session of its own, what is mounted below FOLDER is unmounted, and FOLDER is removed. The exit status
is the command's, or 128 and the number of the signal that ended it. SIGINT, SIGTERM and SIGHUP go to the
command, which may take GRACE_S to end; a second signal ends it at once.

Two processes watch each other. The keeper, in a session of its own, is the parent of the command and of
its orphans. The other one has the number that callers know, takes signals, and holds a pipe to the
keeper: when SIGKILL ends it, the keeper cleans up. If the keeper is killed, its orphans, and the
cleaning, come to the other one.
"""

import ctypes
import os
import re
import select
import signal
import subprocess
import sys
import time

GRACE_S = 30
KILL_S = 30  # a process that is alive then is waiting for a device
QUIT_S = 15  # its postmaster gives its children 5
MEMORY_MIN = 4 << 30
PR_SET_CHILD_SUBREAPER = 36
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def say(text):
    print(f"run_guard: {text}", file=sys.stderr, flush=True)


def adopt_orphans():
    """A descendant whose parent ends becomes a child of this process, not of process 1."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot become a subreaper")


def descendants(root):
    """Returns the process IDs below root, and the names of their programs."""
    children, names = {}, {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        names[pid] = name
        children.setdefault(int(rest.split()[1]), []).append(pid)
    found, queue = {}, [root]
    while queue:
        for pid in children.get(queue.pop(), ()):
            found[pid] = names[pid]
            queue.append(pid)
    return found


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def signal_all(pids, *numbers):
    for pid in pids:
        for number in numbers:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                break
            except PermissionError:
                say(f"cannot end process {pid}: it is another user's")
                break


def end_processes():
    """Kills all below this process. PostgreSQL is told to quit first: if it is killed, its shared memory
    stays in the system."""
    start = time.monotonic()
    while pids := descendants(os.getpid()):
        elapsed_s = time.monotonic() - start
        if elapsed_s > KILL_S:
            say(f"processes do not end: {pids}")
            return
        quitting = {pid for pid, name in pids.items() if name == "postgres" and elapsed_s < QUIT_S}
        signal_all(pids.keys() - quitting, signal.SIGKILL)
        signal_all(quitting, signal.SIGQUIT, signal.SIGCONT)
        reap()
        time.sleep(0.02)


def mounts_below(folder):
    """Returns the mount points below a folder, the innermost first."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        paths = [line.split(" ")[4] for line in file]
    paths = [re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), path) for path in paths]
    return [path for path in reversed(paths) if path.startswith(folder + "/")]


def remove_folder(folder):
    for path in mounts_below(folder):
        subprocess.run(["umount", "--lazy", path], check=False)
    if mounted := mounts_below(folder):
        say(f"cannot unmount {mounted[0]}; {folder} stays")
        return
    remove = ["rm", "-rf", "--one-file-system", folder]
    if subprocess.run(remove, stderr=subprocess.DEVNULL, check=False).returncode:
        # A folder without the right to write keeps what is in it.
        subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(remove, check=False)


def clean_up(folder):
    end_processes()
    remove_folder(folder)


def make_folder(folder):
    """Makes folders with the mode of /tmp: PostgreSQL and workers are other users."""
    memory = os.path.join(folder, "m")
    for path in (folder, memory):
        os.mkdir(path)
        os.chmod(path, 0o1777)
    with open("/proc/meminfo", encoding="ascii") as file:
        available = int(re.search(r"^MemAvailable: +(\d+) kB", file.read(), re.M)[1]) * 1024
    if os.getuid() == 0 and available >= MEMORY_MIN:
        # A container may forbid it, and then they are on the disk.
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={available // 2},mode=1777", "displayd-test",
                        memory], stderr=subprocess.DEVNULL, check=False)


# ---- the keeper ----


def children_that_end():
    """Returns a descriptor that is readable when a child has ended."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read


def reap_orphans(command):
    """Reaps each orphan that has ended, as process 1 would: tests see at once that it is gone."""
    while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if ended.si_pid == command:
            return
        os.waitpid(ended.si_pid, 0)


def watch(process, pipe, children):
    """Waits until the command ends. A byte from the pipe is a signal for it; the end of the pipe means
    that the process which callers know has ended."""
    ended = os.pidfd_open(process.pid)
    deadline = None
    while True:
        patience_s = None if deadline is None else max(0, deadline - time.monotonic())
        ready, _, _ = select.select([ended, pipe, children], [], [], patience_s)
        if ended in ready:
            return
        if children in ready:
            os.read(children, 4096)
            reap_orphans(process.pid)
            continue
        number = os.read(pipe, 1) if ready else b""
        if not number or deadline is not None:
            return
        signal_all([process.pid], number[0])
        deadline = time.monotonic() + GRACE_S


def keep(folder, command, pipe):
    """Runs the command. Returns the exit status."""
    os.setsid()
    adopt_orphans()
    for number in FORWARDED:
        signal.signal(number, lambda *_: None)  # not SIG_IGN, which the command would inherit
    try:
        make_folder(folder)
    except OSError as error:
        say(f"cannot make {folder}: {error.strerror}")
        return 1
    environment = os.environ | {
        "DISPLAYD_TEST_RUN": folder, "TMPDIR": folder, "PYTEST_DEBUG_TEMPROOT": folder}
    children = children_that_end()
    try:
        process = subprocess.Popen(command, env=environment, start_new_session=True)
        watch(process, pipe, children)
        process.kill()
        status = process.wait()
    except OSError as error:
        say(f"cannot run {command[0]}: {error.strerror}")
        status = 127
    clean_up(folder)
    return status if status >= 0 else 128 - status


def forward(pipe, number):
    try:
        os.write(pipe, bytes([number]))
    except BrokenPipeError:  # the keeper has ended
        pass


def main():
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        sys.exit(__doc__)
    folder, command = os.path.abspath(sys.argv[1]), sys.argv[3:]
    theirs, ours = os.pipe()
    adopt_orphans()
    # Before the fork, so that a signal during it is in the pipe.
    for number in FORWARDED:
        signal.signal(number, lambda number, _: forward(ours, number))
    keeper = os.fork()
    if keeper == 0:
        os.close(ours)
        status = 1
        try:
            status = keep(folder, command, theirs)
        finally:
            os._exit(status)  # pylint: disable=protected-access
    os.close(theirs)
    status = os.waitstatus_to_exitcode(os.waitpid(keeper, 0)[1])
    if status < 0:
        clean_up(folder)
        status = 128 - status
    sys.exit(status)


if __name__ == "__main__":
    main()
