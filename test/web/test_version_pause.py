"""A version that crashes, or exceeds its limits, three times in a row: how long it is paused, and for
whom. Tests take the place of workers: they run the statements that lease and store renders. The
database's clock stands still, so pauses are exact."""

import contextlib
import threading
import uuid

import psycopg2
import psycopg2.extras
import pytest
from authors import SCRIPT
from devices import path_of
from people import Person, wait_until
from rendered import (app, author, installed, place_of, reviewer, statement,
                      world_without_engines)

from database_clock import DatabaseClock
from engines import engines_version

__all__ = ["app", "author", "reviewer", "world_without_engines"]  # fixtures
CRASH, GOOD, FAILED = "crash", "good", "failed"


class Renders:
    """Does the work of workers for the render keys of an app."""

    def __init__(self, world, version, clock):
        self.world, self.version, self.engine = world, version, engines_version()
        self.clock = clock
        self.wait_ms = None

    def run(self, name, cursor=None, **values):
        """The rows, each a dict."""
        with contextlib.ExitStack() as stack:
            if not cursor:
                connection = stack.enter_context(contextlib.closing(
                    psycopg2.connect(self.world.database)))
                connection.autocommit = True
                cursor = stack.enter_context(
                    connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor))
            cursor.execute(statement(name), values)
            return cursor.fetchall()

    def lease(self, place, cursor=None):
        """Returns the lease, or None; wait_ms: the delay that the worker gets."""
        lease = str(uuid.uuid4())
        [row] = self.run("render_lease", cursor, render_key=bytes.fromhex(place), version_id=self.version,
                         lease=lease, languages=["STARLARK"], lease_ms=30000, ahead_ms=0)
        self.wait_ms = row["wait_ms"]
        return lease if row["is_leased"] else None

    def store(self, place, lease, result, cursor=None):
        rows = self.run(
            "render_store", cursor, render_key=bytes.fromhex(place), version_id=self.version, lease=lease,
            engine=self.engine, is_good=result == GOOD, is_blamed=result == CRASH,
            picture=b"picture" if result == GOOD else None, duration_ms=0, cut=None, is_whole=False, took_us=1, max_age_s=0,
            interval_s=0, is_each_turn=False, moment_s=1, ahead_ms=0, log="", problem=None if result == GOOD else "{}", hosts="")
        return len(rows) == 1

    def let_go(self, place, lease):
        self.run("render_let_go", render_key=bytes.fromhex(place), version_id=self.version, lease=lease)

    def render(self, place, result):
        """Renders as if its panel wanted it. Returns whether it was rendered."""
        lease = self.lease(place)
        return lease is not None and self.store(place, lease, result)

    def again(self, place, result):
        """Renders after the time of the render key has come, too."""
        self.world.sql("UPDATE render SET due_at = '-infinity' WHERE place = decode(%s, 'hex')", place)
        return self.render(place, result)

    def pause(self):
        """Returns the crashes in a row, and the pause in seconds, or None."""
        [row] = self.world.sql("SELECT crashes, CASE WHEN paused_until IS NOT NULL "
                               "THEN milliseconds_until(paused_until) / 1000 END "
                               "FROM version_crashes WHERE version_id = %s", self.version)
        return row

    def end_pause(self):
        """Ends only the pause of the version: render keys have pauses of their own."""
        self.world.sql("UPDATE version_crashes SET paused_until = present_time() "
                       "WHERE version_id = %s", self.version)


@pytest.fixture
def clock(world):
    with DatabaseClock(world.database) as one:
        yield one


@pytest.fixture
def renders(world, app, clock):
    return Renders(world, app.version_id, clock)


