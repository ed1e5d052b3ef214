"""What a hostile server does is told in a sentence that is true, and that names the server."""

import contextlib
import re
import socket
import struct

import pytest

from egress_process import Flood

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PIECE = 1000 * b"a"
LONG = "the headers of HOST are longer than 64 KiB"
LARGE = "the response of HOST is larger than 2 MiB"
BROKEN = "the response of HOST is incomplete or invalid: "
INVALID_TARGET = "HOST redirects to an invalid address"
NO_HTTP = "HOST does not speak HTTP"

# The begin of an answer, what follows without end or nothing, and the sentence.
ANSWERS = {
    "a header line without end": (HEAD + b"X-A: ", PIECE, LONG),
    "header lines without end": (HEAD, b"X-A: %s\r\n" % PIECE, LONG),
    "a status line without end": (b"HTTP/1.1 200 ", PIECE, LONG),
    "a name without end": (HEAD, PIECE, LONG),
    "a header line without end after hints": (b"HTTP/1.1 103 Hints\r\n\r\n" + HEAD + b"X-A: ", PIECE, LONG),
    "hints without end": (b"", b"HTTP/1.1 103 Early Hints\r\nX-A: %s\r\n\r\n" % PIECE,
                          "the headers of HOST, those of redirects and interim responses included, are longer than "
                          "256 KiB"),
    "trailers without end": (CHUNKED + b"1\r\na\r\n0\r\n", b"X-A: %s\r\n" % PIECE, LONG),
    "a trailer line without end": (CHUNKED + b"1\r\na\r\n0\r\nX-A: ", PIECE,
                                   "a trailer line of HOST is longer than 4 KiB"),
    "a body without end": (HEAD + b"\r\n", PIECE, LARGE),
    "a chunk without end": (CHUNKED + b"7fffffff\r\n", PIECE, LARGE),
    "chunks without end": (CHUNKED, b"3e8\r\n%s\r\n" % PIECE, LARGE),
    "a size that is no number": (CHUNKED + b"zz\r\n", b"", BROKEN),
    "a size without end": (CHUNKED, 1000 * b"1", BROKEN),
    "a chunk that does not end": (CHUNKED + b"1\r\naaaaaaa", b"", BROKEN),
    "a chunk that is cut off": (CHUNKED + b"5\r\na", b"", BROKEN),
    "a body that is cut off": (HEAD + b"Content-Length: 10\r\n\r\na", b"", BROKEN),
    "a length that is no number": (HEAD + b"Content-Length: -1\r\n\r\n", b"", BROKEN),
    "a null byte": (HEAD + b"X-A: \0\r\n\r\n", b"", BROKEN),
    "a line that is no header": (HEAD + b"a\r\n\r\n", b"", BROKEN),
    "no gzip": (HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\naaaaa", b"",
                "the response of HOST is not valid gzip"),
    "another coding": (HEAD + b"Content-Encoding: br\r\nContent-Length: 5\r\n\r\naaaaa", b"",
                       "HOST answers in a coding that was not offered: gzip was"),
    "an unknown transfer coding": (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n", b"",
                                   "HOST answers in a coding that was not offered: gzip was"),
    "nothing": (b"", b"", "HOST closed the connection before it answered"),
    "a part of a status line": (b"HTTP/1.1 20", b"", "HOST closed the connection before it answered"),
    "a head that is cut off": (HEAD + b"X-A: a\r\n", b"", BROKEN),
    "a status that is no number": (b"HTTP/1.1 abc\r\n\r\n", b"", NO_HTTP),
    "another protocol": (b"220 mail ESMTP\r\n", b"", NO_HTTP),
    "zeros": (b"", bytes(1000), NO_HTTP),
    "a redirect to a number": (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/\r\n\r\n", b"", INVALID_TARGET),
    "a redirect to no host": (b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n", b"", INVALID_TARGET),
    "a redirect to spaces": (b"HTTP/1.1 302 Found\r\nLocation: http://a b/\r\n\r\n", b"", INVALID_TARGET),
    "a redirect to itself": (b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /\r\n\r\n", b"",
                             "HOST redirects more than 5 times"),
    "a redirect to another protocol": (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n", b"",
                                       "HOST redirects to an address with neither https:// nor http://"),
    "a switch of protocols": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\n", b"", BROKEN),
}
# Words of libcurl about itself, which blame nobody or the wrong one.
LIES = ["memory", "callback", "write", "libcurl", "curl"]


@pytest.mark.parametrize("what", ANSWERS)
def test_sentences(egress, what):
    begin, rest, sentence = ANSWERS[what]
    client = egress.connect()
    with Flood(begin, rest) as flood:
        answer = client.ask(f"http://127.0.0.1:{flood.port}/", paced=True)[0]
    client.link.close()
    words = answer.get("error", f"no error: {answer}")
    expected = sentence.replace("HOST", "127.0.0.1")
    assert words == expected or sentence == BROKEN and words.startswith(expected), words
    assert not any(lie in words.lower() for lie in LIES)


class Reset(Flood):
    """Ends each connection at once, with a reset."""

    def _serve(self, peer):
        with peer, contextlib.suppress(OSError):
            peer.recv(65536)
            peer.sendall(self.begin)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("begin, sentence", [(b"", "127.0.0.1 closed the connection before it answered"),
                                             (HEAD, BROKEN.replace("HOST", "127.0.0.1"))])
def test_resets(client, begin, sentence):
    with Reset(begin, b"") as flood:
        assert client.error(f"http://127.0.0.1:{flood.port}/", method="POST", body=bytes(1 << 19)).startswith(sentence)


def test_what_is_not_tls(client):
    """A server without TLS, and one that closes the connection within the handshake."""
    for begin in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x16\x03\x03\x40\x00", b""):
        with Flood(begin, b"") as flood:
            words = client.error(f"https://127.0.0.1:{flood.port}/")
            assert re.match("the TLS handshake with 127.0.0.1 failed: .", words), words


def test_trailers_of_4_kib_pass(client):
    with Flood(CHUNKED + b"1\r\na\r\n0\r\nX-A: %s\r\n\r\n" % (4000 * b"a"), b"") as flood:
        assert client.ask(f"http://127.0.0.1:{flood.port}/")[1] == b"a"
