"""refused_calls.py CALL=ERROR... -- PROGRAM [ARGUMENT...]: runs the program as if the
kernel refused these calls, to it and to all that it starts.

ERROR is a name of errno, or SIGSYS: the process is ended by that signal. CALL:N:VALUE=ERROR is refused
if its argument N, from 0, has this value.
"""

import ctypes
import errno
import os
import sys

ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
EQUAL = 4


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("value", ctypes.c_uint64),
                ("other", ctypes.c_uint64)]


def load_library():
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    seccomp.seccomp_init.argtypes = [ctypes.c_uint32]
    seccomp.seccomp_load.argtypes = [ctypes.c_void_p]
    seccomp.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int,
                                               ctypes.c_uint, ctypes.c_void_p]
    return seccomp


def refuse(seccomp, rules, refused):
    call, error = refused.split("=")
    name, *condition = call.split(":")
    action = KILL if error == "SIGSYS" else ERRNO | getattr(errno, error)
    comparison = condition and Comparison(int(condition[0]), EQUAL, int(condition[1], 0), 0)
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    return seccomp.seccomp_rule_add_array(rules, action, number, 1 if condition else 0,
                                          ctypes.byref(comparison) if condition else None)


def main():
    end = sys.argv.index("--")
    seccomp = load_library()
    rules = seccomp.seccomp_init(ALLOW)
    if any(refuse(seccomp, rules, refused) for refused in sys.argv[1:end]) or seccomp.seccomp_load(rules):
        sys.exit("refused_calls.py: no seccomp here")
    os.execvp(sys.argv[end + 1], sys.argv[end + 1:])


main()
