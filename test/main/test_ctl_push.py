"""displayctl push: the API's checks and conversion, and panels that show the picture at once."""

import base64
import subprocess

import images
import pytest
from ctl_scene import device, email, key, new_app, publish, query, refused
from private_socket import ask_operator
from server import DISPLAYCTL, wait_until

__all__ = ["device", "email", "key"]  # fixtures


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(images.png(images.gradient(7)))
    return str(path)


def shown(server, device):
    answer = server.get(device["pollUrl"].removeprefix(server.url))
    assert answer.status == 200
    return answer.body


def pushed_by_api(server, key, device, path, **options):
    with open(path, "rb") as file:
        answer = server.post(f"/v1/devices/{device['id']}/push", dict(
            image=base64.b64encode(file.read()).decode(), **options), key=key)
    assert answer.status == 200, answer


def stored(server, device):
    ((picture, duration),) = query(server, "SELECT picture, duration_s FROM showing "
                                           "WHERE device_id = %s", device["id"])
    return bytes(picture), duration


def test_temporary(running, device, key, picture):
    done = running.ctl("push", device["serialNumber"], picture, "--duration", "10")
    assert list(done) == ["deviceId", "device", "installationId", "bytes", "shown"]
    assert (done["deviceId"], done["installationId"]) == (device["id"], None)
    wait_until(lambda: len(shown(running, device)) == done["bytes"], "the picture")
    ours = stored(running, device)
    pushed_by_api(running, key, device, picture, duration=10)
    assert stored(running, device) == ours
    assert ours[1] == 10


def test_installation(running, device, picture, tmp_path):
    assert running.ctl("push", "--installation", "mine ä", device["id"],
                       picture)["installationId"] == "mine ä"
    (entry,) = running.ctl("installation", "list", "--device", device["id"])["entries"]
    assert (entry["installationId"], entry["appId"]) == ("mine ä", None)
    other = tmp_path / "other.gif"
    other.write_bytes(images.gif([images.solid(), images.solid((0, 255, 0))]))
    size = running.ctl("push", device["id"], str(other), "--installation", "mine ä",
                       "--background")["bytes"]
    assert query(running, "SELECT id, length(picture) FROM installation WHERE device_id = %s",
                 device["id"]) == [("mine ä", size)]


