#!/usr/bin/python3
"""kill -9 of everything at random, under load, with a journal of what was answered.

    test/soak/kill.py [--rounds 200] [--seed N] [--engine]

Each round ends one of these at once: any process at all, chosen among the supervisor and all that
descend from it; a worker, all workers, the supervisor, a process of PostgreSQL's, the postmaster, or
all of them together, as if the power went. With --engine, in an installation that renders, an app is
shown that asks the network, and rounds end a renderer, the render host or the egress, too.

At the end each entry that a push was answered 200 for must be there, each one whose removal was
answered must not, and another app must be rendered; else it ends with 1. One line a round.
"""

import argparse
import collections
import contextlib
import http.server
import os
import random
import signal
import sys
import threading

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "api")]

# pylint: disable=wrong-import-position
from world import Connection, images, request_bytes  # noqa: E402

from server import Server, wait_until  # noqa: E402

ACCOUNT = ("--account", "kill@example.org")
IMAGE = images.text(images.png())
NAMES = 40
WRITERS = 3
ENGINE_PATIENCE_S = 20
ARGUMENTS = ("--rate-limit", "0", "--access-log", "off", "--egress-allow", "127.0.0.0/8")
SCRIPT = """load("http.star", "http")
load("render.star", "render")

def main(config):
    answer = http.get("%s", ttl_seconds = 0)
    return render.Root(child = render.Text(answer.body()), max_age = 5)
"""


class Journal(threading.Thread):
    """Pushes and removes entries of one device, and records the answers. An entry of an unanswered request
    may exist or not."""

    def __init__(self, server, device, key, seed):
        super().__init__()
        self.server, self.path, self.key = server, f"/v1/devices/{device}", key
        self.chance = random.Random(seed)
        self.is_there = {}  # by name: True, False; None: unknown
        self.acts = 0
        self.wrong = []
        self.is_over = False

    def act(self, client):
        name = f"n{self.chance.randrange(NAMES)}"
        is_push = self.chance.random() < 0.7
        before = self.is_there.get(name, False)
        self.is_there[name] = None
        if is_push:
            client.send(request_bytes("POST", self.path + "/push", key=self.key, body={
                "image": IMAGE, "installationId": name, "background": True}))
        else:
            client.send(request_bytes("DELETE", f"{self.path}/installations/{name}", key=self.key))
        status = client.answer().status
        if status == 200 or (status == 404 and not is_push and before is not True):
            self.is_there[name] = is_push
            self.acts += status == 200
        elif status != 503:
            self.wrong.append(f"{'push' if is_push else 'removal'} of {name}: {status}")

    def run(self):
        while not self.is_over:
            try:
                with Connection(self.server) as client:
                    while not self.is_over:
                        self.act(client)
            except OSError:
                pass

    def losses(self):
        """Entries whose answered change is lost or undone, as sentences."""
        def ask():
            answer = self.server.get(self.path + "/installations", key=self.key)
            return answer if answer.status == 200 else None

        # A worker's connections may still be recovering.
        listed = {entry["id"] for entry in wait_until(ask, "a list").json()}
        return self.wrong + [f"{name} {'is lost' if there else 'has come back'}"
                             for name, there in self.is_there.items()
                             if there is not None and there != (name in listed)]


# ---- an app ----

class Numbers(http.server.BaseHTTPRequestHandler):
    """Sends another number each time."""

    def log_message(self, *_):
        pass

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.count += 1
        body = str(self.server.count).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Screen(threading.Thread):
    """A panel that polls for the pictures of an app of this name."""

    def __init__(self, server, name, app_url):
        super().__init__()
        self.server = server
        key = server.ctl("key", "create", *ACCOUNT)["key"]
        server.ctl("app", "create", *ACCOUNT, "--name", name, "--slug", name)
        answer = server.post(f"/v1/apps/{name}/upload", {
            "version": "1.0", "scriptContent": SCRIPT % app_url, "scriptLanguage": "STARLARK"}, key=key)
        assert answer.status == 201, answer
        server.ctl("app", "review", name, "1.0", "approve")
        device = server.ctl("device", "create", *ACCOUNT, "--name", name)
        server.ctl("installation", "create", "--device", device["id"], "--app", name)
        self.poll = server.path_of(device["pollUrl"])
        self.pictures = 0
        self.is_over = threading.Event()

    def run(self):
        last = None
        while not self.is_over.wait(0.3):
            try:
                answer = self.server.get(self.poll)
            except (OSError, http.client.HTTPException):
                continue
            if answer.status == 200 and answer.body != last:
                last = answer.body
                self.pictures += 1


