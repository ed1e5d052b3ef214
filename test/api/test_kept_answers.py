"""Answers that workers keep in memory: a read that begins after an answered write shows it."""

import contextlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import uuid

import kept
import psycopg2
import pytest
from served_metrics import count_of
from world import World, images, new_key, request_bytes, sha256, wait_until

from database_clock import DatabaseClock
from server import amount

PAIRS = amount(600, 3000)
WORKERS = 3


@pytest.fixture(scope="module")
def instance(world):
    """Another instance on the database of "world", whose metrics can be read."""
    with World(world.database, "--rate-limit", "0", "--admin-listen", "127.0.0.1:0",
               workers=WORKERS) as one:
        yield one


@pytest.fixture
def alone(start):
    """One worker, on a database of its own."""
    return start("--admin-listen", "127.0.0.1:0", workers=1)


READS = ("account_get", "device_by_id", "devices_by_id", "device_list", "device_lists", "installation_list")


def targets_of(device):
    return "/v1/account/", "/v1/devices", device.path, device.path + "/installations"


# ---- what is kept ----


def test_an_answer_is_read_once(alone):
    account = alone.account()
    device = account.device()
    assert device.push(installationId="a", background=True).ok() == {}
    with alone.client() as client:
        for target in targets_of(device):
            first = client.request("GET", target, key=account.key)
            # Now and then hints are silent for a moment, where the machine is busy.
            before = count_of(alone, *READS)
            for _ in range(50):
                again = client.request("GET", target, key=account.key)
                assert (again.status, again.body) == (first.status, first.body)
                assert [field for field in again.fields if field[0] not in ("Date", "X-Request-Id")] == \
                    [field for field in first.fields if field[0] not in ("Date", "X-Request-Id")]
            assert count_of(alone, *READS) - before < 25
            head = client.request("HEAD", target, key=account.key)
            assert head["ETag"] == first["ETag"] and head["Content-Length"] == first["Content-Length"]
            for tag in (first["ETag"], "W/" + first["ETag"], "*", f'"x", {first["ETag"]}'):
                known = client.request("GET", target, key=account.key, fields=[("If-None-Match", tag)])
                assert known.status == 304 and known.body == b"" and known["ETag"] == first["ETag"]
                assert known["Cache-Control"] == first["Cache-Control"] == "private, no-cache"
            other = client.request("GET", target, key=account.key, fields=[("If-None-Match", '"x"')])
            assert (other.status, other.body) == (200, first.body)


def test_no_cache_reads_the_database(alone):
    account = alone.account()
    device = account.device(name="old")
    with alone.client() as client:
        def name(*fields):
            return client.request("GET", device.path, key=account.key, fields=fields).ok()["name"]

        assert name() == "old"
        alone.sql("UPDATE device SET name = 'new' WHERE id = %s", device.id)
        kept.forget()
        assert name(("Cache-Control", "no-store")) in ("old", "new")
        for value in ("no-cache", "max-age=0, No-Cache", "no-store,no-cache"):
            assert name(("Cache-Control", value)) == "new"
        # The worker keeps the answer that it has read.
        assert name() == "new"


def test_parts_of_lists_are_read(alone):
    account = alone.account()
    devices = [account.device(name=str(number)) for number in range(5)]
    whole = account.get("/v1/devices").ok()
    part = account.get("/v1/devices?limit=2")
    assert part.ok() == whole[:2] and 'rel="next"' in part["Link"]
    after = re.search(r"<(.*)>", part["Link"])[1]
    assert account.get("/v1/devices" + after).ok() == whole[2:4]
    assert account.get("/v1/devices?cursor=nonsense").ok() == whole
    assert "Link" not in account.get("/v1/devices")
    account.get("/v1/devices?limit=0").problem(400)
    for name in "ab":
        assert devices[0].push(installationId=name, background=True).ok() == {}
    entries = devices[0].installations()
    assert devices[0].get("/installations?limit=1").ok() == entries[:1]
    assert devices[0].installations() == entries


# ---- who asks ----


