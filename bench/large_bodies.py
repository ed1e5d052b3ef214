#!/usr/bin/python3
"""Measures what uploads of 4 MiB of escapes cost another account's reads; one line of JSON each.

    [DISPLAYD=... DISPLAYCTL=...] bench/large_bodies.py [SECONDS]

With 0, 1, 3 and 8 connections that upload by one key, each answered 409: the times of another
account's GET of its device in milliseconds, the uploads, and the turns of the loop that took longer
than 5 ms. And what does not depend on who else uses the machine: the CPU time of the loop's thread for an
upload, with the GETs' taken off. One worker."""

import json
import os
import secrets
import sys
import threading
import time

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test")
sys.path[:0] = [TEST, os.path.join(TEST, "main")]

from scrape import Scrape  # noqa: E402
from server import Server  # noqa: E402

CONNECTIONS = (0, 1, 3, 8)
TURN = "0.005"  # the histogram's bucket, in seconds
BODY_BYTES = 4 * 1024 * 1024
SCRIPT = '{"version":"%s","scriptLanguage":"STARLARK","scriptContent":"%s"}'


def slow_turns(server):
    """Counts turns of the loop that took longer than 5 ms; they are measured in whole milliseconds."""
    scrape = Scrape(server)
    return int(scrape.value("displayd_loop_turn_seconds_count") -
               scrape.value("displayd_loop_turn_seconds_bucket", le=TURN))


def loop_cpu_ms(server):
    (pid,) = server.workers()
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e6


def make_account(server):
    email = f"{secrets.token_hex(4)}@example.org"
    server.ctl("account", "create", email, "--name", "A")
    device = server.ctl("device", "create", "--account", email, "--name", "D")
    return email, device["id"], server.ctl("key", "create", "--account", email)["key"]


def upload_until(server, slug, key, over, counts):
    body = (SCRIPT % (secrets.token_hex(4), "\\u0041" * ((BODY_BYTES - 200) // 6))).encode()
    fields = {"Content-Type": "application/json"}
    while not over.is_set():
        answer = server.request("POST", f"/v1/apps/{slug}/upload", body, key=key, headers=fields)
        counts.append(answer.status)


def measure(server, path, key, slug, uploader, connections, seconds, get_ms):
    """Returns the CPU time of a GET without other load."""
    over, counts, times = threading.Event(), [], []
    threads = [threading.Thread(target=upload_until, args=(server, slug, uploader, over, counts))
               for _ in range(connections)]
    before, cpu_before = slow_turns(server), loop_cpu_ms(server)
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        server.request("GET", path, key=key)
        times.append((time.monotonic() - began) * 1000)
    over.set()
    for thread in threads:
        thread.join()
    cpu_ms = loop_cpu_ms(server) - cpu_before
    times.sort()
    print(json.dumps({"connections": connections, "p50": round(times[len(times) // 2], 2),
                      "p99": round(times[len(times) * 99 // 100], 2), "uploads": len(counts),
                      "statuses": sorted(set(counts)), "slowTurns": slow_turns(server) - before,
                      "loopMsOfUpload": counts and round((cpu_ms - len(times) * get_ms) / len(counts), 2)}),
          flush=True)
    return cpu_ms / len(times)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    with Server("--admin-listen", "127.0.0.1:0", "--rate-limit", "0", workers=1) as server:
        _, device, key = make_account(server)
        author, _, uploader = make_account(server)
        slug = f"app-{secrets.token_hex(4)}"
        server.ctl("app", "create", "--account", author, "--name", "A", "--slug", slug)
        server.request("POST", f"/v1/apps/{slug}/upload",
                       {"version": "1", "scriptLanguage": "STARLARK", "scriptContent": "x"},
                       key=uploader)
        get_ms = 0
        for connections in CONNECTIONS:
            of_gets = measure(server, f"/v1/devices/{device}", key, slug, uploader, connections, seconds,
                              get_ms)
            get_ms = get_ms or of_gets


main()
