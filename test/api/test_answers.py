"""Contents of all answers: their media type, and nothing that helps attackers (docs/security_tests.yaml)."""

import re

from world import UNKNOWN_ID, images, request_bytes, wait_until

JSON = "application/json"


def test_every_answer_says_what_it_is(world, account):
    device = account.device()
    assert device.push(installationId="x").status == 200
    expected = {
        "/livez": "text/plain; charset=utf-8", "/readyz": "text/plain; charset=utf-8",
        "/docs": "text/html; charset=utf-8", "/openapi.json": JSON,
        "/v1/account": JSON, "/v1/devices": JSON, "/v0/devices": JSON, device.path: JSON,
        "/v1/nothing": "application/problem+json", "/nothing": "application/problem+json",
        "/v1/devices/" + UNKNOWN_ID: "application/problem+json",
        f"/d/{device.id}/next?key={device.link_key}": "image/webp",
        f"/d/{device.id}/next?key=wrong": "image/webp",
    }
    for path, kind in expected.items():
        answer = account.get(path)
        assert answer.body and answer["Content-Type"] == kind, path
    answer = world.request("POST", device.path + "/push", body={"image": images.text(images.png())})
    assert answer["Content-Type"] == "application/problem+json"


def test_files_of_the_pages_say_what_they_are(world):
    """Checks the files that the first page names; a build without pages has none."""
    page = world.get("/")
    names = re.findall(rb'(?:src|href)="([^"]+\.(?:js|css|svg|webmanifest))"', page.body)
    kinds = {world.get("/" + name.decode().lstrip("/"))["Content-Type"] for name in names}
    assert page.status == 404 or (page["Content-Type"] == "text/html; charset=utf-8" and kinds)
    assert all("charset=utf-8" in kind for kind in kinds if kind.startswith("text/")), kinds


def test_no_version_is_told(world, account):
    """No answer names the version of displayd or of its components."""
    for path in ("/livez", "/v1/devices", "/v0/devices", "/nothing", "/docs"):
        answer = account.get(path)
        names = {name.lower() for name, _ in answer.fields}
        assert not names & {"server", "via", "x-powered-by"}, answer.fields
    for body in (account.get("/nothing").body, world.get("/readyz").body):
        assert not re.search(rb"postgres|libuv|llhttp|[0-9]+\.[0-9]+\.[0-9]", body, re.I)


def test_an_unexpected_error_tells_no_more_than_its_number(start):
    """The answer has only the number of an unexpected error; the log has the reason."""
    world = start()
    account = world.account()
    device = account.device()
    request = request_bytes("GET", device.path + "/installations", key=account.key, fields=[("Cache-Control", "no-cache")])
    with world.client() as client:
        client.send(request)  # prepares the statement, which would fail later
        assert client.answer().status == 200
        world.sql("ALTER TABLE installation RENAME TO elsewhere")
        client.send(request)
        answer = client.answer()
    members = answer.problem(500)
    assert members["detail"] == "unexpected error; the server's log has details under this request's ID"
    assert "errors" not in members
    line = (r'msg="an unexpected error was answered" route=/v1/devices/\{deviceId\}/installations '
            rf'request_id={answer["X-Request-Id"]}$')
    wait_until(lambda: re.search(line, world.server.log(), re.M), "the request's ID in the log")
    before = world.server.log()[:re.search(line, world.server.log(), re.M).start()]
    assert "does not exist" in before.splitlines()[-2]
