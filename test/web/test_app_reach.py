"""Addresses that apps can reach before they are installed, on a server of its own with --egress-allow."""

import http.server
import os
import threading

import pytest
from authors import Author
from devices import poll_answer
from forms import Entry, Owner, needs, publish
from people import Person, World, wait_until
from rendered import installed
from server import CtlError

pytestmark = [*needs("starlark"), pytest.mark.skipif(
    not os.environ.get("HAS_EGRESS"), reason="built without the egress")]

ASKS = """
load("http.star", "http")
load("render.star", "render")
load("schema.star", "schema")

def ask():
    return http.get("URL/" + WHERE).body()

def main(config):
    print("got", ask())
    return []

def find(pattern):
    return [schema.Option(display = ask(), value = "x")]

def get_schema():
    return schema.Schema(version = "1", fields = FIELDS)
"""
PLAIN = """[
        schema.Typeahead(id = "found", name = "Found", desc = "Search", icon = "gear", handler = find)]"""
LATE = """[schema.Text(id = "a", name = ask(), desc = "A", icon = "gear")]"""


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"secret")


@pytest.fixture(scope="module")
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        running.seen = []
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(scope="module")
def people(postgres):
    with World(postgres.create_database(), "--rate-limit", "0",
               "--egress-allow", "127.0.0.0/8") as world:
        yield Author(world), Person(world, is_reviewer=True).browser(), Owner(world)


@pytest.fixture(scope="module")
def administrator(people):
    return Person(people[2].person.world, is_administrator=True).browser()


def script(server, fields, where):
    url = f"http://127.0.0.1:{server.server_address[1]}"
    return (ASKS.replace("FIELDS", fields).replace("URL", url)
            .replace("WHERE", f'"{where}"'))


def refused(answer):
    return "not public" in answer.ok()["problem"]["message"]


def test_drafts_reach_public_addresses_only(people, server):
    author, _, _ = people
    body = {"scriptLanguage": "STARLARK", "scriptContent": script(server, PLAIN, "draft")}
    app = author.make()
    assert refused(author.browser.post(app.path + "/preview", body))
    assert refused(author.browser.post(app.path + "/handler",
                                       {**body, "fieldId": "found", "parameter": "x"}))
    assert "/draft" not in server.seen


def test_versions_in_review_reach_public_addresses_only(people, server):
    author, reviewer, _ = people
    version = author.make().submitted("1.0", script(server, PLAIN, "review"))
    assert refused(reviewer.post(f"/web/reviews/{version}/preview", {}))
    assert refused(reviewer.post(f"/web/reviews/{version}/handler",
                                 {"fieldId": "found", "parameter": "x"}))
    assert "/review" not in server.seen


def test_what_is_installed_reaches_what_is_allowed(people, server):
    author, reviewer, owner = people
    app = publish(author, reviewer, script(server, PLAIN, "app"))
    assert refused(owner.preview(app))
    assert refused(owner.ask(app, "found", "x"))
    assert "/app" not in server.seen
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    assert owner.preview(app, installationId=entry.id).ok()["log"] == ["got secret"]
    assert owner.ask(app, "found", "x", deviceId=owner.device,
                     installationId=entry.id).ok()["options"][0]["display"] == "secret"
    # Its answer is cached, but not for accounts that have not installed the app.
    assert refused(owner.preview(app))


def mark(administrator, owner, reaches_local):
    changed = administrator.patch(f"/web/admin/accounts/{owner.person.id}", {"reachesLocal": reaches_local}).ok()
    assert changed["reachesLocal"] is reaches_local


