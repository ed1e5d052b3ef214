"""Journeys of people through the pages, in a browser, on a real server. Each journey is in a file
SUBJECT.journeys.mjs; run.mjs runs it. JOURNEYS is the subject; without it, all journeys are run."""

import json
import os
import subprocess

import npm_packages
import pytest

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.mjs")
NAMES = json.loads(subprocess.check_output(["node", RUNNER, "--list", os.environ.get("JOURNEYS", "")],
                                           env=npm_packages.environment()))


@pytest.mark.parametrize("name", NAMES)
def test_journey(run_journey, name):
    run_journey(name)
