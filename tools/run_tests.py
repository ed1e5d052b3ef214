"""Builds and runs the tests in every configuration, and counts the cases: see tools/test."""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SANITIZED = ("-Dbuildtype=debug", "-Doptimization=2", "-Db_lundef=false")


@dataclasses.dataclass
class Configuration:
    name: str
    compiler: str
    options: tuple
    suites: tuple = ()  # none: all
    slow: bool = True
    wrapper: str = ""
    time_factor: int = 3  # meson's time-outs are for an idle machine and no sanitizer
    build_only: bool = False


# A warning fails here, in what is built first, and not half an hour later in a release.
ADDRESS = (*SANITIZED, "-Dstrict=true", "-Db_sanitize=address,undefined")
THREAD = (*SANITIZED, "-Db_sanitize=thread")
PLAIN = ("-Dbuildtype=debug", "-Doptimization=2")
# Each names its optimization. Else meson takes the project's at the first set-up, and that of the build
# type at a second one.
RELEASE = ("-Dbuildtype=release", "-Doptimization=2", "-Dstrict=true")
# What Go compiles and Node bundles is the same in all: one configuration needs it, and the others
# show that it can be left out.
ALL_PARTS = ("-Dstarlark=enabled", "-Dweb=enabled")
FEWEST_PARTS = ("-Dstarlark=disabled", "-Dweb=disabled")
CONFIGURATIONS = [
    Configuration("gcc-sanitized", "gcc", (*ADDRESS, *ALL_PARTS)),
    # Here char has no sign, as on arm64.
    Configuration(
        "clang-sanitized",
        "clang",
        (*ADDRESS, *FEWEST_PARTS, "-Dc_args=-funsigned-char"),
        ("unit", "corpus", "http", "bare"),
    ),
    Configuration(
        "valgrind",
        "gcc",
        PLAIN,
        ("unit",),
        wrapper="tools/valgrind",
        time_factor=20,
    ),
    Configuration("gcc-threads", "gcc", (*THREAD, *FEWEST_PARTS), ("threaded",), time_factor=10),
    # Without a sanitizer the workers' seal is whole.
    Configuration("gcc-release", "gcc", RELEASE, ("sealed",)),
    Configuration("clang-release", "clang", (*RELEASE, *FEWEST_PARTS), build_only=True),
]


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def count_tap(output):
    """Cases of a program with cmocka, which CMOCKA_MESSAGE_OUTPUT has made to speak TAP."""
    count = Count()
    for failed, rest in re.findall(r"^(not )?ok \d+(.*)$", output, re.M):
        if "# skip" in rest.lower():  # before it cmocka writes "not ok"
            count.skipped += 1
        elif failed:
            count.failed += 1
        else:
            count.passed += 1
    return count


def count_pytest(output):
    """Cases of pytest by its last line: "1 failed, 3 passed, 1 skipped in 0.12s"."""
    count = Count()
    lines = re.findall(r"^[= ]*((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$", output, re.M)
    for number, word in re.findall(r"(\d+) (\w+)", lines[-1] if lines else ""):
        if word in ("passed", "xpassed"):
            count.passed += int(number)
        elif word in ("failed", "error", "errors"):
            count.failed += int(number)
        elif word in ("skipped", "xfailed"):
            count.skipped += int(number)
    return count


def count_test(entry):
    """Cases of one test of meson: an entry of its testlog.json."""
    output = entry.get("stdout", "")
    count = count_tap(output)
    if count == Count():
        count = count_pytest(output)
    result = entry["result"]
    if result in ("OK", "EXPECTEDFAIL"):
        if count == Count():
            count.passed = 1
    elif result == "SKIP":
        if count == Count():
            count.skipped = 1
    elif count.failed == 0:
        count.failed = 1  # it died, leaked at its end, or took too long
    return count


def count_log(path):
    """Cases of all tests of meson in a testlog.json."""
    total = Count()
    for line in pathlib.Path(path).read_text().splitlines():
        total.add(count_test(json.loads(line)))
    return total


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, **options).returncode


def say(text):
    print(f"--- {text}", flush=True)


