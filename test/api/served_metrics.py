"""Metrics of an instance that has --admin-listen."""

import re
import urllib.request


def metrics_of(world):
    """Returns the text of /metrics."""
    port = re.search(r"port=(\d+) role=admin", world.server.log())[1]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return answer.read().decode()


def value_of(world, metric):
    """Returns the value of a metric, whose labels are as they are written."""
    return float(re.search(rf"^{re.escape(metric)} (\S+)$", metrics_of(world), re.M)[1])


def count_of(world, *statements):
    """Returns how often the instance has sent these statements."""
    counts = re.findall(r'displayd_database_statement_seconds_count{statement="(\w+)"} (\d+)', metrics_of(world))
    return sum(int(count) for name, count in counts if name in statements)
