"""Client addresses from proxy headers, and when the server trusts them."""

import http.client
import os
import re
import socket

import certificates
import proxies
import pytest
import tls
from conftest import displayd
from server import PATIENCE_S, Server, wait_until

CLIENT = "127.0.0.9"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
TCP_4 = SIGNATURE + b"\x21\x11\0\x0c" + bytes([192, 0, 2, 1, 10, 0, 0, 1, 0, 1, 0, 2])
LOCAL = SIGNATURE + b"\x20\0\0\0"

needs_nginx = pytest.mark.skipif(not proxies.NGINX, reason="nginx is not installed")
needs_stream = pytest.mark.skipif(not proxies.NGINX or not os.path.exists(proxies.STREAM),
                                  reason="nginx has no module stream")
needs_caddy = pytest.mark.skipif(not proxies.CADDY, reason="caddy is not installed")
needs_haproxy = pytest.mark.skipif(not proxies.HAPROXY, reason="haproxy is not installed")


def remote_of(server, request_id):
    """The address in the access log for this request."""
    found = wait_until(lambda: re.search(rf"remote=(\S+).*request_id={request_id}\b", server.log()),
                       "the access line")
    return found[1]


def ask(server, name, **fields):
    headers = {field.replace("_", "-"): value for field, value in fields.items()}
    assert server.request("GET", "/livez", headers=headers | {"X-Request-Id": name}).status == 200
    return remote_of(server, name)


def ask_through(server, address, name, **fields):
    """Sends the request through a proxy at this address, from an address of the client's own."""
    headers = {field.replace("_", "-"): value for field, value in fields.items()}
    connection = http.client.HTTPConnection(*address, timeout=PATIENCE_S,
                                            source_address=(CLIENT, 0))
    connection.request("GET", "/livez", headers=headers | {"X-Request-Id": name})
    assert connection.getresponse().status == 200
    connection.close()
    return remote_of(server, name)


def test_nobody_is_believed_by_default(serve):
    server = serve().start()
    assert ask(server, "plain") == "127.0.0.1"
    assert ask(server, "one", X_Forwarded_For="192.0.2.1") == "127.0.0.1"
    assert ask(server, "other", Forwarded="for=192.0.2.1") == "127.0.0.1"


def test_a_named_proxy_is_believed(serve):
    server = serve("--trust-proxy", "10.0.0.0/8", "--trust-proxy", "127.0.0.1/32").start()
    assert ask(server, "plain") == "127.0.0.1"
    assert ask(server, "one", X_Forwarded_For="198.51.100.9, 192.0.2.1, 10.2.3.4") == "192.0.2.1"
    assert ask(server, "other", Forwarded='for="[2001:db8::1]:80";proto=https') == "2001:db8::1"
    assert ask(server, "garbage", X_Forwarded_For="192.0.2.1, unknown") == "127.0.0.1"


# ---- the PROXY protocol, by hand ----

def proxied_address(server):
    """Address of the listener that expects a PROXY header."""
    found = re.search(r"address=proxy:127\.0\.0\.1:0 port=(\d+)", server.log())
    return "127.0.0.1", int(found[1])


@pytest.fixture(scope="module")
def proxied(tmp_path_factory):
    """(server, address of the listener that expects a PROXY header, path of a Unix socket that does)"""
    path = str(tmp_path_factory.mktemp("proxied") / "socket")
    with Server("--listen", "proxy:127.0.0.1:0", "--listen", f"proxy:unix:{path}",
                "--trust-proxy", "127.0.0.1", "--trust-proxy", "unix") as server:
        yield server, proxied_address(server), path


def request(name, *lines):
    return "\r\n".join(["GET /livez HTTP/1.1", "Host: a", f"X-Request-Id: {name}", *lines,
                        "Connection: close", "", ""]).encode()


def answer(client, pieces):
    """All bytes until the server ends the connection; empty after a reset."""
    received = b""
    try:
        for piece in pieces:
            client.sendall(piece)
        while piece := client.recv(4096):
            received += piece
    except (ConnectionResetError, BrokenPipeError):
        pass
    return received


def ask_by_hand(address, *pieces):
    with socket.create_connection(address, timeout=PATIENCE_S) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return answer(client, pieces)


@pytest.mark.parametrize("name, header, expected", [
    ("line", b"PROXY TCP4 192.0.2.1 10.0.0.1 5 6\r\n", "192.0.2.1"),
    ("line-6", b"PROXY TCP6 2001:DB8::1 ::1 5 6\r\n", "2001:db8::1"),
    ("line-mapped", b"PROXY TCP6 ::ffff:192.0.2.1 ::1 5 6\r\n", "192.0.2.1"),
    ("line-unknown", b"PROXY UNKNOWN\r\n", "unknown"),
    ("binary", TCP_4, "192.0.2.1"),
    ("binary-local", LOCAL, "127.0.0.1"),
    ("binary-unix", SIGNATURE + b"\x21\x31\0\xd8" + bytes(216), "unknown"),
])
def test_a_header_says_who_it_is(proxied, name, header, expected):
    server, address, _ = proxied
    text = request(name)
    assert ask_by_hand(address, header + text).startswith(b"HTTP/1.1 200 ")
    assert remote_of(server, name) == expected


