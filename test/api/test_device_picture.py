"""GET .../picture: the current picture of the panel as WebP, GIF or PNG."""

import io
import itertools
import os
import uuid

import pytest
from panel import Panel
from PIL import Image
from waiting import wait_until
from world import images

TYPES = {"webp": "image/webp", "gif": "image/gif", "png": "image/png"}


def get(device, suffix="", accept=None, **options):
    fields = [("Accept", accept)] if accept is not None else []
    return device.get("/picture" + suffix, fields=fields, **options)


def frames_of(data):
    """(RGB bytes, milliseconds) of each frame, by Pillow."""
    found = []
    with Image.open(io.BytesIO(data)) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            found.append((image.convert("RGB").tobytes(), image.info.get("duration", 0)))
    return found


def pixels(data):
    return frames_of(data)[0][0]


@pytest.fixture
def shown(device):
    """A polling panel and its picture."""
    data = images.png(images.gradient(7))
    assert device.push(data, installationId="x", background=True).ok() == {}
    device.poll()
    return data


def test_formats(world, device, shown):
    """The format follows the suffix or Accept, at each worker."""
    with world.each_worker() as clients:
        for client in clients:
            for name, media_type in TYPES.items():
                for suffix, accept in (("." + name, None), ("." + name, "image/other"), ("", media_type)):
                    answer = client.request("GET", f"{device.path}/picture{suffix}", key=device.account.key,
                                            fields=[("Accept", accept)] if accept else [])
                    assert answer.status == 200 and answer["Content-Type"] == media_type
                    assert ("Vary" in answer) == (suffix == "")
                    assert pixels(answer.body) == pixels(shown) or name == "gif"
                    with Image.open(io.BytesIO(answer.body)) as image:
                        assert image.size == (64, 32) and image.format == name.upper()
    assert images.frames_of(get(device).body) == images.frames_of(device.poll().body)


@pytest.mark.parametrize("accept, media_type", [
    ("*/*", "image/webp"), ("image/*", "image/webp"), ("text/html", "image/webp"), ("", "image/webp"),
    ("image/png", "image/png"), ("image/gif;q=0.9, image/png;q=0.8", "image/gif"),
    ("image/webp;q=0, */*;q=0.1", "image/png"), ("image/png;q=0.5, image/*;q=0.4", "image/png"),
    ("IMAGE/PNG", "image/png"), ("image/webp;q=x, image/gif;q=0.001", "image/gif"),
])
def test_accept(device, shown, accept, media_type):
    assert get(device, accept=accept)["Content-Type"] == media_type


@pytest.mark.parametrize("scale", [2, 3, 16])
@pytest.mark.parametrize("suffix", ["", ".png"])
def test_scale(device, shown, scale, suffix):
    answer = get(device, f"{suffix}?scale={scale}", accept="image/gif")
    assert answer.status == 200 and answer["Content-Type"] == "image/png"
    with Image.open(io.BytesIO(answer.body)) as image, Image.open(io.BytesIO(shown)) as small:
        assert image.size == (64 * scale, 32 * scale)
        large = small.convert("RGB").resize(image.size, Image.NEAREST)
        assert image.convert("RGB").tobytes() == large.tobytes()


def test_leds(device):
    assert device.push(images.png(images.solid((200, 100, 40))), installationId="x", background=True).ok() == {}
    device.poll()
    with Image.open(io.BytesIO(get(device, "?scale=16&look=led").body)) as image:
        assert image.getpixel((8, 8)) == (200, 100, 40) and image.getpixel((0, 0)) == (0, 0, 0)
        assert image.getpixel((16 * 9 + 8, 16 * 31 + 8)) == (200, 100, 40)
        assert image.getpixel((1024 - 1, 512 - 1)) == (0, 0, 0)


@pytest.mark.parametrize("query, reason", [
    ("?scale=1", "scale must be an integer from 2 to 16"), ("?scale=17", "scale must be an integer from 2 to 16"),
    ("?scale=", "scale must be an integer from 2 to 16"), ("?scale=2.0", "scale must be an integer from 2 to 16"),
    ("?scale=-2", "scale must be an integer from 2 to 16"), ("?scale=x", "scale must be an integer from 2 to 16"),
    ("?look=led", "look needs scale"), ("?scale=4&look=LED", "look must be led"),
    (".gif?scale=4", "scale is only for a PNG"), (".webp?scale=4", "scale is only for a PNG"),
])
def test_faults_of_the_query(device, shown, query, reason):
    assert get(device, query).problem(400)["detail"] == reason


def test_an_animation(device):
    """A GIF has all frames, a PNG the first."""
    frames = [images.solid((10 * number, 255 - 10 * number, 7)) for number in range(12)]
    assert device.push(images.gif(frames, 130), installationId="x", background=True).ok() == {}
    device.poll()
    told = frames_of(get(device, ".gif").body)
    assert [(data[:3], duration) for data, duration in told] == [
        (bytes(frame.getpixel((0, 0))[:3]), 130) for frame in frames]
    assert pixels(get(device, ".png").body)[:3] == told[0][0][:3]
    assert len(frames_of(get(device, ".webp").body)) == 12