@pytest.fixture
def places(world, app, browser):
    """Makes render keys of one owner, each with settings of its own, all on one device."""
    made = installed(browser, app)

    def make(count, owner=browser):
        one = made if owner is browser else installed(owner, app)
        device = one["device"]["id"]
        found = []
        for _ in range(count):
            entry = str(uuid.uuid4())
            world.sql("INSERT INTO installation (device_id, id, position, app_id, settings, "
                      "settings_hash) SELECT %s, %s, max(position) + 1, %s, %s, sha256(%s) "
                      "FROM installation WHERE device_id = %s",
                      device, entry, app.id, f'{{"a":"{entry}"}}', entry.encode(), device)
            found.append(place_of(world, device, entry))
        return found

    return make


@pytest.fixture
def other(world):
    return Person(world).browser()


def test_three_crashes_whatever_the_number_of_settings(renders, places):
    all_places = places(30)
    crashed = [place for place in all_places if renders.render(place, CRASH)]
    assert crashed == all_places[:3]
    assert renders.wait_ms == 60000
    for crashes, minutes in ((4, 2), (5, 4), (6, 8), (7, 16), (8, 32), (9, 64), (10, 128), (11, 256),
                             (12, 360), (13, 360)):
        renders.end_pause()
        # Start with the last: render keys that have crashed have pauses of their own, too.
        assert sum(renders.render(place, CRASH) for place in reversed(all_places)) == 1
        assert renders.pause() == (crashes, 60 * minutes)


def test_a_pause_ends_by_itself(renders, places):
    all_places = places(6)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    renders.clock.advance(59)
    assert not renders.lease(all_places[3]) and renders.wait_ms == 1000
    renders.clock.advance(1)
    assert renders.render(all_places[3], CRASH)
    assert renders.pause() == (4, 120)


def test_a_good_render_ends_it(renders, places):
    all_places = places(8)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    assert not renders.lease(all_places[3])
    renders.end_pause()
    assert renders.render(all_places[3], GOOD)
    assert renders.pause() == (0, None)
    for result in (CRASH, CRASH, GOOD, CRASH):  # not in a row
        assert renders.render(all_places.pop(), result)
    assert renders.pause() == (1, None)


def test_a_script_that_fails_neither_counts_nor_ends_it(renders, places):
    all_places = places(8)
    for result in (CRASH, FAILED, CRASH, FAILED):
        assert renders.render(all_places.pop(), result)
    assert renders.pause() == (2, None)
    assert renders.render(all_places.pop(), CRASH)
    assert renders.pause()[0] == 3
    renders.end_pause()
    assert renders.render(all_places.pop(), FAILED)
    assert renders.pause() == (3, 60)  # the time allowed for a try
    assert not renders.lease(all_places.pop())


def test_what_it_draws_well_goes_on(renders, places):
    good, *bad = places(5)
    assert renders.render(good, GOOD)
    for place in bad[:3]:
        assert renders.render(place, CRASH)
    assert not renders.lease(bad[3])
    # A failure without a crash changes nothing.
    assert renders.again(good, FAILED) and renders.again(good, FAILED)
    assert renders.pause()[0] == 3
    # After a crash the render key waits like the others, but does not extend the pause.
    before = renders.pause()
    assert renders.again(good, CRASH)
    assert renders.pause() == before
    assert not renders.again(good, GOOD)
    renders.end_pause()
    assert renders.again(good, GOOD)
    assert renders.pause() == (0, None)


def test_one_owner_stops_it_for_no_other(world, app, renders, places, other):
    hostile = places(9)
    for place in hostile[:3]:
        assert renders.render(place, CRASH)
    for place in hostile[3:6]:
        renders.end_pause()
        assert renders.render(place, CRASH)
    assert renders.pause()[0] == 6 and not renders.lease(hostile[6])
    [theirs, also] = places(2, other)
    assert renders.render(theirs, GOOD)
    assert renders.pause() == (0, None)
    # The pause applies to all owners, and is the shortest one, if the app crashes for another owner, too.
    for place in hostile[6:9]:
        assert renders.render(place, CRASH)
    for _ in range(4):
        renders.end_pause()
        assert renders.again(hostile[0], CRASH)
    assert renders.pause()[0] == 7
    assert renders.render(also, CRASH)
    assert renders.pause() == (3, 60)
    third = Person(world).browser()
    [waits] = places(1, third)
    assert not renders.lease(waits)
    assert renders.again(theirs, GOOD)


