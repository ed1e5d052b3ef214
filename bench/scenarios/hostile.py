"""Whether others notice apps with hostile scripts.

Most of the remaining delay is caused by the machine itself ("hogs"). Longer turns for renderers made the
longest wait 26 to 98 ms; nice 19 and SCHED_IDLE changed nothing."""

import http.client
import json
import secrets
import time

from hostile_scripts import STARLARK, TYPESCRIPT

from harness import cpu, wrk
from scenarios.base import SUBJECT, Failed, Goal, Scenario, beside_hogs
from scenarios.fleet import Panels
from scenarios.renders import DEPLOY, GETS_PER_S, INTERVAL_S, MADE, MAKE_APP, PUBLISH, SWITCH
from scenarios.strangers import try_for

EMAIL = "hostile@example.org"
PANELS_OF_APP = 10
PREVIEWS = 8  # previews requested at the same time
LEAD_S = 10  # seconds in which renderers and queues fill
REST = 0.02  # share of a core that the server uses when no script runs any more
PATIENCE_S = 300

# Names of the tests' cases for each kind of cost: time, memory, pictures, and printed text.
ALIKE = ("loop at top level", "loop in main", "regular expression", "recursion", "a list that grows",
         "a picture of 60,000 x 60,000", "10,000 frames", "a million lines")
SCRIPTS = [(language, script)
           for language, cases, more in (("STARLARK", STARLARK, "a string of 512 MiB"),
                                         ("TYPESCRIPT", TYPESCRIPT, "a string that doubles"))
           for script, _ in (cases[name] for name in (*ALIKE, more))]

MAKE_SESSION = """
    INSERT INTO session (id, account_id, secret_hash, address, user_agent)
    SELECT gen_random_uuid(), id, sha256(%s::bytea), '', '' FROM account WHERE email = %s"""
COMPILING = """
    SELECT count(*) FROM app_version LEFT JOIN app_compiled ON version_id = app_version.id
    WHERE script_language = 'TYPESCRIPT' AND compiled_at IS NULL"""
INSTALL = """
    WITH timed AS (
        UPDATE device SET schedule_interval_s = %(interval)s, generation = generation + 1
        WHERE id = ANY (%(ids)s::uuid[]) RETURNING id, generation
    )
    INSERT INTO installation (device_id, id, app_id, position)
    SELECT id, 'app', (%(apps)s::uuid[])[
        1 + (row_number() OVER (ORDER BY id) - 1) %% array_length(%(apps)s::uuid[], 1)], generation
    FROM timed"""
# All different, also from earlier ones: nothing is cached for them, and none is paused.
SET_UP = """
    WITH touched AS (
        UPDATE device SET generation = generation + 1 WHERE id IN (
            SELECT device_id FROM installation WHERE app_id IS NOT NULL)
        RETURNING id, generation
    ), settled AS (
        SELECT *, json_build_object('n', id, 'round', %s::text)::text AS settings FROM touched
    )
    UPDATE installation SET settings = settled.settings,
        settings_hash = sha256(settled.settings::bytea)
    FROM settled WHERE device_id = settled.id
    RETURNING 'device:' || device_id || ':' || generation"""


