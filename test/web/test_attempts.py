"""Attempts to get in. docs/security_tests.yaml lists all attempts by chapters of OWASP ASVS 5.0, including
those in other files of this folder."""

import contextlib
import re

import psycopg2
import pytest
from people import (OTHER_PASSWORD, PASSWORD, UNKNOWN_ID, Browser, Person, make_first, request_bytes, sha256,
                    token_of, wait_until)
from strangers import ADDRESS_BURST, PAIR_BURST, from_address, until_refused


# ---- V6: guessing ----


def test_guessing_at_one_account_is_slowed_down(limited):
    person = Person(limited)
    eve = from_address(limited, "198.51.100.1")
    statuses = until_refused(lambda: eve.try_sign_in(person.email, OTHER_PASSWORD), 40)
    assert len(statuses) > PAIR_BURST and set(statuses) == {401, 429}
    # Even the right password is refused at the guessing address, so a guesser learns nothing.
    assert eve.try_sign_in(person.email).status == 429
    # The owner signs in from another address as before: the account is not locked.
    assert from_address(limited, "198.51.100.2").try_sign_in(person.email).status == 200


def test_attempts_from_everywhere_lock_nobody_out(limited):
    """Guesses from many addresses at once empty the account's bucket; its owner waits only a little."""
    person = Person(limited)
    session = from_address(limited, "203.0.113.250").sign_in(person)
    for number in range(30):
        eve = from_address(limited, f"203.0.113.{number}")
        assert eve.try_sign_in(person.email, OTHER_PASSWORD).status == 401
    assert from_address(limited, "203.0.113.251").try_sign_in(person.email).status == 200
    assert session.is_signed_in()


def test_guessing_at_many_accounts_is_slowed_down(limited):
    """One password is tried with many names."""
    eve = from_address(limited, "198.51.100.3")
    numbers = iter(range(1000))
    statuses = until_refused(
        lambda: eve.try_sign_in(f"{next(numbers)}@example.org", OTHER_PASSWORD), 200)
    assert len(statuses) > ADDRESS_BURST and set(statuses) == {401, 429}
    # Uses of links and registrations are attempts, too.
    eve.post("/web/links/look", {"token": "x" * 43}).problem(429)
    eve.post("/web/links/use", {"token": "x" * 43, "password": PASSWORD}).problem(429)


def test_an_unknown_account_is_limited_like_a_known_one(limited):
    """A limit applies in any case of letters and in any script: otherwise it would reveal which accounts exist."""
    person = Person(limited)
    counts = []
    for number, email in enumerate((person.email, "Nobody.At.All@example.org",
                                     "Čovjek@example.org")):
        eve = from_address(limited, f"198.51.100.{10 + number}")
        attempts = iter([email.lower(), email.upper()] * 50)
        counts.append(len(until_refused(
            lambda eve=eve, attempts=attempts: eve.try_sign_in(next(attempts), OTHER_PASSWORD),
            40)))
    assert min(counts) > PAIR_BURST and max(counts) < 2 * PAIR_BURST


def test_a_network_of_ipv6_is_one_address(limited):
    person = Person(limited)
    numbers = iter(range(1, 1000))
    until_refused(lambda: from_address(limited, f"2001:db8:1:2::{next(numbers):x}").try_sign_in(
        person.email, OTHER_PASSWORD), 40)
    other = from_address(limited, "2001:db8:1:3::1")
    assert other.try_sign_in(person.email, OTHER_PASSWORD).status == 401


def test_whoever_has_a_session_cannot_guess_its_password_either(limited):
    person = Person(limited)
    eve = from_address(limited, "198.51.100.20").sign_in(person)
    body = {"currentPassword": OTHER_PASSWORD, "password": OTHER_PASSWORD}
    statuses = until_refused(lambda: eve.post("/web/account/password", body), 40)
    assert set(statuses) == {400, 429}
    assert eve.is_signed_in()  # and the session stays


def test_a_forged_address_without_a_proxy(start):
    """X-Forwarded-For of a client that is not a trusted proxy changes no bucket."""
    world = start()
    numbers = iter(range(1, 250))
    until_refused(lambda: from_address(world, f"198.51.100.{next(numbers)}").try_sign_in(
        "nobody@example.org", OTHER_PASSWORD), 40)


# ---- V6: what is accepted as proof ----


@pytest.mark.parametrize("body", [
    {}, {"email": "first@example.org"}, {"password": PASSWORD}, [], "x", None,
    {"email": "first@example.org", "password": ""}, {"email": "first@example.org", "password": None},
    {"email": "first@example.org", "password": [PASSWORD]},
    {"email": ["first@example.org"], "password": PASSWORD},
    {"email": {"$ne": ""}, "password": {"$ne": ""}},
    {"email": "first@example.org", "password": PASSWORD, "isAdministrator": True},
])
def test_bodies_that_are_no_sign_in(world, body):
    assert Browser(world).post("/web/session", body if body is not None else b"null",
                               ).status in (400, 415)


