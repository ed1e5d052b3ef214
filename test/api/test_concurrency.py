"""Parallel callers: two instances with four workers each on one database. Each case is run
DISPLAYD_TEST_ROUNDS times (5)."""

import concurrent.futures
import os
import re

import psycopg2
import pytest
from apps import DECISIONS, make_app
from swarm import Swarm, last
from world import World, images, request_bytes

from server import CtlError

ROUNDS = int(os.environ.get("DISPLAYD_TEST_ROUNDS", "5"))
PARALLEL = 200


@pytest.fixture(scope="module")
def pair(postgres):
    database = postgres.create_database()
    with World(database, "--rate-limit", "0", workers=4) as one:
        with World(database, "--rate-limit", "0", workers=4) as other:
            yield one, other


@pytest.fixture
def account(pair):
    return pair[0].account()


@pytest.fixture
def swarm(pair):
    with Swarm(pair, PARALLEL) as one:
        yield one


def statuses(arrivals):
    return sorted(arrival.answer.status for arrival in arrivals)


# ---- apps ----

def upload(app, version):
    return request_bytes("POST", app.path + "/upload", key=app.account.key, body={
        "version": version, "scriptContent": f"# {version}", "scriptLanguage": "STARLARK"})


@pytest.mark.parametrize("names", ["different", "same"])
def test_one_upload_of_many(swarm, account, names):
    for _ in range(ROUNDS):
        app = make_app(account)
        arrivals = swarm.run([upload(app, "1.0" if names == "same" else f"1.{number}")
                              for number in range(PARALLEL)])
        assert statuses(arrivals) == [201] + [409] * (PARALLEL - 1)
        created = next(arrival for arrival in arrivals if arrival.answer.status == 201)
        assert app.versions() == [created.answer.json()]
        assert app.status() == "pending"


def test_uploads_beside_a_review(swarm, account):
    """The free place for a review is taken at once, and by one upload."""
    app = make_app(account)
    app.uploaded("0")
    for number in range(1, ROUNDS + 1):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            review = pool.submit(app.review, str(number - 1), list(DECISIONS)[number % 3])
            while swarm.run([upload(app, str(number))])[0].answer.status != 201:
                pass
            review.result()
        assert app.names() == [str(n) for n in range(number, -1, -1)]
        assert [entry["status"] == "PENDING" for entry in app.versions()] == [True] + [
            False] * number


def test_deploys(swarm, account):
    app = make_app(account)
    for version in "1234":
        app.published(version)
    app.uploaded("5")
    for _ in range(ROUNDS):
        before = app.generation()
        versions = ["123459"[number % 6] for number in range(60)]
        arrivals = swarm.run([request_bytes("POST", app.path + "/deploy", key=account.key,
                                            body={"version": version}) for version in versions])
        for arrival in arrivals:
            version = versions[arrival.number]
            assert arrival.answer.status == {"5": 409, "9": 404}.get(version, 200)
            if arrival.answer.status == 200:
                assert (arrival.answer.json()["version"], arrival.answer.json()["deployed"]) == (
                    version, True)
        assert len(app.deployed()) == 1 and app.deployed()[0] in "1234"
        assert before <= app.generation() <= before + 40


def test_reviews(pair, account):
    app = make_app(account)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for number in range(ROUNDS):
            version = str(number)
            app.uploaded(version)

            def review(decision, version=version):
                try:
                    return app.review(version, decision, "--summary", decision)
                except CtlError as error:
                    assert error.code == 4, error
                    return re.search(r"it is (\w+)", error.text)[1]

            outcomes = list(pool.map(review, list(DECISIONS) * 2))
            won = [outcome for outcome in outcomes if isinstance(outcome, dict)]
            assert len(won) == 1
            final = app.version(version)
            assert final["status"] == won[0]["status"] == DECISIONS[final["reviewSummary"]]
            assert {outcome for outcome in outcomes if isinstance(outcome, str)} == {
                final["status"]}
            assert (app.deployed() == [version]) == (final["status"] == "APPROVED")


def test_deploy_is_told_to_every_instance(pair, account):
    connection = psycopg2.connect(pair[0].database)
    connection.autocommit = True
    connection.cursor().execute("LISTEN displayd_hint")
    app = make_app(account)
    app.uploaded("1")
    expected = []
    for step in (lambda: app.review("1"), lambda: app.published("2"), lambda: app.deploy("1").ok(),
                 lambda: app.deploy("2").ok()):
        before = app.generation()
        step()
        assert app.generation() == before + 1
        expected.append(f"app:{app.id}:{before + 1}")
    for hint in expected:
        while not any(hint in notify.payload for notify in connection.notifies):
            connection.poll()
    for world in pair:
        assert 'msg="an unexpected error was answered"' not in world.server.log()
    connection.close()


# ---- devices ----

def test_changes_of_different_settings(swarm, account):
    device = account.device()
    for number in range(ROUNDS):
        wanted = {"name": f"n{number}", "brightness": number % 101, "volume": (number + 50) % 101,
                  "autoDim": number % 2 == 0, "timezone": ("GB", "UTC", "Zulu")[number % 3],
                  "scheduleInterval": 15 + number, "sleepEnabled": number % 2 == 1,
                  "sleepStart": f"{number % 24:02d}:00", "sleepEnd": f"{number % 24:02d}:30"}
        assert statuses(swarm.run([
            request_bytes("PATCH", device.path, key=account.key, body={name: value})
            for name, value in wanted.items() for _ in range(8)])) == [200] * 8 * len(wanted)
        members = device.get().ok()
        assert {name: members[name] for name in wanted if not name.startswith("sleep")} == {
            name: value for name, value in wanted.items() if not name.startswith("sleep")}
        assert members["sleep"] == {"enabled": wanted["sleepEnabled"],
                                    "start": wanted["sleepStart"], "end": wanted["sleepEnd"]}


