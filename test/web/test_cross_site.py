"""Requests from pages of other sites change nothing and read nothing: Sec-Fetch-Site, or if a browser omits
it, Origin and Host. test/unit/web/site_test.c tests how they are classified."""

import pytest
from people import PASSWORD, Browser, CONTRACT, make_first

CROSS = [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")]
SAME_SITE = [("Sec-Fetch-Site", "same-site"), ("Origin", "http://127.0.0.1:1")]
ORIGIN_ONLY = [("Origin", "https://evil.example")]
NOTHING = []


def operations():
    for method, template, operation in CONTRACT.operations():
        path = template
        for name in ("accountId", "deviceId", "installationId", "invitationId", "keyId",
                     "sessionId", "webhookId"):
            path = path.replace("{%s}" % name, "0190163d-8694-739b-aea5-966c26f8ad91")
        yield method, path, operation


def is_stream(operation):
    """An answer without end."""
    return "text/event-stream" in operation["responses"].get("200", {}).get("content", {})


@pytest.mark.parametrize("fields", [CROSS, SAME_SITE, ORIGIN_ONLY])
def test_every_endpoint_refuses_other_sites(world, administrator, fields):
    before = world.sql("SELECT count(*) FROM audit_entry")
    for method, path, operation in operations():
        body = {} if "requestBody" in operation else None
        answer = administrator.request(method, path, fields=fields, body=body)
        assert "another site" in answer.problem(403)["detail"], (method, path)
        assert "Set-Cookie" not in answer and "Access-Control-Allow-Origin" not in answer
    assert world.sql("SELECT count(*) FROM audit_entry") == before
    assert administrator.is_signed_in()


def test_what_does_not_say_where_it_comes_from_changes_nothing(world, administrator):
    host = world.server.url.split("/")[2]
    for method, path, operation in operations():
        if is_stream(operation):
            continue
        body = {} if "requestBody" in operation else None
        answer = administrator.request(method, path, fields=NOTHING, body=body, host=host)
        if method == "GET":
            assert (answer.status in (200, 404)
                    or "only reviewers" in answer.problem(403)["detail"]), (method, path)
        else:
            assert "neither" in answer.problem(403)["detail"], (method, path)
    assert administrator.is_signed_in()


def test_a_form_of_another_site(world, person):
    """Requests that a form can send without a preflight."""
    browser = person.browser()
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = browser.post("/web/session", b'{"email":"a@example.org","password":"x"}',
                              fields=[*CROSS, ("Content-Type", content_type)])
        answer.problem(403)
        answer = browser.post("/web/session", b'{"email":"a@example.org","password":"x"}',
                              fields=[("Sec-Fetch-Site", "same-origin"),
                                      ("Content-Type", content_type)])
        answer.problem(415)


def test_preflights_are_not_granted(start):
    """Preflights are refused even to origins that may call the public API."""
    world = start("--cors-origin", "https://friend.example")
    for path in ("/web/start", "/web/session", "/web/keys"):
        answer = Browser(world).request("OPTIONS", path, fields=[
            ("Origin", "https://friend.example"), ("Access-Control-Request-Method", "POST")])
        assert answer.status == 204
        assert not any(name.lower().startswith("access-control") for name, _ in answer.fields)
    answer = Browser(world).get("/web/start", fields=[
        ("Sec-Fetch-Site", "cross-site"), ("Origin", "https://friend.example")])
    answer.problem(403)
    assert "Access-Control-Allow-Origin" not in answer


def test_behind_a_proxy_with_https(start):
    """The public URL decides, whatever Host the proxy forwards."""
    world = start("--public-url", "https://panels.example.org")
    browser = make_first(world)
    own = [("Origin", "https://panels.example.org")]
    assert browser.get("/web/account", host="backend").status == 200
    browser.request("GET", "/web/account", fields=own, host="backend").problem(403)
    assert browser.request("GET", "/web/account", fields=own,
                           host="panels.example.org").status == 200
    browser.request("POST", "/web/session", fields=[("Origin", "http://panels.example.org")],
                    host="panels.example.org",
                    body={"email": "a@example.org", "password": PASSWORD}).problem(403)


def test_no_names_but_our_own(world, person):
    """A foreign name that resolves to this machine (DNS rebinding) is refused."""
    browser = person.browser()
    for host in ("evil.example", "evil.example:80", "localhost.evil.example", ""):
        assert browser.get("/web/account", fields=NOTHING, host=host).status in (400, 403)
    port = world.server.url.rsplit(":", 1)[1]
    for name in ("127.0.0.1", "localhost", "[::1]"):
        own = [("Origin", f"http://{name}:{port}")]
        assert browser.get("/web/account", fields=own, host=f"{name}:{port}").status == 200
