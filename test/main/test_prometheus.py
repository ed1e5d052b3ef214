"""Debian's Prometheus reads the metrics of a server, and the dashboard and the alerts find the series that
they use."""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest
from scrape import Scrape, admin_port
from traffic import Desk, picture

from server import PATIENCE_S, ROOT, Server, wait_until

DASHBOARD = os.path.join(ROOT, "share/grafana/displayd.json")
RULES = os.path.join(ROOT, "share/prometheus/displayd.rules.yml")
ALERTS = os.path.join(ROOT, "test/main/alerts.yml")

pytestmark = pytest.mark.skipif(not shutil.which("prometheus"), reason="no prometheus here")


class Prometheus:
    def __init__(self, server, folder):
        config = os.path.join(folder, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
                       f"rule_files: [{RULES}]\n"
                       "scrape_configs:\n"
                       "  - job_name: displayd\n"
                       "    static_configs:\n"
                       f"      - targets: ['127.0.0.1:{admin_port(server)}']\n")
        self.log = open(os.path.join(folder, "log"), "w+b")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
             "--web.listen-address=127.0.0.1:0"], stdout=self.log, stderr=self.log)
        self.address = wait_until(self._address, "an address of Prometheus")
        wait_until(self._is_ready, "a ready Prometheus")

    def _address(self):
        assert self.process.poll() is None, self.text()
        found = re.search(r'msg="Listening on" address=(\S+)', self.text())
        return found and found[1]

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=PATIENCE_S):
                return True
        except urllib.error.HTTPError:
            return False

    def text(self):
        self.log.seek(0)
        return self.log.read().decode()

    def ask(self, path, **query):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        self.log.close()


@pytest.fixture(scope="module")
def server():
    with Server("--admin-listen", "127.0.0.1:0") as one:
        yield one


def make_traffic(server, desk):
    for kind in ("PNG", "GIF", "WEBP"):
        assert desk.push(picture(kind)) == 200
    assert desk.push("AAAA") == 400
    desk.poll()
    assert desk.get().status == 200
    assert server.get("/v1/devices").status == 401


@pytest.fixture(scope="module")
def prometheus(server, tmp_path_factory):
    """A Prometheus that has read the server several times during traffic."""
    desk = Desk(server, "ada")
    make_traffic(server, desk)
    one = Prometheus(server, str(tmp_path_factory.mktemp("prometheus")))
    try:
        with desk.connect() as panel:
            wait_until(lambda: one.query("displayd_build_info"), "the first scrape")
            for _ in range(4):
                count = len(one.query("up[10m]")[0]["values"])
                make_traffic(server, desk)
                wait_until(lambda: len(one.query("up[10m]")[0]["values"]) > count, "a scrape")
            panel.show()
            yield one
    finally:
        one.stop()


def test_promtool_finds_no_fault(server, prometheus):
    """promtool accepts metrics with series of every kind."""
    text = Scrape(server).get()[1]
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                          text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_scrape_works(prometheus):
    targets = prometheus.ask("targets")["activeTargets"]
    assert [one["health"] for one in targets] == ["up"], targets
    assert prometheus.query("displayd_database_up")[0]["value"][1] == "2"


def dashboard_queries():
    with open(DASHBOARD, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    return [(panel["title"], target["expr"]) for panel in panels
            for target in panel.get("targets", [])]


@pytest.mark.parametrize("title, expression", dashboard_queries())
def test_dashboard_finds_data(prometheus, title, expression):
    asked = expression.replace("$__rate_interval", "10m").replace("$instance", ".*")
    assert "$" not in asked
    assert prometheus.query(asked), title


def test_dashboard_shows_every_metric():
    with open(os.path.join(ROOT, "docs/metrics.md"), encoding="utf-8") as file:
        names = re.findall(r"^\|`(\w+)`\|(?:counter|gauge|histogram)\|", file.read(), re.M)
    asked = " ".join(expression for _, expression in dashboard_queries())
    assert len(names) > 40
    assert [name for name in names if name not in asked] == []


def test_rules_are_sound(prometheus):
    done = subprocess.run(["promtool", "check", "rules", RULES], capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    wait_until(lambda: all(rule["health"] != "unknown" for group in prometheus.ask("rules")["groups"]
                           for rule in group["rules"]), "rules that were tried")
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    assert len(rules) > 8
    assert [rule["name"] for rule in rules if rule["health"] != "ok"] == []
    assert [rule["name"] for rule in rules if rule["state"] == "firing"] == []


def test_each_alert_fires_and_is_silent():
    """Each alert fires and stays silent for the series of its example, without a server."""
    done = subprocess.run(["promtool", "test", "rules", ALERTS], capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(RULES, encoding="utf-8") as rules, open(ALERTS, encoding="utf-8") as tests:
        names = re.findall(r"- alert: (\w+)", rules.read())
        tried = re.findall(r"- name: (\w+) (fires|is silent)", tests.read())
    assert tried == [(name, how) for name in names for how in ("fires", "is silent")]


def test_alert_fires(prometheus, server):
    """An alert without a delay, queried like the rule."""
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    [down] = [rule for rule in rules if rule["name"] == "DisplaydProcessesFail"]
    assert prometheus.query(down["query"]) == []
    for _ in range(2):
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: pid not in server.workers(), "another worker")
    wait_until(lambda: prometheus.query(down["query"]), "the alert")
