"""Settings of installations, and secret settings."""

import hashlib
import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from forms import (MADE, PLAIN, Entry, Owner, author, needs, owner, plain, pointers, publish,
                   reviewer)
from lock_sessions import Session
from people import Browser, Person, wait_until
from rendered import statement

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


def test_settings_that_were_not_seen_change_nothing(world, owner, plain):
    """Settings based on an old state change nothing, neither the pin that comes with them nor other pinned
    entries."""
    pinned, entry = owner.installed(plain), owner.installed(plain, text="a")
    owner.browser.request("PATCH", pinned.path, body={"isPinned": True}).ok()
    row = "SELECT generation, pinned_installation_id FROM device WHERE id = %s"
    [before] = world.sql(row, owner.device)
    values = {
        "device_id": owner.device, "id": entry.id, "sets_display": True, "display_s": 77, "sets_hours": False,
        "start_minute": -1, "end_minute": -1, "sets_weekdays": False, "weekdays": 127, "sets_pinned": True,
        "is_pinned": True, "sets_night": True, "is_night": True, "night_brightness": 9, "sets_name": True, "name": "New",
        "settings": "{}", "secret_settings": None,
        "settings_hash": b"h" * 32, "expected_generation": 0,
        "version_id": world.sql("SELECT deployed_version_id FROM app WHERE id = %s", plain.id)[0][0]}
    update = statement("rotation_entry_update").replace("{change}", "note = 'changed'")
    with Session(world) as session:
        assert session.run(update, {**values, "seen_hash": b"x" * 32}) == []
        assert world.sql(row, owner.device) == [before]
        assert entry.shown()["settings"] == {"text": "a"}
        assert len(session.run(update, {**values, "seen_hash": bytes(entry.row()[2])})) == 1
    assert world.sql(row, owner.device) == [(before[0] + 1, entry.id)]


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
    """A preview gets the secrets of the installation, and one that is being typed."""
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
    """The token field that the page of the installation requests."""
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
    entry.set(kind="a", extra="y").ok()  # the field no longer exists
    assert entry.shown()["settings"] == {"kind": "a"} and entry.row()[1] is None


def test_no_secret_hides_what_a_field_is(owner, makes):
    """Secrets are masked in texts, but fields keep their type even if a secret equals a word that describes
    fields."""
    for word in ("text", "secret", "token", "true"):
        entry = owner.installed(makes, kind="b", token=word)
        assert entry.shown()["secrets"] == ["token"], word
        field = asked(owner, makes, entry)
        assert (field["id"], field["secret"], field["description"]) == ("token", True, "****")


def test_nobody_says_what_is_secret(owner, makes):
    """While the handler fails, stored settings stay as they are, and nothing unknown is stored."""
    entry = owner.installed(makes, kind="b", extra="x", token="first-one")
    entry.set(kind="b", extra="y", text="fail").ok()
    assert entry.shown()["settings"] == {"kind": "b", "extra": "y", "text": "fail"}
    assert entry.shown()["secrets"] == ["token"]
    words = entry.set(kind="b", text="fail", other="new").problem(409)["detail"]
    assert "which generated fields of the app are secret" in words and "knowing ****" in words
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
    """The old value is removed everywhere; a new one is an ordinary setting."""
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


def wait_until_sealed(entry, value):
    """Waits until the value of a setting is nowhere in clear text."""
    wait_until(lambda: value not in entry.row()[0] and entry.row()[1], "that it is sealed")


@pytest.mark.parametrize("change", [{}, {"key": None}, {"key": "second-one"}])
def test_field_that_becomes_secret(owner, author, reviewer, change):
    """The stored value is hidden and encrypted from then on."""
    app = publish(author, reviewer, OPEN)
    entry = owner.installed(app, text="a", key="first-one")
    assert entry.shown()["settings"] == {"text": "a", "key": "first-one"}
    app.publish(reviewer, "2.0", PLAIN)
    assert entry.shown()["settings"] == {"text": "a"}
    wait_until_sealed(entry, "first-one")
    assert entry.shown()["settings"] == {"text": "a"} and entry.shown()["secrets"] == ["key"]
    entry.set(text="b", **change).ok()
    assert json.loads(entry.row()[0]) == {"text": "b"}
    wanted = change.get("key", "first-one")
    assert entry.shown()["secrets"] == (["key"] if wanted else [])
    answer = owner.ask(app, "found", "", deviceId=owner.device, installationId=entry.id).ok()
    assert answer["options"][0]["value"][::-1] == (wanted or "none")


