#!/usr/bin/python3
"""Measures what another account notices while one account and its peers fill a process that all share; one line of
JSON for each attack of test/filling.py.

    [DISPLAYD=... DISPLAYCTL=...] bench/fill_shared.py [SECONDS [PROCESS [WORD]]]

PROCESS: worker, egress, bridge, renderers, render host, supervisor. WORD: only attacks whose names contain it.
p50, p99: milliseconds of a round of the other account's work without the attack, with it, and the median of the
quotients of the turns. They are measured by turns, SECONDS (10) of each in all. The other account keeps to its own rate
limits. The attack has a process of its own that steps back (nice 19), and the server its usual rate limits."""

import contextlib
import json
import multiprocessing
import os
import statistics
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(ROOT, "test", folder) for folder in ("", "api")]

from filling import Stage, options, processes, rows  # noqa: E402
from run_folder import readable_folder  # noqa: E402
from world import World  # noqa: E402

from postgres import shared  # noqa: E402

TURNS = 4
LEAD_S = 2  # in which queues fill
PATIENCE_S = 120
PAUSES_S = {"renderers": 0.3, "render host": 0.3}  # between rounds; an account has five previews a second
PAUSE_S = 0.02


def percentile(times, percent):
    return sorted(times)[len(times) * percent // 100] * 1000


def attack_until(stage, attack, begun, over):
    os.nice(19)
    stage.world.connection = None  # that of the parent
    with contextlib.suppress(OSError), attack():
        begun.set()
        over.wait()
    os._exit(0)  # threads may still wait for answers


@contextlib.contextmanager
def under_attack(stage, attack):
    begun, over = multiprocessing.Event(), multiprocessing.Event()
    process = multiprocessing.Process(target=attack_until, args=(stage, attack, begun, over))
    process.start()
    if not begun.wait(PATIENCE_S):
        raise TimeoutError("the attack does not begin")
    time.sleep(LEAD_S)
    yield
    over.set()
    process.join()


def measure(stage, process, seconds):
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end or not times:
        began = time.monotonic()
        stage.honest[process]()
        times.append(time.monotonic() - began)
        time.sleep(PAUSES_S.get(process, PAUSE_S))
    return times


def compare(stage, process, what, attack, seconds):
    turns, before = [], processes(stage.world.server)
    for _ in range(TURNS):
        alone = measure(stage, process, seconds / TURNS)
        with under_attack(stage, attack):
            turns.append((alone, measure(stage, process, seconds / TURNS)))
    after = processes(stage.world.server)
    result = {"process": process, "what": what, "rounds": [sum(map(len, times)) for times in zip(*turns)]}
    for percent in (50, 99):
        times = [[percentile(part, percent) for part in turn] for turn in turns]
        medians = [round(statistics.median(part), 1) for part in zip(*times)]
        result[f"p{percent}"] = [*medians, round(statistics.median(full / bare for bare, full in times), 2)]
    result["ended"] = [name for name in ("displayd", "render-host", "egress", "mqtt") if before.get(name) != after.get(name)]
    print(json.dumps(result), flush=True)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    wanted, word = (sys.argv[2:] + [""] * 2)[:2]
    with shared() as postgres, readable_folder("displayd-fill-") as folder, \
            World(postgres.create_database(), *options(folder)) as world, Stage(world) as stage:
        for use in stage.honest.values():
            use()
        for process, what, attack in rows(stage):
            if wanted in ("", process) and word in what:
                compare(stage, process, what, attack, seconds)


main()
