"""An allocation of a request fails, each in its turn.

What libraries allocate (JSON, images, libpq, libuv, mbedTLS) may fail: the answer is 503 and nothing was
stored, or the request goes on; a handshake or a stream that has begun is cut. (Where it breaks the
connection to the database, a 503 that says so leaves open whether something was stored.) What displayd
allocates for itself is small, and without it the worker ends in order, with a line that says so; another
one takes its place."""

import os

import pytest
from kinds import KINDS, Scene
from world import wait_until

# libwebp calls qsort(), which without memory compares an element with itself; libwebp asserts that this
# never happens, and the worker ends.
KNOWN = "CompareHuffmanTrees: Assertion"
OWN = 'msg="out of memory"'
NEVER = ("AddressSanitizer:DEADLYSIGNAL", "heap-", "stack-", "runtime error:", "signal=11")
# A child that ran for this long is restarted at once, however often it has ended.
RAN_WELL_S = 31
# Number of allocations that fail one by one, for any kind.
ALL_UP_TO = 150


class Bench:
    """The one worker, and a fault for it."""

    def __init__(self, world, faults):
        self.world, self.faults = world, faults
        faults.leaping_pid = world.server.process.pid
        self.pid = None

    def ends(self):
        """Number of workers that have ended for lack of memory."""
        log = self.world.server.log()
        return log.count(KNOWN) + log.count(OWN)

    def worker(self):
        """Process ID of a worker that is alive and ready."""
        def alive():
            [pid] = self.world.workers()
            return os.path.exists(f"/proc/{pid}/maps") and pid

        def is_ready():
            try:
                return self.world.get("/readyz").status == 200
            except OSError:
                return False

        wait_until(is_ready, "a worker that is ready")
        return wait_until(alive, "a worker")

    def must_work(self, kind, number):
        """Checks that requests work without a fault. A connection to the database may still recover from
        the last one."""
        def works():
            kind.prepare(number)
            with kind.connect() as client:
                answer = kind.ask(client, number)
            kind.check(answer)
            return answer.status in (200, 201)

        wait_until(works, "an answer as ever")

    def try_with(self, kind, allocation):
        """The answer, or None if the connection ended without one."""
        self.faults.clear()
        self.faults.pid = -1
        pid = self.worker()
        if pid != self.pid:
            self.pid = pid
            self.must_work(kind, 10000 + allocation)
        self.faults.leap_s += RAN_WELL_S
        kind.prepare(allocation)
        with kind.connect() as client:
            self.faults.allocation, self.faults.pid = allocation, pid
            try:
                return kind.ask(client, allocation)
            except TimeoutError:
                raise
            except OSError:
                return None
            finally:
                self.faults.pid = -1

    def try_each(self, kind):
        """Fails each allocation in turn until none is left; for arithmetic ones, only some."""
        allocation, found = 0, []
        while allocation == 0 or self.faults.allocations >= allocation:
            allocation += 1 if allocation < ALL_UP_TO else kind.stride
            ends = self.ends()
            answer = self.try_with(kind, allocation)
            found.append(answer.status if answer else None)
            kind.check(answer)
            if answer:
                assert answer.status in kind.statuses, (allocation, answer)
            elif not kind.may_be_cut:
                wait_until(lambda ends=ends: self.ends() > ends, "why it ended")
        return found

    def connections(self):
        """Number of the worker's connections with clients."""
        ports = {f":{port:04X}" for port in (self.world.server.address[1],)}
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        return sum(row[1][-5:] in ports and row[3] in ("01", "08") for row in rows)


@pytest.fixture(scope="module")
def bench(faulty, faults):
    one = Bench(faulty, faults)
    yield one
    log = faulty.server.log()
    assert not [sign for sign in NEVER if sign in log]
    faulty.kills = log.count("worker ended unexpectedly")
    assert one.ends() == faulty.kills


@pytest.fixture(scope="module")
def scene(bench):
    return Scene(bench.world)


@pytest.mark.parametrize("name", KINDS)
def test_each_allocation(bench, scene, name):
    kind = KINDS[name](scene)
    found = bench.try_each(kind)
    assert len(found) > 1
    bench.must_work(kind, 20000)
    wait_until(lambda: bench.connections() == 0, "the end of all connections")
