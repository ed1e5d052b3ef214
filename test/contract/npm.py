"""The programs of npm that the tests need, in the build directory, installed once.

What is installed is what package-lock.json says; it is installed again when that changes. When all
is there, nothing asks a network.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("package.json", "package-lock.json")
# Neither of them is to tell anybody anything, or to look for something newer.
ENVIRONMENT = {"npm_config_update_notifier": "false", "npm_config_audit": "false",
               "npm_config_fund": "false", "REDOCLY_TELEMETRY": "off", "NO_UPDATE_NOTIFIER": "1",
               "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "CI": "true", "NO_COLOR": "1"}


_failures = []


def folder():
    root = os.environ.get("MESON_BUILD_ROOT") or os.path.join(HERE, "../../build")
    return os.path.abspath(os.path.join(root, "npm"))


def environment():
    return os.environ | ENVIRONMENT


def _wanted():
    """Stands for what is to be installed, and for what."""
    digest = hashlib.sha256()
    for name in FILES:
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    digest.update(subprocess.check_output(["node", "--version"]))
    return digest.hexdigest()


def install():
    """The folder in which node finds the packages. Where it fails it is not tried again: without a
    network each test would wait for the same time-outs."""
    if _failures:
        raise _failures[0]
    try:
        return _install()
    except Exception as error:
        _failures.append(error)
        raise


def _install():
    place = folder()
    os.makedirs(place, exist_ok=True)
    stamp = os.path.join(place, "installed")
    with open(os.path.join(place, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = _wanted()
        if os.path.exists(stamp):
            with open(stamp, encoding="ascii") as file:
                if file.read() == wanted:
                    return place
            os.unlink(stamp)
        for name in FILES:
            shutil.copy(os.path.join(HERE, name), place)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--prefer-offline", "--loglevel=error"],
                       cwd=place, env=environment(), check=True, timeout=600)
        with open(stamp, "w", encoding="ascii") as file:
            file.write(wanted)
    return place


def run(program, *arguments, cwd=None):
    """Runs one of the packages' programs, or with a name that ends with .mjs one of ours: the exit
    code and what it said."""
    place = install()
    command = [os.path.join(place, "node_modules/.bin", program)]
    if program.endswith(".mjs"):
        command = ["node", os.path.join(HERE, program)]
    done = subprocess.run([*command, *arguments], cwd=cwd or place, env=environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=300)
    return done.returncode, done.stdout
