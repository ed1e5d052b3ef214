"""Panels of 128x64: pictures of both sizes, on panels of both."""

import base64
import io

import pytest
from devices import add, panel_of, path_of, poll_answer
from live import own_device
from PIL import Image

SMALL, WIDE = (64, 32), (128, 64)
TOO_WIDE = 'image is 128x64 pixels, must be 64x32 for this panel: send that, or "fit": true'


def pattern(size, step=0):
    """Pixels of which each has a colour of its own."""
    image = Image.new("RGB", size)
    image.putdata([(2 * x % 256, 4 * y % 256, (x + 3 * y + 17 * step) % 256) for y in range(size[1]) for x in range(size[0])])
    return image


def doubled(image):
    return image.resize(WIDE, Image.NEAREST)


def halved(image):
    """The lower right pixel of each square."""
    squares = ((2 * x + 1, 2 * y + 1) for y in range(32) for x in range(64))
    return Image.frombytes("RGB", SMALL, b"".join(bytes(image.getpixel(square)) for square in squares))


def encoded(images, kind="PNG"):
    file = io.BytesIO()
    options = {"lossless": True} if kind == "WEBP" else {}
    if len(images) > 1:
        options.update(save_all=True, append_images=images[1:], duration=200, loop=0)
    images[0].save(file, kind, **options)
    return base64.b64encode(file.getvalue()).decode()


def frames(data):
    image = Image.open(io.BytesIO(data))
    found = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        found.append(image.convert("RGB"))
    return found


def same(found, wanted):
    return [(one.size, one.tobytes()) for one in found] == [(one.size, one.tobytes()) for one in wanted]


def gets(panel, wanted):
    panel.wait_for(lambda: panel.pictures and same(frames(panel.pictures[-1]), wanted))


@pytest.fixture
def made(browser):
    return add(browser)


@pytest.fixture
def wide(browser, made):
    assert browser.patch(path_of(made["device"]), {"size": "128x64"}).ok()["size"] == "128x64"
    return made


def test_the_setting(browser, made):
    path = path_of(made["device"])
    assert browser.get(path).ok()["size"] == "64x32"
    browser.patch(path, {"board": "tronbyt_s3_wide"}).ok()
    assert browser.get(path).ok()["size"] == "64x32"
    for wrong in ("", "64x64", "128x64 ", "128X64", 128, None, [128, 64]):
        assert set(browser.patch(path, {"size": wrong}).faults()) == {"/size"}, wrong
    for size in ("128x64", "64x32"):
        assert browser.patch(path, {"size": size}).ok()["size"] == size
        assert browser.get(path).ok()["size"] == size


def pictures(kind, count=1):
    """A picture of each size, of so many frames; GIF has 256 colours."""
    made = []
    for size in (SMALL, WIDE):
        images = [pattern(size, step) for step in range(count)]
        if kind == "GIF":
            images = [image.quantize(64, dither=Image.NONE).convert("RGB") for image in images]
        made.append(images)
    return made


@pytest.mark.parametrize("kind, count", [("PNG", 1), ("WEBP", 1), ("WEBP", 3), ("GIF", 1), ("GIF", 3)])
def test_pushes_of_both_sizes(world, browser, made, kind, count):
    """Each size on each panel, exact in each pixel of each frame: by WebSocket, by polling, by GET picture."""
    path = path_of(made["device"])
    small, large = pictures(kind, count)
    with panel_of(world, made) as panel:
        browser.post(path + "/push", {"image": encoded(small, kind), "installationId": "a"}).ok()
        gets(panel, small)
        assert browser.post(path + "/push", {"image": encoded(large, kind), "installationId": "a"}).faults() == {"/image": TOO_WIDE}
        assert browser.post(path + "/push", {"image": encoded(large, kind), "fit": False}).faults() == {"/image": TOO_WIDE}
        browser.post(path + "/push", {"image": encoded(large, kind), "installationId": "a", "fit": True}).ok()
        gets(panel, [halved(image) for image in large])
    browser.patch(path, {"size": "128x64"}).ok()
    with panel_of(world, made) as panel:
        for body in ({}, {"fit": True}, {"fit": False}):
            browser.post(path + "/push", {"image": encoded(large, kind), "installationId": "a", **body}).ok()
            gets(panel, large)
            browser.post(path + "/push", {"image": encoded(small, kind), "installationId": "a", **body}).ok()
            gets(panel, [doubled(image) for image in small])
    assert same(frames(poll_answer(world, made["link"]).body), [doubled(image) for image in small])


