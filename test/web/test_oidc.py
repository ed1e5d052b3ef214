"""Sign-in by an identity provider (OpenID Connect)."""

import concurrent.futures
import contextlib
import html.parser
import http.cookiejar
import json
import os
import re
import threading
import time
import urllib.parse
import urllib.request

import issuer as issuers
import pytest
from issuer import CLIENT, SECRET, Key, code64, keyed, token
from people import PASSWORD, Browser, Person, cookie_set, make_first, wait_until


@pytest.fixture
def issuer():
    with issuers.made_up() as one:
        yield one


@pytest.fixture
def serve(start, tmp_path):
    """Starts a server with this issuer, and its first account."""
    def run(url, *more, secret=SECRET):
        arguments = ["--oidc", url, "--oidc-client", CLIENT, "--oidc-name", "Home", "--egress-allow", "127.0.0.1"]
        if secret:
            file = tmp_path / "secret"
            file.write_text(secret)
            os.chmod(file, 0o600)
            arguments += ["--oidc-secret-file", str(file)]
        world = start("--rate-limit", "0", *arguments, *more)
        make_first(world)
        return world
    return run


def begin(browser, **body):
    answer = browser.post("/web/oidc/start", body)
    return answer.ok()["url"]


def finish(browser, issuer, url):
    return browser.post("/web/oidc/session", issuer.authorize(url))


def try_sign_in(browser, issuer, **body):
    return finish(browser, issuer, begin(browser, **body))


def connect(browser, issuer):
    url = browser.post("/web/oidc/connection", {"password": PASSWORD}).ok()["url"]
    return finish(browser, issuer, url)


def identities(world):
    return world.sql("SELECT issuer, subject, label, account_id::text FROM account_identity")


def test_without_a_provider(world, browser):
    assert browser.get("/web/start").ok()["identityProvider"] is None
    assert browser.post("/web/oidc/start", {}).problem(403)["code"] == "identity_provider_missing"
    browser.post("/web/oidc/connection", {"password": PASSWORD}).problem(403)
    assert browser.post("/web/oidc/session", {"code": "x", "state": "y"}).problem(403)["code"] == "identity_provider_missing"


def test_an_identity_is_connected_and_signs_in(serve, issuer):
    world = serve(issuer.url)
    person = Person(world, email="ada@example.org")
    person.email = "ada@example.org"
    # The e-mail address alone, though verified, takes no account.
    visitor = Browser(world)
    assert visitor.get("/web/start").ok()["identityProvider"] == "Home"
    refused = try_sign_in(visitor, issuer)
    assert refused.problem(409)["code"] == "identity_unknown" and not visitor.is_signed_in()
    # Connecting needs the account's own password.
    browser = person.browser()
    browser.post("/web/oidc/connection", {"password": "not this one"}).problem(400)
    assert connect(browser, issuer).ok()["email"] == "ada@example.org"
    assert identities(world) == [(issuer.url, "ada", "ada@example.org", person.id)]
    answer = try_sign_in(visitor, issuer, staysSignedIn=True)
    assert answer.ok()["id"] == person.id and visitor.is_signed_in()
    assert "Max-Age=7776000;" in cookie_set(answer)
    assert issuer.forms[-1][1] == "Basic " + __import__("base64").b64encode(
        f"{CLIENT}:{urllib.parse.quote(SECRET, safe='')}".encode()).decode()
    # The address may change: the identity is the issuer and its subject.
    issuer.claims = {"email": "countess@example.org"}
    assert try_sign_in(Browser(world), issuer).ok()["id"] == person.id
    [entry] = browser.get("/web/identities").ok()
    assert entry["label"] == "countess@example.org" and entry["lastUsedAt"]
    # Another subject with the same address is somebody else.
    issuer.claims = {"sub": "eve"}
    try_sign_in(Browser(world), issuer).problem(409)
    issuer.claims = {}
    other = Person(world).browser()
    assert connect(other, issuer).problem(409)["code"] == "identity_used"
    other.delete(f"/web/identities/{entry['id']}").problem(404)
    browser.delete(f"/web/identities/{entry['id']}").ok()
    try_sign_in(Browser(world), issuer).problem(409)
    actions = [row[0] for row in world.sql("SELECT action FROM audit_entry WHERE account_id = %s AND action LIKE 'identity.%%' "
                                           "ORDER BY id", person.id)]
    assert actions == ["identity.connect", "identity.remove"]


