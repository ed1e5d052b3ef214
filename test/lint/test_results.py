"""Figures in the documents belong to this tree or to a recent one."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Older figures do not describe the current server.
OLDEST_COMMITS = 100


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def measured_commit(document):
    return re.search(r"commit ([0-9a-f]{12})\b", (ROOT / document).read_text(encoding="utf-8"))[1]


def test_the_chart_and_the_table_are_of_one_run():
    assert measured_commit("docs/results.svg") == measured_commit("docs/performance.md")


@pytest.mark.skipif(not os.environ.get("DISPLAYD_TEST_FULL"), reason="takes a quiet machine to mend: for --full")
def test_the_figures_are_recent():
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("not a clone with its history")
    commit = measured_commit("docs/performance.md")
    count = git("rev-list", "--count", f"{commit}..HEAD")
    assert count.returncode == 0, f"{commit} is no commit of this branch: {count.stderr}"
    assert int(count.stdout) <= OLDEST_COMMITS, (
        f"docs/performance.md was measured {count.stdout.strip()} commits ago: run bench/run --all, then "
        "bench/report RESULT.json --into docs/performance.md")
