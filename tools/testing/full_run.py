"""The record of a green tools/test --full without choices: its commit and the cases of each job. tools/release wants
that of the commit that it releases."""

import json
import subprocess

from testing.paths import RESULTS, ROOT

PATH = RESULTS / "full.json"


def clean_commit(root=ROOT):
    """Returns the commit of the tree; "" if the tree has changes, or is not in git."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)

    changes, head = git("status", "--porcelain"), git("rev-parse", "HEAD")
    is_clean = changes.returncode == head.returncode == 0 and not changes.stdout
    return head.stdout.strip() if is_clean else ""


def keep(before, total, results, path=PATH, root=ROOT):
    """Writes the record of a run that is green and whose tree was at the commit "before" all the time; otherwise removes
    the last one."""
    path.unlink(missing_ok=True)
    if total.failed or not before or before != clean_commit(root):
        return
    jobs = {result.job.name: [result.count.passed, result.count.failed, result.count.skipped] for result in results}
    path.write_text(json.dumps({"commit": before, "jobs": jobs}, indent=1) + "\n")


def read(path=PATH):
    """Returns the last record; None if the last full run was not green, or there was none."""
    return json.loads(path.read_text()) if path.exists() else None
