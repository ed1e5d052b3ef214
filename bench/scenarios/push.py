"""Pushes of still pictures, stored durably, and the most that this machine could accept if it converted
each with all effort."""

import json
import os
import re

from harness import cpu
from harness.paths import ROOT
from scenarios import pictures
from scenarios.base import SUBJECT, Goal, Sample, Scenario

CONNECTIONS = 64
CLIENTS = 16  # clients of pgbench: as many as the server's PostgreSQL allows beside the server
DEVICES = 4000  # each allows 10 pushes a second
PICTURES = 4000  # ten times as many as the server keeps converted
AGAIN = 64
STATEMENT = "sql/query/push_store_temporary.sql"
PARAMETER = re.compile(r"(?<![:\w]):([a-z]\w*)")
DURATION_S = 15


def statement_for_pgbench(first_id, picture_bytes):
    """Returns the server's own statement for one of the devices, as a script for pgbench."""
    values = {
        "device_id": f"('{first_id[:-12]}' || lpad(:n::text, 12, '0'))::uuid",
        "picture": f"'\\x{'5a' * picture_bytes}'::bytea",
        "duration_s": str(DURATION_S),
        "is_held": "false",
        "is_waking": "false",
        "granted_bytes": str(picture_bytes),  # as for all but one push in seconds
        "granted_limit": "0",
    }
    with open(os.path.join(ROOT, STATEMENT), encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("--")).replace("{push_stored}", "pushed.*")
    text = PARAMETER.sub(lambda parameter: values[parameter[1]], text)
    return f"\\set n random(0, {DEVICES - 1})\n{text.strip()};\n"


class Push(Scenario):
    name = "push"
    title = "POST .../push, a still PNG of 1 to 5 KB, 64 connections"
    bound_by = "encode + commit"
    measures = (
        "A different picture to another one of 4,000 devices each time, answered when it is "
        "committed. The bound is cores / (base64 + decode + encode + statement): the first three as "
        "bench/push_bound measures them on the same files, without a server; the last is the CPU "
        "time that PostgreSQL takes for an execution of the server's own statement under pgbench. "
        "It leaves nothing to HTTP, JSON, threads, the kernel's network, wrk, and the disk."
    )
    references = ("bound",)
    goals = (Goal("rate", of="bound", at_least=0.6),)
    unit = "pushes"
    shown_figures = ("convert_us", "statement_us")
    pictures = PICTURES

    def prepare(self, bench):
        self.server = bench.start_server()
        email = "bench@example.org"
        key, _ = self.server.make_account(email, 1)
        self.ids = self.server.make_devices(email, DEVICES)
        # Other devices than displayd's, which would wait for pgbench's pushes.
        self.pgbench_ids = self.server.make_devices(email, DEVICES)
        self.server.settle()
        stills = pictures.stills(self.pictures)
        self.files = []
        for number, png in enumerate(stills[:AGAIN]):
            self.files.append(bench.write_file(f"{number}.png", ""))
            with open(self.files[-1], "wb") as file:
                file.write(png)
        bodies = [pictures.push_body(png) for png in stills]
        self.requests = [("POST", f"/v1/devices/{device}/push", key, bodies[number % self.pictures])
                         for number, device in enumerate(self.ids)]

    def run(self, bench, who, seconds):
        if who == SUBJECT:
            return bench.wrk(self.server.url, CONNECTIONS, seconds, requests=self.requests)
        return self.run_bound(bench, seconds)

    def run_bound(self, bench, seconds):
        convert = json.loads(bench.program(
            [bench.built("push_bound"), seconds / 3, *self.files]))
        script = statement_for_pgbench(self.pgbench_ids[0], round(convert["webp_bytes"]))
        before = cpu.group_us(self.server.database_pids())
        sample = bench.pgbench(self.server, script, CLIENTS, seconds / 2)
        statement_us = (cpu.group_us(self.server.database_pids()) - before) / sample.requests
        cores = len(os.sched_getaffinity(0))
        return Sample(
            requests=sample.requests,
            seconds=sample.seconds,
            rate=cores * 1e6 / (convert["sum_us"] + statement_us),
            figures={"convert_us": convert["sum_us"], "statement_us": statement_us,
                     "pgbench_rate": sample.rate},
            faults=sample.faults,
        )


class PushAgain(Push):
    name = "push-again"
    title = f"POST .../push, {AGAIN} stills again and again, 64 connections"
    bound_by = "commit"
    measures = "The same with few pictures, which are converted once. The bound converts each."
    pictures = AGAIN
