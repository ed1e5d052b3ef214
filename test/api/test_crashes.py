"""kill -9: nothing that was answered is lost, and the remaining processes continue."""

import contextlib
import datetime
import os
import signal
import threading

import pytest

from world import SECRETS, Connection, Server, images, request_bytes, wait_until

IMAGE = images.text(images.png())


class Pusher(threading.Thread):
    """Pushes entry after entry, even if connections fail."""

    def __init__(self, server, device_path, key, name):
        super().__init__(daemon=True)
        self.server, self.path, self.key, self.prefix = server, device_path, key, name
        self.answered = []
        self.wrong = []
        self.is_over = False

    def push_until_it_breaks(self):
        with Connection(self.server) as client:
            while not self.is_over and len(self.answered) < 90:
                name = f"{self.prefix}-{len(self.answered)}"
                client.send(request_bytes("POST", self.path + "/push", key=self.key, body={
                    "image": IMAGE, "installationId": name, "background": True}))
                answer = client.answer()
                if answer.status == 200:
                    self.answered.append(name)
                elif answer.status != 503:
                    self.wrong.append(answer)

    def run(self):
        while not self.is_over and len(self.answered) < 90:
            try:
                self.push_until_it_breaks()
            except OSError:
                pass

    def end(self):
        self.is_over = True
        self.join()
        assert not self.wrong


def test_worker_is_killed(start):
    world = start()
    account = world.account()
    devices = [account.device() for _ in range(4)]
    pushers = [Pusher(world.server, device.path, account.key, str(n))
               for n, device in enumerate(devices)]
    for pusher in pushers:
        pusher.start()
    for _ in range(3):
        workers = world.workers()
        victim, other = workers[0], workers[1]
        done = [len(pusher.answered) for pusher in pushers]
        wait_until(lambda: [len(pusher.answered) for pusher in pushers] != done
                   or all(count >= 90 for count in done), "pushes")
        with world.client_of(other) as client:
            # The worker may be new itself, without a connection to the database yet.
            wait_until(lambda client=client: client.request("GET", "/readyz").status == 200,
                       "a worker that is ready")
            world.kill_worker(victim)
            # The other worker continues, on the same connection.
            assert client.request("GET", "/v1/devices", key=account.key).status == 200
        wait_until(lambda victim=victim: victim not in world.workers(), "a new worker")
    wait_until(lambda: all(len(pusher.answered) > 10 for pusher in pushers), "more pushes")
    for pusher, device in zip(pushers, devices):
        pusher.end()
        assert set(pusher.answered) <= set(device.ids())
        assert len(device.ids()) <= len(pusher.answered) + 8  # stored, but never answered


def end_at_once(server):
    """Kills the supervisor, its workers and its PostgreSQL at once, like a power cut."""
    supervisor = server.process.pid
    os.kill(supervisor, signal.SIGSTOP)
    workers, postmaster = server.children()
    children = []
    if postmaster:
        with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
    for pid in [postmaster] * bool(postmaster) + children + workers + [supervisor]:
        with contextlib.suppress(ProcessLookupError):  # it ended with its parent
            os.kill(pid, signal.SIGKILL)
    server.process.wait()


def test_everything_is_killed(tmp_path):
    """With the embedded PostgreSQL, nothing is lost after 200."""
    server = Server("--rate-limit", "0", state_dir=str(tmp_path / "state"))
    with server:
        server.ctl("account", "create", "a@example.org")
        device = server.ctl("device", "create", "--account", "a@example.org", "--name", "Desk")
        key = server.ctl("key", "create", "--account", "a@example.org")["key"]
        SECRETS.update((key, device["key"]))
        path = f"/v1/devices/{device['id']}"
        answered = []
        for number in range(2):
            pushers = [Pusher(server, path, key, f"{number}-{n}") for n in range(2)]
            for pusher in pushers:
                pusher.start()
            wait_until(lambda: all(len(pusher.answered) > 5 for pusher in pushers), "pushes")
            end_at_once(server)
            for pusher in pushers:
                pusher.end()
                answered += pusher.answered
            server.start()
            listed = server.get(path + "/installations", key=key).json()
            assert set(answered) <= {entry["id"] for entry in listed}
            for entry in listed:
                assert server.delete(f"{path}/installations/{entry['id']}", key=key).status == 200
            answered = []
        assert server.stop() == 0
        assert not any(secret in server.log() for secret in SECRETS)


@pytest.mark.parametrize("year", [2020, 2136])  # a wrong clock
def test_last_online_is_written_at_the_end(start, year):
    world = start()
    device = world.account().device()
    world.sql("UPDATE device SET last_online_at = make_timestamptz(%s, 1, 1, 0, 0, 0) "
              "WHERE id = %s", year, device.id)
    before = datetime.datetime.now(datetime.timezone.utc)
    assert device.poll().status == 200
    assert world.server.stop() == 0
    world.server.start()
    shown = datetime.datetime.fromisoformat(device.get().ok()["lastOnline"].replace("Z", "+00:00"))
    assert before - datetime.timedelta(seconds=1) <= shown
    assert shown <= datetime.datetime.now(datetime.timezone.utc)
    assert world.sql("SELECT last_online_at <= now() FROM device WHERE id = %s", device.id) == [
        (True,)]