def test_by_name_and_from_a_pipe(running, email):
    running.ctl("device", "create", "--account", email, "--name", "The only fridge")
    done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "push", "The only fridge",
                           "/dev/stdin"], input=images.png(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"The only fridge" in done.stdout


def test_from_standard_input(running, device):
    command = [DISPLAYCTL, "--state-dir", running.state_dir, "push", device["id"], "-"]
    done = subprocess.run(command, input=images.png(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(command, input=b"x", capture_output=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith(b"displayctl: -: image ")


def test_no_rate_limit(running, device, picture):
    """displayctl has no rate limit. Programs may send 10 pushes a second to a device, with a burst of 40."""
    with open(picture, "rb") as file:
        body = {"image": base64.b64encode(file.read()).decode()}
    for _ in range(60):
        answer = ask_operator(running, "POST", f"/v1/devices/{device['id']}/push", body)
        assert answer.status == 200, answer
        assert answer.headers["Displayd-Bytes"].isdecimal()


@pytest.mark.parametrize("options, code, reason", [
    (["--duration", "7"], 2, "--duration must be one of 5, 10, 15, 30, 35, 40, 45 (seconds)"),
    (["--duration", "x"], 2, "--duration must be "),
    (["--installation", ""], 2, "--installation must have "),
    (["--installation", "a/b"], 2, "--installation must not contain \"/\" or \"\\\""),
    (["--installation", "x" * 65], 2, "--installation must have "),
    (["--installation", "x", "--duration", "5"], 2, "--duration is for pictures without"),
    (["--background"], 2, "--background needs --installation ID"),
    (["--expires-in", "60"], 2, "--expires-in needs --installation ID"),
    (["--installation", "x", "--expires-in", "59"], 2, "--expires-in must be "),
    (["--installation", "x", "--expires-in", "2592001"], 2, "--expires-in must be "),
    (["--hold", "--show-for", "5"], 2, "--hold excludes --duration, --show-for and --background"),
    (["--duration", "5", "--show-for", "60"], 2, "--show-for excludes --duration"),
    (["--installation", "x", "--show-for", "60"], 2, "--show-for is for pictures without --installation"),
    (["--show-for", "86401"], 2, "--show-for"),
    (["--hold", "--duration", "5"], 2, "--hold excludes --duration, --show-for and --background"),
    (["--hold", "--installation", "x", "--background"], 2, "--hold excludes --duration, --show-for and --background"),
    (["--wake", "--installation", "x", "--background"], 2, "--wake excludes --background"),
])
def test_wrong_options(running, device, picture, options, code, reason):
    assert refused(running, code, "push", device["id"], picture, *options).startswith(reason)


@pytest.mark.parametrize("data, reason", [
    (b"", "image is empty"), (b"not a picture", ""), (b"\x89PNG\r\n\x1a\n", ""),
    (b"x" * 196609, "image has 196609 bytes, maximum 196608"),
    (images.png(images.solid(size=(65, 32))), ""),
])
def test_wrong_pictures(running, device, key, tmp_path, data, reason):
    """The message is the API's own."""
    path = tmp_path / "wrong.png"
    path.write_bytes(data)
    text = refused(running, 2, "push", device["id"], str(path))
    assert text.startswith(f"{path}: {reason}")
    answer = running.post(f"/v1/devices/{device['id']}/push", {
        "image": base64.b64encode(data).decode()}, key=key)
    assert answer.status == 400
    assert text.removeprefix(f"{path}: ") in str(answer.json())


def test_refusals(running, device, key, email, picture):
    assert "/nowhere: No such file" in refused(running, 2, "push", device["id"], "/nowhere")
    assert refused(running, 3, "push", "nothing", picture) == "there is no device nothing"
    app = new_app(running, email)
    publish(running, key, app)
    entry = running.ctl("installation", "create", "--device", device["id"], "--app", app["slug"])
    assert refused(running, 4, "push", device["id"], picture, "--installation", entry["id"]) == (
        "--installation is the ID of an app's installation on this device")
    query(running, "UPDATE device SET picture_limit_bytes = 60000 WHERE id = %s", device["id"])
    assert running.ctl("push", device["id"], picture)["bytes"] < 60000


def test_a_full_rotation(running, device, picture):
    for number in range(100):
        query(running, "INSERT INTO installation (device_id, id, position, picture, "
                       "picture_generation) VALUES (%s, %s, %s, 'x', 0)", device["id"],
              f"n{number}", -1 - number)
    assert refused(running, 4, "push", device["id"], picture, "--installation", "more") == (
        "the device has 100 entries already")
    running.ctl("push", device["id"], picture, "--installation", "n7")


def test_says_when_it_is_shown(running, device, picture):
    def told(*options):
        return running.ctl("push", device["id"], picture, *options)["shown"]

    query(running, "UPDATE device SET connected_at = NULL WHERE id = %s", device["id"])
    assert told() == "never"
    query(running, "UPDATE device SET last_online_at = '2026-03-04 05:06:07Z', connected_at = '2026-03-04 05:06:07Z' "
                   "WHERE id = %s", device["id"])
    assert told() == "offline; since=2026-03-04T05:06:07.000Z"
    for seconds in (300, 0):
        query(running, "UPDATE device SET last_online_at = now() - %s * interval '1 second', connected_at = now() "
                       "WHERE id = %s", seconds, device["id"])
        assert told() == "now"
    assert told("--installation", "a", "--background") == "later"
    query(running, "UPDATE device SET pinned_installation_id = 'a' WHERE id = %s", device["id"])
    assert told("--installation", "b", "--background") == "pinned; id=a"
    query(running, "UPDATE device SET sleep_enabled = true, sleep_start_minute = 0, sleep_end_minute = 0 "
                   "WHERE id = %s", device["id"])
    assert told() == "asleep"
    assert told("--wake", "--hold") == "now"
    query(running, "UPDATE device SET brightness = 0 WHERE id = %s", device["id"])
    assert told("--wake") == "dark"
    assert "not while the brightness is 0" in running.ctl("push", device["id"], picture, json_output=False)


def test_hold_wake_and_expiry(running, device, picture):
    running.ctl("push", device["id"], picture, "--hold", "--wake")
    assert query(running, "SELECT held_generation = push_generation, waking_generation = push_generation "
                          "FROM showing WHERE device_id = %s", device["id"]) == [(True, True)]
    running.ctl("push", device["id"], picture, "--installation", "n0", "--expires-in", "60")
    query(running, "INSERT INTO installation (device_id, id, position, picture, expires_at, expires_generation) "
                   "SELECT %s, 'n' || n, -n, 'x', now() - interval '1 s', 0 FROM generate_series(1, 99) AS n",
          device["id"])
    running.ctl("push", device["id"], picture, "--installation", "more")
    wait_until(lambda: [entry["installationId"] for entry in running.ctl(
        "installation", "list", "--device", device["id"])["entries"]] == ["n0", "more"], "the entries that are left")
