"""Loss of the database: /v1 answers 503, panels continue, and the server recovers by itself."""

import threading

import pytest
from world import UNKNOWN_ID, World, descriptors, images, new_key, request_bytes, wait_until

from postgres import Postgres


@pytest.fixture
def cluster():
    """A PostgreSQL that a test may kill."""
    with Postgres() as one:
        yield one


@pytest.fixture
def lossy(cluster):
    with World(cluster.create_database(), "--rate-limit", "0") as world, world.impatient():
        yield world


def is_ready(client):
    return client.request("GET", "/readyz").status == 200


class Load:
    """Clients that send requests without pause, and keep the answers."""

    def __init__(self, world, ask, count=2):
        self.world = world
        self.ask = ask
        self.answers = []
        self.errors = []
        self.is_over = False
        self.threads = [threading.Thread(target=self.run, args=(n,)) for n in range(count)]

    def run(self, number):
        turn = 0
        while not self.is_over:
            try:
                with self.world.client() as client:
                    while not self.is_over:
                        turn += 1
                        self.answers.append(self.ask(client, number, turn))
            except OSError as error:
                self.errors.append(error)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        wait_until(lambda: len(self.answers) > 20, "answers")
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()


def refused(client, target, key):
    answer = client.request("GET", target, key=key)
    return answer if answer.status != 200 else None


def check_without_database(clients, account, device):
    for client in clients:
        wait_until(lambda client=client: not is_ready(client), "a worker that has noticed")
        for target in ("/v1/account/", "/v1/devices", device.path,
                       device.path + "/installations"):
            # A cached answer is used until it is a second old.
            answer = wait_until(lambda: refused(client, target, account.key), "503")
            assert "database" in answer.problem(503)["detail"]
            assert int(answer["Retry-After"]) >= 1
        answer = client.request("POST", device.path + "/push", key=account.key,
                                body={"image": images.text(images.png())})
        answer.problem(503)
        client.request("DELETE", device.path + "/installations/x", key=account.key).problem(503)
        unready = client.request("GET", "/readyz")
        assert int(unready["Retry-After"]) >= 1 and unready["Cache-Control"] == "no-store"
        assert client.request("GET", "/livez").status == 200
        # Requests that need no database are answered as usual.
        assert client.request("GET", "/v1/devices").status == 401
        assert client.request("GET", "/v1/devices", key="ddk_malformed").status == 401
        assert client.request("GET", "/v1/devices", key=new_key()).status == 503
        assert client.request("GET", "/nothing").status == 404
        # Panels continue, including unknown ones.
        assert images.frames_of(device.poll(client).body) == images.frames_of(images.png())
        assert client.request("GET", f"/d/{UNKNOWN_ID}/next?key={device.link_key}").status == 404


def test_loss_under_load(cluster, lossy):
    account = lossy.account()
    device, pushed = account.device(), account.device()
    assert device.push(installationId="x").ok() == {}
    clients = lossy.clients()
    workers = lossy.workers()
    for client in clients:
        device.shows(images.png(), client)
    before = {pid: descriptors(pid) for pid in workers}
    picture = images.text(images.png())

    def push(client, number, turn):
        name = f"{number}-{turn % 40}"
        answer = client.request("POST", pushed.path + "/push", key=account.key, body={
            "image": picture, "installationId": name, "background": True})
        return name, answer.status, answer.body

    reads = Load(lossy, lambda client, *_: client.request("GET", device.path, key=account.key))
    polls = Load(lossy, lambda client, *_: device.poll(client))
    pushes = Load(lossy, push)
    with reads, polls, pushes:
        for _ in range(3):
            cluster.kill()
            check_without_database(clients, account, device)
            cluster.start()
            for client in clients:
                wait_until(lambda client=client: is_ready(client), "a worker that is ready")
                wait_until(lambda client=client: client.request(
                    "GET", device.path, key=account.key).status == 200, "an answer")
    assert not reads.errors + polls.errors + pushes.errors
    assert {answer.status for answer in reads.answers} == {200, 503}
    assert {answer.status for answer in polls.answers} == {200}
    assert {status for _, status, _ in pushes.answers} == {200, 503}
    assert {name for name, status, _ in pushes.answers if status == 200} <= set(pushed.ids())
    # Nothing remains: each worker has one client less, and perhaps one more connection, which the sweep of
    # every minute keeps open.
    for client in clients:
        client.close()
    assert lossy.workers() == workers
    for pid in workers:
        wait_until(lambda pid=pid: descriptors(pid) <= before[pid], "closed descriptors")


def test_database_that_says_nothing(cluster, lossy):
    """If the database hangs, waiting requests are answered and panels do not wait. A stop succeeds while
    requests wait, whether their clients are connected or have left."""
    account = lossy.account()
    device = account.device()
    assert device.push(installationId="x").ok() == {}
    with World(lossy.database, "--rate-limit", "0") as ending, lossy.client() as client:
        with lossy.client() as panel, ending.client() as left, ending.client() as stays:
            device.shows(images.png(), panel)
            # Cached or not.
            data = request_bytes("GET", device.path, key=account.key, fields=[("Cache-Control", "no-cache")])
            for one in (client, left, stays):
                assert one.request("GET", device.path, key=account.key).status == 200
            cluster.pause()
            try:
                for one in (client, left, stays):
                    one.send(data)
                assert device.poll(panel).status == 200
                assert panel.request("GET", "/livez").status == 200
                left.reset()
                ending.stop()
                client.answer().problem(503)
            finally:
                cluster.resume()
        wait_until(lambda: client.request("GET", device.path, key=account.key).status == 200,
                   "an answer")


# ---- no room ----

def test_a_write_that_found_no_room_says_so(start):
    """The error is that of PostgreSQL for a full disk; test/main fills a real one."""
    world = start()
    account = world.account()
    device = account.device()
    world.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
              " RAISE EXCEPTION 'could not extend file: No space left on device'"
              " USING ERRCODE = 'disk_full'; END $$")
    world.sql("CREATE TRIGGER refuse BEFORE UPDATE ON device FOR EACH ROW"
              " EXECUTE FUNCTION refuse()")
    with world.impatient():
        for _ in range(4):
            answer = device.push()
            assert answer.status == 503 and answer["Retry-After"]
            assert "no room" in answer.json()["detail"], answer.json()
    account.get("/v1/devices").ok()
    world.sql("DROP TRIGGER refuse ON device")
    device.push().ok()


def test_a_database_that_hangs_is_noticed(cluster, lossy):
    """Requests under way are answered within 5 s by the server's own clock, and later ones at once."""
    account = lossy.account()
    device = account.device()
    device.push().ok()

    def change():
        return account.request("PATCH", device.path, body={"brightness": 3})

    cluster.pause()
    try:
        for number, ask in enumerate((change, device.push, change, device.get)):
            ask().problem(503)
            wait_until(lambda number=number: lossy.server.log().count(" status=503 ") > number, "its line")
    finally:
        cluster.resume()
    lines = [line for line in lossy.server.log().splitlines() if " status=503 " in line]
    first, *later = (int(line.split(" duration_us=")[1].split()[0]) for line in lines)
    assert first < 5_000_000
    assert max(later) < 1_000_000
    wait_until(lambda: change().status == 200, "a database that answers again")