def test_marked_accounts_preview_what_is_open(people, server, administrator):
    """The mark lets previews of deployed versions reach local addresses, but not those of drafts."""
    author, reviewer, owner = people
    app = publish(author, reviewer, script(server, PLAIN, "marked"))
    told = owner.preview(app).ok()["problem"]["message"]
    assert told.endswith("not public: only installed apps can reach it; an administrator can open local addresses to "
                         "this account: Administration, Accounts"), told
    assert refused(owner.ask(app, "found", "x"))
    assert "/marked" not in server.seen
    mark(administrator, owner, True)
    try:
        assert owner.preview(app).ok()["log"] == ["got secret"]
        assert owner.ask(app, "found", "x").ok()["options"][0]["display"] == "secret"
        body = {"scriptLanguage": "STARLARK", "scriptContent": script(server, PLAIN, "own")}
        own = owner.browser.post("/web/studio", {"name": "Own", "slug": "own-of-marked"}).json()
        told = owner.browser.post(f"/web/studio/{own['slug']}/preview", body).ok()["problem"]["message"]
        assert "drafts and versions in review can reach public addresses only" in told
        assert "/own" not in server.seen
    finally:
        mark(administrator, owner, False)
    # The answer is cached, but not for other accounts.
    assert refused(owner.preview(app))


def test_administrators_are_not_marked_by_their_role(people, server, administrator):
    author, reviewer, owner = people
    app = publish(author, reviewer, script(server, PLAIN, "role"))
    path = f"/web/admin/accounts/{owner.person.id}"
    assert administrator.patch(path, {"isAdministrator": True}).ok()["reachesLocal"] is False
    assert refused(owner.preview(app))
    administrator.patch(path, {"isAdministrator": False}).ok()


def test_displayctl_marks_accounts(people):
    _, _, owner = people
    [(email,)] = owner.person.world.sql("SELECT email FROM account WHERE id = %s", owner.person.id)

    def ctl(*arguments):
        return owner.person.world.server.ctl("account", *arguments)

    assert ctl("show", email)["reachesLocal"] is False
    assert ctl("previews", email.upper(), "local")["reachesLocal"] is True
    assert next(entry for entry in ctl("list") if entry["email"] == email)["reachesLocal"] is True
    assert ctl("previews", email, "public")["reachesLocal"] is False
    for arguments, code in (((email, "all"), 2), (("nobody@example.org", "local"), 3)):
        with pytest.raises(CtlError) as failed:
            ctl("previews", *arguments)
        assert failed.value.code == code


def test_the_first_account_is_marked(start):
    """The first account is marked, whether displayctl makes it, as here, or its link, as in test_first_run.py."""
    ctl = start().server.ctl
    made = [ctl("account", "create", f"{name}@example.org") for name in "ab"]
    changed = [ctl("account", "limit", account["email"], "default") for account in made]
    assert [account["reachesLocal"] for account in changed] == [True, False]


@pytest.fixture
def closed(administrator):
    assert administrator.get("/web/admin/instance").ok()["appsReachLocal"] is True
    assert administrator.patch("/web/admin/instance", {"appsReachLocal": False}).ok()["appsReachLocal"] is False
    yield
    assert administrator.patch("/web/admin/instance", {"appsReachLocal": True}).ok()["appsReachLocal"] is True


@pytest.mark.usefixtures("closed")
def test_an_administrator_closes_what_is_open(people, server, administrator):
    author, reviewer, owner = people
    app = publish(author, reviewer, script(server, PLAIN, "closed"))
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    told = owner.preview(app, installationId=entry.id).ok()["problem"]["message"]
    assert told.endswith("not public: an administrator has closed local addresses: "
                         "Administration, Instance"), told
    assert "/closed" not in server.seen
    owner.browser.patch("/web/admin/instance", {"appsReachLocal": True}).problem(403)
    for body in ({}, {"appsReachLocal": None}, {"appsReachLocal": 1}):
        administrator.patch("/web/admin/instance", body).problem(400)
    log = administrator.get("/web/admin/audit?q=instance.network").ok()
    assert (log[0]["action"], log[0]["target"]) == ("instance.network", "public")


RENDERED = """
load("http.star", "http")
load("render.star", "render")

def main(config):
    http.get("URL/rendered")
    return render.Root(child = render.Box(color = "#00f"))
"""


@pytest.mark.usefixtures("closed")
def test_what_is_closed_is_closed_to_panels(people, server):
    """Installed apps on panels fail with the same message."""
    author, reviewer, owner = people
    text = RENDERED.replace("URL", f"http://127.0.0.1:{server.server_address[1]}")
    app = publish(author, reviewer, text)
    made = installed(owner.browser, app)
    device, entry = made["device"]["id"], made["entry"]

    def failed():
        poll_answer(owner.person.world, made["link"])
        problem = owner.browser.get(f"/web/devices/{device}/rotation/{entry}/render").ok()["problem"]
        return problem and "closed local addresses" in problem["message"]

    wait_until(failed, "the failure")
    assert "/rendered" not in server.seen


