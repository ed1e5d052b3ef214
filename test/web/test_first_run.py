"""The first account: there is no default account and no default password."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from people import PASSWORD, Browser, cookie_set, first_token, make_first, token_of
from server import CtlError


def test_the_printed_link_makes_an_administrator(start):
    world = start()
    browser = Browser(world)
    assert browser.get("/web/start").ok() == {
        "registration": "invite", "isNew": True, "canSignIn": True,
        "passkeyHost": "localhost", "identityProvider": None, "firstSteps": None, "account": None}
    link = browser.post("/web/links/look", {"token": first_token(world)}).ok()
    assert (link["kind"], link["email"]) == ("first", None)
    make_first(world, browser)
    account = browser.get("/web/account").ok()
    assert (account["email"], account["name"]) == ("first@example.org", "First")
    assert account["isAdministrator"] and account["isReviewer"] and account["hasPassword"]
    assert browser.get("/web/admin/accounts").ok()[0]["reachesLocal"] is True
    start_ = browser.get("/web/start").ok()
    assert not start_["isNew"] and start_["account"] == account
    assert start_["firstSteps"] == {"hasPanel": False, "hasEntry": False, "hasApps": False}
    # The link works once.
    used = {"token": first_token(world), "email": "b@example.org", "name": "B",
            "password": PASSWORD}
    Browser(world).post("/web/links/use", used).problem(404)
    Browser(world).post("/web/links/look", {"token": used["token"]}).problem(404)


def test_a_restart_prints_another_one_and_the_first_stays_good(start, postgres):
    database = postgres.create_database()
    first = start(database=database)
    token = first_token(first)
    first.stop()
    second = start(database=database)
    assert first_token(second) != token
    printed = second.server.ctl("account", "link")
    assert printed["kind"] == "first" and printed["url"].startswith(second.server.url + "/link#")
    for one in (token, first_token(second), token_of(printed["url"])):
        assert Browser(second).post("/web/links/look", {"token": one}).ok()["kind"] == "first"
    make_first(second)
    for one in (token, token_of(printed["url"])):
        Browser(second).post("/web/links/look", {"token": one}).problem(404)
    second.stop()
    assert "/link#" not in start(database=database).server.log()


def test_of_many_at_once_one_becomes_the_first(start):
    world = start("--rate-limit", "0")
    tokens = [token_of(world.server.ctl("account", "link")["url"]) for _ in range(6)]

    def use(number):
        return Browser(world).post("/web/links/use", {
            "token": tokens[number], "email": f"{number}@example.org", "name": "One",
            "password": PASSWORD}).status

    with ThreadPoolExecutor(len(tokens)) as pool:
        statuses = sorted(pool.map(use, range(len(tokens))))
    assert statuses == [200] + [404] * (len(tokens) - 1)
    assert world.sql("SELECT count(*), count(*) FILTER (WHERE is_administrator) FROM account") == [
        (1, 1)]


def test_an_instance_that_is_upgraded_gets_an_administrator(start):
    world = start()
    world.server.ctl("account", "create", "demo@example.org", "--name", "Demo")
    Browser(world).post("/web/links/look", {"token": first_token(world)}).problem(404)
    link = world.server.ctl("account", "link", "DEMO@example.org", "--role", "administrator")
    assert (link["kind"], link["email"]) == ("password", "demo@example.org")
    browser = Browser(world)
    shown = browser.post("/web/links/look", {"token": token_of(link["url"])}).ok()
    assert (shown["kind"], shown["email"]) == ("password", "demo@example.org")
    account = browser.post("/web/links/use", {"token": token_of(link["url"]),
                                              "password": PASSWORD}).ok()
    assert account["isAdministrator"]
    # For a person without an account the link is an invitation, which has to be asked for.
    with pytest.raises(CtlError, match="there is no account new@example.org; --invite makes a link") as error:
        world.server.ctl("account", "link", "new@example.org", "--role", "reviewer")
    assert error.value.code == 3
    with pytest.raises(CtlError, match="there is an account demo@example.org already; without --invite") as error:
        world.server.ctl("account", "link", "demo@example.org", "--invite")
    assert error.value.code == 4
    assert world.sql("SELECT count(*) FROM account_link WHERE kind = 'invitation'") == [(0,)]
    link = world.server.ctl("account", "link", "new@example.org", "--role", "reviewer", "--invite")
    assert link["kind"] == "invitation"
    account = Browser(world).post("/web/links/use", {
        "token": token_of(link["url"]), "name": "New", "password": PASSWORD}).ok()
    assert account["email"] == "new@example.org"
    assert account["isReviewer"] and not account["isAdministrator"]


def test_displayctl_refuses_what_is_no_address(start):
    world = start()
    with pytest.raises(CtlError) as error:
        world.server.ctl("account", "link", "nobody")
    assert error.value.code == 2
    with pytest.raises(CtlError) as error:
        world.server.ctl("account", "link", "a@example.org", "--role", "king")
    assert error.value.code == 2


@pytest.mark.parametrize("registration", ["open", "invite", "closed"])
def test_registration(start, registration):
    world = start("--registration", registration)
    browser = Browser(world)
    body = {"email": "ada@example.org", "name": "Ada", "password": PASSWORD}
    assert browser.get("/web/start").ok()["registration"] == registration
    if registration != "open":
        browser.post("/web/registration", body).problem(403)
    else:  # The first account is an administrator's.
        browser.post("/web/registration", body).problem(409)
    administrator = make_first(world)
    invited = administrator.post("/web/admin/invitations", {})
    assert invited.status == (409 if registration == "closed" else 201)
    answer = browser.post("/web/registration", body)
    assert answer.status == (200 if registration == "open" else 403)
    if registration == "open":
        assert not answer.json()["isAdministrator"] and browser.is_signed_in()
        Browser(world).post("/web/registration", body | {"email": "ADA@example.org"}).problem(409)
        assert set(Browser(world).post("/web/registration", {"email": "x", "password": "short"})
                   .faults()) == {"/email", "/name", "/password"}


def test_no_sessions_over_plain_http_from_elsewhere(start):
    world = start("--public-url", "http://panels.example.org")
    browser = Browser(world, fields=())
    where = {"host": "panels.example.org"}
    own = {"fields": [("Origin", "http://panels.example.org")], **where}
    assert browser.get("/web/start", **where).ok()["canSignIn"] is False
    use = {"token": first_token(world), "email": "a@example.org", "name": "A",
           "password": PASSWORD}
    assert "https" in browser.post("/web/links/use", use, **own).problem(403)["detail"]
    assert "https" in browser.try_sign_in("a@example.org", **own).problem(403)["detail"]
    allowed = start("--public-url", "http://panels.example.org", "--plain-http-sign-in", "on")
    use["token"] = first_token(allowed)
    browser = Browser(allowed, fields=())
    answer = browser.post("/web/links/use", use, **own)
    answer.ok()
    assert "Secure" not in cookie_set(answer)
    assert browser.get("/web/account", **where).ok()["email"] == "a@example.org"
