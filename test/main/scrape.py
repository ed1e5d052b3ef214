"""Contents of a server's /metrics.

    scrape = Scrape(server)                  # a server with --admin-listen 127.0.0.1:0
    scrape.value("displayd_pushes_total", result="stored")
    with scrape.grows("displayd_pushes_total", result="stored"): ...
"""

import contextlib
import http.client
import re

from server import PATIENCE_S, wait_until

LINE = re.compile(r'([a-z_0-9]+)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def admin_port(server):
    return int(re.search(r"port=(\d+) role=admin", server.log())[1])


def parse(text):
    """[(name, labels, value)]; every line is a comment or a series."""
    series = []
    for line in text.splitlines():
        if line.startswith("# "):
            continue
        name, labels, value = LINE.fullmatch(line).groups()
        series.append((name, dict(LABEL.findall(labels or "")), float(value)))
    return series


class Scrape:
    def __init__(self, server):
        self.server = server

    def get(self, path="/metrics"):
        """Status and text, through the admin listener."""
        connection = http.client.HTTPConnection("127.0.0.1", admin_port(self.server),
                                                timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def series(self):
        status, text = self.get()
        assert status == 200, text
        return parse(text)

    def value(self, name, **labels):
        """The sum of the series that have these labels; 0 if there are none."""
        return sum(value for one, its, value in self.series()
                   if one == name and labels.items() <= its.items())

    def wait_for(self, wanted, name, **labels):
        wait_until(lambda: self.value(name, **labels) == wanted, f"{name} {labels} {wanted}")

    @contextlib.contextmanager
    def grows(self, name, by=1, **labels):
        """Checks that the block increases the sum by this amount. Counting may lag behind an answer for a moment."""
        before = self.value(name, **labels)
        yield
        wait_until(lambda: self.value(name, **labels) >= before + by, f"{name} {labels}")
        assert self.value(name, **labels) == before + by
