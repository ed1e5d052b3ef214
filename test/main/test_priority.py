"""Priorities of processes: those that answer requests come first."""

import ctypes
import os
import signal

import pytest
from server import wait_until

SCHED_GETATTR = 315 if os.uname().machine == "x86_64" else 275
SHORT_TURN_NS = 200_000


class Schedule(ctypes.Structure):
    """struct sched_attr of sched_setattr(2)."""

    _fields_ = (("size", ctypes.c_uint32), ("policy", ctypes.c_uint32), ("flags", ctypes.c_uint64),
                ("nice", ctypes.c_int32), ("priority", ctypes.c_uint32),
                ("turn_ns", ctypes.c_uint64), ("deadline_ns", ctypes.c_uint64),
                ("period_ns", ctypes.c_uint64))


def turn_ns(pid):
    found = Schedule()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(SCHED_GETATTR, pid, ctypes.byref(found), ctypes.sizeof(found), 0) != 0:
        raise OSError(ctypes.get_errno(), "sched_getattr")
    return found.turn_ns


def system_has_turns():
    """Whether the system reports turns of ordinary processes, as Linux does from 6.12 on."""
    return turn_ns(0) > 0


def backends(server):
    """The nice values of the processes that serve displayd's connections."""
    postmaster = server.postmaster()
    found = {}
    with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as file:
        for pid in map(int, file.read().split()):
            try:
                with open(f"/proc/{pid}/cmdline", encoding="ascii") as title:
                    if "displayd" in title.read():
                        found[pid] = os.getpriority(os.PRIO_PROCESS, pid)
            except OSError:
                continue  # it has just exited
    return found


def test_what_works_for_long_lists_lets_others_go_first(launch, tmp_path):
    server = launch().start()
    server.ctl("account", "create", "ada@example.org", "--name", "Ada")
    names = tmp_path / "names.csv"
    names.write_text("name\n" + "".join(f"Desk {n}\n" for n in range(150)))
    server.ctl("device", "create", "--account", "ada@example.org", "--from", str(names))
    key = server.ctl("key", "create", "--account", "ada@example.org")["key"]
    ordinary = os.getpriority(os.PRIO_PROCESS, server.process.pid)

    def lowered():
        assert len(server.get("/v1/devices", key=key).json()) == 150
        return [pid for pid, nice in backends(server).items() if nice >= max(10, ordinary)]

    if ordinary < 10:
        first = wait_until(lowered, "a process with a low priority")
        assert 0 < len(first) < len(backends(server)) / 2
        os.kill(first[0], signal.SIGTERM)
        wait_until(lambda: first[0] not in backends(server), "its end")
        wait_until(lambda: set(lowered()) - set(first), "another one")


def test_what_answers_requests_has_short_turns(launch):
    if not system_has_turns():
        pytest.skip("Linux 6.12 and later know turns of their own for ordinary processes")
    server = launch().start()
    assert server.get("/readyz").status == 200
    pids = [server.process.pid, *server.workers(), server.postmaster(), *backends(server)]
    assert len(pids) > 3
    assert {pid: turn_ns(pid) for pid in pids} == dict.fromkeys(pids, SHORT_TURN_NS)