def test_the_wrong_fit(browser, made):
    for wrong in (None, 1, "true", []):
        body = {"image": encoded([pattern(WIDE)]), "fit": wrong}
        assert "/fit" in browser.post(path_of(made["device"]) + "/push", body).faults()


def test_other_sizes_and_other_faults(browser, made, wide):
    path = path_of(made["device"]) + "/push"
    for size in ((32, 16), (128, 32), (64, 64), (256, 128), (127, 64)):
        found = browser.post(path, {"image": encoded([pattern(size)]), "fit": True}).faults()
        assert found == {"/image": f"image is {size[0]}x{size[1]} pixels, must be 64x32"}
    browser.patch(path_of(made["device"]), {"size": "64x32"}).ok()
    assert set(browser.post(path, {"image": encoded([pattern(WIDE)]), "duration": 7}).faults()) == {"/image", "/duration"}


def test_the_limit_of_the_board_is_that_of_what_it_gets(browser, made, wide):
    """Noise fills 60,000 bytes in 9 frames of 64x32: doubled it takes more."""
    path = path_of(made["device"])
    noise = [Image.effect_noise(SMALL, 200).convert("RGB") for _ in range(9)]
    many = [Image.merge("RGB", [Image.effect_noise(SMALL, 200) for _ in range(3)]) for _ in range(9)]
    browser.patch(path, {"pictureLimitBytes": 60000}).ok()
    browser.post(path + "/push", {"image": encoded(noise[:1], "WEBP")}).ok()
    found = browser.post(path + "/push", {"image": encoded(many, "WEBP")})
    assert "maximum 60000 for the device's board" in found.faults()["/image"]


def test_what_is_made_for_a_panel_has_the_limit_of_its_board(world, browser, made):
    """A lossy animation grows in the colours of a filter, as one that is doubled does: its beginning is shown."""
    path = path_of(made["device"])
    noise = [Image.merge("RGB", [Image.effect_noise(SMALL, 200) for _ in range(3)]) for _ in range(40)]
    file = io.BytesIO()
    noise[0].save(file, "WEBP", quality=10, save_all=True, append_images=noise[1:], duration=200)
    browser.patch(path, {"pictureLimitBytes": 60000}).ok()
    browser.post(path + "/push", {"image": base64.b64encode(file.getvalue()).decode(), "installationId": "a"}).ok()

    def whole(panel):
        count = len(frames(panel.pictures[-1])) if panel.pictures else 0
        return count == 40

    with panel_of(world, made) as panel:
        panel.wait_for(lambda: whole(panel))
        before = panel.pictures[-1]
        for change, size in (({"colorFilter": "sepia"}, SMALL), ({"colorFilter": "none", "size": "128x64"}, WIDE)):
            browser.patch(path, change).ok()
            panel.wait_for(lambda: panel.pictures[-1] != before)  # noqa: B023
            before = panel.pictures[-1]
            found = frames(before)
            assert found[0].size == size and 1 < len(found) < 40
            assert 40000 < len(before) <= 60000
        browser.patch(path, {"pictureLimitBytes": 460000}).ok()
        panel.wait_for(lambda: len(panel.pictures[-1]) > 60000)
        assert len(frames(panel.pictures[-1])) > len(found)
    polled = poll_answer(world, made["link"]).body
    assert polled == panel.pictures[-1]


