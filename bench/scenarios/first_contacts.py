"""New panels beside many idle ones: a first contact writes only its own row."""

import concurrent.futures
import time

from scenarios.base import Goal, Sample, Scenario
from scenarios.fleet import Panels

PANELS = 10_000
NEW_PER_S = 1
MEASURED_S = 60  # the longest interval of the server's own work: times of all panels, each minute
FLEETS = 2
FLEET_PANELS = 9_000
AT_ONCE_PER_S = 20_000
FLUSH_S = 1.5  # PostgreSQL's counters of a session become visible within a second

COUNTERS = """
    SELECT (tup_inserted + tup_updated + tup_deleted)::float8, tup_fetched::float8,
           (pg_current_wal_lsn() - '0/0')::float8
    FROM pg_stat_database WHERE datname = current_database()"""


class FirstContacts(Scenario):
    name = "first-contacts"
    title = f"{NEW_PER_S} new panel a second beside {PANELS:,} at rest"
    bound_by = "database"
    references = ("rest",)
    measures = (f"What a minute costs PostgreSQL with {PANELS:,} WebSocket panels at rest, and with "
                f"{NEW_PER_S} panel a second more that was never there (\"rest\": none): rows written, "
                "rows read and WAL.")
    goals = (Goal("written_rows", of="rest", at_most=1.2),
             Goal("read_rows", of="rest", at_most=1.2),
             Goal("wal_kib", of="rest"))
    unit = "panels"
    shown_figures = ("written_rows", "read_rows", "wal_kib")
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.server = bench.start_server()
        self.server.ctl("account", "create", "fleet@example.org", "--name", "Fleet")
        count = PANELS + 8 * MEASURED_S * NEW_PER_S
        ids = self.server.make_devices("fleet@example.org", count)
        self.server.settle()
        base = self.server.url.replace("http://", "ws://")
        urls = [f"{base}/d/{device}/ws?key={number:024d}" for number, device in enumerate(ids)]
        self.panels = Panels(bench, urls[:PANELS])
        self.unused = urls[PANELS:]
        time.sleep(MEASURED_S)  # until their own first contacts have been compared once

    def counters(self):
        time.sleep(FLUSH_S)
        return self.server.sql(COUNTERS)[0]

    def connect(self, bench):
        """New panels, one by one; they stay."""
        count = MEASURED_S * NEW_PER_S
        urls, self.unused = self.unused[:count], self.unused[count:]
        Panels(bench, urls, NEW_PER_S)

    def run(self, bench, who, seconds):
        before = self.counters()
        until = time.monotonic() + MEASURED_S
        if who == "displayd":
            self.connect(bench)
        time.sleep(max(until - time.monotonic(), 0))
        written, read, wal = (after - old for after, old in zip(self.counters(), before))
        return Sample(figures={"written_rows": written, "read_rows": read, "wal_kib": wal / 1024})


class ContactsAtOnce(Scenario):
    name = "contacts-at-once"
    title = f"{FLEETS * FLEET_PANELS:,} panels that were never there come at once"
    bound_by = "database"
    measures = ("How long it takes until each panel is connected and has its first picture's place "
                "in the database: first contacts of as many panels as descriptors and ports allow, "
                "by two programs that wait for nothing.")
    goals = (Goal("all_in_s", at_most=30, label="until all are in"),)
    unit = "panels"
    shown_figures = ("written_rows",)
    warms_up = False
    slow = True

    def prepare(self, bench):
        self.server = bench.start_server()
        self.server.ctl("account", "create", "fleet@example.org", "--name", "Fleet")
        self.known = 0

    def run(self, bench, who, seconds):
        ids = self.server.make_devices("fleet@example.org", FLEETS * FLEET_PANELS, self.known)
        numbers = range(self.known, self.known + len(ids))
        self.known += len(ids)
        self.server.settle()
        base = self.server.url.replace("http://", "ws://")
        urls = [f"{base}/d/{device}/ws?key={number:024d}"
                for device, number in zip(ids, numbers)]
        before = self.server.sql(COUNTERS)[0]
        started = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(FLEETS) as pool:
            fleets = list(pool.map(lambda part: Panels(bench, part, AT_ONCE_PER_S),
                                   [urls[start::FLEETS] for start in range(FLEETS)]))
        all_in_s = time.monotonic() - started
        time.sleep(FLUSH_S)
        written = self.server.sql(COUNTERS)[0][0] - before[0]
        for fleet in fleets:
            fleet.close(bench)
        return Sample(requests=len(ids), figures={"all_in_s": all_in_s, "written_rows": written})
