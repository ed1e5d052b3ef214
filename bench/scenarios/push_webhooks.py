"""How many pushes are stored while their accounts have webhooks, and what that costs an account without one."""

import json
import os
import sys

from harness.paths import BENCH
from scenarios import pictures
from scenarios.base import SUBJECT, Goal, Sample, Scenario
from scenarios.homes import End
from scenarios.push import CONNECTIONS

from postgres import Postgres, Standby

ACCOUNTS = 8
DEVICES_EACH = 200  # each allows 10 pushes a second
AGAIN = 64
PANELS = 10  # of the account without a webhook
RATE = 20  # its pushes in a second
LEAD_S = 0.5
ALONE = "alone"


class House:
    """A server with the accounts that push as fast as they can, and one that has panels."""

    def __init__(self, bench, name, bodies, database=None):
        self.server = bench.start_server("--egress-allow", "127.0.0.1", database=database)
        self.emails = [f"busy-{number}@example.org" for number in range(ACCOUNTS)]
        self.requests = []
        owned = []
        for number, email in enumerate(self.emails):
            self.server.ctl("account", "create", email, "--name", "Bench")
            self.server.ctl("account", "previews", email, "local")
            ids = self.server.make_devices(email, DEVICES_EACH, number * DEVICES_EACH)
            owned.append((self.server.ctl("key", "create", "--account", email)["key"], ids))
        for place in range(DEVICES_EACH):
            for key, ids in owned:
                self.requests.append(("POST", f"/v1/devices/{ids[place]}/push", key, bodies[place % len(bodies)]))
        key, devices = self.server.make_account("other@example.org", PANELS)
        self.server.settle()
        self.panels = bench.write_file(f"{name}.json", json.dumps(
            {"url": self.server.url, "key": key, "devices": devices, "call": "push"}))


class PushWebhooks(Scenario):
    name = "push-webhooks"
    title = f"POST .../push of {ACCOUNTS} accounts with a webhook each, {CONNECTIONS} connections"
    bound_by = "commit"
    measures = (
        f"Few small PNGs, converted once, to {ACCOUNTS * DEVICES_EACH:,} devices in turn, of {ACCOUNTS} accounts, each "
        f"with a webhook for pushes; and {RATE} pushes a second to the {PANELS} panels of an account without a webhook, "
        "from when each was to be sent until its panel has the picture. The same on a server beside it without webhooks "
        "(\"alone\"). The latency is that of the panels.")
    references = (ALONE,)
    goals = (Goal("rate", of=ALONE, at_least=0.6), Goal("p99_us", of=ALONE, at_most=1.3, label="p99 of others / alone"))
    unit = "pushes"
    shown_figures = ("other_answer_p99_us",)
    slow = True

    def make_database(self, bench):
        """Returns libpq's connection string, or None: the server's private PostgreSQL."""

    def prepare(self, bench):
        bodies = [pictures.push_body(png) for png in pictures.stills(AGAIN)]
        self.houses = {who: House(bench, f"panels-{who}", bodies, self.make_database(bench))
                       for who in (SUBJECT, ALONE)}
        port = End(bench, "receiver").said["port"]
        house = self.houses[SUBJECT]
        for email in house.emails:
            house.server.ctl("webhook", "create", f"http://127.0.0.1:{port}/", "--account", email, "--event", "pushed")

    def run(self, bench, who, seconds):
        house, pushes = self.houses[who], round(seconds * RATE)
        busy = bench.disturb(house.server.url, CONNECTIONS, LEAD_S + seconds, house.requests)
        said = json.loads(bench.program(
            [sys.executable, os.path.join(BENCH, "push_latency.py"), house.panels, RATE, pushes, round(LEAD_S * RATE)]))
        stored = bench.finish_disturbing(busy)
        return Sample(requests=stored.requests, seconds=stored.seconds, rate=stored.rate,
                      p50_us=said["panel_ms"]["median"] * 1000, p99_us=said["panel_ms"]["p99"] * 1000,
                      figures={"other_answer_p99_us": said["answer_ms"]["p99"] * 1000}, faults=stored.faults)


class PushWebhooksStandby(PushWebhooks):
    name = "push-webhooks-standby"
    title = f"{PushWebhooks.title}, with a synchronous standby"
    measures = (f"The same as {PushWebhooks.name}, with a PostgreSQL for each of the servers that waits for a standby at "
                "each commit, on the same disk: NOTIFY in a transaction would wait with it.")

    def make_database(self, bench):
        primary = Postgres({"fsync": "on"})
        bench.on_finish(primary.remove)
        primary.start()
        standby = Standby(primary)
        bench.on_finish(standby.remove)
        standby.start()
        primary.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{standby.NAME}'")
        primary.execute("SELECT pg_reload_conf()")
        return primary.create_database()