def test_nothing_of_the_client_is_in_the_database(serve, issuer):
    world = serve(issuer.url)
    try_sign_in(Browser(world), issuer)
    for (table,) in world.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"):
        assert not world.sql(f"SELECT 1 FROM {table} AS one WHERE one::text LIKE '%%' || %s || '%%'", SECRET), table


@pytest.mark.parametrize("registration, claims, outcome", [
    ("open", {}, None), ("open", {"email_verified": False}, "identity_unknown"), ("open", {"email_verified": "true"}, "identity_unknown"),
    ("open", {"email": None}, "identity_unknown"), ("open", {"email": "FIRST@example.org"}, "email_used"),
    ("open", {"email": "no address"}, "identity_unknown"), ("invite", {}, "identity_unknown"), ("closed", {}, "identity_unknown")])
def test_registration_holds(serve, issuer, registration, claims, outcome):
    world = serve(issuer.url, "--registration", registration)
    issuer.claims = {"sub": "new", "email": "new@example.org", "name": "New One"} | claims
    browser = Browser(world)
    answer = try_sign_in(browser, issuer)
    if outcome:
        assert answer.problem(409)["code"] == outcome and not browser.is_signed_in()
        assert world.sql("SELECT count(*) FROM account") == [(1,)]
        return
    account = answer.ok()
    assert (account["email"], account["name"]) == ("new@example.org", "New One")
    assert not account["isAdministrator"] and not account["isReviewer"] and browser.is_signed_in()


def test_the_first_account_is_made_by_its_link(start, issuer):
    world = start("--rate-limit", "0", "--oidc", issuer.url, "--oidc-client", CLIENT, "--registration", "open",
                  "--egress-allow", "127.0.0.1")
    assert try_sign_in(Browser(world), issuer).problem(409)["code"] == "first_account_needed"


def none(header, claims):
    return token(header | {"alg": "none"}, claims, lambda data: b"")


HOSTILE = {
    "none": lambda key: {"make": none},
    "none, in capitals": lambda key: {"make": lambda header, claims: none(header, claims).replace("none", "NONE")},
    "an HMAC with the public key": lambda key: {
        "make": lambda header, claims: token(header | {"alg": "HS256"}, claims, keyed(key.pem()))},
    "an HMAC, said to be RS256": lambda key: {"make": lambda header, claims: token(header, claims, keyed(key.pem()))},
    "a key of somebody else": lambda key: {"make": lambda header, claims: token(header, claims, Key().sign)},
    "a key within the token": lambda key: {"make": lambda header, claims: token(
        header | {"jwk": Key(name="one").public(), "jku": "http://127.0.0.1:1/"}, claims, Key().sign)},
    "an unknown key": lambda key: {"headers": {"kid": "unknown"}},
    "a path as key": lambda key: {"headers": {"kid": "../../dev/null"}},
    "a key that is no text": lambda key: {"headers": {"kid": 1}},
    "an extension": lambda key: {"headers": {"crit": ["b64"], "b64": False}},
    "another algorithm": lambda key: {"headers": {"alg": "ES256"}},
    "a changed claim": lambda key: {"make": lambda header, claims: ".".join(
        [*token(header, claims, key.sign).split(".")[:1], token(header, claims | {"sub": "eve"}, key.sign).split(".")[1],
         token(header, claims, key.sign).split(".")[2]])},
    "another audience": lambda key: {"claims": {"aud": "other"}},
    "no audience": lambda key: {"claims": {"aud": None}},
    "two audiences": lambda key: {"claims": {"aud": [CLIENT, "other"]}},
    "another party": lambda key: {"claims": {"aud": [CLIENT, "other"], "azp": "other"}},
    "another issuer": lambda key: {"claims": {"iss": "https://other.example.org"}},
    "another nonce": lambda key: {"claims": {"nonce": "x" * 43}},
    "no nonce": lambda key: {"claims": {"nonce": None}},
    "an end": lambda key: {"claims": {"exp": int(time.time()) - 120}},
    "no end": lambda key: {"claims": {"exp": None}},
    "an end as text": lambda key: {"claims": {"exp": "9999999999"}},
    "not yet": lambda key: {"claims": {"nbf": int(time.time()) + 600}},
    "the future": lambda key: {"claims": {"iat": int(time.time()) + 600}},
    "no subject": lambda key: {"claims": {"sub": None}},
    "a long subject": lambda key: {"claims": {"sub": "x" * 256}},
    "a subject with a NUL": lambda key: {"claims": {"sub": "a\0b"}},
    "no token": lambda key: {"make": lambda header, claims: None},
    "a large token": lambda key: {"claims": {"more": "x" * 20000}},
    "an encrypted token": lambda key: {"make": lambda header, claims: "a.b.c.d.e"},
    "padding": lambda key: {"make": lambda header, claims: token(header, claims, key.sign) + "=="},
}


