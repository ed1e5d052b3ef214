"""Arguments of tools/test, tools/run, tools/package and tools/build are read before anything is installed or built."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from archive import Archive
from server import PATIENCE_S, ROOT
from waiting import wait_until

sys.path.append(os.path.join(ROOT, "tools"))

from testing import builds  # noqa: E402


WORKS = """#!/bin/sh
echo begun
[ ! -e "$OLDPWD/waits" ] || exec sleep 1000
mkdir obj-x && touch obj-x/compile_commands.json ../displayd_1_all.deb
"""


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


@pytest.mark.parametrize("name", ["test", "run", "package", "build", "setup"])
def test_help_that_nobody_reads(clone, tmp_path, name):
    """As in "tools/test --help | head -1": nothing is installed, and no tool goes on."""
    shutil.copy(os.path.join(ROOT, "tools", name), tmp_path / "tools" / ("own_" + name))
    read_end, write_end = os.pipe()
    os.close(read_end)
    with open(write_end, "wb") as output:
        code = subprocess.run([f"tools/own_{name}", "--help", "--check"], cwd=tmp_path, timeout=PATIENCE_S, stdin=subprocess.DEVNULL,
                              stdout=output, stderr=subprocess.DEVNULL, check=False).returncode
    assert code in (0, -signal.SIGPIPE) and not (tmp_path / "called").exists()


@pytest.mark.parametrize("name", ["setup", "run", "build", "test", "package"])
def test_width_of_help(name):
    """The text of the tool's own head; tools/run adds that of displayd, which has a test of its own."""
    with open(os.path.join(ROOT, "tools", name), encoding="utf-8") as file:
        head = re.match(r"#![^\n]*\n((?:#[^\n]*\n)+)", file.read())[1].splitlines()
    assert len(head) > 3 and [line for line in head if len(line.removeprefix("#").removeprefix(" ")) > 80] == []


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


@pytest.fixture
def packaging(clone, tmp_path):
    """A clone with all that tools/package asks for; its programs do nothing, and one makes packages, or waits."""
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    for name, text in {
            **{f"subprojects/{name}/{file}": text for name in ("mbedtls", "quickjs") for file, text in (
                ("debian/changelog", f"{name} (1) x\n"), ("meson.build", ""), ("passed-over", "\n"))},
            "subprojects/render-starlark/build.py": "print('/bin/true')\n",
            f"build/package/libraries/{architecture}/versions": "yyjson (= 1)\n", "debian/changelog": "displayd (1) x\n",
            "bin/dpkg-buildpackage": WORKS, "bin/apt-get": "#!/bin/sh\nexit 1\n", "bin/dh": "#!/bin/sh\n",
            "bin/fakeroot": "#!/bin/sh\n"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return clone


def test_progress_of_tools_package(packaging, tmp_path):
    """Each step is named with its time; the packages are named at the end, and a second call makes nothing."""
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    code, text, _ = packaging("tools/package", PATH=path)
    assert code == 0 and re.search(r"^  packages +\d+ s$", text, re.M), text
    assert text.endswith("build/package/displayd_1_all.deb\n") and "begun" not in text
    code, text, _ = packaging("tools/package", PATH=path)
    assert code == 0 and "  packages " not in text


NEWER = {"mbedtls": ("trixie", "3.6.9-1"), "quickjs-ng": ("trixie-backports", "1.16-1"), "yyjson": ("trixie", "1.1-1")}
OF_ARCHIVES = """
archive_keyring={0}/keyring.gpg snapshots=file://{0}
debian_mirror() {{ echo file://{0}; }}
security_mirror() {{ :; }}
"""


@pytest.fixture
def newer(packaging, tmp_path):
    """The clone with an archive that has newer sources than those that are built in."""
    for program in ("gpg", "gpg-agent"):
        if not shutil.which(program):
            pytest.skip(program + " is not installed")
    archive = Archive(tmp_path / "archive")
    for name, (suite, version) in NEWER.items():
        archive.add(suite, name, version, {"thing.c": "one\n"}, ("thing.c", "one\n", "two\n"))
    for suite in ("trixie", "trixie-backports", "bookworm-backports"):
        archive.sign(suite)
    with open(tmp_path / "tools/apt.sh", "a", encoding="utf-8") as file:
        file.write(OF_ARCHIVES.format(archive.folder))
    (tmp_path / "bin/apt-get").unlink()
    yield lambda: packaging("tools/package", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")[1].replace("\n", " ")
    archive.close()


def test_newer_sources_are_named(newer, tmp_path):
    """tools/package names the newer versions of what is built in: for a day without a look, and until they are."""
    with open("/etc/os-release", encoding="utf-8") as file:
        is_bookworm = "=bookworm" in file.read()
    told = f"Debian has newer versions: mbedtls 3.6.9-1, {'yyjson 1.1-1, ' * is_bookworm}quickjs-ng 1.16-1"
    looked = "newer versions in Debian"
    text = newer()
    assert told + "; --newer fetches those that fit" in text and looked in text
    text = newer()
    assert told in text and looked not in text
    long_ago = time.time() - 25 * 3600
    os.utime(tmp_path / "build/package/newer", (long_ago, long_ago))
    assert looked in newer()
    (tmp_path / "subprojects/mbedtls/debian/changelog").write_text("mbedtls (3.6.9-1) x\n")
    text = newer()
    assert looked in text and told.replace("mbedtls 3.6.9-1, ", "") in text
    os.utime(tmp_path / "build/package/newer", (long_ago, long_ago))
    shutil.rmtree(tmp_path / "archive/dists")
    assert "whether Debian has newer versions is unknown: its lists cannot be fetched" in newer()


@pytest.mark.usefixtures("packaging")
def test_an_interrupted_tools_package(tmp_path):
    (tmp_path / "waits").touch()
    with subprocess.Popen(["tools/package"], cwd=tmp_path, env=os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        log = tmp_path / "build/setup.log"
        wait_until(lambda: log.exists() and "begun" in log.read_text(), "packages being made")
        os.killpg(process.pid, signal.SIGINT)
        screen = process.stdout.read()
        assert process.wait(PATIENCE_S) == 130
    assert screen.endswith("tools/package: interrupted; run it again, and it goes on from there\n"), screen
