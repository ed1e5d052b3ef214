"""Metrics of an instance, and access to them."""

import datetime
import os
import re
import signal

import certificates
import pytest
from scrape import Scrape, parse

from server import Server, wait_until

TOKEN = "a-token-of-the-operator-0123456789"
REQUESTS = "displayd_http_requests_total"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("metrics") / "token"
    path.write_text(TOKEN + "\n")
    path.chmod(0o640)
    with Server("--admin-listen", "127.0.0.1:0", "--metrics-token-file", str(path)) as one:
        yield one


@pytest.fixture(scope="module")
def scrape(server):
    return Scrape(server)


def each_worker(server, path, times=40):
    """Sends requests on separate connections, enough for every worker to answer some."""
    for _ in range(times):
        server.get(path)


# ---- requests ----


@pytest.mark.parametrize("method, path, route, counted, status", [
    ("GET", "/livez", "/livez", "GET", 200),
    ("HEAD", "/livez", "/livez", "GET", 200),
    ("GET", "/v1/devices/", "/v1/devices", "GET", 401),
    ("GET", "/v1/devices/anything?key=1", "/v1/devices/{deviceId}", "GET", 401),
    ("POST", "/livez", "unknown", "POST", 405),
    ("GET", "/no/such/place", "unknown", "GET", 404),
    ("GET", "/%ff", "unknown", "GET", 404),
    ("OPTIONS", "/v1/devices", "unknown", "OPTIONS", 204),
    ("TRACE", "/livez", "unknown", "other", 405),
])
def test_requests_are_counted(server, scrape, method, path, route, counted, status):
    labels = {"route": route, "method": counted}
    count = "displayd_http_request_duration_seconds_count"
    before = scrape.value(count, **labels)
    with scrape.grows(REQUESTS, status=str(status), **labels):
        assert server.request(method, path).status == status
    assert scrape.value(count, **labels) == before + 1


def test_malformed_request_is_counted(server, scrape):
    with scrape.grows(REQUESTS, route="unknown", status="400"):
        with server.connect() as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\n\r\n")
            assert b" 400 " in connection.recv(1000)


def test_durations_and_counts_agree(scrape):
    series = scrape.series()
    requests = sum(value for name, labels, value in series
                   if name == REQUESTS and labels["route"] == "/livez")
    buckets = [value for name, labels, value in series
               if name == "displayd_http_request_duration_seconds_bucket"
               and labels["route"] == "/livez"]
    assert buckets == sorted(buckets) and buckets[-1] == requests > 0


def requests_by_names(server, number):
    """Names of a caller's own, in each place where a label could take them."""
    server.get(f"/no/place-{number}?q={number}")
    server.request("GET", f"/v1/devices/d{number}", headers={"X-Request-Id": f"r{number}"})
    server.request(f"M{number}", "/livez")


def test_no_caller_makes_a_series(server, scrape):
    """Requests cannot create series: labels contain no names from callers.

    The first caller's requests and the first scrapes make the series of their routes.
    """
    requests_by_names(server, 0)
    for labels in ({"route": "unknown", "status": "404", "method": "GET"},
                   {"route": "/v1/devices/{deviceId}", "status": "401"},
                   {"route": "unknown", "method": "other", "status": "501"}, {"route": "/metrics"}):
        wait_until(lambda: scrape.value(REQUESTS, **labels), f"a series of {labels}")

    def named(series):  # buckets of a histogram share their names
        return {(name, str(labels | {"le": None})) for name, labels, _ in series}

    before = named(scrape.series())
    for number in range(1, 31):
        requests_by_names(server, number)
    text = scrape.get()[1]
    after = named(parse(text))
    assert "place-" not in text and "r7" not in text
    assert [one for one in after - before if one[0].startswith("displayd_http_")] == []
    assert len(after - before) < 30  # what the server does meanwhile may be counted first


def test_workers_are_summed(server, scrape):
    with scrape.grows(REQUESTS, by=40, route="/livez"):
        each_worker(server, "/livez")


def test_killed_worker_has_counted(server, scrape):
    with scrape.grows(REQUESTS, by=40, route="/livez"):
        each_worker(server, "/livez")
    before = scrape.value(REQUESTS, route="/livez")
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: pid not in server.workers(), "another worker")
    wait_until(lambda: server.get("/readyz").status == 200, "a ready server")
    assert scrape.value(REQUESTS, route="/livez") == before
    with scrape.grows(REQUESTS, by=40, route="/livez"):
        each_worker(server, "/livez")


# ---- who may see it ----


def test_admin_listener_asks_for_nothing(scrape):
    status, text = scrape.get()
    assert status == 200 and text.endswith("\n")


def test_text_has_its_type(server):
    answer = server.get("/metrics", key=TOKEN)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("field", [
    None, "Bearer", "Bearer ", "Basic " + TOKEN, "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x",
    "Bearer " + TOKEN.upper(), TOKEN])
def test_wrong_token(server, field):
    answer = server.request("GET", "/metrics", headers={"Authorization": field} if field else {})
    assert answer.status == 401 and b"displayd_" not in answer.body
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    assert TOKEN not in server.log()


