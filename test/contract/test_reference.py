"""The page at /docs is complete and needs no other site."""

import html
import html.parser
import os
import re
import subprocess
import urllib.parse

import pytest
import scene
from scene import CONTRACT

VOID = {"meta", "link", "br", "img", "hr", "input"}
# Elements that HTML closes by itself.
IMPLIED = {"th", "td", "tr", "p"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.text = [], [], [], set(), []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        attributes = dict(attrs)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src", "srcset", "action", "data", "poster"):
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open[-1] != tag and self.open[-1] in IMPLIED:
            self.open.pop()
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def answer(world):
    answer = world.get("/docs")
    assert (answer.status, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
    return answer


@pytest.fixture(scope="module")
def page(answer):
    return Page(answer.body.decode())


def test_what_scrolls_can_be_reached_by_keys(answer):
    """Long lines of code scroll sideways."""
    code = re.findall(r"<pre[^>]*>", answer.body.decode())
    assert len(code) > 50 and all(' tabindex="0"' in tag for tag in code)


def test_needs_no_other_host(answer, page):
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        assert not parts.scheme and not parts.netloc, link
    assert not page.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    styles = re.findall(r"<style>(.*?)</style>", answer.body.decode(), re.S)
    assert styles and not any("url(" in style or "@import" in style for style in styles)
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_links_lead_somewhere(world, page):
    assert len(page.ids) == len(set(page.ids))
    for link in set(page.links):
        if link.startswith("#"):
            assert link[1:] in page.ids, link
        else:
            assert not link.startswith("/")  # a proxy may put a path before ours
            assert world.get("/" + link).status == 200, link


def test_has_every_operation(page):
    text = " ".join(page.text)
    for method, template, operation in CONTRACT.operations():
        assert operation["operationId"] in page.ids
        assert "#" + operation["operationId"] in page.links
        assert template in text and method in text
        assert operation["summary"] in text
        for parameter in CONTRACT.parameters(template, operation):
            assert parameter["name"] in text


def sections(answer):
    """The HTML of each section, by its ID."""
    parts = re.split(r'<section id="([^"]+)">', answer.body.decode())
    return dict(zip(parts[1::2], parts[2::2]))


def test_has_every_status(answer):
    found = sections(answer)
    for _, _, operation in CONTRACT.operations():
        for status in operation["responses"]:
            assert f"<code>{status}</code>" in found[operation["operationId"]], (operation, status)
    for status in CONTRACT.document["x-general-responses"]:
        assert f"<code>{status}</code>" in found["general"]


def test_has_every_schema(answer, page):
    found = sections(answer)
    for name, schema in CONTRACT.document["components"]["schemas"].items():
        assert "#schema-" + name in page.links
        for field in schema.get("properties", {}):
            assert f"<code>{field}</code>" in found["schema-" + name], (name, field)
        for choice in schema.get("oneOf", []):
            if "$ref" in choice:
                assert "#schema-" + choice["$ref"].rsplit("/", 1)[1] in found["schema-" + name]
        for limit in ("minimum", "maximum", "minLength", "maxLength"):
            if limit in schema:
                assert f"{limit}: {schema[limit]}" in found["schema-" + name]


def test_has_every_body_field(answer):
    found = sections(answer)
    for _, _, operation in CONTRACT.operations():
        if "requestBody" not in operation:
            continue
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        schema = CONTRACT.resolve(schema)
        choices = [schema] if "properties" in schema else map(CONTRACT.resolve, schema["oneOf"])
        for choice in choices:
            for field in choice["properties"]:
                assert f"<code>{field}</code>" in found[operation["operationId"]]


def test_has_no_regular_expression(answer):
    assert "pattern" not in answer.body.decode()
    assert "HH:mm, from 00:00 to 23:59" in sections(answer)["schema-Clock"]


def curl_of(section):
    return html.unescape(re.search(r'<pre class="curl" tabindex="0">(.*?)</pre>', section, re.S)[1])


@pytest.mark.parametrize("operation_id", [o["operationId"] for _, _, o in CONTRACT.operations()])
def test_curl_lines_work(world, answer, operation_id):
    account = world.account()
    device = account.device()
    app = scene.app(account, f"app-{account.id[:8]}", "private")
    if operation_id in scene.OF_DEPLOYED:
        account.post(f"/v1/apps/{app}/upload", {
            "version": "1.2.0", "scriptContent": scene.SCRIPT, "scriptLanguage": "STARLARK"})
        scene.approve(world, app)
        scene.picture(world, app)
    if operation_id.endswith("MqttConnection"):
        scene.mqtt_connection(account)
    if operation_id in scene.OF_ENTRIES:
        scene.rotation(world, device, ["weather", "news"])
    if operation_id.startswith("getPicture"):
        device.poll()
    if operation_id in scene.ORDERS:
        scene.come_online(device, operation_id)
    if operation_id in scene.OF_FORMER:
        scene.former(world, device.id)
    if operation_id == "removeLeader":
        scene.leader(device)
    if operation_id == "cancelFirmwareUpdates":
        scene.firmware_series(device)
    line = curl_of(sections(answer)[operation_id])
    if operation_id == "setLeader":
        line = line.replace("HALL-1", account.device("Hall").id)
    line = line.replace("0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa", device.id)
    line = line.replace("/v1/apps/clock", f"/v1/apps/{app}").replace('"clock"', f'"{app}"')
    if "Webhook" in operation_id:
        made = account.post("/v1/webhooks", {"url": "http://webhook.invalid/", "events": ["pushed"]}).json()
        line = line.replace("0198f6a5-3c41-7d02-b6f1-0a9e8d7c6b5a", made["id"])
    if "Collection" in operation_id:
        line = line.replace("0198f6a3-02d4-7f19-a3c6-5e8b7d904c17", scene.collection(world, account))
    assert line.startswith("curl ")
    # The event stream only ends when the client does.
    end, status = (" --max-time 2", 28) if operation_id == "streamEvents" else ("", 0)
    line += end
    environment = {"DISPLAYD_URL": world.server.url, "DISPLAYD_KEY": account.key}
    done = subprocess.run(["sh", "-c", line.replace("curl ", "curl -sS --fail-with-body ", 1)],
                          env=os.environ | environment, capture_output=True,
                          text=True, errors="replace", check=False, timeout=60)
    assert done.returncode == status, (line, done.stdout, done.stderr)
