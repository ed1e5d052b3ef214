"""Limit of the bytes that an account stores: pushed pictures, drafts and versions together."""

import contextlib
import re
from concurrent.futures import ThreadPoolExecutor

import apps
import images
import psycopg2
import pytest
from server import CtlError

SMALL = images.text(images.png(images.solid()))
LARGE = [images.text(images.png(images.noise(seed))) for seed in range(4)]


def used(account):
    """Bytes that the account uses, after a check that the sums match the stored data."""
    [(summed, stored)] = account.world.sql(
        "SELECT account_bytes(account.id),"
        " (SELECT coalesce(sum(pushed_bytes(id)), 0) FROM device WHERE account_id = account.id)"
        " + (SELECT coalesce(sum(octet_length(script_content)), 0)"
        "    FROM (SELECT app_id, script_content FROM app_version"
        "          UNION ALL SELECT app_id, script_content FROM app_draft) AS text"
        "    JOIN app ON app.id = app_id WHERE account_id = account.id AND imported_as IS NULL)"
        " FROM account WHERE id = %s", account.id)
    assert summed == stored
    return summed


def limit(account, byte_count):
    account.world.sql("UPDATE account SET byte_limit = %s WHERE id = %s", byte_count, account.id)


def told(answer):
    """(used, allowed) of a 409."""
    assert answer.status == 409, answer
    return tuple(map(int, re.fullmatch(
        r"pushed pictures, drafts and versions of the account take (\d+) bytes, maximum (\d+): "
        r"this does not fit; remove something, or ask an administrator for a higher limit", answer.json()["detail"]).groups()))


@pytest.fixture
def size(account):
    """Bytes of LARGE[0], as it is stored."""
    device = account.device("Measure")
    device.push(LARGE[0]).ok()
    [(found,)] = account.world.sql("SELECT length(picture) FROM showing WHERE device_id = %s", device.id)
    account.world.sql("DELETE FROM device WHERE id = %s", device.id)
    return found


