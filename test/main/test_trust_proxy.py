"""Where requests come from: what proxies say of it, where they are believed."""

import os
import re
import shutil
import socket
import subprocess

import pytest
from server import wait_until

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
CONFIG = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
	access_log off;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	server {{
		listen unix:{folder}/front;
		set_real_ip_from unix:;
		real_ip_header X-Test-Client;
		location / {{
			proxy_pass http://{upstream};
			proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
		}}
	}}
}}
"""


def remote_of(server, request_id):
    """The address that the access log has for this request."""
    found = wait_until(lambda: re.search(rf"remote=(\S+).*request_id={request_id}\b", server.log()),
                       "the access line")
    return found[1]


def ask(server, name, address=None, **fields):
    headers = {field.replace("_", "-"): value for field, value in fields.items()}
    assert server.request("GET", "/livez", headers=headers | {"X-Request-Id": name}).status == 200
    return remote_of(server, name)


def test_nobody_is_believed_by_default(launch):
    server = launch().start()
    assert ask(server, "plain") == "127.0.0.1"
    assert ask(server, "one", X_Forwarded_For="192.0.2.1") == "127.0.0.1"
    assert ask(server, "other", Forwarded="for=192.0.2.1") == "127.0.0.1"


def test_a_named_proxy_is_believed(launch):
    server = launch("--trust-proxy", "10.0.0.0/8", "--trust-proxy", "127.0.0.1/32").start()
    assert ask(server, "plain") == "127.0.0.1"
    assert ask(server, "one", X_Forwarded_For="198.51.100.9, 192.0.2.1, 10.2.3.4") == "192.0.2.1"
    assert ask(server, "other", Forwarded='for="[2001:db8::1]:80";proto=https') == "2001:db8::1"
    assert ask(server, "garbage", X_Forwarded_For="192.0.2.1, unknown") == "127.0.0.1"


@pytest.mark.skipif(not NGINX, reason="nginx is not installed")
def test_behind_nginx(launch, folder):
    """It adds its own peer's address to what the client has invented."""
    server = launch("--trust-proxy", "127.0.0.1").start()
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(folder=folder, upstream="%s:%s" % server.address))
    with subprocess.Popen([NGINX, "-c", path, "-p", folder]) as nginx:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                wait_until(lambda: client.connect_ex(f"{folder}/front") == 0, "nginx")
                client.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\nX-Request-Id: through-nginx\r\n"
                               b"X-Test-Client: 192.0.2.1\r\nX-Forwarded-For: 203.0.113.5\r\n"
                               b"Connection: close\r\n\r\n")
                assert client.recv(12) == b"HTTP/1.1 200"
            assert remote_of(server, "through-nginx") == "192.0.2.1"
        finally:
            nginx.terminate()
