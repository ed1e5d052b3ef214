"""An allocation of a request fails, each in its turn.

What libraries allocate (JSON, images, libpq, libuv) may fail: the answer is 503 and nothing was
stored, or the request goes on. (Where it breaks the connection to the database, a 503 that says so
leaves open whether something was stored.) What displayd allocates for itself is small, and without it the
worker ends in order, with a line that says so; another one takes its place."""

import os

import pytest
from world import images, wait_until

from server import DISPLAYD

# include/base/memory.h
OWN = ("memory_alloc", "memory_zalloc", "memory_realloc", "memory_strdup")
# libwebp sorts by qsort(), which without memory compares a thing with itself, and asserts that it
# does not: its worker ends.
KNOWN = "CompareHuffmanTrees: Assertion"
NEVER = ("AddressSanitizer:DEADLYSIGNAL", "heap-", "stack-", "runtime error:", "signal=11")


def says_whether(answer):
    """Whether an answer tells if something was stored. Where the connection to the database broke, nobody
    can know it: the database's own word may have been lost."""
    return answer and b"the database cannot be reached" not in answer.body


class Get:
    """A request that stores nothing."""

    def __init__(self, target, key=None):
        self.target, self.key = target, key

    def ask(self, _):
        """What asks, for the n-th time."""
        return lambda client: client.request("GET", self.target, key=self.key)

    def check(self, answer):
        """What was answered must be so. None: there was no answer."""


def read_back(device, path=""):
    """A connection to the database may be on its way back from a fault."""
    def ask():
        answer = device.get(path)
        return answer.status == 200 and answer

    return wait_until(ask, "an answer").json()


class Change:
    """Another brightness each time."""

    def __init__(self, device):
        self.device = device
        self.known, self.wanted = device.get().ok()["brightness"], None

    def ask(self, number):
        self.wanted = 1 + number % 100
        return lambda client: client.request("PATCH", self.device.path, key=self.device.account.key,
                                             body={"brightness": self.wanted})

    def check(self, answer):
        stored = read_back(self.device)["brightness"]
        assert stored in (self.known, self.wanted)
        if says_whether(answer):
            assert stored == (self.wanted if answer.status == 200 else self.known), answer
        self.known = stored


class Push:
    """An entry of another name each time."""

    def __init__(self, device, image):
        self.device, self.text = device, images.text(image)
        self.name = None

    def ask(self, number):
        self.name = f"x{number}"
        return lambda client: client.request(
            "POST", self.device.path + "/push", key=self.device.account.key,
            body={"image": self.text, "installationId": self.name})

    def check(self, answer):
        is_there = self.name in [entry["id"] for entry in read_back(self.device, "/installations")]
        if says_whether(answer):
            assert is_there == (answer.status == 200), (self.name, answer)
        if is_there:
            wait_until(lambda: self.device.delete(self.name).status in (200, 204, 404), "its removal")


REQUESTS = {
    "get": lambda device: Get(device.path, device.account.key),
    "list": lambda device: Get(device.path + "/installations", device.account.key),
    "poll": lambda device: Get(f"/d/{device.id}/next?key={device.link_key}"),
    "change": Change,
    "png": lambda device: Push(device, images.png(images.gradient(3))),
    "gif": lambda device: Push(device, images.gif()),
    "webp": lambda device: Push(device, images.webp(images.gradient(7))),
}


class Bench:
    """The one worker, and a fault for it."""

    def __init__(self, world, faults):
        self.world, self.faults = world, faults
        self.old = None

    def worker(self):
        """One that is alive and ready."""
        def alive():
            [pid] = self.world.workers()
            return pid != self.old and os.path.exists(f"/proc/{pid}/maps") and pid

        pid = wait_until(alive, "another worker")
        wait_until(lambda: self.world.get("/readyz").status == 200, "a worker that is ready")
        return pid

    def try_with(self, act, allocation, spares_own):
        """The answer, or None where the connection has ended."""
        self.faults.clear()
        self.faults.pid = -1
        pid = self.worker()
        if spares_own:
            self.faults.spare(DISPLAYD, pid, OWN)
        with self.world.client() as client:
            client.request("GET", "/livez")
            self.faults.allocation, self.faults.pid = allocation, pid
            try:
                return act(client)
            except OSError:
                self.old = pid
                return None
            finally:
                self.faults.pid = -1


@pytest.fixture(scope="module")
def bench(faulty, faults):
    yield Bench(faulty, faults)
    log = faulty.server.log()
    assert not [sign for sign in NEVER if sign in log]
    faulty.kills = log.count("worker ended unexpectedly")
    assert log.count(KNOWN) + log.count('msg="out of memory"') == faulty.kills


@pytest.mark.parametrize("name", REQUESTS)
def test_each_allocation_of_libraries(bench, device, name):
    """All of them, one after the other, until none is left to fail."""
    device.push(images.png(), installationId="x").ok()
    request, allocation = REQUESTS[name](device), 0
    while True:
        allocation += 1
        ended = bench.world.server.log().count(KNOWN)
        answer = bench.try_with(request.ask(allocation), allocation, spares_own=True)
        is_last = bench.faults.allocations < allocation
        request.check(answer)
        if answer is None:
            wait_until(lambda: bench.world.server.log().count(KNOWN) > ended, "why it ended")
            continue
        assert answer.status in (200, 503), (allocation, answer)
        if is_last:
            break
    assert allocation > 1
    # A connection to the database may be on its way back from the last fault.
    wait_until(lambda: bench.try_with(request.ask(0), 0, spares_own=True).status == 200,
               "an answer as ever")


@pytest.mark.parametrize("name", ["get", "png"])
def test_an_allocation_of_our_own(bench, device, name):
    """The worker ends in order, and another one answers."""
    device.push(images.png(), installationId="x").ok()
    ended = bench.world.server.log().count('msg="out of memory"')
    request, allocation = REQUESTS[name](device), 0
    # Where the first one of them is is not told; what came before it went on.
    while bench.world.server.log().count('msg="out of memory"') == ended:
        allocation += 1
        answer = bench.try_with(request.ask(allocation), allocation, spares_own=False)
        assert answer is None or answer.status in (200, 503), (allocation, answer)
        request.check(answer)
    assert bench.try_with(request.ask(0), 0, spares_own=False).status == 200
