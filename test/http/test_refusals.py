"""Requests that are refused: one answer, no handler, and the connection ends. After each follows a request
that would be answered if the first one were framed differently."""

import json

import pytest

SMUGGLED = b"GET /stats?smuggled HTTP/1.1\r\nHost: a\r\n\r\n"


def get(*lines, first="GET /hello HTTP/1.1", host="Host: a"):
    return "\r\n".join([first, *([host] if host else []), *lines, "", ""]).encode("latin-1")


def post(*lines, body=b""):
    return get(*lines, first="POST /echo HTTP/1.1") + body


def chunked(body):
    return post("Transfer-Encoding: chunked", body=body)


HEADS = {
    # RFC 9112 section 3.2: Host
    "no host": (400, get(host=None)),
    "two hosts": (400, get("Host: a")),
    "two hosts 1.0": (400, get("Host: b", first="GET / HTTP/1.0")),
    "two hosts in case": (400, get("HOST: a")),
    "empty host": (400, get(host="Host:")),
    "empty host with space": (400, get(host="Host:  ")),
    "host list": (400, get(host="Host: a, b")),
    "host list without space": (400, get(host="Host: a,a")),
    "host with space": (400, get(host="Host: a b")),
    "host with userinfo": (400, get(host="Host: u@a")),
    "host with path": (400, get(host="Host: a/b")),
    "host with bad port": (400, get(host="Host: a:b")),
    "host with big port": (400, get(host="Host: a:65536")),
    "host with huge port": (400, get(host="Host: a:184467440737095516160080")),
    "host with two ports": (400, get(host="Host: a:1:2")),
    "host of only a port": (400, get(host="Host: :80")),
    "host with open bracket": (400, get(host="Host: [::1")),
    "host with bad literal": (400, get(host="Host: [a.b]")),
    "host with junk behind literal": (400, get(host="Host: [::1]a")),
    "host with bad escape": (400, get(host="Host: %4")),
    "host not ascii": (400, get(host="Host: \xe4")),
    "malformed host 1.0": (400, get(first="GET / HTTP/1.0", host="Host: a b")),
    # Versions
    "version 0.9": (400, b"GET /hello\r\n"),
    "version 0.9 with fields": (400, b"GET /hello\r\nHost: a\r\n\r\n"),
    "version 2.0": (505, get(first="GET /hello HTTP/2.0")),
    "version 3.9": (505, get(first="GET /hello HTTP/3.9")),
    "version 0.9 by name": (505, get(first="GET /hello HTTP/0.9")),
    "version 2": (400, get(first="GET /hello HTTP/2")),
    "version 20.1": (400, get(first="GET /hello HTTP/20.1")),
    "version 1.a": (400, get(first="GET /hello HTTP/1.a")),
    "version 1.10": (400, get(first="GET /hello HTTP/1.10")),
    "version 1.": (400, get(first="GET /hello HTTP/1.")),
    "version 01.1": (400, get(first="GET /hello HTTP/01.1")),
    "version in lower case": (400, get(first="GET /hello http/1.1")),
    "version of something else": (400, get(first="GET /hello ICY/1.1")),
    "version of RTSP": (400, get(first="OPTIONS /hello RTSP/1.0")),
    "HTTP/2 preface": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    # Request line
    "two spaces": (400, get(first="GET  /hello HTTP/1.1")),
    "two spaces before version": (400, get(first="GET /hello  HTTP/1.1")),
    "space behind version": (400, get(first="GET /hello HTTP/1.1 ")),
    "space first": (400, get(first=" GET /hello HTTP/1.1")),
    "tab": (400, get(first="GET\t/hello HTTP/1.1")),
    "no method": (400, get(first="/hello HTTP/1.1")),
    "method with colon": (400, get(first="GE:T /hello HTTP/1.1")),
    "method too long": (400, get(first="G" * 33 + " /hello HTTP/1.1")),
    "TLS": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    "unknown method": (501, get(first="BREW /hello HTTP/1.1")),
    "method in lower case": (501, get(first="get /hello HTTP/1.1")),
    "method of RTSP": (501, get(first="DESCRIBE /hello HTTP/1.1")),
    "five empty lines": (400, b"\r\n" * 5 + get()),
    "bare LF first": (400, b"\n" + get()),
    "bare CR first": (400, b"\r" + get()),
    # Targets
    "no target": (400, get(first="GET HTTP/1.1")),
    "star": (400, get(first="GET * HTTP/1.1")),
    "star and more": (400, get(first="OPTIONS *a HTTP/1.1")),
    "fragment": (400, get(first="GET /hello#a HTTP/1.1")),
    "relative": (400, get(first="GET hello HTTP/1.1")),
    "query only": (400, get(first="GET ?a HTTP/1.1")),
    "authority": (400, get(first="GET a:80 HTTP/1.1")),
    "CONNECT": (400, get(first="CONNECT a:80 HTTP/1.1")),
    "CONNECT to a path": (400, get(first="CONNECT /hello HTTP/1.1")),
    "absolute with another host": (400, get(first="GET http://b/hello HTTP/1.1")),
    "absolute with another port": (400, get(first="GET http://a:81/hello HTTP/1.1")),
    "absolute with userinfo": (400, get(first="GET http://u@a/hello HTTP/1.1", host="Host: u@a")),
    "absolute without host": (400, get(first="GET http:///hello HTTP/1.1")),
    "absolute of another scheme": (400, get(first="GET ftp://a/hello HTTP/1.1")),
    "absolute without slashes": (400, get(first="GET http:a HTTP/1.1")),
    "target with control": (400, get(first="GET /a\x01b HTTP/1.1")),
    "target with NUL": (400, get(first="GET /a\x00b HTTP/1.1")),
    "target with DEL": (400, get(first="GET /a\x7fb HTTP/1.1")),
    "target not ascii": (400, get(first="GET /\xc3\xa4 HTTP/1.1")),
    "target with tab": (400, get(first="GET /a\tb HTTP/1.1")),
    "target with LF": (400, get(first="GET /a\nb HTTP/1.1")),
    "target with CR": (400, get(first="GET /a\rb HTTP/1.1")),
    # Line ends
    "bare LF behind target": (400, b"GET /hello\nHost: a\r\n\r\n"),
    "bare LF behind version": (400, b"GET /hello HTTP/1.1\nHost: a\r\n\r\n"),
    "bare CR behind version": (400, b"GET /hello HTTP/1.1\rHost: a\r\n\r\n"),
    "CR CR LF": (400, b"GET /hello HTTP/1.1\r\r\nHost: a\r\n\r\n"),
    "bare LF behind field": (400, b"GET /hello HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
    "bare LF at the end": (400, b"GET /hello HTTP/1.1\r\nHost: a\r\n\n"),
    "LF LF": (400, b"GET /hello HTTP/1.1\r\nHost: a\n\n"),
    "bare CR in value": (400, get("X: a\rb")),
    "bare CR at the end": (400, b"GET /hello HTTP/1.1\r\nHost: a\r\n\rX"),
    # Fields
    "obs-fold": (400, get("X: a", " b")),
    "obs-fold with tab": (400, get("X: a", "\tb")),
    "fold of the first": (400, get(host=" Host: a")),
    "space before colon": (400, get("X : a")),
    "space before colon of length": (400, post("Content-Length : 5", body=b"hello")),
    "tab before colon": (400, get("X\t: a")),
    "empty name": (400, get(": a")),
    "no colon": (400, get("X")),
    "name with slash": (400, get("a/b: c")),
    "name with control": (400, get("a\x01b: c")),
    "name not ascii": (400, get("\xe4: c")),
    "name with parentheses": (400, get("a(b): c")),
    "value with NUL": (400, get("X: a\x00b")),
    "value with BEL": (400, get("X: a\x07b")),
    "value with VT": (400, get("X: a\x0bb")),
    "value with ESC": (400, get("X: a\x1bb")),
    "value with DEL": (400, get("X: a\x7fb")),
    # Limits
    "target too long": (414, get(first="GET /" + "a" * 8192 + " HTTP/1.1")),
    "head too large": (431, get("X: " + "a" * 16384)),
    "head too large by many": (431, get(*["X: " + "a" * 500] * 40)),
    "too many fields": (431, get(*["X: a"] * 100)),
    # RFC 9112 section 6: framing
    "length twice": (400, post("Content-Length: 5", "Content-Length: 5", body=b"hello")),
    "lengths differ": (400, post("Content-Length: 5", "content-length: 6", body=b"hello")),
    "length list": (400, post("Content-Length: 5, 5", body=b"hello")),
    "length empty": (400, post("Content-Length:")),
    "length signed": (400, post("Content-Length: +5", body=b"hello")),
    "length negative": (400, post("Content-Length: -5", body=b"hello")),
    "length hexadecimal": (400, post("Content-Length: 0x5", body=b"hello")),
    "length with space": (400, post("Content-Length: 5 5", body=b"hello")),
    "length fractional": (400, post("Content-Length: 5.0", body=b"hello")),
    "length quoted": (400, post('Content-Length: "5"', body=b"hello")),
    "length with junk": (400, post("Content-Length: 5a", body=b"hello")),
    "length over 64 bits": (400, post("Content-Length: 18446744073709551621", body=b"hello")),
    "length of 64 bits": (400, post("Content-Length: 18446744073709551615", body=b"hello")),
    "length not ascii": (400, post("Content-Length: \xb2", body=b"hello")),
    "length and coding": (
        400,
        post("Content-Length: 5", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    ),
    "coding and length": (
        400,
        post("Transfer-Encoding: chunked", "Content-Length: 5", body=b"0\r\n\r\n"),
    ),
    "coding twice": (400, post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")),
    "coding twice in a list": (400, post("Transfer-Encoding: chunked, chunked")),
    "coding identity": (400, post("Transfer-Encoding: identity")),
    "coding gzip": (400, post("Transfer-Encoding: gzip")),
    "coding gzip, chunked": (400, post("Transfer-Encoding: gzip, chunked")),
    "coding chunked, gzip": (400, post("Transfer-Encoding: chunked, gzip")),
    "coding empty": (400, post("Transfer-Encoding:")),
    "coding of commas": (400, post("Transfer-Encoding: ,chunked")),
    "coding quoted": (400, post('Transfer-Encoding: "chunked"')),
    "coding with parameter": (400, post("Transfer-Encoding: chunked;q=1")),
    "coding with VT": (400, post("Transfer-Encoding: \x0bchunked")),
    "coding with junk": (400, post("Transfer-Encoding: chunked foo")),
    "coding unknown": (501, post("Transfer-Encoding: xchunked")),
    "coding unknown, chunked": (501, post("Transfer-Encoding: foo, chunked")),
    "coding with 1.0": (
        400,
        get("Transfer-Encoding: chunked", first="POST /echo HTTP/1.0") + b"0\r\n\r\n",
    ),
    # RFC 9110 section 10.1.1
    "expectation": (417, post("Expect: 200-ok", "Content-Length: 5", body=b"hello")),
    "expectation list": (417, post("Expect: 100-continue, x", "Content-Length: 5", body=b"hello")),
    "expectation twice": (400, post("Expect: 100-continue", "Expect: 100-continue")),
}

# RFC 9112 section 7.1. The handler is called, and learns that the body is invalid.
BODIES = {
    "size not hexadecimal": b"g\r\nhello\r\n0\r\n\r\n",
    "size empty": b"\r\nhello\r\n0\r\n\r\n",
    "size with prefix": b"0x5\r\nhello\r\n0\r\n\r\n",
    "size negative": b"-5\r\nhello\r\n0\r\n\r\n",
    "size signed": b"+5\r\nhello\r\n0\r\n\r\n",
    "size with space first": b" 5\r\nhello\r\n0\r\n\r\n",
    "size with space behind": b"5 \r\nhello\r\n0\r\n\r\n",
    "size with tab behind": b"5\t\r\nhello\r\n0\r\n\r\n",
    "size of 65 bits": b"10000000000000005\r\nhello\r\n0\r\n\r\n",
    "size of 64 bits and zeros": b"0" * 300 + b"5\r\nhello\r\n0\r\n\r\n",
    "size with underscore": b"0_5\r\nhello\r\n0\r\n\r\n",
    "bare LF behind size": b"5\nhello\r\n0\r\n\r\n",
    "bare CR behind size": b"5\rhello\r\n0\r\n\r\n",
    "CR CR LF behind size": b"5\r\r\nhello\r\n0\r\n\r\n",
    "bare LF behind data": b"5\r\nhello\n0\r\n\r\n",
    "bare CR behind data": b"5\r\nhello\r0\r\n\r\n",
    "nothing behind data": b"5\r\nhello0\r\n\r\n",
    "too much data": b"5\r\nhello!\r\n0\r\n\r\n",
    "space behind extension": b"5;a \r\nhello\r\n0\r\n\r\n",
    "space without extension": b"5 a\r\nhello\r\n0\r\n\r\n",
    "bare LF in extension": b"5;a\nb\r\nhello\r\n0\r\n\r\n",
    "bare LF in extension value": b"5;a=b\nc\r\nhello\r\n0\r\n\r\n",
    "bare LF in quoted extension": b'5;a="b\nc"\r\nhello\r\n0\r\n\r\n',
    "bare CR in extension": b"5;a\rb\r\nhello\r\n0\r\n\r\n",
    "bare CR in quoted extension": b'5;a="b\rc"\r\nhello\r\n0\r\n\r\n',
    "CR CR LF in extension": b"5;a=b\r\r\nhello\r\n0\r\n\r\n",
    "control in extension": b"5;a=\x01\r\nhello\r\n0\r\n\r\n",
    "high byte in extension": b"5;a=\xe4\r\nhello\r\n0\r\n\r\n",
    "extension too long": b"5;a=" + b"b" * 300 + b"\r\nhello\r\n0\r\n\r\n",
    "extensions too long together": (b"1;a=" + b"b" * 200 + b"\r\nx\r\n") * 100 + b"0\r\n\r\n",
    "bare LF behind last chunk": b"5\r\nhello\r\n0\n\r\n",
    "bare LF at the end": b"5\r\nhello\r\n0\r\n\n",
    "bare CR at the end": b"5\r\nhello\r\n0\r\n\rX",
    "trailer Content-Length": b"5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n",
    "trailer Transfer-Encoding": b"5\r\nhello\r\n0\r\ntransfer-encoding: chunked\r\n\r\n",
    "trailer Host": b"5\r\nhello\r\n0\r\nX: y\r\nHost: b\r\n\r\n",
    "trailer Authorization": b"5\r\nhello\r\n0\r\nAUTHORIZATION: Bearer x\r\n\r\n",
    "trailer Connection": b"5\r\nhello\r\n0\r\nConnection: close\r\n\r\n",
    "trailer Content-Type": b"5\r\nhello\r\n0\r\nContent-Type: a/b\r\n\r\n",
    "trailer with bare LF": b"5\r\nhello\r\n0\r\nX: a\nY: b\r\n\r\n",
    "trailer with bare CR": b"5\r\nhello\r\n0\r\nX: a\rY: b\r\n\r\n",
    "trailer with NUL": b"5\r\nhello\r\n0\r\nX: a\x00b\r\n\r\n",
    "trailer folded": b"5\r\nhello\r\n0\r\nX: a\r\n b\r\n\r\n",
    "trailer folded at first": b"5\r\nhello\r\n0\r\n X: a\r\n\r\n",
    "trailer without name": b"5\r\nhello\r\n0\r\n: a\r\n\r\n",
    "trailer without colon": b"5\r\nhello\r\n0\r\nX\r\n\r\n",
    "trailer with space before colon": b"5\r\nhello\r\n0\r\nX : a\r\n\r\n",
    "trailers too long": b"5\r\nhello\r\n0\r\nX: " + b"a" * 9000 + b"\r\n\r\n",
    "request as trailer": b"5\r\nhello\r\n0\r\nGET /hello HTTP/1.1\r\n\r\n",
}


def refused(client, status):
    answer = client.answer()
    assert answer.status == status, answer.body
    assert answer["Connection"] == "close"
    assert answer["X-Request-Id"] and answer["Date"]
    assert answer["Content-Type"] == "application/problem+json"
    problem = json.loads(answer.body)
    assert problem["status"] == status and problem["title"] == answer.reason
    assert client.ended() == b""
    return problem


@pytest.mark.parametrize("name", HEADS)
def test_head(server, name):
    status, request = HEADS[name]
    before = server.stats()["requests"]
    with server.client() as client:
        client.send(request + SMUGGLED)
        assert refused(client, status)["detail"]
    assert server.stats()["requests"] == before + 1  # the request for these statistics


@pytest.mark.parametrize("name", BODIES)
def test_body(server, name):
    before = server.stats()["requests"]
    with server.client() as client:
        client.send(chunked(BODIES[name]) + SMUGGLED)
        refused(client, 400)
    assert server.stats()["requests"] == before + 2


@pytest.mark.parametrize("name", BODIES)
def test_body_that_nobody_reads(server, name):
    before = server.stats()["requests"]
    with server.client() as client:
        client.send(chunked(BODIES[name]).replace(b"/echo", b"/early") + SMUGGLED)
        assert client.answer().body == b"early\n"
        assert client.ended() == b""
    assert server.stats()["requests"] == before + 2


@pytest.mark.parametrize("name", [name for name in HEADS if len(HEADS[name][1]) < 200])
def test_head_split(unix_server, name):
    status, request = HEADS[name]
    request += b"GET / "
    for offset in range(1, len(request)):
        with unix_server.client() as client:
            client.send_piece(request[:offset])
            client.send_piece(request[offset:])
            refused(client, status)
    with unix_server.client() as client:
        for byte in request:
            client.send_piece(bytes([byte]))
        refused(client, status)


@pytest.mark.parametrize("name", BODIES)
def test_body_split(unix_server, name):
    request = chunked(BODIES[name]) + b"GET / "
    step = 1 if len(request) < 200 else 101
    for offset in range(len(chunked(b"")) - 2, len(request), step):
        with unix_server.client() as client:
            client.send_piece(request[:offset])
            client.send_piece(request[offset:])
            refused(client, 400)
    with unix_server.client() as client:
        for start in range(0, len(request), step):
            client.send_piece(request[start : start + step])
        refused(client, 400)


@pytest.mark.parametrize("rest", [b"x", b"\0", b"GET", b"hello\r\n\r\n", b"0\r\n\r\n"])
def test_garbage_behind_a_request(server, rest):
    with server.client() as client:
        client.send(post("Content-Length: 5", body=b"hello") + rest + b"\x01")
        assert client.answer().body == b"hello"
        refused(client, 400)


def test_refused_head_request_has_no_body(server):
    with server.client() as client:
        client.send(get(first="HEAD /hello HTTP/1.1", host=None))
        assert client.answer("HEAD").status == 400
        assert client.ended() == b""


def test_limits_are_exact(server):
    with server.client() as client:
        client.send(get(first="GET /" + "a" * 8191 + " HTTP/1.1"))
        assert client.answer().status == 404
        client.send(get(*["X: a"] * 99))
        assert client.answer().status == 200
        head = get("X: ")
        client.send(get("X: " + "a" * (16384 - len(head))))
        assert client.answer().status == 200
        client.send(get("X: " + "a" * (16385 - len(head))))
        refused(client, 431)


def test_client_that_goes_on_sending_gets_its_answer(server):
    with server.client() as client:
        client.send(get(host=None) + b"x" * 900000)
        refused(client, 400)
