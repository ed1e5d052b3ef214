"""Network requests of apps, through a worker, the render host and the egress."""

import contextlib
import http.server
import os
import signal
import threading

import pytest

from test_engine import Client, needs_typescript, stand_still
from waiting import PATIENCE_S, let_pass, wait_until

pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK") or not os.environ.get("HAS_EGRESS"),
    reason="built without the Starlark renderer or without the egress",
)

GET = """load("http.star", "http")
load("render.star", "render")
def main(config):
    r = http.get(config["url"])
    print(r.status_code, r.body()[:5])
    return render.Root(child = render.Text("a"))
"""
FETCH = """import { Root, Text, type Input } from "panel";
export default async function main({ config }: Input) {
    const all = await Promise.all([1, 2, 3].map(async (n) => (await fetch(config.url + n)).text()));
    print(all.map((text) => text.slice(0, 5)));
    return Root({ child: Text({ content: "a" }) });
}
"""
FETCH_ONE = """import { Root, Text, type Input } from "panel";
export default async function main({ config }: Input) {
    const response = await fetch(config.url);
    print(response.status + " " + (await response.text()).slice(0, 5));
    return Root({ child: Text({ content: "a" }) });
}
"""
MANY = """load("http.star", "http")
def main(config):
    for i in range(100):
        http.get(config["url"] + str(i))
"""


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append(self.path)
        if self.path.startswith("/slow"):
            self.server.gate.wait(60)
        body = b"large" * 300_000 if self.path.startswith("/large") else b"hello"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serve(host, seen, gate):
    with http.server.ThreadingHTTPServer((host, 0), Handler) as running:
        running.daemon_threads = True
        running.seen, running.gate = seen, gate
        running.url = f"http://{host}:{running.server_address[1]}/"
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        gate.set()
        running.shutdown()


@pytest.fixture
def server():
    with serve("127.0.0.1", [], threading.Event()) as running:
        yield running


def start(tmp_path, monkeypatch, allowed):
    monkeypatch.setenv("EGRESS_ALLOW", allowed)
    return Client(tmp_path, 2)


@pytest.fixture
def client(tmp_path, monkeypatch):
    running = start(tmp_path, monkeypatch, "127.0.0.0/8")
    yield running
    running.end()


def config(url):
    return f'{{"url":"{url}"}}'


def test_apps_in_starlark(client, server):
    answer = client.ask_in_time(GET, config=config(server.url))
    assert (answer["kind"], answer["log"], answer["hosts"]) == ("done", "200 hello\n", "127.0.0.1")
    answer = client.ask_in_time(GET, config=config(server.url + "large"))
    assert answer["log"] == "200 large\n"
    assert client.renderers()["egress"]


@needs_typescript
def test_a_slow_server_is_not_the_script_s_time(client, server):
    number = client.submit(FETCH, language="TYPESCRIPT", config=config(server.url + "slow"))
    wait_until(lambda: len(server.seen) == 3, "its requests")
    let_pass(2.5)  # more than the limit of a script
    server.gate.set()
    assert client.wait(number)["kind"] == "done"


TIMED = """import { Root, Text, type Input } from "panel";
export default async function main({ config }: Input) {
    const slow = fetch(config.url + "slow", { signal: AbortSignal.timeout(300) }).catch((e) => e.name);
    const first = await Promise.race([fetch(config.url + "slow2"), new Promise((done) => setTimeout(done, 600, "timer"))]);
    print(await slow, first, (await fetch(config.url)).status);
    return Root({ child: Text({ content: "a" }) });
}
"""


@needs_typescript
def test_timers_end_the_wait_for_a_slow_server(client, server):
    """The script gives its turn up while it waits, and has one again when a timer is due."""
    numbers = [client.submit(TIMED, account=i, language="TYPESCRIPT", config=config(server.url)) for i in range(4)]
    answers = [client.wait(number) for number in numbers]
    assert [(answer["kind"], answer["log"]) for answer in answers] == [("done", "TimeoutError timer 200\n")] * 4, answers


@needs_typescript
def test_apps_in_typescript(client, server):
    answer = client.ask_in_time(FETCH, language="TYPESCRIPT", config=config(server.url + "large"))
    assert (answer["kind"], answer["hosts"]) == ("done", "127.0.0.1"), answer
    assert answer["log"] == '["large","large","large"]\n'


def test_several_at_a_time(client, server):
    numbers = [client.submit(GET, account=i, config=config(f"{server.url}{i}")) for i in range(12)]
    assert {client.wait(number)["log"] for number in numbers} == {"200 hello\n"}
    assert len(client.renderers()["egress"]) == 1


SHOWN = """load("render.star", "render")
def main(config):
    return render.Root(child = render.Text("a"))
"""


@pytest.mark.parametrize(("script", "language", "count"), [
    pytest.param(GET, "STARLARK", 6, id="starlark"),
    pytest.param(FETCH_ONE, "TYPESCRIPT", 4, id="typescript", marks=needs_typescript)])
def test_a_script_that_waits_holds_no_turn(client, server, script, language, count):
    """Two scripts may compute at a time, and more wait together."""
    numbers = [client.submit(script, account=1 + i % 4, language=language, config=config(f"{server.url}slow{i}"))
               for i in range(count)]
    wait_until(lambda: len(server.seen) == count, "all of them at the server")
    assert client.ask_in_time(SHOWN, account=9)["kind"] == "done"
    server.gate.set()
    answers = [client.wait(number) for number in numbers]
    assert {answer["log"] for answer in answers} == {"200 hello\n"}, [answer["message"] for answer in answers]


