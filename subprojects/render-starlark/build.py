#!/usr/bin/env python3
"""Lets meson build the renderer with Go, and other projects' programs that tests run.

build.py find SOURCE [PACKAGE]   prints the path of a Go that is new enough, where all modules that
                                 the renderer and its tests need are on this machine; asks no network
build.py version SOURCE          tells by its exit status whether there is such a Go
build.py fetch SOURCE [PACKAGE]  fetches those modules; 2 without such a Go
build.py list SOURCE             prints those of the renderer as NAME@VERSION
build.py build GO SOURCE OUTPUT DEPFILE SANDBOX_LIBRARY SANDBOX_INCLUDE
build.py other GO SOURCE OUTPUT PACKAGE

With PACKAGE it is about this package of another module, which go.mod in SOURCE pins. A tarball of a release has the
modules in SOURCE/modules, as files of a proxy: then Go asks no other.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

OLDEST = (1, 26, 2)


def environment(**more):
    """The machine's environment, but Go downloads no other Go, and has a home for its cache also in
    CI. Flags are appended to existing ones."""
    result = os.environ | {"GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "1"}
    result.setdefault("HOME", str(pathlib.Path.home()))
    for name, value in more.items():
        result[name] = f"{result.get(name, '')} {value}".strip()
    return result


def proxy(source):
    """The variable for the modules of a tarball, if this is one."""
    modules = pathlib.Path(source, "modules").resolve()
    return {"GOPROXY": modules.as_uri()} if modules.is_dir() else {}


def run(command, source, env, **options):
    return subprocess.run(command, cwd=source, env=env, stdin=subprocess.DEVNULL, **options)


def candidates():
    """Finds Go: on the PATH first, then where Debian and Go's own archive install it."""
    places = [shutil.which("go"), "/usr/local/go/bin/go"]
    places += sorted(map(str, pathlib.Path("/usr/lib").glob("go-1.*/bin/go")), reverse=True)
    return [place for place in places if place and os.access(place, os.X_OK)]


def is_new_enough(go):
    output = run([go, "version"], "/", environment(), capture_output=True, text=True).stdout
    version = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", output)
    return bool(version) and tuple(int(part or 0) for part in version.groups()) >= OLDEST


def new_go():
    return next(filter(is_new_enough, candidates()), None)


def has_modules(go, source, package, stderr=None, **variables):
    command = [go, "list", "-mod=readonly", "-deps", *([package] if package else ["-test", "."])]
    return run(command, source, environment() | variables | proxy(source), stdout=subprocess.DEVNULL,
               stderr=stderr).returncode == 0


def find(source, package=None):
    go = new_go()
    if not go or not has_modules(go, source, package, subprocess.DEVNULL, GOPROXY="off"):
        return 1
    print(go)
    return 0


def version(_source):
    return 0 if new_go() else 1


def fetch(source, package=None):
    go = new_go()
    return 2 if not go else 0 if has_modules(go, source, package) else 1


def list_modules(source):
    """Of both processors, as some files are of one only."""
    go, found = new_go(), set()
    for processor in ("amd64", "arm64"):
        command = [go, "list", "-mod=readonly", "-deps", "-test", "-f",
                   "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}", "."]
        done = run(command, source, environment() | {"GOPROXY": "off", "GOARCH": processor} | proxy(source),
                   capture_output=True, text=True) if go else None
        if not done or done.returncode:
            return 1
        found |= set(done.stdout.split())
    print("\n".join(sorted(found)))
    return 0


def compile_go(go, source, output, env, *arguments):
    command = [go, "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-o",
               str(pathlib.Path(output).resolve()), *arguments]
    return run(command, source, env | proxy(source)).returncode


def build(go, source, output, depfile, library, include):
    library = pathlib.Path(library).resolve()
    # Go does not see that a library has changed, but sees a changed flag of the linker.
    checksum = hashlib.sha256(library.read_bytes()).hexdigest()[:16]
    flags = environment(CGO_CFLAGS=f"-O2 -I{include}", CGO_LDFLAGS=f"-L{library.parent}")
    # Position-independent code is loaded at random addresses and needs no relocation of code, which
    # systemd's MemoryDenyWriteExecute forbids.
    status = compile_go(go, source, output, flags, "-buildmode=pie", "-tags", "sandbox",
                        "-ldflags", f"-s -w -X main.sandboxSum={checksum}", ".")
    root = pathlib.Path(source)
    files = [*sorted(root.glob("*.go")), *sorted(root.glob("go.*")), library]
    names = " ".join(str(file).replace(" ", "\\ ") for file in files)
    pathlib.Path(depfile).write_text(f"{output}: {names}\n")
    return status


def other(go, source, output, package):
    return compile_go(go, source, output, environment(), "-ldflags", "-s -w", package)


if __name__ == "__main__":
    verbs = {"find": find, "version": version, "fetch": fetch, "list": list_modules, "build": build, "other": other}
    sys.exit(verbs[sys.argv[1]](*sys.argv[2:]))