def test_no_token_no_metrics(serve):
    server = serve("--admin-listen", "127.0.0.1:0").start()
    assert server.get("/metrics").status == 404
    assert server.get("/metrics", key=TOKEN).status == 404
    assert Scrape(server).get()[0] == 200
    assert Scrape(server).get("/v1/devices")[0] == 404


def test_wrong_tokens_are_guesses(serve, folder):
    path = os.path.join(folder, "token")
    with open(path, "w", encoding="ascii") as file:
        file.write(TOKEN)
    os.chmod(path, 0o600)
    server = serve("--metrics-token-file", path).start()
    statuses = [server.get("/metrics", key=f"wrong-token-{n}").status for n in range(200)]
    assert statuses[0] == 401 and 429 in statuses and set(statuses) == {401, 429}
    # Wrong tokens are limited by address, but others at that address do not lock out the right token, as with keys.
    assert server.get("/metrics", key=TOKEN).status == 200


@pytest.mark.parametrize("text, mode, why", [
    ("too short", 0o600, "one line of 32 to 512"), (TOKEN[:31], 0o600, "one line of 32"),
    ("two words of it 0123456789 012345678", 0o600, "one line"),
    ("x" * 513, 0o600, "one line of 32 to 512"), (TOKEN + "\n\n", 0o600, "one line"),
    ("", 0o600, "one line"), (TOKEN, 0o644, "every user can read it"), (None, 0, "No such file")])
def test_wrong_token_file(serve, folder, text, mode, why):
    path = os.path.join(folder, "token")
    if text is not None:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
    server = serve("--metrics-token-file", path)
    server.launch()
    assert server.wait() == 2
    assert why in server.log() and "the token for metrics" in server.log()
    assert not text or text.strip() not in server.log()


def test_another_token(serve, folder):
    """SIGHUP loads another token from the same file; a faulty one is refused, and the old one stays."""
    def write(text):
        with open(os.path.join(folder, "token"), "w", encoding="ascii") as file:
            file.write(text)

    def answer(key):
        return server.get("/metrics", key=key).status

    write(TOKEN)
    os.chmod(os.path.join(folder, "token"), 0o600)
    server = serve("--metrics-token-file", os.path.join(folder, "token")).start()
    write("too short")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("configuration rejected")
    assert answer(TOKEN) == 200
    write(TOKEN.upper())
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("worker retired", 2)
    assert (answer(TOKEN.upper()), answer(TOKEN)) == (200, 401)


# ---- what runs out ----


def test_what_runs_out(launch, folder):
    """The metrics and displayctl status show the free disk space, the age of the last backup and the end of
    a certificate."""
    first, other = (certificates.make(folder, name, days=(-1, days)) for name, days in (("a", 40), ("b", 10)))
    server = launch("--admin-listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0",
                    *first.options, *other.options).start()
    scrape = Scrape(server)
    wait_until(lambda: scrape.value("displayd_database_size_bytes") > 1e6, "the size of the database")
    wait_until(lambda: scrape.value("displayd_disk_size_bytes") > 0, "the size of the disk")
    disk = os.statvfs(server.state_dir)
    assert scrape.value("displayd_disk_size_bytes") == disk.f_blocks * disk.f_frsize
    assert 0 < scrape.value("displayd_disk_free_bytes") <= disk.f_blocks * disk.f_frsize
    ends = other.made.not_valid_after.replace(tzinfo=datetime.timezone.utc)
    assert scrape.value("displayd_tls_certificate_end_timestamp_seconds") == int(ends.timestamp())
    assert scrape.value("displayd_last_backup_timestamp_seconds") == 0
    told = server.ctl("status")
    assert told["certificateEndsAt"].startswith(ends.strftime("%Y-%m-%dT%H:%M:%S"))
    assert told["database"]["lastBackupAt"] is None and told["database"]["isFull"] is False
    text = server.ctl("status", json_output=False)
    assert ", never backed up\n" in text and f"certificate ends on {ends:%Y-%m-%d}\n" in text
    server.ctl("backup", os.path.join(folder, "backup"))
    # Values are read at a start and once a minute.
    assert server.stop() == 0
    server.start()
    wait_until(lambda: server.ctl("status")["database"]["lastBackupAt"], "the time of the backup")
    assert scrape.value("displayd_last_backup_timestamp_seconds") > 1.7e9
    assert re.search(r", backed up \d+ (s|min) ago\n", server.ctl("status", json_output=False))


def test_no_certificate_and_no_disk_of_its_own(serve):
    server = serve("--admin-listen", "127.0.0.1:0").start()
    scrape = Scrape(server)
    wait_until(lambda: scrape.value("displayd_database_size_bytes") > 1e6, "the size of the database")
    assert scrape.value("displayd_disk_size_bytes") == scrape.value("displayd_disk_free_bytes") == 0
    assert scrape.value("displayd_tls_certificate_end_timestamp_seconds") == 0
    told = server.ctl("status")
    assert told["certificateEndsAt"] is None
    text = server.ctl("status", json_output=False)
    assert "certificate" not in text and "of the disk left" not in text
