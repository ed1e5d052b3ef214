"""Support for tests that change rows which workers have cached: workers notice such a change only within a
minute. After it, the clients of the test request uncached answers."""

import re

CHANGE = re.compile(r"\b(update|delete from) (device|installation|app|account)\b|"
                    r"\binsert into (installation|device .* select)\b", re.IGNORECASE)


class Kept:
    is_stale = was_read = False


def forget():
    """Trusts caches again: for the next test, or after a test has sent the hint itself."""
    Kept.is_stale = Kept.was_read = False


def device_is_made():
    """Distrusts caches of lists without the new device."""
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
