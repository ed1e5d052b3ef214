"""Whether a request costs the same in a large database as in a small one."""

import secrets

from harness import cpu
from scenarios.base import SUBJECT, Goal, Scenario

CONNECTIONS = 64
SMALL_DEVICES = 10
MANY_DEVICES = 100_000
ASKED_FOR = 10_000  # number of devices that are read in turn
LISTED = 10
VERSIONS = 10  # versions of the app that is read
APPS = 100
VERSIONS_EACH = 10_000
ALMOST_FLAT = 1.25


class Flat(Scenario):
    """Two servers, with much and with little in their databases, and the same requests to both."""

    bound_by = "indexes"
    references = ("small",)
    goals = (Goal("cpu_us", of="small", at_most=ALMOST_FLAT),)
    shown_figures = ("cpu_us", "rows")

    def prepare(self, bench):
        self.servers, self.requests, self.rows = {}, {}, {}
        for who in (SUBJECT, "small"):
            server = bench.start_server()
            self.servers[who] = server
            self.requests[who] = self.fill(server, is_small=who == "small")
            server.settle()
            (self.rows[who],), = server.sql(f"SELECT count(*) FROM {self.table}")

    def run(self, bench, who, seconds):
        server = self.servers[who]

        def spent_us():
            return cpu.group_us(server.server_pids() + server.database_pids())

        before = spent_us()
        sample = bench.wrk(server.url, CONNECTIONS, seconds, self.requests[who])
        sample.figures["cpu_us"] = (spent_us() - before) / max(1, sample.requests)
        sample.figures["rows"] = self.rows[who]
        return sample


class FlatDevice(Flat):
    name = "flat-device"
    title = f"GET /v1/devices/{{id}}: {MANY_DEVICES:,} devices beside {SMALL_DEVICES}"
    measures = (f"Reads of {ASKED_FOR:,} of the devices in turn, and of all where there are "
                f"{SMALL_DEVICES}. cpu_us is displayd's and PostgreSQL's for a request.")
    table = "device"

    def fill(self, server, is_small):
        email = "bench@example.org"
        key, _ = server.make_account(email, 1)
        count = (SMALL_DEVICES if is_small else MANY_DEVICES) - 1
        devices = server.make_devices(email, count)
        asked_for = devices[:: max(1, count // ASKED_FOR)]
        return [("GET", f"/v1/devices/{device}", key, None) for device in asked_for]


class FlatList(Flat):
    name = "flat-list"
    title = f"GET /v1/devices, {LISTED} devices: {MANY_DEVICES:,} devices beside {SMALL_DEVICES}"
    measures = f"The list of an account that has {LISTED} of the devices; the others are of another."
    table = "device"

    def fill(self, server, is_small):
        key, _ = server.make_account("bench@example.org", LISTED)
        if not is_small:
            server.make_account("others@example.org", 1)
            server.make_devices("others@example.org", MANY_DEVICES - LISTED - 1)
        return [("GET", "/v1/devices", key, None)]


class FlatHistory(Flat):
    name = "flat-history"
    title = f"GET .../versions of {VERSIONS}: {APPS * VERSIONS_EACH:,} versions beside {VERSIONS}"
    measures = ("The versions of an app are all kept for ever: this is the history that grows. "
                f"One app has {VERSIONS} of them and is looked at; the others have "
                f"{VERSIONS_EACH:,} each.")
    table = "app_version"
    slow = True  # a million rows take a minute to make

    def fill(self, server, is_small):
        email = "bench@example.org"
        key, _ = server.make_account(email, 1)
        app = self.make_app(server, email, "looked-at", VERSIONS)
        if not is_small:
            for number in range(APPS):
                self.make_app(server, email, f"other-{number}", VERSIONS_EACH)
        return [("GET", f"/v1/apps/{app}/versions", key, None)]

    @staticmethod
    def make_app(server, email, slug, versions):
        """Makes an app with so many versions, all of them reviewed. Returns its ID."""
        app = f"01a00000-0000-7000-8000-{secrets.token_hex(6)}"
        server.sql("INSERT INTO app (id, account_id, slug, name)"
                   " SELECT %s, id, %s, 'App' FROM account WHERE email = %s", (app, slug, email))
        # Without the counting trigger, which would write the app's row once for each version.
        server.sql(
            "SET session_replication_role = replica;"
            " INSERT INTO app_version (id, app_id, name, script_language, script_content,"
            " checksum, status, reviewed_at, rejection_reason)"
            " SELECT gen_random_uuid(), %s, 'v' || n, 'STARLARK', 'def main(): return ' || n,"
            " md5(n::text), 'REJECTED', now(), 'not this one'"
            " FROM generate_series(1, %s) AS n", (app, versions))
        server.sql("UPDATE app SET is_submitted = true, status = 'pending', version_count = %s"
                   " WHERE id = %s", (versions, app))
        return app
