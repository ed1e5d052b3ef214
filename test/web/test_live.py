"""Pictures of panels as pages show them: event "panel" of GET /web/events."""

import contextlib

import images
import psycopg2
from events import Events
from live import Live, hash_of, own_device
from people import UNKNOWN_ID, Person, World, wait_until

from postgres import Postgres

RED, BLUE = images.png(images.solid()), images.png(images.solid((0, 0, 255)))


def stored(world, device, installation):
    [[webp]] = world.sql("SELECT picture FROM installation WHERE device_id = %s AND id = %s",
                         device.id, installation)
    return hash_of(bytes(webp))


def temporary(world, device):
    [[webp]] = world.sql("SELECT picture FROM showing WHERE device_id = %s", device.id)
    return hash_of(bytes(webp))


def until(events, **members):
    """The next panel event with these members."""
    return events.next("panel", lambda data: members.items() <= data.items())


def test_a_panel_with_a_websocket(world, person):
    browser, device = person.browser(), own_device(world, person)
    device.push(RED, installationId="red", background=True).ok()
    device.push(BLUE, installationId="blue", background=True).ok()
    red, blue = stored(world, device, "red"), stored(world, device, "blue")
    with Events(browser, [device.id]) as events:
        offline = until(events, isOnline=False)
        assert (offline["connection"], offline["kind"], offline["picture"]) == \
            (None, "unknown", None)
        with Live(device) as panel:
            shown = until(events, isAcknowledged=True, installationId="red", picture=red)
            assert (shown["deviceId"], shown["connection"], shown["kind"]) == \
                (device.id, "webSocket", "rotation")
            assert shown["next"] == {"picture": blue, "kind": "rotation",
                                     "installationId": "blue"}
            assert shown["since"] < shown["until"] and shown["brightness"] == 60
            panel.show_next()
            until(events, isAcknowledged=True, picture=blue)
            # The page shows a push a moment after its answer.
            device.push(images.png(images.noise()), duration=45).ok()
            pushed = until(events, kind="temporary", isAcknowledged=True)
            assert pushed["picture"] == temporary(world, device)
            assert pushed["installationId"] is None and pushed["next"]["kind"] == "rotation"
            device.push(images.png(images.noise(1)), installationId="new").ok()
            pushed = until(events, kind="push", installationId="new", isAcknowledged=True)
            assert pushed["picture"] == stored(world, device, "new")
            device.account.request("PATCH", device.path, body={"brightness": 0})
            dark = until(events, kind="dark")
            assert (dark["brightness"], dark["picture"], dark["next"]) == (0, None, None)
        until(events, isOnline=False)
        topics = {data["topic"] for name, data in events.seen if name == "changed"}
        assert {f"device:{device.id}", f"rotation:{device.id}"} <= topics


def test_asleep(world, person):
    device = own_device(world, person, sleep_enabled=True, sleep_start_minute=0,
                        sleep_end_minute=0)
    with Live(device), Events(person.browser(), [device.id]) as events:
        assert until(events, kind="asleep")["brightness"] == 0


def test_nothing_to_show(world, person):
    browser, device = person.browser(), own_device(world, person)
    with Live(device), Events(browser, [device.id]) as events:
        shown = until(events, kind="nothing", isAcknowledged=True)
        answer = browser.get(f"/web/devices/{device.id}/pictures/{shown['picture']}")
        assert hash_of(answer.body) == shown["picture"]


def test_a_panel_that_says_nothing(world, person):
    """Without acknowledgements of old firmware, pages show what was sent to it."""
    device = own_device(world, person)
    device.push(RED, installationId="red", background=True).ok()
    with Live(device, acknowledges=False), Events(person.browser(), [device.id]) as events:
        shown = until(events, picture=stored(world, device, "red"))
        assert shown["isAcknowledged"] is False and shown["connection"] == "webSocket"


