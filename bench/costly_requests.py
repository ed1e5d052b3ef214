#!/usr/bin/python3
"""Measures what one account's costly requests cost another account's reads; one line of JSON each.

    [DISPLAYD=... DISPLAYCTL=...] bench/costly_requests.py [SECONDS]

Beside connections of one account that ask for a large picture of a panel, or import 3.6 MiB of a tronbyt
server: the times of another account's GET of its device in milliseconds. Between two such loads it measures
without one, so that each quotient is of the same minute. One worker."""

import base64
import collections
import contextlib
import http.client
import json
import multiprocessing
import os
import sys
import threading
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(ROOT, "test", folder) for folder in ("", "main", "api")]

import former  # noqa: E402
import images  # noqa: E402
from server import Server  # noqa: E402

PICTURES, IMPORTS = (1, 8), (1, 4)
ROUNDS = 4
# At most 2,000 entries are read. This many texts of an app that is not here cost little but their bytes.
ENTRIES, ENTRY_BYTES = 1800, 1600


def make_account(server, email):
    server.ctl("account", "create", email, "--name", "A")
    device = server.ctl("device", "create", "--account", email, "--name", "D")
    return device, server.ctl("key", "create", "--account", email)["key"]


def picture_of(path, key):
    return "GET", f"{path}/picture?scale=16&look=led", None, {"Authorization": f"Bearer {key}"}


def import_of(key):
    entries = [former.entry("clock", number, config={"text": "a" * ENTRY_BYTES}) for number in range(ENTRIES)]
    return ("POST", "/v1/import/tronbyt?dryRun=true",
            json.dumps(former.account([former.device("A", entries)])).encode(),
            {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})


def ask(connection, request):
    method, path, body, fields = request
    connection.request(method, path, body, fields)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def reads(server, request, seconds):
    times, end = [], time.monotonic() + seconds
    with contextlib.closing(http.client.HTTPConnection(*server.address)) as connection:
        while time.monotonic() < end:
            began = time.monotonic()
            assert ask(connection, request) == 200
            times.append((time.monotonic() - began) * 1000)
    return times


def percentile(times, percent):
    return sorted(times)[len(times) * percent // 100]


def repeat(address, request, over, results):
    """A client that is told to wait comes again at once, more or less."""
    statuses = collections.Counter()
    with contextlib.closing(http.client.HTTPConnection(*address)) as connection:
        while not over.is_set():
            status = ask(connection, request)
            statuses[status] += 1
            if status != 200:
                time.sleep(0.05)
    results.put(statuses)


def reads_beside(read, server, request, connections):
    """Times of reads beside the load, and how often it got each status."""
    over, results = multiprocessing.Event(), multiprocessing.Queue()
    processes = [multiprocessing.Process(target=repeat, args=(server.address, request, over, results))
                 for _ in range(connections)]
    for process in processes:
        process.start()
    times = read()
    over.set()
    statuses = sum((results.get() for _ in processes), collections.Counter())
    for process in processes:
        process.join()
    return times, statuses


def measure(what, read, server, request, connections):
    alone, loaded, statuses = [], [], collections.Counter()
    for _ in range(ROUNDS):
        alone += read()
        times, found = reads_beside(read, server, request, connections)
        loaded += times
        statuses += found
    result = {"what": what, "connections": connections, "statuses": statuses}
    for percent in (50, 99):
        bare, with_load = percentile(alone, percent), percentile(loaded, percent)
        result[f"p{percent}"] = [round(bare, 2), round(with_load, 2), round(with_load / bare, 1)]
    print(json.dumps(result), flush=True)


def main():
    seconds = (float(sys.argv[1]) if len(sys.argv) > 1 else 40) / ROUNDS
    with Server("--rate-limit", "0", workers=1) as server:
        device, key = make_account(server, "a@example.org")
        costly, costly_key = make_account(server, "b@example.org")
        path, costly_path = f"/v1/devices/{device['id']}", f"/v1/devices/{costly['id']}"
        body = {"image": base64.b64encode(images.png(images.noise(1))).decode(), "installationId": "a"}
        assert server.request("POST", f"{costly_path}/push", body, key=costly_key).status == 200
        over = threading.Event()

        def poll():
            while not over.wait(5):
                server.request("GET", Server.path_of(costly["pollUrl"]))

        assert server.request("GET", Server.path_of(costly["pollUrl"])).status == 200
        panel = threading.Thread(target=poll)
        panel.start()
        try:
            for what, request, counts in (("picture", picture_of(costly_path, costly_key), PICTURES),
                                          ("import", import_of(costly_key), IMPORTS)):
                for connections in counts:
                    measure(what, lambda: reads(server, ("GET", path, None, {"Authorization": f"Bearer {key}"}),
                                                seconds), server, request, connections)
        finally:
            over.set()
            panel.join()


main()
