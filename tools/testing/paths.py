"""Where things are, and how the run speaks."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build/test"


def say(text):
    print(f"--- {text}", flush=True)
