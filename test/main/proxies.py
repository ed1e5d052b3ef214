"""Proxies before displayd: nginx, Caddy and HAProxy, with the README's lines.

They listen on an address of their own, so that no connection from 127.0.0.1 has their port already.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess

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
		listen {host}:{port};
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
	timeout connect 60s
	timeout client 60s
	timeout server 60s
frontend front
	mode {mode}
	bind {host}:{port}
	default_backend displayd
{lines}
"""


def readme_lines(language):
    """The README's example in this language."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.search(rf"```{language}\n(.*?)```", file.read(), re.S)[1]


def free_port():
    with socket.socket() as found:
        found.bind((HOST, 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def running(command, folder, port):
    """The proxy, once it listens: its address."""
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


def nginx(folder, upstream):
    port = free_port()
    lines = readme_lines("nginx").replace("127.0.0.1:8080", upstream)
    path = write(folder, "nginx.conf",
                 NGINX_HTTP.format(folder=folder, host=HOST, port=port, lines=lines))
    return running([NGINX, "-c", path, "-p", folder], folder, port)


def nginx_stream(folder, upstream):
    port = free_port()
    path = write(folder, "nginx.conf",
                 NGINX_STREAM.format(folder=folder, host=HOST, port=port, upstream=upstream))
    return running([NGINX, "-c", path, "-p", folder], folder, port)


def caddy(folder, upstream):
    port = free_port()
    lines = readme_lines("caddyfile").replace("127.0.0.1:8080", upstream)
    lines = lines.replace("panels.example.org", f"http://{HOST}:{port}")
    path = write(folder, "Caddyfile", CADDYFILE.format(lines=lines))
    return running([CADDY, "run", "--config", path, "--adapter", "caddyfile"], folder, port)


def haproxy(folder, upstream, mode="http", lines=None):
    """lines: of the backend, which has the README's without."""
    port = free_port()
    lines = lines or readme_lines("haproxy").replace("127.0.0.1:8080", upstream)
    path = write(folder, "haproxy.cfg",
                 HAPROXY_CONFIG.format(host=HOST, port=port, mode=mode, lines=lines))
    return running([HAPROXY, "-db", "-f", path], folder, port)


def haproxy_tcp(folder, upstream, option):
    """option: send-proxy, send-proxy-v2. Health checks run, too, ten a second."""
    return haproxy(folder, upstream, mode="tcp", lines=f"""backend displayd
	mode tcp
	option httpchk GET /livez
	server displayd {upstream} {option} check inter 100ms
""")
