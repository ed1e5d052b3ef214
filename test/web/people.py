"""Browsers and the people who use them.

    browser = Browser(world)
    browser.sign_in(account)         # keeps the cookie that it is given
    browser.get("/web/keys").ok()

Every answer must be one that docs/api/pages knows, and carry the fields that keep browsers
from doing more with it.
"""

import os
import re
import secrets
import sys
import uuid

import psycopg2

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "api")]

# pylint: disable=wrong-import-position
from world import (SECRETS, TIMESTAMP, UNKNOWN_ID, Device, World, new_key,  # noqa: E402
                   repeat_if_busy, request_bytes, sha256, told_of, validate, wait_until)

CONTRACT = validate.Contract(validate.read_document(validate.WEB_DOCUMENT), "/web/")
PASSWORD = "correct horse battery"
OTHER_PASSWORD = "staple of the stable"
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OWN_PAGE = (("Sec-Fetch-Site", "same-origin"),)


KNOWN = "displayd_browser"
ISSUER = "displayd_issuer"  # of a sign-in by an identity provider


def cookie_set(answer, name="displayd_session"):
    """The Set-Cookie header of this cookie, with or without __Host-."""
    [found] = [value for field, value in answer.fields if field.lower() == "set-cookie"
               and value.removeprefix("__Host-").startswith(name + "=")]
    return found


class Browser:
    """fields: headers that show where a request comes from. cookie: NAME=VALUE of the session, or None.
    known: the same of the cookie that marks a browser in which somebody has signed in."""

    def __init__(self, world, fields=OWN_PAGE, user_agent="a test"):
        self.world = world
        self.fields = fields
        self.user_agent = user_agent
        self.cookie = None
        self.known = None
        self.issuer = None

    def request(self, method, target, fields=None, cookie=True, host="127.0.0.1", **options):
        fields = list(self.fields if fields is None else fields)
        cookies = [one for one in (self.cookie, self.known, self.issuer) if one]
        if cookie and cookies:
            fields.append(("Cookie", "; ".join(cookies)))
        fields.append(("User-Agent", self.user_agent))
        data = request_bytes(method, target, fields=fields, **options)
        data = data.replace(b"Host: test", b"Host: " + host.encode(), 1)

        def ask():
            with self.world.client() as client:
                client.send(data)
                return client.answer(method)

        answer = repeat_if_busy(ask, told_of) if self.world.is_patient else ask()
        CONTRACT.check(method, target, answer.status, answer.fields, answer.body)
        is_endpoint = CONTRACT.template_of(target.split("?")[0]) and method != "OPTIONS"
        if is_endpoint and "Connection" not in answer:  # a malformed request ends the connection
            for name, value in SECURITY.items():
                assert answer[name] == value
        self.keep_cookie(answer)
        return answer

    def keep_cookie(self, answer):
        for name, value in answer.fields:
            if name.lower() == "set-cookie":
                pair = value.split(";")[0]
                name, secret = pair.split("=", 1)
                SECRETS.add(secret or "no secret was set")
                if name.endswith(KNOWN):
                    self.known = pair
                elif name.endswith(ISSUER):
                    self.issuer = pair if secret else None
                else:
                    self.cookie = pair if secret else None

    def get(self, target, **options):
        return self.request("GET", target, **options)

    def post(self, target, body=None, **options):
        return self.request("POST", target, body=body, **options)

    def patch(self, target, body, **options):
        return self.request("PATCH", target, body=body, **options)

    def delete(self, target, **options):
        return self.request("DELETE", target, **options)

    def try_sign_in(self, email, password=PASSWORD, **options):
        return self.post("/web/session", {"email": email, "password": password}, **options)

    def sign_in(self, person, password=PASSWORD):
        assert self.try_sign_in(person.email, password).status == 200
        return self

    def is_signed_in(self):
        return self.get("/web/account").status == 200


class Person:
    """An account with a password, inserted into the database directly. The server made the hash earlier."""

    def __init__(self, world, **columns):
        self.world = world
        self.id = str(uuid.uuid4())
        self.email = f"{secrets.token_hex(8)}@example.org"
        values = {"id": self.id, "email": self.email, "name": "Some One",
                  "password_hash": password_hash(world), **columns}
        world.sql(f"INSERT INTO account ({', '.join(values)}) "
                  f"VALUES ({', '.join(['%s'] * len(values))})", *values.values())

    def browser(self, **options):
        return Browser(self.world, **options).sign_in(self)

    def device(self):
        """The ID of a new device, which no panel can reach."""
        device = str(uuid.uuid4())
        self.world.sql("INSERT INTO device (id, account_id, name, link_key_hash) "
                       "VALUES (%s, %s, 'Desk', %s)", device, self.id, secrets.token_bytes(32))
        return device

    def key(self):
        key = new_key()
        self.world.sql("INSERT INTO api_key (id, account_id, name, secret_hash) "
                       "VALUES (%s, %s, 'older', %s)", str(uuid.uuid4()), self.id, sha256(key))
        return key


def first_token(world):
    """Token of the link that the server printed at its start."""
    return re.search(r"/link#([0-9A-Za-z]{43})\b", world.server.log())[1]


def make_first(world, browser=None):
    """Uses that link: a signed-in administrator."""
    browser = browser or Browser(world)
    answer = browser.post("/web/links/use", {
        "token": first_token(world), "email": "first@example.org", "name": "First",
        "password": PASSWORD})
    assert answer.status == 200, answer
    return browser


def password_hash(world):
    """Hash of PASSWORD."""
    found = world.sql("SELECT password_hash FROM account WHERE email = 'first@example.org'")
    if not found:
        make_first(world)
        found = world.sql("SELECT password_hash FROM account WHERE email = 'first@example.org'")
    return found[0][0]


def token_of(link):
    return link.split("#")[1]


class SignInUnderWay:
    """A sign-in that has done its work but is not committed until the block ends. Its browser's cookie
    works from then on."""

    def __init__(self, person):
        self.person = person
        self.token = secrets.token_hex(22)[:43]
        self.browser = Browser(person.world)
        self.browser.cookie = f"displayd_session={self.token}"

    def __enter__(self):
        self.connection = psycopg2.connect(self.person.world.database)
        with self.connection.cursor() as cursor:
            cursor.execute("UPDATE account SET last_sign_in_at = clock_timestamp() WHERE id = %s",
                           [self.person.id])
            cursor.execute("INSERT INTO session (id, account_id, secret_hash, address, user_agent) "
                           "VALUES (gen_random_uuid(), %s, sha256(%s::bytea), '', '')",
                           [self.person.id, self.token])
        return self

    def __exit__(self, *_):
        try:
            wait_until(lambda: self.person.world.sql(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event IN ('transactionid', 'tuple') "
                "AND datname = current_database()"), "a statement that waits for the sign-in")
        finally:
            self.connection.commit()
            self.connection.close()


__all__ = ["Browser", "CONTRACT", "Device", "OTHER_PASSWORD", "OWN_PAGE", "PASSWORD", "Person",
           "request_bytes",
           "SECRETS", "SECURITY", "SignInUnderWay", "TESTS", "TIMESTAMP", "UNKNOWN_ID", "World", "first_token", "make_first", "sha256",
           "token_of", "wait_until"]
