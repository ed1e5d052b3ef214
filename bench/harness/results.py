"""Result files: JSON, one a run of bench/run."""

import json
import os
import sys

SCHEMA = 1


def read(path):
    """Reads a result. Ends the program with a message if the file is none."""
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}")
    if not isinstance(result, dict) or result.get("schema") != SCHEMA:
        sys.exit(f"{path} is no result of bench/run of this form ({SCHEMA})")
    return result


def write(result, path):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
