"""Lists of any length, whole and in parts: they are complete, and do not delay other requests."""

import base64
import contextlib
import gzip
import json
import socket
import uuid

import pytest
from apps import make_app
from lists import next_target
from server import little_quarantine, wait_until
from world import request_bytes

COMMENT = "x" * 2000
MANY = 2500


def insert_devices(account, count):
    account.world.sql(
        "INSERT INTO device (id, account_id, name, link_key_hash) "
        "SELECT gen_random_uuid(), %s, 'Desk ' || n, sha256(n::text::bytea) "
        "FROM generate_series(1, %s) AS n", account.id, count)


def insert_versions(app, count):
    """Inserts versions, each with a review of 2,000 characters."""
    app.account.world.sql(
        "WITH made AS ("
        " INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum,"
        "  status, reviewed_at, review_summary)"
        " SELECT gen_random_uuid(), %s, 'v' || n, 'STARLARK', 'x',"
        " 'sha256:' || repeat('0', 64), 'APPROVED', now(),"
        "  'good' FROM generate_series(1, %s) AS n RETURNING id)"
        "INSERT INTO app_version_comment (version_id, position, author, comment)"
        " SELECT id, 1, 'A', %s FROM made", app.id, count, COMMENT)


def insert_apps(account, count):
    """Inserts private apps with a deployed version each; some have the same name."""
    account.world.sql(
        "WITH made AS ("
        " INSERT INTO app (id, account_id, slug, name)"
        " SELECT gen_random_uuid(), %s, 'l-' || replace(gen_random_uuid()::text, '-', ''),"
        "  'Ä' || n / 3 FROM generate_series(1, %s) AS n RETURNING id)"
        "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum,"
        "  status, reviewed_at)"
        " SELECT gen_random_uuid(), id, '1', 'STARLARK', 'x',"
        " 'sha256:' || repeat('0', 64), 'APPROVED', now()"
        " FROM made", account.id, count)
    account.world.sql(
        "UPDATE app SET deployed_version_id = app_version.id, status = 'active' FROM app_version"
        " WHERE app_version.app_id = app.id AND app.account_id = %s", account.id)


def insert_installations(device, count):
    device.account.world.sql(
        "INSERT INTO installation (device_id, id, position)"
        " SELECT %s, 'entry-' || n, 1000 - n FROM generate_series(1, %s) AS n", device.id, count)


def read_parts(account, target, limit):
    parts = []
    target += f"?limit={limit}"
    while target:
        answer = account.get(target)
        parts.append(answer.ok())
        target = next_target(target, answer)
    assert all(len(part) == limit for part in parts[:-1])
    return [entry for part in parts for entry in part]


def make_lists(account):
    """Returns the targets of all lists, with the number of elements."""
    app, device = make_app(account), account.device()
    insert_devices(account, 249)
    insert_apps(account, 230)
    insert_versions(app, 120)
    insert_installations(device, 7)
    return {"/v1/devices": 250, f"{app.path}/versions": 120, "/v1/apps": 230,
            device.path + "/installations": 7}


def test_parts_make_the_whole(start):
    account = start().account()
    for target, count in make_lists(account).items():
        whole = account.get(target)
        assert len(whole.ok()) == count
        for limit in (3, 99, 100, 101, count - 1, count, count + 1, 1000):
            assert read_parts(account, target, limit) == whole.ok(), (target, limit)


def insert_remarks(app, count):
    """Inserts this many remarks of 2,000 bytes at each version."""
    app.account.world.sql(
        "INSERT INTO app_version_comment (version_id, position, author, comment)"
        " SELECT id, n, 'A', %s FROM app_version, generate_series(2, %s) AS n WHERE app_id = %s",
        COMMENT, count, app.id)