def test_several_owners_share_the_three(renders, places, other):
    [mine, mine_too], [theirs, theirs_too] = places(2), places(2, other)
    assert [renders.render(place, CRASH) for place in (mine, theirs, mine_too, theirs_too)] == [
        True, True, True, False]


def test_nobody_counts_for_a_place_that_is_left(world, renders, places):
    [place] = places(1)
    lease = renders.lease(place)
    world.sql("DELETE FROM installation WHERE place = decode(%s, 'hex')", place)
    assert renders.store(place, lease, CRASH)
    assert renders.pause() == (0, None)


def test_what_was_under_way_makes_the_pause_no_longer(renders, places):
    all_places = places(9)
    leases = [(place, renders.lease(place)) for place in all_places]
    for place, lease in leases:
        assert lease and renders.store(place, lease, CRASH)
    assert renders.pause() == (3, 60)
    renders.end_pause()
    # A try that exceeds its time makes room for another one, and no longer counts.
    for place in all_places:
        renders.world.sql("UPDATE render SET due_at = '-infinity' WHERE place = decode(%s, 'hex')", place)
    first = renders.lease(all_places[0])
    renders.end_pause()
    second = renders.lease(all_places[1])
    assert first and second
    assert renders.store(all_places[0], first, CRASH) and renders.pause()[0] == 3
    assert renders.store(all_places[1], second, CRASH) and renders.pause()[0] == 4


def test_a_try_that_is_given_back_is_another_ones(renders, places):
    all_places = places(5)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    renders.end_pause()
    lease = renders.lease(all_places[3])
    assert lease and not renders.lease(all_places[4])
    renders.let_go(all_places[3], lease)
    assert renders.lease(all_places[4])


def test_two_workers_have_one_try(world, renders, places):
    """Two workers share one try even at the same time, and neither waits for the other."""
    all_places = places(6)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    renders.end_pause()
    with contextlib.closing(psycopg2.connect(world.database)) as one, \
            one.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        assert renders.lease(all_places[3], cursor)
        assert not renders.lease(all_places[4])
        one.rollback()
        assert renders.lease(all_places[4])
        assert not renders.lease(all_places[3])


def test_where_it_cannot_be_leased_no_try_is_spent(world, renders, places):
    all_places = places(5)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    renders.end_pause()
    assert not renders.lease(all_places[0])  # the render key has its own pause
    assert renders.lease(all_places[3])


def test_versions_have_pauses_of_their_own(author, reviewer, world, app, renders, places):
    all_places = places(6)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    assert not renders.lease(all_places[4])
    second = Renders(world, app.publish(reviewer, "2.0"), renders.clock)
    assert second.pause() == (0, None)
    assert second.render(all_places[4], GOOD) and second.render(all_places[3], GOOD)
    author.browser.post(app.path + "/deploy", {"version": "1.0"}).ok()
    assert renders.pause()[0] == 3
    assert not renders.lease(all_places[5])


def test_another_engine_may_try_at_once(renders, places):
    all_places = places(4)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    assert not renders.lease(all_places[3])
    renders.run("render_outdated", engine="another", row_limit=200)
    assert renders.pause() == (0, None)
    assert renders.lease(all_places[3])


def row_version(world, version):
    """The value changes whenever a statement has written or locked the row."""
    return world.sql("SELECT ctid, xmin, xmax FROM version_crashes WHERE version_id = %s", version)


def test_good_renders_write_nothing(world, app, renders, places):
    one, two = places(2)
    before = row_version(world, app.version_id)
    for _ in range(3):
        assert renders.again(one, GOOD) and renders.again(two, FAILED)
    assert row_version(world, app.version_id) == before
    assert renders.again(two, CRASH)
    assert row_version(world, app.version_id) != before