def test_every_installation_is_sealed(world, author, reviewer):
    """Installations of all accounts, in all languages, with and without secrets, are encrypted, and nothing
    else changes."""
    app = publish(author, reviewer, OPEN)
    owners = [Owner(world) for _ in range(3)]
    world.sql("UPDATE device SET locale = 'de' WHERE id = %s", owners[1].device)
    entries = [owner.installed(app, text=str(number), key=f"hidden-{number}")
               for number, owner in enumerate(owners * 2)]
    without = owners[0].installed(app, text="none")
    before = without.row()
    app.publish(reviewer, "2.0", PLAIN)
    for number, entry in enumerate(entries):
        wait_until_sealed(entry, f"hidden-{number}")
        assert json.loads(entry.row()[0]) == {"text": str(number)}
        preview = entry.owner.preview(app, {"text": "x"}, installationId=entry.id).ok()
        assert preview["problem"] is None
        answer = entry.owner.ask(app, "found", "", deviceId=entry.owner.device,
                                 installationId=entry.id).ok()
        assert answer["options"][0]["value"][::-1] == f"hidden-{number}"
    assert without.row() == before
    wait_until(lambda: not world.sql("SELECT id FROM app_to_seal WHERE app_id = %s", app.id), "the end")


def test_back_and_forth_between_versions(owner, author, reviewer):
    app = publish(author, reviewer, PLAIN)
    app.publish(reviewer, "2.0", OPEN)
    entry = owner.installed(app, text="a", key="first-one")
    assert "first-one" in entry.row()[0]
    app.deploy("1.0")
    wait_until_sealed(entry, "first-one")
    app.deploy("2.0")
    entry.set(text="a", key="second-one").ok()
    assert "second-one" in entry.row()[0]
    app.deploy("1.0")
    wait_until_sealed(entry, "second-one")


def test_made_field_that_becomes_secret(owner, author, reviewer):
    """The handler decides with the settings of each installation; while it fails, secrets are unknown."""
    app = publish(author, reviewer, MADE.replace(", secret = True),\n    ]", "),\n    ]"))
    entry = owner.installed(app, kind="b", extra="x", token="made-one")
    fails = owner.installed(app, kind="b", extra="y")
    fails.set(kind="b", text="fail", extra="y").ok()
    assert "made-one" in entry.row()[0]
    before = fails.row()
    app.publish(reviewer, "2.0", MADE)
    wait_until_sealed(entry, "made-one")
    assert json.loads(entry.row()[0]) == {"kind": "b", "extra": "x"}
    assert entry.shown()["secrets"] == ["token"] and fails.row() == before


def test_neither_export_nor_displayctl_shows_it(world, owner, author, reviewer, tmp_path):
    app = publish(author, reviewer, OPEN)
    entry = owner.installed(app, text="a", key="first-one")
    paths = [str(tmp_path / "open"), str(tmp_path / "sealed")]
    world.server.ctl("export", "--account", owner.person.email, paths[0])
    app.publish(reviewer, "2.0", PLAIN)
    wait_until_sealed(entry, "first-one")
    shown = world.server.ctl("installation", "show", entry.id, "--device", owner.device)
    assert shown["settings"] == {"text": "a"}
    world.server.ctl("export", "--account", owner.person.email, paths[1])
    with open(paths[1], encoding="utf-8") as file:
        assert "first-one" not in file.read()
    # An import brings the value that the other instance's version had in clear text.
    world.server.ctl("account", "remove", owner.person.email, "--yes")
    world.server.ctl("import", paths[0])
    wait_until_sealed(entry, "first-one")


def test_a_collection_that_is_updated(world, owner, tmp_path):
    email, slug = Person(world).email, "c-" + secrets.token_hex(6)
    folder = tmp_path / "apps" / "one"
    folder.mkdir(parents=True)
    (folder / "manifest.yaml").write_text(
        f"---\nid: {slug}\nname: One\nauthor: Ada\nsummary: Of a collection\n")
    (folder / "main.star").write_text(OPEN)
    world.server.ctl("app", "import", str(tmp_path), "--account", email)
    answer = owner.browser.post(f"/web/devices/{owner.device}/apps", {
        "app": slug, "settings": {"text": "a", "key": "first-one"}})
    entry = Entry(owner, answer.json()["id"])
    assert "first-one" in entry.row()[0]
    (folder / "main.star").write_text(PLAIN)
    world.server.ctl("app", "import", str(tmp_path), "--account", email)
    wait_until_sealed(entry, "first-one")


