"""Reading and changing devices by the API.

The p99 over 64 connections is that of the cores: two workers share two with wrk's two threads, and nginx's own
p99 is 1.3 to 4 ms there. At a fixed rate it is 0.09 ms (device-paced)."""

import json
import random

from scenarios.base import SUBJECT, Failed, Goal, Scenario

ACCOUNTS, DEVICES_EACH = 10, 100
RANDOM_ACCOUNTS, RANDOM_DEVICES_EACH = 20, 5000


def make_reads(server, accounts=ACCOUNTS, devices_each=DEVICES_EACH):
    """Returns requests for many devices of several accounts, shuffled: no batch has the same device
    often."""
    requests = []
    for account in range(accounts):
        email = f"device-{account}@example.org"
        key, made = server.make_account(email, 1)
        ids = [made[0]["id"], *server.make_devices(email, devices_each - 1)]
        requests.append([("GET", f"/v1/devices/{device}", key, None) for device in ids])
    server.settle()
    return [request for mixed in zip(*requests) for request in mixed]


class Device(Scenario):
    name = "device"
    title = "GET /v1/devices/{id}, 256 connections"
    bound_by = "kernel"
    measures = (f"{ACCOUNTS * DEVICES_EACH:,} devices of {ACCOUNTS} accounts in turn. Keys and rows "
                "are in memory after the warm-up; limits and the access log are at work.")
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.85),)
    connections = 256

    def prepare(self, bench):
        self.requests = bench.once("device reads", lambda: make_reads(bench.server))
        _, path, key, _ = self.requests[0]
        answer = bench.server.get(path, key=key)
        self.urls = {SUBJECT: bench.server.url, "nginx": bench.nginx(like=answer)}

    def run(self, bench, who, seconds):
        return bench.wrk(self.urls[who], self.connections, seconds, self.requests)


class Device64(Device):
    name = "device-64"
    title = "GET /v1/devices/{id}, 64 connections"
    goals = (Goal("p99_us", at_most=2000), Goal("rate", of="nginx"), Goal("p99_us", of="nginx"))
    connections = 64


class DeviceRandom(Device):
    name = "device-random"
    title = f"GET /v1/devices/{{id}} of {RANDOM_ACCOUNTS * RANDOM_DEVICES_EACH:,} devices at random"
    bound_by = "kernel, memory of the read cache"
    measures = (f"Each device of {RANDOM_ACCOUNTS} accounts once before any comes again, over 256 "
                "connections, in an order that is the same in all runs. An answer that no worker has "
                "in memory reads its row from PostgreSQL.")
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.60),)

    def prepare(self, bench):
        server = bench.start_server()
        self.requests = make_reads(server, RANDOM_ACCOUNTS, RANDOM_DEVICES_EACH)
        random.Random(1).shuffle(self.requests)
        _, path, key, _ = self.requests[0]
        self.urls = {SUBJECT: server.url, "nginx": bench.nginx(like=server.get(path, key=key))}


class DevicePaced(Device):
    name = "device-paced"
    title = "GET /v1/devices/{id}, 10,000 a second, 64 connections"
    bound_by = "a request's way through all processes"
    measures = ("The same reads at a fixed rate, far below what the machine can do: what callers "
                "wait for where nobody overloads the server. Latency counts from when a request "
                "was to be sent.")
    references = ("nginx",)
    goals = (Goal("p50_us"), Goal("p99_us"), Goal("p99_us", of="nginx"))
    shown_figures = ("max_us",)
    rate_per_s = 10_000

    def run(self, bench, who, seconds):
        requests = [(path, key) for _, path, key, _ in self.requests]
        return bench.open_loop(self.urls[who], self.rate_per_s, seconds, requests)


class Devices(Scenario):
    name = "list"
    title = "GET /v1/devices, 10 devices, 256 connections"
    bound_by = "kernel"
    measures = "10 accounts in turn, 10 devices each: ten rows are written as JSON."
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=0.70),)

    def prepare(self, bench):
        self.requests = [("GET", "/v1/devices", key, None) for key, _ in bench.accounts]
        answer = bench.server.get("/v1/devices", key=bench.key)
        self.urls = {SUBJECT: bench.server.url, "nginx": bench.nginx(like=answer)}

    def run(self, bench, who, seconds):
        return bench.wrk(self.urls[who], 256, seconds, self.requests)


class DevicesUnchanged(Scenario):
    name = "list-unchanged"
    title = "GET /v1/devices with If-None-Match that matches"
    bound_by = "kernel"
    measures = ("The list of one account: answered 304 because its tag matches, beside the same "
                "request without a tag, answered 200 (\"plain\").")
    references = ("plain",)
    goals = (Goal("rate", of="plain", at_least=1.0),)

    def prepare(self, bench):
        self.requests = [("GET", "/v1/devices", bench.key, None)]
        tag = bench.server.get("/v1/devices", key=bench.key).headers["ETag"]
        self.headers = {SUBJECT: {"If-None-Match": tag}, "plain": {}}
        for who, status in ((SUBJECT, 304), ("plain", 200)):
            answer = bench.server.get("/v1/devices", key=bench.key, headers=self.headers[who])
            if answer.status != status:
                raise Failed(f"{who} is answered {answer.status}, not {status}")

    def run(self, bench, who, seconds):
        return bench.wrk(bench.server.url, 256, seconds, self.requests, self.headers[who])


class Patch(Scenario):
    name = "patch"
    title = "PATCH /v1/devices/{id}, 32 connections"
    bound_by = "commit"
    measures = ("The brightness of 4,000 devices in turn, each change committed to disk before it "
                "is answered. pgbench changes the same columns of the same devices over as many "
                "connections.")
    references = ("pgbench",)
    goals = (Goal("rate", of="pgbench", at_least=0.85),)
    unit = "changes"
    connections = 32
    devices = 4000

    def prepare(self, bench):
        server = bench.start_server()
        key, _ = server.make_account("patch@example.org", 1)
        ids = server.make_devices("patch@example.org", self.devices)
        server.settle()
        self.server, self.prefix = server, ids[0][:-12]
        self.requests = [("PATCH", f"/v1/devices/{device}", key,
                          json.dumps({"brightness": 1 + number % 100}))
                         for number, device in enumerate(ids)]
        answer = server.request("PATCH", f"/v1/devices/{ids[0]}", {"brightness": 7}, key=key)
        if answer.status != 200:
            raise Failed(f"displayd answers {answer.status}: {answer.body[:200]!r}")

    def run(self, bench, who, seconds):
        if who == SUBJECT:
            return bench.wrk(self.server.url, self.connections, seconds, self.requests)
        return bench.pgbench(self.server, self.update_script(), self.connections, seconds)

    def update_script(self):
        """Returns a script for pgbench. It computes an ID from its number, so that none has to be
        looked up."""
        return (f"\\set number random(0, {self.devices - 1})\n"
                "\\set brightness random(1, 100)\n"
                "UPDATE device SET brightness = :brightness, generation = generation + 1\n"
                f"WHERE id = ('{self.prefix}' || lpad((:number)::text, 12, '0'))::uuid;\n")
