"""The machine and the commit of a figure."""

import json
import subprocess

from conftest import ROOT
from harness import machine


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)


def make_build(tmp_path, source):
    info = tmp_path / "build/meson-info"
    info.mkdir(parents=True)
    (info / "meson-info.json").write_text(json.dumps({"directories": {"source": str(source)}}))
    return tmp_path / "build"


def test_commit_is_that_of_what_was_built(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    build = make_build(tmp_path, source)
    assert machine.describe_commit(build) == {"commit": None, "dirty": False}
    git(source, "init", "-q")
    (source / "a").write_text("1\n")
    git(source, "add", "a")
    git(source, "commit", "-q", "-m", "one")
    found = machine.describe_commit(build)
    assert len(found["commit"]) == 40 and not found["dirty"]
    (source / "a").write_text("2\n")
    assert machine.describe_commit(build) == {**found, "dirty": True}


def test_a_folder_within_another_tree_has_no_commit(tmp_path):
    git(tmp_path, "init", "-q")
    inner = tmp_path / "source"
    inner.mkdir()
    assert machine.describe_commit(make_build(tmp_path, inner))["commit"] is None


def test_machine():
    found = machine.describe_machine()
    assert found["cores"] >= 1 and found["memory_bytes"] > 1 << 20
    assert found["kernel"] and found["cpu"]


def test_a_program_that_is_not_there():
    assert machine.said("/nowhere/program") is None
    assert machine.said("false") == ""
    assert machine.describe_build("/nowhere") == {}
    assert machine.source_of("/nowhere") == str(ROOT)
