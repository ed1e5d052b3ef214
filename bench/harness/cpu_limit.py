"""A limit of CPU time for displayd with all its processes, as on a smaller machine (cgroups(7))."""

import os

from scenarios.base import Missing

# A group that has used up its share waits for the next period: a short one disturbs latencies least.
PERIOD_US = 10_000
# Joins the group, then becomes the program.
JOIN = 'echo $$ > "$0" && exec "$@"'


def controller():
    """Returns the folder of the control groups that limit CPU time, and whether they are of version 2."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1:4] for line in file]
    for folder, kind, options in mounts:
        if kind == "cgroup" and "cpu" in options.split(","):
            return folder, False
        if kind == "cgroup2":
            with open(os.path.join(folder, "cgroup.controllers"), encoding="ascii") as file:
                if "cpu" in file.read().split():
                    return folder, True
    raise Missing("no control groups for CPU time are mounted")


class CpuLimit:
    """A control group. Programs started with its prefix, and all that they start, share so many cores."""

    def __init__(self, cores):
        """Raises Missing, such as for a user who may not make control groups."""
        root, is_second = controller()
        try:
            self.make(root, is_second, cores)
        except OSError as error:
            raise Missing(f"no control group can be made: {error}") from error
        self.prefix = ("sh", "-c", JOIN, os.path.join(self.folder, "cgroup.procs"))

    def make(self, root, is_second, cores):
        self.folder = os.path.join(root, f"displayd-bench-{os.getpid()}")
        quota_us = round(cores * PERIOD_US)
        if is_second:
            self.write(os.path.join(root, "cgroup.subtree_control"), "+cpu")
        os.mkdir(self.folder)
        if is_second:
            self.write("cpu.max", f"{quota_us} {PERIOD_US}")
        else:
            self.write("cpu.cfs_period_us", PERIOD_US)
            self.write("cpu.cfs_quota_us", quota_us)

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(str(value))

    def remove(self):
        """Call it after the last process of the group has ended."""
        os.rmdir(self.folder)