@pytest.mark.parametrize("name, header", [("line", b"PROXY TCP4 192.0.2.1 10.0.0.1 5 6\r\n"),
                                          ("binary", TCP_4)])
def test_a_header_in_pieces(proxied, name, header):
    server, address, _ = proxied
    text = header + request(f"{name}-bytes")
    pieces = [text[i:i + 1] for i in range(len(header) + 3)] + [text[len(header) + 3:]]
    assert ask_by_hand(address, *pieces).startswith(b"HTTP/1.1 200 ")
    assert remote_of(server, f"{name}-bytes") == "192.0.2.1"
    assert ask_by_hand(address, header, request(f"{name}-two")).startswith(b"HTTP/1.1 200 ")
    assert remote_of(server, f"{name}-two") == "192.0.2.1"


def test_it_holds_for_every_request_of_the_connection(proxied):
    server, address, _ = proxied
    first = request("first").replace(b"Connection: close\r\n", b"")
    received = ask_by_hand(address, TCP_4, first + request("second"))
    assert received.count(b"HTTP/1.1 200 ") == 2
    assert remote_of(server, "first") == remote_of(server, "second") == "192.0.2.1"


def test_a_client_behind_it_is_not_believed(proxied):
    """Fields of a client are not trusted: its proxy forwards them without a check."""
    server, address, _ = proxied
    ask_by_hand(address, TCP_4 + request("invented", "X-Forwarded-For: 203.0.113.5"))
    assert remote_of(server, "invented") == "192.0.2.1"
    ask_by_hand(address, b"PROXY UNKNOWN\r\n" + request("unknown", "X-Forwarded-For: 203.0.113.5"))
    assert remote_of(server, "unknown") == "unknown"


def test_a_named_proxy_behind_it_is_believed(proxied):
    server, address, _ = proxied
    ask_by_hand(address, b"PROXY TCP4 127.0.0.1 10.0.0.1 5 6\r\n" +
                request("behind", "X-Forwarded-For: 203.0.113.5"))
    assert remote_of(server, "behind") == "203.0.113.5"


def test_unix_sockets_expect_it_too(proxied):
    server, _, path = proxied
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        assert answer(client, [TCP_4 + request("unix")]).startswith(b"HTTP/1.1 200 ")
    assert remote_of(server, "unix") == "192.0.2.1"


@pytest.mark.parametrize("start", [
    request("none"),
    b"PROXY TCP4 192.0.2.1 10.0.0.1 5 6\n" + request("none"),
    b"PROXY TCP4 192.0.2.1\r\n" + request("none"),
    b"PROXY " + b"x" * 200,
    SIGNATURE + b"\x21\x11\xff\xff" + bytes(2000),
    b"\x16\x03\x01\0\xa5\1\0\0\xa1\3\3",
])
def test_what_is_no_header_ends_the_connection(proxied, start):
    server, address, _ = proxied
    assert ask_by_hand(address, start) == b""
    server.wait_for_log('msg="connection refused" reason="the PROXY header is missing or invalid" '
                        "remote=127.0.0.1")


def test_a_header_on_other_listeners_is_no_request(proxied):
    server, _, _ = proxied
    assert ask_by_hand(server.address, b"PROXY TCP4 192.0.2.1 10.0.0.1 5 6\r\n" + request("plain")
                       ).startswith(b"HTTP/1.1 400 ")
    assert ask_by_hand(server.address, TCP_4 + request("plain")).startswith(b"HTTP/1.1 400 ")


def test_others_cannot_use_such_a_listener(serve, folder):
    path = os.path.join(folder, "socket")
    server = serve("--listen", "proxy:127.0.0.1:0", "--listen", f"proxy:unix:{path}",
                    "--trust-proxy", "10.0.0.0/8").start()
    assert ask_by_hand(proxied_address(server), TCP_4 + request("stranger")) == b""
    server.wait_for_log('msg="connection refused" reason="the peer is not a trusted proxy" '
                        "remote=127.0.0.1")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        assert answer(client, [TCP_4 + request("stranger")]) == b""
    assert "stranger" not in server.log()


def test_half_a_header_does_not_keep_it_from_ending(serve):
    server = serve("--listen", "proxy:127.0.0.1:0", "--trust-proxy", "127.0.0.1").start()
    with socket.create_connection(proxied_address(server), timeout=PATIENCE_S) as client:
        client.sendall(TCP_4[:20])
        assert ask(server, "meanwhile") == "127.0.0.1"
        assert server.stop() == 0
        assert answer(client, []) == b""
    assert "cut off" not in server.log()


def test_a_listener_that_nobody_could_use_is_refused(folder):
    code, _, text = displayd("--state-dir", folder, "--listen", "proxy:127.0.0.1:0")
    assert code == 2
    assert "--listen expects proxies: name them with --trust-proxy" in text


def hold(address, header, count):
    clients = [socket.create_connection(address, timeout=PATIENCE_S) for _ in range(count)]
    for client in clients:
        client.sendall(header)
    return clients


