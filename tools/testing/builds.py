"""The builds that tests run on. Each test belongs to suites (test/*/meson.build), and each build names those
that it runs.

checked   gcc with sanitizers; runs what is tested from inside.
release   the programs as they are shipped, in the folder of tools/run; runs what is tested from outside.
threads   gcc with TSan; runs what uses threads.

In checked and threads the sandboxed programs and mbedTLS are those of the release build, which is made first: no
sanitizer fits them.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

from testing import sanitizers
from testing.jobs import Job
from testing.paths import RESULTS, ROOT

RELEASE_FOLDER = ROOT / "build/release"
# Each build names its optimization. Else meson takes the project's at the first set-up, and that of the build
# type at a second one.
# Reports of sanitizers name functions and lines: for these -g1 is enough, and the compiler is quicker.
DEBUG = ("-Dbuildtype=debug", "-Db_lundef=false", "-Dc_args=-g1")
ADDRESS = "address,undefined"
PLAIN_RELEASE = ("-Dbuildtype=release", "-Doptimization=2", "-Dstrict=true")
# A case that hangs ends long before its suite would, and its stack tells where it hung.
CASE_TIMEOUT_MIN_S = 300
CASE_PART = 8
WITHOUT_GO_AND_PAGES = ("-Dstarlark=disabled", "-Dweb=disabled")
INSIDE = ("unit", "db", "corpus", "http", "link", "api", "fault", "render", "panel", "tidy")
OUTSIDE = ("main", "web", "browser", "contract", "image", "bench", "sealed", "starlark", "lint", "package")


@dataclasses.dataclass(frozen=True)
class Build:
    name: str
    compiler: str
    options: tuple
    suites: tuple = ()  # empty: no test runs
    sanitizer: str = ""
    wrapper: str = ""
    time_factor: int = 4  # meson's time-outs are for an idle machine
    is_whole: bool = False  # all targets are built, not only those of its tests

    @property
    def folder(self):
        return RELEASE_FOLDER if self.name == "release" else RESULTS / self.name

    @property
    def uses_release(self):
        return f"-Dprograms={RELEASE_FOLDER}" in self.options

    def all_options(self):
        return (*self.options, *([f"-Db_sanitize={self.sanitizer}"] if self.sanitizer else []))


RELEASE = Build("release", "gcc", (*PLAIN_RELEASE, "-Db_lto=true", "-Dstarlark=enabled", "-Dweb=enabled"),
                OUTSIDE)
CHECKED = Build("checked", "gcc", (*DEBUG, "-Doptimization=1", "-Dstrict=true", f"-Dprograms={RELEASE_FOLDER}",
                                   "-Dstarlark=enabled", "-Dweb=disabled"),
                INSIDE, sanitizer=ADDRESS)
THREADS = Build("threads", "gcc", (*DEBUG, "-Doptimization=1", f"-Dprograms={RELEASE_FOLDER}", *WITHOUT_GO_AND_PAGES),
                ("threaded",), sanitizer="thread", time_factor=10)
BUILDS = [RELEASE, CHECKED, THREADS]
FULL = [
    dataclasses.replace(RELEASE, is_whole=True, suites=(*OUTSIDE, "fuzz")),
    # With the development build of the pages.
    dataclasses.replace(CHECKED, options=(*CHECKED.options, "-Dweb=enabled"), suites=(*INSIDE, "main", "web", "image")),
    dataclasses.replace(THREADS, suites=("threaded", "http", "api", "link")),
    # char is unsigned here, as on arm64.
    Build("clang", "clang", (*DEBUG, "-Doptimization=1", "-Dstrict=true", *WITHOUT_GO_AND_PAGES,
                             "-Dc_args=-g1 -funsigned-char"),
          ("unit", "corpus", "http", "bare"), sanitizer=ADDRESS),
    Build("valgrind", "gcc", ("-Dbuildtype=debug", "-Doptimization=2", *WITHOUT_GO_AND_PAGES), ("unit",),
          wrapper="tools/valgrind", time_factor=20),
    Build("clang-release", "clang", (*PLAIN_RELEASE, *WITHOUT_GO_AND_PAGES), is_whole=True),
]


def with_release(chosen):
    """Returns the chosen builds in their order; before them the release build, without tests, if one of them uses
    it and it was not chosen."""
    is_chosen = any(build.name == RELEASE.name for build in chosen)
    if is_chosen or not any(build.uses_release for build in chosen):
        return chosen
    return [dataclasses.replace(RELEASE, suites=()), *chosen]


def why_none(chosen, suites):
    """Returns why no test of these suites would run in the chosen builds; "" if some would."""
    if not suites or any(set(build.suites) & set(suites) for build in chosen):
        return ""
    usual, full = ([build.name for build in some if set(build.suites) & set(suites)] for some in (BUILDS, FULL))
    return (f"no test of {', '.join(suites)} runs in {', '.join(build.name for build in chosen)}; they run in "
            f"{', '.join(usual or full)}{'' if usual else ', with --full'}")


class BuildError(Exception):
    """A build has failed; the text is its output."""


def run(command, log, **options):
    with open(log, "a", encoding="utf-8") as output:
        status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                check=False, **options).returncode
    if status:
        raise BuildError(pathlib.Path(log).read_text(errors="replace")[-8000:])


def read(build, name):
    return json.loads((build.folder / f"meson-info/intro-{name}.json").read_text())


def set_up(build, log):
    """Sets the build up, unless that was done in the same way before: ninja finds changes in meson's files."""
    wanted = json.dumps([build.compiler, *build.all_options()])
    mark = build.folder / "set-up-as"
    is_there = (build.folder / "build.ninja").exists()
    if is_there and mark.exists() and mark.read_text() == wanted:
        return
    command = ["meson", "setup", *(["--reconfigure"] if is_there else []), "-Dtests=true",
               *build.all_options(), str(build.folder)]
    run(command, log, env=os.environ | {"CC": build.compiler})
    mark.write_text(wanted)


