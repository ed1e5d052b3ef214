"""The event stream: topics, sessions and limits. test_live.py tests pictures of panels."""

import contextlib

from events import Events
from people import OTHER_PASSWORD, PASSWORD, Person, wait_until


def test_what_one_browser_changes_the_other_is_told(world, person):
    person.device()
    one, other = person.browser(), person.browser()
    stranger = Person(world).browser()
    with Events(one) as events, Events(stranger) as foreign:
        key = other.post("/web/keys", {"name": "Weather"}).json()
        events.topic("keys")
        other.delete(f"/web/keys/{key['id']}").ok()
        events.topic("keys")
        other.patch("/web/account", {"name": "Ada"}).ok()
        events.topic("account")
        stranger.patch("/web/account", {"name": "Eve"}).ok()
        foreign.topic("account")
        assert ("changed", {"topic": "keys"}) not in foreign.seen


def test_topics_of_administrators_are_for_them(world, person, administrator):
    with Events(person.browser()) as events, Events(administrator) as admin:
        link = administrator.post("/web/admin/invitations", {"email": "new@example.org"}).json()
        admin.topic("admin")
        administrator.delete(f"/web/admin/invitations/{link['id']}").ok()
        admin.topic("admin")
        # A person who gets the role hears of the next change, without a new stream.
        administrator.patch(f"/web/admin/accounts/{person.id}", {"isAdministrator": True}).ok()
        events.topic("account")
        assert ("changed", {"topic": "admin"}) not in events.seen

        def is_told():
            administrator.post("/web/admin/invitations", {"email": "b@example.org"})
            administrator.patch(f"/web/admin/accounts/{person.id}", {"isReviewer": True}).ok()
            events.topic("account")  # in any case
            return ("changed", {"topic": "admin"}) in events.seen

        wait_until(is_told, "an administrator's topic")
    assert world


def test_a_role_that_has_ended_hears_no_more(world):
    """A role that has ended gets no events, even in the moment before the stream reads its roles again."""
    person = Person(world, is_administrator=True, is_reviewer=True)
    everybody = "00000000-0000-0000-0000-000000000000"
    hints = (f"changed:{person.id}:account changed:{everybody}:admin changed:{everybody}:reviews "
             f"changed:{person.id}:keys")
    with Events(person.browser()) as events:
        world.sql("SELECT pg_notify('displayd_hint', %s)", hints)
        for topic in ("admin", "reviews"):
            wait_until(lambda: ("changed", {"topic": topic}) in events.seen or events.event() is None,
                       "a topic of a role")
        events.seen.clear()
        world.sql("UPDATE account SET is_administrator = false, is_reviewer = false WHERE id = %s",
                  person.id)
        for _ in range(10):
            world.sql("SELECT pg_notify('displayd_hint', %s)", hints)
            events.topic("keys")
        person.browser().patch("/web/account", {"name": "Last"}).ok()
        events.topic("account")
        assert not [data for _, data in events.seen if data["topic"] in ("admin", "reviews")]


def test_administrators_are_told_that_an_account_is_gone(world, administrator):
    person = Person(world)
    with Events(administrator) as admin:
        world.server.ctl("account", "remove", person.email, "--yes")
        admin.topic("admin")


def test_many_changes_are_few_events(person):
    """Changes at the same moment share an event, but the last one is never lost."""
    person.device()
    browser = person.browser()
    with Events(browser) as events:
        for number in range(40):
            browser.post("/web/keys", {"name": str(number)})
        browser.patch("/web/account", {"name": "the last one"}).ok()
        events.topic("account")
        told = events.seen.count(("changed", {"topic": "keys"}))
        assert 1 <= told < 40


def ends(events):
    names = events.end()
    assert names[-1] == "bye", names
    events.close()


def test_it_ends_with_its_session(person):
    for end in (lambda browser, other: browser.delete("/web/session"),
                lambda browser, other: other.delete("/web/sessions"),
                lambda browser, other: other.post("/web/account/password", {
                    "currentPassword": PASSWORD, "password": OTHER_PASSWORD})):
        browser, other = person.browser(), person.browser()
        with Events(browser) as events, Events(other) as stays:
            assert end(browser, other).status == 200
            ends(events)
            stays.topic("sessions")
        assert Events(browser).status == 401


def test_it_ends_with_its_account(world):
    person = Person(world)
    browser = person.browser()
    with Events(browser) as events:
        assert browser.post("/web/account/removal", {"password": PASSWORD}).status == 200
        ends(events)
    person = Person(world)
    with Events(person.browser()) as events:
        world.server.ctl("account", "remove", person.email, "--yes")
        ends(events)


def cut_connections(world):
    world.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
              "WHERE datname = current_database() AND pid <> pg_backend_pid()")


def test_it_ends_where_the_hint_was_lost(start):
    """A stream ends if the hint was lost: sessions are checked again once hints can arrive."""
    world = start("--rate-limit", "0")
    person = Person(world)
    browser = person.browser()
    with Events(browser) as events:
        world.sql("DELETE FROM session WHERE account_id = %s", person.id)
        cut_connections(world)
        ends(events)


def test_who_may_listen(world, person):
    browser = person.browser()
    assert Events(browser).status == 200
    browser.cookie = "displayd_session=" + "x" * 43
    assert Events(browser).status == 401
    foreign = person.browser()
    foreign.fields = (("Sec-Fetch-Site", "cross-site"),)
    assert Events(foreign).status == 403


def test_an_account_has_its_share_of_streams(world, person):
    """Each worker has 64 streams for an account; other accounts still have their own."""
    browser = person.browser()
    with contextlib.ExitStack() as stack:
        answers = []
        for _ in range(2 * 64 + 1):
            events = Events(browser)
            stack.callback(events.close)
            answers.append(events)
        refused = [events for events in answers if events.status != 200]
        assert refused
        assert {events.status for events in refused} == {503}
        assert all("Retry-After" in events.fields for events in refused)
        assert Events(Person(world).browser()).status == 200
    # A closed stream frees its place.
    wait_until(lambda: Events(browser).status == 200, "room")


def test_it_says_that_the_database_is_away(start):
    world = start("--rate-limit", "0")
    person = Person(world)
    browser = person.browser()
    with Events(browser) as events:
        cut_connections(world)
        events.next("away")
        events.next("back")
        browser.patch("/web/account", {"name": "still there"}).ok()
        events.topic("account")


def test_hostile_hints(world, person):
    """Any program that may connect to the database can send hints."""
    browser = person.browser()
    with Events(browser) as events:
        for text in ("changed", "changed:", f"changed:{person.id}", f"changed:{person.id}:",
                     f"changed:{person.id}:a\"b", f"changed:{person.id}:" + "x" * 81,
                     f"changed:{person.id[:-1]}:keys", "changed:none:keys",
                     f"changed:{person.id}:</script>", f"changed:{person.id}:\u00e9",
                     f"changed:{person.id}:a\nb", "app:", "app:x", "x" * 7000):
            world.sql("SELECT pg_notify('displayd_hint', %s)", text)
        browser.patch("/web/account", {"name": "after them"}).ok()
        events.topic("account")
        known = {"sessions", "account", "apps"}
        assert {data["topic"] for name, data in events.seen if name == "changed"} <= known


def test_drain_ends_it(start):
    world = start("--rate-limit", "0")
    with Events(Person(world).browser()) as events:
        assert world.server.stop() == 0
        assert "bye" not in events.end()
