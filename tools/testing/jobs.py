"""A test of meson as a job: how it is run, counted, and run again."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from testing import sanitizers
from testing.counts import Count, count_output
from testing.paths import RESULTS, ROOT

SKIPPED = 77  # exit status of a program that cannot be tested here
PLUGIN = "testing.pytest_cases"
# Python compiles a module once a run, instead of once a job, and node those of npm packages. Nothing is written
# beside the sources.
COMPILED = {
    "PYTHONPYCACHEPREFIX": str(RESULTS / "pycache"),
    "PYTHONDONTWRITEBYTECODE": "",
    "NODE_COMPILE_CACHE": str(RESULTS / "node-cache"),
}
# Marks of a crashed program of ours in the output of a test.
CRASHED = re.compile(r"\bsignal=(?:4|6|7|8|11)\b|\bended with -(?:4|6|7|8|11)\b")


def forget_compiled():
    """Empties Python's folder, where modules of removed files and folders would stay."""
    shutil.rmtree(COMPILED["PYTHONPYCACHEPREFIX"], ignore_errors=True)


@dataclasses.dataclass
class Job:
    name: str
    command: list
    environment: dict
    work_folder: str
    folder: pathlib.Path  # for its output, cases and reports
    timeout_s: int
    case_timeout_s: int
    priority: int = 0
    is_sanitized: bool = False
    finds_leaks: bool = True
    is_once: bool = False  # a second try would hide the faults that it looks for

    @property
    def is_pytest(self):
        return "pytest" in self.command

    def variables(self, reports):
        added = {"CMOCKA_MESSAGE_OUTPUT": "TAP", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | COMPILED
        if self.is_sanitized:
            added |= sanitizers.options(reports)
            if not self.finds_leaks:
                added["ASAN_OPTIONS"] += ":detect_leaks=0"
        if self.is_pytest:
            added["DISPLAYD_TEST_CASES"] = str(self.folder / "cases")
            added["PYTEST_ADDOPTS"] = (
                f"-p {PLUGIN} -p pytest_timeout --timeout={self.case_timeout_s} --rootdir={ROOT}")
            added["PYTHONPATH"] = f"{ROOT / 'tools'}:{self.environment.get('PYTHONPATH', '')}"
        return os.environ | self.environment | added

    def command_for(self, cases):
        """Returns the command, for only these cases if there are any."""
        if not cases:
            return self.command
        options = [word for word in self.command if not word.endswith(".py") and not os.path.isdir(word)]
        return options + [str(ROOT / case) for case in cases]


@dataclasses.dataclass
class Result:
    job: Job
    count: Count
    seconds: float
    cpu_seconds: float
    cases: list  # node IDs of pytest's failed cases
    why: str  # a word for how it ended: OK, SKIP, FAIL, TIMEOUT, CRASH, REPORT
    reports: list  # texts of sanitizers

    @property
    def may_run_again(self):
        return self.why in ("FAIL", "TIMEOUT") and not self.job.is_once

    @property
    def output(self):
        return (self.job.folder / "output").read_text(errors="replace")


class Running:
    """A job that was started."""

    def __init__(self, job, cases=()):
        self.job = job
        self.reports = sanitizers.make_report_folder(job.folder / "reports")
        (job.folder / "cases").unlink(missing_ok=True)
        self.started = time.monotonic()
        self.is_late = False
        with open(job.folder / "output", "wb") as output:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                job.command_for(cases), cwd=job.work_folder, env=job.variables(self.reports),
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def poll(self):
        """Returns None, or how the job has ended. Ends a job that takes too long."""
        if self.seconds > self.job.timeout_s and not self.is_late:
            self.is_late = True
            os.killpg(self.process.pid, signal.SIGKILL)
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if not pid:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self._result(usage.ru_utime + usage.ru_stime)

    def _result(self, cpu_seconds):
        reports = sanitizers.findings(self.reports)
        output = (self.job.folder / "output").read_text(errors="replace")
        why = self._why(reports, output)
        count = count_output(why, output)
        failed = self._failed_cases()
        return Result(self.job, count, self.seconds, cpu_seconds, failed, why, reports)

    def _why(self, reports, output):
        status = self.process.returncode
        if reports:
            return "REPORT"
        if self.is_late:
            return "TIMEOUT"
        if status < 0 or (status and CRASHED.search(output)):
            return "CRASH"
        return {0: "OK", SKIPPED: "SKIP"}.get(status, "FAIL")

    def _failed_cases(self):
        path = self.job.folder / "cases"
        if not path.exists():
            return []
        lines = map(json.loads, path.read_text().splitlines())
        return list(dict.fromkeys(case for case, outcome in lines if outcome == "failed"))
