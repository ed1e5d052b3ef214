"""For tests that change rows in the database which workers have in their caches: workers notice that only
within a minute. After such a change the clients of the test request uncached answers."""

import re

CHANGE = re.compile(r"\b(update|delete from) (device|installation|app|account)\b|"
                    r"\binsert into (installation|device .* select)\b", re.IGNORECASE)


class Kept:
    is_stale = was_read = False


def forget():
    """Called for the next test, or by a test that has sent the hint to the workers itself."""
    Kept.is_stale = Kept.was_read = False


def device_is_made():
    """In a list that may have been read."""
    Kept.is_stale |= Kept.was_read


def looked_at(statement):
    """Notes a statement that the test executes."""
    Kept.is_stale |= bool(CHANGE.search(statement))
    return statement


def options_of(method, target, options):
    """Returns the options of a request."""
    if not target.startswith("/v1/") or method not in ("GET", "HEAD"):
        return options
    Kept.was_read = True
    return options | {"fields": [*options.get("fields", ()), ("Cache-Control", "no-cache")]} \
        if Kept.is_stale else options
