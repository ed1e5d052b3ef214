#!/usr/bin/python3
"""Measures how a server takes in a collection of apps from a local https server: `displayctl collection add`.

    bench/collection.py CHECKOUT [APPS]

CHECKOUT is a checkout of the community's apps, with a folder "apps"; APPS: only so many of them. The archive is laid out as
a forge does: one folder, named as the branch, with all files below. Meanwhile another account's app is drawn again and again.
Prints lines of JSON:

    archive     its files and bytes, compressed and not
    first       seconds, what came of the apps, apps by second, the longest time without an app
    failures    reasons, with how many apps have each
    pictures    apps of the catalogue with a picture
    memory      peak of each program in MiB: maximum of one process
    cpu         seconds of each program
    beside      milliseconds of the other account's drawings, before and during
    same        the second fetch, answered 304
    unchanged   a fetch of the same content with another tag
    changed     a fetch with 3 apps changed, 1 new, 1 gone
"""

import collections
import io
import json
import os
import pathlib
import re
import shutil
import statistics
import sys
import tarfile
import tempfile
import threading
import time

BENCH = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH.parent / "test"), str(BENCH.parent / "test/api"), str(BENCH.parent / "test/web")]

from people import Person, World, wait_until  # noqa: E402
from postgres import Postgres  # noqa: E402
from release_server import Releases, install, make_certificate  # noqa: E402

TOP = "apps-main"
PATH = "/tronbyt/apps/archive/refs/heads/main.tar.gz"
PATIENCE_S = 3600
CHANGED = 3


def files_of(checkout, apps_max):
    """Content of all files by their names in the archive; a link as its target."""
    checkout = pathlib.Path(checkout)
    apps = sorted(one.name for one in (checkout / "apps").iterdir() if one.is_dir())
    kept = set(apps[:apps_max])
    files = {}
    for path in sorted(checkout.rglob("*")):
        parts = path.relative_to(checkout).parts
        if parts[0] == "apps" and len(parts) > 2 and parts[1] not in kept or ".git" in parts or path.is_dir():
            continue
        files["/".join((TOP, *parts))] = str(path.readlink()) if path.is_symlink() else path.read_bytes()
    return files, apps[:apps_max]


