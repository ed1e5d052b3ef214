"""Runs builds and jobs in parallel: the longest jobs of the last run first, and as many at once as keep the
processors busy. Most jobs spend a part of their time waiting, so further ones start while a processor is
idle."""

import json
import threading
import time

from testing import builds, processors
from testing.jobs import Running
from testing.paths import RESULTS, say

TICK_S = 0.05
LOOK_S = 0.4  # the share of idle time is measured over this time
IDLE_SHARE = 0.15  # from this share on another job is started
JOBS_PER_PROCESSOR = 2
JOBS_PER_PROCESSOR_MAX = 5
TIMES = RESULTS / "times.json"


class Idleness:
    """Measures the share of time in which all processors together were idle lately."""

    def __init__(self):
        self.before, self.at = processors.read(), time.monotonic()
        self.share = 0.0

    def look(self):
        """Updates the share; returns whether there is a new figure."""
        if time.monotonic() - self.at < LOOK_S:
            return False
        now = processors.read()
        self.share = processors.idle_shares(self.before, now).get("cpu", 0.0)
        self.before, self.at = now, time.monotonic()
        return True


class Builder(threading.Thread):
    """Makes the builds one after the other; the jobs of each are available when it is done."""

    def __init__(self, wanted, suites, is_full):
        super().__init__(daemon=True)
        self.wanted, self.suites, self.is_full = wanted, suites, is_full
        self.lock = threading.Lock()
        self.jobs, self.faults, self.seconds = [], {}, {}

    def run(self):
        for build in self.wanted:
            started = time.monotonic()
            try:
                if build.uses_release and builds.RELEASE.name in self.faults:
                    raise builds.BuildError("it uses the release build, which has failed")
                jobs, fault = builds.make(build, self.suites, self.is_full), None
            except builds.BuildError as error:
                jobs, fault = [], str(error)
            with self.lock:
                self.jobs += jobs
                self.seconds[build.name] = time.monotonic() - started
                if fault is not None:
                    self.faults[build.name] = fault
            say(f"{build.name} " + ("does not build:\n" + fault if fault else
                                    f"is built, {self.seconds[build.name]:.0f} s"))

    def take(self):
        with self.lock:
            jobs, self.jobs = self.jobs, []
        return jobs


def read_times():
    try:
        return json.loads(TIMES.read_text())
    except (OSError, ValueError):
        return {}


def write_times(results):
    times = read_times() | {result.job.name: round(result.seconds, 1) for result in results}
    RESULTS.mkdir(parents=True, exist_ok=True)
    TIMES.write_text(json.dumps(times, indent=1, sort_keys=True))


def show(result, number):
    print(f"{number:4}  {result.job.name:44} {result.seconds:6.1f} s {result.cpu_seconds:6.1f} CPU s  {result.count}"
          + (f"  {result.why}" if result.count.failed else ""), flush=True)


class Schedule:
    def __init__(self, builder):
        self.builder = builder
        self.times = read_times()
        self.waiting, self.running, self.results = [], [], []
        self.idleness = Idleness()

    def _order(self, job):
        """Orders jobs: the longest first. A job that never ran may be long."""
        return (-job.priority, -self.times.get(job.name, 60.0), job.name)

    def _has_room(self):
        cores = processors.count()
        if len(self.running) < cores * JOBS_PER_PROCESSOR:
            return True
        return (self.idleness.look() and self.idleness.share > IDLE_SHARE
                and len(self.running) < cores * JOBS_PER_PROCESSOR_MAX)

    def _reap(self):
        for running in list(self.running):
            result = running.poll()
            if result:
                self.running.remove(running)
                self.results.append(result)
                show(result, len(self.results))

    def run(self):
        """Runs all jobs of all builds. Returns their results."""
        self.builder.start()
        while self.builder.is_alive() or self.waiting or self.running or self.builder.jobs:
            if jobs := self.builder.take():
                self.waiting = sorted(self.waiting + jobs, key=self._order)
            self._reap()
            while self.waiting and self._has_room():
                self.running.append(Running(self.waiting.pop(0)))
            time.sleep(TICK_S)
        return self.results


def run_alone(result):
    """Runs the failed cases of a job once more, with nothing in parallel."""
    running = Running(result.job, result.cases)
    while not (again := running.poll()):
        time.sleep(TICK_S)
    return again