class Hostile(Scenario):
    name = "hostile"
    title = "GET device, while apps mean harm"
    bound_by = "scheduling"
    measures = (f"{GETS_PER_S} GET /v1/devices/{{id}} a second, at a fixed rate, while another account has "
                f"{len(SCRIPTS) * PANELS_OF_APP} panels with apps that mean harm, in both languages: endless "
                "loops, recursion, a regular expression, memory by lists and strings, a picture of "
                "60,000 x 60,000, 10,000 frames, a million printed lines (test/hostile_scripts.py). Each "
                f"installation has settings of its own, new in each round, and {PREVIEWS} previews of "
                "drafts of these scripts are asked for as soon as the one before is answered, a second "
                "later where it was refused. And the same with these apps disabled (\"unloaded\"), and "
                f"{beside_hogs('renderers')}: what the machine itself makes others wait for.")
    references = ("unloaded", "hogs")
    goals = (Goal("p99_us", of="unloaded", at_most=2.0), Goal("p99_us", of="hogs"),
             Goal("p50_us", of="unloaded"))
    shown_figures = ("renders_per_s", "previews_per_s", "previews_refused_percent", "max_us")
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.server = bench.start_server()
        key, devices = self.server.make_account("bench@example.org", 1)
        self.gets = [(f"/v1/devices/{devices[0]['id']}", key)]
        self.server.ctl("account", "create", EMAIL, "--name", "Hostile")
        ids = self.server.make_devices(EMAIL, len(SCRIPTS) * PANELS_OF_APP)
        self.apps = self.make_apps()
        self.server.sql(INSTALL, {"ids": ids, "apps": self.apps, "interval": INTERVAL_S})
        self.server.settle()
        self.switch(False)
        base = self.server.url.replace("http://", "ws://")
        self.panels = Panels(bench, [f"{base}/d/{device}/ws?key={number:024d}"
                                     for number, device in enumerate(ids)])
        self.make_previews()

    def make_apps(self):
        made = [self.server.sql(MAKE_APP, {"slug": f"bench-{number}", "email": EMAIL, "script": script,
                                           "language": language})[0]
                for number, (language, script) in enumerate(SCRIPTS)]
        end = time.monotonic() + PATIENCE_S
        while self.server.sql(COMPILING) != [(0,)]:
            if time.monotonic() > end:
                raise Failed("the scripts in TypeScript are not compiled")
            time.sleep(0.5)
        for app, version in made:
            self.server.sql(PUBLISH, {"version": version})
            self.server.sql(DEPLOY, {"version": version, "app": app})
        return [app for app, _ in made]

    def make_previews(self):
        token = secrets.token_hex(22)[:43]
        self.server.sql(MAKE_SESSION, (token, EMAIL))
        self.headers = {"Cookie": f"displayd_session={token}", "Sec-Fetch-Site": "same-origin"}
        self.previews = [
            ("POST", f"/web/studio/{app}/preview", None,
             json.dumps({"scriptLanguage": language, "scriptContent": script,
                         "timezone": "Europe/Zagreb"}))
            for app, (language, script) in zip(self.apps, SCRIPTS)]

    def tell(self, rows):
        self.server.sql("SELECT pg_notify('displayd_hint', hint) FROM unnest(%s) AS hint",
                        ([hint for hint, in rows],))

    def switch(self, is_on):
        self.tell(self.server.sql(SWITCH, ("active" if is_on else "disabled",)))

    def run(self, bench, who, seconds):
        if who == SUBJECT:
            return self.run_beside_harm(bench, seconds)
        self.switch(False)
        self.wait_for_rest()
        with bench.hogs(who == "hogs"):
            return self.ask(bench, seconds)

    def ask(self, bench, seconds):
        return bench.ask_first(self.server.url, GETS_PER_S, seconds, self.gets)

    def wait_for_rest(self):
        """Waits: scripts that have begun run until their deadline, as do waiting previews."""
        end = time.monotonic() + PATIENCE_S
        while True:
            pids = self.server.server_pids()
            began, before = time.monotonic(), cpu.group_us(pids)
            time.sleep(2)
            took_us = cpu.group_us(pids) - before
            if took_us < REST * (time.monotonic() - began) * 1e6:
                return
            if time.monotonic() > end:
                raise Failed("scripts still run")

    def run_beside_harm(self, bench, seconds):
        self.tell(self.server.sql(SET_UP, (str(time.time_ns()),)))
        self.switch(True)
        previews = bench.disturb(self.server.url, PREVIEWS, LEAD_S + seconds + 1, self.previews,
                                 "patient", self.headers)
        began, [(before,)] = time.monotonic(), self.server.sql(MADE)
        time.sleep(LEAD_S)
        sample = self.ask(bench, seconds)
        took_s, [(after,)] = time.monotonic() - began, self.server.sql(MADE)
        if after == before:
            raise Failed("no app has been rendered")
        sample.figures["renders_per_s"] = (after - before) / took_s
        self.add_previews(sample, bench.finish_disturbing(previews))
        return sample

    @staticmethod
    def add_previews(sample, previews):
        refused = previews.faults.get(wrk.FAULTS["status"], 0)
        if previews.requests == refused:
            raise Failed("no preview has been answered")
        sample.figures["previews_per_s"] = (previews.requests - refused) / previews.seconds
        sample.figures["previews_refused_percent"] = 100 * refused / previews.requests


class Drafts(Hostile):
    name = "drafts"
    title = "Preview of a draft, while four other accounts preview endless ones"
    measures = ("An account previews a draft of one line three times a second, while four other accounts preview an endless "
                f"one, again as soon as it is answered, from {LEAD_S} s before; and with nobody else (\"unloaded\").")
    references = ("unloaded",)
    goals = (Goal("p50_us", of="unloaded", at_most=4.0), Goal("p99_us", of="unloaded"))
    shown_figures = ("longest_ms", "endless_per_s")
    unit = "previews"
    OTHERS = 4
    PAUSE_S = 0.3

    def prepare(self, bench):
        self.server = bench.start_server(rate_limit=0)
        self.honest, *self.others = [self.make_author(number) for number in range(1 + self.OTHERS)]

    def make_author(self, number):
        email = f"author-{number}@example.org"
        self.server.ctl("account", "create", email, "--name", "Author")
        loop = "for _ in range(1000000000):\n        pass\n    "
        script = f"load('render.star', 'render')\ndef main():\n    {loop if number else ''}" \
                 "return render.Root(child=render.Box())\n"
        [(app, _)] = self.server.sql(MAKE_APP, {"slug": f"draft-{number}", "email": email,
                                                "language": "STARLARK", "script": script})
        token = secrets.token_hex(22)[:43]
        self.server.sql(MAKE_SESSION, (token, email))
        request = ("POST", f"/web/studio/{app}/preview", None,
                   json.dumps({"scriptLanguage": "STARLARK", "scriptContent": script}))
        return request, {"Cookie": f"displayd_session={token}", "Sec-Fetch-Site": "same-origin"}

    def preview(self, _):
        (method, path, _, body), headers = self.honest
        connection = http.client.HTTPConnection(*self.server.address, timeout=PATIENCE_S)
        connection.request(method, path, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        picture = json.loads(answer.read()).get("picture") if answer.status == 200 else None
        connection.close()
        return bool(picture)

    def run(self, bench, who, seconds):
        seconds = max(seconds, 20)
        self.wait_for_rest()
        others = []
        if who == SUBJECT:
            others = [bench.disturb(self.server.url, 1, LEAD_S + seconds + 1, [request], "patient", headers)
                      for request, headers in self.others]
            time.sleep(LEAD_S)
        sample = try_for(seconds, self.preview, self.PAUSE_S)
        if others:
            sample.figures["endless_per_s"] = sum(bench.finish_disturbing(other).rate for other in others)
        return sample
