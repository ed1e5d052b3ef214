"""The egress as its clients see it, in the sandbox, with servers of the test's own on 127.0.0.1."""

import contextlib
import socket
import struct
import subprocess
import threading
import time

import pytest

from egress_process import DATA, LOCAL, PROGRAM, Egress, Server, tls_context


def test_greets_and_fetches(client, server):
    assert client.hello["engine"] == "EGRESS"
    assert "sealed" in client.hello["layers"]
    assert "-sealed" not in client.hello["layers"]
    head, body = client.ask(server.url + "/path?a=b#part")
    assert (head["status"], body) == (200, b"hello")
    assert head["url"] == server.url + "/path?a=b"
    assert head["headers"]["x-one"] == "1"
    assert "set-cookie" not in head["headers"] and "content-length" not in head["headers"]
    method, path, headers, _ = server.seen[0]
    assert (method, path) == ("GET", "/path?a=b")
    assert headers["User-Agent"] == "displayd"


def test_methods_bodies_and_headers(client, server):
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        head, _ = client.ask(server.url + "/" + method, b"body", method=method,
                             headers={"Content-Type": "text/x", "Host": "evil", "X-Empty": "",
                                      "Authorization": "Bearer x", "User-Agent": "mine",
                                      "Content-Length": "9", "Connection": "close",
                                      "Transfer-Encoding": "chunked", "Expect": "100-continue"})
        assert head["status"] == 200
        seen, path, headers, body = server.seen[-1]
        assert (seen, path, body) == (method, "/" + method, b"body")
        assert headers["Content-Type"] == "text/x" and headers["Authorization"] == "Bearer x"
        assert headers["User-Agent"] == "mine" and headers["X-Empty"] == ""
        assert headers["Host"] == server.url[7:] and headers["Content-Length"] == "4"
        assert "Transfer-Encoding" not in headers and "Expect" not in headers
    head, body = client.ask(server.url + "/head", method="HEAD")
    assert (head["status"], body) == (200, b"")
    head, body = client.ask(server.url + "/status?404")
    assert (head["status"], body) == (404, b"status")
    assert "Cookie" not in server.seen[-1][2]


def test_bodies_are_unpacked_and_bounded(client, server):
    assert client.ask(server.url + "/packed")[1] == b"unpacked"
    assert client.ask(f"{server.url}/to-coded?{server.url}/packed")[1] == b"unpacked"
    limit = 2 << 20
    assert len(client.ask(f"{server.url}/large?{limit}")[1]) == limit
    assert "larger than 2 MiB" in client.error(f"{server.url}/large?{limit + 1}", account="other")
    assert "larger than 2 MiB" in client.error(server.url + "/bomb")
    assert client.error(server.url + "/many") == "the headers of 127.0.0.1 are longer than 64 KiB"
    assert client.ask(server.url + "/")[1] == b"hello"


@pytest.mark.parametrize("field", ["Content-Encoding", "Transfer-Encoding"])
@pytest.mark.parametrize("coding", ["zstd", "br", "deflate", "gzip,zstd", "ZSTD"])
def test_codings_that_were_not_offered(client, server, field, coding):
    """A frame of zstd may ask for 128 MiB of memory in a process that all accounts share."""
    assert "answers in a coding that was not offered" in client.error(f"{server.url}/coded?{field}={coding}")
    assert client.ask(server.url + "/")[1] == b"hello"


def test_what_is_offered_and_decoded(client, server):
    """Gzip for apps. Of an answer to displayd itself, as to a webhook, nothing is decoded."""
    client.ask(server.url + "/")
    assert server.seen[-1][2]["Accept-Encoding"] == "gzip"
    client.ask(server.url + "/", method="POST", stays=True)
    assert "Accept-Encoding" not in server.seen[-1][2]
    for coding in ("gzip", "zstd"):  # the body is no frame of either
        head, _ = client.ask(f"{server.url}/coded?Content-Encoding={coding}", method="POST", stays=True)
        assert head["status"] == 200
    assert client.ask(server.url + "/packed", method="POST", stays=True)[1] != b"unpacked"


def test_redirects(client, server):
    head, body = client.ask(f"{server.url}/to?{server.url}/end")
    assert (head["status"], head["url"], body) == (200, server.url + "/end", b"hello")
    url = server.url + "/end"
    for _ in range(5):
        url = f"{server.url}/to?{url}"
    assert client.ask(url)[0]["status"] == 200
    assert "more than 5 times" in client.error(f"{server.url}/to?{url}")
    for target in ("file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/"):
        assert "neither https:// nor http://" in client.error(f"{server.url}/to?{target}")


