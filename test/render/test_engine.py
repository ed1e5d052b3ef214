"""The engines of a worker with real renderers: a loop, a render host, processes in the sandbox."""

import contextlib
import io
import json
import os
import pathlib
import queue
import signal
import subprocess
import threading

import PIL.Image
import pytest
from hostile_scripts import LIMIT
from waiting import PATIENCE_S, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPS = ROOT / "share/apps"
CLIENT = os.environ["ENGINE_CLIENT"]

needs_typescript = pytest.mark.skipif(
    not os.environ.get("HAS_TYPESCRIPT"), reason="built without the TypeScript renderer"
)
pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer"
)

STARLARK = 'load("render.star", "render")\nload("schema.star", "schema")\n'
RED = STARLARK + 'def main(config):\n    return render.Root(child = render.Box(color = "#f00"))\n'
RED_TS = (
    'import { Root, Box } from "panel";\n'
    "export default function main(): unknown {\n"
    '  console.log("hello");\n'
    '  return Root({ child: Box({ color: "#f00" }) });\n'
    "}\n"
)
ENDLESS = """def main(config):
    for i in range(1000000000):
        pass
"""


def state_of(thread):
    """T: stopped."""
    return (thread / "stat").read_text().rsplit(")", 1)[1].split()[0]


def stand_still(pid):
    """Stops a process. On a busy machine its threads run on for a while."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: all(state_of(thread) == "T"
                           for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()), "a stop")


def hurry(renderers):
    """Gives all their threads precedence over other processes. A low priority does not slow them down on a
    busy machine: they yield every few steps."""
    for pid in sum(renderers.values(), []):
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(1))
    return renderers


class Client:
    def __init__(self, folder, processes, idle_ms=0):
        self.folder = folder
        self.process = subprocess.Popen(
            [CLIENT, str(processes), str(idle_ms)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.answers = {}
        self.others = queue.Queue()
        self.changed = threading.Condition()
        self.log = []
        self.count = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_log, daemon=True).start()
        self.host = self.others.get(timeout=PATIENCE_S)["number"]

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            if "name" in answer:
                self.others.put(answer)
                continue
            with self.changed:
                self.answers[answer["number"]] = answer
                self.changed.notify_all()

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def submit(self, script, what="picture", language="STARLARK", account=1, preview=False,
               config="{}"):
        self.count += 1
        path = self.folder / f"script{self.count}"
        path.write_text(script)
        self.tell(f"submit {self.count} {what} {language} {account} {int(preview)} {path} {config}")
        return self.count

    def wait(self, number):
        with self.changed:
            assert self.changed.wait_for(lambda: number in self.answers, PATIENCE_S)
            return self.answers[number]

    def ask(self, script, **options):
        return self.wait(self.submit(script, **options))

    def ask_in_time(self, script, **options):
        """Repeats until the script did not exceed its time, which it may on a busy machine; from then on
        renderers are hurried. For a user without that right the test is skipped."""
        is_late = False

        def ask():
            nonlocal is_late
            number = self.submit(script, **options)
            if is_late:
                self.wait_for_renderers(hurry)
            answer = self.wait(number)
            is_late = "takes more than" in answer["message"]
            return not is_late and answer

        try:
            return wait_until(ask, "an answer in time")
        except TimeoutError:
            if os.getuid() == 0 or os.getloadavg()[0] < os.cpu_count():
                raise
            pytest.skip("the limit of time comes first: the machine is busy")

    def must_draw(self, **options):
        answer = self.ask_in_time(RED, **options)
        assert answer["kind"] == "done", answer

    def ping(self):
        self.tell("ping")
        return self.others.get(timeout=PATIENCE_S)["name"]

    def renderers(self):
        """Process IDs by program."""
        found = {}
        with open(f"/proc/{self.host}/task/{self.host}/children", encoding="ascii") as file:
            pids = [int(word) for word in file.read().split()]
        for pid in pids:
            try:
                with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                    found.setdefault(file.read().strip(), []).append(pid)
            except OSError:
                continue
        return found

    def wait_for_renderers(self, condition):
        found = {}

        def look():
            found.clear()
            found.update(self.renderers())
            return condition(found)

        wait_until(look, f"such renderers, but {found}")
        return found

    def stop_renderer(self):
        """Stops the renderer for Starlark, which answers nothing from then on."""
        self.must_draw()
        (pid,) = self.renderers()["render-starlark"]
        stand_still(pid)
        return pid

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(PATIENCE_S)
        assert code == 0, "".join(self.log)


@pytest.fixture
def launch(tmp_path):
    clients = []

    def start(processes=1, idle_ms=0):
        clients.append(Client(tmp_path, processes, idle_ms))
        return clients[-1]

    yield start
    for client in clients:
        client.end()


@pytest.fixture
def client(launch):
    return launch()


def pixels(answer):
    with PIL.Image.open(io.BytesIO(bytes.fromhex(answer["picture"]))) as picture:
        return picture.convert("RGB").tobytes()


RED_PIXELS = b"\xff\0\0" * 64 * 32


def test_nothing_runs_until_there_is_something_to_render(client):
    assert client.renderers() == {}
    answer = client.ask_in_time(RED)
    assert answer["kind"] == "done"
    assert pixels(answer) == RED_PIXELS
    (pid,) = client.renderers()["render-starlark"]
    client.must_draw()
    assert client.renderers() == {"render-starlark": [pid]}
    assert 'layers="' in "".join(client.log)


def test_requests_do_not_wait_for_renderers(client):
    client.submit(RED)
    found = client.wait_for_renderers(lambda found: "render-starlark" in found)
    assert os.getpriority(os.PRIO_PROCESS, found["render-starlark"][0]) >= 10


def test_one_with_nothing_to_do_ends(launch):
    client = launch(idle_ms=500)
    client.must_draw()
    client.wait_for_renderers(lambda found: found == {})
    client.must_draw()


@needs_typescript
def test_typescript_is_compiled_run_and_painted(client):
    answer = client.ask_in_time(RED_TS, language="TYPESCRIPT")
    assert answer["kind"] == "done"
    assert pixels(answer) == RED_PIXELS
    assert answer["log"] == "hello\n"
    assert answer["compiled"] > 0
    client.wait_for_renderers(lambda found: sorted(found) == ["render-starlark", "render-typescri"])


@needs_typescript
def test_a_script_that_does_not_compile(client):
    answer = client.ask("export default function main() {\n  return 1 +;\n}\n", what="compile",
                        language="TYPESCRIPT")
    assert (answer["kind"], answer["file"]) == ("script", "app.ts")
    assert (answer["line"], answer["column"]) == (2, 13)
    assert client.ask(RED_TS, what="compile", language="TYPESCRIPT")["compiled"] > 0
    client.wait_for_renderers(lambda found: found == {})


def test_schema_and_handler(client):
    script = STARLARK + (
        "def find(pattern):\n    return [schema.Option(display = pattern, value = pattern)]\n"
        "def get_schema():\n"
        '    return schema.Schema(version = "1", fields = [schema.Typeahead(id = "a", name = "A", '
        'desc = "", icon = "gear", handler = find)])\n'
        "def main(config):\n    return []\n"
    )
    answer = client.ask(script, what="schema")
    assert json.loads(answer["schema"])["schema"][0]["id"] == "a"
    answer = client.ask(script, what="handler")
    assert answer["kind"] in ("done", "script"), answer


def test_an_app_with_nothing_to_show(client):
    answer = client.ask("def main(config):\n    return []\n")
    assert (answer["kind"], answer["picture"]) == ("done", "")


def test_the_place_of_an_error(client):
    answer = client.ask("def main(config):\n    return [1][2]\n")
    assert (answer["kind"], answer["file"], answer["line"]) == ("script", "app.star", 2)


def test_memory_costs_one_process_and_one_job(client):
    script = 'def main(config):\n    x = ["y" * 1000000]\n' \
             "    for i in range(100000):\n        x.append(x[0] + str(i))\n    return []\n"
    answer = client.ask(script)
    assert answer["kind"] == "limit"
    assert any(words in answer["message"] for words in LIMIT), answer
    client.must_draw()


def test_a_script_without_end_does_not_hold_the_loop_or_a_preview(client):
    client.stop_renderer()
    hangs = client.submit(RED)
    assert client.ping() == "pong"
    assert client.ask(RED, preview=True, account=2)["kind"] == "done"
    assert hangs not in client.answers
    answer = client.wait(hangs)
    assert (answer["kind"], answer["message"]) == ("unavailable", "no renderer is available at the moment")


def test_a_form_of_an_import_waits_for_no_render(client):
    """It may use the process of previews, also for the account whose renders wait."""
    client.stop_renderer()
    hangs, waits = client.submit(RED), client.submit(RED)
    assert client.ping() == "pong"
    assert client.ask(RED, what="schema", preview=2)["kind"] == "done"
    assert hangs not in client.answers and waits not in client.answers


def test_a_renderer_that_stands_still_is_replaced(client):
    """The renderer is replaced long before the deadline of its job, which is not at fault."""
    pid = client.stop_renderer()
    assert client.ask(RED)["kind"] == "unavailable"
    assert f'msg="renderer did not respond, killed" pid={pid}' in "".join(client.log)
    client.must_draw()
    client.wait_for_renderers(lambda found: pid not in found["render-starlark"])


def test_one_that_stands_still_at_work_is_replaced(client):
    client.must_draw()
    (pid,) = client.renderers()["render-starlark"]
    begun = cpu_ticks(pid)
    hangs = client.submit(ENDLESS)
    wait_until(lambda: cpu_ticks(pid) >= begun + 3, "that it is at work on it")
    os.kill(pid, signal.SIGSTOP)
    assert client.wait(hangs)["kind"] == "unavailable"
    client.must_draw()


def test_one_that_stands_still_idle_is_replaced(client):
    pid = client.stop_renderer()
    client.wait_for_renderers(lambda found: pid not in found.get("render-starlark", []))
    client.must_draw()


def test_one_that_goes_on_is_left_alone(client):
    pid = client.stop_renderer()
    os.kill(pid, signal.SIGCONT)
    client.must_draw()
    assert client.renderers()["render-starlark"] == [pid]


def test_one_that_has_not_read_its_job_costs_no_blame(client):
    pid = client.stop_renderer()
    innocent = client.submit(RED)
    assert client.ping() == "pong"
    os.kill(pid, signal.SIGKILL)
    assert client.wait(innocent)["kind"] == "unavailable"
    client.must_draw()


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return int(file.read().rsplit(")", 1)[1].split()[11])


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV"])
def test_a_renderer_that_crashes_costs_its_job(client, name):
    client.must_draw()
    (pid,) = client.renderers()["render-starlark"]
    begun = cpu_ticks(pid)
    crashes = client.submit(ENDLESS)
    wait_until(lambda: cpu_ticks(pid) >= begun + 3, "that it is at work on it")
    os.kill(pid, getattr(signal, name))
    # The runtime of Go ends with the same status after this signal and without memory.
    assert client.wait(crashes)["kind"] == {"SIGKILL": "crash", "SIGSEGV": "limit"}[name]
    client.must_draw()


def test_one_that_crashes_idle_costs_nothing(client):
    client.must_draw()
    (pid,) = client.renderers()["render-starlark"]
    os.kill(pid, signal.SIGKILL)
    client.wait_for_renderers(lambda found: found == {})
    client.must_draw()


def test_renderers_end_with_their_host_and_come_back_with_the_next(client):
    pid = client.stop_renderer()
    hangs, waits = client.submit(RED), client.submit(RED)
    assert client.ping() == "pong"
    os.kill(client.host, signal.SIGKILL)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "its end")
    client.tell("host")
    client.host = client.others.get(timeout=PATIENCE_S)["number"]
    assert client.wait(hangs)["kind"] == "unavailable"
    assert client.wait(waits)["kind"] == "done"


def test_cancelled_jobs_are_done_at_once(client):
    client.stop_renderer()
    first, second = client.submit(RED), client.submit(RED)
    for number in (first, second):
        client.tell(f"cancel {number}")
    assert client.wait(first)["kind"] == "cancelled"
    assert client.wait(second)["kind"] == "cancelled"
    client.must_draw(preview=True)


def test_an_end_with_work_at_hand(launch):
    client = launch()
    client.stop_renderer()
    numbers = [client.submit(RED) for _ in range(5)]
    assert client.ping() == "pong"
    client.end()
    for number in numbers:
        assert client.wait(number)["kind"] == "cancelled"


FRAMES = STARLARK + """def main():
    return [render.Root(delay = 1, child = render.Animation([
        render.Box(color = "#" + str(100000 + root * 2000 + i)) for i in range(2000)])) for root in range(2)]
