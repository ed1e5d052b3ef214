#!/usr/bin/python3
"""Measures the streams of pages against a server of its own with two workers; one line of JSON.

    bench/pages.py latency [PUSHES]     from the answer to a push until a page is told that its
                                        panel displays the picture; page and panel in one worker,
                                        and in two
    bench/pages.py browser [PUSHES]     in a browser: from the click on "Sign in", and from the answer
                                        to a push, until the picture can be seen; the same from an edit
                                        of a draft, from the answer to its save, and from the keystroke
                                        that saves (to reach: 1,000 ms)
    bench/pages.py cost [COUNT]         memory and CPU time of the workers and of PostgreSQL for COUNT
                                        idle panels that show one entry each, and for COUNT open pages on top, which watch one
                                        of these panels each

The server is build/release/displayd, or DISPLAYD. Panels acknowledge as the firmware does, and ping
every 10 s.
"""

import base64
import hashlib
import io
import json
import os
import random
import secrets
import selectors
import shutil
import socket
import subprocess
import sys
import threading
import time
import uuid

import psycopg2
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test"))

import images  # noqa: E402
import npm_packages  # noqa: E402
from panel_socket import BINARY, TEXT, PanelSocket  # noqa: E402
from postgres import Postgres  # noqa: E402
from server import Server  # noqa: E402

SETTLE_S, MEASURE_S = 3, 24  # each watch is renewed twice
PAGES_OF_ACCOUNT = 50
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PING = 9


def small_picture():
    """Returns a picture of some hundred bytes, like those of a clock or the weather."""
    chance = random.Random(uuid.uuid4().int)
    pixels = [(0, 0, 0)] * (64 * 32)
    for _ in range(60):
        pixels[chance.randrange(len(pixels))] = chance.choice([(255, 0, 0), (0, 255, 0)])
    image = Image.new("RGB", (64, 32))
    image.putdata(pixels)
    file = io.BytesIO()
    image.save(file, "WEBP", lossless=True)
    return file.getvalue()


