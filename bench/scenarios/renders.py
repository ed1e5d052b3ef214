"""Whether two cores keep up with the apps of many panels, and how much that delays other requests."""

import time

from scenarios.base import SUBJECT, Failed, Goal, Sample, Scenario
from scenarios.fleet import Panels

PANELS = 10_000
APPS = 50
DISTINCT = 10  # every tenth installation has settings of its own
INTERVAL_S = 30
GETS_PER_S = 500
WARM_UP_S = 3 * INTERVAL_S
DEPLOY_PATIENCE_S = 10 * INTERVAL_S
EMAIL = "fleet@example.org"
# Duration of an app's frame. A version that is deployed later has another duration, by which panels
# recognize its pictures; it costs the same.
DELAY_MS = 50

SCRIPT = '''load("render.star", "render")
load("time.star", "time")

def main(config):
    text = time.now().format("15:04:05") + config.get("n", "")
    return render.Root(
        max_age = %d,
        delay = %d,
        child = render.Marquee(width = 64, child = render.Text("%s " + text)),
    )
'''

MAKE_APP = """
    WITH fresh AS (
        INSERT INTO app (id, account_id, slug, name, visibility)
        SELECT gen_random_uuid(), id, %(slug)s, %(slug)s, 'public' FROM account WHERE email = %(email)s
        RETURNING id
    )
    INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum)
    SELECT gen_random_uuid(), id, '1', %(language)s, %(script)s, 'sha256:' || %(slug)s FROM fresh
    RETURNING app_id::text, id::text"""
PUBLISH = "UPDATE app_version SET status = 'APPROVED', reviewed_at = now() WHERE id = %(version)s"
DEPLOY = """
    UPDATE app SET is_submitted = true, deployed_version_id = %(version)s, status = 'active',
        generation = generation + 1
    WHERE id = %(app)s"""
INSTALL = """
    WITH numbered AS (
        SELECT id, (row_number() OVER (ORDER BY id))::int AS n FROM device WHERE id = ANY (%(ids)s::uuid[])
    ), timed AS (
        UPDATE device SET schedule_interval_s = %(interval)s, generation = generation + 1
        FROM numbered WHERE device.id = numbered.id
        RETURNING device.id, device.generation, numbered.n
    ), settled AS (
        SELECT *, CASE WHEN n %% %(distinct)s = 0 THEN '{"n":"' || n || '"}' ELSE '{}' END AS settings
        FROM timed
    )
    INSERT INTO installation (device_id, id, app_id, position, settings, settings_hash)
    SELECT id, 'app', (%(apps)s::uuid[])[1 + n %% %(count)s], generation, settings,
        sha256(settings::bytea)
    FROM settled"""
SWITCH = """
    UPDATE app SET status = %s, generation = generation + 1 WHERE slug LIKE 'bench-%%'
    RETURNING 'app:' || id || ':' || generation"""
LAG = """
    SELECT count(problem), max(problem), coalesce(max(extract(epoch FROM clock_timestamp() - CASE
        WHEN due_at > '-infinity' THEN due_at
        ELSE made_at -- it is in its first render
    END)), 0)::float8
    FROM render WHERE place IN (SELECT place FROM installation)"""
MADE = "SELECT last_value FROM render_generation"
COUNT = "SELECT count(*)::int FROM installation WHERE app_id = %s"
LEFT = """
    SELECT count(DISTINCT installation.place)
    FROM installation
    LEFT JOIN render ON render.place = installation.place AND version_id = %(version)s
    WHERE app_id = %(app)s AND good_at IS NULL"""


