"""Descriptors run out, sockets take a byte at a time, the clock jumps, memory is limited."""

import contextlib
import datetime
import os
import signal

import pytest
from panel import Panel
from people import Person
from world import World, images, request_bytes, wait_until

DAY_S = 24 * 3600
CGROUPS = "/sys/fs/cgroup"


@pytest.fixture(autouse=True)
def healthy(faults):
    faults.clear()
    yield
    faults.clear()


# ---- descriptors ----

def test_no_descriptor_for_a_new_connection(faulty, faults, device):
    """Open connections continue; new ones wait or are closed, and are accepted again later."""
    with faulty.client() as client:
        assert client.request("GET", "/livez").status == 200
        faults.accepts = 50
        for _ in range(60):
            with contextlib.suppress(OSError), faulty.client() as other:
                other.request("GET", "/livez")
            assert client.request("GET", device.path, key=device.account.key).status == 200
    assert faults.failed == 50
    assert faulty.get("/livez").status == 200


# ---- writes ----

@pytest.mark.parametrize("most", [1, 7, 1000])
def test_a_socket_takes_little_at_a_time(faulty, faults, device, most):
    """Messages of clients, panels and the database arrive whole and in order."""
    picture = images.png(images.noise(4))
    faults.write_bytes = most
    with Panel(faulty.server, device) as panel:
        panel.wait_for_picture()
        assert device.push(picture, installationId="x").ok() == {}
        panel.wait_for_picture()
    device.shows(picture)
    with faulty.client() as client:
        requests = [request_bytes("GET", target, key=device.account.key) for target in
                    ("/v1/account/", device.path + "/installations", "/openapi.json")]
        client.send(b"".join(requests * 3))
        answers = [client.answer() for _ in range(9)]
    assert [answer.status for answer in answers] == [200] * 9
    bodies = [answer.body for answer in answers]
    assert bodies[:3] == bodies[3:6] == bodies[6:]
    assert faults.failed > 10


# ---- the clock on the wall ----

def local_hour(world, zone):
    [[hour]] = world.sql("SELECT extract(hour FROM now() AT TIME ZONE %s)::int", zone)
    return hour


@pytest.mark.parametrize("jump_s", [DAY_S, -DAY_S, 3600, -3600, 400 * DAY_S, -40 * 365 * DAY_S])
def test_the_clock_jumps(faulty, faults, device, jump_s):
    """Panels, pushes and requests continue, even after the clock is right again."""
    with Panel(faulty.server, device) as panel, faulty.client() as client:
        panel.wait_for_picture()
        for number, offset in enumerate((jump_s, 0)):
            faults.clock_s = offset
            picture = images.png(images.solid((40 + number, 9, 9)))
            assert device.push(picture).ok() == {}
            panel.wait_for_picture()
            device.shows(picture)
            answer = client.request("GET", device.path, key=device.account.key).ok()
            online = datetime.datetime.fromisoformat(answer["lastOnline"].replace("Z", "+00:00"))
            [[now]] = faulty.sql("SELECT now()")
            assert online <= now + datetime.timedelta(seconds=max(offset, 0))
            assert client.request("PATCH", device.path, key=device.account.key,
                                  body={"brightness": 10 + number}).status == 200
            panel.wait_for_brightness(10 + number)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "Pacific/Kiritimati"])
def test_a_jump_into_the_sleep_window_and_out_of_it(faulty, faults, device, zone):
    """The window depends on the time of day in the device's zone, not on how much time has passed."""
    start = (local_hour(faulty, zone) + 6) % 24
    answer = faulty.request("PATCH", device.path, key=device.account.key, body={
        "brightness": 50, "timezone": zone, "sleepEnabled": True, "sleepStart": f"{start:02}:00",
        "sleepEnd": f"{(start + 4) % 24:02}:00"})
    assert answer.status == 200, answer
    for offset, brightness in ((8 * 3600, "0"), (0, "50"), (-16 * 3600, "0"), (0, "50")):
        faults.clock_s = offset
        wait_until(lambda value=brightness: device.poll()["Tronbyt-Brightness"] == value, zone)


