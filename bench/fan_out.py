#!/usr/bin/python3
"""Measures many panels in one instance: what an idle one costs, and one picture sent to all of them.

    bench/fan_out.py [--panels 18000] [--rounds 3] [--json]

Starts a server of its own, makes the devices by SQL, and connects them with bench/panels, which
acknowledges as the stock firmware does. Then, for each round:

    one transaction stores the same new picture for every device, as pushes do
    hints name all devices, many in a NOTIFY, as workers send them
    bench/panels notes when each panel has the picture
    GET /livez is asked 200 times a second meanwhile, timed from when it was due

Memory is the sum over supervisor and workers of the proportional and the resident set, from
/proc/PID/smaps_rollup; what the kernel holds for a socket is not in it. CPU time is that of all
threads, from schedstat: "workers" until the last panel has the picture, "settled" also what the
panels' acknowledgements cost. The panels and those who ask for /livez stand for other machines: they
run at a high priority, as root, and do not wait for the server's processes.
"""

import argparse
import contextlib
import glob
import hashlib
import io
import json
import multiprocessing
import os
import random
import resource
import select
import socket
import string
import subprocess
import sys
import tempfile
import time
import uuid

import psycopg2
import psycopg2.extras
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
from server import DISPLAYD, Server  # noqa: E402

PROBES_PER_S = 200
PROBE_CONNECTIONS = 8
SETTLE_S = 4
HINT_BYTES = 7900  # of a NOTIFY


# ---- devices and pictures ----

def connect_database(server):
    path = os.path.join(server.state_dir, "postgres/socket")
    return psycopg2.connect(host=path, user="displayd", dbname="displayd")


def make_devices(server, database, count):
    """IDs, and the websocketUrls as displayctl would print them."""
    server.ctl("account", "create", "fleet@example.org", "--name", "Fleet")
    letters = string.ascii_letters + string.digits
    keys = ["".join(random.choices(letters, k=24)) for _ in range(count)]
    ids = [str(uuid.uuid4()) for _ in range(count)]
    rows = [(device, f"Panel {number}", hashlib.sha256(key.encode()).digest())
            for number, (device, key) in enumerate(zip(ids, keys))]
    with database, database.cursor() as cursor:
        cursor.execute("SELECT id FROM account")
        account = cursor.fetchone()[0]
        psycopg2.extras.execute_values(
            cursor, "INSERT INTO device (id, account_id, name, link_key_hash) VALUES %s", rows,
            template=f"(%s, '{account}', %s, %s)", page_size=1000)
    database.autocommit = True
    with database.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    database.autocommit = False
    base = server.url.replace("http://", "ws://")
    return ids, [f"{base}/d/{device}/ws?key={key}" for device, key in zip(ids, keys)]