def test_a_panel_that_polls(world, person):
    """Pages show polling panels, whichever worker serves the panel or the page."""
    device = own_device(world, person)
    device.push(RED, installationId="red", background=True).ok()
    device.push(BLUE, installationId="blue", background=True).ok()
    red, blue = stored(world, device, "red"), stored(world, device, "blue")
    path = f"/d/{device.id}/next?key={device.link_key}"
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(client) for client in world.clients()]
        pages = [stack.enter_context(Events(person.browser(), [device.id],
                                            world.client_of(pid))) for pid in world.workers()]
        for number in range(4):
            picture, other = [(red, blue), (blue, red)][number % 2]
            clients[number // 2].request("GET", path)
            for events in pages:
                shown = until(events, picture=picture)
                assert (shown["connection"], shown["isAcknowledged"], shown["isOnline"]) == \
                    ("polling", False, True)
                assert shown["next"]["picture"] == other
        with Events(person.browser(), [device.id]) as late:
            assert until(late, isOnline=True)["picture"] == blue


def test_the_page_and_the_panel_are_anywhere(world, person, start):
    """The page and the panel are in one worker, in two, and in two instances on one database."""
    device = own_device(world, person)
    device.push(RED, installationId="red", background=True).ok()
    red, browser = stored(world, device, "red"), person.browser()
    other = start("--rate-limit", "0", database=world.database)
    for panel_of in world.workers():
        with Live(device, world.client_of(panel_of)), contextlib.ExitStack() as stack:
            pages = [stack.enter_context(Events(browser, [device.id], client))
                     for client in (*world.clients(), *other.clients())]
            for events in pages:
                assert until(events, picture=red, isAcknowledged=True)["since"]
            device.push(images.png(images.noise()), duration=5).ok()
            for events in pages:
                until(events, kind="temporary", isAcknowledged=True)


def test_the_holder_dies(start):
    world = start("--rate-limit", "0")
    person = Person(world)
    device = own_device(world, person)
    device.push(RED, installationId="red", background=True).ok()
    red, (first, second) = stored(world, device, "red"), world.workers()
    with Events(person.browser(), [device.id], world.client_of(second)) as events:
        with Live(device, world.client_of(first)):
            until(events, picture=red, isAcknowledged=True)
            world.kill_worker(first)
        assert until(events, isOnline=False)["lastOnline"]
        # The panel reconnects to any worker.
        with Live(device):
            until(events, picture=red, isAcknowledged=True)


def test_a_panel_moves(world, person):
    """The panel reconnects to another worker before the first one sees that it has left."""
    device = own_device(world, person)
    device.push(RED, installationId="red", background=True).ok()
    first, second = world.workers()
    with Events(person.browser(), [device.id], world.client_of(first)) as events:
        with Live(device, world.client_of(first)) as old:
            until(events, isOnline=True, isAcknowledged=True)
            with Live(device, world.client_of(second)):
                device.push(BLUE, duration=45).ok()
                until(events, kind="temporary", isAcknowledged=True)
                old.close()
                device.push(RED, duration=45).ok()
                shown = until(events, kind="temporary", picture=stored(world, device, "red"))
                assert shown["isOnline"]
                assert all(data["isOnline"] for name, data in events.seen[3:] if name == "panel")


def test_the_database_goes_and_comes():
    """Panels continue, and so does a page whose worker has its panel. Afterwards everything is reported again."""
    with Postgres() as cluster, World(cluster.create_database(), "--rate-limit", "0",
                                      workers=1) as world:
        person = Person(world)
        device = own_device(world, person)
        device.push(RED, installationId="red", background=True).ok()
        device.push(BLUE, installationId="blue", background=True).ok()
        red, blue = stored(world, device, "red"), stored(world, device, "blue")
        with Events(person.browser(), [device.id]) as events, Live(device) as panel:
            until(events, picture=red, isAcknowledged=True)
            cluster.kill()
            events.next("away")
            panel.show_next()
            until(events, picture=blue, isAcknowledged=True)
            cluster.start()
            events.next("back")
            until(events, picture=blue, isAcknowledged=True)
            device.push(RED, duration=45).ok()
            until(events, kind="temporary", isAcknowledged=True)


def test_two_hundred_devices(world, person):
    devices = [own_device(world, person) for _ in range(200)]
    ids = [device.id for device in devices]
    with contextlib.ExitStack() as stack:
        panels = [stack.enter_context(Live(device)) for device in devices[:40]]
        events = stack.enter_context(Events(person.browser(), ids))
        states = {}
        while len(states) < 200 or sum(states.values()) < 40:
            data = events.next("panel")
            states[data["deviceId"]] = data["isOnline"]
        assert {name for name, online in states.items() if online} == set(ids[:len(panels)])
    refused = Events(person.browser(), [*ids, ids[0]])
    assert refused.status == 400


def test_whose_devices(world, person):
    browser, own = person.browser(), own_device(world, person)
    foreign = own_device(world, Person(world))
    assert Events(browser, [own.id, foreign.id]).status == 403
    assert Events(browser, [own.id, UNKNOWN_ID]).status == 404
    assert Events(browser, ["none"]).status == 400
    assert Events(browser, ["%"]).status == 400
    assert Events(browser, [f"{own.id}%2C{own.id}"]).status == 200  # encoded as by URLSearchParams
    assert Events(browser, [own.id, own.id]).status == 200


def test_hostile_hints(world, person):
    device = own_device(world, person)
    with Live(device), Events(person.browser(), [device.id]) as events:
        until(events, kind="nothing", isAcknowledged=True)
        good = f"{device.id}:{UNKNOWN_ID}:1:1:60:1:2:9223372036854775807:1::x:1::y"
        bad = [good.replace(":60:", ":101:"), good.replace(":1:1:60", ":3:1:60"), good + ":",
               good.replace(":1::x", ":7::x"), good.replace("::x", ":ff:x"), good[:-40],
               good.replace(":x:", ":%00:"), good.replace(":x:", ":%:"),
               good.replace(":x:", ":%ff:"),
               good.replace(":x:", ":" + "x" * 257 + ":"), good.replace("9223", "99223"),
               good.replace(device.id, device.id[:-1]), good.replace(":2:", ":-2:")]
        for text in ["shows", "shows:", "watch:", f"watch:{device.id}", "watch:x:y",
                     f"watch:{device.id}:{device.id}:", *(f"shows:{text}" for text in bad)]:
            world.sql("SELECT pg_notify('displayd_hint', %s)", text)
        # A well-formed hint is trusted until a newer one.
        world.sql("SELECT pg_notify('displayd_hint', %s)",
                  f"shows:{good}".replace(":x:", ":%3cscript%3e:"))
        shown = until(events, installationId="<script>")
        assert shown["kind"] == "rotation" and shown["next"]["installationId"] == "y"
        kinds = [data["kind"] for name, data in events.seen if name == "panel"]
        assert kinds.count("rotation") == 1


def test_nothing_is_told_of_a_device_that_nobody_watches(world, person):
    device = own_device(world, person)
    first, second = world.workers()
    listener = psycopg2.connect(world.database)
    listener.autocommit = True

    def told():
        listener.cursor().execute("SELECT")
        words = " ".join(notice.payload for notice in listener.notifies).split()
        listener.notifies.clear()
        return [word for word in words if word.startswith(f"shows:{device.id}")]

    listener.cursor().execute("LISTEN displayd_hint")
    with Live(device, world.client_of(first)) as panel:
        device.push(RED, duration=45).ok()
        wait_until(lambda: panel.count >= 2, "the push")
        device.push(BLUE, duration=45).ok()
        wait_until(lambda: panel.count >= 3, "the push")
        assert told() == []
        with Events(person.browser(), [device.id], world.client_of(second)) as events:
            until(events, kind="temporary", isAcknowledged=True)
            wait_until(told, "the word of the panel's worker")
    listener.close()