def test_redirects_that_are_not_followed(client, server):
    """Of what displayd itself sends."""
    url = f"{server.url}/to?{server.url}/end"
    head, _ = client.ask(url, method="POST", stays=True)
    assert head["status"] in range(300, 400) and head["url"] == url
    assert client.ask(url)[0]["status"] == 200


def test_redirects_to_ports_of_other_protocols(client, server):
    for port in (25, 6667):
        words = client.error(f"{server.url}/to?http://127.0.0.1:{port}/", method="POST")
        assert words == f"127.0.0.1 redirects to port {port}, which belongs to another protocol"


# Addresses that a script might try; the messages that it gets are in the log of the test (-s).
PRIVATE = [
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/",
    "http://127.1:{port}/", "http://0x7f000001:{port}/", "http://0x7f.1:{port}/",
    "http://2130706433:{port}/", "http://0177.0.0.1:{port}/", "http://017700000001:{port}/",
    "http://127.0.0.1.:{port}/", "http://0.0.0.0:{port}/", "http://0:{port}/", "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:7f00:0001]:{port}/", "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/", "http://[64:ff9b:1::127.0.0.1]:{port}/",
    "http://[2002:7f00:1::]:{port}/", "http://[2001:0:7f00:1::]:{port}/",
    "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/latest/",
    "http://168.63.129.16/", "http://100.100.100.200/", "http://192.0.0.192/",
    "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://198.18.0.1/",
    "http://224.0.0.1/", "http://255.255.255.255/", "http://[fe80::1]/", "http://[fe80::1%25lo]/",
    "http://[ff02::1]/", "http://[fc00::1]/", "http://127.0.0.1%00.example.org/",
    "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:{port}/", "http://１２７.０.０.１:{port}/",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_private_addresses_are_refused(public_egress, server, url):
    client = public_egress.connect()
    words = client.error(url.format(port=server.server_address[1]))
    client.link.close()
    print(f"{url}: {words}")
    assert words and not server.seen


def test_what_leads_to_private_addresses_is_refused(server):
    """A public server, as it were: one address is allowed, and what it leads to is not."""
    with contextlib.closing(Egress("--allow", "127.0.0.1/32")) as running, Server("127.0.0.2") as inner:
        client = running.connect()
        assert client.ask(server.url + "/")[0]["status"] == 200
        for target in (inner.url, inner.url.replace("127.0.0.2", "0x7f000002"),
                       inner.url.replace("127.0.0.2", "[::ffff:127.0.0.2]"),
                       "http://169.254.169.254/", "http://[::1]:1234/", "//10.0.0.1/"):
            words = client.error(f"{server.url}/to?{target}")
            print(f"{target}: {words}")
            assert "not public" in words, (target, words)
        assert not inner.seen
        inner.shutdown()


def test_public_requests_reach_nothing_that_is_allowed(server):
    with contextlib.closing(Egress(*LOCAL)) as running:
        client = running.connect()
        url = server.url + "/public"
        refused = "127.0.0.1 has the address 127.0.0.1, which is not public: drafts do not"
        assert client.error(url, public="drafts do not") == refused
        assert not server.seen
        # The address of a name is not told to those who may not reach it.
        words = client.error(url.replace("127.0.0.1", "localhost"), public="drafts do not")
        assert words == "localhost has an address that is not public: drafts do not"
        # All that is missing is named.
        assert client.error("http://10.0.0.1/", public="drafts do not") == (
            "10.0.0.1 has the address 10.0.0.1, which is not public: whoever runs the server can open it with the "
            "option --egress-allow; drafts do not")
        # Neither by a connection that is open, nor by an answer that is kept.
        assert client.ask(url, ttl_s=60)[0]["status"] == 200
        assert client.error(url, public="drafts do not") == refused
        assert client.error(url + "/2", public="drafts do not") == refused
        assert len(server.seen) == 1
        assert client.ask(url, public=None)[0]["status"] == 200
        client.link.close()


def test_refused_addresses_are_named(public_egress):
    client = public_egress.connect()
    refused = ("127.0.0.1 has the address 127.0.0.1, which is not public: whoever runs the server can open it "
               "with the option --egress-allow")
    assert client.error("http://127.0.0.1/") == refused
    for form in ("0x7f000001", "127.0.0.1.", "127.1.", "%31%32%37.0.0.1", "127%2e0.0.1"):
        assert client.error(f"http://{form}/") == refused
    assert client.error("http://127.0.0.1../") == "host 127.0.0.1.. was not found"
    assert "localhost has the address" in client.error("http://localhost/")
    client.link.close()


def test_errors_in_words(client):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert client.error(f"http://127.0.0.1:{port}/") == "127.0.0.1 cannot be reached"
    assert client.error("http://name.invalid/") == "host name.invalid was not found"
    assert "cannot be sent" in client.error("http://127.0.0.1/", headers={"A": "b\nc"})


@pytest.mark.parametrize("greeting", [b"SSH-2.0-OpenSSH_9.2\r\n", b"220 mail ESMTP\r\n", b"HTTP/9.9 200 OK\r\n\r\n",
                                      b"\0\1\2\3"])
def test_a_target_that_does_not_speak_http(client, server, greeting):
    def greet(listener):
        for _ in range(2):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(greeting)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread = threading.Thread(target=greet, args=[listener], daemon=True)
        thread.start()
        assert client.error(url) == "127.0.0.1 does not speak HTTP"
        assert client.error(f"{server.url}/to?{url}") == "127.0.0.1 does not speak HTTP"
        thread.join()
    assert "redirects to an address with neither" in client.error(f"{server.url}/to?gopher://127.0.0.1/")


def test_an_answer_that_does_not_come(client, server):
    began = time.monotonic()
    assert client.error(server.url + "/slow") == "127.0.0.1 takes more than 5s"
    assert time.monotonic() - began < 60


def test_certificates_are_checked(client, server, certificate):
    server.socket = tls_context(certificate).wrap_socket(server.socket, server_side=True)
    url = f"https://localhost:{server.server_address[1]}/"
    assert "the certificate of localhost is not valid" in client.error(url)
    assert not server.seen
    launch = ("--network", "--data", DATA, "--read", certificate[0])
    with contextlib.closing(Egress(*LOCAL, "--certificates", certificate[0], launch=launch)) as trusting:
        other = trusting.connect()
        head, body = other.ask(url)
        assert (head["status"], body) == (200, b"hello")
        assert "is not valid" in other.error(url.replace("localhost", "127.0.0.1"))


def test_answers_are_kept(egress, client, server):
    other = egress.connect()
    first = client.ask(server.url + "/kept")
    assert client.ask(server.url + "/kept")[1] == first[1] == other.ask(server.url + "/kept")[1]
    assert server.count("/kept") == 1
    client.ask(server.url + "/kept", headers={"A": "b"})
    client.ask(server.url + "/kept", scope="another")
    assert server.count("/kept") == 3
    for _ in range(2):
        client.ask(server.url + "/post", b"x", method="POST")
    assert server.count("/post") == 2
    for _ in range(2):
        client.ask(server.url + "/asked", b"x", method="POST", ttl_s=60)
    assert server.count("/asked") == 1
    other.link.close()


def test_one_fetch_for_many_that_wait(egress, server):
    clients = [egress.connect() for _ in range(4)]
    for client in clients:
        for _ in range(5):
            client.send(server.url + "/slow")
    while not server.count("/slow"):
        time.sleep(0.01)
    clients.pop().link.close()  # those who go take nothing from the others
    server.gate.set()
    for client in clients:
        for _ in range(5):
            assert client.receive()[0]["fetch"]["status"] == 200
    assert server.count("/slow") == 1


def test_an_app_keeps_no_other_waiting(egress, client, server):
    greedy = egress.connect()
    for number in range(100):
        greedy.send(f"{server.at(number)}/slow?{number}", scope="greedy")
    assert client.ask(server.url + "/")[0]["status"] == 200
    assert sum(seen[1].startswith("/slow") for seen in server.seen) <= 8
    server.gate.set()
    for _ in range(100):
        assert "fetch" in greedy.receive()[0]
    greedy.link.close()


def test_clients_that_do_not_read(egress, client, server):
    deaf = egress.connect()
    for number in range(60):
        deaf.send(f"{server.url}/large?{(2 << 20) - number}", account=f"deaf-{number}")
    assert client.ask(server.url + "/")[0]["status"] == 200
    for _ in range(60):
        assert deaf.receive()[0]["fetch"]["status"] == 200
    deaf.link.close()


@pytest.mark.parametrize("frame", [
    b"\xff" * 8, struct.pack(">II", 2, 0) + b"{}", struct.pack(">II", 4, 0) + b"null",
    struct.pack(">II", 9, 2 << 20), struct.pack(">II", 0, 0),
])
def test_broken_frames_end_their_client(egress, client, frame):
    broken = egress.connect()
    broken.link.sendall(frame)
    with pytest.raises(EOFError):
        broken.receive()
    assert client.error("http://name.invalid/")


def test_says_what_it_does_not_take():
    for options in (["--allow", "localhost"], ["--allow", "10.0.0.0/33"], ["argument"], ["--what"]):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr
    done = subprocess.run([PROGRAM], capture_output=True, text=True)
    assert done.returncode == 2 and "descriptor 3" in done.stderr
