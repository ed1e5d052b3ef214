"""Actions and the metrics that they increase: two workers, real panels, a real database."""

import base64
import itertools
import os
import signal

import pytest
from scrape import Scrape
from traffic import Desk, picture

from server import Server, wait_until

PUSH = "displayd_pushes_total"
IMAGE = "displayd_image_conversion_seconds_count"
COLOURS = itertools.count(1)
WRONG = base64.b64encode(b"no picture").decode()


@pytest.fixture(scope="module")
def server():
    with Server("--admin-listen", "127.0.0.1:0") as one:
        yield one


@pytest.fixture(scope="module")
def scrape(server):
    return Scrape(server)


@pytest.fixture(scope="module")
def desk(server):
    return Desk(server, "ada")


def test_a_polling_panel_is_one(server, scrape):
    """A polling panel counts once, though each poll has a connection of its own to any worker. A WebSocket
    ends the count."""
    desk = Desk(server, "mary")
    others = scrape.value("displayd_panels_in_memory")

    def is_one():
        desk.poll()
        return scrape.value("displayd_panels_connected", by="polling") == 1

    def is_in_all():
        desk.poll()
        return scrape.value("displayd_panels_in_memory") == others + 2

    wait_until(is_in_all, "a panel in the memory of both workers")
    wait_until(is_one, "a panel that polls")
    with desk.connect():
        scrape.wait_for(1, "displayd_panels_connected", by="link")
        scrape.wait_for(0, "displayd_panels_connected", by="polling")


def wrong_key(server):
    assert server.get("/v1/devices", key="ddk_" + "0" * 36).status == 401


def wrong_device_key(server, desk):
    assert server.get(f"/d/{desk.id}/next?key={'0' * 24}").status == 404


def change(server, desk, **settings):
    answer = server.request("PATCH", f"/v1/devices/{desk.id}", settings, key=desk.key)
    assert answer.status == 200, answer.body


def sign_in_wrongly(server):
    body = {"email": "ada@example.org", "password": "not this one at all"}
    headers = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert server.request("POST", "/web/session", body=body, headers=headers).status in (400, 401)


def new_picture(kind="PNG"):
    """A picture that no worker has converted yet: workers keep converted stills."""
    return picture(kind, colour=(next(COLOURS), 0, 0))


def test_the_same_still_is_converted_once(scrape, desk):
    """Each worker converts the same still only once."""
    data = new_picture()
    before, stored = scrape.value(IMAGE, format="png"), scrape.value(PUSH, result="stored")
    for _ in range(20):
        assert desk.push(data) == 200
    wait_until(lambda: scrape.value(PUSH, result="stored") == stored + 20, "20 pushes")
    assert before + 1 <= scrape.value(IMAGE, format="png") <= before + 2


STATEMENT = "displayd_database_statement_seconds_count"
ACTIONS = [
    ("push a PNG", lambda s, d: d.push(picture()), PUSH, {"result": "stored"}),
    ("convert a PNG", lambda s, d: d.push(new_picture()), IMAGE, {"format": "png"}),
    ("convert a GIF", lambda s, d: d.push(picture("GIF")), IMAGE, {"format": "gif"}),
    ("take a WebP", lambda s, d: d.push(new_picture("WEBP")), IMAGE, {"format": "webp"}),
    ("push what is no picture", lambda s, d: d.push(WRONG), PUSH, {"result": "refused"}),
    ("look at what is none", lambda s, d: d.push(WRONG), IMAGE, {"format": "unknown"}),
    ("push to nobody's device", lambda s, d: s.post("/v1/devices/none/push", {"image": WRONG},
                                                    key=d.key), PUSH, {"result": "forbidden"}),
    ("push without a key", lambda s, d: s.post(f"/v1/devices/{d.id}/push", {"image": WRONG}),
     PUSH, {"result": "forbidden"}),
    ("use a lane", lambda s, d: d.push(new_picture()), "displayd_lane_wait_seconds_count",
     {"lane": "short"}),
    ("store a push", lambda s, d: d.push(picture()), STATEMENT,
     {"statement": "push_store_temporary"}),
    ("change one setting that often changes", lambda s, d: change(s, d, brightness=7), STATEMENT,
     {"statement": "device_update_brightness"}),
    ("change one that seldom does", lambda s, d: change(s, d, autoDim=True), STATEMENT,
     {"statement": "device_update"}),
    ("change two settings", lambda s, d: change(s, d, brightness=8, volume=9), STATEMENT,
     {"statement": "device_update"}),
    ("send a hint", lambda s, d: d.push(picture()), "displayd_hints_sent_total", {}),
    ("poll", lambda s, d: d.poll(), "displayd_panel_pictures_sent_total", {"by": "polling"}),
    ("use a wrong key", lambda s, d: wrong_key(s), "displayd_authentication_failures_total",
     {"access": "api_key"}),
    ("use a wrong device key", wrong_device_key, "displayd_authentication_failures_total",
     {"access": "device_key"}),
    ("ask without a session", lambda s, d: s.get("/web/account"),
     "displayd_authentication_failures_total", {"access": "session"}),
    ("connect", lambda s, d: s.get("/livez"), "displayd_http_connections_accepted_total", {}),
]


