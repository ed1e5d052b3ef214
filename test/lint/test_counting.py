"""tools/test: how it counts cases (not programs), which it repeats, and that each run builds the same."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from testing import builds, schedule  # noqa: E402
from testing.counts import Count, count_output  # noqa: E402
from testing.jobs import Job, Result  # noqa: E402
from testing.sanitizers import findings, is_finding  # noqa: E402

TAP = "1..4\nok 1 - a\nnot ok 2 - b\n# b.c:12: error\nnot ok 3 # SKIP c\nok 4 - d\n"


@pytest.mark.parametrize(
    "result, output, expected",
    [
        ("OK", "", Count(passed=1)),
        ("OK", "whatever\n", Count(passed=1)),
        ("FAIL", "", Count(failed=1)),
        ("TIMEOUT", "", Count(failed=1)),
        ("ERROR", "", Count(failed=1)),
        ("SKIP", "no clang-format\n", Count(skipped=1)),
        ("FAIL", TAP, Count(2, 1, 1)),
        # all cases passed, and then it leaked or crashed
        ("FAIL", "1..2\nok 1 - a\nok 2 - b\n", Count(passed=2, failed=1)),
        ("OK", "....   [100%]\n4 passed in 0.05s\n", Count(passed=4)),
        ("OK", "==== 2 passed, 1 skipped, 1 warning in 61.05s (0:01:01) ====\n", Count(2, 0, 1)),
        ("FAIL", "1 failed, 3 passed, 2 errors in 1.00s\n", Count(3, 3, 0)),
        ("OK", "2 passed, 1 xfailed, 1 deselected in 1.00s\n", Count(2, 0, 1)),
        ("SKIP", "3 skipped in 1.00s\n", Count(0, 0, 3)),
        ("FAIL", "3 passed in 1.00s\n", Count(3, 1, 0)),
    ],
)
def test_count(result, output, expected):
    assert count_output(result, output) == expected


def test_words():
    assert str(Count(3, 0, 0)) == "3 passed, 0 failed"
    assert str(Count(3, 1, 2)) == "3 passed, 1 failed, 2 skipped"


def test_a_case_that_hangs_fails_by_itself(tmp_path):
    """The other cases of its suite go on, and the output tells where it hung."""
    (tmp_path / "test_it.py").write_text(
        "import threading\n\n\ndef test_hangs():\n    threading.Event().wait()\n\n\ndef test_other():\n    pass\n")
    job = Job(name="it", command=[sys.executable, "-m", "pytest", "-q", str(tmp_path / "test_it.py")], environment={},
              work_folder=str(tmp_path), folder=tmp_path, timeout_s=600, case_timeout_s=1)
    result = schedule.run_alone(Result(job, Count(), 0, 0, [], "", []))
    assert (result.why, result.count) == ("FAIL", Count(passed=1, failed=1))
    assert [case.rpartition("::")[2] for case in result.cases] == ["test_hangs"]
    assert "threading.Event().wait()" in result.output


KILLED = "==898==Unable to get registers from thread 887.\n"
BUSY = "==12695==Running thread 12640 was not suspended. False leaks are possible.\n"
LEAK = "==7==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 8 byte(s)\n"
RACE = "WARNING: ThreadSanitizer: data race (pid=9)\n"


@pytest.mark.parametrize(
    "report, expected",
    [
        (KILLED, False),
        (KILLED * 2, False),
        (LEAK, True),
        (KILLED + LEAK, True),
        (BUSY * 3, False),
        (BUSY + LEAK, True),
        (RACE, True),
        ("==7==Unable to get registers from thread 8. And more\n", True),
    ],
)
def test_is_finding(report, expected):
    assert is_finding(report) is expected


def test_findings(tmp_path):
    (tmp_path / "report.1").write_text(KILLED)
    (tmp_path / "report.2").write_text(LEAK)
    assert findings(tmp_path) == [LEAK]


@pytest.mark.parametrize("build", builds.BUILDS + builds.FULL, ids=lambda one: one.name)
def test_a_second_run_builds_what_the_first_one_did(build):
    """Meson takes an unnamed optimization from the project at the first set-up, and from the build type at
    a second one."""
    names = [option.partition("=")[0] for option in build.options]
    assert "-Dbuildtype" in names and "-Doptimization" in names


@pytest.mark.parametrize("build", builds.BUILDS + builds.FULL, ids=lambda one: one.name)
def test_the_release_build_is_made_before_those_that_use_it(build):
    release, *others = builds.with_release([build])
    assert [one.name for one in others] == ([build.name] if build.uses_release else [])
    assert not others or (release.name == "release" and not release.suites and not release.is_whole)
    assert builds.with_release([builds.RELEASE, build]) == [builds.RELEASE, build]


def test_no_build_is_made_from_a_release_build_that_failed(monkeypatch):
    made = []

    def make(build, *_):
        made.append(build.name)
        if build is builds.RELEASE:
            raise builds.BuildError("no room")
        return []
    monkeypatch.setattr(builds, "make", make)
    builder = schedule.Builder([builds.RELEASE, builds.CHECKED, builds.FULL[-1]], (), False)
    builder.run()
    assert made == ["release", "clang-release"]
    assert builder.faults == {"release": "no room", "checked": "it uses the release build, which has failed"}


def test_suites_that_no_chosen_build_has():
    """Nothing is built for them."""
    assert builds.why_none(builds.BUILDS, ["http"]) == builds.why_none(builds.BUILDS, []) == ""
    assert builds.why_none([builds.RELEASE], ["http"]) == "no test of http runs in release; they run in checked"
    assert builds.why_none(builds.BUILDS, ["bare"]).endswith("they run in clang, with --full")
