"""docs/home-assistant.md: each snippet, its templates filled in, as the request that it makes.

Home Assistant renders its templates by Jinja, with some names of its own; those that the page uses are
here. A rest_command is one request, an entry of rest: is one that its sensors read, and a number's
set_value calls a command.
"""

import datetime
import json
import os
import re
import shlex
import subprocess

import images
import jinja2
import pytest
import yaml

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/home-assistant.md")
AUTHORIZATION = "displayd_authorization"


class Loader(yaml.SafeLoader):
    """A loader with the tag !secret, which stays unresolved until the test knows the key."""


class Secret(str):
    pass


Loader.add_constructor("!secret", lambda loader, node: Secret(loader.construct_scalar(node)))


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def render(template, **values):
    """Renders a template like Home Assistant."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.filters["to_json"] = json.dumps
    environment.globals |= {"now": now, "as_datetime": datetime.datetime.fromisoformat,
                            "timedelta": datetime.timedelta}
    return environment.from_string(template).render(**values)


def blocks():
    """Contents of each of the page's snippets."""
    with open(PAGE, encoding="utf-8") as file:
        texts = re.findall(r"^```yaml\n(.*?)^```$", file.read(), re.S | re.M)
    return [yaml.load(text, Loader) for text in texts]


@pytest.fixture(scope="module")
def configuration():
    """All snippets combined, as in configuration.yaml."""
    whole = {}
    for block in blocks():
        for name, value in block.items():
            if isinstance(value, dict):
                known = whole.setdefault(name, {})
                assert not known.keys() & value.keys()
                known |= value
            else:
                assert name not in whole
                whole[name] = value
    return whole


class Home:
    """Acts like Home Assistant with the configuration, for one device."""

    def __init__(self, configuration, world, device, configuration_folder):
        self.configuration, self.world, self.device = configuration, world, device
        self.folder = configuration_folder
        self.states = {}

    def own(self, text):
        """Replaces the page's address and device by those of the test."""
        return text.replace("https://panels.example.org", self.world.server.url).replace(
            "/DEVICE", "/" + self.device.id)

    def secret(self, value):
        assert isinstance(value, Secret) and value == AUTHORIZATION
        example = self.configuration[AUTHORIZATION]
        assert example == "Bearer ddk_your_key"
        return example.replace("ddk_your_key", self.device.account.key)

    def request(self, spec, url, method, body=None):
        fields = [(name, self.secret(value)) for name, value in spec["headers"].items()]
        if "content_type" in spec:
            fields.append(("Content-Type", spec["content_type"]))
        url = self.own(url)
        assert url.startswith(self.world.server.url)
        return self.world.request(method.upper(), url[len(self.world.server.url):], fields=fields,
                                  body=body.encode() if body is not None else None)

    def call(self, action, **data):
        """Runs an action. Returns the answer of the command."""
        domain, name = action.split(".")
        if domain == "script":
            for step in self.configuration[domain][name]["sequence"]:
                answer = self.call(step["action"], **step["data"])
            return answer
        if domain == "homeassistant":
            return self.update()
        spec = self.configuration[domain][name]
        payload = render(spec["payload"], **data) if "payload" in spec else None
        return self.request(spec, render(spec["url"], **data), spec["method"], payload)

    def update(self):
        """Reads the sensors."""
        for spec in self.configuration["rest"]:
            answer = self.request(spec, spec["resource"], "get")
            assert answer.status == 200
            for sensor in spec["sensor"] + spec["binary_sensor"]:
                kind = "sensor" if sensor in spec["sensor"] else "binary_sensor"
                assert sensor["unique_id"] == sensor["name"].lower().replace(" ", "_")
                self.states[f"{kind}.{sensor['unique_id']}"] = render(
                    sensor["value_template"], value_json=answer.json())

    def number(self):
        (block,) = self.configuration["template"]
        (number,) = block["number"]
        return number, int(render(number["state"], states=self.states.get))

    def set_number(self, value):
        for step in self.number()[0]["set_value"]:
            data = {name: render(text, value=value) for name, text in step.get("data", {}).items()}
            self.call(step["action"], **data)


@pytest.fixture
def home(configuration, world, device, tmp_path):
    one = Home(configuration, world, device, tmp_path)
    one.update()
    return one


def test_every_snippet_is_looked_at(configuration):
    assert set(configuration) == {AUTHORIZATION, "rest", "rest_command", "template", "script",
                                  "shell_command"}
    assert set(configuration["rest_command"]) == {"panel_brightness", "panel_entry", "panel_image",
                                                  "panel_remove"}


def test_last_online(home, device):
    shown = home.states["sensor.panel_last_online"]
    assert shown == device.get().ok()["lastOnline"]
    assert datetime.datetime.fromisoformat(shown).tzinfo is not None
    assert home.states["binary_sensor.panel_online"] == "True"
    home.world.sql("UPDATE device SET last_online_at = last_online_at - interval '1 hour' "
                   "WHERE id = %s", device.id)
    home.update()
    assert home.states["binary_sensor.panel_online"] == "False"


def test_brightness_is_a_number(home, device):
    number, _ = home.number()
    assert (number["min"], number["max"]) == (0, 100)
    # A number's value has a fraction in Home Assistant.
    for value in (40.0, 0.0, 100.0):
        home.set_number(value)
        assert device.get().ok()["brightness"] == value
        assert home.number()[1] == value
        assert device.poll()["Tronbyt-Brightness"] == str(int(value))


def test_a_dark_room_without_its_server(configuration, world, device, tmp_path):
    """The sensor is still unknown."""
    assert Home(configuration, world, device, tmp_path).number()[1] == 0


def test_an_entry(home, device):
    first, second = images.png(images.gradient(1)), images.png(images.gradient(2))
    assert home.call("rest_command.panel_entry", image=images.text(first), id="a b").ok() == {}
    device.shows(first)
    answer = home.call("rest_command.panel_entry", image=images.text(second), id="c",
                       background=True)
    assert answer.ok() == {} and device.ids() == ["a b", "c"]
    assert home.call("rest_command.panel_remove", id="a b").ok() == {}
    assert device.ids() == ["c"]


def test_a_temporary_image(world, home, device):
    for duration in ({}, {"duration": "30"}):
        answer = home.call("rest_command.panel_image", image=images.text(images.png()), **duration)
        assert answer.ok() == {}
        seconds = int(duration.get("duration", 5))
        assert world.sql("SELECT duration_s FROM showing WHERE device_id = %s", device.id) == [
            (seconds,)]
    device.shows(images.png())
    assert device.ids() == []


def test_the_script(home, device):
    assert home.call("script.door_bell_on_the_panel").ok() == {}
    (pixels, _), = device.shown()
    assert pixels[:3] == b"\0\0\0" and pixels[64 * 3 * 16:][:3] == bytes([255, 40, 20])


def test_a_file(home, device):
    picture = home.folder / "a picture.png"
    picture.write_bytes(images.png(images.noise()))
    (home.folder / "displayd.curl").write_text(
        f'header = "Authorization: Bearer {device.account.key}"\n')
    command = home.own(home.configuration["shell_command"]["panel_file"])
    command = command.replace("/config/", f"{home.folder}/")
    # For a command with templates, Home Assistant uses only the shell that the command names.
    words = shlex.split(render(command, path=str(picture), id="chart one"))
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "{}", "")
    assert device.ids() == ["chart one"]
    device.shows(picture.read_bytes())


def test_the_header_file_is_as_the_page_says():
    with open(PAGE, encoding="utf-8") as file:
        assert '`header = "Authorization: Bearer ddk_your_key"`' in file.read().replace("\n", " ")