def test_keys_and_scopes_come_first(world, instance):
    account = world.account()
    device, other = account.device(), account.device()
    limited = new_key()
    world.sql("INSERT INTO api_key (id, account_id, name, secret_hash, device_ids) VALUES (%s, %s, 'one', %s, "
              "ARRAY[%s]::uuid[])", str(uuid.uuid4()), account.id, sha256(limited), other.id)
    push_only = account.new_key("push")
    stranger = world.account()
    with instance.each_worker() as clients:
        for client in [*clients, *clients]:
            assert [one["id"] for one in client.request("GET", "/v1/devices", key=account.key).ok()] == \
                [device.id, other.id]
            assert client.request("GET", device.path, key=account.key).status == 200
            assert client.request("GET", device.path + "/installations", key=account.key).ok() == []
            assert [one["id"] for one in client.request("GET", "/v1/devices", key=limited).ok()] == [other.id]
            for target in (device.path, device.path + "/installations"):
                for key in (limited, stranger.key):
                    assert client.request("GET", target, key=key).status == 403
            assert client.request("GET", "/v1/account/", key=push_only).status == 403
            assert client.request("GET", device.path, key=new_key()).status == 401
            assert client.request("GET", "/v1/account/", key=stranger.key).ok()["email"] == stranger.email
        made = world.server.ctl("key", "create", "--account", account.email, "--name", "one")["key"]
        for client in clients:
            assert client.request("GET", device.path, key=made).status == 200
        account.world.sql("UPDATE api_key SET revoked_at = clock_timestamp() WHERE secret_hash = %s", sha256(made))
        world.sql("SELECT pg_notify('displayd_hint', %s)", "key:" + sha256(made).hex())
        for client in clients:
            wait_until(lambda client=client: client.request("GET", device.path, key=made).status == 401,
                       "a worker that refuses the key")
            assert client.request("GET", device.path, key=account.key).status == 200


def test_a_closed_account_reads_nothing(world, instance):
    account = world.account()
    device = account.device()
    with instance.each_worker() as clients:
        for client in clients:
            for target in targets_of(device):
                assert client.request("GET", target, key=account.key).status == 200
        world.server.ctl("account", "remove", account.email, "--yes", json_output=False)
        for client, target in itertools.product(clients, targets_of(device)):
            wait_until(lambda client=client, target=target:
                       client.request("GET", target, key=account.key).status == 401, "a worker that refuses the key")


# ---- races ----


class Readers:
    """Clients that ask each worker all the time, so that there is always something in memory."""

    def __init__(self, world, key, targets):
        self.clients = world.clients()
        self.requests = [request_bytes("GET", target, key=key) for target in targets]
        self.is_over = False
        self.count = 0
        self.threads = [threading.Thread(target=self.run, args=(client,)) for client in self.clients]

    def run(self, client):
        for request in itertools.cycle(self.requests):
            if self.is_over:
                return
            client.send(request)
            assert client.answer().status == 200
            self.count += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()
        for client in self.clients:
            client.close()


def pairs_of(clients, count):
    """(number, writer, reader): every second time the same worker, else another one."""
    order = random.Random(27)
    for number in range(count):
        writer = order.randrange(len(clients))
        reader = writer if number % 2 else order.randrange(len(clients))
        yield number, clients[writer], clients[reader]


def ask(client, method, target, key, body=None):
    """An answer, as fast as can be."""
    client.send(request_bytes(method, target, key=key, body=body))
    answer = client.answer()
    assert answer.status == 200, answer
    return json.loads(answer.body)


