"""Whether apps that wait for a slow server leave renderers to others.

What waits holds a process of some MiB and no turn: LIMIT_PARKED_RENDERS in each worker."""

import http.server
import threading
import time

from harness import cpu
from scenarios.base import SUBJECT, Failed, Goal, Sample, Scenario
from scenarios.fleet import Panels
from scenarios.renders import DEPLOY, MAKE_APP, PUBLISH, SWITCH

APPS = 20
CLOCKS = 10
WAIT_S = 4
SLUGS = {"asking": "bench-asking", "clocks": "clock"}
PANELS_OF_APP = 5  # with settings of their own
INTERVAL_S = 15
LEAD_S = 2 * INTERVAL_S
SECONDS = 30
MOST_AT_ONCE = 1000

ASKING = '''load("http.star", "http")
load("render.star", "render")
load("time.star", "time")

def main(config):
    http.get("http://%s/" + config.get("n", ""), ttl_seconds = 0)
    return render.Root(child = render.Text(time.now().format("15:04:05")), max_age = 1)
'''
CLOCK = '''load("render.star", "render")
load("time.star", "time")

def main(config):
    return render.Root(child = render.Text(time.now().format("15:04:05") + config.get("n", "")), max_age = 1)
'''
INSTALL = """
    WITH timed AS (
        UPDATE device SET schedule_interval_s = %(interval)s, generation = generation + 1
        WHERE id = %(device)s RETURNING id, generation
    )
    INSERT INTO installation (device_id, id, app_id, position, settings, settings_hash)
    SELECT id, 'app', %(app)s, generation, %(settings)s, sha256(%(settings)s::bytea) FROM timed"""
LAG = """
    SELECT count(problem), coalesce(max(extract(epoch FROM clock_timestamp() - due_at)), 0)::float8
    FROM render
    WHERE due_at > '-infinity' AND place IN (SELECT place FROM installation WHERE app_id = %s)"""


PROBLEMS = """
    SELECT count(problem), max(problem) FROM render
    WHERE place IN (SELECT place FROM installation WHERE app_id IN (SELECT id FROM app WHERE slug LIKE 'bench-asking%%'))"""


class SlowServer(http.server.ThreadingHTTPServer):
    """Answers each request after a while. answered counts them.

    Each app has a server of its own, since the apps of an account may send two requests a second to
    one host."""

    daemon_threads = True
    request_queue_size = MOST_AT_ONCE

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            time.sleep(WAIT_S)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            with self.server.lock:
                self.server.answered += 1

        def log_message(self, *_):
            pass

    def __init__(self, number):
        super().__init__((f"127.0.1.{1 + number}", 0), self.Handler)
        self.lock, self.answered = threading.Lock(), 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def host(self):
        return "{}:{}".format(*self.server_address)


class Waiting(Scenario):
    name = "waiting"
    title = f"{APPS} apps that wait {WAIT_S} s each for their server, and others' clocks"
    bound_by = "processes that may wait"
    measures = (f"{APPS} apps that ask a server which answers after {WAIT_S} s, each on {PANELS_OF_APP} panels with "
                f"settings of their own, to be rendered for each turn of {INTERVAL_S} s: renders a second of all. "
                f"Beside them {CLOCKS} panels of another account with a clock: how late the latest one is. And the "
                "memory (PSS) of all processes of displayd then, and without these apps (\"unloaded\").")
    references = ("unloaded",)
    goals = (Goal("rate", at_least=4.0), Goal("clock_lag_s", at_most=1.0))
    shown_figures = ("clock_lag_s", "memory_mib")
    unit = "renders"
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.servers = [SlowServer(number) for number in range(APPS)]
        for server in self.servers:
            bench.on_finish(server.shutdown)
        self.server = bench.start_server("--egress-allow", "127.0.1.0/24")
        urls = []
        for name, scripts, panels in (("asking", [ASKING % server.host for server in self.servers],
                                       APPS * PANELS_OF_APP),
                                      ("clocks", [CLOCK], CLOCKS)):
            email = f"{name}@example.org"
            self.server.ctl("account", "create", email, "--name", name)
            apps = [self.make_app(f"{SLUGS[name]}-{number}", email, script)
                    for number, script in enumerate(scripts)]
            for number, device in enumerate(self.server.make_devices(email, panels)):
                self.server.sql(INSTALL, {"interval": INTERVAL_S, "device": device, "app": apps[number % len(apps)],
                                          "settings": f'{{"n":"{number}"}}'})
                urls.append(f"/d/{device}/ws?key={number:024d}")
            self.clock = apps[0]
        self.server.settle()
        self.switch(False)
        base = self.server.url.replace("http://", "ws://")
        self.panels = Panels(bench, [base + url for url in urls])

    def make_app(self, slug, email, script):
        [(app, version)] = self.server.sql(MAKE_APP, {"slug": slug, "email": email, "language": "STARLARK",
                                                      "script": script})
        self.server.sql(PUBLISH, {"version": version})
        self.server.sql(DEPLOY, {"version": version, "app": app})
        return app

    def switch(self, is_on):
        for hint, in self.server.sql(SWITCH, ("active" if is_on else "disabled",)):
            self.server.sql("SELECT pg_notify('displayd_hint', %s)", (hint,))

    def answered(self):
        return sum(server.answered for server in self.servers)

    def run(self, bench, who, seconds):
        self.switch(who == SUBJECT)
        time.sleep(LEAD_S)
        began, before = time.monotonic(), self.answered()
        latest_s = 0.0
        while time.monotonic() < began + SECONDS:
            time.sleep(1)
            [(failed, lag_s)] = self.server.sql(LAG, (self.clock,))
            if failed:
                raise Failed("a clock has failed")
            latest_s = max(latest_s, lag_s)
        took_s, made = time.monotonic() - began, self.answered() - before
        [(failed, problem)] = self.server.sql(PROBLEMS)
        if failed:
            raise Failed(f"{failed} renders have failed: {problem}")
        memory = cpu.pss_bytes(self.server.server_pids()) / (1 << 20)
        return Sample(requests=made, seconds=took_s, rate=made / took_s,
                      figures={"clock_lag_s": latest_s, "memory_mib": memory})
