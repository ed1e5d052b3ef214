"""HTTP answers of the pages."""

import re

import pytest
from server import Server


def test_a_page_is_a_shell_that_names_its_files(scene):
    answer = scene.server.get("/panel")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    # A <base> cannot redirect the page's own addresses.
    assert "base-uri 'none'" in policy and "base-uri 'none'" in scene.server.get("/docs").headers[
        "Content-Security-Policy"]
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["ETag"].startswith('"')
    again = scene.server.get("/panel", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304


def test_nothing_in_a_shell_is_absolute(scene):
    for path, base in (("/panel", "./"), ("/devices/new", "../"), ("/apps/a/install/b", "../../../")):
        page = scene.server.get(path).body.decode()
        assert f'data-base="{base}"' in page and "<base" not in page
        urls = [url for url in re.findall(r'(?:href|src)="([^"]*)"', page) if not url.startswith("data:")]
        assert len(urls) == 3 and all(url.startswith(base) for url in urls), urls


def test_files_are_kept_for_ever_and_sent_compressed(scene):
    page = scene.server.get("/panel").body.decode()
    files = re.findall(r'"\./(web/assets/[^"]+)"', page)
    assert len(files) == 1
    for file in files:
        plain = scene.server.get("/" + file)
        assert plain.status == 200
        assert plain.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        for coding in ("br", "gzip"):
            packed = scene.server.get("/" + file, headers={"Accept-Encoding": coding})
            assert packed.headers["Content-Encoding"] == coding
            assert len(packed.body) < len(plain.body) / 2
    assert scene.server.get("/web/assets/app-ELSEWHERE.js").status == 404
    assert scene.server.get("/web/assets/shell-0.html").status == 404


def test_a_slash_behind_a_page_leads_to_the_page(scene):
    answer = scene.server.get("/panel/?a=b")
    assert answer.status == 308
    assert answer.headers["Location"] == "../panel?a=b"


HOMES = ("http://home.example.org:8123", "https://home.example.org")


@pytest.fixture(scope="module")
def framed():
    with Server("--panel-frame", HOMES[0], "--panel-frame", "HTTPS://Home.Example.ORG") as server:
        yield server


def test_only_the_panel_may_be_framed(framed):
    """Only the configured origins may frame it. The cookie is SameSite=Lax, so frames of other sites do not
    have it."""
    policy = framed.get("/panel").headers["Content-Security-Policy"]
    assert policy.endswith(f"; frame-ancestors {HOMES[0]} {HOMES[1]}")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    page = framed.get("/panel").body.decode()
    [asset] = re.findall(r'"\./(web/assets/[^"]+)"', page)
    for path in ("/", "/devices", "/account", "/docs", "/" + asset):
        assert "frame-ancestors 'none'" in framed.get(path).headers["Content-Security-Policy"], path
