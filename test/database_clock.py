"""The time of a database (present_time() of sql/schema/01_values.sql). A test sets it instead
of waiting, and then the differences between stored times are exact.

with DatabaseClock(url) as clock:      # it stands still
...
clock.advance(60)                  # and is right again at the end

All connections see it at once. displayd's own clock goes on.
"""

import psycopg2

FUNCTION = ("CREATE OR REPLACE FUNCTION present_time() RETURNS timestamptz LANGUAGE sql VOLATILE "
            "PARALLEL SAFE AS $$ SELECT {} $$")


class DatabaseClock:
    def __init__(self, url):
        self.url = url
        self.connection = None

    def _run(self, sql):
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else None

    def _set(self, text):
        self._run(FUNCTION.format(f"'{text}'::timestamptz"))

    def set(self, text):
        """A time as PostgreSQL writes it."""
        self._set(text)

    def advance(self, seconds):
        """A number, or an interval as PostgreSQL writes it: "30 days"."""
        interval = seconds if isinstance(seconds, str) else f"{seconds} seconds"
        [(text,)] = self._run(f"SELECT (present_time() + interval '{interval}')::text")
        self._set(text)

    def __enter__(self):
        self.connection = psycopg2.connect(self.url)
        self.connection.autocommit = True
        self.advance(0)
        return self

    def __exit__(self, *_):
        self._run(FUNCTION.format("clock_timestamp()"))
        self.connection.close()