def room_for_few(serve, *arguments):
    """A server with room for fewer connections than FLOOD."""
    return serve(*arguments, "--trust-proxy", "127.0.0.1", workers=1,
                  prefix=("prlimit", "--nofile=700:700")).start()


FLOOD = 500
FLOODER = b"PROXY TCP4 192.0.2.66 10.0.0.1 5 6\r\n"
FLOODED = 'reason="too many connections from this address" remote=192.0.2.66'


def test_connections_of_one_client_are_limited(serve):
    """Connections of one client are limited, so that others are accepted, through the proxy or not."""
    server = room_for_few(serve, "--listen", "proxy:127.0.0.1:0")
    address = proxied_address(server)
    clients = hold(address, FLOODER, FLOOD)
    server.wait_for_log(FLOODED)
    assert ask_by_hand(address, TCP_4 + request("other")).startswith(b"HTTP/1.1 200 ")
    assert ask(server, "direct") == "127.0.0.1"
    for client in clients:
        client.close()


def test_connections_of_one_client_are_limited_under_tls(serve, folder):
    made = certificates.make(folder, "one")
    server = room_for_few(serve, "--tls-listen", "proxy:127.0.0.1:0", *made.options)
    address = "127.0.0.1", tls.port_of(server)
    clients = hold(address, FLOODER, FLOOD)
    server.wait_for_log(FLOODED)
    with socket.create_connection(address, timeout=PATIENCE_S) as other:
        other.sendall(TCP_4)
        with tls.context(made).wrap_socket(other, server_hostname="localhost") as stream:
            assert tls.ask(stream).status == 200
    for client in clients:
        client.close()


def test_urls_that_are_handed_out_lead_elsewhere(serve):
    server = serve("--listen", "proxy:127.0.0.1:0", "--listen", "127.0.0.1:0",
                    "--trust-proxy", "127.0.0.1", listen=None).start()
    port = re.search(r"address=127\.0\.0\.1:0 port=(\d+)", server.log())[1]
    assert server.url == f"http://127.0.0.1:{port}"


# ---- real proxies, with the lines of docs/deploy (complete in test_deploy.py) ----

def check_proxy(server, address, name):
    """The proxy reports the address of its client, and values forged by the client are ignored."""
    assert ask_through(server, address, name) == CLIENT
    assert ask_through(server, address, f"{name}-invented", X_Forwarded_For="203.0.113.5") == CLIENT


def check_panel(server, address):
    """Handshakes of panels go through."""
    server.ctl("account", "create", "ada@example.org", "--name", "Ada")
    device = server.ctl("device", "create", "--account", "ada@example.org", "--name", "Desk")
    with socket.create_connection(address, timeout=PATIENCE_S, source_address=(CLIENT, 0)) as panel:
        panel.sendall("\r\n".join([
            f"GET {server.path_of(device['websocketUrl'])} HTTP/1.1", "Host: %s:%s" % address,
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]).encode())
        with panel.makefile("rb") as file:
            assert file.readline().startswith(b"HTTP/1.1 101 ")
            while file.readline() != b"\r\n":
                pass
            assert file.read(1)[0] in (0x81, 0x82)  # a frame with a text or a picture
    wait_until(lambda: re.search(rf"status=101 .*remote={CLIENT}", server.log()),
               "the panel's access line")


@needs_nginx
def test_behind_nginx(serve, folder):
    server = serve("--trust-proxy", "127.0.0.1").start()
    with proxies.nginx(folder, "%s:%s" % server.address) as address:
        check_proxy(server, address, "through-nginx")
        check_panel(server, address)


@needs_caddy
def test_behind_caddy(serve, folder):
    server = serve("--trust-proxy", "127.0.0.1").start()
    with proxies.caddy(folder, "%s:%s" % server.address) as address:
        check_proxy(server, address, "through-caddy")
        check_panel(server, address)


@needs_haproxy
def test_behind_haproxy(serve, folder):
    server = serve("--trust-proxy", "127.0.0.1").start()
    with proxies.haproxy(folder, "%s:%s" % server.address) as address:
        check_proxy(server, address, "through-haproxy")
        check_panel(server, address)


@needs_haproxy
@pytest.mark.parametrize("option", ["send-proxy", "send-proxy-v2"])
def test_behind_haproxy_that_speaks_the_proxy_protocol(proxied, folder, option):
    server, upstream, _ = proxied
    with proxies.haproxy_tcp(folder, "%s:%s" % upstream, option) as address:
        check_proxy(server, address, option)
        check_proxy(server, address, f"{option}-again")
        # Its health checks are answered: those of version 2 with the command LOCAL.
        local = "127.0.0.1" if option == "send-proxy-v2" else r"(unknown|127\.0\.0\.1)"
        wait_until(lambda: re.search(rf"path=/livez .*status=200 .*remote={local} ", server.log()),
                   "a health check")


@needs_stream
def test_behind_nginx_that_speaks_the_proxy_protocol(proxied, folder):
    server, upstream, _ = proxied
    with proxies.nginx_stream(folder, "%s:%s" % upstream) as address:
        check_proxy(server, address, "through-stream")
        check_panel(server, address)
