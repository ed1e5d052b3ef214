"""The command line of pixlet, a foreign program, against /v0. It is built from its unchanged source."""

import http.server
import json
import os
import subprocess
import sys
import threading

import pytest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "api"), os.path.join(TESTS, "contract")]

# pylint: disable=wrong-import-position
import scene  # noqa: E402
from world import World, images, new_key  # noqa: E402

from postgres import shared  # noqa: E402

FIRST, SECOND = images.webp(images.gradient(1)), images.webp(images.gradient(2))


@pytest.fixture(scope="module")
def world():
    with shared() as cluster, World(cluster.create_database()) as one:
        yield one


@pytest.fixture
def device(world):
    return world.account().device(name="Kitchen & Hall")


class Pixlet:
    """The program, for one account."""

    def __init__(self, url, key, folder):
        self.url, self.key, self.folder = url, key, folder

    def run(self, *arguments):
        """(exit code, output, error output)"""
        home = {name: str(self.folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        done = subprocess.run([os.environ["PIXLET"], *arguments, "-u", self.url, "-t", self.key],
                              env=os.environ | home, text=True, check=False, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def __call__(self, *arguments):
        code, printed, complaints = self.run(*arguments)
        assert (code, complaints) == (0, ""), (arguments, printed, complaints)
        return printed

    def picture(self, data, name="picture.webp"):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def entries(self, device):
        """{ID: app}, in the order of the rotation."""
        return dict(line.split() for line in self("list", device.id).splitlines())


@pytest.fixture
def pixlet(world, device, tmp_path):
    return Pixlet(world.server.url, device.account.key, tmp_path)


def test_devices(pixlet, device):
    other = device.account.device(name="Desk")
    assert pixlet("devices") == f"{device.id} (Kitchen & Hall)\n{other.id} (Desk)\n"


def test_no_devices(world, tmp_path):
    assert Pixlet(world.server.url, world.account().key, tmp_path)("devices") == ""


def test_push(pixlet, device):
    pixlet("push", device.id, pixlet.picture(FIRST))
    device.shows(FIRST)
    assert pixlet.entries(device) == {} and device.ids() == []


def test_push_to_a_serial_number_and_a_mac_address(pixlet, device):
    for name, picture in ((device.serial, FIRST), (device.mac, SECOND)):
        pixlet("push", name, pixlet.picture(picture))
        device.shows(picture)


def test_push_an_entry(pixlet, device):
    pixlet("push", device.id, pixlet.picture(FIRST), "--installation-id", "weather")
    device.shows(FIRST)
    assert pixlet.entries(device) == {"weather": "pushed"}
    pixlet("push", device.id, pixlet.picture(SECOND), "-i", "weather")
    device.shows(SECOND)
    assert device.ids() == ["weather"]


def test_push_in_the_background(pixlet, device):
    pixlet("push", device.id, pixlet.picture(FIRST), "-i", "first")
    pixlet("push", device.id, pixlet.picture(SECOND), "-i", "second", "--background")
    assert list(pixlet.entries(device)) == device.ids() == ["first", "second"]


def test_list_with_an_app(world, pixlet, device):
    app_id = scene.app(device.account, f"app-{device.id}")
    installed = scene.install(world, device, app_id)
    installed = installed.replace("-", "")
    assert pixlet.entries(device) == {installed: f"app-{device.id}"}
    pixlet("delete", device.id, installed)
    assert pixlet.entries(device) == {} and device.ids() == []


def test_delete(pixlet, device):
    pixlet("push", device.id, pixlet.picture(FIRST), "-i", "weather")
    pixlet("delete", device.id, "weather")
    assert pixlet.entries(device) == {} and device.ids() == []


def test_it_shows_what_is_wrong(world, pixlet, device):
    """It prints the answer's body, in which a person finds the reason."""
    def refused(*arguments, by=pixlet):
        code, printed, complaints = by.run(*arguments)
        assert code != 0 and printed == "", (arguments, printed)
        return complaints

    stranger = Pixlet(world.server.url, new_key(), pixlet.folder)
    assert "the API key is not valid" in refused("devices", by=stranger)
    small = pixlet.picture(images.webp(images.solid(size=(32, 32))), "small.webp")
    assert "image is 32x32 pixels, must be 64x32" in refused("push", device.id, small)
    assert "the device has no such installation" in refused("delete", device.id, "none")
    assert "there is no such device" in refused("list", "none")


def test_what_it_sends(device, tmp_path):
    """Checks that pixlet sends the requests for which /v0 was made, on which the other tests rely."""
    seen = []

    class Recorder(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.path, dict(self.headers), json.loads(body)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Recorder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        pixlet = Pixlet(f"http://127.0.0.1:{server.server_port}", "a-key", tmp_path)
        pixlet("push", device.id, pixlet.picture(FIRST))
        server.shutdown()
    (path, fields, body), = seen
    assert path == f"/v0/devices/{device.id}/push"
    assert fields["Authorization"] == "Bearer a-key" and "Content-Type" not in fields
    assert fields["User-Agent"].startswith("pixlet/")
    assert body == {"deviceID": device.id, "image": images.text(FIRST), "installationID": "",
                    "background": False}
