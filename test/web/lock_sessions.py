"""Database connections that run the server's statements and wait for each other's locks."""

from concurrent.futures import ThreadPoolExecutor

import psycopg2
from people import wait_until
from rendered import statement


class Session:
    """A connection with a thread that waits for locks."""

    def __init__(self, world):
        self.world = world
        self.connection = psycopg2.connect(world.database)
        self.connection.autocommit = True
        self.thread = ThreadPoolExecutor(1)
        self.pid = self.connection.get_backend_pid()
        self.run("SET deadlock_timeout = '50ms'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.thread.shutdown()
        self.connection.close()

    def run(self, sql, parameters=None):
        with self.connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else []

    def begin(self, name, **parameters):
        """Returns when the statement has ended, or waits for a lock."""
        running = self.thread.submit(self.run, statement(name), parameters)
        wait_until(lambda: running.done() or self.waits(), f"the end of {name}, or a lock")
        return running

    def waits(self):
        return self.world.sql("SELECT wait_event_type = 'Lock' FROM pg_stat_activity "
                              "WHERE pid = %s", self.pid)[0][0]


def overtaken(world, account_id, change, look, act, *arguments):
    """Sends a request that waits for the account's row, and commits a change before the request continues.
    Returns the result of the request, and of the query look after the change. Both statements take the
    account's ID."""
    with Session(world) as holder, ThreadPoolExecutor(1) as pool:
        holder.run("BEGIN")
        holder.run("SELECT FROM account WHERE id = %s FOR UPDATE", (account_id,))
        request = pool.submit(act, *arguments)
        wait_until(lambda: request.done() or world.sql(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            "AND datname = current_database()"), "a lock, or the answer")
        holder.run(change, (account_id,))
        before = holder.run(look, (account_id,))
        holder.run("COMMIT")
        return request.result(), before
