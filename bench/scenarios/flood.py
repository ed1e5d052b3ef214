"""Whether others notice a client that sends without pause and reads the answers."""

import os
import signal
import urllib.parse

from harness.paths import ROOT
from scenarios.base import SUBJECT, Goal, Scenario
from scenarios.tls import make_certificate, start_server

READS_PER_S = 1000
READ_CONNECTIONS = 8
PEERS = 2


def over_tls(url, port):
    parts = urllib.parse.urlsplit(url)
    scheme = "https" if parts.scheme.startswith("http") else "wss"
    return parts._replace(scheme=scheme, netloc=f"127.0.0.1:{port}").geturl()


class Flood(Scenario):
    """Flood of one kind: see bench/flood.py. All kinds share the loop of one worker."""

    bound_by = "the budget that a connection has in a turn of the loop"
    references = ("unloaded",)
    goals = (Goal("p50_us", of="unloaded", at_most=2.0), Goal("p99_us", of="unloaded"))
    what = ""
    is_panel = True
    is_tls = False  # the reads of the others are without TLS, so that they are the same

    def __init_subclass__(cls):
        records = ", each in a TLS record of its own," if cls.is_tls else ""
        cls.measures = (
            f"{READS_PER_S:,} GET /livez a second beside {PEERS} connections that send "
            f"{cls.what.replace('-', ' ')}{records} without pause, read the answers, and connect again "
            "when they are dropped; and the same reads with nothing else to do (\"unloaded\"). One "
            "worker has all of them.")

    def prepare(self, bench):
        if self.is_tls:
            server, tls_port, port = start_server(bench, make_certificate(bench), workers=1)
            self.reads = f"http://127.0.0.1:{port}"
        else:
            server = bench.start_server(workers=1)
            self.reads = server.url
        _, devices = server.make_account("flood@example.org", PEERS)
        self.urls = [device["websocketUrl"] if self.is_panel else server.url for device in devices]
        if self.is_tls:
            self.urls = [over_tls(url, tls_port) for url in self.urls]

    def run(self, bench, who, seconds):
        peers = []
        if who == SUBJECT:
            peers = [bench.spawn([os.path.join(ROOT, "bench/flood.py"), url, self.what], steps_back=True)
                     for url in self.urls]
        sample = bench.ask_first(self.reads, READS_PER_S, seconds, [("/livez", None)],
                                 connections=READ_CONNECTIONS)
        for peer in peers:
            bench.reap(peer, signal.SIGTERM)
        return sample


class FloodPings(Flood):
    name = "flood-pings"
    title = "GET /livez beside panels that send pings"
    what = "pings"


class FloodLongPings(Flood):
    name = "flood-long-pings"
    title = "GET /livez beside panels that send pings of 125 bytes"
    what = "long-pings"


class FloodTexts(Flood):
    name = "flood-texts"
    title = "GET /livez beside panels that send texts"
    what = "texts"


class FloodRequests(Flood):
    name = "flood-requests"
    title = "GET /livez beside callers that pipeline without end"
    what = "requests"
    is_panel = False


class FloodTlsPings(Flood):
    name = "flood-tls-pings"
    title = "GET /livez beside panels that send pings over TLS"
    what = "pings"
    is_tls = True


class FloodTlsRequests(Flood):
    name = "flood-tls-requests"
    title = "GET /livez beside callers that pipeline without end over TLS"
    what = "requests"
    is_panel = False
    is_tls = True