def test_a_read_shows_what_was_answered_before_it(instance):
    """Whichever worker either reached, while all workers are asked all the time."""
    account = instance.account()
    key = account.key
    device, beside = account.device(), account.device()
    old = []
    with Readers(instance, key, targets_of(device)), instance.each_worker() as clients:
        for number, writer, reader in pairs_of(clients, PAIRS):
            kind = number % 3
            if kind == 0:
                ask(writer, "PATCH", device.path, key, {"brightness": number % 101})
                shown = ask(reader, "GET", device.path, key)["brightness"] == number % 101
            elif kind == 1:
                ask(writer, "PATCH", device.path, key, {"name": f"n{number}", "volume": number % 101})
                shown = ask(reader, "GET", "/v1/devices", key)[0]["name"] == f"n{number}"
            elif number % 2:
                ask(writer, "POST", device.path + "/push", key, {
                    "image": images.text(images.png()), "installationId": f"e{number}", "background": True})
                entries = ask(reader, "GET", device.path + "/installations", key)
                shown = [entry["id"] for entry in entries] == [f"e{number}"]
            else:
                for entry in ask(reader, "GET", device.path + "/installations", key):
                    ask(writer, "DELETE", f"{device.path}/installations/{entry['id']}", key)
                shown = ask(reader, "GET", device.path + "/installations", key) == []
            if not shown:
                old.append(number)
        assert ask(clients[0], "GET", beside.path, key)["id"] == beside.id
    assert not old, f"{len(old)} of {PAIRS} reads were older than an answered write: {old[:20]}"


