"""Rows that workers keep in memory and that a test has changed by itself, in the database: workers learn of it
within a minute. From then on the clients of this test ask for what the database has."""

import re

CHANGE = re.compile(r"\b(update|delete from) (device|installation|app|account)\b|"
                    r"\binsert into (installation|device .* select)\b", re.IGNORECASE)


class Kept:
    is_stale = was_read = False


def forget():
    """The next test, or a test that has told the workers by itself."""
    Kept.is_stale = Kept.was_read = False


def device_is_made():
    """In a list that may have been read."""
    Kept.is_stale |= Kept.was_read


def looked_at(statement):
    """The statement, which the test executes."""
    Kept.is_stale |= bool(CHANGE.search(statement))
    return statement


def options_of(method, target, options):
    """The options of a request."""
    if not target.startswith("/v1/") or method not in ("GET", "HEAD"):
        return options
    Kept.was_read = True
    return options | {"fields": [*options.get("fields", ()), ("Cache-Control", "no-cache")]} \
        if Kept.is_stale else options