class Bed:
    """A server, and accounts whose keys and sessions are inserted into its database."""

    def __init__(self):
        self.cluster = Postgres({"max_connections": "100"})
        self.cluster.__enter__()
        self.database = self.cluster.create_database()
        self.server = Server("--rate-limit", "0", database=self.database, workers=2)
        self.server.start()
        self.connection = psycopg2.connect(self.database)
        self.connection.autocommit = True

    def close(self):
        self.server.stop()
        self.server.remove()
        self.cluster.__exit__(None, None, None)

    def sql(self, statement, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(statement, values)

    def rows(self, statement, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall()

    def account(self):
        """Makes an account. Returns its ID and its session."""
        account, token = str(uuid.uuid4()), secrets.token_hex(22)[:43]
        self.sql("INSERT INTO account (id, email, name) VALUES (%s, %s, 'Ada')", account,
                 f"{account}@example.org")
        self.sql("INSERT INTO session (id, account_id, secret_hash, address, user_agent) "
                 "VALUES (gen_random_uuid(), %s, sha256(%s::bytea), '', '')", account, token)
        return account, token

    def device(self, account):
        device, key = str(uuid.uuid4()), secrets.token_hex(12)
        self.sql("INSERT INTO device (id, account_id, name, link_key_hash) "
                 "VALUES (%s, %s, 'Desk', %s)", device, account,
                 hashlib.sha256(key.encode()).digest())
        self.sql("INSERT INTO installation (device_id, id, position, picture) "
                 "VALUES (%s, 'weather', 1, %s)", device, small_picture())
        return device, key

    def panel(self, device, key):
        host, port = self.server.address
        return PanelSocket(f"ws://{host}:{port}/d/{device}/ws?key={key}")

    def page(self, device, token):
        page = self.server.connect()
        page.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        page.sendall(f"GET /web/events?devices={device} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     f"Sec-Fetch-Site: same-origin\r\nCookie: displayd_session={token}\r\n\r\n"
                     .encode())
        return page


# ---- latency ----


def acknowledge(panel):
    """Answers like the firmware: "displaying" if the picture is immediate or the first one."""
    for opcode, payload in panel.messages():
        if opcode == BINARY:
            panel.counter += 1
            panel.send({"queued": panel.counter})
            if panel.counter == 1:
                panel.send({"displaying": panel.counter})
        elif opcode == TEXT and b"immediate" in payload:
            panel.send({"displaying": panel.counter})


def live_in(panel):
    while True:
        try:
            acknowledge(panel)
        except (OSError, ValueError):
            return


class Told:
    """Records when a page got the event of each picture that its panel displays."""

    def __init__(self, page):
        self.page = page
        self.times = {}
        self.changed = threading.Condition()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        text = b""
        while data := self.page.recv(65536):
            now = time.perf_counter()
            text += data
            *blocks, text = text.split(b"\n\n")
            for block in blocks:
                if b"event: panel" not in block:
                    continue
                said = json.loads(block[block.index(b"data: ") + 6:])
                if said["isAcknowledged"]:
                    with self.changed:
                        self.times.setdefault(said["picture"], now)
                        self.changed.notify_all()

    def wait_for(self, picture):
        with self.changed:
            assert self.changed.wait_for(lambda: picture in self.times, 10), "no event"
            return self.times[picture]


def measure_pushes(bed, pushes):
    account, token = bed.account()
    device, link_key = bed.device(account)
    panel = bed.panel(device, link_key)
    threading.Thread(target=live_in, args=[panel], daemon=True).start()
    told = Told(bed.page(device, token))
    key = bed.server.ctl("key", "create", "--account", f"{account}@example.org")["key"]
    times = []
    for number in range(pushes):
        image = base64.b64encode(images.png(images.noise(number))).decode()
        with bed.connection.cursor() as cursor:
            answer = bed.server.post(f"/v1/devices/{device}/push", {"image": image}, key=key)
            answered = time.perf_counter()
            assert answer.status == 200, answer
            cursor.execute("SELECT left(encode(sha256(picture), 'hex'), 32) FROM showing "
                           "WHERE device_id = %s", [device])
            [[picture]] = cursor.fetchall()
        times.append(1000 * (told.wait_for(picture) - answered))
        time.sleep(0.12)  # a device allows ten pushes a second
    times.sort()
    return {"median_ms": round(times[len(times) // 2], 2), "p99_ms": round(times[-1 - pushes // 100], 2)}


# ---- a browser ----

PASSWORD = "seven small lamps"
SIGN_INS = 9
EDITS = 10
SAVES = 40


def measure_browser(bed, pushes):
    email = "ada@example.org"
    ctl = bed.server.ctl
    ctl("account", "create", email, "--name", "Ada")
    token = ctl("account", "link", email)["url"].partition("#")[2]
    answer = bed.server.request("POST", "/web/links/use", {"token": token, "password": PASSWORD},
                                headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status in (200, 201), answer
    [[account]] = bed.rows("SELECT id FROM account WHERE email = %s", email)
    device, link_key = bed.device(account)
    panel = bed.panel(device, link_key)
    threading.Thread(target=live_in, args=[panel], daemon=True).start()
    scene = {
        "url": bed.server.url + "/", "email": email, "password": PASSWORD, "device": device,
        "key": ctl("key", "create", "--account", email)["key"], "signIns": SIGN_INS,
        "edits": EDITS, "saves": SAVES,
        "images": [base64.b64encode(images.png(images.noise(number))).decode()
                   for number in range(pushes)],
        "chromium": shutil.which("chromium-headless-shell"),
    }
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pages.mjs")
    return json.loads(subprocess.run(["node", script], input=json.dumps(scene), text=True,
                                     env=npm_packages.environment(), stdout=subprocess.PIPE,
                                     check=True).stdout)


# ---- cost ----


def cpu_s(pids):
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS_PER_S


def memory_kib(pids):
    """Returns the private memory of the processes."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            total += sum(int(line.split()[1]) for line in file
                         if line.startswith(("Private_Clean", "Private_Dirty")))
    return total


def postgres_pids(bed):
    bed.connection.cursor().execute("SELECT")
    with bed.connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        return [pid for pid, in cursor.fetchall()]


class Clients:
    """Panels that ping and acknowledge, and pages that read."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.panels = []

    def add_panel(self, panel):
        self.panels.append(panel)
        self.selector.register(panel, selectors.EVENT_READ)

    def add_page(self, page):
        self.selector.register(page, selectors.EVENT_READ)

    def run(self, seconds):
        end = time.monotonic() + seconds
        pause = 10 / max(1, len(self.panels))
        ping, number = time.monotonic(), 0
        while (now := time.monotonic()) < end:
            while self.panels and ping <= now:
                self.panels[number % len(self.panels)]._send_frame(PING, b"")
                ping, number = ping + pause, number + 1
            for key, _ in self.selector.select(min(pause, 0.05)):
                if isinstance(key.fileobj, PanelSocket):
                    acknowledge(key.fileobj)
                else:
                    key.fileobj.recv(65536)


def measure(bed, clients):
    clients.run(SETTLE_S)
    workers, postgres = bed.server.workers(), postgres_pids(bed)
    before = cpu_s(workers), cpu_s(postgres)
    clients.run(MEASURE_S)
    return {"memory_kib": memory_kib(workers),
            "worker_cpu_percent": round(100 * (cpu_s(workers) - before[0]) / MEASURE_S, 2),
            "postgres_cpu_percent": round(100 * (cpu_s(postgres) - before[1]) / MEASURE_S, 2)}


def measure_cost(bed, count):
    clients = Clients()
    found = {"nothing": {"memory_kib": memory_kib(bed.server.workers())}}
    owners = []
    for number in range(count):
        if number % PAGES_OF_ACCOUNT == 0:
            account, token = bed.account()
        device, key = bed.device(account)
        owners.append((device, token))
        clients.add_panel(bed.panel(device, key))
        if number % 20 == 0:
            clients.run(0.01)
    found["panels"] = measure(bed, clients)
    for number, (device, token) in enumerate(owners):
        clients.add_page(bed.page(device, token))
        if number % 20 == 0:
            clients.run(0.01)
    found["panels_and_pages"] = measure(bed, clients)
    found["kib_a_panel"] = round((found["panels"]["memory_kib"] - found["nothing"]["memory_kib"]) / count, 2)
    found["kib_a_page"] = round((found["panels_and_pages"]["memory_kib"]
                                 - found["panels"]["memory_kib"]) / count, 2)
    return found


def main():
    measures = {"latency": (measure_pushes, 100), "browser": (measure_browser, 50),
                "cost": (measure_cost, 1000)}
    what, *rest = sys.argv[1:] or [""]
    if what not in measures:
        sys.exit(__doc__)
    run, count = measures[what]
    bed = Bed()
    try:
        print(json.dumps(run(bed, int(rest[0]) if rest else count)))
    finally:
        bed.close()


if __name__ == "__main__":
    main()
