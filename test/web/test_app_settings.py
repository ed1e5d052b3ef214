"""The settings of installations, and those that are secret."""

import hashlib
import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from forms import (MADE, PLAIN, Entry, Owner, author, needs, owner, plain, pointers, publish,
                   reviewer)
from people import Browser, wait_until

__all__ = ["author", "owner", "plain", "reviewer"]  # fixtures
pytestmark = needs("starlark")


# ---- settings ----

def test_settings_of_an_installation(owner, plain):
    entry = owner.installed(plain, text="one", color="FFAA00")
    shown = entry.shown()
    assert shown["app"] == {"id": plain.id, "slug": plain.slug, "name": "Clock"}
    assert shown["settings"] == {"text": "one", "color": "#ffaa00"} and shown["secrets"] == []
    assert shown["version"] == "1.0" and len(shown["fields"]) == 8
    entry.set(text="two").ok()
    assert entry.shown()["settings"] == {"text": "two"}
    assert pointers(entry.set(on="x", kind="")) == {"/settings/on", "/settings/kind"}
    assert entry.shown()["settings"] == {"text": "two"}


def test_install_without_settings(owner, plain):
    answer = owner.browser.post(f"/web/devices/{owner.device}/apps", {"app": plain.slug})
    entry = Entry(owner, answer.json()["id"])
    assert entry.shown()["settings"] == {}
    assert entry.row()[0] == "{}" and entry.row()[1] is None


def test_equal_settings_have_equal_hashes(world, owner, plain):
    other = Owner(world)
    one = owner.installed(plain, text="a", color="#FFF")
    two = other.installed(plain, color="fff", text="a")
    assert bytes(one.row()[2]) == bytes(two.row()[2])
    assert bytes(one.row()[2]) != bytes(owner.installed(plain, text="b").row()[2])


def test_panels_are_told(world, owner, plain):
    entry = owner.installed(plain)

    def generation():
        return world.sql("SELECT generation FROM device WHERE id = %s", owner.device)[0][0]

    before = generation()
    entry.set(text="x").ok()
    assert generation() == before + 1


def test_other_entries_and_accounts(world, owner, plain):
    entry = owner.installed(plain)
    stranger = Owner(world)
    for path in (entry.path + "/settings", entry.path + "/render"):
        stranger.browser.get(path).problem(403)
        Browser(world).get(path).problem(401)
        owner.browser.get(path.replace(entry.id, "nobody")).problem(404)
    other = stranger.browser.request("PUT", entry.path + "/settings", body={"settings": {}})
    other.problem(403)
    gone = owner.browser.request("PUT", entry.path.replace(entry.id, "nobody") + "/settings",
                                 body={"settings": {}})
    gone.problem(404)


# ---- secrets ----

def test_secret_is_written_and_never_read(world, owner, plain):
    secret = "s3cret-" + secrets.token_hex(8)
    entry = owner.installed(plain, text="a", key=secret)
    shown = entry.shown()
    assert shown["settings"] == {"text": "a"} and shown["secrets"] == ["key"]
    assert secret not in json.dumps(shown)
    settings, sealed, _ = entry.row()
    assert secret not in settings and secret.encode() not in bytes(sealed)
    assert secret not in world.server.log()
    dump = world.sql("SELECT string_agg(installation::text, '') FROM installation")[0][0]
    assert secret not in dump


def test_secret_stays_is_replaced_and_goes(owner, plain):
    entry = owner.installed(plain, key="first-one")
    members = {"deviceId": owner.device, "installationId": entry.id}

    def used():
        return owner.ask(plain, "found", "", **members).ok()["options"][0]["value"][::-1]

    entry.set(text="b").ok()
    assert entry.shown()["secrets"] == ["key"] and used() == "first-one"
    entry.set(text="b", key="second-one").ok()
    assert used() == "second-one"
    entry.set(text="b", key=None).ok()
    assert entry.shown()["secrets"] == [] and used() == "none" and entry.row()[1] is None


def test_secret_in_a_preview(owner, plain):
    """That of the installation, and the one that is being typed."""
    entry = owner.installed(plain, key="stored-one")
    members = {"installationId": entry.id}
    owner.preview(plain, {"text": "x"}, **members).ok()
    owner.preview(plain, {"text": "x", "key": "typed-one"}, **members).ok()
    owner.preview(plain, {"key": None}, **members).ok()
    owner.preview(plain, {}, installationId="nobody").problem(404)