@contextlib.contextmanager
def running_screen(server, name):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Numbers) as numbers:
        numbers.count = 0
        threading.Thread(target=numbers.serve_forever, daemon=True).start()
        screen = Screen(server, name, f"http://127.0.0.1:{numbers.server_address[1]}/")
        screen.start()
        try:
            yield screen
        finally:
            screen.is_over.set()
            screen.join()
            numbers.shutdown()


# ---- processes ----

def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def descendants_of(pid):
    """All descendants, parents before their children."""
    found = children_of(pid)
    for child in found:
        found += children_of(child)
    return found


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_anything(server, chance):
    """Ends a random process; the supervisor is only one of many."""
    victim = chance.choice([server.process.pid, *descendants_of(server.process.pid)])
    if victim == server.process.pid:
        server.kill()
    else:
        end(victim)


def end_a_worker(server, chance):
    end(chance.choice(server.workers()))


def end_workers(server, _):
    for pid in server.workers():
        end(pid)


def end_supervisor(server, _):
    server.kill()


def end_backend(server, chance):
    backends = children_of(server.postmaster() or 0)
    end(chance.choice(backends) if backends else server.workers()[0])


def end_postmaster(server, _):
    if postmaster := server.postmaster():
        end(postmaster)


def end_all(server, _):
    """The supervisor is stopped first, so that no process can react in between."""
    os.kill(server.process.pid, signal.SIGSTOP)
    for pid in descendants_of(server.process.pid):
        end(pid)
    server.kill()


def end_one_named(server, chance, name):
    """Ends a process of this name. An app that has failed often is not rendered for minutes, so there may
    be none; then any other one is ended."""
    try:
        end(chance.choice(wait_until(lambda: [pid for pid in descendants_of(server.process.pid)
                                              if name_of(pid) == name], name, ENGINE_PATIENCE_S)))
    except TimeoutError:
        end_anything(server, chance)


def end_renderer(server, chance):
    end_one_named(server, chance, "render-starlark")


def end_render_host(server, chance):
    end_one_named(server, chance, "render-host")


def end_egress(server, chance):
    end_one_named(server, chance, "egress")


KINDS = [end_anything, end_a_worker, end_workers, end_supervisor, end_backend, end_postmaster, end_all]
KINDS_OF_ENGINES = [end_egress, end_renderer, end_render_host]


# ---- rounds ----

def prepare(server, seed):
    """Starts writers with an account of their own."""
    server.ctl("account", "create", ACCOUNT[1])
    devices = [server.ctl("device", "create", *ACCOUNT, "--name", f"d{number}")["id"]
               for number in range(WRITERS)]
    key = server.ctl("key", "create", *ACCOUNT)["key"]
    return [Journal(server, device, key, seed + number) for number, device in enumerate(devices)]


def run(server, rounds, seed, say, has_engine=False):
    """Returns losses (none if all is well), the number of answered actions, and the number of seen pictures
    of apps."""
    chance = random.Random(seed)
    journals = prepare(server, seed)
    pictures = 0
    kinds = (KINDS_OF_ENGINES if has_engine else []) + KINDS
    ended = collections.Counter()
    with contextlib.ExitStack() as stack:
        screen = stack.enter_context(running_screen(server, "first")) if has_engine else None
        for journal in journals:
            journal.start()
            stack.callback(journal.join)
            stack.callback(setattr, journal, "is_over", True)
        for number in range(rounds):
            kind = kinds[number % len(kinds)] if rounds <= len(kinds) else chance.choice(kinds)
            acts = [journal.acts for journal in journals]
            wait_until(lambda acts=acts: all(journal.acts > before + 3 for journal, before in
                                             zip(journals, acts)), "acts of all writers")
            kind(server, chance)
            ended[kind.__name__] += 1
            if server.process.poll() is not None:
                server.start()
            say(f"{number + 1} {kind.__name__} {sum(journal.acts for journal in journals)}"
                + (f" {screen.pictures}" if screen else ""))
        if screen:
            # The first picture may mean that there is none yet. That of the first app may take minutes.
            with running_screen(server, "last") as last:
                wait_until(lambda: last.pictures > 1, "a picture of another app")
            pictures = screen.pictures + last.pictures
    say(", ".join(f"{count} {name}" for name, count in sorted(ended.items())))
    return ([loss for journal in journals for loss in journal.losses()],
            sum(journal.acts for journal in journals), pictures)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", action="store_true", help="show an app, too")
    arguments = parser.parse_args()
    with Server(*ARGUMENTS) as server:
        losses, acts, pictures = run(server, arguments.rounds, arguments.seed,
                                     lambda line: print(line, flush=True), arguments.engine)
        print(f"{arguments.rounds} rounds, {acts} acts answered, {pictures} pictures of apps, "
              f"lost: {losses or 'nothing'}")
        sys.exit(1 if losses else 0)


if __name__ == "__main__":
    main()