def test_pushes_until_it_is_full(account, size):
    one, other = account.device("One"), account.device("Other")
    limit(account, 3 * size + size // 2)
    one.push(LARGE[0], installationId="a").ok()
    one.push(LARGE[0]).ok()
    other.push(LARGE[0]).ok()
    assert used(account) == 3 * size
    for device, members in ((one, {"installationId": "b", "background": True}),
                            (other, {"installationId": "a", "background": True})):
        assert told(device.push(LARGE[0], **members)) == (3 * size, 3 * size + size // 2)
        generations = account.world.sql("SELECT generation FROM device WHERE id = %s", device.id)
        device.push(LARGE[0], **members).problem(409)
        assert account.world.sql("SELECT generation FROM device WHERE id = %s", device.id) == generations
    assert "b" not in one.ids()
    # Replacing and removing pictures makes room.
    one.push(LARGE[0], installationId="a").ok()
    other.push(LARGE[0]).ok()
    one.push(SMALL, installationId="b").ok()
    one.delete("a").ok()
    other.push(LARGE[0], installationId="a", background=True).ok()
    assert used(account) <= 3 * size + size // 2


def test_what_is_above_stays_and_shrinks(account, size):
    device = account.device()
    device.push(LARGE[0], installationId="a").ok()
    device.push(LARGE[0], installationId="b").ok()
    device.push(LARGE[0]).ok()
    limit(account, size)
    assert told(device.push(SMALL, installationId="c", background=True)) == (3 * size, size)
    assert device.ids() == ["a", "b"]
    # A push to be shown at once also replaces the temporary picture.
    device.push(LARGE[0], installationId="a").ok()
    assert used(account) == 2 * size
    device.push(LARGE[0], installationId="a").ok()
    device.push(SMALL, installationId="b").ok()
    assert used(account) < 2 * size
    assert told(device.push(LARGE[0], installationId="b", background=True))[1] == size
    device.delete("a").ok()
    device.push(LARGE[1]).problem(409)
    device.delete("b").ok()
    device.push(LARGE[0]).ok()
    assert used(account) == size


def test_others_and_their_devices_are_not_counted(world, account, size):
    other = world.account()
    theirs = other.device()
    for number in range(4):
        theirs.push(LARGE[0], installationId=f"n{number}").ok()
    limit(account, size)
    account.device().push(LARGE[0]).ok()
    assert used(other) == 4 * size and used(account) == size


def test_an_entry_that_is_shown_frees_the_temporary_picture(account, size):
    device = account.device()
    device.push(SMALL, installationId="a", background=True).ok()
    before = used(account)
    device.push(LARGE[0]).ok()
    assert used(account) == before + size
    device.push(SMALL, installationId="a").ok()
    assert used(account) == before


def expire(account, device):
    """Makes its entries expire a moment ago."""
    account.world.sql("UPDATE installation SET expires_at = now() - interval '1 s', expires_generation = "
                      "picture_generation WHERE device_id = %s", device.id)


def test_expired_entries_of_any_device_make_room(account, size):
    one, other, last = account.device("One"), account.device("Other"), account.device("Last")
    for device in (one, other):
        for number in range(2):
            device.push(LARGE[0], installationId=f"n{number}", background=True).ok()
    app = apps.make_app(account)
    limit(account, 4 * size)
    assert told(last.push(LARGE[0])) == (4 * size, 4 * size)
    expire(account, one)
    last.push(LARGE[0]).ok()
    assert used(account) == 3 * size and one.ids() == []
    last.push(LARGE[0], installationId="a").ok()  # replaces the temporary picture
    last.push(LARGE[0]).ok()
    assert told(app.upload("1.0", "x" * size)) == (4 * size, 4 * size)
    expire(account, other)
    app.uploaded("1.0", "x" * size)
    assert used(account) == 3 * size and other.ids() == []
    last.push(LARGE[0], installationId="b").ok()
    assert used(account) <= 4 * size


def test_expired_entries_of_many_devices_make_room(account, size):
    """Expired entries are removed portion after portion, not all at once."""
    for number in range(10):
        device = account.device(f"Device {number}")
        device.push(SMALL, installationId="n", background=True).ok()
        expire(account, device)
    [(small,)] = account.world.sql("SELECT max(length(picture)) FROM installation WHERE device_id = %s", device.id)
    last = account.device("Last")
    limit(account, size + small)
    answer = last.push(LARGE[0])
    while answer.status == 503:
        answer = last.push(LARGE[0])
    assert answer.ok() == {}
    assert used(account) <= size + small


def test_displayctl_makes_room(world, account, size, tmp_path):
    one, other = account.device("One"), account.device("Other")
    one.push(LARGE[0], installationId="n", background=True).ok()
    limit(account, size)
    (tmp_path / "picture.png").write_bytes(images.png(images.noise(0)))
    with pytest.raises(CtlError, match="has no room for the picture"):
        world.server.ctl("push", other.id, str(tmp_path / "picture.png"))
    expire(account, one)
    assert world.server.ctl("push", other.id, str(tmp_path / "picture.png"))["bytes"] == size
    assert used(account) == size


def test_the_limit_is_there_at_once(account, size):
    """The limit applies at once, whatever workers have granted before."""
    device = account.device()
    for number in range(6):
        device.push(LARGE[0], installationId=f"n{number}").ok()
    limit(account, 6 * size)
    for number in range(4):
        assert told(device.push(LARGE[0], installationId=f"m{number}")) == (6 * size, 6 * size)
    limit(account, 0)
    device.push(LARGE[0], installationId="m").ok()


def test_versions_and_drafts(account, size):
    app = apps.make_app(account)
    script = "x" * size
    limit(account, 2 * size)
    app.uploaded("1.0", script)
    account.world.sql("UPDATE app_version SET status = 'REJECTED', reviewed_at = now() WHERE app_id = %s",
                      app.id)
    account.device().push(LARGE[0]).ok()
    assert told(app.upload("1.1", script)) == (2 * size, 2 * size)
    assert told(account.device("Two").push(SMALL)) == (2 * size, 2 * size)
    limit(account, 3 * size)
    app.uploaded("1.1", script)
    assert used(account) == 3 * size


def test_a_collection_is_not_counted(account, size):
    app = apps.make_app(account)
    account.world.sql("UPDATE app SET imported_as = 'theirs', visibility = 'public' WHERE id = %s", app.id)
    limit(account, size)
    account.world.sql(
        "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum)"
        " VALUES (gen_random_uuid(), %s, 'c', 'STARLARK', %s, 'sha256:x')", app.id, "x" * size)
    account.device().push(LARGE[0]).ok()
    assert used(account) == size


def test_pushes_at_once(account, size):
    """Pushes do not wait for the account's row, which another statement changes here, and the sums are right."""
    devices = [account.device(f"D{number}") for number in range(4)]
    world = account.world
    with contextlib.closing(psycopg2.connect(world.database)) as holder, ThreadPoolExecutor(8) as pool:
        with holder.cursor() as cursor:
            cursor.execute("SELECT FROM account WHERE id = %s FOR NO KEY UPDATE", [account.id])
            answers = list(pool.map(
                lambda n: devices[n % 4].push([*LARGE, SMALL][n % 5],
                                              **({"installationId": f"n{n % 3}"} if n % 2 else {})),
                range(60)))
    assert [answer for answer in answers if answer.status != 200] == []
    assert used(account) > 0


def test_a_push_that_replaces_as_much_adds_nothing_up(world, account, size):
    """A push that replaces as many bytes skips the sum, which takes milliseconds for an account with many
    devices that is nearly full."""
    device = account.device()
    device.push(LARGE[0], installationId="a", background=True).ok()

    def room(entry, is_shown, length):
        return world.sql("SELECT push_room(%s, %s, %s, %s, %s)", account.id, device.id, entry, is_shown, length)[0][0]

    allowed = 256 * 1024 * 1024
    assert room("a", False, size) is None and room("a", False, size - 1) is None
    assert room("a", False, size + 1) == allowed - size - 1
    assert room("b", False, size) == allowed - 2 * size
    device.push(LARGE[0]).ok()
    assert room(None, True, size) is None and room(None, True, size + 1) == allowed - 2 * size - 1


def test_displayctl(world, account, size):
    [(email,)] = world.sql("SELECT email FROM account WHERE id = %s", account.id)
    device = account.device()
    device.push(LARGE[0], installationId="a").ok()

    def ctl(*arguments):
        return world.server.ctl(*arguments)

    shown = ctl("account", "show", email)
    assert (shown["bytes"], shown["bytesAllowed"]) == (size, 256 * 1024 * 1024)
    assert shown in ctl("account", "list")
    # An earlier version has replaced something.
    world.sql("UPDATE device SET picture_bytes = 1000000 WHERE id = %s", device.id)
    changed = ctl("account", "limit", email, str(size))
    assert (changed["bytes"], changed["bytesAllowed"]) == (size, size)
    assert ctl("account", "show", email) == changed
    assert told(device.push(LARGE[0], installationId="b")) == (size, size)
    assert ctl("account", "limit", email, "default")["bytesAllowed"] == 256 * 1024 * 1024
    device.push(LARGE[0], installationId="b").ok()
    assert ctl("account", "limit", email, "0")["bytesAllowed"] == 256 * 1024 * 1024
    for faulty in ("-1", "much", "1000000000000001"):
        with pytest.raises(CtlError):
            ctl("account", "limit", email, faulty)
    with pytest.raises(CtlError, match="there is no account"):
        ctl("account", "limit", "nobody@example.org", "1")
    assert world.sql("SELECT target FROM audit_entry WHERE action = 'account.limit' ORDER BY id") == [
        (f"{email}: {size} bytes",), (f"{email}: default",)]


def test_the_default_grows_with_the_devices(world):
    assert world.sql("SELECT bytes_allowed(0, 0), bytes_allowed(0, 1024), bytes_allowed(0, 1025),"
                     " bytes_allowed(5, 9000)") == [
        (256 << 20, 256 << 20, (256 << 20) + (256 << 10), 5)]

def disk(account, *tables):
    """Bytes that tables take on disk, with large values and indexes."""
    return sum(account.world.sql("SELECT pg_total_relation_size(%s::regclass)", table)[0][0] for table in tables)


def incompressible(account, byte_count):
    [(text,)] = account.world.sql(
        "SELECT left(string_agg(encode(sha256(random()::text::bytea), 'hex'), ''), %s)"
        " FROM generate_series(1, %s)", byte_count, byte_count // 64 + 1)
    return text


def test_a_refused_version_writes_nothing(account):
    script = incompressible(account, 900_000)
    pending, full = apps.make_app(account), apps.make_app(account)
    pending.uploaded("1", script)
    full.uploaded("1", "load()")
    account.world.sql("UPDATE app SET version_count = 10000 WHERE id = %s", full.id)
    account.world.sql("UPDATE app_version SET status = 'APPROVED', reviewed_at = now() WHERE app_id = %s", full.id)
    before = disk(account, "app_version")
    for number in range(8):
        pending.upload("1", script=script).problem(409)
        pending.upload(f"n{number}", script=script).problem(409)
        full.upload(f"n{number}", script=script).problem(409)
    assert disk(account, "app_version") - before < 200_000


def test_a_refused_entry_writes_nothing(account):
    device = account.device()
    for number in range(100):
        device.push(SMALL, installationId=f"n{number}", background=True).ok()
    before = disk(account, "installation")
    for number in range(16):
        for members in ({"background": True}, {}):
            device.push(LARGE[number % 4], installationId=f"more{number}", **members).problem(400)
    assert disk(account, "installation") - before < 50_000
    device.push(LARGE[0], installationId="n7", background=True).ok()
