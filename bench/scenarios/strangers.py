"""Whether unauthenticated clients can lock others out: see bench/strangers.py."""

import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import time

from harness import cpu
from harness.paths import ROOT
from scenarios.base import SUBJECT, Failed, Goal, Sample, Scenario
from scenarios.tls import make_certificate, start_server

GUESSERS = 200
HELLOS = 3000
SILENT = 1500
PANEL_CONNECTIONS = 60
PAUSE_S = 0.1
PATIENCE_S = 30
PASSWORD = "a sentence of words"


def start(bench, *arguments, **options):
    return bench.spawn([os.path.join(ROOT, "bench/strangers.py"), *map(str, arguments)],
                       steps_back=True, **options)


def percentile(times, share):
    return sorted(times)[int(share * (len(times) - 1))] * 1e6 if times else None


def try_for(seconds, attempt, pause_s=PAUSE_S):
    """Makes attempts one after the other, at least one. Returns a Sample. attempt(number) returns whether it
    was accepted."""
    times, refused, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        if attempt(len(times) + refused):
            times.append(time.monotonic() - began)
        else:
            refused += 1
        time.sleep(pause_s)
    count = len(times) + refused
    return Sample(requests=count, seconds=seconds, rate=len(times) / seconds, p50_us=percentile(times, 0.5),
                  p99_us=percentile(times, 0.99),
                  figures={"in_percent": 100 * len(times) / count,
                           "longest_ms": max(times) * 1e3 if times else None})


class SignInBesideGuesses(Scenario):
    name = "sign-in"
    title = f"Sign-ins beside {GUESSERS} strangers who guess"
    bound_by = "the hash of a password"
    measures = (f"One person after the other signs in with a password, each from a network of its own, beside "
                f"{GUESSERS} connections that guess at accounts which do not exist, from the addresses of one "
                "IPv6 /48, as fast as they are answered; and the same with nothing else to do (\"unloaded\").")
    references = ("unloaded",)
    goals = (Goal("in_percent", at_least=90, label="signed in, percent"), Goal("p50_us", of="unloaded"))
    shown_figures = ("in_percent", "longest_ms")
    unit = "sign-ins"

    def prepare(self, bench):
        self.server = bench.start_server("--trust-proxy", "127.0.0.1")
        token = re.search(r"/link#([0-9A-Za-z]{43})\b", self.server.log())[1]
        if self.ask(0, "/web/links/use", {"token": token, "email": "first@example.org", "name": "First",
                                          "password": PASSWORD}) != 200:
            raise Failed("the first account could not be made")
        self.number = 0

    def ask(self, number, path, body):
        connection = http.client.HTTPConnection(*self.server.address, timeout=PATIENCE_S)
        connection.request("POST", path, json.dumps(body), {
            "Host": "127.0.0.1", "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin",
            "X-Forwarded-For": f"2001:db8:{256 + number:x}::1"})
        status = connection.getresponse().status
        connection.close()
        return status

    def sign_in(self, _):
        self.number += 1
        try:
            return self.ask(self.number, "/web/session",
                            {"email": "first@example.org", "password": PASSWORD}) == 200
        except OSError:
            return False

    def run(self, bench, who, seconds):
        guessers = None
        if who == SUBJECT:
            guessers = start(bench, "guesses", self.server.address[1], GUESSERS)
            time.sleep(1)
        sample = try_for(seconds, self.sign_in)
        if guessers:
            bench.reap(guessers, signal.SIGTERM)
        return sample


class Hellos(Scenario):
    """Hellos of one kind."""

    bound_by = "public-key cryptography"
    references = ("unloaded",)
    goals = (Goal("in_percent", at_least=100, label="handshakes done, percent"),
             Goal("longest_ms", at_most=2000, label="the longest, ms"))
    shown_figures = ("in_percent", "longest_ms", "computed_percent")
    unit = "handshakes"
    warms_up = False
    what = ""
    count = 0

    def __init_subclass__(cls):
        cls.measures = (f"One handshake of TLS after the other beside {cls.count:,} hellos, {cls.how}; and the "
                        "same with nothing else to do (\"unloaded\"). How many of the hellos were computed is "
                        "told by the server's CPU time.")

    def prepare(self, bench):
        self.server, self.port, _ = start_server(bench, make_certificate(bench))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE
        self.one_us = self.cost_of(lambda: [self.shake_hands(number) for number in range(50)]) / 50

    def cost_of(self, work):
        before = cpu.group_us(self.server.server_pids())
        work()
        return cpu.group_us(self.server.server_pids()) - before

    def shake_hands(self, _):
        try:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE_S,
                                                     context=self.context)
            connection.request("GET", "/livez")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def run(self, bench, who, seconds):
        if who != SUBJECT:
            return try_for(seconds, self.shake_hands)
        strangers = start(bench, self.what, self.port, self.count, stdin=subprocess.PIPE)
        samples = []
        spent_us = self.cost_of(lambda: samples.append(try_for(seconds, self.shake_hands)))
        bench.reap(strangers, signal.SIGTERM)
        [sample] = samples
        spent_us -= sample.requests * self.one_us
        sample.figures["computed_percent"] = max(0, 100 * spent_us / self.one_us / self.count)
        return sample


class HellosReset(Hellos):
    name = "hellos-reset"
    title = f"Handshakes of TLS beside {HELLOS:,} hellos that are reset"
    what, count = "reset", HELLOS
    how = "each from an address of its own, whose connections are reset at once"
    goals = (*Hellos.goals, Goal("computed_percent", at_most=20, label="hellos computed, percent"))


class HellosSilent(Hellos):
    name = "hellos-silent"
    title = f"Handshakes of TLS beside {SILENT:,} hellos and nothing more"
    what, count = "silent", SILENT
    how = "each from an address of its own, that are never followed by anything"


class PanelFrames(Scenario):
    name = "panel-frames"
    title = f"Frames of a panel's key on {PANEL_CONNECTIONS} connections"
    bound_by = "the limit of a device"
    measures = (f"One panel's key opens {PANEL_CONNECTIONS} connections, one after the other, and each sends "
                "6,000 pings, or as many as it may.")
    goals = (Goal("frames_answered", at_most=2 * 6000, label="frames answered"),)
    shown_figures = ("frames_answered",)
    unit = "frames"
    warms_up = False
    rounds = 1

    def prepare(self, bench):
        self.server = bench.start_server()

    def run(self, bench, who, seconds):
        _, [device] = self.server.make_account("frames@example.org", 1)
        began = time.monotonic()
        answered = int(bench.program([os.path.join(ROOT, "bench/strangers.py"), "frames",
                                      device["websocketUrl"], PANEL_CONNECTIONS]))
        took = time.monotonic() - began
        return Sample(requests=answered, seconds=took, rate=answered / took,
                      figures={"frames_answered": answered})
