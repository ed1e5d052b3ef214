"""Whether others notice a peer that sends without pause and reads what it gets."""

import os
import signal

from harness.paths import ROOT
from scenarios.base import SUBJECT, Goal, Scenario

READS_PER_S = 1000
READ_CONNECTIONS = 8
PEERS = 2


class Flood(Scenario):
    """Of one kind: see bench/flood.py. All share the loop of one worker."""

    bound_by = "the budget that a connection has in a turn of the loop"
    references = ("unloaded",)
    goals = (Goal("p50_us", of="unloaded", at_most=2.0), Goal("p99_us", of="unloaded"))
    what = ""
    is_panel = True

    def __init_subclass__(cls):
        cls.measures = (
            f"{READS_PER_S:,} GET /livez a second beside {PEERS} connections that send "
            f"{cls.what.replace('-', ' ')} without pause, read the answers, and connect again when "
            "they are dropped; and the same reads with nothing else to do (\"unloaded\"). One "
            "worker has all of them.")

    def prepare(self, bench):
        self.server = bench.start_server(workers=1)
        _, devices = self.server.make_account("flood@example.org", PEERS)
        self.urls = [device["websocketUrl"] if self.is_panel else self.server.url
                     for device in devices]

    def run(self, bench, who, seconds):
        peers = []
        if who == SUBJECT:
            peers = [bench.spawn([os.path.join(ROOT, "bench/flood.py"), url, self.what])
                     for url in self.urls]
        sample = bench.open_loop(self.server.url, READS_PER_S, seconds, [("/livez", None)],
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
