"""Proxies before displayd: nginx, Caddy and HAProxy, with the configurations of docs/deploy, or with
those of their lines that are not about TLS.

They listen on an address of their own, so that no connection from 127.0.0.1 has their port already.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import threading

from ports import free_port
from server import ROOT, wait_until

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
NGINX = shutil.which("nginx", path=PATH)
STREAM = "/usr/lib/nginx/modules/ngx_stream_module.so"
HAPROXY = shutil.which("haproxy", path=PATH)
CADDY = shutil.which("caddy", path=PATH)
HOST = "127.0.0.3"

NGINX_MAIN = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
"""
NGINX_HTTP = NGINX_MAIN + """
http {{
	access_log off;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	server {{
		listen {host}:{port}{tls};
		{lines}
	}}
}}
"""
NGINX_STREAM = "load_module " + STREAM + ";" + NGINX_MAIN + """
stream {{
	server {{
		listen {host}:{port};
		proxy_pass {upstream};
		proxy_protocol on;
	}}
}}
"""
CADDYFILE = """
{{
	admin off
	auto_https off
}}
{lines}
"""
HAPROXY_CONFIG = """
defaults
	mode {mode}
	timeout connect 60s
	timeout client 60s
	timeout server 60s
frontend front
	bind {host}:{port}
	default_backend displayd
{lines}
"""


def deployed(name):
    """A configuration of docs/deploy."""
    with open(os.path.join(ROOT, "docs/deploy", name), encoding="utf-8") as file:
        return file.read()


def with_tls(text):
    """The server of nginx's configuration that uses TLS."""
    return text.partition("listen 443")[2]


def found(pattern, text):
    """The block that begins with the pattern, up to its closing brace or a blank line."""
    return re.search(pattern + r".*?(?:^\t?\}$|\Z|\n\n)", text, re.S | re.M)[0]


@contextlib.contextmanager
def running(command, folder, port):
    """Starts the proxy and waits until it listens. Returns its address."""
    environment = os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment) as process:
        def listens():
            assert process.poll() is None, f"{command[0]} has ended"
            with socket.socket() as client:
                return client.connect_ex((HOST, port)) == 0
        try:
            wait_until(listens, command[0])
            yield HOST, port
        finally:
            process.terminate()


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def nginx(folder, upstream, prefix="/", tls=""):
    """prefix: path below which displayd is reached; nginx removes it. tls: lines of TLS; without them, plain HTTP."""
    port = free_port(HOST)
    if prefix == "/":
        lines = found(r"^\tlocation / \{", with_tls(deployed("nginx.conf")))
    else:
        lines = found(r"^\tlocation /leds/ \{", with_tls(deployed("nginx-below-a-path.conf")))
        lines = re.sub(r"access_log .*", "", lines.replace("/leds/", prefix))
    path = write(folder, "nginx.conf",
                 NGINX_HTTP.format(folder=folder, host=HOST, port=port,
                                   lines=lines.replace("127.0.0.1:8080", upstream) + tls,
                                   tls=" ssl" if tls else ""))
    return running([NGINX, "-c", path, "-p", folder], folder, port)


def nginx_stream(folder, upstream):
    port = free_port(HOST)
    path = write(folder, "nginx.conf",
                 NGINX_STREAM.format(folder=folder, host=HOST, port=port, upstream=upstream))
    return running([NGINX, "-c", path, "-p", folder], folder, port)


def caddy(folder, upstream):
    port = free_port(HOST)
    lines = deployed("Caddyfile").replace("127.0.0.1:8080", upstream)
    lines = f"http://{HOST}:{port} {{" + lines.partition("\npanels.example.org {")[2]
    path = write(folder, "Caddyfile", CADDYFILE.format(lines=lines))
    return running([CADDY, "run", "--config", path, "--adapter", "caddyfile"], folder, port)


def haproxy(folder, upstream, mode="http", lines=None):
    """lines: of the backend, instead of those of docs/deploy."""
    port = free_port(HOST)
    lines = lines or found(r"^backend displayd$", deployed("haproxy.cfg")).replace(
        "127.0.0.1:8080", upstream)
    path = write(folder, "haproxy.cfg",
                 HAPROXY_CONFIG.format(host=HOST, port=port, mode=mode, lines=lines))
    return running([HAPROXY, "-db", "-f", path], folder, port)


