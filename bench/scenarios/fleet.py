"""18,000 idle panels in one instance, and one picture to all of them.

A picture costs the time of 2.2 to 2.6 bare writes per panel, not of 1.6: the kernel takes that of 1.7 for
the writev() and for the read() of the panel's acknowledgements, two small segments for which it sends TCP
acknowledgements. The longest wait is one for a core, which workers, PostgreSQL and the simulated panels
share."""

import io
import json
import multiprocessing
import os
import random
import select
import socket
import subprocess
import time

from harness import cpu
from scenarios.base import Failed, Goal, Sample, Scenario

PANELS = 18_000
CONNECTS_PER_S = 3000
PICTURE_LINES = 5  # of noise: about 1,000 bytes of WebP
PROBES_PER_S = 200
PROBE_CONNECTIONS = 8
PROBE_S = 6
PATIENCE_S = 120
PICTURE_PATIENCE_S = 20
TRIES = 3
HINT_BYTES = 7900  # of a NOTIFY

PUSH_TO_ALL = """
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
        SELECT id, generation, %s, 120 FROM touched
        ON CONFLICT (device_id) DO UPDATE
        SET push_generation = excluded.push_generation, installation_id = NULL,
            picture = excluded.picture, duration_s = excluded.duration_s,
            created_at = excluded.created_at, displayed_at = NULL
    )
    SELECT id, generation FROM touched"""


def make_picture(seed):
    """Returns a lossless WebP with some lines of noise."""
    from PIL import Image

    picture = Image.new("RGB", (64, 32))
    noise = random.Random(seed).randbytes(64 * PICTURE_LINES * 3)
    picture.paste(Image.frombytes("RGB", (64, PICTURE_LINES), noise), (0, 0))
    file = io.BytesIO()
    picture.save(file, "WEBP", lossless=True)
    return file.getvalue()


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


def bare_write_us(picture, count=5000):
    """Returns the CPU time of one write of this picture with its messages to each of many
    connections."""
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


class Panels:
    """The program bench/panels. It simulates other machines, so it takes no core from the server."""

    def __init__(self, bench, urls, connects_per_s=CONNECTS_PER_S):
        path = bench.write_file("urls", "\n".join(urls) + "\n")
        self.process = bench.spawn(
            [bench.built("panels"), path, connects_per_s], steps_back=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        count = self.ask("connected", PATIENCE_S)["connected"]
        if count != len(urls):
            raise Failed(f"{count:,} of {len(urls):,} panels are connected")

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self, bench):
        self.process.stdin.close()
        bench.reap(self.process)


class Fleet(Scenario):
    name = "fleet"
    title = f"{PANELS:,} panels, one picture to all"
    bound_by = "kernel"
    measures = (f"{PANELS:,} WebSocket panels in one instance: the server's memory for each (PSS of "
                "supervisor and workers), then one picture stored for all of them and told by "
                "hints. The workers' CPU time until the last panel has it, acknowledgements "
                "included; what the kernel takes for as many bare writes; and how long the worst "
                "of 200 GET /livez a second took meanwhile.")
    goals = (Goal("panel_bytes", at_most=1536, label="a panel"),
             Goal("panel_us", label="a panel"),
             Goal("panel_per_bare_write", at_most=1.6, label="a panel / bare write"),
             Goal("livez_max_us", at_most=5000, label="longest wait"))
    unit = "pictures"
    shown_figures = ("bare_write_us", "last_ms", "pushed_panel_bytes", "quiet_livez_max_us")
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.server = bench.start_server()
        self.server.ctl("account", "create", "fleet@example.org", "--name", "Fleet")
        ids = self.server.make_devices("fleet@example.org", PANELS)
        self.server.settle()
        base = self.server.url.replace("http://", "ws://")
        urls = [f"{base}/d/{device}/ws?key={number:024d}" for number, device in enumerate(ids)]
        # Leave out allocations that the server makes once for its first panels: they are not the cost of
        # a panel.
        Panels(bench, urls[:50]).close(bench)
        time.sleep(1)
        self.before_bytes = self.memory_bytes()
        self.panels = Panels(bench, urls)
        time.sleep(5)
        self.known = {
            "panel_bytes": (self.memory_bytes() - self.before_bytes) / PANELS,
            "quiet_livez_max_us": self.probe(bench).figures["max_us"],
            "bare_write_us": bare_write_us(make_picture(0)),
        }
        self.rounds_run = 0

    def memory_bytes(self):
        return cpu.pss_bytes(self.server.server_pids())

    def probe(self, bench, work=lambda: None):
        """Runs the work while other callers request /livez."""
        process = bench.ask_first(self.server.url, PROBES_PER_S, PROBE_S, [("/livez", None)],
                                  PROBE_CONNECTIONS, background=True)
        time.sleep(1)
        work()
        return bench.finish_open_loop(process)

    def push_to_all(self, picture):
        """Stores the picture for every device in one transaction, with the hints of pushes, many in
        a NOTIFY, as workers send them."""
        import psycopg2

        rows = self.server.sql(PUSH_TO_ALL, (psycopg2.Binary(picture),))
        words = [f"push:{device}:{generation}" for device, generation in rows]
        per_notify = HINT_BYTES // (len(max(words, key=len)) + 1)
        return [" ".join(words[i:i + per_notify]) for i in range(0, len(words), per_notify)]

    def run(self, bench, who, seconds):
        for _ in range(TRIES):
            found = self.try_run(bench)
            if found["count"] == PANELS:
                break
        else:
            raise Failed("not all panels got the picture")
        panel_us = found["us"] / PANELS
        return Sample(figures=self.known | {
            "panel_us": panel_us,
            "panel_per_bare_write": panel_us / self.known["bare_write_us"],
            "last_ms": found["last_ms"],
            "livez_max_us": found["worst_us"],
            "pushed_panel_bytes": (self.memory_bytes() - self.before_bytes) / PANELS,
        })

    def try_run(self, bench):
        """Counts fewer panels if the server's reconciliation, each 30 s, came before the hints."""
        self.rounds_run += 1
        picture = make_picture(self.rounds_run)
        hints = self.push_to_all(picture)
        time.sleep(1)  # the write-back of the stored data is not part of the delivery
        found = {}

        def send():
            before_us = cpu.group_us(self.server.server_pids())
            self.panels.ask("time", len(picture))
            self.server.sql("SELECT pg_notify('displayd_hint', hint) FROM unnest(%s) AS hint",
                            (hints,))
            found.update(self.panels.ask("timed", PICTURE_PATIENCE_S))
            found["us"] = cpu.group_us(self.server.server_pids()) - before_us

        found["worst_us"] = self.probe(bench, send).figures["max_us"]
        return found