def test_few_versions_that_are_large(account):
    """Bytes delay others, whatever the number of elements: a list of large ones is read as a long one, and
    its parts have half a mebibyte."""
    app = make_app(account)
    insert_versions(app, 20)
    target = f"{app.path}/versions"
    assert "ETag" in account.get(target)
    insert_remarks(app, 100)
    whole = account.get(target)
    assert len(whole.body) > 4_000_000
    assert "ETag" not in whole and "Content-Length" not in whole
    assert [len(version["reviewComments"]) for version in whole.ok()[:20]] == [100] * 20
    assert account.get(target, fields=[("If-None-Match", "*")]).status == 304
    for limit in (7, 100, 1000):
        found, following = [], f"{target}?limit={limit}"
        while following:
            answer = account.get(following)
            assert len(answer.body) < 1024 * 1024 and len(answer.ok()) <= limit
            found += answer.ok()
            following = next_target(following, answer)
        assert found == whole.ok()


@pytest.mark.parametrize("count", [99, 100, 101, 102, MANY])
def test_whole_lists(world, account, count):
    insert_devices(account, count)
    with world.client() as client:
        for _ in range(2):
            answer = client.request("GET", "/v1/devices", key=account.key)
            assert [entry["id"] for entry in answer.ok()] == [row[0] for row in world.sql(
                "SELECT id::text FROM device WHERE account_id = %s ORDER BY created_at, device.id",
                account.id)]


def test_head_of_a_long_list(world, account):
    insert_devices(account, 300)
    with world.client() as client:
        assert client.request("HEAD", "/v1/devices", key=account.key).status == 200
        assert len(client.request("GET", "/v1/devices", key=account.key).ok()) == 300


@pytest.mark.parametrize("count", [3, 300])
def test_whoever_has_any_list_has_this_one(account, count):
    """"*" matches any list (RFC 9110 section 13.1.2), even a long one without a tag."""
    insert_devices(account, count)
    answer = account.get("/v1/devices", fields=[("If-None-Match", "*")])
    assert answer.status == 304 and answer.body == b""
    assert answer["Cache-Control"] == "private, no-cache"


def test_the_tag_changes_with_what_the_list_shows(account, device):
    def tag():
        return account.get("/v1/devices")["ETag"]

    first = tag()
    assert device.push(installationId="clock").status == 200
    assert tag() == first
    account.world.sql("UPDATE device SET locale = 'de' WHERE id = %s", device.id)
    assert tag() == first
    assert account.request("PATCH", device.path, body={"brightness": 7}).status == 200
    assert tag() != first


def test_parts_have_a_tag(account):
    insert_devices(account, 300)
    for limit in (2, 200):
        target = f"/v1/devices?limit={limit}"
        tag = account.get(target)["ETag"]
        assert account.get(target, fields=[("If-None-Match", tag)]).status == 304


@pytest.mark.parametrize("count", [3, 200])
def test_the_tag_of_a_part_tells_whether_there_is_a_next_one(account, count):
    """Many clients reuse the stored fields of an answer after a 304, so the tag covers the link to the next part."""
    insert_devices(account, count)
    target = f"/v1/devices?limit={count}"
    last = account.get(target)
    assert "Link" not in last
    insert_devices(account, 1)
    more = account.get(target, fields=[("If-None-Match", last["ETag"])])
    assert more.status == 200 and "Link" in more
    assert more.json() == last.json()


@pytest.mark.parametrize("limit", ["0", "1001", "-1", "", "1.0", "x", "10000000000", "%31"])
def test_wrong_limits(account, limit):
    detail = account.get(f"/v1/devices?limit={limit}").problem(400)["detail"]
    assert detail == "limit must be a whole number from 1 to 1000"


def test_wrong_cursors(account):
    insert_devices(account, 3)
    target = "/v1/devices?limit=1"
    cursor = next_target(target, account.get(target)).partition("cursor=")[2]
    raw = base64.urlsafe_b64decode(cursor + "==")
    wrong = ["", "x", "%20", "A" * 4000, cursor[:-2],
             *(base64.urlsafe_b64encode(data).decode().rstrip("=") for data in (
                 b"a" + raw[1:], raw[:-1], raw + b"\0", raw + b"\xff"))]
    for text in wrong:
        detail = account.get(f"/v1/devices?limit=1&cursor={text}").problem(400)["detail"]
        assert detail == "cursor must come from the Link header of an answer of this list", text
    account.get(f"/v1/apps?limit=1&cursor={cursor}").problem(400)
    # Without a limit the cursor is ignored.
    assert len(account.get("/v1/devices?cursor=x").ok()) == 3


