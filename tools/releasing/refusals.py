"""Why a tree is not released: each reason is a sentence with its remedy."""

import re
import subprocess
import sys

from testing import full_run

FIGURES = "docs/performance.md"
FIGURES_COMMITS_MAX = 100
README_JOB = "release readme"


def git(root, *words):
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def of_tree(root):
    changes = git(root, "status", "--porcelain")
    if changes is None:
        yield "the tree is not in git: release a clone"
    elif changes:
        yield f"the tree has {len(changes.splitlines())} changes, the first is {changes.splitlines()[0].strip()}: commit them"


def of_version(root, version):
    done = subprocess.run([sys.executable, root / "tools/check_version", "--root", root], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        yield "the tree has more than one version: " + done.stdout.strip().replace("\n", "; ")
    found = re.search(r"^    version: '([^']*)'", (root / "meson.build").read_text(), re.M)
    if not found or found[1] != version:
        yield f"meson.build has version {found and found[1]}, not {version}"


def sections(text):
    """Returns {heading: what is below it}, of a change log."""
    parts = re.split(r"^## (.*)$", text, flags=re.M)[1:]
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2])))


def of_changes(root, version):
    said = sections((root / "CHANGELOG.md").read_text())
    dated = [text for heading, text in said.items() if re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", heading)]
    if not dated:
        yield f'CHANGELOG.md has no heading "## [{version}] - DATE"'
    elif not dated[0]:
        yield f"CHANGELOG.md says nothing about {version}"
    if said.get("[Unreleased]"):
        yield f'CHANGELOG.md has lines below "Unreleased": move them to {version}'


def of_tests(root, record):
    head = git(root, "rev-parse", "HEAD")
    if record is None:
        yield "no green tools/test --full is recorded: run it in this tree"
        return
    if record["commit"] != head:
        yield f"the last green tools/test --full was of commit {record['commit'][:12]}: run it again"
    passed, failed, skipped = record["jobs"].get(README_JOB, (0, 0, 0))
    if not passed or failed or skipped:
        yield f"lines of README.md were not all tried: {passed} passed, {failed} failed, {skipped} skipped"


def of_figures(root):
    found = re.search(r"^- commit ([0-9a-f]{7,40})\b", (root / FIGURES).read_text(), re.M)
    if not found:
        yield f"{FIGURES} names no commit"
        return
    count = git(root, "rev-list", "--count", f"{found[1]}..HEAD")
    if count is None:
        yield f"{FIGURES}: commit {found[1]} is not in this repository"
    elif int(count) > FIGURES_COMMITS_MAX:
        yield f"{FIGURES} is {count} commits old, maximum {FIGURES_COMMITS_MAX}: run bench/run"


def find(root, version, record_path=full_run.PATH):
    """Yields the reasons."""
    yield from of_tree(root)
    yield from of_version(root, version)
    yield from of_changes(root, version)
    yield from of_tests(root, full_run.read(record_path))
    yield from of_figures(root)
