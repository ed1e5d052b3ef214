"""Parts of tools/release: why a tree is refused, the list of what is built in, and the apt repository, which apt itself
reads."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from releasing import archive, refusals, repository, sbom  # noqa: E402
from testing import full_run  # noqa: E402
from testing.counts import Count  # noqa: E402

SECONDS = 1_764_525_600
FILES = {
    "meson.build": "project(\n    'displayd',\n    'c',\n    version: '1.2.0',\n)\n",
    "debian/changelog": "displayd (1.2.0) unstable; urgency=medium\n",
    "docs/api/public/document.yaml": "info:\n  version: 1.2.0\n",
    "docs/api/pages/document.yaml": "info:\n  version: 1.2.0\n",
    "docs/api/pages/administration.yaml": "example:\n  version: 1.2.0\n  databaseVersion: '15.14'\n",
    "compose.yaml": "    image: displayd:1.2.0\n",
    "README.md": "podman load -i displayd-1.2.0-oci-amd64.tar\n",
    "CHANGELOG.md": "# Changes\n\n## [Unreleased]\n\n## [1.2.0] - 2026-12-01\n\nWords.\n\n## [1.1.0] - 2026-11-30\n\nWords.\n",
    "docs/performance.md": "- commit COMMIT, 2026-11-30T16:35:07Z\n",
    "src/a.c": "int a;\n",
}


class Clone:
    """A tree in git that is ready for its release, with the record of a full run."""

    def __init__(self, folder):
        self.root, self.record = folder / "tree", folder / "full.json"
        shutil.copytree(ROOT / "tools", self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "--quiet")
        self.commit()
        self.write("docs/performance.md", FILES["docs/performance.md"].replace("COMMIT", self.head()[:12]))
        self.commit()
        self.test()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        return subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def head(self):
        return self.git("rev-parse", "HEAD").strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", "a change")

    def test(self, failed=0, readme=(7, 0, 0)):
        """What tools/test --full keeps."""
        counts = {refusals.README_JOB: Count(*readme), "release unit": Count(3, failed, 0)}
        results = [type("Result", (), {"job": type("Job", (), {"name": name}), "count": count})
                   for name, count in counts.items()]
        full_run.keep(full_run.clean_commit(self.root), Count(10, failed), results, self.record, self.root)

    def faults(self, version="1.2.0"):
        return list(refusals.find(self.root, version, self.record))


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


def test_a_tree_that_is_ready(clone):
    assert clone.faults() == []


def test_changes_in_the_tree(clone):
    clone.write("src/a.c", "int b;\n")
    clone.write("src/b.c", "int b;\n")
    assert clone.faults() == ["the tree has 2 changes, the first is M src/a.c: commit them"]


def test_another_version(clone):
    assert clone.faults("1.2.1") == ["meson.build has version 1.2.0, not 1.2.1",
                                     'CHANGELOG.md has no heading "## [1.2.1] - DATE"']
    clone.write("debian/changelog", "displayd (1.1.0) unstable; urgency=medium\n")
    clone.commit()
    clone.test()
    assert clone.faults() == [
        "the tree has more than one version: debian/changelog:1: version 1.1.0, meson.build has 1.2.0"]


def test_each_place_of_the_version(clone, tmp_path):
    """The build runs this check, and makes nothing without its stamp."""
    def check():
        command = [sys.executable, ROOT / "tools/check_version", "--root", clone.root, "--stamp", tmp_path / "stamp"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()

    assert check() == [] and (tmp_path / "stamp").exists()
    clone.write("debian/changelog", FILES["debian/changelog"].replace("1.2.0", "1.2.0+deb12"))
    assert check() == []
    (tmp_path / "stamp").unlink()
    for name in [name for name in FILES if name.startswith(("debian", "docs/api", "compose", "README"))]:
        clone.write(name, FILES[name].replace("1.2.0", "1.1.0"))
    clone.write("CHANGELOG.md", "# Changes\n")
    assert check() == [
        "debian/changelog:1: version 1.1.0, meson.build has 1.2.0",
        "docs/api/public/document.yaml:2: version 1.1.0, meson.build has 1.2.0",
        "docs/api/pages/document.yaml:2: version 1.1.0, meson.build has 1.2.0",
        "docs/api/pages/administration.yaml:2: version 1.1.0, meson.build has 1.2.0",
        "compose.yaml:1: version 1.1.0, meson.build has 1.2.0",
        "README.md:1: version 1.1.0, meson.build has 1.2.0",
        "CHANGELOG.md: has no version of three numbers"]
    assert not (tmp_path / "stamp").exists()


@pytest.mark.parametrize("before, after, fault", [
    ("\nWords.\n\n## [1.1.0]", "\n## [1.1.0]", "CHANGELOG.md says nothing about 1.2.0"),
    ("## [1.2.0] - 2026-12-01", "## [1.2.0]", 'CHANGELOG.md has no heading "## [1.2.0] - DATE"'),
    ("## [Unreleased]\n", "## [Unreleased]\n\n- New.\n",
     'CHANGELOG.md has lines below "Unreleased": move them to 1.2.0'),
])
def test_the_change_log(clone, before, after, fault):
    clone.write("CHANGELOG.md", FILES["CHANGELOG.md"].replace(before, after, 1))
    clone.commit()
    clone.test()
    assert clone.faults() == [fault]


def test_the_full_run(clone):
    tested = clone.head()
    clone.commit()
    assert clone.faults() == [f"the last green tools/test --full was of commit {tested[:12]}: run it again"]
    clone.test(readme=(6, 0, 1))
    assert clone.faults() == ["lines of README.md were not all tried: 6 passed, 0 failed, 1 skipped"]
    clone.test(failed=1)
    assert clone.faults() == ["no green tools/test --full is recorded: run it in this tree"]
    clone.test()
    assert clone.faults() == []
    clone.write("src/a.c", "int b;\n")
    clone.test()
    assert not clone.record.exists()


def test_old_figures(clone, monkeypatch):
    monkeypatch.setattr(refusals, "FIGURES_COMMITS_MAX", 3)
    for _ in range(2):
        clone.commit()
    clone.test()
    assert clone.faults() == []
    clone.commit()
    clone.test()
    assert clone.faults() == ["docs/performance.md is 4 commits old, maximum 3: run bench/run"]


# ---- apt ----

def make_package(folder, name, version, architecture, fields="Maintainer: Ada <ada@example.org>\nHomepage: https://a\n"):
    tree = folder / f"{name}-{version}-{architecture}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
                                         f"{fields}Description: a thing\n")
    made = folder / f"{name}_{version}_{architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, made], check=True, capture_output=True,
                   env=os.environ | {"SOURCE_DATE_EPOCH": str(SECONDS)})
    return made


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    """A secret key in a file."""
    folder = tmp_path_factory.mktemp("key")
    # The agent removes its sockets when it ends, which TemporaryDirectory permits and rmtree() does not.
    with tempfile.TemporaryDirectory() as home:
        gpg = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
        subprocess.run([*gpg, "--faked-system-time", f"{SECONDS - 60}", "--quick-gen-key", "releases@example.org"],
                       check=True, capture_output=True)
        subprocess.run([*gpg, "--output", folder / "key", "--export-secret-keys"], check=True, capture_output=True)
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=True)
    return folder / "key"


class Apt:
    """apt with lists of its own, for one repository."""

    def __init__(self, folder, repository_folder, suite, architecture="amd64"):
        self.folder = folder / "apt"
        for name in ("lists/partial", "cache/archives/partial", "parts", "etc"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "status").touch()
        source = (f"deb [signed-by={repository_folder}/{repository.KEYRING} arch={architecture}] "
                  f"file:{repository_folder} {suite} main\n")
        (self.folder / "sources.list").write_text(source)
        self.options = [word for setting in (
            f"Dir::Etc::sourcelist={self.folder}/sources.list", f"Dir::Etc::sourceparts={self.folder}/parts",
            f"Dir::State::lists={self.folder}/lists", f"Dir::State::status={self.folder}/status",
            f"Dir::Cache={self.folder}/cache", f"APT::Architecture={architecture}", "APT::Sandbox::User=root",
            "APT::Update::Error-Mode=any") for word in ("-o", setting)]

    def run(self, *words):
        return subprocess.run(["apt-get", "-q", *self.options, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, env=os.environ | {"LC_ALL": "C.UTF-8"})


def make_repository(folder, key):
    source = folder / "made"
    packages = {suite: [make_package(source, "displayd", f"1.2.0{suffix}", architecture)
                        for architecture in repository.ARCHITECTURES]
                for suite, suffix in {"bookworm": "+deb12", "trixie": "+deb13"}.items()}
    repository.make(folder / "apt", packages, key, SECONDS)
    return folder / "apt"


@pytest.mark.parametrize("suite, architecture, wanted", [
    ("bookworm", "amd64", "displayd_1.2.0+deb12_amd64.deb"), ("trixie", "arm64", "displayd_1.2.0+deb13_arm64.deb")])
def test_apt_takes_the_repository(tmp_path, key, suite, architecture, wanted):
    made = make_repository(tmp_path / "one", key)
    apt = Apt(tmp_path, made, suite, architecture)
    updated = apt.run("update")
    assert updated.returncode == 0, updated.stderr
    fetched = apt.run("download", "displayd")
    assert fetched.returncode == 0, fetched.stderr
    assert (apt.folder / wanted).read_bytes() == (made / "pool" / suite / wanted).read_bytes()


def test_apt_refuses_changed_lists(tmp_path, key):
    made = make_repository(tmp_path / "one", key)
    release = made / "dists/trixie/InRelease"
    release.write_text(release.read_text().replace("Origin: displayd", "Origin: somebody"))
    refused = Apt(tmp_path, made, "trixie").run("update")
    assert refused.returncode and "not signed" in refused.stderr + refused.stdout, refused.stderr


def test_the_repository_is_the_same_again(tmp_path, key):
    one, two = (make_repository(tmp_path / name, key) for name in ("one", "two"))
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(two) for path in two.rglob("*") if path.is_file())
    assert len(names) == 4 + 2 * (2 * 2 + 3) + 1
    assert [name for name in names if (one / name).read_bytes() != (two / name).read_bytes()] == []


def test_a_key_that_cannot_sign(tmp_path):
    (tmp_path / "key").write_text("no key\n")
    with pytest.raises(repository.KeyFault):
        repository.make(tmp_path / "apt", {}, tmp_path / "key", SECONDS)


# ---- packages ----

def release_module():
    loader = importlib.machinery.SourceFileLoader("release", str(ROOT / "tools/release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    loader.exec_module(module)
    return module


def test_packages_of_a_release(tmp_path):
    release = release_module()
    for suite, suffix in release.SUITES.items():
        for name in release.NAMES:
            made = make_package(tmp_path / "made" / suite, name, f"1.2.0{suffix}", "amd64")
            (tmp_path / suite).mkdir(exist_ok=True)
            shutil.copy(made, tmp_path / suite)
    found = release.find_packages(tmp_path, "1.2.0")
    assert [len(files) for files in found.values()] == [2, 2]
    left = tmp_path / "trixie/displayctl_1.2.0+deb13_amd64.deb"
    left.unlink()
    nobody = make_package(tmp_path / "made/nobody", "displayd", "1.1.0+deb13", "amd64",
                          "Maintainer: us <us@users.noreply.a.example>\n")
    shutil.copy(nobody, tmp_path / "trixie")
    with pytest.raises(release.Refused) as refused:
        release.find_packages(tmp_path, "1.2.0")
    assert refused.value.args == (
        f"{tmp_path}/trixie/{nobody.name} is not of this release",
        f"{tmp_path}/trixie/{nobody.name} has no Homepage: make it with --homepage",
        f"{tmp_path}/trixie/{nobody.name} names no real maintainer: make it with --maintainer",
        f"{left} is missing")


def test_the_makers_of_packages(tmp_path):
    for name in ("control", "changelog"):
        shutil.copy(ROOT / "debian" / name, tmp_path)
    command = [sys.executable, ROOT / "tools/releasing/control.py", tmp_path]
    subprocess.run(command, check=True)
    for name in ("control", "changelog"):
        assert (tmp_path / name).read_text() == (ROOT / "debian" / name).read_text()
    subprocess.run([*command, "--maintainer", "Ada B <ada@example.org>", "--homepage", "https://example.org/d", "--vcs",
                    "https://example.org/d.git"], check=True)
    control = (tmp_path / "control").read_text()
    assert ("Maintainer: Ada B <ada@example.org>\n" in control and "Homepage: https://example.org/d\n" in control
            and "Vcs-Git: https://example.org/d.git\n" in control)
    said = subprocess.run(["dpkg-parsechangelog", "--file", tmp_path / "changelog", "--show-field", "Maintainer"], check=True,
                          capture_output=True, text=True).stdout
    assert said == "Ada B <ada@example.org>\n"
    for wrong in (["--maintainer", "Ada"], ["--homepage", "ftp://a"]):
        assert subprocess.run([*command, *wrong], capture_output=True, check=False).returncode == 2


# ---- what is built in ----

def test_the_list_of_parts():
    made = sbom.make(ROOT, "1.2.0", "c" * 40, SECONDS, ["yyjson (= 0.10.0+ds-1)\nlibwebp (= 1.5.0-0.1)\n"])
    assert made == sbom.make(ROOT, "1.2.0", "c" * 40, SECONDS, ["yyjson (= 0.10.0+ds-1)\nlibwebp (= 1.5.0-0.1)\n"])
    parts = {part["name"]: part for part in made["components"]}
    assert {"mbedtls", "quickjs-ng", "yyjson", "libwebp", "std", "github.com/tronbyt/pixlet", "preact"} <= set(parts)
    assert not {"esbuild", "playwright-core", "github.com/stretchr/testify"} & set(parts)
    assert parts["mbedtls"]["version"].startswith("3.6.")
    assert parts["preact"]["purl"] == f"pkg:npm/preact@{parts['preact']['version']}"
    assert len(parts["preact"]["hashes"][0]["content"]) == 128
    assert [name for name, part in parts.items() if not part.get("licenses") or not part["version"]] == []
    assert len({part["bom-ref"] for part in made["components"]}) == len(made["components"])
    json.dumps(made)


# ---- the tarball ----

def test_the_tarball(clone, tmp_path, monkeypatch):
    """Files of the commit, and what Debian has no packages of; the same bytes each time."""
    clone.write("tools/a", "#!/bin/sh\n")
    (clone.root / "tools/a").chmod(0o755)
    clone.commit()
    (clone.root / "more").write_text("a part\n")
    (clone.root / "subprojects").mkdir()
    monkeypatch.setattr(archive, "library_sources", lambda root: [("subprojects/thing/a.c", root / "more")])
    monkeypatch.setattr(archive, "go_modules", lambda root: [])
    monkeypatch.setattr(archive, "npm_packages", lambda root: [])
    monkeypatch.setattr(archive, "mark_of_packages", lambda root: b"mark")
    for name in ("one", "two"):
        archive.write(clone.root, clone.head(), "displayd-1.2.0", SECONDS, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    subprocess.run(["tar", "-C", tmp_path, "-xJf", tmp_path / "one"], check=True)
    made = tmp_path / "displayd-1.2.0"
    assert (made / "src/a.c").read_text() == "int a;\n" and os.access(made / "tools/a", os.X_OK)
    assert (made / "subprojects/thing/a.c").read_text() == "a part\n" and not (made / "more").exists()
    assert (made / "subprojects/webapp/node_modules/.installed").read_text() == "mark"


def test_commands_that_are_refused(tmp_path):
    def run(*words):
        return subprocess.run([ROOT / "tools/release", *words], capture_output=True, text=True, check=False)

    assert "VERSION has three numbers" in run("1.2").stderr
    assert "--packages needs --key" in run("1.2.0", "--packages", str(tmp_path)).stderr
    assert "--maintainer is missing" in run("1.2.0", "--key", str(tmp_path)).stderr
    assert "must be NAME <ADDRESS>" in run("1.2.0", "--key", str(tmp_path), "--maintainer", "Ada").stderr
    assert "is needed" in run().stderr
    inside = run("1.2.0", "--packages", str(tmp_path), "--key", str(ROOT / "README.md"))
    assert inside.returncode == 1 and "keep the key elsewhere" in inside.stderr
