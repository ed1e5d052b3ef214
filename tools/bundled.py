"""Modules of Go and packages of npm that end up in a program of ours, with their versions and licences: by go.mod and
package-lock.json, and by the modules that are on this machine."""

import json
import os
import pathlib
import re
import subprocess

# These are in no program: only tests or the build need them.
TESTS_ONLY = {"github.com/davecgh/go-spew", "github.com/pmezard/go-difflib",
              "github.com/stretchr/testify"}
# esbuild builds; in place of the others the pages have what browsers have (build.mjs), or nothing.
BUILD_ONLY = {"esbuild", "atob-lite", "tslib"}
# Headings of licences that npm names otherwise.
NPM_LICENCES = {"Apache-2.0": "Apache License 2.0", "(MIT AND Zlib)": "MIT"}
# A sentence of each licence, the more special ones first.
SENTENCES = [
    ("Apache License 2.0", "Apache License"),
    ("FreeType License", "FreeType Project"),
    ("ISC", "Permission to use, copy, modify, and/or distribute"),
    ("BSD, three clauses", "Neither the name of"),
    ("BSD, two clauses", "Redistributions in binary form"),
    ("MIT", "Permission is hereby granted, free of charge"),
]


def go_modules(root):
    """Returns {path without its major version: path@version}."""
    required = re.findall(r"^\t(\S+) (v\S+)", (root / "subprojects/render-starlark/go.mod").read_text(), re.M)
    return {re.sub(r"/v\d+$", "", path): f"{path}@{version}" for path, version in required
            if path not in TESTS_ONLY}


def module_cache():
    place = os.environ.get("GOMODCACHE")
    if not place:
        try:
            place = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True,
                                   check=False).stdout.strip()
        except FileNotFoundError:
            place = ""
    return pathlib.Path(place or pathlib.Path.home() / "go/pkg/mod")


def folder_of(module):
    return module_cache() / re.sub("[A-Z]", lambda match: "!" + match[0].lower(), module)


def licence_of(folder):
    """Returns the heading of the licence, or None if there is no such folder."""
    files = sorted(path for path in folder.glob("*") if re.match(r"(?i)(un)?licen[cs]e", path.name))
    text = " ".join(path.read_text(errors="replace") for path in files if path.is_file())
    text = re.sub(r"\s+", " ", text)
    return next((name for name, sentence in SENTENCES if sentence in text), None)


def locked(root):
    """Returns {path in the folder of the pages: entry} of package-lock.json, without what only tests need."""
    lock = json.loads((root / "subprojects/webapp/package-lock.json").read_text())
    return {path: entry for path, entry in lock["packages"].items() if path and not entry.get("dev")}


def npm_packages(root):
    """Returns {name: its entry in the lock} of the bundled packages, with licences as NOTICE has them."""
    packages = {path.rpartition("node_modules/")[2]: entry for path, entry in locked(root).items()
                if not entry.get("optional")}
    return {name: entry | {"license": NPM_LICENCES.get(entry.get("license", ""), entry.get("license", ""))}
            for name, entry in packages.items() if name not in BUILD_ONLY}
