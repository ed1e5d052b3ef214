"""Sessions on every instance: their cookie, their list, their end."""

import concurrent.futures
import contextlib
import re
import time

from people import (KNOWN, OTHER_PASSWORD, PASSWORD, Browser, Person, SignInUnderWay, UNKNOWN_ID,
                    cookie_set, make_first, request_bytes, sha256, token_of, wait_until)

from database_clock import DatabaseClock

PLAIN = re.compile(r"displayd_session=[0-9A-Za-z]{43}; Path=/; Max-Age=2592000; HttpOnly; "
                   r"SameSite=Lax")
SECURE = re.compile(r"__Host-displayd_session=[0-9A-Za-z]{43}; Path=/; Max-Age=2592000; Secure; "
                    r"HttpOnly; SameSite=Lax")
KNOWN_PLAIN = re.compile(r"displayd_browser=[\w-]{48}; Path=/; Max-Age=15552000; HttpOnly; SameSite=Strict")
KNOWN_SECURE = re.compile(r"__Host-displayd_browser=[\w-]{48}; Path=/; Max-Age=15552000; Secure; "
                          r"HttpOnly; SameSite=Strict")


def sessions(world, person):
    return world.sql("SELECT id::text, secret_hash FROM session WHERE account_id = %s", person.id)


def test_the_cookie_over_plain_http(world, person):
    answer = Browser(world).try_sign_in(person.email)
    assert PLAIN.fullmatch(cookie_set(answer))
    assert KNOWN_PLAIN.fullmatch(cookie_set(answer, KNOWN))


def test_the_cookie_over_https(start):
    world = start("--public-url", "https://panels.example.org/displays/")
    browser = make_first(world)
    answer = browser.try_sign_in("first@example.org")
    assert SECURE.fullmatch(cookie_set(answer))
    assert KNOWN_SECURE.fullmatch(cookie_set(answer, KNOWN))
    assert browser.is_signed_in()
    assert browser.get("/web/account")["Strict-Transport-Security"] == "max-age=31536000"
    # The name without the prefix is another cookie, which a page of a sister site could set.
    browser.cookie = browser.cookie.replace("__Host-", "")
    browser.get("/web/account").problem(401)


def test_only_the_hash_is_stored(world, person):
    browser = person.browser()
    token = browser.cookie.split("=")[1]
    assert [bytes(row[1]) for row in sessions(world, person)] == [sha256(token)]


def test_signing_in_rotates(world, person):
    """A cookie that somebody planted in the browser is invalid after the sign-in."""
    browser = person.browser()
    planted = browser.cookie
    browser.sign_in(person)
    assert browser.cookie != planted and len(sessions(world, person)) == 1
    # The same holds if another person signs in.
    second = Person(world)
    planted, browser.cookie = browser.cookie, browser.cookie
    browser.sign_in(second)
    assert browser.get("/web/account").ok()["email"] == second.email
    browser.cookie = planted
    browser.get("/web/account").problem(401)
    # A failed sign-in ends no session.
    browser = person.browser()
    browser.try_sign_in(person.email, "not the password").problem(401)
    assert browser.is_signed_in()


def test_list_and_end(world, person):
    one = person.browser(user_agent="Mozilla/5.0 (one)")
    two = person.browser(user_agent="tw\u00f6" + "x" * 300)
    shown = one.get("/web/sessions").ok()
    assert [entry["isCurrent"] for entry in shown] in ([True, False], [False, True])
    mine = next(entry for entry in shown if entry["isCurrent"])
    other = next(entry for entry in shown if not entry["isCurrent"])
    assert (mine["userAgent"], mine["address"]) == ("Mozilla/5.0 (one)", "127.0.0.1")
    assert other["userAgent"] == ("tw?" + "x" * 300)[:200]
    stranger = Person(world).browser()
    for session_id in (other["id"], mine["id"], UNKNOWN_ID, "none"):
        stranger.delete(f"/web/sessions/{session_id}").problem(404)
    assert two.is_signed_in()
    assert one.delete(f"/web/sessions/{other['id']}").ok() == {}
    one.delete(f"/web/sessions/{other['id']}").problem(404)
    assert not two.is_signed_in() and one.is_signed_in()
    more = [person.browser() for _ in range(3)]
    assert one.delete("/web/sessions").ok() == {}
    assert one.is_signed_in() and not any(browser.is_signed_in() for browser in more)


def test_ended_on_every_instance_at_once(start, postgres):
    database = postgres.create_database()
    one = start("--rate-limit", "0", database=database)
    two = start("--rate-limit", "0", database=database)
    browser = make_first(one)
    elsewhere = Browser(two)
    elsewhere.cookie = browser.cookie
    assert elsewhere.is_signed_in()
    browser.delete("/web/session").ok()
    elsewhere.get("/web/account").problem(401)
    # A session also ends by another server than the one that began it.
    browser.try_sign_in("first@example.org").ok()
    elsewhere.cookie = browser.cookie
    elsewhere.delete("/web/session").ok()
    browser.get("/web/account").problem(401)


