#!/usr/bin/python3
"""Counts repeated and skipped pictures of panels that poll at several instances.

    bench/roaming.py [--instances 4] [--workers 1] [--devices 50] [--polls 20] [--pause 1.0] [--json]

Each device has seven entries. Its panel polls the instances in turn, then at random, with the pause
between two polls. A repeat is an answer with the picture of the answer before, a jump one that leaves
entries out. Between polls a temporary picture is pushed to each device: it must be shown once. The
first round is not counted, as panels are new to the instances then.
"""

import argparse
import base64
import contextlib
import json
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))
import images  # noqa: E402
import several  # noqa: E402

ENTRIES = 7


def entry_image(number):
    return base64.b64encode(images.png(images.solid((10 + 30 * number, 5, 90)))).decode()


class Panel:
    """A device, its panel's polls, and the answers."""

    def __init__(self, device, key):
        self.key, self.id = key, device["id"]
        self.path = "/d/" + device["pollUrl"].partition("/d/")[2]
        self.pictures = []  # in order of the rotation, as answers have them
        self.temporary = 0
        self.last = None
        self.repeats = self.jumps = self.polls = 0

    def push(self, at, **members):
        answer = at.request("POST", f"/v1/devices/{self.id}/push", key=self.key, body=members)
        if answer.status != 200:
            sys.exit(f"push answered {answer.status}: {answer.body!r}")

    def fill(self, at):
        for number in range(ENTRIES):
            self.push(at, image=entry_image(number), installationId=str(number), background=True)

    def learn(self, at):
        """Learns the rotation, at one instance."""
        while len(self.pictures) < ENTRIES:
            self.pictures.append(at.get(self.path).body)
        if len(set(self.pictures)) < ENTRIES:
            sys.exit("an entry was repeated at one instance")
        self.last = ENTRIES - 1

    def poll(self, at, is_counted):
        body = at.get(self.path).body
        if body not in self.pictures:
            self.temporary += 1
            return
        index = self.pictures.index(body)
        if is_counted:
            self.polls += 1
            self.repeats += index == self.last
            self.jumps += index not in (self.last, (self.last + 1) % ENTRIES)
        self.last = index


def run_round(pool, panels, choose, is_counted, pause_s):
    due = time.monotonic() + pause_s
    list(pool.map(lambda panel: panel.poll(choose(), is_counted), panels))
    time.sleep(max(0, due - time.monotonic()))


def measure(pool, panels, instances, options, how):
    number = iter(range(sys.maxsize))
    choose = {"in turn": lambda: instances[turn % len(instances)],
              "at random": lambda: random.choice(instances)}[how]
    for panel in panels:
        panel.repeats = panel.jumps = panel.polls = panel.temporary = 0
    for turn in number:
        if turn == options.polls + len(instances):
            break
        if turn == options.polls // 2:
            for panel in panels:
                panel.push(instances[0], image=base64.b64encode(
                    images.png(images.solid((1, 200, 1)))).decode())
        run_round(pool, panels, choose, turn >= len(instances), options.pause)
    return {"how": how, "polls": sum(panel.polls for panel in panels),
            "repeats": sum(panel.repeats for panel in panels),
            "jumps": sum(panel.jumps for panel in panels),
            "temporary shown at most": max(panel.temporary for panel in panels),
            "temporary not shown": sum(panel.temporary == 0 for panel in panels)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--devices", type=int, default=50)
    parser.add_argument("--polls", type=int, default=20)
    parser.add_argument("--pause", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        names = [f"Desk {number}" for number in range(options.devices)]
        instances, devices, key = several.start(stack, options, names)
        one = instances[0]
        panels = [Panel(device, key) for device in devices]
        for panel in panels:
            panel.fill(one)
            panel.learn(one)
        pool = stack.enter_context(ThreadPoolExecutor(16))
        for how in ("in turn", "at random"):
            found = measure(pool, panels, instances, options, how)
            print(json.dumps(found) if options.json else
                  ", ".join(f"{name}: {value}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