@pytest.mark.parametrize("email", [
    "' OR 1=1 --", "%%%", "_irst@example.org", "first@example.org'--", "first@example.org ",
    "first@example.org%00", "FIRST@EXAMPLE.ORG\t"])
def test_addresses_that_are_no_account(world, email):
    Person(world)  # first@example.org exists
    Browser(world).try_sign_in(email).problem(401)


@pytest.mark.parametrize("hashed", ["", "$argon2id$", "$argon2id$v=19$m=19456,t=2,p=1$$",
                                    "$argon2id$v=19$m=4294967295,t=2,p=1$YWFhYWFhYWE$YWFhYWFh"])
def test_broken_hashes_match_nothing(world, hashed):
    if not hashed:
        person = Person(world, password_hash=None)
    else:
        person = Person(world, password_hash=hashed)
    with world.impatient():
        for password in (PASSWORD, " ", "\x7f"):
            assert Browser(world).try_sign_in(person.email, password).status in (401, 503)


def test_a_password_is_never_answered_or_logged(world, person):
    password = "a secret that nobody else knows"
    browser = person.browser()
    answer = browser.post("/web/account/password", {
        "currentPassword": PASSWORD, "password": password})
    answers = [answer, browser.try_sign_in(person.email, password + "!"),
               browser.get("/web/account"), browser.get("/web/start"),
               browser.post("/web/account/password", {"currentPassword": password + "?",
                                                      "password": password + "."})]
    for answer in answers:
        assert b"secret that nobody" not in answer.body and b"argon2" not in answer.body
    assert "secret that nobody" not in world.server.log()
    assert "argon2" not in world.server.log()


# ---- V6: links ----


@pytest.mark.parametrize("token", ["", "x", "x" * 42, "x" * 44, "x" * 43, "x" * 42 + "\u00e9",
                                   "x" * 42 + "-", "' OR true --" + "x" * 31])
def test_made_up_tokens(world, token):
    look = Browser(world).post("/web/links/look", {"token": token})
    use = Browser(world).post("/web/links/use", {
        "token": token, "email": "a@example.org", "name": "A", "password": PASSWORD})
    assert look.status == use.status == (404 if token else 400)


def test_an_invitation_gives_no_role_that_it_has_not(world, administrator):
    link = administrator.post("/web/admin/invitations", {}).json()
    body = {"token": token_of(link["url"]), "email": "climber@example.org", "name": "C",
            "password": PASSWORD}
    Browser(world).post("/web/links/use", body | {"isAdministrator": True}).problem(400)
    account = Browser(world).post("/web/links/use", body).ok()
    assert not account["isAdministrator"] and not account["isReviewer"]


def test_a_link_is_for_one_account(world, administrator, person):
    """A link that sets a password refuses the address of another account, and ignores the name."""
    victim = Person(world)
    link = administrator.post(f"/web/admin/accounts/{person.id}/password-link").json()
    body = {"token": token_of(link["url"]), "name": "Mine", "password": OTHER_PASSWORD}
    refused = Browser(world).post("/web/links/use", {**body, "email": victim.email})
    assert refused.faults() == {"/email": "must be the address of the account"}
    account = Browser(world).post("/web/links/use", body).ok()
    assert account["id"] == person.id and account["name"] == "Some One"
    Browser(world).try_sign_in(victim.email, OTHER_PASSWORD).problem(401)


def test_a_disabled_road_stays_closed(start):
    """Invitations from before registration was closed cannot create an account."""
    database = start().database
    first = start(database=database)
    link = make_first(first).post("/web/admin/invitations", {}).json()
    closed = start("--registration", "closed", database=database)
    Browser(closed).post("/web/links/use", {
        "token": token_of(link["url"]), "email": "a@example.org", "name": "A",
        "password": PASSWORD}).problem(403)


# ---- V7: session references ----


@pytest.mark.parametrize("change", [
    lambda token: token[:-1], lambda token: token + "0", lambda token: token.swapcase(),
    lambda token: "0" * 43, lambda token: "", lambda token: f'"{token}"',
    lambda token: sha256(token).hex(), lambda token: token[:-1] + "%41",
    lambda token: token + "; displayd_session=" + token])
def test_cookies_that_are_not_ours(person, change):
    browser = person.browser()
    name, token = browser.cookie.split("=")
    if change(token) == token:
        return
    browser.cookie = f"{name}={change(token)}"
    browser.get("/web/account").problem(401)


def test_other_places_for_a_session(world, person):
    """Sessions are read from neither the query nor another header nor another cookie."""
    token = person.browser().cookie.split("=")[1]
    browser = Browser(world)
    browser.get(f"/web/account?displayd_session={token}").problem(401)
    browser.get("/web/account", key=token).problem(401)
    for name in ("session", "DISPLAYD_SESSION", "__Host-displayd_session", "displayd_session2"):
        browser.cookie = f"{name}={token}"
        browser.get("/web/account").problem(401)
    browser.cookie = f"a=b; displayd_session={token}; c=d"
    assert browser.is_signed_in()


def test_the_id_of_a_session_is_none(world, person):
    browser = person.browser()
    [entry] = browser.get("/web/sessions").ok()
    other = Browser(world)
    for value in (entry["id"], entry["id"].replace("-", "")):
        other.cookie = f"displayd_session={value}"
        other.get("/web/account").problem(401)