def test_secret_is_masked_in_logs_and_errors(owner, author, reviewer):
    app = publish(author, reviewer, PLAIN.replace('print("text is", config.get("text"))',
                                                  'print("key is", config.get("key"))\n'
                                                  '    fail("wrong " + config.get("key"))'))
    preview = owner.preview(app, {"key": "hide-me-please"}).ok()
    assert preview["log"] == ["key is ****"] and "wrong ****" in preview["problem"]["message"]
    assert "hide-me" not in json.dumps(preview)


def test_secret_is_masked_in_what_handlers_answer(owner, author, reviewer):
    app = publish(author, reviewer, PLAIN.replace("display = pattern + d", 'display = config.get("key")'))
    entry = owner.installed(app, key="hide/me please")
    answer = owner.ask(app, "found", "x", deviceId=owner.device, installationId=entry.id).ok()
    assert answer["options"][0]["display"] == "****", answer


# ---- secrets of fields that an app makes ----

@pytest.fixture(scope="module")
def makes(author, reviewer):
    return publish(author, reviewer, MADE)


def asked(owner, app, entry):
    """The field of the token, as the page of the installation asks for it."""
    return owner.ask(app, "more", "b", settings={"kind": "b"}, deviceId=owner.device,
                     installationId=entry.id).ok()["fields"][1]


def test_made_secret_is_written_and_never_read(world, owner, makes):
    secret = "s3cret-" + secrets.token_hex(8)
    assert owner.ask(makes, "more", "b").ok()["fields"][1]["unavailable"] is None
    entry = owner.installed(makes, kind="b", extra="x", token=secret)
    assert entry.shown()["settings"] == {"kind": "b", "extra": "x"}
    assert entry.shown()["secrets"] == ["token"]
    settings, sealed, _ = entry.row()
    assert secret not in settings and sealed and secret.encode() not in bytes(sealed)
    assert secret not in world.server.log()
    preview = owner.preview(makes, {"kind": "b", "extra": "open"}, installationId=entry.id).ok()
    assert preview["log"] == ["token is **** extra is open"]
    assert asked(owner, makes, entry)["description"] == "****"


def test_made_secret_stays_is_replaced_and_goes(owner, makes):
    entry = owner.installed(makes, kind="b", token="first-one")
    entry.set(kind="b", extra="y").ok()
    assert entry.shown()["secrets"] == ["token"]
    entry.set(kind="b", token="second-one").ok()
    assert entry.shown()["settings"] == {"kind": "b"} and entry.shown()["secrets"] == ["token"]
    entry.set(kind="b", token=None).ok()
    assert entry.shown()["secrets"] == [] and entry.row()[1] is None
    entry.set(kind="b", token="third-one", nobody="x").ok()
    assert entry.shown()["settings"] == {"kind": "b"}
    entry.set(kind="a", extra="y").ok()  # there is no such field any more
    assert entry.shown()["settings"] == {"kind": "a"} and entry.row()[1] is None


def test_no_secret_hides_what_a_field_is(owner, makes):
    """Though its value is among the words that describe fields."""
    for word in ("text", "secret", "token", "true"):
        entry = owner.installed(makes, kind="b", token=word)
        assert entry.shown()["secrets"] == ["token"], word
        field = asked(owner, makes, entry)
        assert (field["id"], field["secret"], field["description"]) == ("token", True, "****")


def test_nobody_says_what_is_secret(owner, makes):
    """While the handler fails, what was stored stays as it is, and nothing unknown is stored."""
    entry = owner.installed(makes, kind="b", extra="x", token="first-one")
    entry.set(kind="b", extra="y", text="fail").ok()
    assert entry.shown()["settings"] == {"kind": "b", "extra": "y", "text": "fail"}
    assert entry.shown()["secrets"] == ["token"]
    words = entry.set(kind="b", text="fail", other="new").problem(409)["detail"]
    assert "which of its further fields are secret" in words and "knowing ****" in words
    answer = owner.install(makes, kind="b", text="fail", token="new-one")
    assert "new-one" not in answer.problem(409)["detail"]
    preview = owner.preview(makes, {"kind": "b", "text": "fail", "token": "typed-one"}).ok()
    assert preview["log"] == ["token is **** extra is None"]


def test_made_secret_in_a_draft(author, makes):
    body = {"scriptLanguage": "STARLARK", "scriptContent": MADE,
            "settings": {"kind": "b", "token": "typed-one", "extra": "open"}}
    shown = author.browser.post(makes.path + "/preview", body).ok()
    assert shown["log"] == ["token is **** extra is open"]
    assert "token" not in [field["id"] for field in shown["fields"]]


# ---- other versions ----

OPEN = PLAIN.replace(", secret = True", "")