"""
FRAMES_TS = """import { Animation, Box, Root } from "panel";
export default () => [0, 1].map((root) => Root({ delay: 1, child: Animation({ children:
    Array.from({ length: 10000 }, (_, i) => Box({ color: "#" + (100000 + root * 2000 + i) })) }) }));
"""


@pytest.mark.parametrize("language, script", [
    pytest.param("STARLARK", FRAMES, id="starlark"),
    pytest.param("TYPESCRIPT", FRAMES_TS, id="typescript", marks=needs_typescript)])
def test_an_animation_of_many_frames_is_cut_at_a_frame(client, language, script):
    answer = client.ask_in_time(script, language=language)
    assert answer["kind"] == "done", answer["message"]
    with PIL.Image.open(io.BytesIO(bytes.fromhex(answer["picture"]))) as picture:
        assert picture.n_frames == answer["duration_ms"] == 2048
        picture.seek(2047)
        assert picture.convert("RGB").getpixel((0, 0)) == (0x10, 0x20, 0x47)


@needs_typescript
def test_a_long_animation_is_cut_at_a_frame(client):
    # Noise does not compress: each frame has more than 6 KB.
    script = """export default function main() {
  const frames = [];
  for (let i = 0; i < 100; i++) {
    const frame = new Uint8Array(64 * 32 * 3);
    for (let j = 0; j < frame.length; j++) frame[j] = Math.random() * 256;
    frames.push(frame);
  }
  return { frames, delay: 50 };
}
"""
    answer = client.ask_in_time(script, language="TYPESCRIPT")
    assert answer["kind"] == "done", answer["message"]
    with PIL.Image.open(io.BytesIO(bytes.fromhex(answer["picture"]))) as picture:
        assert 50 < picture.n_frames < 100
        assert answer["duration_ms"] == 50 * picture.n_frames
        assert answer["cut"] == (f"the animation is cut after {picture.n_frames} of 100 frames: "
                                 "the panel accepts 460000 bytes at most")
    assert 440_000 < len(answer["picture"]) // 2 <= 460_000


def test_many_jobs_of_many_accounts(launch):
    client = launch(processes=2)
    numbers = [client.submit(RED, account=i % 7, preview=i % 3 == 0) for i in range(60)]
    for number in numbers:
        answer = client.wait(number)
        assert answer.get("kind") == "done" or answer.get("refused") in ("EDQUOT", "EAGAIN")
    assert len(client.renderers()["render-starlark"]) <= 3
