"""A full disk: no write is answered as stored if it was not, and /readyz fails until there is room again.
The last 5 % of the disk store no pictures. The disk is a small tmpfs, which only root can mount."""

import base64
import glob
import json
import os

import images
import pytest
from scrape import Scrape
from server import CtlError, Server, run_ctl, wait_until


@pytest.fixture
def server(disk):
    with Server("--admin-listen", "127.0.0.1:0", state_dir=os.path.join(disk, "state"), workers=2) as one:
        one.is_patient = False  # the tests check for a full disk
        yield one


def fill(path):
    """Fills the whole disk."""
    size = 16 * 1024 * 1024
    with open(path, "ab", buffering=0) as file:
        while size >= 4096:
            try:
                if file.write(bytes(size)) < size:
                    size //= 2
            except OSError:
                size //= 2


def push(server, device, key, number):
    png = base64.b64encode(images.png(images.noise(number))).decode()
    return server.request("POST", f"/v1/devices/{device}/push", key=key,
                          body={"image": png, "installationId": f"n{number % 90}"})


def wait_until_said(filler, ask):
    """PostgreSQL makes room meanwhile, for example by removing its log, so the disk is filled again each time."""
    def is_said():
        fill(filler)
        return b"no room" in ask().body

    wait_until(is_said, "that there is no room")


def is_ready(server):
    return server.get("/readyz").status == 200


def test_full_disk(server, disk):
    server.ctl("account", "create", "full@example.org")
    device = server.ctl("device", "create", "--account", "full@example.org", "--name", "x")["id"]
    key = server.ctl("key", "create", "--account", "full@example.org")["key"]
    assert push(server, device, key, 0).status == 200
    filler = os.path.join(disk, "filler")
    number = 0

    def is_full():
        """Whether the disk counts as full. If PostgreSQL frees some space, displayd is right to be ready."""
        nonlocal number
        fill(filler)
        number += 1
        answer = push(server, device, key, number)
        assert answer.status in (200, 503), answer
        # Any worker may answer, and reads may still succeed.
        return answer.status == 503 and not any(is_ready(server) for _ in range(30))

    wait_until(is_full, "a disk that is full and said to be")
    assert server.get("/livez").status == 200
    # The error names the full disk, whichever worker answers.
    wait_until_said(filler, lambda: server.get("/readyz"))
    # Whether the database or the look at the disk was first to notice.
    fill(filler)
    answer = push(server, device, key, number)
    assert answer.status == 503 and json.loads(answer.body)["code"] in ("database_full", "storage_full"), answer
    wait_until_said(filler, lambda: server.get("/readyz"))
    told = server.ctl("status")
    assert told["database"]["isFull"] and told["counters"]["databaseFull"] > 0
    text = server.ctl("status", json_output=False)
    assert "its disk is full, nothing can be stored" in text and "refused by a full disk" in text
    assert Scrape(server).value("displayd_database_failures_total", reason="full") > 0
    with pytest.raises(CtlError, match="has no room") as failure:
        while True:  # PostgreSQL may still have room for small rows
            fill(filler)
            server.ctl("device", "create", "--account", "full@example.org", "--name", "x")
    assert failure.value.code == 5
    os.unlink(filler)
    wait_until(lambda: is_ready(server), "room")
    wait_until(lambda: push(server, device, key, number).status == 200, "a push that is stored")
    assert all(is_ready(server) for _ in range(20))


def test_full_disk_without_writes(server, disk):
    """/readyz reports a full disk even if nothing was written."""
    wait_until(lambda: is_ready(server), "a start")
    filler = os.path.join(disk, "filler")

    def is_said():
        fill(filler)
        return not any(is_ready(server) for _ in range(30))

    wait_until(is_said, "a disk that is full and said to be")
    wait_until_said(filler, lambda: server.get("/readyz"))
    os.unlink(filler)
    wait_until(lambda: all(is_ready(server) for _ in range(30)), "room")


def fill_but(path, left):
    """Fills the disk except for this many bytes."""
    with open(path, "wb", buffering=0) as file:
        while True:
            disk = os.statvfs(path)
            more = disk.f_bavail * disk.f_frsize - left
            if more < 4096:
                return
            file.write(bytes(min(more, 1024 * 1024)))


def test_the_last_part_takes_no_pictures(disk):
    with Server("--admin-listen", "127.0.0.1:0", "--rate-limit", "0", state_dir=os.path.join(disk, "state"),
                workers=2) as server:
        server.is_patient = False
        scrape = Scrape(server)
        server.ctl("account", "create", "full@example.org")
        device = server.ctl("device", "create", "--account", "full@example.org", "--name", "x")["id"]
        key = server.ctl("key", "create", "--account", "full@example.org")["key"]
        assert push(server, device, key, 0).status == 200
        assert server.ctl("status")["storageProblem"] == ""
        assert scrape.value("displayd_disk_refuses_pictures") == 0
        filler = os.path.join(disk, "filler")
        # 5 % are 8 MiB.
        fill_but(filler, 6 * 1024 * 1024)
        wait_until(lambda: push(server, device, key, 1).status == 503, "a push that is refused")
        for number in range(20):
            answer = push(server, device, key, number)
            assert answer.status == 503 and b"5 % of the disk" in answer.body and answer.headers["Retry-After"]
        ready = server.get("/readyz")
        assert ready.status == 200 and b"5 % of the disk" in ready.body
        assert "5 % of the disk" in server.ctl("status")["storageProblem"]
        assert scrape.value("displayd_disk_refuses_pictures") == 1
        # Everything else still works.
        assert server.get(f"/v1/devices/{device}", key=key).status == 200
        assert server.request("PATCH", f"/v1/devices/{device}", key=key, body={"name": "y"}).status == 200
        assert server.request("DELETE", f"/v1/devices/{device}/installations/n0", key=key).status == 200
        os.unlink(filler)
        wait_until(lambda: push(server, device, key, 2).status == 200, "a push that is stored")
        assert server.get("/readyz").body == b"ok\n"
        assert server.ctl("status")["storageProblem"] == ""


@pytest.mark.parametrize("left", [0, 6, 30])
def test_a_first_start_and_a_restore_leave_nothing(disk, tmp_path, left):
    """A failed restore leaves nothing, and a failed first start removes the files of initdb, which would
    fill the rest of the disk."""
    backup = str(tmp_path / "backup")
    with Server(state_dir=str(tmp_path / "source"), workers=1) as source:
        source.ctl("backup", backup)
    fill_but(os.path.join(disk, "filler"), left * 1024 * 1024)
    state = os.path.join(disk, "state")
    with pytest.raises(CtlError, match="No space left on device|its disk is full") as failure:
        run_ctl("--state-dir", state, "restore", backup)
    assert failure.value.code == 5
    assert os.listdir(disk) == ["filler"]
    server = Server(state_dir=state, workers=1, is_new=True)
    server.log_path = str(tmp_path / "log")
    assert server.launch().wait() != 0
    assert "No space left on device" in server.log()
    assert not glob.glob(os.path.join(state, "postgres/data*"))
