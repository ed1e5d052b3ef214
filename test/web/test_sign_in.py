"""Passwords: signing in, valid passwords, and changes."""

import re

import psycopg2
import pytest
from people import OTHER_PASSWORD, PASSWORD, Browser, Person, make_first, wait_until


def test_signs_in_and_out(world, person):
    browser = Browser(world)
    browser.get("/web/account").problem(401)
    account = browser.try_sign_in(person.email.upper()).ok()
    assert account == browser.get("/web/account").ok()
    assert account["id"] == person.id and account["name"] == "Some One"
    cookie = browser.cookie
    answer = browser.delete("/web/session")
    assert answer.ok() == {} and "Max-Age=0" in answer["Set-Cookie"] and browser.cookie is None
    browser.cookie = cookie
    browser.get("/web/account").problem(401)


def test_unknown_and_wrong_are_answered_alike(world, person):
    without_password = Person(world, password_hash=None)
    answers = [Browser(world).try_sign_in(email, password) for email, password in (
        (person.email, OTHER_PASSWORD), ("nobody@example.org", PASSWORD),
        (without_password.email, PASSWORD), (person.email, PASSWORD.upper()))]
    details = {answer.problem(401)["detail"] for answer in answers}
    assert details == {"the e-mail address or the password is wrong"}
    assert len({answer["WWW-Authenticate"] for answer in answers}) == 1


def test_a_hash_is_made_for_the_unknown_too(world, person):
    """Hashing takes most of an answer's CPU time, and also happens for unknown accounts."""
    def spent(email):
        before = cpu_ticks(world)
        for _ in range(10):
            Browser(world).try_sign_in(email, OTHER_PASSWORD).problem(401)
        return cpu_ticks(world) - before

    known, unknown = spent(person.email), spent("nobody@example.org")
    without_password = spent(Person(world, password_hash=None).email)
    assert min(known, unknown, without_password) * 2 > max(known, unknown, without_password)


def cpu_ticks(world):
    """CPU time of all workers and their threads."""
    ticks = 0
    for pid in world.workers():
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            ticks += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
    return ticks


@pytest.mark.parametrize("password, fault", [
    ("123456789", "must have 10 to 1024 characters, has 9"),
    ("Password1234", "is one of the most common passwords, choose another one"),
    ("1234567890", "is one of the most common passwords, choose another one"),
    ("zyxwvutsrq", "is one of the most common passwords, choose another one"),
    ("aaaaaaaaaaaaaaaa", "is one of the most common passwords, choose another one"),
    ("ababababababab", "is one of the most common passwords, choose another one"),
    ("displayd2026!", "is little more than words that are guessed first here, choose another one"),
    ("x" * 1025, "must have 10 to 1024 characters, has 1025"),
    ("\u00e9" * 513 + "abc", "must have at most 1024 bytes"),
])
def test_bad_passwords(browser, password, fault):
    body = {"currentPassword": PASSWORD, "password": password}
    assert browser.post("/web/account/password", body).faults() == {"/password": fault}


def test_no_password_is_the_name_or_the_address(world):
    person = Person(world, name="Augusta Ada Lovelace")
    browser = person.browser()
    for password in (person.email, person.email.split("@")[0].upper(), "augusta ada lovelace"):
        body = {"currentPassword": PASSWORD, "password": password}
        assert list(browser.post("/web/account/password", body).faults()) == ["/password"]


@pytest.mark.parametrize("password", [
    "ten chars!", "\u043f\u0430\u0440\u043e\u043b\u044c \u0438\u0437 \u0441\u043b\u043e\u0432",
    "\U0001f600\U0001f601\U0001f602\U0001f603\U0001f604\U0001f605\U0001f606\U0001f607\U0001f608"
    "\U0001f609", "a long sentence of words, " * 39, "  spaces around  "])
def test_any_characters(world, person, password):
    browser = person.browser()
    assert browser.post("/web/account/password", {
        "currentPassword": PASSWORD, "password": password}).ok() == {}
    assert Browser(world).try_sign_in(person.email, password).status == 200
    Browser(world).try_sign_in(person.email, password[:-1]).problem(401)
    Browser(world).try_sign_in(person.email, password.strip() + "x").problem(401)


def test_change_of_password(world, person):
    browser, other = person.browser(), person.browser()
    before = browser.cookie
    body = {"currentPassword": OTHER_PASSWORD, "password": OTHER_PASSWORD}
    assert browser.post("/web/account/password", body).faults() == {
        "/currentPassword": "is not the password of this account"}
    body["currentPassword"] = PASSWORD
    browser.post("/web/account/password", body).ok()
    # The other session has ended, and this one has a new secret.
    other.get("/web/account").problem(401)
    assert browser.cookie != before and browser.is_signed_in()
    browser.cookie = before
    browser.get("/web/account").problem(401)
    Browser(world).try_sign_in(person.email).problem(401)
    assert Browser(world).try_sign_in(person.email, OTHER_PASSWORD).status == 200


def test_change_of_the_name(browser, person):
    assert browser.patch("/web/account", {"name": "Ada"}).ok()["name"] == "Ada"
    assert browser.get("/web/account").ok()["name"] == "Ada"
    for name in ("", " ", "a\nb", "x" * 101, person.email, 7, None):
        assert list(browser.patch("/web/account", {"name": name}).faults()) == ["/name"]
    browser.patch("/web/account", {}).problem(400)
    browser.patch("/web/account", {"email": "a@example.org"}).problem(400)


def test_hostile_texts_are_kept_as_they_are(browser):
    name = "<script>alert(1)</script> '; DROP TABLE account; --"
    assert browser.patch("/web/account", {"name": name}).ok()["name"] == name
    assert browser.get("/web/account").ok()["name"] == name


def test_a_lost_database_signs_nobody_out(start, postgres):
    """Without the database the answer is 503, not 401: the page waits and continues."""
    database = postgres.create_database()
    world = start("--rate-limit", "0", database=database)
    browser = make_first(world)
    name = re.search(r"/(\w+)\?", database)[1]
    keeper = psycopg2.connect(postgres.url)
    keeper.autocommit = True
    with keeper.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                       (name,))
        with world.impatient():
            wait_until(lambda: browser.get("/web/account").status == 503, "an answer 503")
            assert {browser.get("/web/account").status for _ in range(8)} <= {200, 503}
        cursor.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    keeper.close()
    world.connection = None  # it was ended, too
    wait_until(lambda: {browser.get("/web/account").status for _ in range(8)} == {200},
               "the database, in all workers")
