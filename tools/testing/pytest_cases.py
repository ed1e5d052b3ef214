"""Plugin of pytest. Appends the outcome of each case to the file DISPLAYD_TEST_CASES, a line of JSON each:
[node ID, outcome]. A case with a fault in its set-up or tear-down has a second line, "failed"."""

import json
import os


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        with open(os.environ["DISPLAYD_TEST_CASES"], "a", encoding="utf-8") as file:
            file.write(json.dumps([report.nodeid, report.outcome]) + "\n")
