"""displayctl app render: network requests of apps, answered by servers of the test."""

import http.server
import os
import subprocess
import threading

import pytest

DISPLAYCTL = os.environ["DISPLAYCTL"]
needs = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")
LOCAL = ("--egress-allow", "127.0.0.0/8")

STARLARK = """load("http.star", "http")
load("render.star", "render")
def main(config):
    r = http.get(config.get("url"), ttl_seconds = 60)
    print(r.status_code, r.body(), r.headers.get("Content-Type"))
    return render.Root(child = render.Text(r.body()))
"""
TYPESCRIPT = """import { Root, Text, type Input } from "panel";
export default async function main({ config }: Input) {
    const r = await fetch(config.url!, { ttlSeconds: 60 });
    const all = await Promise.all([r.text(), fetch(config.url + "?2").then((other) => other.text())]);
    print(r.status, all[0], r.headers.get("Content-Type"));
    return Root({ child: Text({ content: all.join("") }) });
}
"""
SCRIPTS = [("mine.star", STARLARK), ("mine.ts", TYPESCRIPT)]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append(self.path)
        body = b"large" * 100_000 if self.path == "/large" else b"hello"
        self.send_response(302 if self.path == "/away" else 200)
        self.send_header("Location", "http://169.254.169.254/latest/")
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.seen = []
        running.url = f"http://127.0.0.1:{running.server_address[1]}/"
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(params=SCRIPTS, ids=["starlark", "typescript"])
def render(request, tmp_path):
    name, script = request.param
    language = "HAS_TYPESCRIPT" if name.endswith(".ts") else "HAS_STARLARK"
    if not os.environ.get(language):
        pytest.skip("built without this renderer")
    (tmp_path / name).write_text(script)

    def run(url, *options):
        command = [DISPLAYCTL, "app", "render", tmp_path / name, f"url={url}", "-o", tmp_path / "out.webp"]
        return subprocess.run([*command, *options], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)

    return run


@needs
def test_an_app_asks_the_network(render, server, tmp_path):
    done = render(server.url, *LOCAL)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "200 hello text/plain\n"
    assert (tmp_path / "out.webp").read_bytes()[:4] == b"RIFF"
    assert server.seen[0] == "/"


@needs
def test_large_answers(render, server):
    done = render(server.url + "large", *LOCAL)
    assert done.stderr.startswith("200 l")  # what a panel does with such a text is another matter
    assert server.seen[0] == "/large"


def test_no_network(render, server):
    done = render(server.url, *LOCAL, "--no-network")
    assert done.returncode == 1
    assert "no network here" in done.stderr
    assert not server.seen


@needs
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "[::1]",
                                  "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "169.254.169.254"])
def test_private_addresses_are_refused(render, server, host):
    done = render(f"http://{host}:{server.server_address[1]}/")
    print(done.stderr)
    assert done.returncode == 1
    assert "which is not public" in done.stderr
    assert not server.seen


@needs
def test_where_redirects_lead_is_checked(render, server):
    done = render(server.url + "away", *LOCAL)
    assert done.returncode == 1
    assert "169.254.169.254 has the address 169.254.169.254, which is not public" in done.stderr


@needs
@pytest.mark.parametrize("url, words", [
    ("file:///etc/passwd", "must begin with https://"), ("unix:///proc/self/fd/3", "must begin with https://"),
    ("http://127.0.0.1:25/", "port 25"), ("http://name.invalid/", "host name.invalid was not found"),
])
def test_other_addresses(render, url, words):
    done = render(url, *LOCAL)
    assert done.returncode == 1 and words in done.stderr, done.stderr


def test_options_are_checked(render, server):
    for value in ("localhost", "unix", "10.0.0.1/8", ""):
        assert render(server.url, "--egress-allow", value).returncode == 2
