"""Builds, runs the tests, and counts their cases: see tools/test."""

import argparse
import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import time

from testing import builds, full_run, processors
from testing.counts import Count
from testing.jobs import forget_compiled
from testing.paths import RESULTS, ROOT, say
from testing.schedule import Builder, Schedule, run_alone, write_times

LONGEST = 10
OUTPUT_LINES = 200
BY_LOAD = RESULTS / "failed-by-load"  # a line of JSON for each case of any run


def choose_builds(options):
    if not options.full:
        chosen = builds.BUILDS
    else:
        chosen = builds.FULL
    return builds.with_release([build for build in chosen if not options.only or build.name in options.only])


def show_failure(result):
    say(f"{result.job.name}: {result.why}")
    print("\n".join(result.output.splitlines()[-OUTPUT_LINES:]))
    for report in result.reports:
        print(report)
    sys.stdout.flush()


def try_again(results):
    """Runs failed jobs once more, alone. Returns the names of the cases that pass then, and counts them as
    passed."""
    passed = []
    for result in [result for result in results if result.count.failed]:
        show_failure(result)
        if not result.may_run_again:
            continue
        say(f"{result.job.name}: runs once more, alone")
        again = run_alone(result)
        if again.count.failed:
            show_failure(again)
            continue
        if result.cases:
            result.count.passed += result.count.failed
            result.count.failed = 0
        else:
            result.count = again.count
        passed += [f"{result.job.name}: {case}" for case in result.cases or [result.why]]
    return passed


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip()


def keep_failed_by_load(cases):
    with open(BY_LOAD, "a", encoding="utf-8") as file:
        for case in cases:
            when = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
            file.write(json.dumps({"at": when, "commit": commit(), "case": case}) + "\n")


def show_failed_by_load(cases, is_full):
    if cases:
        say("\n".join(["failed by load: they passed once more, alone", *cases]))
    if is_full and BY_LOAD.exists():
        say("failed by load, in all runs of this folder; a case of two runs is to be mended\n"
            + BY_LOAD.read_text().strip())


def show_times(results, before):
    longest = sorted(results, key=lambda result: -result.seconds)[:LONGEST]
    say("\n".join(["the longest", *(f"{one.seconds:6.1f} s ({one.cpu_seconds:.1f} s of CPU time)  {one.job.name}"
                                    for one in longest)]))
    shares = processors.idle_shares(before, processors.read())
    say("idle: " + ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if name != "cpu"))


def show_builds(results, builder):
    lines = ["builds"]
    for name, seconds in builder.seconds.items():
        count = Count()
        for result in results:
            if result.job.name.startswith(name + " "):
                count.add(result.count)
        lines.append(f"{name:16} built in {seconds:4.0f} s  {count}")
    say("\n".join(lines))


def parse():
    parser = argparse.ArgumentParser(prog="tools/test", description=__doc__)
    parser.add_argument("--full", action="store_true", help="all builds and all tests")
    names = sorted({build.name for build in builds.BUILDS + builds.FULL})
    parser.add_argument("--only", action="append", choices=names, help="one build; may be repeated")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    return parser.parse_args()


@contextlib.contextmanager
def shared_postgres():
    """Starts the PostgreSQL that tests share (test/postgres.py)."""
    command = [sys.executable, str(ROOT / "test/postgres.py"), "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        os.environ["DISPLAYD_TEST_CLUSTER"] = process.stdout.readline().strip()
        yield
        process.stdin.close()


def main():
    options = parse()
    if options.full:
        os.environ["DISPLAYD_TEST_FULL"] = "1"  # tests with random inputs use more of them, and
                                                # long cases run
    is_whole = options.full and not options.only and not options.suites
    commit_before = full_run.clean_commit()
    started, before = time.monotonic(), processors.read()
    chosen = choose_builds(options)
    why = builds.why_none(chosen, options.suites)
    if why:
        sys.exit(f"tools/test: {why}")
    forget_compiled()
    builder = Builder(chosen, options.suites, options.full)
    with shared_postgres():
        results = Schedule(builder).run()
        write_times(results)
        by_load = try_again(results)
    show_times(results, before)
    show_builds(results, builder)
    keep_failed_by_load(by_load)
    show_failed_by_load(by_load, options.full)
    total = Count(failed=len(builder.faults))
    for result in results:
        total.add(result.count)
    if total == Count():
        total.failed = 1
        say("no test ran" + ("" if options.full else ": those of these suites run with --full"))
    if is_whole:
        full_run.keep(commit_before, total, results)
    say(f"{(time.monotonic() - started) / 60:.1f} minutes")
    print(total, flush=True)
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(128 + signal.SIGINT)
