"""The lists of system calls allowed after sandbox_restrict() are valid on each processor that has packages:
newer ones lack calls that others have replaced."""

import ctypes
import pathlib
import re

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "subprojects/sandbox/src"
PROCESSORS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # SCMP_ARCH_... of libseccomp
UNKNOWN = -1  # below: a call of another processor
# Calls that the C library uses instead if a processor lacks the first one. None: not replaced.
SUCCESSORS = {
    "access": "faccessat", "arch_prctl": None, "dup2": "dup3", "epoll_wait": "epoll_pwait", "fork": "clone",
    "getdents": "getdents64", "lstat": "newfstatat", "mkdir": "mkdirat", "open": "openat", "pipe": "pipe2",
    "poll": "ppoll", "readlink": "readlinkat", "stat": "newfstatat", "unlink": "unlinkat", "vfork": "clone",
}
# Lists that are only used together with another one.
BESIDE = {("server.c", "sanitizing"): ("server.c", "reading")}


def read_lists():
    """{(file, array name): call names}. Arrays of the same name in a file are joined."""
    lists = {}
    for path in SOURCES.glob("*.c"):
        for name, body in re.findall(r"(\w+)\[\] = \{(.*?)\n\s*\};", path.read_text(), re.S):
            calls = set(re.findall(r"SCMP_SYS\((\w+)\)", body))
            if calls:
                lists.setdefault((path.name, name), set()).update(calls)
    return lists


def test_each_list_holds_on_each_processor():
    library = ctypes.CDLL("libseccomp.so.2")
    resolve = library.seccomp_syscall_resolve_name_arch
    resolve.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    lists = read_lists()
    assert len(lists) >= 10 and sum(map(len, lists.values())) > 140
    faults = []
    for place, calls in lists.items():
        reached = calls | lists.get(BESIDE.get(place), set()) | {None}
        for call in sorted(calls):
            numbers = {name: resolve(number, call.encode()) for name, number in PROCESSORS.items()}
            if UNKNOWN in numbers.values() or max(numbers.values()) < 0:
                faults.append((place, call, "is no call"))
            elif min(numbers.values()) < 0 and SUCCESSORS.get(call, call) not in reached:
                faults.append((place, call, "has no successor in the list"))
    assert not faults
