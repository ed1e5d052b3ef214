"""TLS listeners: answers to clients of all kinds, and messages to the operator."""

import os
import signal
import ssl
import subprocess

import certificates
import pytest
import tls
from cryptography import x509
from server import PATIENCE_S, Server, wait_until

TLS12, TLS13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
BOTH = pytest.mark.parametrize("version", [TLS12, TLS13], ids=["TLSv1.2", "TLSv1.3"])


class Site:
    """A running server with certificates of several names."""

    def __init__(self, folder):
        self.first = certificates.make(folder, "first")
        self.rsa = certificates.make(folder, "rsa", ["rsa.example.org"], key="rsa")
        self.wild = certificates.make(folder, "wild", ["*.wild.example.org"], key="p384")
        self.both = [certificates.make(folder, "both-" + key, ["both.example.org"], key=key)
                     for key in ("ec", "rsa")]
        self.all = [self.first, self.rsa, self.wild, *self.both]
        pairs = [option for one in self.all for option in one.options]
        self.server = Server("--tls-listen", "127.0.0.1:0", *pairs)

    def start(self):
        self.server.start()
        self.port = tls.port_of(self.server)
        return self

    def context(self, **options):
        return tls.context(*self.all, **options)

    def connect(self, name="localhost", session=None, made=None, **options):
        return tls.connect(self.port, made or self.context(**options), name, session)

    def certificate_for(self, name, **options):
        """Common name of the certificate that the server presents."""
        made = tls.context(**options)
        with tls.connect(self.port, made, name) as stream:
            shown = x509.load_der_x509_certificate(stream.getpeercert(True))
        return shown.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)[0].value


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(str(tmp_path_factory.mktemp("tls")))
    try:
        yield site.start()
    finally:
        site.server.remove()


@pytest.fixture(scope="module")
def hanging(site):
    """Connections that never complete their handshake, opened when the module starts."""
    hello, _ = tls.Piecewise(tls.context()).step()
    streams = [tls.raw(site.port) for _ in range(4)]
    streams[1].sendall(hello[:3])
    streams[2].sendall(hello[:-1])
    streams[3].sendall(hello)
    yield streams
    for stream in streams:
        stream.close()


@pytest.fixture(autouse=True)
def begin_hanging(hanging):
    return hanging


class TestVersions:
    @BOTH
    def test_requests_on_one_connection(self, site, version):
        with site.connect(version=version) as stream:
            assert stream.version() == version.name.replace("_", ".").replace("TLSv1.", "TLSv1.")
            for _ in range(3):
                assert tls.ask(stream).body == b"ok\n"

    @pytest.mark.parametrize("kind", ["ECDSA", "RSA"])
    @pytest.mark.parametrize("cipher", ["AES128-GCM-SHA256", "AES256-GCM-SHA384",
                                        "CHACHA20-POLY1305"])
    def test_ciphers(self, site, kind, cipher):
        name = "localhost" if kind == "ECDSA" else "rsa.example.org"
        with site.connect(name, version=TLS12, ciphers=f"ECDHE-{kind}-{cipher}") as stream:
            assert stream.cipher()[0] == f"ECDHE-{kind}-{cipher}"
            assert tls.ask(stream).status == 200

    @pytest.mark.parametrize("cipher", ["AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA",
                                        "DHE-RSA-AES128-GCM-SHA256",
                                        "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-CCM"])
    def test_ciphers_that_are_not_spoken(self, site, cipher):
        for name in ("localhost", "rsa.example.org"):
            with pytest.raises(ssl.SSLError):
                site.connect(name, version=TLS12, ciphers=cipher + ":@SECLEVEL=0")

    @pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
    def test_old_versions(self, site, version):
        with pytest.raises(ssl.SSLError), pytest.warns(DeprecationWarning):
            site.connect(version=version, ciphers="ALL:@SECLEVEL=0")

    @pytest.mark.parametrize("version", ["tls1_2", "tls1_3"])
    @pytest.mark.parametrize("curve", ["P-256", "X25519"])
    def test_curves(self, site, version, curve):
        said = s_client(site.port, "-" + version, "-groups", curve, "-servername", "rsa.example.org")
        assert "Cipher is (NONE)" not in said
        assert f"Server Temp Key: {'ECDH, prime256v1' if curve == 'P-256' else curve}" in said

    @BOTH
    def test_unknown_curve(self, site, version):
        with pytest.raises(ssl.SSLError):
            site.connect(version=version, curve="secp384r1")

    def test_alpn(self, site):
        with site.connect(protocols=["h2", "http/1.1"]) as stream:
            assert stream.selected_alpn_protocol() == "http/1.1"
            assert tls.ask(stream).status == 200
        with site.connect() as stream:
            assert stream.selected_alpn_protocol() is None
        with pytest.raises(ssl.SSLError):
            site.connect(protocols=["h2"])


