"""Whether readers of one device notice the searches of another account in 1, 3 and 12 sessions."""

import secrets

from scenarios.base import SUBJECT, Failed, Goal, Missing, Scenario

READS_PER_S = 200
READ_CONNECTIONS = 8
SESSIONS = {SUBJECT: 12, "three": 3, "one": 1, "unloaded": 0}
EMAIL = "searcher@example.org"
SCRIPT_BYTES = 948_000

MAKE_SESSION = """
    INSERT INTO session (id, account_id, secret_hash, address, user_agent)
    SELECT gen_random_uuid(), id, sha256(%s::bytea), '', '' FROM account WHERE email = %s"""
# The first one has a script of that size, whose form is cached.
MAKE_APPS = """
WITH made AS (
	INSERT INTO app (id, account_id, slug, name, description, visibility)
	SELECT gen_random_uuid(), id, 's-' || n, 'App ' || n, repeat('Shows a clock. ', 10), 'public'
	FROM account, generate_series(1, %(apps)s) AS n WHERE email = %(email)s RETURNING id, slug)
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status,
	reviewed_at)
SELECT gen_random_uuid(), id, '1', 'STARLARK', CASE WHEN slug = 's-1' THEN (
		SELECT E'def main():\n    return []\n#' || left(string_agg(md5(n::text), ''), %(script)s)
		FROM generate_series(1, 40000) AS n)
	ELSE 'x' END, 'sha256:' || repeat('0', 64), 'APPROVED', now()
FROM made;
UPDATE app SET deployed_version_id = app_version.id, status = 'active'
FROM app_version WHERE app_version.app_id = app.id"""
MAKE_AUDIT = """
INSERT INTO audit_entry (account_id, actor, action, target, address, number, last_at)
SELECT gen_random_uuid(), 'person-' || n || '@example.org', 'key.create', 'Key ' || n, '192.0.2.1', 1, now()
FROM generate_series(1, 100000) AS n"""
# Each has a render key of its own; every tenth render has failed.
MAKE_RENDERS = """
WITH installed AS (
	INSERT INTO installation (device_id, id, app_id, position, settings_hash)
	SELECT device.id, 'app', app.id, 1, sha256(device.id::text::bytea)
	FROM device, app WHERE slug = 's-1' RETURNING place)
INSERT INTO render (place, version_id, picture, picture_generation, engine, rendered_at, log, problem,
	due_at)
SELECT place, deployed_version_id, 'x', 1, 'bench', now(), repeat('a line that is printed', 20),
	CASE WHEN random() < 0.1 THEN '{"message":"m","authorMessage":"m"}' END, now() + interval '1 day'
FROM installed, app WHERE slug = 's-1'"""


class Searches(Scenario):
    """Searches beside the reads; a subclass chooses them."""

    bound_by = "PostgreSQL"
    asked = ""  # description of the sessions' requests
    target = ""
    apps = 0
    references = ("three", "one", "unloaded")
    goals = (Goal("p50_us", of="unloaded", at_most=2.0), Goal("p99_us", of="unloaded"))
    shown_figures = ("asked_per_s", "asked_p50_us", "max_us")
    slow = True

    def __init_subclass__(cls):
        cls.title = f"GET device, while 12 sessions of another account ask for {cls.asked}"
        cls.measures = (
            f"{READS_PER_S} GET /v1/devices/{{id}} a second, at a fixed rate, while another account asks for "
            f"{cls.asked} in 12 sessions, each as fast as it is answered, a second later where it was refused; in "
            "3, in 1, and in none (\"unloaded\").")

    def prepare(self, bench):
        self.server = bench.start_server()
        key, devices = self.server.make_account("reader@example.org", 1)
        self.reads = [(f"/v1/devices/{devices[0]['id']}", key)]
        self.server.ctl("account", "create", EMAIL, "--name", "Searcher")
        if self.apps:
            self.server.sql("ALTER TABLE account DROP CONSTRAINT account_app_limit")
            self.server.sql(MAKE_APPS, {"apps": self.apps, "email": EMAIL, "script": SCRIPT_BYTES})
        self.fill()
        self.server.settle()
        self.headers = [self.sign_in() for _ in range(SESSIONS[SUBJECT])]
        self.warm()

    def fill(self):
        """Makes the data that the subclass searches."""

    def warm(self):
        """Sends one request, so that caches are filled, and checks the answer."""
        answer = self.server.get(self.target, headers=self.headers[0])
        if answer.status != 200:
            raise Failed(f"{self.target} is answered {answer.status}: {answer.body[:200]!r}")

    def sign_in(self):
        token = secrets.token_hex(22)[:43]
        self.server.sql(MAKE_SESSION, (token, EMAIL))
        return {"Cookie": f"displayd_session={token}", "Sec-Fetch-Site": "same-origin"}

    def run(self, bench, who, seconds):
        askers = [bench.disturb(self.server.url, 1, seconds + 1, [("GET", self.target, None, None)],
                                script="patient", headers=headers) for headers in self.headers[:SESSIONS[who]]]
        sample = bench.ask_first(self.server.url, READS_PER_S, seconds, self.reads,
                                 connections=READ_CONNECTIONS)
        answered = [bench.finish_disturbing(asker) for asker in askers]
        refused = sum(one.faults.get("answers of 400 and more", 0) for one in answered)
        sample.figures["asked_per_s"] = sum(one.rate for one in answered) - refused / seconds
        sample.figures["asked_p50_us"] = max((one.p50_us for one in answered), default=None)
        return sample


class SearchApps(Searches):
    name = "search-apps"
    asked = "a text that none of 1,000 apps has"
    target = "/web/apps?q=zqzq"
    apps = 1000


class SearchManyApps(SearchApps):
    name = "search-many-apps"
    asked = "a text that none of 20,000 apps has"
    apps = 20_000


class SearchAudit(Searches):
    name = "search-audit"
    asked = "a text that none of 100,000 entries of the audit log has"
    target = "/web/admin/audit?q=zqzq"

    def fill(self):
        self.server.sql("UPDATE account SET is_administrator = true WHERE email = %s", (EMAIL,))
        self.server.sql("ALTER TABLE audit_entry DISABLE TRIGGER USER")
        self.server.sql(MAKE_AUDIT)
        self.server.sql("ALTER TABLE audit_entry ENABLE TRIGGER USER")


class AskRenders(Searches):
    name = "ask-renders"
    asked = "the renders of an app with 20,000 installations"
    target = "/web/studio/s-1/renders"
    apps = 1

    def fill(self):
        self.server.make_devices(EMAIL, 20_000)
        self.server.sql(MAKE_RENDERS)


class AskForm(Searches):
    name = "ask-form"
    asked = "the form of an app with a script of 948 KB"
    target = "/web/apps/s-1/schema"
    apps = 1

    def warm(self):
        super().warm()
        if not self.server.sql("SELECT 1 FROM app_schema"):
            raise Missing("the renderer of apps in Starlark, without which no form is kept")


class SearchPlaces(Searches):
    name = "search-places"
    asked = "places of two names that no town has together"
    target = "/web/places?search=s,zzz"
