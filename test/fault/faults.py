"""The preloaded library that makes the system fail (faults.c), as tests use it.

    faults = Faults(folder)
    World(url, environment=faults.environment())
    faults.pid = worker; faults.allocation = 7
"""

import functools
import mmap
import os
import struct
import subprocess

# libpq loses its place, and the results that it had, where it has no memory for the description of
# a statement.
LEAKS = "leak:PQmakeEmptyPGresult\n"
LIBRARY = os.environ.get("FAULTS_LIBRARY", "")
TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools")
# As in faults.c.
FIELDS = ("pid", "allocation", "allocations", "spared_from", "spared_to", "failed", "accepts",
          "write_bytes", "clock_s")


class Faults:
    def __init__(self, folder):
        self.path = os.path.join(folder, "faults")
        with open(self.path, "wb") as file:
            file.write(bytes(8 * len(FIELDS)))
        os.chmod(self.path, 0o666)
        self.leaks = os.path.join(folder, "leaks_allowed.txt")
        with open(os.path.join(TOOLS, "leaks_allowed.txt"), encoding="utf-8") as file, \
                open(self.leaks, "w", encoding="utf-8") as copy:
            copy.write(file.read() + LEAKS)
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def environment(self):
        # A sanitizer wants to be the first library, but it need not be: ours calls its functions.
        asan = os.environ.get("ASAN_OPTIONS", "")
        return {"FAULTS": self.path, "LD_PRELOAD": LIBRARY,
                "LSAN_OPTIONS": f"suppressions='{self.leaks}':print_suppressions=0",
                "ASAN_OPTIONS": f"{asan}:verify_asan_link_order=0".strip(":")}

    def spare(self, program, pid, functions):
        """Allocations that these functions of the program make succeed; they lie side by side."""
        start, end = span(program, functions)
        with open(f"/proc/{pid}/maps", encoding="ascii") as file:
            line = next(line for line in file if line.rstrip().endswith(program))
        base = int(line.split("-")[0], 16)
        self.spared_from, self.spared_to = base + start, base + end

    def clear(self):
        for name in FIELDS:
            setattr(self, name, 0)


@functools.lru_cache
def span(program, functions):
    """Where they begin and end in the program."""
    lines = subprocess.run(["nm", "--defined-only", "--numeric-sort", program], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    places = [line.split() for line in lines if line.split()[1] in "tT"]
    found = [n for n, place in enumerate(places) if place[2] in functions]
    assert len(found) == len(functions) and found[-1] - found[0] == len(found) - 1, found
    return int(places[found[0]][0], 16), int(places[found[-1] + 1][0], 16)


def member(number):
    def get(self):
        return struct.unpack_from("=q", self.map, 8 * number)[0]

    def put(self, value):
        struct.pack_into("=q", self.map, 8 * number, value)

    return property(get, put)


for _number, _name in enumerate(FIELDS):
    setattr(Faults, _name, member(_number))
