"""Networks that guess, and clients that sign in nevertheless: other networks, and known browsers."""

import base64
import hashlib
import itertools
import secrets
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from people import OTHER_PASSWORD, PASSWORD, Person, token_of, wait_until
from strangers import (ADDRESS_BURST, NETWORK_BURST, PAIR_BURST, Guessers, from_address, until_refused,
                       use_up)


@pytest.mark.parametrize("of_network, elsewhere", [
    ("2001:db8:77:{:x}::1", "2001:db8:78::1"), ("192.0.2.{}", "192.0.3.1")], ids=["IPv6", "IPv4"])
def test_a_network_is_limited_whatever_its_addresses(limited, of_network, elsewhere):
    """Each guess comes from another address of the network, at another account."""
    numbers = iter(range(1, 250))

    def guess():
        number = next(numbers)
        return from_address(limited, of_network.format(number)).try_sign_in(
            f"{number}@example.org", OTHER_PASSWORD)

    statuses = until_refused(guess, 249)
    assert len(statuses) > NETWORK_BURST and set(statuses) == {401, 429}
    # Another network still signs in.
    assert from_address(limited, elsewhere).try_sign_in(
        "nobody@example.org", OTHER_PASSWORD).status == 401


def test_addresses_of_a_subscriber_are_limited_together(limited):
    numbers = iter(range(1, 250))
    statuses = until_refused(lambda: from_address(limited, f"2001:db8:80::{next(numbers):x}").try_sign_in(
        f"{next(numbers)}@example.org", OTHER_PASSWORD), 120)
    assert ADDRESS_BURST < len(statuses) < NETWORK_BURST


def test_only_what_fails_counts(limited):
    person = Person(limited)
    for _ in range(ADDRESS_BURST + 5):
        assert from_address(limited, "198.18.1.1").try_sign_in(person.email).status == 200
    maker = from_address(limited, "198.18.1.3").sign_in(Person(limited, is_administrator=True))
    link = maker.post("/web/admin/invitations", {}).json()
    browser = from_address(limited, "198.18.1.2")
    for _ in range(ADDRESS_BURST + 5):
        assert browser.post("/web/links/look", {"token": token_of(link["url"])}).status == 200


def test_a_full_lane_is_no_attempt(limited):
    """A 503 for an unchecked password does not count as an attempt."""
    numbers = itertools.count()

    def guess(_=None):
        number = next(numbers)
        return from_address(limited, f"198.18.2.{1 + number % 250}").try_sign_in(
            f"{number}@example.org", OTHER_PASSWORD)

    with limited.impatient(), ThreadPoolExecutor(NETWORK_BURST) as pool:
        statuses = [answer.status for answer in pool.map(guess, range(NETWORK_BURST))]
    assert set(statuses) <= {401, 503}
    statuses += until_refused(guess, 249)
    assert statuses.count(401) >= NETWORK_BURST


def test_others_sign_in_beside_guesses_from_a_network(start):
    """Clients of other networks sign in, but none of the guessers' own network."""
    world = start("--trust-proxy", "127.0.0.1")
    people = [Person(world) for _ in range(10)]
    with world.impatient(), Guessers(world, 200) as guessers:
        wait_until(lambda: len(guessers.statuses) > 100, "many guesses")
        statuses = [from_address(world, f"2001:db8:{number}::1").try_sign_in(person.email).status
                    for number, person in enumerate(people, 200)]
    assert statuses.count(200) >= 9, statuses
    assert set(guessers.statuses) <= {401, 429, 503}


# ---- known browsers ----


def test_a_known_browser_does_not_wait_behind_its_address(limited):
    person = Person(limited)
    browser = from_address(limited, "198.18.3.1").sign_in(person)
    browser.delete("/web/session").ok()
    assert browser.cookie is None and browser.known
    use_up(limited, "198.18.3.1")
    from_address(limited, "198.18.3.1").try_sign_in(person.email).problem(429)
    # A known browser waits neither for its address nor for guesses at its account.
    for number in range(30):
        from_address(limited, f"198.18.4.{number}").try_sign_in(person.email, OTHER_PASSWORD)
    assert browser.try_sign_in(person.email).status == 200
    # The cookie does not name an account: another person who signs in with it is known as well.
    assert browser.try_sign_in(Person(limited).email).status == 200
    # The session alone has the same effect.
    browser.known = None
    body = {"currentPassword": PASSWORD, "password": "another sentence of words"}
    assert browser.post("/web/account/password", body).status == 200


def test_a_known_browser_cannot_guess_either(limited):
    person, other = Person(limited), Person(limited)
    browser = from_address(limited, "198.18.5.1").sign_in(person)
    browser.delete("/web/session").ok()
    statuses = until_refused(lambda: browser.try_sign_in(other.email, OTHER_PASSWORD), 60)
    assert 2 * PAIR_BURST <= len(statuses) - 1 < 2 * ADDRESS_BURST and set(statuses) == {401, 429}
    # A copy of the cookie has no bucket of its own.
    copy = from_address(limited, "198.18.6.1")
    copy.known = browser.known
    statuses = until_refused(lambda: copy.try_sign_in(other.email, OTHER_PASSWORD), 60)
    assert len(statuses) < 2 * PAIR_BURST