def test_one_that_nobody_uses_expires(world, person):
    with DatabaseClock(world.database) as clock:
        unused, used = person.browser(), person.browser()
        clock.advance("12 hours - 1 second")
        assert used.is_signed_in()
        wait_until(lambda: world.sql("SELECT 1 FROM session WHERE account_id = %s "
                                     "AND last_used_at > created_at", person.id), "its use")
        clock.advance(1)
        unused.get("/web/account").problem(401)
        # The next sign-in of any person removes it.
        clock.advance(1)
        Person(world).browser()
        assert len(sessions(world, person)) == 1
        assert used.is_signed_in()


def test_staying_signed_in(world, person):
    """The session of a person's own device ends by its age only, and with a new password as others do."""
    with DatabaseClock(world.database) as clock:
        own = Browser(world)
        answer = own.post("/web/session", {"email": person.email, "password": PASSWORD, "staysSignedIn": True})
        assert "Max-Age=7776000;" in cookie_set(answer)
        other = person.browser()
        shown = {entry["isCurrent"]: entry for entry in own.get("/web/sessions").ok()}
        assert [shown[True]["staysSignedIn"], shown[False]["staysSignedIn"]] == [True, False]
        clock.advance("90 days - 1 second")
        other.get("/web/account").problem(401)
        assert own.is_signed_in()
        Person(world).browser()  # a sign-in removes those that have expired
        assert len(sessions(world, person)) == 1
        # A changed password gives this session another secret, and it still stays.
        answer = own.post("/web/account/password", {"currentPassword": PASSWORD, "password": OTHER_PASSWORD})
        assert "Max-Age=7776000;" in cookie_set(answer)
        clock.advance(1)
        own.get("/web/account").problem(401)
        clock.advance(1)
        Person(world).browser()
        assert not sessions(world, person)


def test_a_session_that_stays_can_be_ended(person):
    def stay():
        browser = Browser(person.world)
        browser.post("/web/session", {"email": person.email, "password": PASSWORD, "staysSignedIn": True}).ok()
        return browser

    one, two = stay(), person.browser()
    two.delete("/web/sessions").ok()
    assert not one.is_signed_in()
    one = stay()
    two.post("/web/account/password", {"currentPassword": PASSWORD, "password": OTHER_PASSWORD}).ok()
    assert not one.is_signed_in() and two.is_signed_in()


def test_names(world, person):
    browser = person.browser()
    [session] = browser.get("/web/sessions").ok()
    assert session["name"] is None
    path = f"/web/sessions/{session['id']}"
    browser.request("PUT", path, body={"name": "My phone"}).ok()
    assert browser.get("/web/sessions").ok()[0]["name"] == "My phone"
    for name in ("", "x" * 101, None):
        browser.request("PUT", path, body={"name": name}).problem(400)
    for unknown in (UNKNOWN_ID, "none"):
        browser.request("PUT", f"/web/sessions/{unknown}", body={"name": "x"}).problem(404)
    Person(world).browser().request("PUT", path, body={"name": "x"}).problem(404)


def test_one_that_is_used_expires_as_well(world, person):
    with DatabaseClock(world.database) as clock:
        browser = person.browser()
        clock.advance("30 days - 1 second")
        world.sql("UPDATE session SET last_used_at = present_time() WHERE account_id = %s", person.id)
        assert browser.is_signed_in()
        clock.advance(1)
        browser.get("/web/account").problem(401)


def test_use_is_noted(world, person):
    with DatabaseClock(world.database) as clock:
        browser = person.browser()
        clock.advance("2 hours")
        assert browser.is_signed_in()
        wait_until(lambda: world.sql("SELECT last_used_at = present_time() FROM session "
                                     "WHERE account_id = %s", person.id) == [(True,)],
                   "the use of the session")


def test_at_most_fifty(world, person):
    first = person.browser()
    world.sql("INSERT INTO session (id, account_id, secret_hash, address, user_agent) "
              "SELECT gen_random_uuid(), %s, sha256(n::text::bytea || %s), '', '' "
              "FROM generate_series(1, 60) AS n", person.id, person.email.encode())
    person.browser()
    assert len(sessions(world, person)) == 50
    assert not first.is_signed_in()  # the least recently used session


def test_roles_hold_at_once(world, person, administrator):
    browser = person.browser()
    browser.get("/web/admin/accounts").problem(403)
    administrator.patch(f"/web/admin/accounts/{person.id}", {"isAdministrator": True}).ok()
    browser.get("/web/admin/accounts?limit=1").ok()
    administrator.patch(f"/web/admin/accounts/{person.id}", {"isAdministrator": False}).ok()
    browser.get("/web/admin/accounts").problem(403)


