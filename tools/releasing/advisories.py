"""For each part that is built in, the version here and the newest one: of Debian's parts in their suite, of modules of Go
and packages of npm in their registry. An operator then knows whether to build again."""

import json
import subprocess
import sys

import bundled

UNKNOWN = "unknown"


def output_of(command, **options):
    """Returns what a command printed, whatever its status; "" if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options).stdout
    except FileNotFoundError:
        return ""


def of_debian(root):
    """Yields (name, version, newest): tools/package knows both."""
    for line in output_of(["tools/package", "--parts"], cwd=root).splitlines():
        name, version, newest = line.split()
        yield name, version, newest


def of_go(root):
    """Yields those of the modules in go.mod that are in a program."""
    wanted = {module.rpartition("@")[0] for module in bundled.go_modules(root).values()}
    folder = root / "subprojects/render-starlark"
    go = output_of([sys.executable, "build.py", "find", "."], cwd=folder).strip()
    form = "{{.Path}} {{.Version}} {{if .Update}}{{.Update.Version}}{{else}}{{.Version}}{{end}}"
    shown = output_of([go, "list", "-e", "-mod=readonly", "-m", "-u", "-f", form, *sorted(wanted)], cwd=folder) if go else ""
    newest = {line.split()[0]: line.split()[2] for line in shown.splitlines() if len(line.split()) == 3}
    for module in sorted(bundled.go_modules(root).values()):
        path, _, version = module.rpartition("@")
        yield path, version, newest.get(path, UNKNOWN)


def of_npm(root):
    folder = root / "subprojects/webapp"
    import node  # noqa: PLC0415 pylint: disable=import-outside-toplevel
    shown = output_of(["npm", "outdated", "--json", "--all"], cwd=folder, env=node.environment())
    try:
        known = json.loads(shown or "null")
    except ValueError:
        known = None
    is_known = isinstance(known, dict) and "error" not in known
    for name, entry in sorted(bundled.npm_packages(root).items()):
        newer = known.get(name, {}) if is_known else {}
        newer = newer[0] if isinstance(newer, list) else newer
        yield name, entry["version"], newer.get("latest", entry["version"]) if is_known else UNKNOWN


def show(root):
    """Prints a line a part; those with a newer version begin with a star."""
    rows = [("Debian", *row) for row in of_debian(root)] + [("Go", *row) for row in of_go(root)]
    rows += [("npm", *row) for row in of_npm(root)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for source, name, version, newest in rows:
        mark = "?" if newest == UNKNOWN else " " if newest == version else "*"
        print(mark, source.ljust(widths[0]), name.ljust(widths[1]), version.ljust(widths[2]), newest)
    newer = sum(row[3] not in (row[2], UNKNOWN) for row in rows)
    unknown = sum(row[3] == UNKNOWN for row in rows)
    print(f"{len(rows)} parts, {newer} with a newer version" + (f", {unknown} unknown" if unknown else ""))