def in_thread(run):
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def remove(world, app):
    with contextlib.closing(psycopg2.connect(world.database)) as connection:
        with connection, connection.cursor() as cursor:
            cursor.execute("DELETE FROM app WHERE id = %s", (app.id,))


def is_waiting(world):
    return world.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                     "AND datname = current_database()")[0][0] == 1


def test_an_app_is_removed_meanwhile(world, app, renders, places):
    """The removal waits for the crash, without a deadlock."""
    all_places = places(6)
    for place in all_places[:3]:
        assert renders.render(place, CRASH)
    renders.end_pause()
    with contextlib.closing(psycopg2.connect(world.database)) as one, \
            one.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        lease = renders.lease(all_places[3])
        assert renders.store(all_places[3], lease, CRASH, cursor)
        removal = in_thread(lambda: remove(world, app))
        wait_until(lambda: is_waiting(renders.world), "the removal")
        one.commit()
        removal.join()
    assert world.sql("SELECT count(*) FROM version_crashes WHERE version_id = %s",
                     app.version_id) == [(0,)]


def test_a_crash_while_an_app_is_removed(world, app, renders, places):
    all_places = places(6)
    for place in all_places[:2]:
        assert renders.render(place, CRASH)
    lease = renders.lease(all_places[3])
    stored = []
    with contextlib.closing(psycopg2.connect(world.database)) as one, one.cursor() as cursor:
        cursor.execute("DELETE FROM app WHERE id = %s", (app.id,))
        crash = in_thread(lambda: stored.append(renders.store(all_places[3], lease, CRASH)))
        wait_until(lambda: is_waiting(renders.world), "the crash")
        one.commit()
        crash.join()
    assert stored == [False]


def test_its_owner_sees_why_it_waits(world, app, renders, browser, other):
    made = [installed(browser, app, timezone=zone)
            for zone in ("UTC", "Asia/Tokyo", "Europe/Zagreb", "America/New_York")]
    shown = [lambda one=one: browser.get(
        f"{path_of(one['device'])}/rotation/{one['entry']}/render").ok() for one in made]
    for one in made[:3]:
        assert renders.render(place_of(world, one["device"]["id"], one["entry"]), CRASH)
    for get in shown:
        told = get()
        assert told["versionPaused"] and told["pausedUntil"]
    assert shown[3]()["renderedAt"] is None
    theirs = installed(other, app, timezone="Asia/Seoul")
    path = f"{path_of(theirs['device'])}/rotation/{theirs['entry']}/render"
    told = other.get(path).ok()
    assert told["versionPaused"] is False and told["pausedUntil"] is None
    # The pause of a render key is longer than that of the version.
    world.sql("UPDATE render SET paused_until = present_time() + interval '1 day' "
              "WHERE version_id = %s AND place = (SELECT place FROM installation WHERE id = %s "
              "AND device_id = %s)", app.version_id, made[0]["entry"], made[0]["device"]["id"])
    told = shown[0]()
    assert not told["versionPaused"] and told["pausedUntil"] > shown[1]()["pausedUntil"]
    renders.end_pause()
    assert not shown[3]()["versionPaused"] and shown[3]()["pausedUntil"] is None


def test_its_author_sees_the_pause(author, app, renders, places, other):
    def paused():
        return author.browser.get(app.path + "/renders").ok()["pausedUntil"]

    assert paused() is None
    for place in places(3):
        assert renders.render(place, CRASH)
    assert paused() is None  # that is one owner's
    [theirs] = places(1, other)
    assert renders.render(theirs, CRASH)
    assert paused()
    renders.end_pause()
    assert paused() is None


def test_a_version_has_its_row_from_the_start(world, app):
    pending = app.submitted("2.0", SCRIPT)
    for version in (pending, app.version_id):
        assert world.sql("SELECT crashes, account_id, paused_until, trial FROM version_crashes "
                         "WHERE version_id = %s", version) == [(0, None, None, None)]