def test_reads_under_way_while_it_changes(instance):
    """A read that meets the write may show either, and leaves nothing old behind."""
    account = instance.account()
    device = account.device()
    get = request_bytes("GET", device.path, key=account.key)
    before = ask(instance.client(), "GET", device.path, account.key)["brightness"]
    with instance.each_worker() as clients:
        writer, *readers = clients
        for number in range(PAIRS // 10):
            after = number % 101
            for reader in readers:
                reader.send(get * 3)
            writer.send(request_bytes("PATCH", device.path, key=account.key, body={"brightness": after}))
            for reader in readers:
                reader.send(get * 3)
            assert writer.answer().status == 200
            for _ in range(6):
                for reader in readers:
                    assert reader.answer().ok()["brightness"] in (before, after)
            for client in clients:
                assert ask(client, "GET", device.path, account.key)["brightness"] == after
            before = after


# ---- changes that come from elsewhere ----


def kept_by_all(clients, account, target):
    """The answer, which each worker has in memory."""
    for client in clients:
        for _ in range(2):
            answer = client.request("GET", target, key=account.key)
    return answer.ok()


def wait_until_all(clients, account, target, holds, what):
    for client in clients:
        wait_until(lambda client=client: holds(client.request("GET", target, key=account.key).ok()), what)


def test_changes_at_another_instance(world, instance):
    """They are hinted: a minute is far away."""
    account = world.account()
    device = account.device()
    with instance.each_worker() as clients:
        for number in range(10):
            kept_by_all(clients, account, device.path)
            kept_by_all(clients, account, "/v1/devices")
            assert world.request("PATCH", device.path, key=account.key, body={"volume": number}).status == 200
            wait_until_all(clients, account, device.path, lambda one, number=number: one["volume"] == number,
                           "the volume")
            wait_until_all(clients, account, "/v1/devices", lambda all, number=number: all[0]["volume"] == number,
                           "the volume in the list")
        entries = device.path + "/installations"
        assert kept_by_all(clients, account, entries) == []
        assert device.push(installationId="a", background=True).ok() == {}
        wait_until_all(clients, account, entries, len, "the entry")
        assert device.delete("a").ok() == {}
        wait_until_all(clients, account, entries, lambda all: all == [], "no entry")


def test_changes_by_displayctl(world, instance):
    account = world.account()
    device = account.device()
    with instance.each_worker() as clients:
        kept_by_all(clients, account, "/v1/devices")
        world.server.ctl("device", "create", "--account", account.email, "--name", "More")
        wait_until_all(clients, account, "/v1/devices", lambda all: len(all) == 2, "the new device")
        made = kept_by_all(clients, account, "/v1/devices")[1]["id"]
        world.server.ctl("device", "remove", made, "--yes", json_output=False)
        wait_until_all(clients, account, "/v1/devices", lambda all: len(all) == 1, "the device that stays")
        assert kept_by_all(clients, account, device.path)["id"] == device.id


def test_the_name_of_an_app(world, instance):
    """It is in the rotations of others."""
    author, account = world.account(), world.account()
    device = account.device()
    app = str(uuid.uuid4())
    world.sql("INSERT INTO app (id, account_id, slug, name) VALUES (%s, %s, %s, 'Clock')", app, author.id,
              "clock-" + app[:8])
    world.sql("INSERT INTO installation (device_id, id, app_id, position) VALUES (%s, %s, %s, 1)",
              device.id, str(uuid.uuid4()), app)
    entries = device.path + "/installations"
    kept.forget()
    with instance.each_worker() as clients:
        assert kept_by_all(clients, account, entries)[0]["app"]["name"] == "Clock"
        # Another instance renames it in this way (app_update).
        world.sql("UPDATE app SET name = 'Watch' WHERE id = %s", app)
        world.sql("SELECT pg_notify('displayd_hint', 'read:' || %s)", app)
        kept.forget()
        wait_until_all(clients, account, entries, lambda all: all[0]["app"]["name"] == "Watch", "the new name")


def test_a_first_contact(world, instance):
    account = world.account()
    device = account.device(last_online_at="2020-01-02")
    with instance.each_worker() as clients:
        assert kept_by_all(clients, account, device.path)["lastOnline"].startswith("2020-01-02")
        device.poll()
        wait_until_all(clients, account, device.path, lambda one: not one["lastOnline"].startswith("2020"),
                       "the time of the first contact")


SEEN = "EXECUTE seen (%s::uuid[], array_fill(0, ARRAY[%s]), array_fill(2, ARRAY[%s]), gen_random_uuid())"


def test_panels_that_come_back_are_told(world, account):
    """Rows of those that stay are read again by other instances once their times were written anew."""
    tool = os.path.join(os.path.dirname(__file__), "../..")
    text = subprocess.run([sys.executable, "tools/generate_statements.py", "print", "sql/query/device_seen.sql",
                           "--records", "src/domain"], cwd=tool, check=True, capture_output=True, text=True).stdout
    columns = {"online": {"connected_at": "2020-01-01"},
               "new": {},
               "away": {"connected_at": "2020-01-01", "last_online_at": "2020-01-02"}}
    devices = {name: [account.device(**values).id for _ in range(count)]
               for (name, values), count in zip(columns.items(), (5, 200, 200))}
    with contextlib.closing(psycopg2.connect(world.database)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("LISTEN displayd_hint")
            cursor.execute("PREPARE seen (uuid[], int8[], int8[], uuid) AS " + text)
            everyone = [one for all in devices.values() for one in all]
            cursor.execute(SEEN, [everyone] + 2 * [len(everyone)])
            assert cursor.fetchall() == []
            told = {word for one in connection.notifies for word in one.payload.split(" ")}
            told &= {"read:" + one for one in everyone}
            assert told == {"read:" + one for one in [*devices["new"], *devices["away"]]}
            connection.notifies.clear()
            cursor.execute(SEEN, [everyone] + 2 * [len(everyone)])
            assert not any("read:" + everyone[0] in one.payload for one in connection.notifies)
    [(count,)] = world.sql("SELECT count(*) FROM device WHERE account_id = %s AND "
                           "last_online_at > now() - interval '1 minute' AND connected_at IS NOT NULL", account.id)
    assert count == 405


def test_an_entry_that_expires(alone):
    account = alone.account()
    device = account.device()
    assert device.push(installationId="stays", background=True).ok() == {}
    assert device.push(installationId="goes", background=True, expiresIn=3600).ok() == {}
    assert device.ids() == device.ids() == ["stays", "goes"]
    with DatabaseClock(alone.database) as clock:
        clock.advance(3601)
        assert device.ids() == ["stays"]


def test_without_hints_an_answer_is_soon_read_again(start):
    one = start(workers=1)
    account = one.account()
    device = account.device(name="old")
    with one.client() as client:
        assert client.request("GET", device.path, key=account.key).ok()["name"] == "old"
        for pid in one.hint_backends():
            os.kill(pid, signal.SIGSTOP)  # it stays connected, and says nothing
        try:
            one.sql("UPDATE device SET name = 'new' WHERE id = %s", device.id)
            kept.forget()
            wait_until(lambda: client.request("GET", device.path, key=account.key).ok()["name"] == "new", "the name",
                       patience_s=20)
        finally:
            for pid in one.hint_backends():
                os.kill(pid, signal.SIGCONT)
