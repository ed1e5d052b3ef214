"""The former address of an imported device: it only shows pictures, and leads to the device's own address."""

import contextlib
import json
import re
import secrets
import select

import psycopg2
import pytest
from former import NEW_FIRMWARE, OLD_FIRMWARE
from former import account as exported_account
from former import bring
from former import device as exported
from former import poll
from panel import Panel, Refused
from test_reboot import introduce, next_but_pictures
from waiting import wait_until
from world import SECRETS, Device, images, request_bytes

RED = images.png(images.solid((200, 0, 0)))


class Former:
    """A device that was imported with its address, and shows a red picture."""

    def __init__(self, world, **members):
        self.world = world
        self.account = world.account()
        self.export = exported("Kitchen", **members)
        report = bring(self.account, self.export, keepAddresses=True).ok()
        made, = report["devices"]
        SECRETS.add(made["key"])
        self.device = Device(self.account, made["id"], None, None, made["key"])
        self.alias = made["alias"]
        assert self.alias == self.export["id"]
        assert self.device.push(RED, installationId="red", background=True).ok() == {}

    def poll(self, key=None, **options):
        return poll(self.world, self.alias, key, **options)

    def panel(self, key=None):
        return Panel(self.world.server, None, f"/{self.alias}/ws" + (f"?key={key}" if key else ""))

    def order(self, what, method="POST"):
        return self.account.request(method, f"{self.device.path}/{what}")


@pytest.fixture
def former(world):
    return Former(world)


def test_pictures(former):
    for name in (former.alias, former.alias.upper()):
        answer = poll(former.world, name)
        assert answer.status == 200 and answer["Tronbyt-Brightness"] == "35"
        assert images.frames_of(answer.body) == images.frames_of(RED)
    with former.panel() as panel:
        assert images.frames_of(panel.wait_for_picture()) == images.frames_of(RED)
    assert former.device.poll().status == 200  # its own address works as well


def test_it_is_no_key(former):
    """The former address is neither an API key nor a name of the device."""
    assert former.world.get(f"/v1/devices/{former.device.id}", key=former.alias).problem(401)
    assert former.account.get(f"/v1/devices/{former.alias}").problem(404)
    assert former.world.get(f"/d/{former.alias}/next?key={former.alias}").status == 404


def test_it_is_in_no_log(former):
    """The former address is never logged, like a key: log lines contain the template of its path."""
    former.poll()
    with former.panel() as panel:
        panel.wait_for_picture()
    wait_until(lambda: former.world.server.log().count("path=/{alias}/") >= 2, "the lines of these requests")
    assert f"/{former.alias}" not in former.world.server.log()


@pytest.mark.parametrize("name", ["0000000", "000000000", "0000000g", "%30000000", "", "-------1", "0000-000"])
def test_what_is_none(world, name):
    assert world.get(f"/{name}/next").status == 404


def test_unknown_ones_get_a_picture(world):
    answer = poll(world, secrets.token_hex(4))
    assert answer.status == 404 and answer["Content-Type"] == "image/webp"
    assert answer["Tronbyt-Brightness"] == "20"
    with pytest.raises(Refused) as refused:
        Panel(world.server, None, f"/{secrets.token_hex(4)}/ws")
    assert refused.value.status == 404


def test_a_key_that_was_required_still_is(world):
    key = secrets.token_hex(16)
    SECRETS.add(key)
    former = Former(world, require_api_key=True, api_key=key)
    assert former.poll().status == 404
    assert former.poll(key="x" * 32).status == 404
    assert former.poll(key=former.device.link_key).status == 404
    assert former.poll(key=key).status == 200
    assert former.poll(fields=[("Authorization", f"Bearer {key}")]).status == 200
    with former.panel(key) as panel:
        panel.wait_for_picture()
    with pytest.raises(Refused):
        former.panel()


