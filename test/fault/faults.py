"""The preloaded library that makes the system fail (faults.c), as tests use it.

    faults = Faults(folder)
    World(url, environment=faults.environment())
    faults.pid = worker; faults.allocation = 7
"""

import mmap
import os
import struct

LIBRARY = os.environ.get("FAULTS_LIBRARY", "")
# Same order as in faults.c.
FIELDS = ("pid", "allocation", "allocations", "failed", "accepts", "write_bytes", "clock_s",
          "leaping_pid", "leap_s")
# Fields of a process's own clock, which clear() keeps so that the clock never goes back.
KEPT = ("leaping_pid", "leap_s")


class Faults:
    def __init__(self, folder):
        self.path = os.path.join(folder, "faults")
        with open(self.path, "wb") as file:
            file.write(bytes(8 * len(FIELDS)))
        os.chmod(self.path, 0o666)
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def environment(self):
        # Sanitizers ask to be the first library, but need not be: our functions call theirs.
        asan = os.environ.get("ASAN_OPTIONS", "")
        return {"FAULTS": self.path, "LD_PRELOAD": LIBRARY,
                "LSAN_OPTIONS": "print_suppressions=0",
                "ASAN_OPTIONS": f"{asan}:verify_asan_link_order=0".strip(":")}

    def clear(self):
        """Removes all faults."""
        for name in FIELDS:
            if name not in KEPT:
                setattr(self, name, 0)


def member(number):
    def get(self):
        return struct.unpack_from("=q", self.map, 8 * number)[0]

    def put(self, value):
        struct.pack_into("=q", self.map, 8 * number, value)

    return property(get, put)


for _number, _name in enumerate(FIELDS):
    setattr(Faults, _name, member(_number))