def test_tokens_do_not_repeat(person):
    tokens = {person.browser().cookie.split("=")[1] for _ in range(20)}
    assert len(tokens) == 20 and all(re.fullmatch("[0-9A-Za-z]{43}", token) for token in tokens)


def test_an_account_that_is_gone_is_signed_out(world, person):
    browser = person.browser()
    world.server.ctl("account", "remove", person.email, "--yes")
    browser.get("/web/account").problem(401)
    Browser(world).try_sign_in(person.email).problem(401)


# ---- V3: answers in a browser ----


def test_answers_are_not_kept_by_caches(person):
    browser = person.browser()
    for path in ("/web/start", "/web/account", "/web/sessions", "/web/keys"):
        assert browser.get(path)["Cache-Control"] == "private, no-cache"


def test_errors_carry_the_fields_too(world, browser):
    """people.Browser checks each answer of an endpoint."""
    browser.get("/web/keys", cookie=False).problem(401)
    browser.post("/web/keys", b"{", fields=[*browser.fields, ("Content-Type", "application/json")]
                 ).problem(400)
    browser.post("/web/keys", {"name": "x" * 20000}).problem(413)
    with world.client() as client:
        client.send(request_bytes("GET", "/web/none"))
        assert client.answer().status == 404


def test_instances_count_together(limited, start):
    """Guesses at one instance leave none at another, by password or by link."""
    other = start("--trust-proxy", "127.0.0.1", database=limited.database)
    person = Person(limited)
    guess = from_address(limited, "198.51.100.90").try_sign_in
    assert [guess(person.email, OTHER_PASSWORD).status for _ in range(PAIR_BURST)] == [401] * PAIR_BURST
    elsewhere = from_address(other, "198.51.100.90")
    wait_until(lambda: elsewhere.try_sign_in(person.email, OTHER_PASSWORD).status == 429, "the words")
    # A right password takes no token of the other instance.
    owner, own = (from_address(one, "198.51.100.91") for one in (limited, other))
    assert [owner.try_sign_in(person.email).status for _ in range(PAIR_BURST + 5)] == [200] * (PAIR_BURST + 5)
    assert own.try_sign_in(person.email).status == 200
    look = {"token": "x" * 43}
    eve, again = (from_address(one, "198.51.100.92") for one in (limited, other))
    while eve.post("/web/links/look", look).status != 429:
        pass
    wait_until(lambda: again.post("/web/links/look", look).status == 429, "the words of links")


def test_words_of_attempts_name_no_address(limited):
    """Whoever may listen to the database learns nothing of who tries, and words of others end nobody."""
    person = Person(limited)
    with contextlib.closing(psycopg2.connect(limited.database)) as listener:
        listener.autocommit = True
        with listener.cursor() as cursor:
            cursor.execute("LISTEN displayd_hint")
            from_address(limited, "198.51.100.93").try_sign_in(person.email, OTHER_PASSWORD)
            words = []

            def heard():
                listener.poll()
                words.extend(word for notify in listener.notifies for word in notify.payload.split())
                listener.notifies.clear()
                return [word for word in words if word.startswith("failed:")]

            wait_until(heard, "the word")
            (word,) = heard()
            assert len(re.findall("att-(?:addr|pair|netw|acct)=[0-9a-f-]{36}", word)) == 4, word
            assert "198.51" not in word and "c633:645d" not in word and person.id not in word
            for strange in ("failed:", "failed:x:y:z", word.replace("failed:", "failed:x"),
                            f"failed:{UNKNOWN_ID}:{UNKNOWN_ID}:,,=,att-addr,att-addr=,none={UNKNOWN_ID}"):
                cursor.execute("SELECT pg_notify('displayd_hint', %s)", [strange])
    assert from_address(limited, "198.51.100.93").try_sign_in(person.email).status == 200


def test_a_network_makes_few_accounts(start):
    """Whoever registers takes a place of the address; what fails takes none."""
    world = start("--registration", "open", "--trust-proxy", "127.0.0.1")
    make_first(world)
    numbers = iter(range(10_000))

    def register(address, email=None):
        email = email or f"new{next(numbers)}@example.org"
        return from_address(world, address).post(
            "/web/registration", {"email": email, "name": "New", "password": PASSWORD})

    register("203.0.113.1", "taken@example.org").ok()
    for _ in range(5):
        register("203.0.113.1", "taken@example.org").problem(409)
    for addresses in (lambda _: "203.0.113.1", lambda number: f"2001:db8:1:2::{number + 1:x}"):
        statuses = [register(addresses(number)).status for number in range(22)]
        made = statuses.count(200)
        assert made in (19, 20) and statuses[:made] == [200] * made and set(statuses[made:]) == {429}
    refused = register("203.0.113.1")
    assert "too many accounts were made from this network" in refused.problem(429)["detail"]
    assert 0 < int(refused["retry-after"]) <= 600
    register("203.0.113.2").ok()
    register("2001:db8:1:3::1").ok()