def suites_of(test):
    return {suite.partition(":")[2] for suite in test["suite"]}


def choose_tests(build, suites, is_full):
    """Returns the tests of meson that the build runs; suites: only these of its suites, if any are given. A test of
    the suite "full" runs only in full runs, one of the suite "usual" only in others."""
    left = "usual" if is_full else "full"
    wanted = set(build.suites) & set(suites) if suites else set(build.suites)
    for test in read(build, "tests"):
        own = suites_of(test)
        if own & wanted and left not in own:
            yield test


def targets_of(build, tests):
    """Returns the targets that the tests need, as ninja names them."""
    files = {target["id"]: target["filename"] for target in read(build, "targets")}
    made = {path for paths in files.values() for path in paths}
    wanted = {path for test in tests for id in test["depends"] for path in files[id]}
    wanted |= {word for test in tests for word in test["cmd"] if word in made}
    return sorted(os.path.relpath(path, build.folder) for path in wanted)


def programs(build):
    """Makes the links that tools/build makes, too. Returns what other builds and tests use: all that is installed."""
    if build.name != "release":
        return []
    for name in ("displayd", "displayctl"):
        link = build.folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(f"src/{'main' if name == 'displayd' else 'ctl'}/{name}")
    return sorted(os.path.relpath(path, build.folder) for target in read(build, "targets") if target["installed"]
                  for path in target["filename"])


def make(build, suites=(), is_full=False):
    """Sets the build up, builds what its tests need, and returns the tests as jobs. Raises
    BuildError."""
    build.folder.mkdir(parents=True, exist_ok=True)
    log = build.folder / "make.log"
    log.unlink(missing_ok=True)
    set_up(build, log)
    ninja = ["ninja", "-C", str(build.folder)]
    run([*ninja, "build.ninja"], log)
    tests = list(choose_tests(build, suites, is_full))
    targets = [] if build.is_whole else [*programs(build), *targets_of(build, tests)]
    if targets or build.is_whole:
        run([*ninja, *targets], log)
    return make_jobs(build, tests)


def make_jobs(build, tests):
    before, finds_leaks = [], True
    if build.sanitizer:
        before, finds_leaks = sanitizers.adapt_to_machine(build.folder, build.compiler, build.sanitizer)
    if build.wrapper:
        before = [str(ROOT / build.wrapper)]
    results = RESULTS / "results" / build.name
    shutil.rmtree(results, ignore_errors=True)
    jobs = []
    for test in tests:
        # Two subprojects may have tests of the same name.
        name = f"{test['suite'][0].partition(':')[0]}-{test['name']}".removeprefix("displayd-")
        folder = results / name
        folder.mkdir(parents=True)
        jobs.append(Job(
            name=f"{build.name} {name}",
            command=[*before, *test["cmd"]],
            environment=test["env"],
            work_folder=test["workdir"] or str(build.folder),
            folder=folder,
            timeout_s=test["timeout"] * build.time_factor,
            case_timeout_s=max(CASE_TIMEOUT_MIN_S, test["timeout"] * build.time_factor // CASE_PART),
            priority=test["priority"],
            is_sanitized=bool(build.sanitizer),
            finds_leaks=finds_leaks,
            is_once="once" in suites_of(test),
        ))
    return jobs


