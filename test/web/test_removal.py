"""People remove their accounts."""

import concurrent.futures
import uuid

import lock_sessions
import psycopg2
import pytest
from events import Events
from people import (OTHER_PASSWORD, PASSWORD, Browser, Person, SignInUnderWay, make_first, token_of,
                    wait_until)
from server import CtlError


def app(world, person, visibility="public", installed_by=None):
    """An active app with a deployed version, installed on a device of somebody; its ID."""
    app_id, version_id = str(uuid.uuid4()), str(uuid.uuid4())
    world.sql("INSERT INTO app (id, account_id, slug, name, visibility) VALUES (%s, %s, %s, 'App', %s)",
              app_id, person.id, "a" + app_id, visibility)
    world.sql("INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, "
              "status, reviewed_at) VALUES (%s, %s, '1', 'STARLARK', 'x', 'sha256:x', 'APPROVED', now())",
              version_id, app_id)
    world.sql("UPDATE app SET is_submitted = true, status = 'active', deployed_version_id = %s "
              "WHERE id = %s", version_id, app_id)
    if installed_by:
        world.sql("INSERT INTO installation (device_id, id, app_id, position) "
                  "SELECT id, %s, %s, entry_count + 1 FROM device WHERE account_id = %s LIMIT 1",
                  app_id, app_id, installed_by.id)
    return app_id


def owner_of(world, app_id):
    rows = world.sql("SELECT account_id::text, status FROM app WHERE id = %s", app_id)
    return rows[0] if rows else None


def is_gone(world, person):
    return world.sql("SELECT 1 FROM account WHERE id = %s", person.id) == []


def test_what_goes_with_it(world, person):
    other = Person(world)
    other.device()
    for _ in range(2):
        person.device()
    key = person.key()
    app(world, person, "private", other)
    app(world, person, "public", person)
    app(world, person, "public", other)
    browser = person.browser()
    assert browser.get("/web/account/removal").ok() == {
        "devices": 2, "keys": 1, "apps": 2, "keptApps": 1, "isLastAdministrator": False}
    elsewhere = person.browser()
    body = {"password": OTHER_PASSWORD}
    assert browser.post("/web/account/removal", body).faults() == {
        "/password": "is not the password of this account"}
    assert world.get("/v1/devices", key=key).status == 200
    answer = browser.post("/web/account/removal", {"password": PASSWORD})
    assert answer.ok() == {} and "Max-Age=0" in answer["Set-Cookie"]
    elsewhere.get("/web/account").problem(401)
    Browser(world).try_sign_in(person.email).problem(401)
    wait_until(lambda: world.get("/v1/devices", key=key).status == 401, "the end of the key")
    wait_until(lambda: is_gone(world, person), "the end of the account")
    assert world.sql("SELECT 1 FROM device WHERE account_id = %s", person.id) == []
    # The name is free again.
    other = Person(world)
    world.sql("UPDATE account SET email = %s WHERE id = %s", person.email, other.id)


def test_apps_that_others_have_are_disabled(world, person):
    other = Person(world)
    other.device()
    kept, lost = app(world, person, "public", other), app(world, person, "public")
    private = app(world, person, "private", other)
    person.browser().post("/web/account/removal", {"password": PASSWORD}).ok()
    wait_until(lambda: is_gone(world, person), "the end of the account")
    assert owner_of(world, kept) == (None, "disabled")
    assert owner_of(world, lost) is None and owner_of(world, private) is None
    assert world.server.ctl("app", "list")  # also apps without an account
    with pytest.raises(CtlError, match="the app stays disabled"):
        world.server.ctl("app", "enable", kept)
    key = other.key()
    assert world.get(f"/v1/apps/{kept}/versions", key=key).status == 403