def test_one_picture_for_panels_of_both_sizes(world, person):
    browser = person.browser()
    devices = [own_device(world, person) for _ in range(4)]
    for device in devices[1::2]:
        browser.patch(f"/web/devices/{device.id}", {"size": "128x64"}).ok()

    def push(image, **members):
        body = {"image": encoded([image]), "devices": [device.id for device in devices], **members}
        return world.request("POST", "/v1/push", key=person.key(), body=body).ok()["devices"]

    small, large = pattern(SMALL), pattern(WIDE)
    assert [one["status"] for one in push(small)] == [200] * 4
    for number, device in enumerate(devices):
        assert same(frames(device.poll().body), [doubled(small) if number % 2 else small])
    found = push(large)
    assert [one["status"] for one in found] == [400, 200, 400, 200]
    assert found[0]["detail"] == "image " + TOO_WIDE.partition(" ")[2] and found[0]["code"] == "body_invalid"
    assert [one["status"] for one in push(large, fit=True)] == [200] * 4
    for number, device in enumerate(devices):
        assert same(frames(device.poll().body), [large if number % 2 else halved(large)])


def test_get_picture(world, person):
    browser, device = person.browser(), own_device(world, person)
    small = pattern(SMALL)
    device.push(base64.b64decode(encoded([small])), installationId="a", background=True).ok()
    assert same(frames(device.poll().body), [small])
    before = device.get("/picture.webp")
    browser.patch(f"/web/devices/{device.id}", {"size": "128x64"}).ok()
    assert same(frames(device.poll().body), [doubled(small)])
    for name in ("webp", "png"):
        found = device.get("/picture." + name)
        assert same(frames(found.body), [doubled(small)])
        assert found["ETag"] != before["ETag"]
    assert frames(device.get("/picture.gif").body)[0].size == WIDE
    assert frames(device.get("/picture.png?scale=4").body)[0].size == (512, 256)


def test_nothing_to_show(world, browser, made):
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures)
        small, = frames(panel.pictures[-1])
        assert small.size == SMALL
        browser.patch(path, {"size": "128x64"}).ok()
        gets(panel, [doubled(small)])
        browser.patch(path, {"size": "64x32"}).ok()
        gets(panel, [small])
    browser.patch(path, {"size": "128x64"}).ok()
    assert same(frames(poll_answer(world, made["link"]).body), [doubled(small)])


def test_a_change_of_the_size_loses_no_picture(world, browser, made):
    """What was pushed is doubled and halved when it is shown, and is again as it was."""
    path = path_of(made["device"])
    small, large = pattern(SMALL), pattern(WIDE, 5)
    browser.post(path + "/push", {"image": encoded([small]), "installationId": "a"}).ok()
    browser.patch(path + "/rotation/a", {"isPinned": True}).ok()
    with panel_of(world, made) as panel:
        gets(panel, [small])
        for _ in range(2):
            browser.patch(path, {"size": "128x64"}).ok()
            gets(panel, [doubled(small)])
            browser.patch(path, {"size": "64x32"}).ok()
            gets(panel, [small])
        browser.patch(path, {"size": "128x64"}).ok()
        browser.post(path + "/push", {"image": encoded([large]), "hold": True}).ok()
        gets(panel, [large])
        browser.patch(path, {"size": "64x32"}).ok()
        gets(panel, [halved(large)])
        browser.patch(path, {"size": "128x64"}).ok()
        gets(panel, [large])


def test_filters_and_dimmed_pixels_of_a_wide_panel(world, browser, made, wide):
    path = path_of(made["device"])
    grey = Image.new("RGB", SMALL, (200, 100, 40))
    browser.post(path + "/push", {"image": encoded([grey]), "installationId": "a"}).ok()
    with panel_of(world, made) as panel:
        gets(panel, [doubled(grey)])
        browser.patch(path, {"colorFilter": "dimmed"}).ok()
        gets(panel, [Image.new("RGB", WIDE, (50, 25, 10))])
        browser.patch(path, {"colorFilter": "none", "board": "other", "brightness": 10}).ok()
        gets(panel, [Image.new("RGB", WIDE, (100, 50, 20))])


