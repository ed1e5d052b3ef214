"""The audit log: entries are kept for a year, within a bound. Entries of one account are not displaced by
those of others, or by other actions of the same account."""

import devices
import pytest
from database_clock import DatabaseClock
from people import PASSWORD, Browser, Person

SHARE = 20


def entries_of(administrator, person, wanted=""):
    answer = administrator.get(f"/web/admin/audit?limit=1000&q={wanted}")
    return [entry for entry in answer.ok() if entry["actor"] == person.email]


def actions_of(administrator, person):
    return [entry["action"] for entry in entries_of(administrator, person)]


def make_keys(browser, count, name="n"):
    for number in range(count):
        key = browser.post("/web/keys", {"name": f"{name}{number}"}).json()
        browser.delete(f"/web/keys/{key['id']}").ok()


@pytest.fixture
def few(start):
    """A server with shares small enough to be reached."""
    world = start("--rate-limit", "0")
    world.sql("CREATE OR REPLACE FUNCTION audit_share(action text) RETURNS int4 LANGUAGE sql "
              f"IMMUTABLE AS $$ SELECT {SHARE} $$")
    return world


def test_nobody_displaces_what_others_did(few):
    administrator = Person(few, is_administrator=True).browser()
    member, flooder = Person(few), Person(few)
    member.device()
    flooder.device()
    make_keys(member.browser(), 3)
    administrator.patch(f"/web/admin/accounts/{member.id}", {"isReviewer": True}).ok()
    few.server.ctl("account", "link", member.email)
    before = [entry for entry in administrator.get("/web/admin/audit?limit=1000").ok()]
    make_keys(flooder.browser(), 5 * SHARE)
    after = administrator.get("/web/admin/audit?limit=1000").ok()
    assert [entry for entry in before if entry not in after] == []
    assert actions_of(administrator, flooder).count("key.create") == SHARE


def test_the_number_of_others_entries_displaces_nothing(few):
    """Others' entries displace nothing, even more of them than the whole log could once contain."""
    administrator = Person(few, is_administrator=True).browser()
    member = Person(few)
    member.browser()
    few.sql("SELECT setval(pg_get_serial_sequence('audit_entry', 'id'), 10000000)")
    person = Person(few)
    person.browser()
    assert actions_of(administrator, member) == ["session.start"]
    assert actions_of(administrator, person) == ["session.start"]


def test_an_owners_changes_displace_no_sign_in_and_no_removal(few):
    administrator = Person(few, is_administrator=True).browser()
    person = Person(few, is_reviewer=True, is_administrator=True)
    person.device()
    browser = person.browser()
    device = devices.add(browser)["device"]
    browser.delete(f"/web/devices/{device['id']}").ok()
    invited = browser.post("/web/admin/invitations", {"email": "guest@example.org"}).json()
    browser.delete(f"/web/admin/invitations/{invited['id']}").ok()
    make_keys(browser, 5 * SHARE)
    actions = actions_of(administrator, person)
    for action in ("session.start", "device.create", "device.remove", "invitation.create",
                   "invitation.revoke"):
        assert actions.count(action) == 1, action
    assert len(actions) == 5 + 2 * SHARE


def test_sign_ins_have_a_share_as_well(few):
    administrator = Person(few, is_administrator=True).browser()
    person = Person(few)
    person.device()
    browser = person.browser()
    make_keys(browser, 2)
    insert = ("INSERT INTO audit_entry (account_id, actor, action, address) "
              "SELECT %s, %s, 'session.start', '192.0.2.7' FROM generate_series(1, %s)")
    few.sql(insert, person.id, person.email, 3 * SHARE)
    actions = actions_of(administrator, person)
    assert actions.count("session.start") == SHARE
    assert actions.count("key.create") == 2


def test_what_displayctl_does_has_a_share(few):
    administrator = Person(few, is_administrator=True).browser()
    few.sql("INSERT INTO audit_entry (actor, action, target) "
            "SELECT 'displayctl', 'app.import', n::text FROM generate_series(1, %s) AS n", 3 * SHARE)
    shown = administrator.get("/web/admin/audit?limit=1000&q=app.import").ok()
    assert len(shown) == SHARE and shown[0]["target"] == str(3 * SHARE)


