"""Passkeys: adding, sign-in, reauthentication, renaming, removal, and invalid passkeys.
docs/security_tests.yaml names the chapters of OWASP ASVS 5.0."""

import json
import uuid

import lock_sessions
import pytest
from authenticator import (HAS_KEY, PRESENT, VERIFIED, Passkey, bytes_of, text_of)
from people import OTHER_PASSWORD, PASSWORD, Browser, Person, World, wait_until

PASSKEYS_MAX = 20


def origin_of(world):
    """The server has no --public-url: localhost reaches it, too."""
    return "http://localhost:%d" % world.server.address[1]


def challenge(browser):
    made = browser.post("/web/challenge").ok()
    assert made["relyingParty"] == "localhost" and made["lifeSeconds"] == 300
    return made["challenge"]


def add(browser, passkey=None, name="Telephone", proof=None, **lies):
    """The answer, and the passkey."""
    passkey = passkey or Passkey()
    made = passkey.creation(challenge(browser), lies.pop("origin", origin_of(browser.world)), **lies)
    return browser.post("/web/passkeys",
                        made | {"name": name} | (proof or {"password": PASSWORD})), passkey


def added(browser, **options):
    answer, passkey = add(browser, **options)
    assert answer.status == 201, answer
    return passkey


def answer_of(browser, passkey, **lies):
    """Answer that the passkey signs for this browser."""
    return passkey.answer(lies.pop("challenge", None) or challenge(browser),
                          lies.pop("origin", origin_of(browser.world)), **lies)


def sign_in(world, passkey, browser=None, **lies):
    browser = browser or Browser(world)
    return browser.post("/web/session/passkey", answer_of(browser, passkey, **lies)), browser


def test_start_says_where_there_are_passkeys(world):
    assert Browser(world).get("/web/start").ok()["passkeyHost"] == "localhost"


@pytest.mark.parametrize("algorithm", [-7, -8, -257])
def test_it_is_added_and_signs_in(world, person, algorithm):
    browser = person.browser()
    answer, passkey = add(browser, Passkey(algorithm))
    entry = answer.json()
    assert answer.status == 201 and entry["name"] == "Telephone" and entry["lastUsedAt"] is None
    assert bytes_of(entry["credentialId"]) == passkey.id
    assert browser.get("/web/passkeys").ok() == [entry]
    answer, fresh = sign_in(world, passkey, user=uuid.UUID(person.id).bytes)
    assert answer.ok()["id"] == person.id and fresh.is_signed_in()
    assert browser.get("/web/passkeys").ok()[0]["lastUsedAt"]


def test_one_that_does_not_count(world, person):
    """Passkeys that are synchronized between devices have a count of zero."""
    passkey = added(person.browser(), passkey=Passkey(count=0))
    for _ in range(2):
        assert sign_in(world, passkey)[0].status == 200


def test_a_session_is_rotated_by_it(world, person):
    browser = person.browser()
    passkey = added(browser)
    old = browser.cookie
    assert sign_in(world, passkey, browser)[0].status == 200
    assert browser.cookie != old
    stale = Browser(world)
    stale.cookie = old
    stale.get("/web/account").problem(401)


# ---- as a proof ----


def test_it_proves_who_one_is(world, person):
    """A passkey reauthenticates: to add another one, to change the password, to remove one, and to remove
    the account."""
    browser = person.browser()
    passkey = added(browser)
    second = added(browser, name="Key ring", proof={"passkey": answer_of(browser, passkey)})
    body = {"password": OTHER_PASSWORD, "passkey": answer_of(browser, passkey)}
    browser.post("/web/account/password", body).ok()
    Browser(world).try_sign_in(person.email).problem(401)
    assert Browser(world).try_sign_in(person.email, OTHER_PASSWORD).status == 200
    first = browser.get("/web/passkeys").ok()[0]["id"]
    path = f"/web/passkeys/{first}/removal"
    browser.post(path, {"passkey": answer_of(browser, second)}).ok()
    assert [entry["name"] for entry in browser.get("/web/passkeys").ok()] == ["Key ring"]
    sign_in(world, passkey)[0].problem(401)
    browser.post("/web/account/removal", {"passkey": answer_of(browser, second)}).ok()
    sign_in(world, second)[0].problem(401)
    wait_until(lambda: world.sql("SELECT 1 FROM account WHERE id = %s", person.id) == [], "its end")
    assert world.sql("SELECT 1 FROM passkey WHERE account_id = %s", person.id) == []