def s_client(port, *arguments, said=b""):
    """Output of openssl's client."""
    done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", *arguments],
                          input=said, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, timeout=PATIENCE_S)
    return done.stdout.decode(errors="replace")


class TestNames:
    @BOTH
    @pytest.mark.parametrize("name,expected", [
        (None, "first"), ("localhost", "first"), ("rsa.example.org", "rsa"),
        ("RSA.Example.ORG", "rsa"), ("a.wild.example.org", "wild"), ("wild.example.org", "first"),
        ("a.b.wild.example.org", "first"), ("unknown.example.org", "first"),
    ])
    def test_certificate_by_name(self, site, version, name, expected):
        assert site.certificate_for(name, version=version) == expected

    @pytest.mark.parametrize("kind,expected", [("RSA", "both-rsa"), ("ECDSA", "both-ec")])
    def test_certificate_by_the_kind_of_key_that_a_client_knows(self, site, kind, expected):
        ciphers = f"ECDHE-{kind}-AES128-GCM-SHA256"
        assert site.certificate_for("both.example.org", version=TLS12, ciphers=ciphers) == expected


class TestSessions:
    @BOTH
    def test_a_ticket_opens_in_all_workers(self, site, version):
        made = site.context(version=version)
        with site.connect(made=made) as stream:
            tls.ask(stream)
            session = stream.session
        for _ in range(12):
            with site.connect(made=made, session=session) as stream:
                assert stream.session_reused
                assert tls.ask(stream).status == 200

    @BOTH
    def test_a_ticket_outlives_the_worker(self, site, version):
        made = site.context(version=version)
        with site.connect(made=made) as stream:
            tls.ask(stream)
            session = stream.session
        for worker in site.server.workers():
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: answers(site), "new workers")
        with site.connect(made=made, session=session) as stream:
            assert stream.session_reused
            assert tls.ask(stream).status == 200

    def test_a_foreign_ticket_is_no_harm(self, site, serve):
        """A ticket of a server with other keys leads to a full handshake."""
        other = serve("--tls-listen", "127.0.0.1:0", *site.first.options, workers=1).start()
        for version in (TLS12, TLS13):
            made = site.context(version=version)
            with tls.connect(tls.port_of(other), made) as stream:
                tls.ask(stream)
                session = stream.session
            with site.connect(made=made, session=session) as stream:
                assert not stream.session_reused
                assert tls.ask(stream).status == 200


def answers(site):
    try:
        with site.connect() as stream:
            return tls.ask(stream).status == 200
    except OSError:
        return False


