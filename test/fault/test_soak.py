"""Short forms of test/soak: two minutes of mixed load, during which all processes are killed once and
programs are replaced, each on a server of its own."""

import os
import threading

import pytest
import soak
from kill import ARGUMENTS, KINDS, KINDS_OF_ENGINES
from kill import run as run_kills
from load import Load
from upgrade import Scene, own_load
from upgrade import run as run_upgrades
from watch import Watch
from world import World

from server import Server, little_quarantine
from waiting import PATIENCE_S, wait_until

SECONDS = float(os.environ.get("SOAK_SECONDS", "120"))
HAS_ENGINE = bool(os.environ.get("HAS_STARLARK") and os.environ.get("HAS_EGRESS"))


class Mixed:
    """A load that runs beside the other tests, and is checked every second."""

    def __init__(self, world):
        self.load = Load(world, pause_s=0.3)
        self.watch = Watch(self.load)
        self.before = self.watch.look()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self):
        while not self.load.is_over.wait(1):
            self.watch.look()

    def __enter__(self):
        self.load.__enter__()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.load.stop()
        self.thread.join()


@pytest.fixture(scope="module")
def mixed(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--access-log", "off",
               environment=little_quarantine()) as world:
        with Mixed(world) as running:
            yield running


@pytest.mark.usefixtures("mixed")
def test_kill_of_everything():
    with Server(*ARGUMENTS) as server:
        rounds = len(KINDS) + (len(KINDS_OF_ENGINES) if HAS_ENGINE else 0)
        losses, acts, pictures = run_kills(server, rounds, 1, lambda line: None, HAS_ENGINE)
        assert not losses
        assert acts > 10 * len(KINDS)
        assert not HAS_ENGINE or pictures > 2  # one of the first app, two of the last
        assert server.stop() == 0


@pytest.mark.usefixtures("mixed")
def test_reload_and_upgrade(tmp_path):
    with Scene(str(tmp_path), panels=20) as scene:
        wrong, answers, gaps = run_upgrades(scene, 400, 2, lambda line: None, own_load(scene))
        assert not wrong
        assert answers >= 400
        assert len(gaps) >= 2 * 20


def test_mixed_load(mixed):
    """All answers are right, memory does not grow without bound, and no descriptor remains after all
    clients have left."""
    load, watch = mixed.load, mixed.watch
    wait_until(lambda: watch.seconds() >= SECONDS or load.faults, "its end", SECONDS + PATIENCE_S)
    mixed.__exit__()
    assert not soak.ends_of(load.world.server.log())
    assert not load.faults, load.faults
    for kind in ("push 200", "read 200", "list 200", "poll 200", "panel picture", "sign in 200",
                 "page 200", "change 200", "probe 200"):
        assert load.counts[kind], (kind, load.counts)
    first, second = watch.halves("workers_kib")
    print(f"KiB of workers: {first:.0f}, then {second:.0f}")
    assert second < 1.5 * first + 16 * 1024
    # A few database connections may be new, and libuv keeps one descriptor in reserve.
    after = [watch.look()["descriptors"] for _ in range(3)]
    assert min(after) <= mixed.before["descriptors"] + 6


# ---- what the long forms judge ----

FLAT = {name: {"mean": 100.0, "an_hour": 0.0} for name in soak.RISES}


@pytest.mark.parametrize("name", soak.RISES)
def test_what_rises_is_told(name):
    assert not soak.verdict(FLAT)
    falling = FLAT | {name: {"mean": 100.0, "an_hour": -5000.0}}
    assert not soak.verdict(falling)
    [told] = soak.verdict(FLAT | {name: {"mean": 100.0, "an_hour": 5000.0}})
    assert told == f"{name} rises by 5000.0 an hour, of 100.0"


def slope_of(kib):
    watch = Watch.__new__(Watch)
    watch.samples = [{"s": 60 * minute, "workers_kib": value, "supervisor_kib": 1, "descriptors": 1,
                      "p50_ms": 1, "p99_ms": 1} for minute, value in enumerate(kib)]
    return watch.slopes()["workers_kib"]["an_hour"]


def test_a_password_that_is_hashed_is_no_growth():
    assert slope_of([12000 + 20000 * (minute % 3 == 2) for minute in range(20)]) == 0
    assert 8000 < slope_of([12000 + 200 * minute for minute in range(20)]) < 13000