def test_a_long_animation(device):
    """A long animation is sent in portions, and not converted if the client already has it."""
    frames = [images.noise(number).quantize(16).convert("RGB") for number in range(80)]
    assert device.push(images.gif(frames), installationId="x", background=True).ok() == {}
    device.poll()
    answer = get(device, ".gif")
    assert len(answer.body) > 64 * 1024 and answer["Transfer-Encoding"] == "chunked"
    assert len(frames_of(answer.body)) == 80
    for method in ("GET", "HEAD"):
        known = device.account.request(method, device.path + "/picture.gif",
                                       fields=[("If-None-Match", answer["ETag"])])
        assert known.status == 304 and known["ETag"] == answer["ETag"]
    assert device.account.request("HEAD", device.path + "/picture.gif").status == 200


def test_a_tag(device, shown):
    for suffix in ("", ".gif", ".png", ".png?scale=2"):
        tag = get(device, suffix)["ETag"]
        answer = device.get("/picture" + suffix, fields=[("If-None-Match", tag)])
        assert answer.status == 304 and answer.body == b""
    assert device.account.request("HEAD", device.path + "/picture").status == 200
    tags = {get(device, suffix)["ETag"] for suffix in (
        ".webp", ".gif", ".png", ".png?scale=2", ".png?scale=3", ".png?scale=2&look=led")}
    assert len(tags) == 6
    assert device.push(images.png(images.solid((1, 2, 3))), duration=45).ok() == {}
    device.poll()
    assert device.get("/picture", fields=[("If-None-Match", tag)]).status == 200


def test_a_panel_on_a_web_socket(world, device):
    """Another worker may have the panel, and is asked."""
    red, blue = images.png(images.solid((255, 0, 0))), images.png(images.solid((0, 0, 255)))
    assert device.push(red, installationId="x", background=True).ok() == {}
    with world.each_worker() as clients, Panel(world.server, device) as panel:
        panel.wait_for_picture()

        def seen(client):
            answer = client.request("GET", device.path + "/picture.png", key=device.account.key)
            return pixels(answer.body) if answer.status == 200 else None

        for client in clients:
            wait_until(lambda c=client: seen(c) == pixels(red), "the picture")
        assert device.push(blue, hold=True).ok() == {}
        panel.wait_for_picture()
        for client in clients:
            wait_until(lambda c=client: seen(c) == pixels(blue), "the push")


def test_the_last_poll_counts(world, device):
    """The worker that answered the last poll knows the picture; others only know earlier polls."""
    with world.each_worker() as clients:
        for number, (one, other) in enumerate(itertools.islice(itertools.cycle(
                itertools.product(clients, clients)), 16)):
            image = images.png(images.solid((number + 1, 0, 0)))
            assert one.request("POST", device.path + "/push", key=device.account.key, body={
                "image": images.text(image), "hold": True}).status == 200
            assert one.request("GET", f"/d/{device.id}/next?key={device.link_key}").status == 200
            answer = other.request("GET", device.path + "/picture", key=device.account.key)
            assert images.frames_of(answer.body) == images.frames_of(image)


def test_a_dark_panel_is_black(account):
    device = account.device(brightness=0)
    device.poll()
    for suffix in (".webp", ".png", ".gif", ".png?scale=4&look=led"):
        assert set(pixels(get(device, suffix).body)) == {0}


def test_nothing_to_show(device):
    device.poll()
    assert images.frames_of(get(device).body) == images.frames_of(device.poll().body)


def test_an_offline_panel(world, device):
    for _ in range(2):  # by asking the workers, then by the time of its last connection
        assert get(device).problem(404)["detail"] == "the panel is offline and shows nothing"
        world.sql("UPDATE device SET last_online_at = now() - interval '1 hour' WHERE id = %s", device.id)
    assert world.account().get(device.path + "/picture").problem(403)
    assert device.account.get(f"/v1/devices/{uuid.uuid4()}/picture.png").problem(404)
    assert world.request("GET", device.path + "/picture", key="x").problem(401)


@pytest.mark.parametrize("name, left, top", [("nothing-to-show", 33, 16), ("unknown-device", 37, 7)])
def test_letters_of_built_in_pictures(name, left, top):
    """A W of three dots in width looked like an H."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with Image.open(os.path.join(root, "share/picture", f"{name}.png")) as image:
        grey = image.convert("L").crop((left, top, left + 5, top + 5)).tobytes()
    dots = "".join("#" if value > 60 else "." for value in grey)
    assert [dots[at:at + 5] for at in range(0, 25, 5)] == ["#...#", "#...#", "#.#.#", "#.#.#", ".#.#."]
