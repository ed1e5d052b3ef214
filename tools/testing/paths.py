"""Paths, and the output of the run."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build/test"


def say(text):
    print(f"--- {text}", flush=True)