def test_all_of_the_log_has_a_bound(few):
    """Above the bound, actions on own objects are removed first, then sign-ins and similar, each the oldest
    first. Actions of administrators stay, and so do the entries of removed accounts."""
    def add(action, count):
        few.sql("INSERT INTO audit_entry (account_id, actor, action) SELECT gen_random_uuid(), 'bound', %s "
                "FROM generate_series(1, %s)", action, count)

    def left():
        return dict(few.sql("SELECT action, count(*) FROM audit_entry WHERE actor = 'bound' GROUP BY action"))

    removed = Person(few)
    removed.device()
    make_keys(removed.browser(), 1)
    few.server.ctl("account", "remove", removed.email, "--yes")
    administrator = Person(few, is_administrator=True).browser()
    assert "key.create" in actions_of(administrator, removed)
    before = few.sql("SELECT count(*) FROM audit_entry")[0][0]
    for action, count in (("account.roles", 40), ("session.start", 40), ("key.create", 40)):
        add(action, count)
    few.sql("CREATE OR REPLACE FUNCTION audit_bound() RETURNS int8 LANGUAGE sql IMMUTABLE AS $$ "
            f"SELECT {before + 119} $$")
    few.sql("ANALYZE audit_entry")
    first = few.sql("SELECT min(id) FROM audit_entry WHERE action = 'key.create' AND actor = 'bound'")[0][0]
    add("key.create", 4)
    assert left()["session.start"] == left()["account.roles"] == 40 and left()["key.create"] < 40
    assert few.sql("SELECT count(*) FROM audit_entry WHERE id = %s", first) == [(0,)]
    add("session.start", 20)
    assert "key.create" not in left() and left()["account.roles"] == 40 and left().get("session.start", 0) < 60
    add("account.roles", 40)
    assert left() == {"account.roles": 80}
    assert actions_of(administrator, removed) == []
    few.sql("ANALYZE audit_entry")
    add("key.create", 10)
    assert left() == {"account.roles": 80, "key.create": 10}


def test_equal_changes_of_a_session_are_one_entry(start):
    world = start("--rate-limit", "0")
    administrator = Person(world, is_administrator=True).browser()
    person = Person(world)
    person.device()
    one, other = person.browser(), person.browser()
    with DatabaseClock(world.database) as clock:
        make_keys(one, 1)
        clock.advance(30)
        for _ in range(4):
            make_keys(one, 1)
        make_keys(one, 1, "other")
        make_keys(other, 1)
        clock.advance(31)
        make_keys(one, 1)
    shown = [(entry["action"], entry["target"], entry["count"])
             for entry in entries_of(administrator, person, "key.")]
    assert shown == [
        ("key.revoke", "n0", 1), ("key.create", "n0", 1),
        ("key.revoke", "n0", 1), ("key.create", "n0", 1),
        ("key.revoke", "other0", 1), ("key.create", "other0", 1),
        ("key.revoke", "n0", 5), ("key.create", "n0", 5)]
    first = entries_of(administrator, person, "key.")[-1]
    assert first["at"] < first["lastAt"]
    [last] = [entry for entry in entries_of(administrator, person, "other0")
              if entry["action"] == "key.create"]
    assert last["at"] == last["lastAt"]


def test_sign_ins_are_entries_of_their_own(start):
    world = start("--rate-limit", "0")
    administrator = Person(world, is_administrator=True).browser()
    person = Person(world)
    for _ in range(3):
        Browser(world).try_sign_in(person.email, PASSWORD).ok()
    assert actions_of(administrator, person) == ["session.start"] * 3


def test_the_audit_log_is_bounded(world, administrator, person):
    """Old entries are removed; those of the last year stay."""
    insert = ("INSERT INTO audit_entry (account_id, actor, action, target, created_at) "
              "VALUES (%s, %s, 'key.create', %s, clock_timestamp() - %s::interval)")
    world.sql(insert, person.id, person.email, "old", "367 days")
    world.sql(insert, person.id, person.email, "young", "364 days")
    world.sql(insert, person.id, person.email, "new", "0 days")
    assert [entry["target"] for entry in entries_of(administrator, person)] == ["new", "young"]