def test_its_end(world, former):
    with former.panel() as panel, Panel(world.server, former.device) as own:
        panel.wait_for_picture()
        assert former.order("alias", "DELETE").ok() == {}
        panel.wait_for_end()
        assert former.poll().status == 404
        assert former.order("alias", "DELETE").problem(404)
        # The connection by the key stays.
        assert former.device.push(images.png(images.gradient(4))).ok() == {}
        own.wait_for(lambda message: isinstance(message, bytes) and
                     images.frames_of(message) == images.frames_of(images.png(images.gradient(4))))


def test_a_disabled_device(world, former):
    world.sql("UPDATE device SET disabled_at = now(), generation = generation + 1 WHERE id = %s", former.device.id)
    assert former.poll().status == 404


def test_guesses_are_limited(start):
    """Wrong addresses are limited by client address and network; the panel that the worker knows continues."""
    world = start("--trust-proxy", "127.0.0.1", rate_limit=1000, workers=1)
    known = Former(world)

    def ask(alias, address):
        return poll(world, alias, fields=[("X-Forwarded-For", address)]).status

    def refused(address, guessing):
        """A panel whose address is not looked up for this client. Attempts are forgotten over time, so a slow
        machine needs more of them."""
        def is_refused():
            for _ in range(50):
                assert {ask(secrets.token_hex(4), other) for other in guessing} == {404}
            panel = Former(world)
            return ask(panel.alias, address) == 404 and panel

        return wait_until(is_refused, "a limit")

    assert ask(known.alias, "192.0.2.1") == 200
    unknown = refused("192.0.2.1", ["192.0.2.1"])
    assert ask(known.alias, "192.0.2.1") == 200
    assert ask(unknown.alias, "192.0.2.2") == 200
    third = refused("192.0.2.200", [f"192.0.2.{number}" for number in range(10, 18)])  # from one network
    assert ask(third.alias, "198.51.100.1") == 200


def test_right_ones_are_no_guesses(start):
    """Valid addresses do not count as failed attempts, even of a disabled device, and all from one client address."""
    world = start("--trust-proxy", "127.0.0.1", rate_limit=1000, workers=1)
    exports = [exported(f"Panel {number}") for number in range(80)]
    report = bring(world.account(), exported_account(exports), keepAddresses=True).ok()
    SECRETS.update(made["key"] for made in report["devices"])

    def ask(export):
        return poll(world, export["id"], fields=[("X-Forwarded-For", "192.0.2.1")]).status

    assert {ask(export) for export in exports[1:]} == {200}
    world.sql("UPDATE device SET disabled_at = now(), generation = generation + 1 WHERE alias = %s", exports[0]["id"])
    assert {ask(exports[0]) for _ in range(80)} == {404}
    world.sql("UPDATE device SET disabled_at = NULL, generation = generation + 1 WHERE alias = %s", exports[0]["id"])
    [pid] = world.workers()
    world.kill_worker(pid)
    wait_until(lambda: len(world.workers()) == 1, "a new worker")
    wait_until(lambda: world.get("/readyz").status == 200, "a ready worker")
    assert ask(exports[0]) == 200


def test_guesses_at_a_time_are_limited(start):
    """Parallel failed attempts are limited before the database has answered the first one."""
    world = start("--trust-proxy", "127.0.0.1", rate_limit=1000, workers=1)
    unknown = world.get("/no-alias/next").body
    with psycopg2.connect(world.database) as holder, contextlib.ExitStack() as stack:
        holder.cursor().execute("LOCK TABLE device IN ACCESS EXCLUSIVE MODE")
        asked = [stack.enter_context(world.client()) for _ in range(80)]
        for client in asked:
            client.send(request_bytes("GET", f"/{secrets.token_hex(4)}/next",
                                      fields=[("X-Forwarded-For", "192.0.2.1")]))

        def answered():
            return [client for client in asked if select.select([client.socket], [], [], 0)[0]]

        wait_until(lambda: len(answered()) >= 10, "answers that take no look-up")
        assert {client.answer().body for client in answered()} == {unknown}  # not that of an outage
        holder.rollback()