def test_places_far_away(account):
    """Forged cursors work with any position that a list can have."""
    insert_devices(account, 3)
    for number in (0, 1, 2**63 - 1, 2**63, 2**64 - 1):
        cursor = base64.urlsafe_b64encode(
            b"d" + number.to_bytes(8, "big") + uuid.uuid4().bytes).decode().rstrip("=")
        answer = account.get(f"/v1/devices?limit=5&cursor={cursor}")
        assert answer.status == (200 if number < 2**63 else 400), number


def test_the_place_of_what_was_removed(world, account):
    insert_devices(account, 5)
    ids = [entry["id"] for entry in account.get("/v1/devices").ok()]
    target = "/v1/devices?limit=2"
    target = next_target(target, account.get(target))
    world.sql("DELETE FROM device WHERE id = ANY(%s::uuid[])", ids[:3])
    assert [entry["id"] for entry in account.get(target).ok()] == ids[3:]


# ---- readers that are slow ----


def stopped_reader(world, worker, target, key, fields=()):
    """A client that has requested a list, and reads nothing of it."""
    client = world.client_of(worker)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client.send(request_bytes("GET", target, key=key, fields=fields))
    return client


def listings(world):
    """Database processes that have an open list."""
    return world.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
                     " AND datname = current_database() AND query LIKE '%%LIMIT $%%'"
                     " AND pid <> pg_backend_pid()")[0][0]


def memory_of(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_a_long_list_is_not_kept_in_memory(start):
    """A list of 24 MB stays out of memory if its reader stops. Pictures of the catalogue, and the first
    list, would use memory meanwhile."""
    world = start("--renderers", "0", environment=little_quarantine())
    account = world.account()
    app = make_app(account)
    insert_versions(app, 10000)
    worker = world.workers()[0]
    with world.client_of(worker) as other:
        other.request("GET", f"{app.path}/versions", key=account.key).ok()
        before = memory_of(worker)
        with stopped_reader(world, worker, f"{app.path}/versions", account.key) as reader:
            wait_until(lambda: listings(world) == 1, "an open list")
            other.request("GET", "/v1/account", key=account.key).ok()
            assert memory_of(worker) - before < 12 * 1024 * 1024
            # The whole list belongs to one snapshot.
            world.sql("DELETE FROM app WHERE id = %s", app.id)
            assert len(reader.answer().ok()) == 10000


def test_accounts_share_the_connections_of_lists(start):
    """An account whose readers stop uses no more than its share of the connections."""
    world = start(workers=1)
    [worker] = world.workers()
    slow, other = world.account(), world.account()
    app = make_app(slow)
    insert_versions(app, 4000)
    insert_devices(other, 300)
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(
            stopped_reader(world, worker, f"{app.path}/versions", slow.key))]
        wait_until(lambda: listings(world) == 1, "an open list")
        readers += [stack.enter_context(
            stopped_reader(world, worker, f"{app.path}/versions", slow.key)) for _ in range(16)]
        # The last list is known to wait once the next one is refused.
        refused = []
        while not refused or refused[-1].status != 503:
            with world.client_of(worker) as one:
                one.is_patient = False
                one.socket.settimeout(0.5)
                with contextlib.suppress(TimeoutError):
                    refused.append(one.request("GET", f"{app.path}/versions", key=slow.key))
        assert "too many long lists" in refused[-1].problem(503)["detail"]
        assert len(other.get("/v1/devices").ok()) == 300
        assert len(slow.get("/v1/devices").ok()) == 0
        assert listings(world) == 1


def test_readers_of_long_lists_leave(start):
    world = start(workers=1)
    [worker] = world.workers()
    account = world.account()
    app = make_app(account)
    insert_versions(app, 4000)
    for _ in range(5):
        client = stopped_reader(world, worker, f"{app.path}/versions", account.key)
        wait_until(lambda: listings(world) == 1, "an open list")
        client.reset()
        wait_until(lambda: listings(world) == 0, "the list's end")
    assert len(json.loads(account.get(f"{app.path}/versions").body)) == 4000