# ---- pushes ----

PICTURES = [images.webp(images.solid((number * 3, 255 - number, number ^ 90)))
            for number in range(64)]
FRAMES = [images.frames_of(picture) for picture in PICTURES]


def push(device, number, **members):
    return request_bytes("POST", device.path + "/push", key=device.account.key, body={
        "image": images.text(PICTURES[number]), **members})


def stored(device, table):
    rows = device.account.world.sql(f"SELECT picture FROM {table} WHERE device_id = %s", device.id)
    assert len(rows) == 1
    return FRAMES.index(images.frames_of(bytes(rows[0][0])))


@pytest.mark.parametrize("background", [False, True])
def test_pushes_of_one_entry(swarm, account, background):
    device = account.device()
    for _ in range(ROUNDS):
        arrivals = swarm.run([push(device, number, installationId="x", background=background)
                              for number in range(len(PICTURES))])
        assert statuses(arrivals) == [200] * len(PICTURES)
        assert device.ids() == ["x"]
        assert stored(device, "installation") in last(arrivals)


def test_temporary_pushes(swarm, account):
    device = account.device()
    for _ in range(ROUNDS):
        arrivals = swarm.run([push(device, number) for number in range(len(PICTURES))])
        assert statuses(arrivals) == [200] * len(PICTURES)
        assert stored(device, "showing") in last(arrivals)
    assert device.ids() == []


def check_order(device, arrivals):
    """Entries answered earlier were stored earlier: creation numbers show the order."""
    positions = dict(device.account.world.sql(
        "SELECT id, position FROM installation WHERE device_id = %s", device.id))
    turns = {}
    for arrival in arrivals:
        turns.setdefault(arrival.turn, []).append(positions[f"e{arrival.number}"])
    newest = 0
    for turn in sorted(turns):
        assert min(turns[turn]) > newest
        newest = max(turns[turn])


def test_pushes_are_answered_in_the_order_in_which_they_are_stored(swarm, account):
    for _ in range(ROUNDS):
        device = account.device()
        arrivals = swarm.run([push(device, number % 64, installationId=f"e{number}",
                                   background=number % 2 == 0) for number in range(100)])
        assert statuses(arrivals) == [200] * 100
        check_order(device, arrivals)


def test_new_entries(swarm, account):
    """Of parallel pushes, exactly a hundred new entries fit."""
    for _ in range(ROUNDS):
        device = account.device()
        arrivals = swarm.run([push(device, number % 64, installationId=f"e{number}")
                              for number in range(120)])
        assert statuses(arrivals) == [200] * 100 + [400] * 20
        taken = {f"e{arrival.number}" for arrival in arrivals if arrival.answer.status == 200}
        assert set(device.ids()) == taken


@pytest.mark.parametrize("is_there", [False, True])
def test_delete_beside_push(swarm, account, is_there):
    for number in range(ROUNDS):
        device = account.device()
        if is_there:
            assert device.push(PICTURES[0], installationId="x").ok() == {}
        requests = [push(device, 1, installationId="x"),
                    request_bytes("DELETE", device.path + "/installations/x", key=account.key)]
        arrivals = swarm.run(requests[::1 if number % 2 else -1])
        deleted, = (arrival.answer.status for arrival in arrivals
                    if arrival.number == number % 2)
        pushed, = (arrival.answer.status for arrival in arrivals if arrival.number != number % 2)
        assert pushed == 200
        if is_there:
            assert deleted == 200
        else:
            assert deleted in (200, 404)
        ids = device.ids()
        if not is_there:
            assert ids == (["x"] if deleted == 404 else [])
        assert ids in ([], ["x"])
        if ids:
            assert stored(device, "installation") == 1
        check_counts(device)


def test_deletes_beside_pushes(swarm, account):
    device = account.device()
    for _ in range(ROUNDS):
        was_there = device.ids() == ["x"]
        requests = []
        for number in range(20):
            requests.append(push(device, number, installationId="x", background=number % 3 == 0))
            requests.append(request_bytes("DELETE", device.path + "/installations/x",
                                          key=account.key))
        arrivals = swarm.run(requests)
        pushed = [arrival for arrival in arrivals if arrival.number % 2 == 0]
        deleted = [arrival for arrival in arrivals if arrival.number % 2 == 1]
        assert statuses(pushed) == [200] * 20
        assert set(statuses(deleted)) <= {200, 404}
        removals = statuses(deleted).count(200)
        ids = device.ids()
        assert ids in ([], ["x"])
        # Each removal removes an entry that existed or was made since.
        assert removals + len(ids) <= 20 + was_there
        assert removals or ids
        if ids:
            assert stored(device, "installation") < 20
        check_counts(device)


def check_counts(device):
    world = device.account.world
    assert world.sql("SELECT entry_count FROM device WHERE id = %s", device.id) == world.sql(
        "SELECT count(*) FROM installation WHERE device_id = %s", device.id)
    assert world.sql("SELECT count(*) FROM showing WHERE device_id = %s AND installation_id NOT IN "
                     "(SELECT id FROM installation WHERE device_id = %s)",
                     device.id, device.id) == [(0,)]
