"""The cost of a push while Home Assistant and programs get events by streams, webhooks and MQTT; and how long a message
takes."""

import json
import os
import subprocess
import sys

from harness import cpu
from harness.paths import BENCH
from scenarios.base import SUBJECT, Goal, Missing, Sample, Scenario
from scenarios.fleet import Panels
from scenarios.push_to_panel import PushToPanel

RATE = 50
ACCOUNTS = 8
DEVICES_EACH = 125  # 1,000 devices in total
ALONE = "alone"
ENDS = os.path.join(BENCH, "home_ends.py")


class House:
    """A server with its accounts, and a panel of each of their devices."""

    def __init__(self, bench, name):
        self.server = bench.start_server("--egress-allow", "127.0.0.1")
        self.emails = [f"home-{number}@example.org" for number in range(ACCOUNTS)]
        self.keys, self.devices, urls = [], [], []
        base = self.server.url.replace("http://", "ws://")
        for number, email in enumerate(self.emails):
            self.server.ctl("account", "create", email, "--name", "Bench")
            self.server.ctl("account", "previews", email, "local")
            first = number * DEVICES_EACH
            ids = self.server.make_devices(email, DEVICES_EACH, first)
            self.keys.append(self.server.ctl("key", "create", "--account", email)["key"])
            self.devices += [{"id": one, "apiKey": self.keys[-1]} for one in ids]
            urls += [f"{base}/d/{one}/ws?key={first + place:024d}" for place, one in enumerate(ids)]
        self.server.settle()
        self.panels = Panels(bench, urls)
        self.file = bench.write_file(
            f"{name}.json", json.dumps({"url": self.server.url, "devices": self.devices}))


class End:
    """Starts bench/home_ends.py, and waits until it is ready."""

    def __init__(self, bench, *arguments):
        self.process = bench.spawn([sys.executable, ENDS, *arguments], steps_back=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = json.loads(self.process.stdout.readline() or "{}")


class Home(Scenario):
    bound_by = "what nobody listens to"
    references = (ALONE,)
    goals = (Goal("push_cpu_us", of=ALONE, label="CPU of a push / alone"),
             Goal("memory_bytes", of=ALONE, label="memory / alone"),
             Goal("p99_us", of=ALONE, label="p99 of the answer / alone"))
    unit = "pushes"
    shown_figures = ("push_cpu_us", "memory_bytes")
    slow = True
    listeners = ""

    def __init_subclass__(cls):
        cls.measures = (
            f"Small PNGs to {ACCOUNTS * DEVICES_EACH:,} devices in turn, of {ACCOUNTS} accounts, {RATE} a second, each "
            f"with a panel at a WebSocket, {cls.listeners}; and the same on a server beside it to which nobody listens "
            "(\"alone\"). CPU time (of supervisor, workers and all that they started) for each push, "
            "and their memory (PSS) afterwards.")

    def prepare(self, bench):
        self.houses = {who: House(bench, who) for who in (SUBJECT, ALONE)}
        self.listen(bench, self.houses[SUBJECT])

    def listen(self, bench, house):
        """Starts the receivers, and waits until they are ready."""
        raise NotImplementedError

    def run(self, bench, who, seconds):
        house, pushes = self.houses[who], round(seconds * RATE)
        before_us = cpu.group_us(house.server.server_pids())
        said = json.loads(bench.program(
            [sys.executable, os.path.join(BENCH, "push_latency.py"), house.file, RATE, pushes, RATE // 2]))
        spent_us = cpu.group_us(house.server.server_pids()) - before_us
        answer = said["answer_ms"]
        return Sample(requests=pushes, seconds=pushes / RATE, rate=RATE,
                      p50_us=answer["median"] * 1000, p99_us=answer["p99"] * 1000,
                      figures={"push_cpu_us": spent_us / (pushes + RATE // 2),
                               "memory_bytes": cpu.pss_bytes(house.server.server_pids())})


class HomeEvents(Home):
    name = "home-events"
    title = f"A push, with {8 * ACCOUNTS} streams of events under 1,000 devices"
    listeners = f"with {8 * ACCOUNTS} streams of GET /v1/events, eight for each account"

    def listen(self, bench, house):
        End(bench, "events", house.server.url, *house.keys)


class HomeWebhooks(Home):
    name = "home-webhooks"
    title = f"A push, with {ACCOUNTS} webhooks for pushes under 1,000 devices"
    listeners = "with a webhook of each account for pushes"

    def listen(self, bench, house):
        port = End(bench, "receiver").said["port"]
        for email in house.emails:
            house.server.ctl("webhook", "create", f"http://127.0.0.1:{port}/", "--account", email,
                             "--event", "pushed")


class HomeMqtt(Home):
    name = "home-mqtt"
    title = f"A push, with {ACCOUNTS} connections to an MQTT broker under 1,000 devices"
    listeners = "with a connection of each account to one mosquitto, on which are all panels"

    def listen(self, bench, house):
        import broker
        from waiting import wait_until

        if not os.path.exists(broker.MOSQUITTO):
            raise Missing("mosquitto is not installed: run bench/setup")
        made = broker.Broker()
        bench.on_finish(made.stop)
        made.start()
        password = bench.write_file("password", broker.PASSWORD)
        with made.listen("homeassistant/#") as heard:
            for email in house.emails:
                house.server.ctl("mqtt", "update", "--account", email, "--url", made.url,
                                 "--username", broker.USER, "--password-file", password)
            wait_until(lambda: len(heard.newest) == ACCOUNTS * DEVICES_EACH, "all panels on the broker")


class MessageToPanel(PushToPanel):
    name = "message-to-panel"
    title = "A message to a connected panel, 20 a second"
    bound_by = "render + encode + commit"
    measures = ("Texts to 20 devices in turn, each with a panel at a WebSocket, at a fixed rate; from when the message "
                "was to be sent until its panel has the picture, which the server has drawn. Each text is a new one.")
    goals = (Goal("p50_us", label="median"), Goal("p99_us", at_most=60_000, label="p99"))
    unit = "messages"
    rate = 20
    call = "message"
