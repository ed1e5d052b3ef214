"""TLS: requests on open connections, handshakes of all kinds, panels that stay connected and
reconnect."""

import json
import os
import re
import subprocess
import sys
import time

from harness import cpu
from harness.paths import TEST
from scenarios.base import SUBJECT, Failed, Goal, Sample, Scenario

CONNECTIONS = 64
HANDSHAKES_AT_ONCE = 32
IDLE_PANELS = 1_000
RETURNING_PANELS = 5_000
READS_PER_S = 500
READ_CONNECTIONS = 8
PATIENCE_S = 90


def make_certificate(bench):
    """Makes an ECDSA P-256 certificate for localhost."""
    sys.path.append(os.path.join(TEST, "main"))
    import certificates

    return certificates.make(bench.folder, "bench")


def port_of(server, scheme):
    return int(re.search(rf"port=(\d+) (?:role=public )?scheme={scheme}\b", server.log())[1])


def start_server(bench, certificate, **options):
    server = bench.start_server("--tls-listen", "127.0.0.1:0", *certificate.options, **options)
    return server, port_of(server, "https"), port_of(server, "http")


class Tls(Scenario):
    name = "tls"
    title = f"GET /livez over TLS 1.3, {CONNECTIONS} connections"
    bound_by = "kernel and the cipher"
    measures = ("livez over connections of TLS that stand: AES-128-GCM, a record for each request and "
                "each answer. nginx has the same certificate and the same ciphers.")
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.80),)

    def prepare(self, bench):
        certificate = make_certificate(bench)
        server, port, _ = start_server(bench, certificate)
        like = server.get("/livez")
        self.urls = {SUBJECT: f"https://127.0.0.1:{port}/livez",
                     "nginx": bench.nginx(like=like, certificate=certificate)}

    def run(self, bench, who, seconds):
        return bench.wrk(self.urls[who], CONNECTIONS, seconds)


def run_clients(bench, port, version, kind, seconds):
    said = json.loads(bench.program([bench.built("tls_clients"), port, version, kind, "times",
                                     round(seconds), HANDSHAKES_AT_ONCE]))
    if kind == "resumed" and said["resumed"] < said["handshakes"]:
        raise Failed(f"{said['resumed']} of {said['handshakes']} handshakes resumed a session")
    return Sample(requests=said["handshakes"], seconds=said["seconds"],
                  rate=said["handshakes"] / said["seconds"],
                  **{name: said[name] for name in ("p50_us", "p99_us", "p999_us")},
                  faults={"connections failed": said["failed"]} if said["failed"] else {})


class Handshakes(Scenario):
    """Handshakes of one kind."""

    bound_by = "public-key cryptography"
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.9),)
    unit = "handshakes"
    version = ""
    kind = ""

    def __init_subclass__(cls):
        words = "full" if cls.kind == "full" else "resumed"
        cls.name = f"tls-{cls.kind}-{cls.version.replace('.', '')}"
        cls.title = f"{words.capitalize()} handshakes of TLS {cls.version}, {HANDSHAKES_AT_ONCE} at once"
        cls.measures = ("Each client connects, does the handshake (ECDSA P-256, ECDHE P-256), asks for "
                        "/livez and leaves. Clients use OpenSSL, whose part is small; nginx has the "
                        "same certificate, and OpenSSL, too.")

    def prepare(self, bench):
        certificate = make_certificate(bench)
        server, port, _ = start_server(bench, certificate)
        url = bench.nginx(like=server.get("/livez"), certificate=certificate)
        self.ports = {SUBJECT: port, "nginx": int(url.rpartition(":")[2])}

    def run(self, bench, who, seconds):
        return run_clients(bench, self.ports[who], self.version, self.kind, seconds)


class Full12(Handshakes):
    version, kind = "1.2", "full"


class Full13(Handshakes):
    version, kind = "1.3", "full"


class Resumed12(Handshakes):
    version, kind = "1.2", "resumed"


class Resumed13(Handshakes):
    version, kind = "1.3", "resumed"


