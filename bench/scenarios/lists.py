"""Whether readers notice that another account reads long lists.

Most of the remaining delay is caused by the machine itself ("hogs"). A pause of 1 ms between two
portions of a list changed nothing: most of a list's time is PostgreSQL's, before the first row."""

from scenarios.base import SUBJECT, Goal, Scenario, beside_hogs

READS_PER_S = 500
READ_CONNECTIONS = 16
LIST_CONNECTIONS = 16  # all of them always wait for an answer
APPS, VERSIONS = 2000, 10_000
FEW, REMARKS = 100, 64

MAKE_APPS = f"""
WITH made AS (
	INSERT INTO app (id, account_id, slug, name)
	SELECT gen_random_uuid(), id, 'l-' || n, 'App ' || n
	FROM account, generate_series(1, {APPS}) AS n WHERE email = 'reader@example.org' RETURNING id)
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status,
	reviewed_at)
SELECT gen_random_uuid(), id, '1', 'STARLARK', 'x', 'sha256:' || repeat('0', 64), 'APPROVED', now()
FROM made;
UPDATE app SET deployed_version_id = app_version.id, status = 'active'
FROM app_version WHERE app_version.app_id = app.id;
WITH made AS (
	INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status,
		reviewed_at)
	SELECT gen_random_uuid(), app.id, 'v' || n, 'STARLARK', 'x', 'sha256:' || repeat('0', 64),
		'APPROVED', now()
	FROM app, generate_series(1, {VERSIONS - 1}) AS n WHERE slug = 'l-1' RETURNING id)
INSERT INTO app_version_comment (version_id, position, author, comment)
SELECT id, 1, 'A', repeat('x', 2000) FROM made;
WITH made AS (
	INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status,
		reviewed_at)
	SELECT gen_random_uuid(), app.id, 'v' || n, 'STARLARK', 'x', 'sha256:' || repeat('0', 64),
		'APPROVED', now()
	FROM app, generate_series(1, {FEW - 1}) AS n WHERE slug = 'l-2' RETURNING id)
INSERT INTO app_version_comment (version_id, position, author, comment)
SELECT id, n, 'A', repeat('x', 4000) FROM made, generate_series(1, {REMARKS}) AS n;
"""


class Lists(Scenario):
    name = "lists"
    title = f"GET /v1/devices, while another account lists {APPS:,} apps over 16 connections"
    bound_by = "PostgreSQL, JSON"
    measures = (f"{READS_PER_S:,} lists of 10 devices a second, at a fixed rate, while another "
                f"account reads a list of {APPS:,} apps over {LIST_CONNECTIONS} connections as fast "
                "as it is answered; and the same reads with nothing else to do (\"unloaded\"), and "
                f"{beside_hogs('its lists')}.")
    references = ("unloaded", "hogs")
    goals = (Goal("p99_us", of="unloaded", at_most=2.0), Goal("p99_us", of="hogs"),
             Goal("p50_us", of="unloaded"))
    shown_figures = ("lists_per_s", "max_us")
    target = "/v1/apps"

    def prepare(self, bench):
        self.server = bench.start_server()
        self.key, _ = self.server.make_account("reader@example.org", 1)
        key, _ = self.server.make_account("other@example.org", 1)
        self.server.make_devices("other@example.org", 9)
        self.server.sql(MAKE_APPS)
        self.server.settle()
        self.reads = [("/v1/devices", key)]

    def run(self, bench, who, seconds):
        reader = None
        if who == SUBJECT:
            reader = bench.disturb(self.server.url, LIST_CONNECTIONS, seconds + 1,
                                   [("GET", self.target, self.key, None)])
        with bench.hogs(who == "hogs"):
            sample = bench.ask_first(self.server.url, READS_PER_S, seconds, self.reads,
                                     connections=READ_CONNECTIONS)
        if reader:
            read = bench.finish_disturbing(reader)
            sample.faults |= {f"lists: {words}": count for words, count in read.faults.items()}
            sample.figures["lists_per_s"] = read.rate
        return sample


class ListsOfVersions(Lists):
    name = "lists-24mb"
    title = f"GET /v1/devices, while another account lists {VERSIONS:,} versions"
    measures = (f"The same beside a list of {VERSIONS:,} versions with their reviews: 24 MB.")
    target = "/v1/apps/l-1/versions"


class ListsOfLargeVersions(Lists):
    name = "lists-large"
    title = f"GET /v1/devices, while another account lists {FEW} large versions"
    measures = (f"The same beside a list of {FEW} versions with {REMARKS} remarks of 4,000 "
                "characters each: 26 MB.")
    target = "/v1/apps/l-2/versions"