def test_without_a_proof_nothing_is_done(world, person):
    browser = person.browser()
    passkey = added(browser)
    stranger = Person(world).browser()
    foreign = added(stranger)
    path = f"/web/passkeys/{browser.get('/web/passkeys').ok()[0]['id']}/removal"
    for body, member in (({}, "/password"), ({"password": OTHER_PASSWORD}, "/password"),
                         ({"passkey": {}}, "/passkey"), ({"passkey": 1}, "/passkey"),
                         ({"passkey": answer_of(browser, foreign)}, "/passkey"),
                         ({"passkey": answer_of(stranger, passkey)}, "/passkey")):
        assert list(browser.post(path, body).faults()) == [member]
        assert list(browser.post("/web/account/removal", body).faults()) == [member]
        assert list(add(browser, proof={"password": None} | body if not body else body)[0].faults()
                    ) == [member]
        change = {name.replace("password", "currentPassword"): value
                  for name, value in body.items()} | {"password": OTHER_PASSWORD}
        assert list(browser.post("/web/account/password", change).faults()
                    ) == [member.replace("password", "currentPassword")]
    assert len(browser.get("/web/passkeys").ok()) == 1


CHANGED_PASSWORD = "UPDATE account SET password_hash = '$argon2id$other' WHERE id = %s"
ENDED_SESSIONS = "DELETE FROM session WHERE account_id = %s"
FORGOTTEN_PASSKEYS = "DELETE FROM passkey WHERE account_id = %s"


def add_another(browser, proof):
    return add(browser, name="Late", proof=proof)[0]


def remove_first(browser, proof):
    return browser.post(f"/web/passkeys/{browser.get('/web/passkeys').ok()[0]['id']}/removal", proof)


def change_password(browser, proof):
    return browser.post("/web/account/password", {"password": OTHER_PASSWORD} | {
        name.replace("password", "currentPassword"): value for name, value in proof.items()})


def remove_account(browser, proof):
    return browser.post("/web/account/removal", proof)


@pytest.mark.parametrize("act, by_passkey, meanwhile", [
    (add_another, False, CHANGED_PASSWORD), (add_another, False, ENDED_SESSIONS),
    (add_another, True, FORGOTTEN_PASSKEYS), (add_another, True, ENDED_SESSIONS),
    (remove_first, False, CHANGED_PASSWORD), (remove_first, False, ENDED_SESSIONS),
    (remove_first, True, FORGOTTEN_PASSKEYS), (remove_first, True, ENDED_SESSIONS),
    (change_password, False, CHANGED_PASSWORD), (change_password, False, ENDED_SESSIONS),
    (change_password, True, FORGOTTEN_PASSKEYS), (change_password, True, ENDED_SESSIONS),
    (remove_account, False, CHANGED_PASSWORD), (remove_account, False, ENDED_SESSIONS),
    (remove_account, True, FORGOTTEN_PASSKEYS), (remove_account, True, ENDED_SESSIONS)])
def test_a_proof_holds_as_long_as_what_it_is_made_with(world, person, act, by_passkey, meanwhile):
    """The statement that acts checks the passkey or password once more, and the session that sent it."""
    browser = person.browser()
    passkey = added(browser)
    proof = {"passkey": answer_of(browser, passkey)} if by_passkey else {"password": PASSWORD}
    look = "SELECT password_hash, passkey_count, closed_at FROM account WHERE id = %s"
    answer, before = lock_sessions.overtaken(world, person.id, meanwhile, look, act, browser, proof)
    answer.problem(409)
    assert world.sql(look, person.id) == before


@pytest.mark.parametrize("meanwhile", [FORGOTTEN_PASSKEYS, "UPDATE account SET closed_at = now() WHERE id = %s"])
def test_nobody_signs_in_behind_the_removal_of_the_passkey(world, person, meanwhile):
    passkey = added(person.browser())
    look = "SELECT count(*) FROM session WHERE account_id = %s"
    (answer, _), before = lock_sessions.overtaken(world, person.id, meanwhile, look, sign_in, world, passkey)
    answer.problem(409)
    assert world.sql(look, person.id) == before


def test_rename_and_what_is_not_ones_own(world, person):
    browser = person.browser()
    added(browser)
    [entry] = browser.get("/web/passkeys").ok()
    path = f"/web/passkeys/{entry['id']}"
    assert browser.patch(path, {"name": "<b>Mine</b>"}).ok() == entry | {"name": "<b>Mine</b>"}
    browser.patch(path, {"name": ""}).problem(400)
    other = Person(world).browser()
    other.patch(path, {"name": "Stolen"}).problem(404)
    other.post(path + "/removal", {"password": PASSWORD}).problem(404)
    browser.patch("/web/passkeys/x", {"name": "x"}).problem(404)
    browser.post("/web/passkeys/x/removal", {"password": PASSWORD}).problem(404)
    browser.post(path + "/removal", {"password": PASSWORD}).ok()
    browser.post(path + "/removal", {"password": PASSWORD}).problem(404)
    assert browser.get("/web/passkeys").ok() == []
    actions = [row[0] for row in world.sql(
        "SELECT action FROM audit_entry WHERE account_id = %s ORDER BY id", person.id)]
    assert actions == ["session.start", "passkey.add", "passkey.remove"]