class Panels:
    """WebSockets over TLS, each from an address of its own, until close()."""

    def __init__(self, bench, port, paths, version="1.2"):
        self.bench = bench
        # It simulates other machines.
        self.process = bench.spawn([bench.built("tls_clients"), port, version, "full", "stay",
                                    bench.write_file("paths", "\n".join(paths) + "\n")], steps_back=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def wait(self):
        """Waits until all are connected. Returns the program's report."""
        line = self.process.stdout.readline()
        if not line:
            raise Failed("tls_clients has ended")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.bench.reap(self.process)


def make_paths(server, count):
    server.ctl("account", "create", "fleet@example.org", "--name", "Fleet")
    ids = server.make_devices("fleet@example.org", count)
    server.settle()
    return [f"/d/{device}/ws?key={number:024d}" for number, device in enumerate(ids)]


class TlsIdle(Scenario):
    name = "tls-idle"
    title = f"{IDLE_PANELS:,} idle panels over TLS"
    bound_by = "mbedTLS' buffers"
    measures = (f"The server's memory (PSS of supervisor and workers) for each of {IDLE_PANELS:,} panels "
                "that are connected by WebSocket over TLS 1.2 and do nothing; and over TLS 1.3.")
    goals = (Goal("panel_bytes", at_most=36 * 1024, label="a panel, TLS 1.2"),
             Goal("panel_tls13_bytes", label="a panel, TLS 1.3"))
    unit = "panels"
    warms_up = False

    def prepare(self, bench):
        self.server, self.port, _ = start_server(bench, make_certificate(bench))
        self.paths = make_paths(self.server, IDLE_PANELS)
        # Leave out allocations that the server makes once for its first panels: they are not the cost of
        # a panel.
        self.panel_bytes(bench, self.paths[:50], "1.2")

    def panel_bytes(self, bench, paths, version):
        before = cpu.pss_bytes(self.server.server_pids())
        panels = Panels(bench, self.port, paths, version)
        panels.wait()
        time.sleep(2)
        bytes_each = (cpu.pss_bytes(self.server.server_pids()) - before) / len(paths)
        panels.close()
        time.sleep(1)
        return bytes_each

    def run(self, bench, who, seconds):
        # The worker keeps memory that it has once allocated: the second run would cost less.
        figures = {"panel_bytes": self.panel_bytes(bench, self.paths, "1.2")}
        self.server.restart()
        self.port = port_of(self.server, "https")
        self.panel_bytes(bench, self.paths[:50], "1.3")
        figures["panel_tls13_bytes"] = self.panel_bytes(bench, self.paths, "1.3")
        self.server.restart()
        self.port = port_of(self.server, "https")
        self.panel_bytes(bench, self.paths[:50], "1.2")
        return Sample(figures=figures)


class TlsReturn(Scenario):
    name = "tls-return"
    title = f"GET /livez, while {RETURNING_PANELS:,} panels come back over TLS"
    bound_by = "the threads that compute handshakes"
    measures = (f"{READS_PER_S} GET /livez a second without TLS, while {RETURNING_PANELS:,} panels connect at "
                "once over TLS 1.2 with full handshakes, each from an address of its own; and the same "
                "reads with nothing else to do (\"unloaded\").")
    references = ("unloaded",)
    goals = (Goal("p50_us", of="unloaded"), Goal("p99_us", of="unloaded", at_most=2.0),
             Goal("all_back_s", at_most=4, label="until all are back"))
    # Two cores also compute the panels' own part of 5,000 handshakes, which keeps them busy.
    shown_figures = ("max_us", "all_back_s", "panels_per_s")
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.server, self.port, plain = start_server(bench, make_certificate(bench))
        self.url = f"http://127.0.0.1:{plain}"
        self.paths = make_paths(self.server, RETURNING_PANELS)

    def run(self, bench, who, seconds):
        if who != SUBJECT:
            return bench.ask_first(self.url, READS_PER_S, seconds, [("/livez", None)],
                                   READ_CONNECTIONS)
        panels = Panels(bench, self.port, self.paths)
        sample = bench.ask_first(self.url, READS_PER_S, seconds, [("/livez", None)],
                                 READ_CONNECTIONS)
        said = panels.wait()
        panels.close()
        sample.figures |= {"all_back_s": said["seconds"], "refused": said["failed"],
                           "panels_per_s": RETURNING_PANELS / said["seconds"]}
        return sample