# ---- to its own address ----


def own_target(url):
    """Path and query of a URL that the panel received."""
    assert len(url) <= 128
    SECRETS.add(url.rpartition("key=")[2])
    return re.fullmatch(r"(?:ws|http)s?://[^/]+(/.*)", url)[1]


def test_a_panel_moves(world, former):
    with former.panel() as panel:
        panel.wait_for_picture()
        introduce(world, panel, former.device, NEW_FIRMWARE)
        assert former.order("move-address").ok() == {}
        told = next_but_pictures(panel)
        assert set(told) == {"image_url"} and len(json.dumps(told)) < 512
        assert next_but_pictures(panel) == {"reboot": True}
        target = own_target(told["image_url"])
        assert target.startswith(f"/d/{former.device.id}/ws?key=")
        # The first address works until the panel has connected by the second.
        with former.panel() as again:
            again.wait_for_picture()
        with Panel(world.server, None, target) as moved:
            assert images.frames_of(moved.wait_for_picture()) == images.frames_of(RED)
            wait_until(lambda: former.poll().status == 404, "the end of the former address")
            # Meanwhile its new connection continues.
            assert former.device.push(images.png(images.gradient(4))).ok() == {}
            assert images.frames_of(moved.wait_for_picture()) == images.frames_of(images.png(images.gradient(4)))
        with Panel(world.server, None, target) as moved:
            moved.wait_for_picture()
    assert former.device.poll().status == 404  # the key of the import is invalid now
    assert former.order("move-address").problem(409)


def test_a_panel_that_polls_moves(world, former):
    version = [("X-Firmware-Version", "1.5.0")]
    is_known_by_poll(world, former)
    assert former.order("move-address").ok() == {}
    answer = former.poll(fields=version)
    assert answer["Tronbyt-Reboot"] == "1"
    target = own_target(answer["Tronbyt-Image-URL"])
    assert target.startswith(f"/d/{former.device.id}/next?key=")
    assert images.frames_of(former.poll(fields=version).body) == images.frames_of(RED)
    for _ in range(4):  # at both workers
        assert images.frames_of(world.get(target, fields=version).body) == images.frames_of(RED)
    wait_until(lambda: former.poll(fields=version).status == 404, "the end of the former address")
    assert world.get(target, fields=version).status == 200


def test_several_connections(start):
    """With several connections the panel is unknown, so none of them gets the key."""
    world = start(workers=1)
    former = Former(world)
    target = told_by_poll(world, former)
    with former.panel() as panel:
        panel.wait_for_picture()
        with former.panel() as other:
            other.wait_for_picture()
            assert "several" in former.order("move-address").problem(409)["detail"]
            # An existing order does not change that.
            assert former.order("reboot").ok() == {}
            assert "Tronbyt-Image-URL" not in former.poll()
            for one in (panel, other):
                assert former.device.push(images.png(images.gradient(6))).ok() == {}
                seen = []
                one.wait_for(lambda message, seen=seen: seen.append(message) or isinstance(message, bytes))
                assert {"reboot": True} not in seen
        assert own_target(next_but_pictures(panel)["image_url"]) == target
    comes(world, former, target)


def test_what_came_before_ends(world, former):
    """The former address and the former key end at every worker."""
    target = told_by_poll(world, former)
    with contextlib.ExitStack() as stack:
        # Both workers probably have connections of the device.
        before = [stack.enter_context(former.panel()), stack.enter_context(Panel(world.server, former.device))]
        for panel in before:
            panel.wait_for_picture()
        moved = stack.enter_context(Panel(world.server, None, target))
        moved.wait_for_picture()
        for panel in before:
            panel.wait_for_end()
        assert former.device.push(images.png(images.gradient(5))).ok() == {}
        moved.wait_for_picture()