@pytest.mark.parametrize("action, name, labels", [one[1:] for one in ACTIONS],
                         ids=[one[0] for one in ACTIONS])
def test_action_is_counted(server, scrape, desk, action, name, labels):
    before = scrape.value(name, **labels)
    action(server, desk)
    wait_until(lambda: scrape.value(name, **labels) > before, f"more of {name} {labels}")


def test_panel_is_seen(server, scrape):
    desk = Desk(server, "grace")  # no push waits for this panel
    links = scrape.value("displayd_panel_links_total")
    sent = scrape.value("displayd_panel_pictures_sent_total", by="link")
    name = "displayd_push_to_panel_seconds_count"
    pushed = scrape.value(name, until="sent"), scrape.value(name, until="displayed")
    with desk.connect() as panel:
        assert scrape.value("displayd_panel_links_total") == links + 1
        scrape.wait_for(1, "displayd_panels_connected", by="link")
        scrape.wait_for(1, "displayd_http_connections", kind="websocket")
        panel.read_picture(brightness=60)
        panel.show()
        assert desk.push(picture(colour=(0, 0, 255))) == 200
        panel.read_picture(hurried=True)
        panel.show()
        wait_until(lambda: scrape.value(name, until="displayed") > pushed[1], "a displayed push")
    assert scrape.value(name, until="sent") > pushed[0]
    assert scrape.value("displayd_panel_pictures_sent_total", by="link") >= sent + 2
    scrape.wait_for(0, "displayd_panels_connected", by="link")


def test_hints_reach_all_workers(scrape, desk):
    before = scrape.value("displayd_hints_received_total", kind="push")
    delays = scrape.value("displayd_hint_delay_seconds_count")
    assert desk.push(picture()) == 200
    wait_until(lambda: scrape.value("displayd_hints_received_total", kind="push") >= before + 2,
               "a hint at both workers")
    assert scrape.value("displayd_hint_delay_seconds_count") > delays


def test_gauges_of_the_database(scrape):
    """Each worker reports gauges of the database once a second."""
    scrape.wait_for(2, "displayd_database_up")
    scrape.wait_for(2, "displayd_database_connections", role="read")
    wait_until(lambda: scrape.value("displayd_database_connections", role="write") >= 2,
               "a connection for writes in each worker")
    scrape.wait_for(2, "displayd_database_connections", role="hint")


def test_processes(server, scrape):
    def processes():
        return {labels["process"]: value for name, labels, value in scrape.series()
                if name == "process_resident_memory_bytes"}

    wait_until(lambda: set(processes()) == {"supervisor", "worker-1", "worker-2"}, "all of them")
    assert all(value > 1e6 for value in processes().values())
    for pid in server.workers():
        count = len(os.listdir(f"/proc/{pid}/fd"))
        wait_until(lambda: count in [value for name, _, value in scrape.series()
                                     if name == "process_open_fds"], "the count of descriptors")
    assert scrape.value("process_start_time_seconds", process="supervisor") > 1.6e9
    assert scrape.value("displayd_build_info") == 1
    wait_until(lambda: scrape.value("displayd_loop_turn_seconds_count") > 0, "turns")
    assert scrape.value("displayd_log_lines_total", level="info") > 0


def test_worker_that_dies(server, scrape):
    """Counters of a worker that died stay, including CPU time; gauges of its objects disappear."""
    before = scrape.value(PUSH), scrape.value("process_cpu_seconds_total", process="worker-1")
    failed = scrape.value("displayd_processes_failed_total", process="worker")
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: pid not in server.workers(), "another worker")
    scrape.wait_for(2, "displayd_database_up")
    assert scrape.value(PUSH) == before[0]
    assert scrape.value("process_cpu_seconds_total", process="worker-1") >= before[1]
    assert scrape.value("displayd_processes_failed_total", process="worker") == failed + 2


def test_limits(launch):
    server = launch("--admin-listen", "127.0.0.1:0", "--rate-limit", "1").start()
    scrape, desk = Scrape(server), Desk(server, "limited")
    statuses = [desk.get().status for _ in range(8)]
    assert 429 in statuses
    limited = "displayd_rate_limited_total"
    assert scrape.value(limited, limit="key") == statuses.count(429)
    statuses = [server.get("/v1/devices", key="ddk_" + "0" * 36).status for _ in range(300)]
    assert scrape.value(limited, limit="guesses") == statuses.count(429)
