"""without_landlock.py PROGRAM [ARGUMENT...]: as on a kernel or in a container that has no Landlock."""

import ctypes
import errno
import os
import sys

ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def main():
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    seccomp.seccomp_init.argtypes = [ctypes.c_uint32]
    seccomp.seccomp_load.argtypes = [ctypes.c_void_p]
    seccomp.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int,
                                               ctypes.c_uint, ctypes.c_void_p]
    rules = seccomp.seccomp_init(ALLOW)
    call = seccomp.seccomp_syscall_resolve_name(b"landlock_create_ruleset")
    status = seccomp.seccomp_rule_add_array(rules, ERRNO | errno.ENOSYS, call, 0, None)
    if status or seccomp.seccomp_load(rules):
        sys.exit("without_landlock.py: no seccomp here")
    os.execvp(sys.argv[1], sys.argv[1:])


main()
