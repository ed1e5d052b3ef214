"""Arguments of tools/test, tools/run, tools/package and tools/build are read before anything is installed or built."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from server import PATIENCE_S, ROOT

sys.path.append(os.path.join(ROOT, "tools"))

from testing import builds  # noqa: E402


@pytest.fixture
def clone(tmp_path):
    """A clone in which tools/setup and tools/build leave a file behind."""
    shutil.copytree(os.path.join(ROOT, "tools"), tmp_path / "tools")
    os.makedirs(tmp_path / "src/main")
    shutil.copy(os.path.join(ROOT, "src/main/config.c"), tmp_path / "src/main")
    for name in ("setup", "build"):
        (tmp_path / "tools" / name).write_text("#!/bin/sh\ntouch called\nexit 1\n")

    def run(*command, **variables):
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | variables, text=True, timeout=PATIENCE_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        is_called = (tmp_path / "called").exists()
        (tmp_path / "called").unlink(missing_ok=True)
        return done.returncode, done.stdout, is_called
    return run


@pytest.mark.parametrize("name", ["test", "run", "package"])
def test_help(clone, name):
    code, text, is_called = clone("tools/" + name, "--help")
    assert (code, is_called) == (0, False) and f"  tools/{name}" in text


@pytest.mark.parametrize("arguments, sentence", [
    (["untit"], "no suite is called untit"),
    (["unit", "--only", "nobuild"], "no build is called nobuild"),
    (["--only=nobuild"], "no build is called nobuild"),
    (["--only"], "--only needs the name of a build"),
    (["--ful"], "unknown option: --ful"),
])
def test_arguments_of_tools_test(clone, arguments, sentence):
    code, text, is_called = clone("tools/test", *arguments)
    assert (code, is_called) == (2, False)
    assert text.startswith(f"tools/test: {sentence}\n")


@pytest.mark.parametrize("arguments", [[], ["unit", "main", "--only", "release"], ["--only=checked", "--full"]])
def test_valid_arguments_of_tools_test(clone, arguments):
    code, text, is_called = clone("tools/test", *arguments)
    assert (code, text, is_called) == (1, "0 passed, 1 failed\n", True)


def test_names_of_tools_test():
    """The lists in tools/test are those of the builds."""
    with open(os.path.join(ROOT, "tools/test"), encoding="utf-8") as file:
        text = file.read()
    made = builds.BUILDS + builds.FULL
    for name, wanted in (("suites", {suite for build in made for suite in build.suites}),
                         ("builds", {build.name for build in made})):
        assert set(re.search(rf"^{name}=\(([^)]*)\)$", text, re.M)[1].split()) == wanted


def test_arguments_of_tools_run(clone):
    for argument in ("--lisen", "--lisen=1", "--Listen"):
        code, text, is_called = clone("tools/run", argument, "127.0.0.1:0")
        assert (code, is_called) == (2, False)
        assert text.startswith(f"tools/run: unknown option: {argument.partition('=')[0]}; ")
    for argument in ("--listen", "--check-config", "--tls-listen=127.0.0.1:0", "--verbose", "--version"):
        assert clone("tools/run", argument) == (1, "", True)


def test_tools_package_without_its_tools(clone, tmp_path):
    """Where only tools/run has set up, tools/package names what is missing."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in os.listdir("/usr/bin"):
        if not name.startswith("dpkg-") and name != "dh":
            (programs / name).symlink_to("/usr/bin/" + name)
    code, text, _ = clone("tools/package", PATH=str(programs))
    assert (code, text) == (1, "tools/package: dpkg-buildpackage is missing: run tools/setup --package\n")
