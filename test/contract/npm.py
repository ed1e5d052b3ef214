"""The programs of npm that the tests need (npm_packages.py)."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

# pylint: disable=wrong-import-position
import npm_packages  # noqa: E402

ENVIRONMENT = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def run(program, *arguments, cwd=None):
    """Runs one of the packages' programs, or, if the name ends with .mjs, one of ours. Returns its exit
    code and output."""
    place = npm_packages.install(HERE, "npm")
    command = [os.path.join(place, "node_modules/.bin", program)]
    if program.endswith(".mjs"):
        command = ["node", os.path.join(HERE, program)]
    done = subprocess.run([*command, *arguments], cwd=cwd or place,
                          env=npm_packages.environment() | ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=300)
    return done.returncode, done.stdout