def starts(command, environment):
    """Whether a program with a sanitizer starts and ends well here, ten times of ten."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return all(run(command, env=environment, **quiet) == 0 for _ in range(10))


def sanitizer_environment(build):
    """Reports go into files, so that one of a server that a test had started is not overlooked."""
    reports = build / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    reports.chmod(0o1777)  # some programs become another user
    common = f"log_path='{reports}/report':halt_on_error=1:print_stacktrace=1"
    suppressions = ROOT / "tools/leaks_allowed.txt"
    environment = os.environ | {
        "ASAN_OPTIONS": f"{common}:detect_leaks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": common,
        "TSAN_OPTIONS": f"{common}:second_deadlock_stack=1",
        "LSAN_OPTIONS": f"suppressions='{suppressions}':print_suppressions=0",
        "CMOCKA_MESSAGE_OUTPUT": "TAP",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("MESON_BUILD_ROOT", None)
    return environment, reports


def adapt_to_machine(build, configuration, environment):
    """Some containers forbid ptrace, which finds leaks, and some kernels place memory where the
    sanitizers of gcc 12 and clang 14 want their own. Returns what to put before the commands."""
    sanitizer = next((o for o in configuration.options if o.startswith("-Db_sanitize=")), "")
    if not sanitizer:
        return []
    source = build / "probe.c"
    source.write_text("int main(void)\n{\n\treturn 0;\n}\n")
    probe = str(build / "probe")
    run([configuration.compiler, "-fsanitize=" + sanitizer.partition("=")[2], "-o", probe, source])
    plain = environment | {"ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": ""}
    before = []
    if not starts([probe], plain) and starts(["setarch", "-R", probe], plain):
        before = ["setarch", "-R"]
    if not starts([*before, probe], plain | {"ASAN_OPTIONS": "detect_leaks=1"}):
        say("leaks cannot be looked for here: this container forbids ptrace")
        environment["ASAN_OPTIONS"] += ":detect_leaks=0"
    return before


def make_build(configuration):
    """Sets up and builds. Returns its folder, or None."""
    build = ROOT / "build/test" / configuration.name
    build.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"CC": configuration.compiler}
    command = ["meson", "setup", *configuration.options, str(build)]
    if (build / "build.ninja").exists():
        command.insert(2, "--reconfigure")
    log = build / "setup.log"
    with open(log, "w") as output:
        status = run(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    if status:
        print(log.read_text())
    return None if status or run(["ninja", "--quiet", "-C", build]) else build


def is_finding(report):
    """Whether the text of a sanitizer's report tells a fault. A process that is killed while its
    last act, the search for leaks, is going on leaves only the remark that it is gone, and on a busy
    machine one that a thread went on; a leak would be told behind these."""
    remark = (r"==\d+==(Unable to get registers from thread \d+\."
              r"|Running thread \d+ was not suspended\. False leaks are possible\.)")
    return any(line and not re.fullmatch(remark, line) for line in report.splitlines())


def show_reports(reports):
    """Prints the reports and returns how many of them are findings."""
    findings = 0
    for report in sorted(reports.iterdir()):
        text = report.read_text(errors="replace")
        findings += is_finding(text)
        say(f"{report.name} of a sanitizer")
        print(text, flush=True)
    return findings


def run_configuration(configuration):
    build = make_build(configuration)
    if not build:
        say(f"{configuration.name} does not build")
        return Count(failed=1)
    if configuration.build_only:
        return Count(passed=1)
    environment, reports = sanitizer_environment(build)
    before = adapt_to_machine(build, configuration, environment)
    command = [*before, "meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs"]
    command += ["--timeout-multiplier", str(configuration.time_factor)]
    # Most tests of a server wait for a third of their time.
    command += ["--num-processes", str((os.cpu_count() or 1) * 3 // 2)]
    for suite in configuration.suites:
        command += ["--suite", suite]
    if not configuration.slow:
        command += ["--no-suite", "slow"]
    if configuration.wrapper:
        command += ["--wrapper", str(ROOT / configuration.wrapper)]
    for log in build.glob("meson-logs/testlog*.json"):
        log.unlink()
    status = run(command, env=environment)
    total = Count()
    for log in build.glob("meson-logs/testlog*.json"):  # its name tells the wrapper
        total.add(count_log(log))
    total.failed += show_reports(reports)
    if (status or total == Count()) and total.failed == 0:
        total.failed = 1
    return total


def choose(arguments):
    """The configurations that the command line asks for."""
    first = CONFIGURATIONS[0]
    if arguments.only:
        return [c for c in CONFIGURATIONS if c.name in arguments.only]
    if arguments.suites or arguments.quick:
        return [dataclasses.replace(first, suites=arguments.suites, slow=not arguments.quick)]
    return CONFIGURATIONS


def main():
    parser = argparse.ArgumentParser(prog="tools/test", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one compiler, no slow tests")
    names = [c.name for c in CONFIGURATIONS]
    parser.add_argument("--only", action="append", choices=names, help="one configuration")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    total = Count()
    lines = []
    for configuration in choose(parser.parse_args()):
        say(configuration.name)
        started = time.monotonic()
        count = run_configuration(configuration)
        total.add(count)
        lines.append(f"{configuration.name:16} {time.monotonic() - started:6.0f} s  {count}")
    say("\n".join(["configurations", *lines]))
    print(total, flush=True)
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    main()