def make_picture(seed, size):
    """A lossless WebP of about that size: some lines of noise."""
    lines = min(32, max(1, size // 210))
    picture = Image.new("RGB", (64, 32))
    noise = Image.frombytes("RGB", (64, lines), random.Random(seed).randbytes(64 * lines * 3))
    picture.paste(noise, (0, 0))
    out = io.BytesIO()
    picture.save(out, "WEBP", lossless=True)
    return out.getvalue()


def push_to_all(database, picture, duration_s):
    """Stores it for every device in one transaction; the hints that tell it."""
    with database, database.cursor() as cursor:
        cursor.execute("""
            WITH locked AS (  -- in the server's order
                SELECT id FROM device ORDER BY id FOR NO KEY UPDATE
            ), touched AS (
                UPDATE device
                SET generation = generation + 1, last_push_generation = generation + 1,
                    last_push_at = clock_timestamp()
                FROM locked
                WHERE device.id = locked.id
                RETURNING device.id, generation
            ), shown AS (
                INSERT INTO showing (device_id, push_generation, picture, duration_s)
                SELECT id, generation, %s, %s FROM touched
                ON CONFLICT (device_id) DO UPDATE
                SET push_generation = excluded.push_generation, installation_id = NULL,
                    picture = excluded.picture, duration_s = excluded.duration_s,
                    created_at = excluded.created_at, displayed_at = NULL
            )
            SELECT id, generation FROM touched""", (psycopg2.Binary(picture), duration_s))
        words = [f"push:{device}:{generation}" for device, generation in cursor.fetchall()]
    per_notify = HINT_BYTES // (len(max(words, key=len)) + 1)
    return [" ".join(words[i:i + per_notify]) for i in range(0, len(words), per_notify)]


def send_hints(database, hints):
    with database, database.cursor() as cursor:
        cursor.execute("SELECT pg_notify('displayd_hint', hint) FROM unnest(%s) AS hint", (hints,))


# ---- the machine ----

def processes(server):
    """Of the server: supervisor and workers; and of its PostgreSQL."""
    postmaster = server.postmaster()
    with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as file:
        backends = [int(word) for word in file.read().split()]
    return [server.process.pid, *server.workers()], [postmaster, *backends]


def memory(pids):
    """Bytes over all processes, by kind."""
    total = {"pss": 0, "rss": 0}
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                name = line.split(":")[0].lower()
                if name in total:
                    total[name] += int(line.split()[1]) * 1024
    return total


def cpu_us(pids):
    """Of all threads of these processes."""
    total_ns = 0
    for pid in pids:
        for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
            with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
                total_ns += int(file.read().split()[0])
    return total_ns // 1000


# ---- the other requests ----

class Probe:
    """Asks for /livez at a fixed rate in a process of its own, which tells the latencies."""

    def __init__(self, address):
        self.ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self._run, args=(address, theirs),
                                               daemon=True)
        self.process.start()

    def _run(self, address, pipe):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        idle = [socket.create_connection(address) for _ in range(PROBE_CONNECTIONS)]
        asked = {}  # when the request on it was due, by connection
        latencies = []
        due = time.monotonic()
        while not pipe.poll():
            # Where all are waiting, requests that fall due wait, too, and their time counts.
            patience_s = max(0, due - time.monotonic()) if idle else None
            for one in select.select(list(asked), [], [], patience_s)[0]:
                if not one.recv(65536):
                    raise ConnectionError("the server closed the connection of a probe")
                latencies.append((time.monotonic() - asked.pop(one)) * 1e6)
                idle.append(one)
            if idle and time.monotonic() >= due:
                one = idle.pop(0)
                asked[one] = due
                one.sendall(b"GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n")
                due += 1 / PROBES_PER_S
        pipe.send(latencies)

    def stop(self):
        """Latencies in microseconds, in order of size."""
        self.ours.send("stop")
        latencies = sorted(self.ours.recv())
        self.process.join()
        return latencies


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


# ---- what the kernel takes ----

def bare_writes_us(picture, count=5000):
    """CPU time of one write of this picture with its messages to each of many connections."""
    parts = [b"x" * 24, picture, b"x" * 20]
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listener:
        reader = multiprocessing.Process(target=read_all, daemon=True,
                                         args=(listener.getsockname(), count))
        reader.start()
        written = [listener.accept()[0] for _ in range(count)]
        times = []
        for _ in range(3):
            time.sleep(0.3)
            started = time.process_time()
            for one in written:
                os.writev(one.fileno(), parts)
            times.append((time.process_time() - started) / count * 1e6)
        reader.kill()
        for one in written:
            one.close()
    return sorted(times)[1]


def read_all(address, count):
    poll = select.epoll()
    sockets = {}
    for _ in range(count):
        one = socket.create_connection(address)
        sockets[one.fileno()] = one
        poll.register(one, select.EPOLLIN)
    while True:
        for fd, _ in poll.poll():
            sockets[fd].recv(65536)


# ---- the panels ----

class Panels:
    """The program bench/panels."""

    def __init__(self, program, urls, rate, flags=()):
        self.file = tempfile.NamedTemporaryFile("w", prefix="displayd-urls-")
        self.file.write("\n".join(urls) + "\n")
        self.file.flush()
        command = ["nice", "-n", "-10", program, "--rate", str(rate), *flags, self.file.name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.file.close()


def panel_memory(before, after, count):
    return {kind: (after[kind] - before[kind]) / count for kind in after}


def fan_out(server, database, panels, picture, options):
    """One picture to all: what it cost, and what others felt of it."""
    own, foreign = processes(server)
    hints = push_to_all(database, picture, options.duration_s)
    time.sleep(1)  # what storing it has made dirty is not a part of sending it
    probe = Probe(server.address)
    time.sleep(0.5)
    before = cpu_us(own), cpu_us(foreign)
    at = panels.ask("time", len(picture))
    send_hints(database, hints)
    timed = panels.ask("timed", 60)
    reached = cpu_us(own), cpu_us(foreign)
    time.sleep(SETTLE_S)
    settled = cpu_us(own)
    latencies = probe.stop()
    count = max(1, timed["count"])
    return {
        "picture_bytes": len(picture),
        **at,
        **timed,
        "workers_us": (reached[0] - before[0]) / count,
        "settled_us": (settled - before[0]) / count,
        "database_us": (reached[1] - before[1]) / count,
        "livez_p50_us": quantile(latencies, 0.5),
        "livez_p99_us": quantile(latencies, 0.99),
        "livez_max_us": latencies[-1],
        "livez_count": len(latencies),
    }


def quiet_probe(server):
    """What the machine adds to a request by itself."""
    probe = Probe(server.address)
    time.sleep(2)
    return probe.stop()[-1]


def measure(server, options):
    with contextlib.closing(connect_database(server)) as database:
        ids, urls = make_devices(server, database, options.panels)
        own, _ = processes(server)
        # What the first panels make the server allocate once is not what a panel costs.
        first = Panels(options.program, urls[:50], 500)
        first.ask("connected", 30)
        first.close()
        time.sleep(1)
        before = memory(own)
        panels = Panels(options.program, urls, options.rate, options.flags)
        try:
            connected = panels.ask("connected", 120)
            if connected["connected"] != len(ids):
                raise ConnectionError(f"not all panels are connected: {connected}")
            time.sleep(options.rest_s)
            idle = memory(own)
            result = {
                "panels": len(ids),
                "workers": len(own) - 1,
                "before_bytes": before,
                "idle_bytes": idle,
                "panel_bytes": panel_memory(before, idle, len(ids)),
                "livez_quiet_max_us": quiet_probe(server),
                "bare_write_us": bare_writes_us(make_picture(0, options.picture_bytes)),
                "rounds": [],
            }
            for seed in range(options.rounds):
                picture = make_picture(seed, options.picture_bytes)
                result["rounds"].append(fan_out(server, database, panels, picture, options))
            result["pushed_panel_bytes"] = panel_memory(before, memory(own), len(ids))
            result["count"] = panels.ask("count")
        finally:
            panels.close()
    time.sleep(2)
    result["left_bytes"] = memory(own)
    return result


def show(result):
    print(f"{result['panels']} panels on {result['workers']} workers")
    for name, text in (("panel_bytes", "idle"), ("pushed_panel_bytes", "with a push")):
        values = result[name]
        print(f"  {text:12} {values['pss']:7.0f} bytes a panel (PSS) {values['rss']:7.0f} (RSS)")
    print(f"  /livez at rest: at most {result['livez_quiet_max_us'] / 1000:.1f} ms")
    print(f"  the kernel's part of one write to a panel: {result['bare_write_us']:.1f} us")
    print("  picture   panels   median      p99     last  CPU us a panel               /livez ms")
    print("    bytes                ms       ms       ms  workers settled PostgreSQL  p99    max")
    for one in result["rounds"]:
        print(f"  {one['picture_bytes']:7} {one['count']:8} {one['median_ms']:8.0f}"
              f" {one['p99_ms']:8.0f} {one['last_ms']:8.0f}  {one['workers_us']:7.1f}"
              f" {one['settled_us']:7.1f} {one['database_us']:10.1f}"
              f" {one['livez_p99_us'] / 1000:5.1f} {one['livez_max_us'] / 1000:6.1f}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    program = os.path.join(os.path.dirname(DISPLAYD), "bench/panels")
    parser.add_argument("--panels", type=int, default=18000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate", type=int, default=3000, help="connections opened in a second")
    parser.add_argument("--picture-bytes", type=int, default=1000, help="about so many")
    parser.add_argument("--duration-s", type=int, default=120, help="of the pushes")
    parser.add_argument("--rest-s", type=float, default=5, help="time connected before measuring")
    parser.add_argument("--program", default=program, help="bench/panels, built")
    parser.add_argument("--silent", dest="flags", action="store_const", const=["--silent"],
                        default=[], help="panels that acknowledge nothing")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def allow_files():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    options = parse_arguments()
    allow_files()
    with Server("--rate-limit", "0", workers=options.workers) as server:
        result = measure(server, options)
    if options.json:
        print(json.dumps(result))
    else:
        show(result)


if __name__ == "__main__":
    main()
