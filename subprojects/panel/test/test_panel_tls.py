"""wss:// and https://."""

import os
import socket
import ssl
import threading

import pytest

from harness import Server, answer, make_certificate, still, take_request, tls_context


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("ca"), "authority", "DNS:authority.test")


@pytest.fixture
def serve(authority, tmp_path):
    servers = []

    def start(names, context=None):
        base = make_certificate(tmp_path, "server", names, authority)
        servers.append(Server(context=context or tls_context(base)))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def test_picture_over_wss(serve, start, authority):
    server = serve("DNS:localhost")
    running = start("--url", server.url("wss", host="localhost"), "--ca", authority + ".pem")
    connection = server.take().accept()
    assert "client_info" in connection.take_text()
    connection.picture(still(1, 2, 3))
    assert connection.take_text() == {"queued": 1}
    assert connection.take_text() == {"displaying": 1}
    connection.picture(bytes(400_000))
    running.wait("queued", counter=2)


def test_server_name_is_sent(authority, tmp_path, start):
    context = tls_context(make_certificate(tmp_path, "server", "DNS:localhost", authority))
    names = []
    context.sni_callback = lambda stream, name, context: names.append(name)
    server = Server(context=context)
    start("--url", server.url("wss", host="localhost"), "--ca", authority + ".pem")
    server.take()
    server.close()
    assert names == ["localhost"]


@pytest.mark.parametrize("order", ["client", "server"])
@pytest.mark.parametrize("key", ["ec", "rsa"])
@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
def test_versions(authority, tmp_path, start, version, key, order):
    context = tls_context(make_certificate(tmp_path, "server", "DNS:localhost", authority, key))
    # nginx goes by the client's order unless it is told to prefer its own.
    if order == "client":
        context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE
    else:
        context.options |= ssl.OP_CIPHER_SERVER_PREFERENCE
    context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
    server = Server(context=context)
    running = start("--url", server.url("wss", host="localhost"), "--ca", authority + ".pem")
    connection = server.take().accept()
    assert connection.stream.version() == version.replace("_", ".")
    running.wait("connected")
    server.close()


def test_through_a_proxy(serve, start, authority):
    """The proxy gets the server's name and port, and no key of the panel."""
    proxy, server = Server(), serve("DNS:localhost")
    running = start(
        "--url",
        server.url("wss", host="localhost"),
        "--ca",
        authority + ".pem",
        env={**os.environ, "https_proxy": f"http://127.0.0.1:{proxy.port}", "no_proxy": ""},
    )
    stream = proxy.take_stream()
    assert take_request(stream)[0] == f"CONNECT localhost:{server.port} HTTP/1.1"
    onward = socket.create_connection(("127.0.0.1", server.port))
    stream.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    for source, target in ((stream, onward), (onward, stream)):
        threading.Thread(target=relay, args=(source, target), daemon=True).start()
    server.take().accept()
    running.wait("connected")
    proxy.close()


def relay(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass  # the test is over


def test_picture_over_https(serve, start, authority):
    server = serve("DNS:localhost")
    running = start("--poll", server.url("https", host="localhost"), "--ca", authority + ".pem")
    stream = server.take_stream()
    take_request(stream)
    answer(stream, still(1, 2, 3))
    running.wait("displaying", counter=1)


def refused(server, running):
    try:
        server.take_stream()
    except OSError:
        pass  # the handshake ends with the panel's alert
    return running.wait("closed")["reason"]


def test_unknown_authority_is_refused(serve, start):
    server = serve("DNS:localhost")
    running = start("--url", server.url("wss", host="localhost"))
    assert "certificate refused" in refused(server, running)


def test_self_signed_certificate(start, tmp_path):
    base = make_certificate(tmp_path, "own", "DNS:localhost")
    server = Server(context=tls_context(base))
    running = start("--url", server.url("wss", host="localhost"), "--ca", base + ".pem")
    server.take().accept()
    running.wait("connected")
    server.close()


def test_wrong_name_is_refused(serve, start, authority):
    server = serve("DNS:other.test")
    running = start("--url", server.url("wss", host="localhost"), "--ca", authority + ".pem")
    assert "certificate refused" in refused(server, running)


def test_address_in_the_certificate(serve, start, authority):
    server = serve("IP:127.0.0.1")
    running = start("--url", server.url("wss"), "--ca", authority + ".pem")
    server.take().accept()
    running.wait("connected")


def test_address_that_is_not_in_the_certificate(serve, start, authority):
    server = serve("IP:127.0.0.2")
    running = start("--url", server.url("wss"), "--ca", authority + ".pem")
    assert "certificate refused" in refused(server, running)


def test_no_tls_at_all(server, start, authority):
    running = start(
        "--url", server.url("wss"), "--ca", authority + ".pem", "--reconnect-ms", "0"
    )
    for data in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x16\x03\x03\xff\xff" + bytes(70_000), b""):
        stream = server.take_stream()
        try:
            stream.sendall(data)
        except ConnectionError:
            pass
        stream.close()
        running.wait("closed", was_open=0)


def test_lost_connection(serve, start, authority):
    server = serve("DNS:localhost")
    running = start(
        "--url",
        server.url("wss", host="localhost"),
        "--ca",
        authority + ".pem",
        "--reconnect-ms",
        "0",
    )
    server.take().accept().drop()
    running.wait("closed")
    connection = server.take().accept()
    connection.take_text()
    assert running.stop() == 0