def test_an_account_parks_as_many_as_it_leaves_to_others(client, server):
    """20 of 40 wait, and one more keeps its turn. On a slow machine some may have waited for too long."""
    with serve("127.0.0.2", server.seen, server.gate) as second:  # an account has 20 requests at once to a host
        urls = [f"{(server, second)[i % 2].url}slow{i}" for i in range(24)]
        numbers = [client.submit(GET, account=1, config=config(url)) for url in urls]
        wait_until(lambda: len(server.seen) >= 21, "those that may")
        other = client.submit(GET, account=2, config=config(second.url + "slow-other"))
        wait_until(lambda: "/slow-other" in server.seen, "that of another account")
        assert client.ask_in_time(SHOWN, account=9)["kind"] == "done"
        begun = len(server.seen) - 1
        ended = sum(number in client.answers for number in numbers)
        assert 21 <= begun <= 21 + ended
        server.gate.set()
        assert client.wait(other)["log"] == "200 hello\n"
        answers = [client.wait(number) for number in numbers]
        late = ("the network takes too long", "takes more than 5s", "too busy")  # whichever limit comes first
        assert not [answer["message"] for answer in answers if answer["log"] != "200 hello\n"
                    and not any(words in answer["message"] for words in late)]
        assert sum(answer["log"] == "200 hello\n" for answer in answers) >= 24 - 21


def test_a_script_is_ended_while_it_waits(client, server):
    """A script without a waiting request, or whose process has ended, frees its place."""
    numbers = [client.submit(GET, account=1 + i, config=config(f"{server.url}slow{i}")) for i in range(4)]
    wait_until(lambda: len(server.seen) == 4, "all of them at the server")
    for pid in client.renderers()["render-starlark"]:
        os.kill(pid, signal.SIGKILL)
    assert {client.wait(number)["kind"] for number in numbers} == {"crash"}
    assert client.ask_in_time(SHOWN, account=9)["kind"] == "done"


def test_they_are_counted(client, server):
    answer = client.ask(MANY, config=config(server.url))
    assert "20 times at most" in answer["message"]
    assert len(server.seen) == 20


def test_an_account_has_a_share_of_a_host(client, server):
    """The share applies to all scripts of the account, and each gets the error."""
    client.ask(MANY, account=1, config=config(server.url))
    seen = len(server.seen)
    languages = [(GET, "STARLARK")] + [(FETCH, "TYPESCRIPT")] * bool(os.environ.get("HAS_TYPESCRIPT"))
    for script, language in languages:
        answer = client.ask_in_time(script, account=1, language=language, config=config(server.url + "b"))
        # Seconds may have passed, so two more requests are allowed each.
        if answer["kind"] != "done":
            assert "too many requests to 127.0.0.1" in answer["message"], answer
    assert len(server.seen) < seen + 20
    for i in range(30):
        answer = client.ask_in_time(GET, account=1, config=config(f"{server.url}c{i}"))
        if answer["kind"] != "done":
            break
    assert "too many requests to 127.0.0.1" in answer["message"]
    assert client.ask_in_time(GET, account=2, config=config(server.url + "d"))["kind"] == "done"


def test_private_addresses_are_refused(tmp_path, monkeypatch, server):
    client = start(tmp_path, monkeypatch, "192.168.77.77")
    answer = client.ask_in_time(GET, config=config(server.url))
    assert "127.0.0.1 has the address 127.0.0.1, which is not public" in answer["message"]
    assert not server.seen
    client.end()


def test_no_egress_runs_until_an_app_asks(client, server):
    client.must_draw()
    assert "egress" not in client.renderers()


def test_the_egress_dies(client, server):
    number = client.submit(GET, config=config(server.url + "slow"))
    wait_until(lambda: server.seen, "its request")
    (pid,) = client.renderers()["egress"]
    os.kill(pid, signal.SIGKILL)
    answer = client.wait(number)
    assert "the network is unavailable at the moment" in answer["message"]
    assert client.ask_in_time(GET, config=config(server.url))["log"] == "200 hello\n"


def test_the_egress_hangs(client, server):
    """The egress is killed, and the next one answers."""
    assert client.ask_in_time(GET, config=config(server.url))["kind"] == "done"
    (pid,) = client.renderers()["egress"]
    stand_still(pid)
    while (answer := client.ask_in_time(GET, config=config(server.url)))["kind"] != "done":
        assert "the network" in answer["message"]
    assert f'msg="egress did not respond, killed" pid={pid}' in "".join(client.log)
    assert answer["log"] == "200 hello\n"
    assert pid not in client.renderers()["egress"]


def test_the_render_host_dies(client, server):
    assert client.ask_in_time(GET, config=config(server.url))["kind"] == "done"
    os.kill(client.host, signal.SIGKILL)
    client.tell("host")
    client.host = client.others.get(timeout=PATIENCE_S)["number"]

    def look():  # until the worker has noticed
        answer = client.ask_in_time(GET, config=config(server.url))
        assert answer["kind"] in ("done", "unavailable") or "not there" in answer["message"], answer
        return answer["kind"] == "done" and answer

    assert wait_until(look, "an answer")["log"] == "200 hello\n"


def test_an_app_that_waits_keeps_no_other_waiting(client, server):
    slow = client.submit(GET, account=1, config=config(server.url + "slow"))
    wait_until(lambda: server.seen, "its request")
    assert client.ask_in_time(GET, account=2, config=config(server.url))["log"] == "200 hello\n"
    server.gate.set()
    assert client.wait(slow)["log"] == "200 hello\n"


def test_draining_while_an_app_waits(tmp_path, monkeypatch, server):
    client = start(tmp_path, monkeypatch, "127.0.0.0/8")
    client.submit(GET, config=config(server.url + "slow"))
    wait_until(lambda: server.seen, "its request")
    client.end()
