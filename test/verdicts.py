"""Verdicts about versions, for tests that are about other things: they approve scripts that cannot run, and wait for no
check. test/web/test_version_checks.py has the real ones."""

import json

GOOD = {"state": "good", "summary": "nothing to show; took 0.1 ms of CPU time, 4.0 MiB", "problem": None,
        "remark": None, "fields": 0, "frames": None, "bytes": None, "cpuMs": 1}
STORE = """
    UPDATE version_check SET is_bad = false, verdict = %s, checked_at = now()
    FROM app_version WHERE app_version.id = version_id AND app_id = %s AND name = %s"""


def can_run(sql, app_id, version):
    """Stores that this version can run. sql: runs a statement."""
    sql(STORE, json.dumps(GOOD), app_id, version)