def pack(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            if isinstance(content, str):
                member.type, member.linkname, content = tarfile.SYMTYPE, content, b""
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def change(files, apps):
    """Changes the first apps' scripts by a comment, adds one and leaves the last one out."""
    scripts = [next((name for name in files if name.startswith(f"{TOP}/apps/{app}/") and name.endswith(".star")), None)
               for app in apps]
    changed = [name for name in scripts if name][:CHANGED]
    files = {name: content for name, content in files.items() if not name.startswith(f"{TOP}/apps/{apps[-1]}/")}
    for name in changed:
        files[name] += b"\n# changed\n"
    files[f"{TOP}/apps/brand_new/manifest.yaml"] = b"id: brand-new\nname: Brand New\nsummary: Is new\nauthor: Ada\n"
    files[f"{TOP}/apps/brand_new/brand_new.star"] = (
        b'load("render.star", "render")\n\ndef main(config):\n    return render.Root(child = render.Text("new"))\n')
    return files


class Watch:
    """Peak memory and CPU time of all processes below these, by program."""

    def __init__(self, *pids):
        self.pids, self.peak, self.cpu, self.is_over = pids, collections.Counter(), {}, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over.wait(0.5):
            parents = {}
            for entry in os.listdir("/proc"):
                if entry.isdigit():
                    try:
                        stat = pathlib.Path("/proc", entry, "stat").read_text(encoding="ascii", errors="replace")
                    except OSError:
                        continue
                    parents[int(entry)] = (int(stat.rpartition(")")[2].split()[1]), stat)
            for pid, (_, stat) in parents.items():
                if self.is_below(pid, parents):
                    self.note(pid, stat)

    def is_below(self, pid, parents):
        while pid in parents and pid not in self.pids:
            pid = parents[pid][0]
        return pid in self.pids

    def note(self, pid, stat):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
            status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        name = os.path.basename(words[0]).partition(":")[0] or "?"
        name += " collection" if "collection" in words[1:] else ""
        fields = stat.rpartition(")")[2].split()
        self.cpu[pid] = (name, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        if found:
            self.peak[name] = max(self.peak[name], int(found[1]) / 1024)

    def end(self):
        self.is_over.set()
        self.thread.join()
        cpu = collections.Counter()
        for name, seconds in self.cpu.values():
            cpu[name] += seconds
        return ({name: round(mib, 1) for name, mib in self.peak.most_common()},
                {name: round(seconds, 1) for name, seconds in cpu.most_common()})


class Beside:
    """Draws scripts of another account, one after the other."""

    def __init__(self, world):
        person = Person(world)
        app = world.server.ctl("app", "create", "--account", person.email, "--name", "Beside", "--slug", "beside")
        self.path = f"/web/studio/{app['id']}/preview"
        self.browser = person.browser()
        self.times, self.is_over, self.refused = [], threading.Event(), 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        number = 0
        while not self.is_over.wait(0.25):
            number += 1
            script = ('load("render.star", "render")\ndef main(config):\n    return render.Root('
                      f'child = render.Text("{number}"))\n')
            began = time.monotonic()
            answer = self.browser.post(self.path, {"scriptLanguage": "STARLARK", "scriptContent": script})
            if answer.status != 200 or not answer.json()["picture"]:
                self.refused += 1
            self.times.append(round((time.monotonic() - began) * 1000, 1))

    def take(self):
        """Figures since the last time."""
        times, self.times = sorted(self.times), []
        refused, self.refused = self.refused, 0
        if not times:
            return None
        return {"count": len(times), "p50": statistics.median(times), "p99": times[int(len(times) * 0.99)], "max": times[-1],
                "refused": refused}

    def end(self):
        self.is_over.set()
        self.thread.join()


def show(kind, **figures):
    print(json.dumps({"kind": kind} | figures), flush=True)


def counts(shown):
    return {name: shown[name + "Count"] for name in ("app", "made", "updated", "unchanged", "failed", "held", "gone")}


def follow(server, number, steps=None):
    """Returns the collection at its end. steps: gets (seconds, apps done)."""
    began = time.monotonic()

    def look():
        shown = server.ctl("collection", "show", number)
        if steps is not None and (not steps or steps[-1][1:] != (shown["step"], shown["doneCount"])):
            steps.append((round(time.monotonic() - began, 2), shown["step"], shown["doneCount"]))
        return shown["state"] not in ("waiting", "fetching") and shown

    return wait_until(look, "the end of the fetch", PATIENCE_S), round(time.monotonic() - began, 1)


def measure_first(server, host, owner):
    steps = []
    made = server.ctl("collection", "add", host.root + PATH, "--folder", "apps", "--account", owner)
    shown, took_s = follow(server, made["id"], steps)
    imports = [step for step in steps if step[1] == "import"]
    pauses = [(round(after[0] - before[0], 1), before[2]) for before, after in zip(imports, imports[1:])]
    show("first", state=shown["state"], problem=shown["problem"], seconds=took_s, **counts(shown),
         until_import_s=imports[0][0] if imports else None, apps_a_second=round(shown["appCount"] / took_s, 2),
         longest_pauses=sorted(pauses, reverse=True)[:8])
    failures = collections.Counter()
    for one in shown["apps"]:
        if one["state"] == "failed":
            failures[re.sub(r"\S+\.star:\d+(:\d+)?", "FILE:LINE", one["reason"] or "")] += 1
    show("failures", apps=[(one["folder"], one["reason"]) for one in shown["apps"] if one["state"] == "failed"],
         reasons=failures.most_common(20))
    return made["id"]


def measure_again(server, host, number, kind, **more):
    host.seen.clear()
    server.ctl("collection", "update", number)
    shown, took_s = follow(server, number)
    show(kind, state=shown["state"], problem=shown["problem"], seconds=took_s, requests=len(host.seen), **counts(shown),
         apps=[(one["folder"], one["state"]) for one in shown["apps"] if one["state"] != "failed"][:20], **more)


def pictures_of(world):
    wait_until(lambda: not world.sql("SELECT 1 FROM app_own_picture WHERE checked_at IS NULL LIMIT 1"), "checks", PATIENCE_S)
    [[apps, files, shown]] = world.sql(
        "SELECT (SELECT count(*) FROM app WHERE NOT is_removed), count(*), count(picture) FROM app_own_picture")
    return {"apps": apps, "files": files, "shown": shown}


def measure(folder, files, apps):
    certificate = make_certificate(folder)
    host = Releases(certificate)
    content = pack(files)
    show("archive", apps=len(apps), files=len(files), megabytes=round(sum(map(len, files.values())) / 1e6, 1),
         compressed_megabytes=round(len(content) / 1e6, 1), load=os.getloadavg()[0])
    host.answers[PATH], host.etags[PATH] = content, '"one"'
    prefix = install(folder / "own", certificate[0])
    arguments = ("--rate-limit", "0", "--egress-allow", "127.0.0.0/8", "--egress-allow", "::1")
    with Postgres() as postgres, World(postgres.create_database(), *arguments, prefix=prefix) as world:
        server = world.server
        beside, owner = Beside(world), Person(world)
        wait_until(lambda: len(beside.times) >= 40, "drawings")
        before = beside.take()
        watch = Watch(server.process.pid, postgres.process.pid)
        number = measure_first(server, host, owner.email)
        show("beside", before=before, during=beside.take())
        beside.end()
        memory, cpu = watch.end()
        show("memory", **memory)
        show("cpu", **cpu)
        show("pictures", **pictures_of(world))
        measure_again(server, host, number, "same")
        host.etags[PATH] = '"two"'
        measure_again(server, host, number, "unchanged")
        host.answers[PATH], host.etags[PATH] = pack(change(files, apps)), '"three"'
        measure_again(server, host, number, "changed")
    host.close()


def main():
    files, apps = files_of(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 20)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="displayd-collection-"))
    folder.chmod(0o755)
    try:
        measure(folder, files, apps)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
