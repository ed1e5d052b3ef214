"""How bodies are read: strictly, and with all faults at once."""

import json

import pytest
from world import images

IMAGE = images.text(images.png())
GOOD = {"image": IMAGE}


def body(**members):
    return {"image": IMAGE, **members}


@pytest.mark.parametrize("text", [
    b"", b" ", b"{", b"{}x", b"{} {}", b"{},", b"[1,]", b'{"a":1,}', b"{'a':1}", b"{a:1}",
    b'{"a":01}', b'{"a":+1}', b'{"a":.5}', b'{"a":1.}', b'{"a":NaN}', b'{"a":Infinity}',
    b'{"a":-Infinity}', b'{"a":1e999}', b'{"a":0x10}', b"nul", b"True", b'"\t"', b'"\\x"', b'"\\u12"',
    b"\xef\xbb\xbf{}", b"{}\0", b"\0", b"// c\n{}", b"/* c */{}", b'{"a":"\xff"}',
    b'{"\xc3":1}', b'{"a":"\xed\xa0\x80"}', b'{"a":"\xc0\x80"}', b'{"a":"\xf4\x90\x80\x80"}',
    b'{"a":"\\ud800"}', b'{"a":"\\udc00\\ud800"}', b'{"a":"\\ud800x"}', b'{"\\udfff":1}',
    "{}".encode("utf-16"), b"\x0b{}", b"\xc2\xa0{}", b'{"a"}', b'{"a":}', b'"unclosed',
], ids=repr)
def test_not_json(device, text):
    answer = device.push_body(text)
    assert "errors" not in answer.problem(400)


@pytest.mark.parametrize("text", [
    '{"image":"a","image":"a"}', '{"a":1,"a":1}', '{"a":1,"\\u0061":1}',
    '{"duration":{"a":1,"a":2}}', '{"duration":[[{"x":[{"a":1,"b":2,"a":3}]}]]}',
    '{"":1,"":2}', '{"a":1,' + ",".join(f'"{n}":0' for n in range(1000)) + ',"a":1}',
    '{"' + "n" * 200 + '":1,"' + "n" * 200 + '":1}',
])
def test_repeated_name(device, text):
    assert "repeat" in device.push_body(text.encode()).problem(400)["detail"]


def test_same_name_in_different_objects(device):
    ignored = [{"a": {"a": 1}}, {"a": [{"a": 2}]}]
    assert device.push_body(body(installationId="x", duration=ignored)).status == 200


def nested(depth, opening="[", closing="]"):
    """A body whose deepest array or object is at that level; the body itself is level 1."""
    inner = opening * (depth - 1) + closing * (depth - 1)
    return (json.dumps(body(installationId="x"))[:-1] + ',"duration":' + inner + "}").encode()


def test_nesting(device):
    assert device.push_body(nested(32)).status == 200
    assert "deep" in device.push_body(nested(33)).problem(400)["detail"]
    device.push_body(nested(400000)).problem(400)
    objects = b'{"image":"' + IMAGE.encode() + b'","installationId":"x","duration":'
    assert device.push_body(objects + b'{"a":' * 30 + b"{}" + b"}" * 31).status == 200
    device.push_body(objects + b'{"a":' * 31 + b"{}" + b"}" * 32).problem(400)


def test_as_many_values_as_a_body_holds(device):
    """More than any body needs are refused before they are looked at."""
    few = b"{" + b",".join(b'"%x":0' % n for n in range(4000)) + b"}"
    assert "more" not in device.push_body(few).problem(400)["detail"]
    many = b",".join(b'"%x":0' % n for n in range(100000))
    assert len(many) < 1024 * 1024
    device.push_body(b"{" + many + b"}").problem(400)
    device.push_body(b"[" + b"{}," * 300000 + b"0]").problem(400)
    device.push_body(b'{"duration":[' + b"0," * 500000 + b"0]}").problem(400)


@pytest.mark.parametrize("text", [b"[]", b"1", b'"x"', b"null", b"true", b"[{}]"])
def test_not_an_object(device, text):
    assert device.push_body(text).faults() == {"": "must be a JSON object"}


def test_empty_object(device):
    assert device.push_body({}).faults() == {"/image": "is required"}


@pytest.mark.parametrize("text", [b" \t\r\n{%s}\n\r\t ", b"{ \n %s \n }"])
def test_white_space(device, text):
    assert device.push_body(text % (b'"image":"' + IMAGE.encode() + b'"')).status == 200


def test_escapes_in_names_and_values(device):
    text = '{"\\u0069mage":"' + "".join(f"\\u{ord(c):04x}" for c in IMAGE) + '"}'
    assert device.push_body(text.encode()).status == 200
    text = '{"image":"' + IMAGE.replace("/", "\\/") + '"}'
    assert device.push_body(text.encode()).status == 200


def test_unknown_fields(device):
    faults = device.push_body({"image": IMAGE, "Image": 1, "a/b~c": 2, "": 3, "\u00e9\0": 4,
                               "x" * 1000: 5}).faults()
    unknown = "is not a known field"
    assert faults == {"/Image": unknown, "/a~1b~0c": unknown, "/": unknown, "/\u00e9\0": unknown,
                      "": "has an unknown field"}


def test_null_is_no_value(device):
    faults = device.push_body({"image": None, "duration": None}).faults()
    assert set(faults) == {"/image", "/duration"}
    faults = device.push_body({"image": None, "installationId": None,
                               "background": None}).faults()
    assert set(faults) == {"/image", "/installationId", "/background"}


@pytest.mark.parametrize("kind, status", [
    ("application/json", 200), ("Application/JSON", 200), ("application/json; charset=utf-8", 200),
    ("application/json;charset=UTF-8", 200), ("application/json ; a=b; c=\"d;e\"", 200),
    ("text/json", 415), ("application/jsonx", 415), ("application/json, text/plain", 415),
    ("application/problem+json", 415), ("application/x-www-form-urlencoded", 415),
    ("json", 415), ("", 415), ("*/*", 415), (None, 415),
])
def test_content_type(device, kind, status):
    answer = device.push_body(GOOD, fields=[("Content-Type", kind)])
    assert answer.status == status


def test_more_than_one_content_type(device):
    """Neither field counts if there are two."""
    for second in ("application/json", "text/plain"):
        device.push_body(GOOD, fields=[("Content-Type", "application/json"),
                                       ("Content-Type", second)]).problem(415)


@pytest.mark.parametrize("chunked", [False, True])
def test_body_size(device, chunked):
    """1 MiB is taken, one byte more is not."""
    text = json.dumps(GOOD).encode()
    most = text + b" " * (1024 * 1024 - len(text))
    assert device.push_body(most, chunked=chunked).status == 200
    answer = device.push_body(most + b" ", chunked=chunked)
    assert str(1024 * 1024) in answer.problem(413)["detail"]


def test_body_size_is_known_before_the_body(world, account, device):
    """Refused by its Content-Length: no byte of it was sent."""
    with world.client() as client:
        answer = client.request("POST", device.path + "/push", key=account.key, body=b"",
                                fields=[("Content-Length", "1048577")])
        answer.problem(413)


def test_expect_continue(world, account, device):
    with world.client() as client:
        text = json.dumps(GOOD).encode()
        client.send(b"POST %s/push HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
                    b"%d\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n\r\n"
                    % (device.path.encode(), len(text), account.key.encode()))
        assert client.socket.recv(100).startswith(b"HTTP/1.1 100 ")
        client.buffer = b""
        client.send(text)
        assert client.answer().status == 200