def test_a_form_that_is_only_looked_at_asks_nobody(people, server):
    author, reviewer, owner = people
    app = publish(author, reviewer, script(server, LATE, "form"))
    for _ in range(2):
        form = owner.browser.get(f"/web/apps/{app.slug}/schema").ok()
        assert form["fields"] == [] and "no network here" in form["problem"]["message"]
    assert refused(owner.preview(app))
    assert "/form" not in server.seen
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    assert entry.shown()["fields"][0]["name"] == "secret"


def hosts_of(browser, app):
    return browser.get(f"/web/apps/{app.slug}").ok()["hosts"]


def test_hosts_of_previews_and_handlers_are_on_the_apps_page(people, server):
    author, reviewer, owner = people
    for ask in (lambda app, entry: owner.preview(app, installationId=entry.id),
                lambda app, entry: owner.ask(app, "found", "x", deviceId=owner.device,
                                             installationId=entry.id)):
        app = publish(author, reviewer, script(server, PLAIN, "named"))
        entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                                {"app": app.slug}).json()["id"])
        assert hosts_of(owner.browser, app) == []
        ask(app, entry).ok()
        wait_until(lambda app=app: hosts_of(owner.browser, app) == ["127.0.0.1"], "the host")
        app.publish(reviewer, "2.0", script(server, "[]", "other"))
        assert hosts_of(owner.browser, app) == ["127.0.0.1"]
        author.browser.get(app.path + "/renders").ok()


def test_a_host_that_somebody_types_is_not_named(people, server):
    author, reviewer, owner = people
    text = script(server, PLAIN, "typed").replace(
        "display = ask()", f'display = http.get("http://" + pattern + ":{server.server_address[1]}/t").body()')
    app = publish(author, reviewer, text)
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    members = {"deviceId": owner.device, "installationId": entry.id}
    assert owner.ask(app, "found", "127.0.0.1", **members).ok()["options"][0]["display"] == "secret"
    assert owner.ask(app, "found", "127.0.0.2", **members).ok()["problem"]
    assert hosts_of(owner.browser, app) == []


BAD_FORM = """
load("random.star", "random")
load("schema.star", "schema")

def main(config):
    return []

def get_schema():
    fail("number %d" % random.number(0, 1000000000))
"""


def test_a_form_that_fails_is_not_run_again_at_once(people):
    author, reviewer, owner = people
    app = publish(author, reviewer, BAD_FORM)
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])

    def looked_at():
        return owner.browser.get(f"/web/apps/{app.slug}/schema").ok()["problem"]

    first = looked_at()
    assert "number" in first["message"] and first["line"] == 9 and looked_at() == first
    # An installed app may reach more addresses, so its form is run again.
    [installed] = {entry.shown()["problem"]["message"] for _ in range(2)}
    assert installed != first["message"]
    assert owner.preview(app, installationId=entry.id).ok()["problem"]["message"] == installed
    owner.person.world.sql("UPDATE app_schema_failure SET made_at = now() - interval '1 minute'")
    assert looked_at()["message"] != first["message"]
    for locale in range(30):
        owner.person.world.sql("UPDATE device SET locale = 'aa-' || %s WHERE id = %s", 10 + locale,
                               owner.device)
        owner.browser.get(f"/web/apps/{app.slug}/schema?deviceId={owner.device}").ok()
    assert owner.person.world.sql(
        "SELECT count(*) FROM app_schema_failure JOIN app ON deployed_version_id = version_id "
        "WHERE app.id = %s", app.id)[0][0] <= 20


def test_disabled(people, server):
    author, reviewer, owner = people
    app = publish(author, reviewer, script(server, PLAIN, "disabled"))
    entry = Entry(owner, owner.browser.post(f"/web/devices/{owner.device}/apps",
                                            {"app": app.slug}).json()["id"])
    owner.person.world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", app.id)
    assert "an administrator has disabled this app" in entry.shown()["unavailable"]