def test_followers_of_another_size(world, person):
    browser = person.browser()
    leader, follower = own_device(world, person), own_device(world, person)
    small, large = pattern(SMALL), pattern(WIDE)
    follower.account.request("PUT", f"/v1/devices/{follower.id}/leader", body={"leader": leader.id}, key=person.key()).ok()
    browser.patch(f"/web/devices/{follower.id}", {"size": "128x64"}).ok()
    leader.push(base64.b64decode(encoded([small])), installationId="a", background=True).ok()
    assert same(frames(leader.poll().body), [small])
    assert same(frames(follower.poll().body), [doubled(small)])
    browser.patch(f"/web/devices/{leader.id}", {"size": "128x64"}).ok()
    browser.patch(f"/web/devices/{follower.id}", {"size": "64x32"}).ok()
    leader.push(base64.b64decode(encoded([large])), installationId="a", background=True).ok()
    assert same(frames(leader.poll().body), [large])
    assert same(frames(follower.poll().body), [halved(large)])


def noise_of(count, size=SMALL):
    """A lossless animation of about 6.5 KB a frame of 64x32, four times that for a wide one."""
    images = [Image.merge("RGB", [Image.effect_noise(size, 200) for _ in range(3)]) for _ in range(count)]
    return images, base64.b64decode(encoded(images, "WEBP"))


def test_a_follower_takes_smaller_pictures_than_its_leader(world, person):
    """In whatever order the two are changed; also of another size. A picture that fits stays as it is."""
    browser = person.browser()
    leader, follower, other = (own_device(world, person) for _ in range(3))

    def change(device, **members):
        browser.patch(f"/web/devices/{device.id}", members).ok()

    change(follower, pictureLimitBytes=60000)
    for one in (follower, other):
        body = {"leader": leader.id}
        one.account.request("PUT", f"/v1/devices/{one.id}/leader", body=body, key=person.key()).ok()
    change(leader, pictureLimitBytes=220000)
    images, data = noise_of(20)
    leader.push(data, installationId="a", background=True).ok()
    assert leader.poll().body == other.poll().body == data and 100000 < len(data) < 220000
    cut = follower.poll().body
    count = len(frames(cut))
    assert 50000 < len(cut) <= 60000 and same(frames(cut), images[:count])
    change(other, pictureLimitBytes=60000)
    assert other.poll().body == cut
    change(other, size="128x64")
    wide = frames(other.poll().body)
    assert len(other.poll().body) <= 60000 and same(wide, [doubled(image) for image in images[:len(wide)]])
    change(follower, pictureLimitBytes=220000)
    assert follower.poll().body == data
    change(leader, size="128x64")
    images, data = noise_of(5, WIDE)
    leader.push(data, installationId="a", background=True).ok()
    assert leader.poll().body == data
    found = frames(follower.poll().body)
    assert same(found, [halved(image) for image in images])
    change(follower, pictureLimitBytes=60000)
    assert follower.poll().body and same(frames(follower.poll().body), found)
    for one in (leader, follower, other):
        polled = one.poll().body
        answer = one.get("/picture.webp", key=person.key())
        assert answer.status == 200 and answer.body == polled, (one.id, answer)
    wide = frames(other.poll().body)
    assert len(other.poll().body) <= 60000 and same(wide, images[:len(wide)])


def test_pushes_before_a_smaller_limit(world, browser, made):
    """A device's own pictures are cut, too, and come back whole."""
    path = path_of(made["device"])
    images, data = noise_of(20)
    browser.post(path + "/push", {"image": base64.b64encode(data).decode(), "installationId": "a"}).ok()
    assert poll_answer(world, made["link"]).body == data
    browser.patch(path, {"pictureLimitBytes": 60000}).ok()
    cut = poll_answer(world, made["link"]).body
    assert len(cut) <= 60000 and same(frames(cut), images[:len(frames(cut))])
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures and panel.pictures[-1] == cut)
        browser.patch(path, {"pictureLimitBytes": 460000}).ok()
        panel.wait_for(lambda: panel.pictures[-1] == data)