@pytest.fixture(scope="module")
def hostile(postgres):
    from people import World  # pylint: disable=import-outside-toplevel
    with issuers.made_up() as one, World(
            postgres.create_database(), "--rate-limit", "0", "--oidc", one.url, "--oidc-client", CLIENT, "--registration",
            "open", "--egress-allow", "127.0.0.1") as world:
        make_first(world)
        yield world, one


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_tokens(hostile, kind):
    world, issuer = hostile
    issuer.claims, issuer.headers, issuer.make = {}, {}, None
    for name, value in HOSTILE[kind](issuer.signer).items():
        setattr(issuer, name, value)
    browser = Browser(world)
    assert try_sign_in(browser, issuer).problem(401)["code"] == "identity_refused"
    assert not browser.is_signed_in() and not identities(world)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_algorithms(serve, issuer, algorithm):
    issuer.signer = Key(algorithm)
    issuer.keys = [issuer.signer.public()]
    world = serve(issuer.url, "--registration", "open", secret=None)
    assert try_sign_in(Browser(world), issuer).ok()
    assert issuer.forms[-1][1] is None and "client_secret" not in issuer.forms[-1][0]


def test_a_secret_in_the_body(serve, issuer):
    issuer.configuration = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    world = serve(issuer.url, "--registration", "open")
    assert try_sign_in(Browser(world), issuer).ok()
    assert issuer.forms[-1][1] is None and issuer.forms[-1][0]["client_secret"] == SECRET


def test_keys_that_cannot_be_used(serve, issuer):
    """Small RSA keys, symmetric keys, points beside the curve and keys for encryption are passed over."""
    good = issuer.signer.public()
    point = Key("ES256").public()
    issuer.keys = [Key(bits=1024).public(), {"kty": "oct", "k": code64(b"x" * 32), "kid": "one", "alg": "HS256"},
                   good | {"use": "enc"}, point | {"y": code64(b"\1" * 32), "kid": "off"}, {}, 1, None,
                   {"kty": "RSA", "n": "", "e": "AQAB"}, good | {"alg": "none"}, good | {"e": "Ag"}]
    world = serve(issuer.url, "--registration", "open")
    assert try_sign_in(Browser(world), issuer).problem(401)["code"] == "identity_refused"


def test_a_key_beside_the_curve(serve, issuer):
    issuer.signer = Key("ES256")
    issuer.keys = [issuer.signer.public(y=code64(b"\1" * 32))]
    world = serve(issuer.url, "--registration", "open")
    try_sign_in(Browser(world), issuer).problem(401)


