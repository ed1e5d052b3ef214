"""Counts test cases: by the output of a program, and by meson's log."""

import dataclasses
import json
import pathlib
import re


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
    """Counts the cases of a program with cmocka, which writes TAP if CMOCKA_MESSAGE_OUTPUT is set
    to that."""
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
    """Counts the cases of pytest by its last line: "1 failed, 3 passed, 1 skipped in 0.12s"."""
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


def count_output(result, output):
    """Counts the cases of one program. result: OK, EXPECTEDFAIL, SKIP, or another word for a
    failure."""
    count = count_tap(output)
    if count == Count():
        count = count_pytest(output)
    if result in ("OK", "EXPECTEDFAIL"):
        if count == Count():
            count.passed = 1
    elif result == "SKIP":
        if count == Count():
            count.skipped = 1
    elif count.failed == 0:
        count.failed = 1  # it crashed, leaked at its end, or took too long
    return count


def count_log(path):
    """Counts the cases of all tests in a testlog.json of meson."""
    total = Count()
    for line in pathlib.Path(path).read_text().splitlines():
        entry = json.loads(line)
        total.add(count_output(entry["result"], entry.get("stdout", "")))
    return total