class TestBytes:
    """Malformed and unusual bytes from untrusted clients."""

    @BOTH
    def test_a_hello_byte_by_byte(self, site, version):
        def send(stream, data):
            for at in range(len(data)):
                stream.send(data[at:at + 1])

        client = tls.Piecewise(site.context(version=version))
        with tls.raw(site.port) as stream:
            stream.setsockopt(6, 1, 1)
            client.run(stream, send)
            assert client.ask(stream) == 200

    @BOTH
    @pytest.mark.parametrize("most", [1, 3, 16, 100])
    def test_a_hello_in_many_records(self, site, version, most):
        """A ClientHello in many records, even of fewer than 4 bytes: programs that evade inspection send
        these, though mbedTLS rejects them."""
        client = tls.Piecewise(site.context(version=version))
        is_first = [True]

        def send(stream, data):
            stream.sendall(tls.split_records(data, most) if is_first[0] else data)
            is_first[0] = False

        with tls.raw(site.port) as stream:
            client.run(stream, send)
            assert client.ask(stream) == 200

    @BOTH
    @pytest.mark.parametrize("first", [1, 2, 3, 4])
    def test_a_hello_whose_first_record_is_small(self, site, version, first):
        client = tls.Piecewise(site.context(version=version))
        hello, _ = client.step()
        with tls.raw(site.port) as stream:
            for part in tls.split_first_record(hello, first):
                stream.sendall(part)
            client.incoming.write(stream.recv(65536))
            client.run(stream, lambda stream, data: stream.sendall(data))
            assert client.ask(stream) == 200

    @pytest.mark.parametrize("data", [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\xff\xff" + bytes(1000),
        b"\x16\x03\x01\x00\x00" * 100,
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"\x17\x03\x03\x00\x20" + bytes(32),
        b"\x16\x03\x01\x00\x04\x01\x00\x00\x00",
        b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc" + bytes(0x3ffc),
        b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + bytes(40),
        bytes(200_000),
        b"\x16\x03\x01\x00\x01\x01" * 20_000,
        b"\x16\x03\x01\x00\x01\x01\x16\x03\x01\x00\x03\x00\x00\x01\x15\x03\x01\x00\x02\x02\x28",
    ], ids=["http", "too-long", "empty", "alert", "data", "empty-hello", "zeroes", "sslv2",
            "nothing", "many-bytes", "cut-by-alert"])
    def test_what_is_no_handshake(self, site, data):
        with tls.raw(site.port) as stream:
            try:
                stream.sendall(data)
                while stream.recv(65536):
                    pass
            except ConnectionError:
                pass
        assert answers(site)

    @BOTH
    def test_a_damaged_record_ends_the_connection(self, site, version):
        client = tls.Piecewise(site.context(version=version))
        with tls.raw(site.port) as stream:
            client.run(stream, lambda stream, data: stream.sendall(data))
            assert client.ask(stream) == 200
            client.object.write(tls.REQUEST % b"/livez")
            data = bytearray(client.outgoing.read())
            data[-1] ^= 1
            stream.sendall(data)
            while stream.recv(65536):  # an alert
                pass
        assert answers(site)

    def test_renegotiation_is_refused(self, site):
        assert "no renegotiation" in s_client(site.port, "-tls1_2", said=b"R\n")

    def test_a_request_behind_the_handshake_at_once(self, site):
        """A request in the same segment as the client's last handshake message is answered."""
        client = tls.Piecewise(site.context(version=TLS13))
        hello, _ = client.step()
        with tls.raw(site.port) as stream:
            stream.sendall(hello)
            is_done = False
            while not is_done:
                client.incoming.write(stream.recv(65536))
                last, is_done = client.step()
            client.object.write(tls.REQUEST % b"/livez")
            stream.sendall(last + client.outgoing.read())
            assert b"200" in client_read(client, stream)

    def test_the_hello_and_then_nothing(self, site):
        hello, _ = tls.Piecewise(site.context()).step()
        for _ in range(50):
            with tls.raw(site.port) as stream:
                stream.sendall(hello)
        assert answers(site)


def client_read(client, stream):
    while True:
        try:
            return client.object.read(65536)
        except ssl.SSLWantReadError:
            client.incoming.write(stream.recv(65536))


class TestEnds:
    @BOTH
    def test_the_server_says_that_it_ends(self, site, version):
        with site.connect(version=version) as stream:
            stream.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert tls.read_answer(stream).status == 200
            # An end without close_notify would raise an error here.
            assert stream.recv(100) == b""

    @BOTH
    def test_the_client_says_that_it_ends(self, site, version):
        with site.connect(version=version) as stream:
            assert tls.ask(stream).status == 200
            stream.settimeout(PATIENCE_S)
            try:
                stream.unwrap().close()
            except (ssl.SSLError, ConnectionError):
                pass  # the server need not answer it

    def test_a_request_and_the_end_at_once(self, site):
        """The answer is sent even if the client ends the connection with its request."""
        client = tls.Piecewise(site.context(version=TLS12))
        with tls.raw(site.port) as stream:
            client.run(stream, lambda stream, data: stream.sendall(data))
            client.object.write(tls.REQUEST % b"/livez")
            try:
                client.object.unwrap()
            except ssl.SSLWantReadError:
                pass
            stream.sendall(client.outgoing.read())
            while piece := stream.recv(65536):
                client.incoming.write(piece)
            assert client.object.read(65536).startswith(b"HTTP/1.1 200 ")


class TestUrls:
    def test_they_say_https(self, site):
        assert site.server.url == f"https://localhost:{site.port}"

    @BOTH
    def test_a_panel(self, site, version):
        email = f"{version.name.lower()}@example.org"
        site.server.ctl("account", "create", email, "--name", "Panel")
        device = site.server.ctl("device", "create", "--account", email, "--name", "Desk")
        assert device["websocketUrl"].startswith(f"wss://localhost:{site.port}/")
        tls.panel_shows(device["websocketUrl"], site.first.certificate)