def test_field_that_is_secret_no_more(owner, author, reviewer):
    """Its old value stays nowhere; a new one is a setting as any other."""
    app = publish(author, reviewer, PLAIN)
    entry = owner.installed(app, text="a", key="first-one")
    app.publish(reviewer, "2.0", OPEN)
    assert entry.shown()["settings"] == {"text": "a"} and entry.shown()["secrets"] == []
    entry.set(text="a", key="second-one").ok()
    assert entry.shown()["settings"] == {"text": "a", "key": "second-one"}
    assert entry.row()[1] is None
    answer = owner.ask(app, "found", "", deviceId=owner.device, installationId=entry.id,
                       settings={"key": "second-one"}).ok()
    assert answer["options"][0]["value"][::-1] == "second-one"


@pytest.mark.parametrize("change", [{}, {"key": None}, {"key": "second-one"}])
def test_field_that_becomes_secret(owner, author, reviewer, change):
    """From then on, what is stored of it is not shown, and sealed at the next change."""
    app = publish(author, reviewer, OPEN)
    entry = owner.installed(app, text="a", key="first-one")
    assert entry.shown()["settings"] == {"text": "a", "key": "first-one"}
    app.publish(reviewer, "2.0", PLAIN)
    assert entry.shown()["settings"] == {"text": "a"} and entry.shown()["secrets"] == ["key"]
    entry.set(text="b", **change).ok()
    assert json.loads(entry.row()[0]) == {"text": "b"}
    wanted = change.get("key", "first-one")
    assert entry.shown()["secrets"] == (["key"] if wanted else [])
    answer = owner.ask(app, "found", "", deviceId=owner.device, installationId=entry.id).ok()
    assert answer["options"][0]["value"][::-1] == (wanted or "none")


def change_beside(world, entry, lock, change):
    """The answer to a change of settings that waits for a lock, and goes on after the other change."""
    connection = psycopg2.connect(world.database)
    with ThreadPoolExecutor(1) as pool, connection.cursor() as cursor:
        cursor.execute(lock)
        waiting = pool.submit(entry.set, text="b")
        wait_until(lambda: world.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            "AND datname = current_database()")[0][0] > 0, "a change that waits")
        cursor.execute(change)
        connection.commit()
        answer = waiting.result()
    connection.close()
    return answer


def test_two_browsers_change_them_at_once(world, owner, plain):
    """The second one has not seen what the first has changed: it is told so."""
    entry = owner.installed(plain, text="a", key="first-one")
    before = entry.row()
    answer = change_beside(
        world, entry, f"SELECT FROM device WHERE id = '{owner.device}' FOR UPDATE",
        f"UPDATE installation SET settings_hash = sha256('x') WHERE id = '{entry.id}'")
    assert "changed meanwhile" in answer.problem(409)["detail"]
    assert entry.row()[:2] == before[:2]


def test_version_is_deployed_while_they_are_changed(world, owner, author, reviewer):
    """They were held to a form that is the app's no more."""
    app = publish(author, reviewer, PLAIN)
    first = world.sql("SELECT deployed_version_id FROM app WHERE id = %s", app.id)[0][0]
    app.publish(reviewer, "2.0", OPEN)
    entry = owner.installed(app)
    answer = change_beside(
        world, entry, "LOCK TABLE app_schema IN EXCLUSIVE MODE",  # where the form is kept
        f"UPDATE app SET deployed_version_id = '{first}' WHERE id = '{app.id}'")
    assert "changed meanwhile" in answer.problem(409)["detail"]
    assert entry.row()[0] == "{}"
    entry.set(text="b").ok()


def test_sealed_for_its_installation(world, owner, plain):
    """Who can write in the database cannot give a secret to an installation of his own."""
    entry, other = owner.installed(plain, key="mine-alone"), owner.installed(plain, key="theirs")
    world.sql("UPDATE installation SET secret_settings = %s WHERE id = %s", entry.row()[1], other.id)
    assert other.shown()["secrets"] == ["key"]
    assert "encrypted with another key" in other.set(text="x").problem(409)["detail"]
    other.set(text="x", key="anew").ok()
    entry.set(text="x").ok()


def test_hash_is_keyed_where_there_are_secrets(owner, plain):
    entry = owner.installed(plain, key="guess-me")
    assert bytes(entry.row()[2]) != hashlib.sha256(b'{"key":"guess-me"}').digest()
    entry = owner.installed(plain, text="a")
    assert bytes(entry.row()[2]) == hashlib.sha256(b'{"text":"a"}').digest()
