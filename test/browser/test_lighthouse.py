"""Lighthouse's findings on the main pages (npm, see package-lock.json; it uses no network)."""

import http.server
import json
import os
import shutil
import subprocess
import threading

import npm_packages
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
OPEN = ["", "panel"]
PAGES = ["devices", "devices/{device}", "devices/{device}/settings", "apps", "studio",
         "development/keys", "account", "admin"]


class FaultyPage(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<html><title>A page</title><p>Words</p><button></button>"
                         b"<script>console.error('a fault')</script>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def faulty_url():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), FaultyPage) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "http://127.0.0.1:%d/" % server.server_address[1]
        server.shutdown()


@pytest.fixture(scope="module")
def found(scene, faulty_url):
    """Findings of Lighthouse on each page, and on a faulty one of ours."""
    person = scene.person(device=False, roles=["administrator"])
    device = scene.add_device(person["email"])
    scene.panel(device["url"])
    scene.push_to(person["email"], device["id"], file="clock", installationId="clock")
    told = {"url": scene.server.url + "/", "chromium": shutil.which("chromium-headless-shell"),
            "email": person["email"], "password": person["password"],
            "open": [*OPEN, faulty_url],
            "pages": [page.format(device=device["id"]) for page in PAGES]}
    done = subprocess.run(["node", os.path.join(HERE, "lighthouse.mjs")], input=json.dumps(told),
                          stdout=subprocess.PIPE, text=True, check=True,
                          cwd=npm_packages.install(HERE, "npm-browser"),
                          env=npm_packages.environment())
    scene.end_panels()
    answer = json.loads(done.stdout)
    for page in told["open"][:-1] + told["pages"]:
        assert answer[page]["url"] == told["url"] + page  # not the page for signing in
    return dict(zip([*OPEN, "faulty", *PAGES], answer.values()))


@pytest.mark.parametrize("page", OPEN + PAGES)
def test_lighthouse_finds_nothing(found, page):
    assert found[page]["found"] == []
    assert found[page]["scores"] == {"accessibility": 100, "best-practices": 100}


def test_lighthouse_finds_what_is_wrong(found):
    text = "\n".join(found["faulty"]["found"])
    for audit in ("button-name", "html-has-lang", "errors-in-console", "doctype"):
        assert audit + ":" in text
    assert max(found["faulty"]["scores"].values()) < 100
