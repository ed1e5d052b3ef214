"""displayctl panel over TLS, which nginx terminates before displayd."""

import certificates
import proxies
import pytest
from tls import panel_shows

NGINX_TLS = """
	ssl_certificate {certificate};
	ssl_certificate_key {key};
	ssl_protocols {protocols};
	ssl_prefer_server_ciphers on;
"""


@pytest.fixture(scope="module")
def path(running):
    """Path of a device's WebSocket."""
    email = "panel@example.org"
    running.ctl("account", "create", email, "--name", "Panel")
    device = running.ctl("device", "create", "--account", email, "--name", "Desk")
    return running.path_of(device["websocketUrl"])


@pytest.mark.skipif(not proxies.NGINX, reason="nginx is not installed")
@pytest.mark.parametrize("key", ["rsa", "ec"])
@pytest.mark.parametrize("protocols", ["TLSv1.2", "TLSv1.3"])
def test_a_panel_behind_nginx(running, path, folder, protocols, key):
    """nginx follows its own order of preference."""
    made = certificates.make(folder, "proxy", key=key, names=[proxies.HOST])
    tls = NGINX_TLS.format(certificate=made.certificate, key=made.key, protocols=protocols)
    with proxies.nginx(folder, "%s:%s" % running.address, tls=tls) as (host, port):
        panel_shows(f"wss://{host}:{port}{path}", made.certificate)
