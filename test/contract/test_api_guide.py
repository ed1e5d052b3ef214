"""docs/api-guide.md: its examples run in order, and print what the page shows after them."""

import json
import os
import re
import subprocess
import sys

import images
import pytest
import scene
from hook_receiver import signature
from panel import Panel
from world import PATIENCE_S, World

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/api-guide.md")
# Values that change with each run.
VARIABLE = [(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"), (r"[a-z0-9]+@example\.org", "EMAIL"),
            (r";r=\d+;t=\d+", ";r=R;t=T")]

# The page lets the device sleep at night, when tests also run.
STAY_AWAKE = """[ -z "${device:-}" ] || api -X PATCH --json '{"sleepEnabled": false}' -o /dev/null \
    "$DISPLAYD_URL/v1/devices/$device\""""


def text():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def blocks():
    """(language, lines) of each block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text(), re.S | re.M)


def plain(value):
    for pattern, word in VARIABLE:
        value = re.sub(pattern, word, value)
    return value


@pytest.fixture
def limited(postgres):
    """With the default limits."""
    with World(postgres.create_database()) as one:
        yield one


def device_of_the_page(account):
    return account.device(name="Kitchen", brightness=60, volume=50, timezone="Europe/Zagreb")


def environment(world, account):
    return os.environ | {"DISPLAYD_URL": world.server.url, "DISPLAYD_KEY": account.key}


def test_examples_of_the_shell(limited, tmp_path):
    """All examples run in one shell; each output follows a line of its own."""
    account = limited.account()
    device = device_of_the_page(account)
    picture = images.png(images.noise())
    (tmp_path / "picture.png").write_bytes(picture)
    found = blocks()
    shell = [(lines, found[i + 1]) for i, (language, lines) in enumerate(found) if language == "bash"]
    assert len(shell) == 13
    script = "".join(f"{lines}\necho; echo '---{number}---'\n{STAY_AWAKE}\n" for number, (lines, _)
                     in enumerate(shell))
    with Panel(limited.server, device) as panel:
        done = subprocess.run(["bash", "-eu", "-c", script], cwd=tmp_path, text=True, check=False,
                              timeout=300, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment(limited, account))
        assert (done.returncode, done.stderr) == (0, ""), done
        panel.socket.settimeout(PATIENCE_S)
        panel.wait_for(lambda message: isinstance(message, bytes) and
                       images.frames_of(message) == images.frames_of(picture))
    printed = re.split(r"\n---\d+---\n", done.stdout)
    for (lines, (language, expected)), got in zip(shell, printed):
        if language == "json":
            assert json.loads(plain(got)) == json.loads(plain(expected)), lines
        else:
            assert language == "http", lines
            assert plain(got.replace("\r", "").strip()) == plain(expected.strip()), lines
    assert device.ids() == [] and device.get().ok()["volume"] == 10


def python(number):
    return [lines for language, lines in blocks() if language == "python"][number]


def run(world, account, lines):
    done = subprocess.run([sys.executable, "-c", lines], text=True, check=False, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment(world, account))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_waiting(postgres):
    """A burst of two is used up at the third request."""
    with World(postgres.create_database(), "--rate-limit", "1") as world:
        account = world.account()
        account.device()
        assert run(world, account, python(0)) == "1 device\n" * 4
        assert "status=429" in world.server.log()


def test_parts(world):
    account = world.account()
    names = [account.device(name=f"D{number}") and f"D{number}" for number in range(5)]
    assert run(world, account, python(1)).split() == names


def test_signatures_of_webhooks():
    known = {}
    exec(python(2), known)  # pylint: disable=exec-used
    secret, body = "whsec_MDEyMzQ1Njc4OWFiY2RlZg==", b'{"type":"events"}'
    fields = {"webhook-id": "1", "webhook-timestamp": "1000", "webhook-signature": signature(secret, "1", "1000", body)}
    assert known["is_ours"](secret, fields, body, 1100)
    assert not known["is_ours"](secret, fields, body, 1400)
    assert not known["is_ours"](secret, fields, body + b" ", 1100)
    assert not known["is_ours"]("whsec_MTEyMzQ1Njc4OWFiY2RlZg==", fields, body, 1100)


def test_every_status_is_explained():
    """Explains each status of the operations of /v1, and no others; 200, 201 and 304 stand in the text."""
    explained = set(re.findall(r"^- (\d{3}): ", text(), re.M))
    documented = {status for _, template, operation in scene.CONTRACT.operations()
                  if template.startswith("/v1/") for status in operation["responses"]}
    assert explained | {"200", "201", "304"} == documented | {"405"}


def test_limits_of_a_body(world):
    """The guide's numbers are those of the server: each is taken, and one more is 400. OPTIONS needs no key."""
    values, levels, digits = re.search(r"at most ([\d,]+) values and names, (\d+) levels, and\s(\d+) characters for a number",
                                       text()).groups()
    values, levels, digits = int(values.replace(",", "")), int(levels), int(digits)
    account = world.account()
    path = account.device().path + "/push"

    def status_of(member):
        body = b'{"image":"' + images.text(images.png()).encode() + b'","background":true,"installationId":"x",' + member + b"}"
        return account.request("POST", path, body=body).status

    def array(count):  # an object, five names, three other values, and the array
        return b'"duration":[' + b",".join([b"0"] * (count - 9)) + b"]"

    def nested(depth):
        return b'"duration":' + b"[" * (depth - 1) + b"]" * (depth - 1)

    assert (status_of(nested(levels)), status_of(nested(levels + 1))) == (200, 400)
    assert (status_of(b'"duration":1' + b"0" * (digits - 1)), status_of(b'"duration":1' + b"0" * digits)) == (200, 400)
    assert status_of(array(values + 1)) == 400 and status_of(array(values - 10)) == 200
    assert status_of(b'"duration":1,"duration":1') == 400
    answer = world.request("OPTIONS", path)
    assert answer.status == 204 and "POST" in answer["Allow"]


def test_links_lead_somewhere():
    for name in re.findall(r"\]\((?!https://)([^)#]+)[^)]*\)", text()):
        assert os.path.exists(os.path.join(os.path.dirname(PAGE), name)), name
