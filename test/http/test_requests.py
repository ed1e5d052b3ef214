"""Valid requests and their answers."""

import json
import re

import pytest

HELLO = b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
DATE = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT"


def post(target, body, *fields):
    lines = [f"POST {target} HTTP/1.1", "Host: a", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(target, *chunks, trailers=b""):
    head = f"POST {target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    return head + b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks + (b"",))[:-2] + (
        trailers + b"\r\n"
    )


def test_answer_has_the_usual_fields(server):
    with server.client() as client:
        answer = client.get("/hello")
    assert (answer.status, answer.reason, answer.body) == (200, "OK", b"hello\n")
    assert re.fullmatch(DATE, answer["Date"])
    assert answer["Content-Type"] == "text/plain"
    assert re.fullmatch("[0-9a-f]{32}", answer["X-Request-Id"])
    assert "Connection" not in answer


def test_request_ids_differ(server):
    with server.client() as client:
        ids = {client.get("/hello")["X-Request-Id"] for _ in range(100)}
    assert len(ids) == 100


@pytest.mark.parametrize("sent", ["a", "A-b_c.9", "x" * 128])
def test_a_sane_request_id_is_kept(server, sent):
    with server.client() as client:
        client.send(f"GET / HTTP/1.1\r\nHost: a\r\nx-request-id: {sent}\r\n\r\n".encode())
        assert client.answer()["X-Request-Id"] == sent
        # Refusals keep it as well, once the head was understood.
        client.send(f"GET / HTTP/1.1\r\nX-Request-ID: {sent}\r\n\r\n".encode())
        answer = client.answer()
        assert (answer.status, answer["X-Request-Id"]) == (400, sent)


@pytest.mark.parametrize("sent", ["", "a b", "x" * 129, "a/b", '"a"', "\xe4", "a=b"])
def test_another_request_id_is_replaced(server, sent):
    with server.client() as client:
        client.send(f"GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: {sent}\r\n\r\n".encode("latin-1"))
        assert re.fullmatch("[0-9a-f]{32}", client.answer()["X-Request-Id"])


def test_keep_alive(server):
    with server.client() as client:
        for _ in range(20):
            assert client.get("/hello").status == 200
            client.send(post("/echo", b"again"))
            assert client.answer().body == b"again"


def test_connection_close(server):
    with server.client() as client:
        client.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n")
        assert client.answer()["Connection"] == "close"
        assert client.ended() == b""


def test_handler_closes(server):
    with server.client() as client:
        answer = client.get("/close")
        assert answer["Connection"] == "close" and answer["Content-Length"] == "0"
        assert client.ended() == b""


@pytest.mark.parametrize("target", ["/hello", "/big?bytes=100000", "/nope"])
def test_head_is_get_without_the_body(server, target):
    with server.client() as client:
        get = client.get(target)
        head = client.get(target, "HEAD")
        assert client.get("/hello").body == b"hello\n"
    skip = ("Date", "X-Request-Id")
    assert head.status == get.status
    assert [f for f in head.fields if f[0] not in skip] == [
        f for f in get.fields if f[0] not in skip
    ]


def test_answers_without_a_body(server):
    with server.client() as client:
        for target, status in (("/no-content", 204), ("/not-modified", 304)):
            answer = client.get(target)
            assert answer.status == status and "Content-Length" not in answer
        assert client.get("/hello").body == b"hello\n"


def test_own_fields(server):
    with server.client() as client:
        answer = client.get("/fields")
    assert (answer["X-One"], answer["X-Two"], answer["Content-Length"]) == ("1", "2", "0")
    assert "Content-Type" not in answer


