"""Bytes of the chunked coding that no body needs, and that nobody reads: they have the limits of a body."""

import pytest
from conftest import PATIENCE

HEAD = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
PADDED = b"000000000000001\r\nx\r\n"  # a chunk of a byte, which counts like 15
PADDING = {  # (chunk, trailers)
    "extensions": (b"1;a=bcdefgh\r\nx\r\n", b""),
    "zeros": (b"000000000001\r\nx\r\n", b""),
    "trailers": (b"1\r\nx\r\n", b"A: %s\r\n" % (1000 * b"b")),
}


@pytest.mark.parametrize("what", PADDING)
def test_padding_of_chunks_counts_like_a_body(server, what):
    """Extensions, zeros before sizes, and trailers are read by nobody, and have the limits of a body."""
    chunk, last = PADDING[what]
    for size, status in ((50, 413), (1 << 20, 200)):
        with server.client() as client:
            client.send(b"POST /echo?max=%d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" % size
                        + 40 * chunk + b"0\r\n" + last + b"\r\n")
            assert client.answer().status == status


def test_padding_of_an_unwanted_body_is_counted(start):
    """It is dropped up to 256 KiB, and ends the connection then."""
    with start("--body-ms", "600000", unix=True).client() as client:
        client.send(b"POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert client.answer().status == 200
        client.socket.settimeout(0.001)
        for _ in range(32):
            client.send_piece(1024 * PADDED)
            try:
                assert not client.fill()
                return
            except TimeoutError:
                pass
        pytest.fail("512 KiB were dropped")


def test_lines_of_chunks_buy_no_time(start):
    """Of six bytes that come in time, five are lines: the body does not keep its pace."""
    with start("--body-ms", "200", unix=True).client() as client:
        client.send(HEAD)
        for _ in range(300):
            client.send_piece(140 * b"1\r\nx\r\n")
            client.socket.settimeout(0.01)
            try:
                client.fill()
                break
            except TimeoutError:
                pass
        else:
            pytest.fail("42,000 chunks were taken")
        client.socket.settimeout(PATIENCE)
        assert client.answer().status == 408


def test_padding_takes_of_the_share(start):
    """As bytes of a body do."""
    server = start("--bodies-bytes", str(1 << 20))
    with server.client() as client:
        client.send(HEAD + 40000 * PADDED)
        assert client.answer().status == 503