def test_new_keys(serve, issuer):
    """A token that names an unknown key makes the server ask for the keys again, but not often."""
    world = serve(issuer.url, "--registration", "open")
    assert try_sign_in(Browser(world), issuer).ok()
    issuer.signer = Key(name="two")
    issuer.keys = [issuer.signer.public()]
    wait_until(lambda: try_sign_in(Browser(world), issuer).status == 200, "the new key")
    issuer.headers = {"kid": "never"}
    before, begun = issuer.asked.count("/keys"), time.monotonic()
    for _ in range(10):
        try_sign_in(Browser(world), issuer).problem(401)
    # Each of the two workers asks once in 10 s.
    assert issuer.asked.count("/keys") <= before + 2 * (1 + (time.monotonic() - begun) // 10)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"{}", b"[" * 100000, b'{"keys": 1}',
                                  b'{"keys": [' + b'{"kty": "RSA"},' * 40000 + b"{}]}", b"x" * 3_000_000],
                         ids=range(8))
def test_hostile_keys(serve, issuer, body):
    """Neither odd nor huge keys stop a sign-in with a password."""
    issuer.bodies["/keys"] = body
    world = serve(issuer.url, "--registration", "open")
    person = Person(world)
    with world.impatient():
        assert try_sign_in(Browser(world), issuer).status in (401, 503)
    assert person.browser().is_signed_in()


@pytest.mark.parametrize("change", [{"issuer": "https://other.example.org"}, {"issuer": None}, {"token_endpoint": None},
                                    {"authorization_endpoint": "http://other.example.org/"}, {"jwks_uri": "file:///etc/passwd"},
                                    {"token_endpoint": "http://169.254.169.254/"}, {"authorization_endpoint": "javascript:alert(1)"},
                                    {"jwks_uri": "https://x.example.org/\r\nHost: y"}])
def test_hostile_configurations(serve, issuer, change):
    issuer.configuration = change
    world = serve(issuer.url)
    with world.impatient():
        answer = Browser(world).post("/web/oidc/start", {})
    assert answer.problem(503)["code"] == "identity_provider_unavailable" and answer["Retry-After"]


def test_a_dead_issuer(serve, issuer):
    world = serve(issuer.url)
    person = Person(world)
    browser = Browser(world)
    back = issuer.authorize(begin(browser))
    issuer.close()
    with world.impatient():
        assert browser.post("/web/oidc/session", back).problem(503)["code"] == "identity_provider_unavailable"
    assert person.browser().is_signed_in()


def test_a_slow_issuer(serve, issuer):
    """Sign-ins that wait for it hold neither those with a password nor each other's beginnings."""
    issuer.hold = threading.Event()
    world = serve(issuer.url)
    person = Person(world)
    try:
        with world.impatient(), concurrent.futures.ThreadPoolExecutor(100) as strangers:
            begun = [strangers.submit(lambda: Browser(world).post("/web/oidc/start", {})) for _ in range(100)]
            wait_until(lambda: issuer.asked, "a request of the server")
            assert person.browser().is_signed_in()
            assert len(issuer.asked) <= 2  # each of the two workers asks once
            issuer.hold.set()
            assert {one.result().status for one in begun} == {200}
    finally:
        issuer.hold.set()


def test_doubled_members(serve, issuer):
    """Readers differ in which of two members they find: such a token is none."""
    def make(header, claims):
        text = json.dumps(claims)[:-1] + ', "sub": "eve"}'
        data = f"{code64(json.dumps(header).encode())}.{code64(text.encode())}"
        return f"{data}.{code64(issuer.signer.sign(data.encode()))}"
    issuer.make = make
    world = serve(issuer.url, "--registration", "open")
    assert try_sign_in(Browser(world), issuer).problem(401)["code"] == "identity_refused"


def test_an_issuer_that_was_never_there(serve):
    with issuers.made_up() as one:
        pass
    world = serve(one.url)
    person = Person(world)
    with world.impatient():
        for _ in range(3):
            Browser(world).post("/web/oidc/start", {}).problem(503)
    assert person.browser().is_signed_in()