def test_changing_the_password_ends_a_session_that_just_begins(person):
    """A session that begins with the old password at the same moment ends, too."""
    browser, late = person.browser(), SignInUnderWay(person)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with late:
            change = pool.submit(browser.post, "/web/account/password", {
                "currentPassword": PASSWORD, "password": OTHER_PASSWORD})
        change.result().ok()
    late.browser.get("/web/account").problem(401)
    assert browser.is_signed_in()


def test_a_new_password_by_link_ends_a_session_that_just_begins(person, administrator):
    link = administrator.post(f"/web/admin/accounts/{person.id}/password-link").json()["url"]
    browser, late = Browser(person.world), SignInUnderWay(person)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with late:
            use = pool.submit(browser.post, "/web/links/use", {
                "token": token_of(link), "password": OTHER_PASSWORD})
        use.result().ok()
    late.browser.get("/web/account").problem(401)
    assert browser.is_signed_in()


def test_ended_while_a_body_arrives(world, person):
    """A body that takes longer than a second is answered with the rights at its end."""
    browser = person.browser()
    data = request_bytes("PATCH", "/web/account", body={"timezone": "Europe/Zagreb"},
                         fields=[("Cookie", browser.cookie), ("Sec-Fetch-Site", "same-origin")])
    with contextlib.closing(world.client()) as client:
        begun = time.monotonic()
        client.send(data[:-1])
        wait_until(lambda: time.monotonic() - begun > 1.2, "a body that is slow")
        world.sql("DELETE FROM session WHERE account_id = %s", person.id)
        client.send(data[-1:])
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.socket.recv(65536)
    head = head.split(b"\r\n\r\n")[0].decode()
    names = [line.split(":")[0] for line in head.split("\r\n")[1:]]
    assert head.startswith("HTTP/1.1 401 ") and len(names) == len(set(names)), head


def test_fixation(world, person):
    """A cookie that somebody else has planted never becomes a session, whoever signs in and however often."""
    attacker = Person(world).browser()
    for planted in ("displayd_session=" + "A" * 43, attacker.cookie, "displayd_session=", "displayd_session=" + "A" * 4000,
                    attacker.cookie + "; displayd_session=" + "B" * 43):
        victim = Browser(world)
        victim.cookie = planted
        assert victim.try_sign_in(person.email).status == 200
        assert victim.cookie not in planted.split("; ") and victim.get("/web/account").ok()["email"] == person.email
        thief = Browser(world)
        thief.cookie = planted.split("; ")[-1]
        thief.get("/web/account").problem(401)
        attacker = attacker if attacker.is_signed_in() else Person(world).browser()


HOSTILE_NAMES = ["", " ", "\u00a0", "a\0b", "a\nb", "\x1b[2J", "\x7f", "\x85", "x" * 101, "\ud800"]


def test_hostile_names_of_sessions(world, person):
    """Control characters are refused, in names and in what a browser says of itself; the pages isolate bidi ones."""
    browser, other = person.browser(), person.browser(user_agent="a\tb\u009b")
    mine, other_id = sorted(browser.get("/web/sessions").ok(), key=lambda entry: not entry["isCurrent"])
    path = f"/web/sessions/{mine['id']}"
    for name in HOSTILE_NAMES:
        assert browser.request("PUT", path, body={"name": name}).status == 400, name
    for name in ("\u202egnp.exe", "\u2066<b>", "'; DROP TABLE session; --", "\u200b" * 3 + "x", "\U0001f47e" * 100):
        assert browser.request("PUT", path, body={"name": name}).ok() == {}
        assert [entry["name"] for entry in browser.get("/web/sessions").ok() if entry["isCurrent"]] == [name]
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in other_id["userAgent"])
    stranger = Person(world).browser()
    for session in (mine["id"], other_id["id"]):
        stranger.request("PUT", f"/web/sessions/{session}", body={"name": "stolen"}).problem(404)
        stranger.delete(f"/web/sessions/{session}").problem(404)
    assert browser.is_signed_in() and other.is_signed_in()
    assert "stolen" not in [entry["name"] for entry in browser.get("/web/sessions").ok()]


def test_ten_thousand_sessions(world, person):
    """As an older server or a restored database may have them: the list is short, and a sign-in keeps those used last."""
    world.sql("INSERT INTO session (id, account_id, secret_hash, address, user_agent, last_used_at) "
              "SELECT gen_random_uuid(), %s, sha256(n::text::bytea), '', '', now() - n * interval '1 second' "
              "FROM generate_series(1, 10000) AS n", person.id)
    browser = person.browser()
    assert len(sessions(world, person)) == 50
    assert len(browser.get("/web/sessions").ok()) == 50 and browser.is_signed_in()
    assert world.sql("SELECT max(now() - last_used_at) < interval '10 minutes' FROM session WHERE account_id = %s", person.id) \
        == [(True,)]
    assert browser.delete("/web/sessions").ok() == {} and len(sessions(world, person)) == 1