def last_online(world, device):
    answer = world.request("GET", device.path, key=device.account.key).ok()
    return datetime.datetime.fromisoformat(answer["lastOnline"].replace("Z", "+00:00"))


@pytest.mark.parametrize("ahead_s", [3600, -3600])
def test_the_clock_of_one_instance_is_wrong(postgres, faults, ahead_s):
    """Times that instances tell each other are the database's: panels of one are online for the other, and keys end
    when they should. The administrator is told."""
    database = postgres.create_database()
    with World(database, workers=1, environment=faults.environment()) as wrong, World(database, workers=1) as right:
        faults.clock_s = ahead_s
        administrator = Person(wrong, is_administrator=True).browser()

        def problems():
            return {one["problem"] for one in administrator.get("/web/admin/instance").ok()["findings"]}
        words = "ahead of" if ahead_s > 0 else "behind"
        wait_until(lambda: any(f"clock is 3600 seconds {words} the database's" in one for one in problems()), "a finding")
        for home, other in ((wrong, right), (right, wrong)):
            device = right.account().device()
            with Panel(home.server, device) as panel:
                panel.wait_for_picture()
                wait_until(lambda: right.sql("SELECT online_by FROM device WHERE id = %s", device.id)[0][0], "its presence")
                for world in (home, other):
                    answer = world.request("POST", device.path + "/push", key=device.account.key,
                                           body={"image": images.text(images.png(images.solid((1, 2, 3))))})
                    assert answer["Displayd-Shown"] == "now", answer
                    [[now]] = right.sql("SELECT now()")
                    assert abs(last_online(world, device) - now) < datetime.timedelta(seconds=75)
            right.sql("UPDATE api_key SET ends_at = now() + interval '30 minutes' WHERE account_id = "
                      "(SELECT account_id FROM device WHERE id = %s)", device.id)
            for world in (home, other):
                assert world.request("GET", device.path, key=device.account.key).status == 200


# ---- memory ----

class Cgroup:
    """A process group with limited memory, with either version of cgroups."""

    def __init__(self, most_bytes):
        unified = os.path.exists(CGROUPS + "/cgroup.controllers")
        self.path = (CGROUPS if unified else CGROUPS + "/memory") + f"/displayd-test-{os.getpid()}"
        self.limits = ({"memory.max": most_bytes, "memory.swap.max": 0} if unified
                       else {"memory.limit_in_bytes": most_bytes})

    def __enter__(self):
        try:
            os.mkdir(self.path)
            for name, value in self.limits.items():
                with contextlib.suppress(FileNotFoundError):
                    self.write(name, value)
            self.write("cgroup.procs", "")
        except OSError as error:
            self.remove()
            pytest.skip(f"no memory cgroup can be made here: {error}")
        return self

    def __exit__(self, *_):
        self.remove()

    def write(self, name, value):
        if not os.path.exists(os.path.join(self.path, name)):
            raise FileNotFoundError(name)
        if value != "":
            with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
                file.write(str(value))

    def take(self, pid):
        self.write("cgroup.procs", pid)

    def remove(self):
        with contextlib.suppress(OSError):
            os.rmdir(self.path)


def test_a_worker_has_too_little_memory(postgres, tmp_path_factory):
    """The kernel ends the worker that exceeds its group's memory; the other continues, and a new one starts."""
    with World(postgres.create_database(), "--rate-limit", "0") as world, \
            Cgroup(1024 * 1024) as group:
        device = world.account().device()
        victim, other = world.workers()
        with world.client_of(other) as client, world.client_of(victim) as lost:
            group.take(victim)
            with contextlib.suppress(OSError):
                while True:
                    lost.request("POST", device.path + "/push", key=device.account.key, body={
                        "image": images.text(images.png(images.noise(5)))})
            wait_until(lambda: "worker ended unexpectedly" in world.server.log(), "its end")
            assert f"signal={signal.SIGKILL.value}" in world.server.log()
            assert client.request("GET", device.path, key=device.account.key).status == 200
        wait_until(lambda: victim not in world.workers(), "a new worker")
        world.server.wait_until_ready()
        assert device.push(images.png()).ok() == {}
        world.kills = world.server.log().count("worker ended unexpectedly")