def haproxy_tcp(folder, upstream, option):
    """option: send-proxy or send-proxy-v2. HAProxy also sends ten health checks a second."""
    return haproxy(folder, upstream, mode="tcp", lines=f"""backend displayd
	mode tcp
	option httpchk GET /livez
	server displayd {upstream} {option} check inter 100ms
""")


# ---- the configurations of docs/deploy, complete ----

NAME = "panels.example.org"
CADDY_GLOBAL = """
{{
	admin off
	auto_https disable_redirects
}}
"""
# Settings of Debian's nginx.conf around the files of conf.d, except those that need root.
NGINX_AROUND = NGINX_HTTP[:NGINX_HTTP.index("\tserver")].replace(
    "access_log off;", "access_log {folder}/access.log; gzip on;") + "{lines}\n}}\n"


class Replaced:
    """Text in which values of the reader's machine are replaced by those of the test's. Each must be present."""

    def __init__(self, text):
        self.text = text

    def put(self, old, new):
        assert old in self.text, old
        self.text = self.text.replace(old, new)
        return self


class Front:
    """Addresses of a complete proxy for https and for http. log(): its access log, or None."""

    def __init__(self, https, http, log=None):
        self.https, self.http, self.log = https, http, log


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class LogSocket:
    """A socket such as /dev/log, read continuously: the kernel keeps few messages."""

    def __init__(self, path):
        self.messages = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while message := self.socket.recv(65536):
            self.messages.append(message.decode())

    def text(self):
        return "\n".join(self.messages)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()


@contextlib.contextmanager
def complete_nginx(folder, upstream, made, name="nginx.conf"):
    """made: a certificate and its key (certificates.make())."""
    plain, port = free_port(HOST), free_port(HOST)
    host = NAME if name == "nginx.conf" else NAME.partition(".")[2]
    log = os.path.join(folder, "displayd.log")
    lines = Replaced(deployed(name)).put("listen 80;", f"listen {HOST}:{plain};")
    lines.put("listen 443 ssl http2;", f"listen {HOST}:{port} ssl http2;")
    lines.put("listen [::]:80;", "").put("listen [::]:443 ssl http2;", "")
    lines.put(f"/etc/letsencrypt/live/{host}/fullchain.pem", made.certificate)
    lines.put(f"/etc/letsencrypt/live/{host}/privkey.pem", made.key)
    lines.put("/var/log/nginx/displayd.log", log).put("127.0.0.1:8080", upstream)
    path = write(folder, "nginx.conf", NGINX_AROUND.format(folder=folder, lines=lines.text))
    with running([NGINX, "-c", path, "-p", folder], folder, port) as https:
        yield Front(https, (HOST, plain), lambda: read_text(log))


def complete_nginx_below_a_path(folder, upstream, made):
    return complete_nginx(folder, upstream, made, "nginx-below-a-path.conf")


@contextlib.contextmanager
def complete_caddy(folder, upstream, made):
    """With a certificate of the test, since no authority issues one here."""
    plain, port = free_port(HOST), free_port(HOST)
    lines = Replaced(deployed("Caddyfile")).put("127.0.0.1:8080", upstream)
    lines.put(f"\nhttp://{NAME} {{", f"\nhttp://{NAME}:{plain} {{\n\tbind {HOST}")
    lines.put(f"\n{NAME} {{", f"\nhttps://{NAME}:{port} {{\n\tbind {HOST}\n"
              f"\ttls {made.certificate} {made.key}")
    path = write(folder, "Caddyfile", CADDY_GLOBAL.format() + lines.text)
    with running([CADDY, "run", "--config", path, "--adapter", "caddyfile"], folder, port) as https:
        yield Front(https, (HOST, plain))


@contextlib.contextmanager
def complete_haproxy(folder, upstream, made):
    plain, port = free_port(HOST), free_port(HOST)
    both = os.path.join(folder, "both.pem")
    write(folder, "both.pem", (made.pem() + made.key_pem()).decode())
    log = os.path.join(folder, "log")
    lines = Replaced(deployed("haproxy.cfg")).put("bind :::80 v4v6", f"bind {HOST}:{plain}")
    lines.put("bind :::443 v4v6 ", f"bind {HOST}:{port} ").put("/etc/haproxy/panels.example.org.pem", both)
    lines.put("\tuser haproxy\n\tgroup haproxy\n", "").put("/dev/log", log)
    lines.put("127.0.0.1:8080", upstream)
    path = write(folder, "haproxy.cfg", lines.text)
    with LogSocket(log) as logged, running([HAPROXY, "-db", "-f", path], folder, port) as https:
        yield Front(https, (HOST, plain), logged.text)
