"""The machine, the versions and the commit that a figure belongs to."""

import datetime
import json
import os
import platform
import re
import subprocess

from harness.paths import ROOT


def said(*command, folder=ROOT):
    """Returns the first line of a command's output; None if it fails or is missing."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, cwd=folder)
    except OSError:
        return None
    # "wrk -v" shows its version and ends with 1.
    if done.returncode not in (0, 1):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines else ""


def find(pattern, path):
    """Returns the first group of a pattern in a file; None if it is not found."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.M)
    except OSError:
        return None
    return found[1].strip() if found else None


def describe_machine():
    return {
        "cpu": find(r"^model name\s*:(.*)$", "/proc/cpuinfo") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "system": find(r'^PRETTY_NAME="(.*)"$', "/etc/os-release"),
        "debian": find(r"(.+)", "/etc/debian_version"),
        "load_before": round(os.getloadavg()[0], 2),
    }


def library(name):
    return said("pkg-config", "--modversion", name)


def llhttp_version():
    header = "/usr/include/llhttp.h"
    parts = [find(rf"#define LLHTTP_VERSION_{part} (\d+)", header)
             for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(parts) if all(parts) else None


def versions(postgres_folder):
    wrk = said("wrk", "-v") or ""
    nginx = said("nginx", "-v") or ""
    return {
        "postgresql": (said(postgres_folder + "/postgres", "--version") or "").split(") ")[-1],
        "nginx": nginx.partition("/")[2] or None,
        "wrk": wrk.partition("wrk ")[2].partition(" ")[0] or None,
        "libuv": library("libuv"),
        "libpq": library("libpq"),
        "llhttp": llhttp_version(),
        "libwebp": library("libwebp"),
    }


def describe_build(build):
    """Returns the compiler and options of a build folder of meson."""
    info = os.path.join(build, "meson-info")
    try:
        with open(os.path.join(info, "intro-compilers.json"), encoding="utf-8") as file:
            compiler = json.load(file)["host"]["c"]
        with open(os.path.join(info, "intro-buildoptions.json"), encoding="utf-8") as file:
            options = {option["name"]: option["value"] for option in json.load(file)}
    except (OSError, KeyError, ValueError):
        return {}
    names = ("buildtype", "optimization", "b_lto", "b_sanitize", "c_args")
    return {"compiler": f"{compiler['id']} {compiler['version']}",
            **{name: options.get(name) for name in names}}


def source_of(build):
    """Returns the source tree of a build folder of meson."""
    try:
        with open(os.path.join(build, "meson-info/meson-info.json"), encoding="utf-8") as file:
            return json.load(file)["directories"]["source"]
    except (OSError, KeyError, ValueError):
        return ROOT


def describe_commit(build):
    """Describes the commit that was built, which may belong to another tree than this file."""
    source = source_of(build)
    top = said("git", "rev-parse", "--show-toplevel", folder=source)
    if not top or not os.path.samefile(top, source):
        return {"commit": None, "dirty": False}
    return {
        "commit": said("git", "rev-parse", "HEAD", folder=source),
        "dirty": bool(said("git", "--no-optional-locks", "status", "--porcelain",
                           "--untracked-files=no", folder=source)),
    }


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
