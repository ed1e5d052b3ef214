"""Many panels at once: shared pictures, and changes that affect all panels."""

import contextlib
import hashlib

import pytest
from conftest import colour_of, png, wait_until
from panel import Panel

FLEET = 300


def next_picture(panel):
    while not isinstance(message := panel.read(), bytes):
        assert message is not None
    return message


def test_the_same_picture_stays_with_one_when_the_other_is_gone(make_device):
    one, other = make_device(), make_device()
    for device in (one, other):
        device.push(png((10, 200, 30)), installationId="same")
    with one.connect() as first, other.connect() as second:
        assert colour_of(next_picture(first)) == colour_of(next_picture(second)) == (10, 200, 30)
        one.delete("same")
        assert colour_of(next_picture(first)) != (10, 200, 30)
        assert colour_of(other.poll().body) == (10, 200, 30)
    # It also stays for a panel that connects now.
    with other.connect() as second:
        assert colour_of(next_picture(second)) == (10, 200, 30)


def test_a_picture_that_is_replaced_at_one_stays_at_the_other(make_device):
    one, other = make_device(), make_device()
    for device in (one, other):
        device.push(png((1, 2, 250)), installationId="same", background=True)
    assert colour_of(one.poll().body) == colour_of(other.poll().body) == (1, 2, 250)
    one.push(png((250, 2, 1)), installationId="same", background=True)
    wait_until(lambda: colour_of(one.poll().body) == (250, 2, 1), "the new picture")
    assert colour_of(other.poll().body) == (1, 2, 250)


class Fleet:
    """Devices of one database, inserted by SQL, each with a connected panel."""

    def __init__(self, server, database, count, prefix):
        self.database = database
        self.panels = []
        keys = [f"{prefix}{number:0{24 - len(prefix)}}" for number in range(count)]
        hashes = [hashlib.sha256(key.encode()).digest() for key in keys]
        rows = database.run(
            "INSERT INTO device (id, account_id, name, link_key_hash) "
            "SELECT gen_random_uuid(), (SELECT id FROM account LIMIT 1), 'Fleet', hash "
            "FROM unnest(%s) AS hash RETURNING id, link_key_hash", hashes)
        key_of = dict(zip(hashes, keys))
        self.ids = [row[0] for row in rows]
        for device, key_hash in rows:
            path = f"/d/{device}/ws?key={key_of[bytes(key_hash)]}"
            self.panels.append(Panel(server.address, path))

    def push_to_all(self, webp):
        """Pushes to all in one transaction. Returns the hints about the pushes."""
        return self.push_to(self.ids, webp)

    def push_to(self, ids, webp):
        rows = self.database.run(
            "WITH touched AS (UPDATE device SET generation = generation + 1 "
            "WHERE id = ANY (%s::uuid[]) RETURNING id, generation) "
            "INSERT INTO showing (device_id, push_generation, picture, duration_s) "
            "SELECT id, generation, %s, 60 FROM touched ON CONFLICT (device_id) DO UPDATE "
            "SET push_generation = excluded.push_generation, picture = excluded.picture, "
            "created_at = clock_timestamp(), displayed_at = NULL "
            "RETURNING device_id, push_generation", ids, webp)
        return [f"push:{device}:{generation}" for device, generation in rows]

    def hint(self, words):
        for start in range(0, len(words), 100):
            self.database.run("SELECT pg_notify('displayd_hint', %s)",
                              " ".join(words[start:start + 100]))

    def read_until(self, webp):
        """Reads until every panel has this picture. Checks whole frames in order, whatever comes before the
        picture."""
        for panel in self.panels:
            while panel.read() != webp:
                pass

    def close(self):
        for panel in self.panels:
            panel.close()


@pytest.fixture
def webps(server, make_device):
    """Two pictures encoded by the server."""
    device = make_device()
    pictures = []
    for colour in ((9, 9, 90), (90, 9, 9)):
        device.push(png(colour), installationId="x", background=True)
        wait_until(lambda: colour_of(device.poll().body) == colour, "the picture")
        pictures.append(device.poll().body)
    return pictures


def test_one_picture_to_all(server, database, webps):
    fleet = Fleet(server, database, FLEET, "hint")
    with contextlib.closing(fleet):
        for webp in webps:
            fleet.hint(fleet.push_to_all(webp))
            fleet.read_until(webp)


def test_each_panel_gets_its_own_picture(server, database, webps):
    """Some pictures repeat within the rows of one load, some do not."""
    fleet = Fleet(server, database, 100, "own")
    with contextlib.closing(fleet):
        wanted = {device: webps[number % 7 == 0 or 40 < number < 50]
                  for number, device in enumerate(fleet.ids)}
        words = {word.split(":")[1]: word for webp in webps for word in fleet.push_to(
            [device for device in fleet.ids if wanted[device] is webp], webp)}
        fleet.hint([words[device] for device in fleet.ids])
        for device, panel in zip(fleet.ids, fleet.panels):
            while (picture := next_picture(panel)) not in webps:
                pass
            assert picture == wanted[device]


def test_a_sweep_finds_all_that_hints_did_not_tell(limited, postgres, webps):
    server = limited(reconciliation_ms=200)
    server.device()
    fleet = Fleet(server, server.sql, FLEET, "sweep")
    with contextlib.closing(fleet):
        for webp in webps:
            fleet.push_to_all(webp)
            fleet.read_until(webp)


def test_other_requests_are_answered_meanwhile(server, database, webps, make_device):
    bystander = make_device()
    fleet = Fleet(server, database, FLEET, "many")
    with contextlib.closing(fleet):
        words = fleet.push_to_all(webps[0])
        fleet.hint(words + words)  # hints may be repeated
        assert bystander.get()["id"] == bystander.id
        bystander.push(png((3, 3, 3)))
        fleet.read_until(webps[0])


def test_devices_that_are_gone_are_no_trouble_to_the_others(server, database, webps):
    fleet = Fleet(server, database, 100, "gone")
    with contextlib.closing(fleet):
        words = fleet.push_to_all(webps[0])
        database.run("DELETE FROM device WHERE id = ANY (%s::uuid[])", fleet.ids[::2])
        fleet.hint(words)
        kept = set(fleet.ids[1::2])
        for device, panel in zip(fleet.ids, fleet.panels):
            if device in kept:
                while panel.read() != webps[0]:
                    pass
            else:
                panel.read_end()