def test_apps_pass_to_the_heir(start):
    world = start("--rate-limit", "0")
    administrator = make_first(world)
    person, other, heir = Person(world), Person(world), Person(world)
    other.device()
    path = f"/web/admin/accounts/{heir.id}/heir"
    assert administrator.request("PUT", path).ok()["isHeir"]
    assert [member["isHeir"] for member in administrator.get("/web/admin/accounts").ok()
            if member["id"] == heir.id] == [True]
    kept = app(world, person, "public", other)
    person.browser().post("/web/account/removal", {"password": PASSWORD}).ok()
    wait_until(lambda: is_gone(world, person), "the end of the account")
    assert owner_of(world, kept) == (heir.id, "active")
    # A former successor gets nothing; the successor's own apps are not passed on.
    assert not administrator.delete(path).ok()["isHeir"]
    administrator.request("PUT", path).ok()
    heir.browser().post("/web/account/removal", {"password": PASSWORD}).ok()
    wait_until(lambda: is_gone(world, heir), "the end of the heir")
    assert owner_of(world, kept) == (None, "disabled")
    administrator.request("PUT", path).problem(404)


def test_an_inherited_app_gets_another_slug_where_the_heir_has_it(start):
    world = start()
    person, other, heir = Person(world), Person(world), Person(world)
    other.device()
    slugs = ["clock", "clock-2", "x" * 64]
    kept = []
    for slug in slugs:
        for owner, visibility in ((heir, "private"), (person, "public")):
            made = app(world, owner, visibility, other)
            world.sql("UPDATE app SET slug = %s WHERE id = %s", slug, made)
        kept.append(made)
    world.sql("UPDATE site SET heir_id = %s", heir.id)
    person.browser().post("/web/account/removal", {"password": PASSWORD}).ok()
    wait_until(lambda: is_gone(world, person), "the end of the account")
    found = [world.sql("SELECT account_id::text, slug FROM app WHERE id = %s", made)[0] for made in kept]
    assert {owner for owner, _ in found} == {heir.id}
    assert [slug for _, slug in found][2] == "x" * 62 + "-2"
    assert len(world.sql("SELECT DISTINCT slug FROM app WHERE account_id = %s", heir.id)) == 6


def test_nothing_passes_to_an_heir_that_goes_itself(start):
    world = start("--rate-limit", "0")
    administrator = make_first(world)
    person, other, heir = Person(world), Person(world), Person(world)
    other.device()
    administrator.request("PUT", f"/web/admin/accounts/{heir.id}/heir").ok()
    kept = app(world, person, "public", other)
    connection = psycopg2.connect(world.database)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE account SET closed_at = clock_timestamp() WHERE id = %s", [heir.id])
        person.browser().post("/web/account/removal", {"password": PASSWORD}).ok()
        # A removal that did not wait for the successor would pass the app on here.
        wait_until(lambda: world.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                                     "AND datname = current_database()")
                   or owner_of(world, kept)[0] == heir.id, "a removal that waits, or does not")
        connection.commit()
    connection.close()
    for gone in (person, heir):
        wait_until(lambda gone=gone: is_gone(world, gone), "the end of both")
    assert owner_of(world, kept) == (None, "disabled")


def test_what_passed_to_an_heir_before_it_went_stays(start):
    world = start("--rate-limit", "0")
    make_first(world)
    heir, other = Person(world), Person(world)
    other.device()
    kept = app(world, heir, "public", other)
    world.sql("UPDATE account SET closed_at = clock_timestamp() WHERE id = %s", heir.id)
    world.server.restart()
    wait_until(lambda: is_gone(world, heir), "the end of the heir")
    assert owner_of(world, kept) == (None, "disabled")


def test_the_last_administrator_cannot_go(start):
    world = start("--rate-limit", "0")
    browser = make_first(world)
    assert browser.get("/web/account/removal").ok()["isLastAdministrator"]
    browser.post("/web/account/removal", {"password": PASSWORD}).problem(409)
    assert browser.is_signed_in()
    second = Person(world)
    me = browser.get("/web/account").ok()["id"]
    browser.patch(f"/web/admin/accounts/{second.id}", {"isAdministrator": True}).ok()
    browser.post("/web/account/removal", {"password": PASSWORD}).ok()
    wait_until(lambda: world.sql("SELECT 1 FROM account WHERE id = %s", me) == [], "its end")
    assert second.browser().get("/web/account/removal").ok()["isLastAdministrator"]


