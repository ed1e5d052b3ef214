"""A displayd to measure, and the data in its database."""

import os
import secrets
import subprocess

import psycopg2

from harness import cpu
from server import Server

# Ends displayd if the bench is killed.
PREFIX = ("setpriv", "--pdeathsig", "TERM")
RATE_LIMIT = 1_000_000  # the highest: the limits are active, but never reached


class Displayd(Server):
    """The full product: limits, metrics, the access log to a file; a worker for each core."""

    launcher = PREFIX  # a command that runs another one

    def __init__(self, *arguments, rate_limit=RATE_LIMIT, workers=None, **options):
        super().__init__("--rate-limit", str(rate_limit), *arguments,
                         workers=workers or len(os.sched_getaffinity(0)), prefix=self.launcher,
                         **options)
        self.known_address = None

    # ---- running ----

    def launch(self):
        """Starts displayd like Server, but appends to the log, so that the log can be emptied while it
        is written."""
        self.known_address = None
        open(self.log_path, "wb").close()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=self.environment)
        return self

    @property
    def address(self):
        """Read from the log once, since the log is emptied soon."""
        if not self.known_address:
            self.known_address = super().address
        return self.known_address

    def empty_log(self):
        """The access log grows by megabytes a second."""
        os.truncate(self.log_path, 0)

    # ---- who it is ----

    def server_pids(self):
        """Returns the supervisor, the workers and their children, without PostgreSQL."""
        return cpu.tree(self.process.pid, without=(self.postmaster(),))

    def database_pids(self):
        postmaster = self.postmaster()
        return cpu.tree(postmaster) if postmaster else []

    # ---- its database ----

    @property
    def database_url(self):
        """Returns libpq's connection string for its PostgreSQL: the private one, if it was given no other."""
        return self.database or f"host={self.state_dir}/postgres/socket port=5432 user=displayd dbname=displayd"

    def sql(self, text, parameters=None):
        """Runs SQL and commits it. Returns its rows, if any."""
        connection = psycopg2.connect(self.database_url)
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(text, parameters)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def settle(self):
        """Call it after inserting many rows: the database is then as if it had had them for long."""
        self.sql("VACUUM ANALYZE")
        self.sql("CHECKPOINT")

    # ---- what is in it ----

    def make_account(self, email, devices):
        """Makes an account with a key and devices. Returns (key, devices as displayctl prints
        them)."""
        self.ctl("account", "create", email, "--name", "Bench")
        made = [self.ctl("device", "create", "--account", email, "--name", f"Panel {i}")
                for i in range(devices)]
        return self.ctl("key", "create", "--account", email)["key"], made

    def make_devices(self, email, count, start=0):
        """Makes many devices of an existing account, by SQL. Returns their IDs. Each ID ends with
        its number, from start on, in 12 decimal digits, so that SQL can compute any ID; its panel's
        key is that number in 24 digits."""
        prefix = f"01a00000-{secrets.token_hex(2)}-7000-8000-"
        self.sql("INSERT INTO device (id, account_id, name, link_key_hash)"
                 " SELECT (%s || lpad(n::text, 12, '0'))::uuid, account.id, 'Panel ' || n,"
                 " sha256(lpad(n::text, 24, '0')::bytea)"
                 " FROM account, generate_series(%s, %s) AS n WHERE email = %s",
                 (prefix, start, start + count - 1, email))
        return [f"{prefix}{number:012d}" for number in range(start, start + count)]