def test_http_1_0(server):
    with server.client() as client:
        client.send(b"GET /hello HTTP/1.0\r\n\r\n")
        answer = client.answer()
        assert answer["Connection"] == "close" and answer.body == b"hello\n"
        assert client.ended() == b""
    with server.client() as client:
        for _ in range(3):
            client.send(b"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            assert client.answer()["Connection"] == "keep-alive"
        client.send(b"POST /echo HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc")
        assert client.answer().body == b"abc"
        assert client.ended() == b""


def inspect(client, request):
    client.send(request)
    text = client.answer().body.decode("latin-1")
    return text.split("\n")


def test_what_a_handler_sees(server):
    with server.client() as client:
        assert client.get("/inspect/a%2Fb").status == 404
        lines = inspect(
            client,
            b"GET /inspect/a%20b?x=1&y=%20 HTTP/1.1\r\nHost: a.example:80\r\nX-Empty:\r\n"
            b"X-Space: \t a b \t \r\nx-empty:   \r\nX-High: \xe4\xff\r\n"
            b"!#$%&'*+-.^_`|~9: odd\r\n\r\n",
        )
    assert lines[:4] == ["method=GET", "path=/inspect/a%20b", "query=x=1&y=%20", "remote=127.0.0.1"]
    assert lines[5:] == [
        "body=0",
        "Host=[a.example:80]",
        "X-Empty=[]",
        "X-Space=[a b]",
        "x-empty=[]",
        "X-High=[\xe4\xff]",
        "!#$%&'*+-.^_`|~9=[odd]",
        "",
    ]


def test_absolute_form(server):
    with server.client() as client:
        lines = inspect(client, b"GET HTTP://A:80/inspect?q HTTP/1.1\r\nHost: a:80\r\n\r\n")
        assert lines[1:3] == ["path=/inspect", "query=q"]
        client.send(b"GET https://a HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.answer().body == b"hello\n"


def test_unix_peer(unix_server):
    with unix_server.client() as client:
        assert "remote=unix" in inspect(client, b"GET /inspect HTTP/1.1\r\nHost: a\r\n\r\n")


@pytest.mark.parametrize(
    "host",
    ["a", "a:80", "a:", "a.b-c_d~e", "%41", "127.0.0.1:8080", "[::1]", "[::1]:80", "[::ffff:1.2.3.4]"],
)
def test_good_hosts(server, host):
    with server.client() as client:
        client.send(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert client.answer().status == 200


@pytest.mark.parametrize("minor", range(2, 10))
def test_later_minor_versions(server, minor):
    """They are served by the rules of HTTP/1.1."""
    with server.client() as client:
        for body in (b"Content-Length: 2\r\n\r\nhi", b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"):
            client.send(b"POST /echo HTTP/1.%d\r\nHost: a\r\n%s" % (minor, body))
            answer = client.answer()
            assert (answer.status, answer.body) == (200, b"hi")
            assert "Connection" not in answer
        client.send(b"GET /hello HTTP/1.%d\r\n\r\n" % minor)
        assert client.answer().status == 400  # without a Host


def test_other_methods(server):
    with server.client() as client:
        answer = client.get("/echo")
        assert (answer.status, answer["Allow"]) == (405, "POST, PUT")
        assert client.get("/hello", "TRACE")["Allow"] == "GET, HEAD"
        answer = client.get("*", "OPTIONS")
        assert (answer.status, answer["Allow"]) == (405, "GET, HEAD, POST, PUT")
        assert client.get("/nope", "PROPFIND").status == 404
        assert client.get("/hello").status == 200


def test_problem(server):
    with server.client() as client:
        answer = client.get("/nope")
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.body) == {"type": "about:blank", "title": "Not Found", "status": 404,
                                       "code": "a_test"}


def test_empty_lines_before_a_request(server):
    with server.client() as client:
        for blank in (b"\r\n", b"\r\n" * 4):
            client.send(blank + HELLO)
            assert client.answer().status == 200


@pytest.mark.parametrize("count", [1, 100, 3000])
def test_pipelining(server, count):
    with server.client() as client:
        for i in range(count):
            client.send(b"GET /inspect/%d HTTP/1.1\r\nHost: a\r\n\r\n" % i)
        for i in range(count):
            assert b"path=/inspect/%d\n" % i in client.answer().body


def test_pipelining_of_everything(server):
    body = bytes(range(256)) * 40
    requests = [
        (HELLO, b"hello\n"),
        (post("/echo", body), body),
        (chunked("/echo", b"a" * 1000, b"b", body), b"a" * 1000 + b"b" + body),
        (post("/late?ms=1", b"late"), b"late"),
        (b"GET /slow?ms=1 HTTP/1.1\r\nHost: a\r\n\r\n", b"slow\n"),
        (post("/early", body), b"early\n"),
        (chunked("/early", body), b"early\n"),
        (b"GET /big?bytes=300000 HTTP/1.1\r\nHost: a\r\n\r\n", b"0123456789" * 30000),
    ]
    with server.client() as client:
        client.send(b"".join(request for request, _ in requests) * 3)
        for _, expected in requests * 3:
            assert client.answer().body == expected


@pytest.mark.parametrize(
    "request_bytes,expected",
    [
        (HELLO, b"hello\n"),
        (b"\r\nHEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n", None),
        (post("/echo", b"0123456789"), b"0123456789"),
        (post("/late?ms=0", b"0123456789"), b"0123456789"),
        (post("/early", b"0123456789"), b"early\n"),
        (chunked("/echo", b"hello", b" ", b"0123456789abcdef!"), b"hello 0123456789abcdef!"),
        (chunked("/late?ms=0", b"hello", b"x"), b"hellox"),
        (chunked("/early", b"hello"), b"early\n"),
        (chunked("/echo", b"hi", trailers=b"X-Check: abc\r\nOther:\r\n"), b"hi"),
        (
            b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
            b'00002;ext;a=b;c="q \\" uoted"\r\nhi\r\nA\r\n0123456789\r\n000\r\n\r\n',
            b"hi0123456789",
        ),
        (  # white space in chunk extensions
            b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            b'2 ;ext\r\nhi\r\n1\t; a = "b ; c"\t;d\r\n!\r\n0 ; e\r\n\r\n',
            b"hi!",
        ),
    ],
)
def test_split_at_every_offset(unix_server, request_bytes, expected):
    method = "HEAD" if expected is None else "GET"
    with unix_server.client() as client:

        def check():
            answer = client.answer(method)
            assert answer.status == 200 and answer.body == (expected or b"")

        for offset in range(1, len(request_bytes)):
            client.send_piece(request_bytes[:offset])
            client.send_piece(request_bytes[offset:])
            check()
        for byte in request_bytes:
            client.send_piece(bytes([byte]))
        check()
        # The next request follows in the same bytes.
        both = request_bytes + HELLO
        for offset in range(1, len(both)):
            client.send_piece(both[:offset])
            client.send_piece(both[offset:])
            check()
            assert client.answer().body == b"hello\n"


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 1000000, 4 * 1024 * 1024])
def test_body_sizes(server, size):
    body = (b"0123456789abcde" * (size // 15 + 1))[:size]
    with server.client() as client:
        for request in (post("/echo", body), chunked("/echo", *([body] if size else []))):
            client.send(request)
            answer = client.answer()
            assert answer.status == 200 and answer.body == body


def test_many_tiny_chunks(server):
    with server.client() as client:
        client.send(chunked("/echo", *[b"x"] * 20000))
        assert client.answer().body == b"x" * 20000


@pytest.mark.parametrize("max_bytes", [1, 9, 10, 11])
def test_body_limit(server, max_bytes):
    status = 200 if max_bytes >= 10 else 413
    with server.client() as client:
        client.send(post(f"/echo?max={max_bytes}", b"0123456789"))
        assert client.answer().status == status
        assert client.get("/hello").status == 200  # a short rest is dropped
        client.send(chunked(f"/echo?max={max_bytes}", b"01234", b"56789"))
        assert client.answer().status == status


def test_expect_continue(server):
    with server.client() as client:
        for _ in range(2):
            client.send(post("/echo", b"", "Expect: 100-Continue").replace(b"h: 0", b"h: 5"))
            assert client.take(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
            client.send(b"hello")
            assert client.answer().body == b"hello"


def test_expect_continue_only_when_the_body_is_read(server):
    with server.client() as client:
        before = server.stats()["requests"]
        client.send(post("/late", b"", "Expect: 100-continue").replace(b"h: 0", b"h: 5"))
        server.wait_for(lambda stats: stats["requests"] > before + 1)
        client.nothing()
        server.release()
        assert client.take(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.send(b"hello")
        assert client.answer().body == b"hello"
    with server.client() as client:  # a final answer instead
        client.send(post("/early", b"", "Expect: 100-continue").replace(b"h: 0", b"h: 5"))
        answer = client.answer()
        assert answer.status == 200 and answer["Connection"] == "close"
        assert client.ended() == b""
    with server.client() as client:  # too large: refused before it is sent
        client.send(post("/echo?max=4", b"", "Expect: 100-continue").replace(b"h: 0", b"h: 5"))
        assert client.answer().status == 413
        assert client.ended() == b""


def test_no_continue_when_the_body_is_there(server):
    with server.client() as client:
        client.send(post("/echo", b"hello", "Expect: 100-continue"))
        assert client.answer().body == b"hello"
        client.send(post("/echo", b"", "Expect: 100-continue"))
        assert client.answer().body == b""


def test_early_answer_keeps_the_connection(server):
    with server.client() as client:
        for size in (1, 1000, 256 * 1024):
            client.send(post("/early", b"x" * size))
            assert client.answer().body == b"early\n"
            client.send(chunked("/early", b"x" * size))
            assert client.answer().body == b"early\n"
        assert client.get("/hello").status == 200


def test_early_answer_ends_the_connection(server):
    with server.client() as client:
        client.send(post("/early", b"x" * (256 * 1024 + 1)))
        answer = client.answer()
        assert answer.body == b"early\n" and answer["Connection"] == "close"
        assert client.ended() == b""
    with server.client() as client:  # a chunked body exceeds the limit late
        client.send(chunked("/early", b"x" * (256 * 1024 + 1)))
        assert client.answer().body == b"early\n"
        assert client.ended() == b""


def test_a_big_unwanted_body_does_not_lose_the_answer(server):
    with server.client() as client:
        client.send(post("/echo?max=10", b"x" * 900000))
        assert client.answer().status == 413
        assert client.ended() == b""


def test_answer_while_the_body_is_awaited(server):
    with server.client() as client:
        before = server.stats()["requests"]
        client.send(post("/impatient", b"abc").replace(b"h: 3", b"h: 9"))
        server.wait_for(lambda stats: stats["requests"] > before + 1)
        server.release()
        assert client.answer().body == b"slow\n"
        client.send(b"defghi" + HELLO)
        assert client.answer().body == b"hello\n"


def test_answer_in_the_middle_of_a_big_body(unix_server):
    """Bytes kept before the answer do not count towards the limit of dropped bytes after it."""
    with unix_server.client() as client:
        request = post("/impatient", b"x" * 500000)
        client.send_piece(request[:-200000])
        unix_server.release()
        answer = client.answer()
        assert answer.body == b"slow\n" and "Connection" not in answer
        client.send(request[-200000:] + HELLO)
        assert client.answer().body == b"hello\n"


def test_half_close(server):
    for target in ("/hello", "/slow", "/big?bytes=3000000"):
        with server.client() as client:
            before = server.stats()["requests"]
            client.send(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            client.end()
            server.wait_for(lambda stats: stats["requests"] > before + 1)
            server.release()
            assert client.answer().status == 200
            assert client.ended() == b""
    with server.client() as client:
        client.send(HELLO * 50)
        client.end()
        for _ in range(50):
            assert client.answer().status == 200
        assert client.ended() == b""


def test_end_in_the_middle(server):
    with server.client() as client:
        client.send(HELLO[:-5])
        client.end()
        assert client.ended() == b""
    for target in ("/echo", "/late?ms=20"):
        with server.client() as client:
            client.send(post(target, b"hello")[:-1])
            client.end()
            assert client.answer().status == 400
            assert client.ended() == b""


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n",
        post("/impatient", b"abc")[:-1],
        post("/late", b"abc")[:-3],
    ],
)
@pytest.mark.parametrize("unix", [False, True])
def test_client_leaves_while_the_handler_works(start, request_bytes, unix):
    server = start(unix=unix)
    client = server.client()
    client.send(request_bytes)
    server.wait_for(lambda stats: stats["requests"] > 1 and stats["connections"] == 2)
    if unix:
        client.socket.close()
    else:
        client.reset()
    server.wait_for(lambda stats: stats["connections"] == 1)
    server.release()
    assert server.stats()["abandoned"] == 1
