"""The weather app, answered by a server of the test."""

import http.server
import json
import os
import pathlib
import subprocess
import threading
import urllib.parse

import PIL.Image
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "subprojects/render-starlark/testdata"
PLACE = {"lat": "45.81444", "lng": "15.97798", "locality": "Zagreb", "timezone": "Europe/Zagreb"}

pytestmark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK") or not os.environ.get("HAS_EGRESS"),
    reason="built without the Starlark renderer, or without the egress")


class Service(http.server.BaseHTTPRequestHandler):
    """Answers as Open-Meteo does."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append(urllib.parse.urlsplit(self.path))
        body = json.dumps({
            "current": {"temperature_2m": 21.3, "weather_code": 0, "is_day": 1},
            "daily": {"temperature_2m_max": [24.4], "temperature_2m_min": [-0.4]}}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def service():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service) as running:
        running.asked, running.status = [], 200
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def render(service, output, *options):
    return subprocess.run(
        [os.environ["DISPLAYCTL"], "app", "render", ROOT / "share/apps/weather", "-o", output,
         f"location={json.dumps(PLACE)}", f"service=http://127.0.0.1:{service.server_address[1]}",
         *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)


def pixels(path):
    with PIL.Image.open(path) as picture:
        return picture.convert("RGB").tobytes()


def test_the_weather(service, tmp_path):
    output = tmp_path / "out.webp"
    done = render(service, output, "--egress-allow", "127.0.0.1/32")
    assert (done.returncode, done.stderr) == (0, "")
    assert pixels(output) == pixels(PICTURES / "weather-clear.webp")
    [asked] = service.asked
    fields = urllib.parse.parse_qs(asked.query)
    assert asked.path == "/v1/forecast"
    assert (fields["latitude"], fields["longitude"]) == (["45.81"], ["15.98"])


def test_it_goes_to_public_addresses_only(service, tmp_path):
    done = render(service, tmp_path / "out.webp")
    assert done.returncode == 1 and "not public" in done.stderr
    assert not service.asked


def test_a_service_that_fails(service, tmp_path):
    service.status = 503
    done = render(service, tmp_path / "out.webp", "--egress-allow", "127.0.0.1/32")
    assert done.returncode == 1
    assert "weather.star:" in done.stderr and "the weather service answers 503" in done.stderr
