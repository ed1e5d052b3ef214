"""Builds with sanitizers: their options at run time, and the reports that they write."""

import os
import re
import shutil
import subprocess

from testing.paths import say


def options(reports):
    """Returns variables for a program. Reports go into the folder, so that the report of a server that a
    test has started is not overlooked."""
    common = f"log_path='{reports}/report':halt_on_error=1:print_stacktrace=1"
    return {
        "ASAN_OPTIONS": f"{common}:detect_leaks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": common,
        "TSAN_OPTIONS": f"{common}:second_deadlock_stack=1",
    }


def make_report_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o1777)  # some programs become another user
    return folder


def starts(command, environment):
    """Whether a program with a sanitizer starts and ends without errors here, ten times of ten."""
    return all(
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        .returncode == 0 for _ in range(10))


def adapt_to_machine(build, compiler, sanitizer):
    """Some containers forbid ptrace, which finds leaks, and some kernels place memory where the sanitizers
    of gcc 12 and clang 14 want their own. Returns the command to put before others, and whether leaks can
    be found."""
    source, probe = build / "probe.c", str(build / "probe")
    source.write_text("int main(void)\n{\n\treturn 0;\n}\n")
    subprocess.run([compiler, "-fsanitize=" + sanitizer, "-o", probe, source], check=True)
    plain = os.environ | {"ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": ""}
    before = []
    if not starts([probe], plain) and starts(["setarch", "-R", probe], plain):
        before = ["setarch", "-R"]
    finds_leaks = starts([*before, probe], plain | {"ASAN_OPTIONS": "detect_leaks=1"})
    if not finds_leaks:
        say("leaks cannot be looked for here: this container forbids ptrace")
    return before, finds_leaks


def is_finding(report):
    """Whether the text of a report has a fault. A process that is killed while it searches for leaks at its
    end leaves only the remark that it is gone, and on a busy machine one that a thread was still running; a
    leak would be reported after these."""
    remark = (r"==\d+==(Unable to get registers from thread \d+\."
              r"|Running thread \d+ was not suspended\. False leaks are possible\.)")
    return any(line and not re.fullmatch(remark, line) for line in report.splitlines())


def findings(folder):
    """Returns the texts of the reports in the folder that have a fault."""
    texts = [path.read_text(errors="replace") for path in sorted(folder.iterdir())]
    return [text for text in texts if is_finding(text)]