def test_the_state_is_of_this_browser_and_used_once(serve, issuer):
    world = serve(issuer.url, "--registration", "open")
    victim, attacker = Browser(world), Browser(world)
    back = issuer.authorize(begin(attacker))
    # Somebody who is led to the attacker's answer is not signed in to the attacker's account.
    refused = victim.post("/web/oidc/session", back)
    assert refused.problem(401)["code"] == "identity_refused"
    begin(victim)
    victim.post("/web/oidc/session", back).problem(401)
    assert not issuer.forms  # the code was not even shown to the issuer
    cookie = attacker.issuer
    answer = attacker.post("/web/oidc/session", back)
    assert answer.ok() and attacker.issuer is None
    attacker.issuer = cookie[:-1] + ("A" if cookie[-1] != "A" else "B")
    attacker.post("/web/oidc/session", back).problem(401)
    # Pages of other sites cannot begin or end one.
    for path, body in (("/web/oidc/start", {}), ("/web/oidc/session", back)):
        victim.post(path, body, fields=[("Sec-Fetch-Site", "cross-site")]).problem(403)
    assert re.search("HttpOnly; SameSite=Strict", cookie_set(victim.post("/web/oidc/start", {}), "displayd_issuer"))


def test_a_connection_is_of_its_session(serve, issuer):
    world = serve(issuer.url)
    one, other = Person(world).browser(), Person(world).browser()
    url = one.post("/web/oidc/connection", {"password": PASSWORD}).ok()["url"]
    back = issuer.authorize(url)
    other.issuer = one.issuer
    other.post("/web/oidc/session", back).problem(401)
    stranger = Browser(world)
    stranger.issuer = one.issuer
    stranger.post("/web/oidc/session", back).problem(401)
    one.delete("/web/session").ok()
    one.post("/web/oidc/session", back).problem(401)
    assert not identities(world)


def test_ending_all_access_ends_identities(serve, issuer):
    world = serve(issuer.url)
    browser = Person(world).browser()
    connect(browser, issuer).ok()
    browser.post("/web/account/access/removal", {"password": PASSWORD}).ok()
    assert not identities(world)


# ---- a real issuer ----

class Form(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.action, self.fields = None, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = found["action"]
        if tag == "input" and found.get("name"):
            self.fields[found["name"]] = found.get("value") or ""


class Back(Exception):
    """The issuer leads back."""


class Stop(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if urllib.parse.urlsplit(newurl).path.endswith("/sign-in"):
            raise Back(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def visit(url, name):
    """Signs in there as this name, and agrees. Returns the answer that leads back."""
    opener = urllib.request.build_opener(Stop(), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    try:
        page = opener.open(url)
        for _ in range(3):
            form = Form(page.read().decode())
            fields = form.fields | {key: name for key in ("login", "password") if key in form.fields}
            page = opener.open(urllib.parse.urljoin(page.url, form.action), urllib.parse.urlencode(fields).encode())
    except Back as back:
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(str(back)).query))
    raise AssertionError("it does not lead back")


def test_a_real_issuer(serve):
    redirect = "http://localhost:8000/panels/sign-in"
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(issuers.real(redirect))
        world = serve(url, "--registration", "open", "--public-url", redirect.removesuffix("/sign-in"))
        browser = Browser(world)
        back = visit(begin(browser), "ada")
        assert back["iss"] == url
        account = browser.post("/web/oidc/session", {"code": back["code"], "state": back["state"]}).ok()
        assert account["email"] == "ada@example.org" and account["name"] == "The ada"
        again = Browser(world)
        back = visit(begin(again), "ada")
        assert again.post("/web/oidc/session", {"code": back["code"], "state": back["state"]}).ok()["id"] == account["id"]
        # A code is good once: the issuer refuses it.
        third = Browser(world)
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(begin(third)).query)["state"][0]
        assert third.post("/web/oidc/session", {"code": back["code"], "state": state}).problem(401)["code"] == "identity_refused"