def told_to_move(world, former):
    """Target that the panel received; it has stored that, and disconnected to restart."""
    with former.panel() as panel:
        panel.wait_for_picture()
        introduce(world, panel, former.device, NEW_FIRMWARE)
        assert former.order("move-address").ok() == {}
        return own_target(next_but_pictures(panel)["image_url"])


def is_known_by_poll(world, former):
    """Polls, and counts as online until the next poll."""
    former.poll(fields=[("X-Firmware-Version", "1.5.0")])
    wait_until(lambda: world.sql("SELECT 1 FROM panel_info WHERE device_id = %s", former.device.id), "the version")


def told_by_poll(world, former):
    """Target for a WebSocket that a polling panel receives."""
    is_known_by_poll(world, former)
    assert former.order("move-address").ok() == {}
    return own_target(former.poll()["Tronbyt-Image-URL"]).replace("/next?", "/ws?")


def keys_of(world, device):
    return world.sql("SELECT alias, second_key_hash IS NOT NULL, order_key IS NOT NULL, order_generation IS NOT NULL "
                     "FROM device WHERE id = %s", device.id)[0]


def comes(world, former, target):
    """The panel connects there and stays. From then on it has no other address."""
    with Panel(world.server, None, target) as moved:
        moved.wait_for_picture()
        wait_until(lambda: keys_of(world, former.device) == (None, False, False, False), "the new key")
        assert former.device.push(images.png(images.gradient(5))).ok() == {}
        seen = []
        moved.wait_for(lambda message: seen.append(message) or isinstance(message, bytes))
        assert {"reboot": True} not in seen
    assert former.poll().status == 404 and former.device.poll().status == 404
    with Panel(world.server, None, target) as moved:
        moved.wait_for_picture()


def test_a_panel_that_does_not_come(world, former):
    """A second order sends the key of the first, which the panel may have stored."""
    first = told_to_move(world, former)
    assert told_to_move(world, former) == first
    comes(world, former, first)


def test_a_second_order_while_the_panel_starts(world, former):
    target = told_by_poll(world, former)
    assert former.order("move-address").ok() == {}
    comes(world, former, target)


def test_a_start_while_it_moves(world, former):
    """A panel that is told to restart receives the address again, too."""
    target = told_to_move(world, former)
    with former.panel() as panel:
        panel.wait_for_picture()
        assert former.order("reboot").ok() == {}
        assert own_target(next_but_pictures(panel)["image_url"]) == target
        assert next_but_pictures(panel) == {"reboot": True}
    comes(world, former, target)


@pytest.mark.parametrize("orders", [0, 1])
def test_the_end_of_the_former_address_while_the_panel_starts(world, former, orders):
    """A sent address stays valid; a waiting order does not."""
    target = told_by_poll(world, former)
    for _ in range(orders):
        assert former.order("move-address").ok() == {}
    assert former.order("alias", "DELETE").ok() == {}
    assert keys_of(world, former.device) == (None, True, True, False)
    comes(world, former, target)


def test_a_move_that_lapses(world, former):
    """A worker may learn of an order in time, but request it too late."""
    is_known_by_poll(world, former)
    assert former.order("move-address").ok() == {}
    # Workers get no hint.
    world.sql("UPDATE device SET ordered_at = ordered_at - interval '7 minutes' WHERE id = %s", former.device.id)
    for _ in range(4):
        assert "Tronbyt-Reboot" not in former.poll()
    assert keys_of(world, former.device) == (former.alias, True, True, True)


def test_who_cannot_move(world, former, device):
    assert "offline" in former.order("move-address").problem(409)["detail"] or True
    device.poll()
    assert "former address" in device.account.request("POST", device.path + "/move-address").problem(409)["detail"]
    former.poll()
    assert "has not reported its firmware" in former.order("move-address").problem(409)["detail"]
    with former.panel() as panel:
        panel.wait_for_picture()
        introduce(world, panel, former.device, OLD_FIRMWARE)
        assert "1.4.7" in former.order("move-address").problem(409)["detail"]
        assert former.poll().status == 200