@pytest.mark.parametrize("devices", [0, 350])
def test_another_server_goes_on(start, postgres, devices):
    """The instance that closed the account has died as a whole."""
    database = postgres.create_database()
    first = start("--rate-limit", "0", database=database)
    make_first(first)
    person = Person(first)
    first.stop()
    first.sql("INSERT INTO device (id, account_id, name, link_key_hash) SELECT gen_random_uuid(), "
              "%s, 'D', sha256(n::text::bytea) FROM generate_series(1, %s) AS n",
              person.id, devices)
    first.sql("UPDATE account SET closed_at = clock_timestamp() WHERE id = %s", person.id)
    second = start("--rate-limit", "0", database=database)
    wait_until(lambda: is_gone(second, person), "the end of the account")


class Held:
    """Locks a device, so that the removal of its account does not end."""

    def __init__(self, person):
        self.person = person
        person.device()

    def __enter__(self):
        self.connection = psycopg2.connect(self.person.world.database)
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT FROM device WHERE account_id = %s FOR UPDATE", [self.person.id])
        return self

    def __exit__(self, *_):
        self.connection.rollback()
        self.connection.close()


def test_a_session_that_just_begins_ends_with_it(person):
    browser, late = person.browser(), SignInUnderWay(person)
    with Held(person), concurrent.futures.ThreadPoolExecutor() as pool:
        with late:
            removal = pool.submit(browser.post, "/web/account/removal", {"password": PASSWORD})
        removal.result().ok()
        late.browser.get("/web/account").problem(401)


def test_nobody_gives_it_a_role_or_a_password_again(world, person, administrator):
    """An account that is being removed gets no role or password: otherwise the last administrator could be
    one that cannot sign in."""
    browser = person.browser()
    with Held(person):
        browser.post("/web/account/removal", {"password": PASSWORD}).ok()
        path = f"/web/admin/accounts/{person.id}"
        administrator.patch(path, {"isAdministrator": True}).problem(404)
        administrator.post(path + "/password-link").problem(404)
        with pytest.raises(CtlError, match="is being removed"):
            world.server.ctl("account", "link", person.email, "--role", "administrator")
    wait_until(lambda: is_gone(world, person), "the end of the account")


def test_a_link_of_it_is_worth_nothing(world, person):
    """A link that was made while the account was being closed is invalid."""
    link = world.server.ctl("account", "link", person.email, "--role", "administrator")["url"]
    body = {"token": token_of(link), "password": OTHER_PASSWORD}
    with Held(person):
        world.sql("UPDATE account SET closed_at = clock_timestamp(), password_hash = NULL "
                  "WHERE id = %s", person.id)
        Browser(world).post("/web/links/look", {"token": token_of(link)}).problem(404)
        Browser(world).post("/web/links/use", body).problem(404)


@pytest.mark.parametrize("by_displayctl", [False, True])
def test_its_rights_end_before_what_it_owns(world, administrator, by_displayctl):
    """Sessions, streams, keys, passwords and links end at once, while other rows still exist."""
    person = Person(world, is_administrator=True)
    person.device()
    browser, key = person.browser(), person.key()
    invitation = browser.post("/web/admin/invitations", {}).json()
    own = administrator.post(f"/web/admin/accounts/{person.id}/password-link").json()
    with lock_sessions.Session(world) as holder, concurrent.futures.ThreadPoolExecutor() as pool, \
            Events(browser) as events:
        holder.run("BEGIN")
        holder.run("SELECT FROM device WHERE account_id = %s FOR UPDATE", (person.id,))
        if by_displayctl:
            removal = pool.submit(world.server.ctl, "account", "remove", person.email, "--yes")
        else:
            browser.post("/web/account/removal", {"password": PASSWORD}).ok()
        wait_until(lambda: world.get("/v1/devices", key=key).status == 401, "the end of its key")
        other = Browser(world)
        other.cookie = browser.cookie or events.cookie
        other.get("/web/account").problem(401)
        assert "bye" in events.end()
        Browser(world).try_sign_in(person.email).problem(401)
        for link in (invitation, own):
            Browser(world).post("/web/links/look", {"token": token_of(link["url"])}).problem(404)
        assert not is_gone(world, person)
        holder.run("ROLLBACK")
        if by_displayctl:
            removal.result()
    wait_until(lambda: is_gone(world, person), "the end of the account")