class TestReload:
    """A certificate file is renewed, and SIGHUP loads it."""

    def reload(self, site, text):
        count = site.server.log().count(text)
        site.server.process.send_signal(signal.SIGHUP)
        site.server.wait_for_log(text, count + 1)

    def renew(self, site, **options):
        """Writes another certificate into the files of the first one."""
        made = certificates.make(os.path.dirname(site.first.certificate), "first", **options)
        site.first.made, site.first.secret = made.made, made.secret
        return made

    @BOTH
    def test_connections_stay(self, site, version):
        made = site.context(version=version)
        email = f"reload-{version.name.lower()}@example.org"
        site.server.ctl("account", "create", email, "--name", "Panel")
        device = site.server.ctl("device", "create", "--account", email, "--name", "Desk")
        workers = site.server.workers()
        with site.connect(made=made) as stream, Socket(site, made, device) as panel:
            assert tls.ask(stream).status == 200
            before = shown(site)
            self.renew(site)
            self.reload(site, "new certificates in force")
            self.reload(site, "nothing changed")
            assert shown(site) != before
            assert tls.ask(stream).status == 200
            # The panel gets a change over its existing connection.
            site.server.ctl("device", "update", device["id"], "--brightness", "7")
            panel.wait_for(b'"brightness":7')
            with site.connect(made=made, session=stream.session) as again:
                assert again.session_reused
        assert site.server.workers() == workers

    @pytest.mark.parametrize("spoil,expected", [
        (lambda site: site.first.write([]), "is empty"),
        (lambda site: os.unlink(site.first.certificate), "no such file"),
        (lambda site: os.rename(site.first.certificate, site.first.certificate + ".old"),
         "no such file"),
    ], ids=["empty", "gone", "renamed"])
    def test_a_faulty_file_changes_nothing(self, site, spoil, expected):
        before = shown(site)
        try:
            spoil(site)
            self.reload(site, expected)
            assert shown(site) == before
        finally:
            site.first.write([site.first])

    def test_another_name_reaches_the_urls(self, site):
        self.renew(site, names=["other.example.org", "localhost"])
        self.reload(site, "new configuration in force")
        assert site.server.url == f"https://other.example.org:{site.port}"
        assert answers(site)
        self.renew(site)
        wait_until(lambda: len(site.server.children()[0]) == 2, "the old workers' end")
        self.reload(site, "new configuration in force")
        assert site.server.url == f"https://localhost:{site.port}"


def shown(site):
    """The certificate that a new connection gets."""
    with tls.connect(site.port, tls.context()) as stream:
        return stream.getpeercert(True)


class Socket:
    """A panel's WebSocket of which only the server's bytes matter."""

    def __init__(self, site, made, device):
        self.stream = tls.connect(site.port, made)
        self.stream.sendall("\r\n".join([
            f"GET {site.server.path_of(device['websocketUrl'])} HTTP/1.1", "Host: a",
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]).encode())
        self.seen = b""
        self.wait_for(b"HTTP/1.1 101 ")

    def wait_for(self, text):
        while text not in self.seen:
            piece = self.stream.recv(65536)
            assert piece, "the server has closed it"
            self.seen += piece

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()


def test_a_chain_is_sent(folder, serve):
    between = certificates.make(folder, "between", names=())
    leaf = certificates.make(folder, "leaf", issuer=between)
    leaf.write([leaf, between])
    server = serve("--tls-listen", "127.0.0.1:0", *leaf.options, workers=1, listen=None)
    server.launch()
    server.wait_for_log("msg=ready")
    assert s_client(tls.port_of(server), "-showcerts").count("BEGIN CERTIFICATE") == 2


def test_only_tls_listens(folder, serve):
    """With TLS listeners alone, nothing listens at the default address."""
    made = certificates.make(folder, "own")
    server = serve("--tls-listen", "127.0.0.1:0", *made.options, workers=1, listen=None)
    server.launch()
    server.wait_for_log("msg=ready")
    assert server.log().count("msg=listening") == 1
    assert f"url=https://localhost:{tls.port_of(server)}" in server.log()


def test_a_handshake_that_hangs_is_ended(site, hanging):
    for stream in hanging:
        while stream.recv(65536):
            pass
    assert answers(site)