def test_a_limited_number(world, person):
    browser = person.browser()
    for _ in range(PASSKEYS_MAX):
        passkey = added(browser)
    answer, _ = add(browser)
    assert "20 passkeys" in answer.problem(409)["detail"]
    other = Person(world).browser()
    assert "known already" in add(other, passkey)[0].problem(409)["detail"]


# ---- what is no passkey ----


@pytest.mark.parametrize("lies", [
    {"flags": PRESENT}, {"flags": VERIFIED}, {"host": "example.org"}, {"kind": "webauthn.create"},
    {"origin": "http://localhost"}, {"origin": "https://evil.example"}, {"crossOrigin": True},
    {"topOrigin": "https://evil.example"}, {"challenge": "AAAA"}, {"challenge": "A" * 54},
    {"user": b"x" * 16}, {"user": b"x"}])
def test_answers_that_are_lies(world, person, lies):
    passkey = added(person.browser())
    answer, browser = sign_in(world, passkey, **lies)
    answer.problem(401)
    assert not browser.is_signed_in()
    assert sign_in(world, passkey)[0].status == 200


@pytest.mark.parametrize("lies", [
    {"flags": PRESENT | HAS_KEY}, {"flags": VERIFIED | HAS_KEY}, {"flags": PRESENT | VERIFIED},
    {"host": "example.org"}, {"kind": "webauthn.get"}, {"origin": "http://127.0.0.1"},
    {"crossOrigin": True}])
def test_new_ones_that_are_lies(person, lies):
    browser = person.browser()
    assert list(add(browser, **lies)[0].faults())[0] in ("/clientDataJson", "/authenticatorData")
    assert browser.get("/web/passkeys").ok() == []


def test_a_key_that_is_none(person):
    """Keys of an algorithm that was not offered, cut off, or malformed are rejected. A key that is not on
    the curve is accepted, but cannot sign anything."""
    browser = person.browser()
    passkey = Passkey()
    right = passkey.creation("x", "y")["authenticatorData"]
    for change in (lambda data: data[:-1], lambda data: data[:60],
                   lambda data: data.replace(b"\x03\x26", b"\x03\x25"), lambda data: b"\xff" * 200):
        made = passkey.creation(challenge(browser), origin_of(browser.world))
        made["authenticatorData"] = text_of(change(bytes_of(right)))
        answer = browser.post("/web/passkeys", made | {"name": "x", "password": PASSWORD})
        assert list(answer.faults()) == ["/authenticatorData"], change