class Renders(Scenario):
    name = "renders"
    title = f"{PANELS:,} installations of {APPS} apps on panels, each {INTERVAL_S} s"
    bound_by = "renderers"
    measures = (f"{PANELS:,} WebSocket panels with an app each, of {APPS} apps in Starlark that are to be "
                f"rendered each {INTERVAL_S} s, every {DISTINCT}th with settings of its own; beside it "
                f"{GETS_PER_S} GET /v1/devices/{{id}} a second, and the same with these apps disabled "
                "(\"unloaded\"). Then the time from a deploy of the app whose panels all have settings of "
                "their own: until its new version has been rendered for all installations, until the "
                "last of their panels has got a picture of it, and until the last one displays it, "
                "which it does at the end of what it displays then.")
    references = ("unloaded",)
    goals = (Goal("p99_us", at_most=3000), Goal("lag_s", at_most=INTERVAL_S),
             Goal("deploy_s", at_most=2 * INTERVAL_S),
             Goal("deploy_on_panels_s", at_most=15))
    shown_figures = ("renders_per_s", "lag_s", "deploy_s", "deploy_displayed_s")
    unit = "requests"
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.server = bench.start_server()
        key, devices = self.server.make_account("bench@example.org", 1)
        self.gets = [(f"/v1/devices/{devices[0]['id']}", key)]
        self.server.ctl("account", "create", EMAIL, "--name", "Fleet")
        ids = self.server.make_devices(EMAIL, PANELS)
        self.apps = [self.make_app(number) for number in range(APPS)]
        self.server.sql(INSTALL, {"ids": ids, "apps": self.apps, "count": APPS,
                                  "interval": INTERVAL_S, "distinct": DISTINCT})
        self.server.settle()
        self.switch(False)
        base = self.server.url.replace("http://", "ws://")
        self.panels = Panels(bench, [f"{base}/d/{device}/ws?key={number:024d}"
                                     for number, device in enumerate(ids)])
        self.deploys = 0

    def make_app(self, number):
        slug = f"bench-{number}"
        [(app, version)] = self.server.sql(MAKE_APP, {
            "slug": slug, "email": EMAIL, "language": "STARLARK",
            "script": SCRIPT % (INTERVAL_S, DELAY_MS, slug)})
        self.publish(app, version)
        return app

    def publish(self, app, version):
        self.server.sql(PUBLISH, {"version": version})
        self.server.sql(DEPLOY, {"version": version, "app": app})

    def tell(self, hints):
        for hint in hints:
            self.server.sql("SELECT pg_notify('displayd_hint', %s)", (hint,))

    def switch(self, is_on):
        rows = self.server.sql(SWITCH, ("active" if is_on else "disabled",))
        self.tell(hint for hint, in rows)

    def deploy(self):
        """Returns the seconds until the new version of an app is rendered everywhere, has reached
        all its panels, and is displayed by them."""
        app = self.apps[0]
        [(count,)] = self.server.sql(COUNT, (app,))
        self.deploys += 1
        delay_ms = DELAY_MS + self.deploys
        name = str(time.time_ns())
        [(version,)] = self.server.sql(
            "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum) "
            "VALUES (gen_random_uuid(), %s, %s, 'STARLARK', %s, 'sha256:' || %s) RETURNING id::text",
            (app, name, SCRIPT % (INTERVAL_S, delay_ms, "bench-0"), name))
        self.panels.ask("time-delay", delay_ms)
        began = time.monotonic()
        self.publish(app, version)
        self.tell(hint for hint, in self.server.sql(
            "SELECT 'app:' || id || ':' || generation FROM app WHERE id = %s", (app,)))
        while self.server.sql(LEFT, {"app": app, "version": version}) != [(0,)]:
            if time.monotonic() - began > DEPLOY_PATIENCE_S:
                raise Failed("a deployed version is not rendered everywhere")
            time.sleep(0.2)
        rendered_s = time.monotonic() - began
        return {"deploy_s": rendered_s, "deploy_on_panels_s": self.last_s("timed", count),
                "deploy_displayed_s": self.last_s("displayed", count)}

    def last_s(self, command, count):
        found = self.panels.ask(command, DEPLOY_PATIENCE_S, count)
        if found["count"] != count:
            raise Failed(f"{found['count']} of {count} panels have a picture of a deployed version")
        return found["last_ms"] / 1000

    def run(self, bench, who, seconds):
        self.switch(who == SUBJECT)
        if who == SUBJECT:
            time.sleep(WARM_UP_S)
        began, [(before,)] = time.monotonic(), self.server.sql(MADE)
        sample = bench.open_loop(self.server.url, GETS_PER_S, seconds, self.gets)
        took_s, [(after,)] = time.monotonic() - began, self.server.sql(MADE)
        if who != SUBJECT:
            return sample
        [(failed, problem, lag_s)] = self.server.sql(LAG)
        if failed:
            raise Failed(f"{failed} renders have failed: {problem}")
        figures = {"renders_per_s": (after - before) / took_s, "lag_s": lag_s} | self.deploy()
        return Sample(requests=sample.requests, seconds=sample.seconds, rate=sample.rate,
                      p50_us=sample.p50_us, p99_us=sample.p99_us,
                      figures={**sample.figures, **figures})
