"""A push whose body is the bytes of the picture, with the other members in the query."""

import urllib.parse

import pytest
from world import images

PICTURES = {"png": images.png(images.noise()), "gif": images.gif(), "webp": images.webp(images.gradient())}


def push(device, data, kind="image/png", query="", **options):
    return device.account.request("POST", f"{device.path}/push{query}", body=data,
                                  fields=[("Content-Type", kind)], **options)


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("media_type", ["image/%s", "IMAGE/%s; q=1", "image/*"])
def test_every_format(device, kind, media_type):
    media_type = media_type % kind if "%" in media_type else media_type
    answer = push(device, PICTURES[kind], media_type)
    assert answer.ok() == {} and answer["Displayd-Shown"]
    device.shows(PICTURES[kind])


def test_the_query_has_the_other_members(world, device):
    query = "?installationId=front%20door+1&background=true&expiresIn=3600&wake=true"
    assert push(device, PICTURES["png"], query=query).ok() == {}
    assert device.ids() == ["front door+1"]
    assert world.sql("SELECT expires_at IS NOT NULL FROM installation WHERE device_id = %s", device.id) == [(True,)]
    # An ID is a text, whatever it looks like.
    for name in "12", "true", "007":
        assert push(device, PICTURES["png"], query="?background=true&installationId=" + name).ok() == {}
    assert device.ids()[1:] == ["12", "true", "007"]
    assert push(device, PICTURES["gif"], "image/gif", "?duration=10&&").ok() == {}
    assert world.sql("SELECT duration_s FROM showing WHERE device_id = %s", device.id) == [(10,)]
    assert push(device, PICTURES["gif"], "image/gif", "?hold=true").ok() == {}
    wide = images.png(images.gradient(size=(128, 64)))
    assert push(device, wide, query="?fit=true").ok() == {}
    assert list(push(device, wide, query="?fit=false").faults()) == ["/image"]


@pytest.mark.parametrize("query, faults", [
    ("?duration=7", ["/duration"]), ("?duration=ten", ["/duration"]), ("?duration=05", ["/duration"]),
    ("?background=yes&installationId=a", ["/background"]), ("?wake=1", ["/wake"]), ("?wake", ["/wake"]),
    ("?expiresIn=3600", ["/expiresIn"]), ("?instalationId=a", ["/instalationId"]), ("?installationId=", ["/installationId"]),
    ("?installationId=a%2Fb&duration=true", ["/installationId", "/duration"]),
    ("?hold=true&duration=5", ["/duration"]), ("?devices=all", ["/devices"])])
def test_faults_name_the_members(device, query, faults):
    if faults == ["/installationId", "/duration"]:  # a duration is not looked at with an ID
        faults = ["/installationId"]
    assert list(push(device, PICTURES["png"], query=query).faults()) == faults


@pytest.mark.parametrize("query", ["?installationId=%zz", "?installationId=%00", "?installationId=%ff", "?duration=5&duration=5",
                                   "?image=x", "?%69mage=x"])
def test_a_malformed_query(device, query):
    assert push(device, PICTURES["png"], query=query).problem(400)["code"] == "parameter_invalid"


@pytest.mark.parametrize("data, kind, words", [
    (PICTURES["png"], "image/gif", "its Content-Type says image/gif"), (PICTURES["png"], "image/jpeg", "image/png"),
    (b"", "image/png", "is empty"), (b"<svg/>", "image/svg+xml", "PNG, GIF"), (b"GIF89a", "image/gif", "truncated"),
    (images.png_of_size(images.INPUT_MAX_BYTES + 1), "image/png", f"{images.INPUT_MAX_BYTES + 1} bytes")])
def test_what_is_no_picture(device, data, kind, words):
    faults = push(device, data, kind).faults()
    assert list(faults) == ["/image"] and words in faults["/image"]


def test_base64_is_no_picture(device):
    """Also if it was just pushed."""
    text = images.text(PICTURES["png"])
    assert device.push(PICTURES["png"]).ok() == {}
    assert list(push(device, text.encode()).faults()) == ["/image"]


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "text/plain", "application/octet-stream", "image/", "image",
                                  "imagine/png"])
def test_other_types(device, kind):
    problem = push(device, PICTURES["png"], kind).problem(415)
    assert problem["code"] == "type_unsupported" and "image/png" in problem["detail"]


def test_the_largest_and_beyond(device):
    assert push(device, images.png_of_size(images.INPUT_MAX_BYTES)).ok() == {}
    push(device, bytes(2 << 20)).problem(413)


def test_only_a_push_to_a_device_takes_bytes(account, device):
    for path in "/v1/push", f"{device.path}/message", f"/v0/devices/{device.id}/push":
        answer = account.request("POST", path, body=PICTURES["png"], fields=[("Content-Type", "image/png")])
        assert answer.status in (400, 415)


def test_json_ignores_the_query(device):
    path = f"{device.path}/push?" + urllib.parse.urlencode({"installationId": "a", "duration": "x"})
    assert device.account.post(path, {"image": images.text(PICTURES["png"])}).ok() == {}
    assert device.ids() == []