def test_a_signature_of_another_key(world, person):
    passkey, thief = added(person.browser()), Passkey()
    thief.id = passkey.id
    sign_in(world, thief)[0].problem(401)
    browser = Browser(world)
    for member in ("authenticatorData", "signature", "clientDataJson"):
        answer = answer_of(browser, passkey)
        data = bytearray(bytes_of(answer[member]))
        data[len(data) // 2] ^= 1
        browser.post("/web/session/passkey", answer | {member: text_of(bytes(data))}).problem(401)
        browser.post("/web/session/passkey", answer | {member: "%%%"}).problem(401)
        browser.post("/web/session/passkey", answer | {member: ""}).problem(400)


def test_an_answer_is_good_once(world, person):
    passkey = added(person.browser(), passkey=Passkey(count=0))
    browser = Browser(world)
    answer = answer_of(browser, passkey)
    assert browser.post("/web/session/passkey", answer).status == 200
    Browser(world).post("/web/session/passkey", answer).problem(401)


def test_a_copy_is_seen_by_its_count(world, person):
    passkey = added(person.browser())
    assert sign_in(world, passkey)[0].status == 200
    passkey.count -= 2
    sign_in(world, passkey)[0].problem(401)
    passkey.count += 5
    assert sign_in(world, passkey)[0].status == 200


def test_a_challenge_is_of_one_session(world, person):
    """A challenge of another session, or from before the sign-in, is rejected."""
    browser = person.browser()
    passkey = added(browser)
    other = Person(world).browser()
    path = "/web/account/removal"
    for foreign in (other, Browser(world), person.browser()):
        body = {"passkey": answer_of(browser, passkey, challenge=challenge(foreign))}
        assert list(browser.post(path, body).faults()) == ["/passkey"]
    lies = {"challenge": challenge(browser)}
    sign_in(world, passkey, **lies)[0].problem(401)
    assert browser.is_signed_in()


def test_a_challenge_grows_old(world, person):
    """Expired challenges are rejected, and so are those of another installation."""
    browser = person.browser()
    passkey = added(browser)
    waiting = Browser(world)
    old = challenge(waiting)
    world.sql("UPDATE site SET challenge_key = sha256('another'::bytea)")
    sign_in(world, passkey, waiting, challenge=old)[0].problem(401)
    assert sign_in(world, passkey)[0].status == 200


def test_answers_are_forgotten_when_they_are_worth_nothing(world, person):
    passkey = added(person.browser())
    world.sql("INSERT INTO used_challenge SELECT sha256(n::text::bytea), now() - interval '1 hour' "
              "FROM generate_series(1, 50) AS n")
    assert sign_in(world, passkey)[0].status == 200
    assert world.sql("SELECT count(*) FROM used_challenge WHERE used_at < now() - interval '59 min'"
                     ) == [(0,)]


def test_one_that_is_not_known(world):
    sign_in(world, Passkey())[0].problem(401)
    Browser(world).post("/web/session/passkey", {}).problem(400)


def test_no_log_has_any_of_it(world, person):
    passkey = added(person.browser())
    answer, _ = sign_in(world, passkey)
    assert answer.status == 200 and text_of(passkey.id) not in world.server.log()


# ---- where ----


@pytest.mark.parametrize("url, host, origin", [
    ("https://panels.example.org", "panels.example.org", "https://panels.example.org"),
    ("https://Panels.Example.org:8443/leds", "panels.example.org",
     "https://panels.example.org:8443"),
    ("http://localhost:1234", "localhost", "http://localhost:1234"),
    ("https://192.0.2.1", None, None), ("https://[2001:db8::1]", None, None),
    ("http://panels.example.org", None, None)])
def test_only_on_https_or_localhost(start, url, host, origin):
    world = start("--rate-limit", "0", "--public-url", url, "--plain-http-sign-in", "on")
    visitor = Browser(world)
    assert visitor.get("/web/start").ok()["passkeyHost"] == host
    person = Person(world)
    browser = person.browser()
    if host is None:
        visitor.post("/web/challenge").problem(403)
        dummy = Passkey().answer("x", url)
        visitor.post("/web/session/passkey", dummy).problem(403)
        browser.post("/web/account/removal", {"passkey": dummy}).problem(403)
        made = Passkey().creation("x", url) | {"name": "x", "password": PASSWORD}
        browser.post("/web/passkeys", made).problem(403)
        return
    made = browser.post("/web/challenge").ok()
    assert made["relyingParty"] == host
    passkey = Passkey()
    body = passkey.creation(made["challenge"], origin, host=host)
    assert browser.post("/web/passkeys", body | {"name": "x", "password": PASSWORD}).status == 201
    answer = passkey.answer(visitor.post("/web/challenge").ok()["challenge"], origin, host=host)
    assert visitor.post("/web/session/passkey", answer).status == 200


# ---- attempts ----


def test_attempts_are_limited_as_for_passwords(postgres):
    with World(postgres.create_database(), "--trust-proxy", "127.0.0.1") as world:
        person = Person(world)
        own = (("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-For", "198.51.100.1"))
        browser = Browser(world, fields=own).sign_in(person)
        passkey = added(browser)
        statuses = []
        for _ in range(40):
            statuses.append(sign_in(world, passkey, Browser(world, fields=own),
                                    flags=PRESENT)[0].status)
            if statuses[-1] == 429:
                break
        assert set(statuses) == {401, 429} and len(statuses) > 5
        # Passwords and passkeys count together; the owner can still sign in elsewhere.
        Browser(world, fields=own).try_sign_in(person.email).problem(429)
        elsewhere = Browser(world, fields=(own[0], ("X-Forwarded-For", "198.51.100.2")))
        assert sign_in(world, passkey, elsewhere)[0].status == 200


def test_passkeys_do_not_wait_behind_passwords(postgres):
    """Passkeys work while passwords are guessed from the same address and for the same account."""
    with World(postgres.create_database(), "--trust-proxy", "127.0.0.1") as world:
        person = Person(world)
        own = (("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-For", "198.51.100.1"))
        passkey = added(Browser(world, fields=own).sign_in(person))
        for number in range(40):
            Browser(world, fields=own).try_sign_in(
                person.email if number % 2 else f"{number}@example.org", OTHER_PASSWORD)
        Browser(world, fields=own).try_sign_in(person.email).problem(429)
        assert sign_in(world, passkey, Browser(world, fields=own))[0].status == 200


def test_bodies_that_are_none(world, person):
    browser = person.browser()
    for body in ([], {"credentialId": "x" * 1365}, {"clientDataJson": 1}, {"more": 1}):
        browser.post("/web/session/passkey", body).problem(400)
        browser.post("/web/passkeys", body).problem(400)
    passkey = added(browser)
    nested = json.dumps({"type": "webauthn.get", "challenge": {"x": 1}}).encode()
    answer = answer_of(browser, passkey) | {"clientDataJson": text_of(nested)}
    browser.post("/web/session/passkey", answer).problem(401)