def test_the_cookie_of_a_known_browser(limited):
    """A repeated sign-in keeps the bucket of the cookie, and no two browsers have the same."""
    person = Person(limited)
    browser = from_address(limited, "198.18.7.1").sign_in(person)
    first = browser.known
    assert browser.try_sign_in(person.email).status == 200
    assert ids_of([browser.known]) == ids_of([first])
    others = [from_address(limited, "198.18.7.1").sign_in(person).known for _ in range(5)]
    assert len(ids_of([first, *others])) == 6
    for value in (person.id, person.id.replace("-", ""), person.email):
        assert value not in first
    assert uuid.UUID(person.id).bytes not in decoded(first)
    assert hashlib.sha256(person.email.encode()).digest()[:8] not in decoded(first)
    # The cookie grants no access.
    browser.cookie = None
    browser.get("/web/account").problem(401)


def decoded(cookie):
    return base64.urlsafe_b64decode(cookie.split("=")[1])


def ids_of(cookies):
    return {decoded(cookie)[4:20] for cookie in cookies}


def key_file(folder):
    """Path of a secret key that no other server has."""
    key = folder / "secret-key"
    key.write_text(secrets.token_hex(32))
    key.chmod(0o600)
    return "--secret-key-file", str(key)


def test_made_up_cookies_are_no_known_browsers(limited, start, tmp_path):
    person = Person(limited)
    known = from_address(limited, "198.18.8.1").sign_in(person).known
    name, value = known.split("=")
    data = decoded(known)
    other = start("--trust-proxy", "127.0.0.1", *key_file(tmp_path))
    foreign = from_address(other, "198.18.8.1").sign_in(Person(other)).known
    browser = from_address(limited, "198.18.8.1")

    def is_refused(cookie):
        """Whether known browsers are refused. The limit grows with time, so a late try proves nothing; a
        known browser never reaches it."""
        for _ in range(100):
            use_up(limited, "198.18.8.1")
            browser.known = cookie  # a successful try replaces it
            if browser.try_sign_in(person.email).status == 429:
                return True
        return False

    forged = [base64.urlsafe_b64encode(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]).decode()
              for at in range(0, len(data), 5)]
    for text in [*forged, "", "x", "A" * 48, value[:-1], value + "A", value.swapcase(), f'"{value}"',
                 foreign.split("=")[1]]:
        assert is_refused(f"{name}={text}"), text
    # Send it twice: another site of the same host may have set one.
    assert is_refused(f"{known}; {known}")
    browser.known = known
    assert browser.try_sign_in(person.email).status == 200


def test_other_instances_know_it(start, postgres, tmp_path):
    """Other instances with the same secret key know the browser."""
    database = postgres.create_database()
    options = ("--trust-proxy", "127.0.0.1", *key_file(tmp_path))
    one, other = start(*options, database=database), start(*options, database=database)
    person = Person(one)
    browser = from_address(one, "198.18.9.1").sign_in(person)
    use_up(other, "198.18.9.1")
    browser.world, browser.cookie = other, None
    for _ in range(8):  # workers
        assert browser.try_sign_in(person.email).status == 200
        browser.cookie = None


def test_an_account_makes_few_known_browsers(limited):
    """Without a limit, one account could create any number of buckets."""
    person = Person(limited)
    known = [from_address(limited, "198.18.10.1").sign_in(person).known for _ in range(30)]
    assert 20 <= len([one for one in known if one]) < 25
    assert known[0] and not known[-1]


def test_signing_in_brings_no_attempts_at_others(limited):
    """A session of an account that guesses at another account each time is not a new visitor."""
    own, counts = Person(limited), []
    browser = from_address(limited, "198.18.12.1")
    for _ in range(14):
        if browser.try_sign_in(own.email).status == 429:
            return  # its own sign-in is refused, too
        browser.known = None
        guesses = [browser.try_sign_in(f"{secrets.token_hex(8)}@example.org", OTHER_PASSWORD).status
                   for _ in range(PAIR_BURST)]
        counts.append(guesses.count(401))
    assert min(counts) < PAIR_BURST, counts  # a bucket for each session would allow all


def test_many_known_browsers_have_no_more_attempts_at_an_account(limited):
    """Collected cookies give no more attempts at an account."""
    victim, own = Person(limited), Person(limited)
    cookies = [from_address(limited, f"198.18.13.{number}").sign_in(own).known for number in range(1, 16)]
    browser, statuses = from_address(limited, "198.18.14.1"), []
    for cookie in cookies:
        browser.known = cookie
        statuses += [browser.try_sign_in(victim.email, OTHER_PASSWORD).status for _ in range(PAIR_BURST)]
    assert statuses.count(401) < 100 and 429 in statuses[-PAIR_BURST:]