# ---- in gzip ----

def zipped(account, accepted, target="/v1/apps", method="GET"):
    return account.request(method, target, fields=[("Accept-Encoding", accepted)])


@pytest.mark.parametrize("count", [101, 130, 3000])
def test_a_long_list_of_apps_is_compressed(start, count):
    """Compressed and plain lists have the same content."""
    account = start().account()
    insert_apps(account, count)
    account.world.sql("UPDATE app SET description = repeat('a word ', 20) WHERE account_id = %s", account.id)
    plain = account.get("/v1/apps")
    assert "Content-Encoding" not in plain and plain["Vary"] == "Accept-Encoding"
    for accepted in ("gzip", "br, gzip;q=0.5", "*", "GZIP ; q=1"):
        answer = zipped(account, accepted)
        assert (answer["Content-Encoding"], answer["Vary"]) == ("gzip", "Accept-Encoding")
        assert gzip.decompress(answer.body) == plain.body
        assert len(answer.body) * 4 < len(plain.body)
    for accepted in ("br", "gzip;q=0", "identity", "", "gzip;q=0.1, identity"):
        answer = zipped(account, accepted)
        assert "Content-Encoding" not in answer and answer.body == plain.body
    assert zipped(account, "gzip", method="HEAD")["Content-Encoding"] == "gzip"
    assert zipped(account, "gzip", "/v1/apps?broken=true")["Content-Encoding"] == "gzip"


@pytest.mark.parametrize("target", ["/v1/apps", "/v1/apps?limit=5", "/v1/apps?limit=60", "/v1/apps?limit=900"])
def test_parts_and_short_lists_of_apps_are_compressed(start, target):
    account = start().account()
    insert_apps(account, 90)
    account.world.sql("UPDATE app SET description = repeat('a word ', 40) WHERE account_id = %s", account.id)
    plain, answer = account.get(target), zipped(account, "gzip", target)
    assert "Content-Encoding" not in plain and plain["Vary"] == "Accept-Encoding"
    assert (answer["Content-Encoding"], answer["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(answer.body) == plain.body and ("Link" in answer) == ("Link" in plain)
    assert len(answer.body) * 2 < len(plain.body)
    assert "Content-Encoding" not in zipped(account, "identity", target)
    # A tag is that of one coding.
    assert answer["ETag"] != plain["ETag"] == zipped(account, "br", target)["ETag"]
    for accepted, tag, status in [("gzip", answer["ETag"], 304), ("gzip", plain["ETag"], 200),
                                  ("br", plain["ETag"], 304), ("br", answer["ETag"], 200)]:
        fields = [("Accept-Encoding", accepted), ("If-None-Match", tag)]
        assert account.request("GET", target, fields=fields).status == status


def test_other_lists_are_not_compressed(account):
    insert_devices(account, 200)
    for target in ("/v1/devices", "/v1/devices?limit=20"):
        assert "Content-Encoding" not in zipped(account, "gzip", target)


def test_a_compressed_list_whose_reader_stops(start):
    world = start(workers=1)
    [worker] = world.workers()
    account = world.account()
    insert_apps(account, 5000)
    # Text that compresses badly fills the sockets.
    world.sql("UPDATE app SET description = (SELECT string_agg(md5(app.id::text || n), '') "
              "FROM generate_series(1, 15) AS n) WHERE account_id = %s", account.id)
    expected = account.get("/v1/apps").body
    reader = stopped_reader(world, worker, "/v1/apps", account.key, [("Accept-Encoding", "gzip")])
    wait_until(lambda: listings(world) == 1, "an open list")
    assert gzip.decompress(reader.answer().body) == expected
    for _ in range(3):
        client = stopped_reader(world, worker, "/v1/apps", account.key, [("Accept-Encoding", "gzip")])
        wait_until(lambda: listings(world) == 1, "an open list")
        client.reset()
        wait_until(lambda: listings(world) == 0, "the list's end")