def test_settings_in_the_clear_are_sealed_after_the_upgrade(world, owner, author, reviewer):
    """Settings in clear text are encrypted, whether the migration leaves them or an old instance stores
    them meanwhile."""
    app = publish(author, reviewer, PLAIN)
    entry = owner.installed(app, text="a")
    world.sql("UPDATE installation SET settings = %s WHERE id = %s",
              '{"key":"first-one","text":"a"}', entry.id)
    world.sql("SELECT app_is_to_be_sealed(%s)", app.id)
    wait_until_sealed(entry, "first-one")


def test_a_script_that_gives_no_form_is_tried_again(world, owner, author, reviewer):
    app = publish(author, reviewer, OPEN)
    entry = owner.installed(app, text="a", key="first-one")
    app.publish(reviewer, "2.0", "def main(config):\n    return None\n\ndef get_schema():\n    fail('no')\n")

    def tried():
        return world.sql("SELECT 1 FROM app_to_seal WHERE app_id = %s AND claim IS NULL AND tries = 1 "
                         "AND due_at BETWEEN now() AND now() + interval '2 minutes'", app.id)

    wait_until(tried, "that it is put off")
    assert "first-one" in entry.row()[0]
    app.publish(reviewer, "3.0", PLAIN)
    wait_until_sealed(entry, "first-one")
    wait_until(lambda: not world.sql("SELECT id FROM app_to_seal WHERE app_id = %s", app.id), "the end")


def test_a_field_becomes_secret_while_it_is_stored(world, owner, author, reviewer):
    """An installation that is made beside a deployment belongs to one version or the other."""
    app = publish(author, reviewer, OPEN)
    app.publish(reviewer, "2.0", PLAIN)
    app.deploy("1.0")
    connection = psycopg2.connect(world.database)
    with ThreadPoolExecutor(1) as pool, connection.cursor() as cursor:
        cursor.execute("UPDATE app SET deployed_version_id = (SELECT id FROM app_version "
                       "WHERE app_id = app.id AND name = '2.0') WHERE id = %s", (app.id,))
        waiting = pool.submit(owner.install, app, text="a", key="first-one")
        wait_until(lambda: waiting.done() or world.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            "AND datname = current_database()") != [(0,)], "an installation that waits")
        connection.commit()
        assert "version has changed" in waiting.result().problem(409)["detail"]
    connection.close()


def change_beside(world, entry, lock, change):
    """The answer to a change of settings that waits for a lock and continues after the other change."""
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
    """The second browser has not seen the first one's change, and gets a conflict."""
    entry = owner.installed(plain, text="a", key="first-one")
    before = entry.row()
    answer = change_beside(
        world, entry, f"SELECT FROM device WHERE id = '{owner.device}' FOR UPDATE",
        f"UPDATE installation SET settings_hash = sha256('x') WHERE id = '{entry.id}'")
    assert "have changed; load them again" in answer.problem(409)["detail"]
    assert entry.row()[:2] == before[:2]


def test_version_is_deployed_while_they_are_changed(world, owner, author, reviewer):
    """Settings that were checked against the form of an old version are rejected."""
    app = publish(author, reviewer, PLAIN)
    first = world.sql("SELECT deployed_version_id FROM app WHERE id = %s", app.id)[0][0]
    app.publish(reviewer, "2.0", OPEN)
    entry = owner.installed(app)
    answer = change_beside(
        world, entry, "LOCK TABLE app_schema IN EXCLUSIVE MODE",  # the form is stored there
        f"UPDATE app SET deployed_version_id = '{first}' WHERE id = '{app.id}'")
    assert "have changed; load them again" in answer.problem(409)["detail"]
    assert entry.row()[0] == "{}"
    entry.set(text="b").ok()


def test_sealed_for_its_installation(world, owner, plain):
    """Write access to the database is not enough to move a secret to another installation."""
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
