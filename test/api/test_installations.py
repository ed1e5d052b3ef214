"""The entries of a rotation: list, replace, remove, and at most a hundred of them."""

import threading
import urllib.parse

import pytest
import scene
from world import TIMESTAMP, Connection, images, request_bytes, wait_until

IMAGE = images.text(images.png())


def test_list(device):
    assert device.installations() == []
    for name in ("b", "a", "c"):
        assert device.push(installationId=name).ok() == {}
    listed = device.installations()
    assert [entry["id"] for entry in listed] == ["b", "a", "c"]
    for entry in listed:
        assert set(entry) == {"id", "app", "createdAt"}
        assert entry["app"] is None
        assert TIMESTAMP.fullmatch(entry["createdAt"])
    assert [entry["createdAt"] for entry in listed] == sorted(
        entry["createdAt"] for entry in listed)


def test_temporary_image_is_no_entry(device):
    assert device.push().ok() == {}
    assert device.installations() == []


def test_replacing_keeps_place_and_time(device):
    for name in ("a", "b", "c"):
        assert device.push(installationId=name).ok() == {}
    before = device.installations()
    for background in (True, False):
        other = images.png(images.gradient(50 + background))
        assert device.push(other, installationId="b", background=background).ok() == {}
        assert device.installations() == before
    device.shows(other)


def test_removed_and_pushed_again_goes_to_the_end(device):
    for name in ("a", "b"):
        assert device.push(installationId=name).ok() == {}
    before = device.installations()[0]
    assert device.delete("a").ok() == {}
    assert device.push(installationId="a").ok() == {}
    after = device.installations()
    assert [entry["id"] for entry in after] == ["b", "a"]
    assert after[1]["createdAt"] >= before["createdAt"]


def test_ids_are_told_apart_exactly(device):
    names = ["x", "X", " x", "x ", "\u00e9", "e\u0301"]
    for name in names:
        assert device.push(installationId=name).ok() == {}
    assert device.ids() == names
    assert device.delete("X").ok() == {}
    assert device.ids() == ["x", " x", "x ", "\u00e9", "e\u0301"]


def test_same_id_on_two_devices(account):
    one, two = account.device(), account.device()
    for device in (one, two):
        assert device.push(installationId="x").ok() == {}
    assert one.delete("x").ok() == {}
    one.delete("x").problem(404)
    assert two.ids() == ["x"]


@pytest.mark.parametrize("name", ["x", "a b", "100%", "%41", "a?b", "a#b", "\u00e9", "\U0001f4a1",
                                  "a:b;c", "..."])
def test_delete(device, name):
    assert device.push(installationId=name).ok() == {}
    path = urllib.parse.quote(name, safe="")
    if name == "%41":
        device.delete("A").problem(404)
    for slash in ("", "/"):
        assert device.delete(path + slash).status == (404 if slash else 200)
    assert device.installations() == []


def test_delete_with_a_slash_and_a_body(device):
    assert device.push(installationId="x").ok() == {}
    assert device.delete("x/", body=b"{not read").ok() == {}
    assert device.installations() == []


@pytest.mark.parametrize("name", ["nothing", "x" * 65, "x" * 2000, "%5c", "%01", "."])
def test_delete_what_is_not_there(device, name):
    device.delete(name).problem(404)


def test_deleted_entry_is_not_shown(device):
    picture = images.png(images.solid((9, 9, 9)))
    assert device.push(picture, installationId="x").ok() == {}
    device.shows(picture)
    assert device.delete("x").ok() == {}
    wait_until(lambda: device.shown() != images.frames_of(picture), "another picture")


def test_rotation_is_shown_in_its_order(world, device):
    """A polling panel is given one entry after the other, and goes round."""
    pictures = [images.png(images.gradient(40 * n)) for n in range(3)]
    for number, picture in enumerate(pictures):
        assert device.push(picture, installationId=str(number), background=True).ok() == {}
    expected = [images.frames_of(picture) for picture in pictures]
    with world.client() as client:  # one worker, which has heard of all of them
        poll = lambda: device.shown(client)  # noqa: E731
        for frames in expected:
            wait_until(lambda: poll() == frames, "each picture")  # pylint: disable=all
        assert [poll() for _ in range(7)] == (3 * expected)[:7]


# ---- a hundred ----

def test_a_hundred_entries(world, device):
    scene.fill(world, device, 99)
    assert device.push(installationId="last").ok() == {}
    names = device.ids()
    assert len(names) == 100 and names[-1] == "last"
    faults = device.push(installationId="one too many").faults()
    assert set(faults) == {"/installationId"} and "100" in faults["/installationId"]
    assert device.push(installationId="e50").ok() == {}
    assert device.push().ok() == {}
    assert device.ids() == names
    assert device.delete("e0").ok() == {}
    assert device.push(installationId="one more").ok() == {}
    assert device.ids() == names[1:] + ["one more"]
    assert device.push(installationId="too many again").status == 400


def together(world, requests):
    """Sends them all at once, each on a connection of its own; the answers, in their order."""
    answers = [None] * len(requests)
    barrier = threading.Barrier(len(requests))

    def run(number):
        with Connection(world.server) as client:
            barrier.wait()
            client.send(requests[number])
            answers[number] = client.answer()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_race_for_the_last_places(world, account, device):
    scene.fill(world, device, 95)
    answers = together(world, [
        request_bytes("POST", device.path + "/push", key=account.key,
                      body={"image": IMAGE, "installationId": f"new{n}"}) for n in range(16)])
    stored = {f"new{n}" for n, answer in enumerate(answers) if answer.status == 200}
    assert len(stored) == 5
    for answer in answers:
        if answer.status != 200:
            assert set(answer.faults()) == {"/installationId"}
    names = device.ids()
    assert len(names) == 100 and set(names[95:]) == stored


def test_race_of_pushes_and_deletions_of_one_entry(world, account, device):
    """Each answer is one that some order of them gives, and the count stays right."""
    push = request_bytes("POST", device.path + "/push", key=account.key,
                         body={"image": IMAGE, "installationId": "x"})
    delete = request_bytes("DELETE", device.path + "/installations/x", key=account.key)
    answers = together(world, [push, delete] * 12)
    deleted = sum(answer.status == 200 for answer in answers[1::2])
    assert all(answer.status == 200 for answer in answers[0::2])
    assert all(answer.status in (200, 404) for answer in answers[1::2])
    assert deleted <= 12
    assert world.sql("SELECT entry_count FROM device WHERE id = %s",
                     device.id) == [(len(device.ids()),)]


def test_last_answered_push_is_shown(world, account, device):
    """Pushes that follow each other, through different workers."""
    clients = world.clients()
    for number in range(20):
        picture = images.png(images.gradient(number * 11))
        client = clients[number % len(clients)]
        answer = client.request("POST", device.path + "/push", key=account.key,
                                body={"image": images.text(picture)})
        assert answer.ok() == {}
    rows = world.sql("SELECT picture FROM showing WHERE device_id = %s", device.id)
    assert images.frames_of(bytes(rows[0][0])) == images.frames_of(picture)
    for client in clients:
        client.close()
