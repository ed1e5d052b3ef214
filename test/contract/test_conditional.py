"""Entity tags on every GET, and what If-None-Match makes of them (RFC 9110, section 13.1.2)."""

import gzip

import pytest
import scene
from scene import CONTRACT

GETS = [found for found in CONTRACT.operations() if found[0] == "GET"]


@pytest.fixture(scope="module")
def stage(world):
    account = world.account()
    device = account.device()
    app_id = scene.app(account, f"app-{account.id}")
    return account, device, app_id


def target_of(stage, found):
    return scene.target(found[1], deviceId=stage[1].id, appId=stage[2])


def change(stage, world, template):
    """What changes the representation."""
    account, device, app_id = stage
    if template == "/v1/account":
        world.sql("UPDATE account SET email = 'x' || email WHERE id = %s", account.id)
    elif template == "/v1/apps":
        world.sql("UPDATE app SET name = name || 'x' WHERE id = %s", app_id)
    elif template.endswith("/versions"):
        body = {"version": "2", "scriptContent": "x", "scriptLanguage": "STARLARK"}
        assert account.post(f"/v1/apps/{app_id}/upload", body).status == 201
    elif template.endswith("/installations"):
        assert device.push(installationId="new").status == 200
    else:
        volume = device.get().ok()["volume"]
        assert account.request("PATCH", device.path, body={"volume": volume ^ 1}).status == 200


def publish(stage, world):
    """So that the app is listed."""
    account, _, app_id = stage
    body = {"version": "1", "scriptContent": "x", "scriptLanguage": "STARLARK"}
    if account.post(f"/v1/apps/{app_id}/upload", body).status == 201:
        scene.approve(world, app_id)


@pytest.mark.parametrize("found", GETS, ids=lambda found: found[2]["operationId"])
def test_changes_with_the_content(world, stage, found):
    account = stage[0]
    publish(stage, world)
    target = target_of(stage, found)
    first = account.get(target)
    assert account.get(target)["ETag"] == first["ETag"]
    change(stage, world, found[1])
    second = account.get(target)
    assert second.body != first.body
    assert second["ETag"] != first["ETag"]
    old = account.get(target, fields=[("If-None-Match", first["ETag"])])
    assert (old.status, old.body) == (200, second.body)
    new = account.get(target, fields=[("If-None-Match", second["ETag"])])
    assert (new.status, new.body) == (304, b"")


@pytest.mark.parametrize("found", GETS, ids=lambda found: found[2]["operationId"])
def test_forms(stage, found):
    account = stage[0]
    target = target_of(stage, found)
    tag = account.get(target)["ETag"]
    bare = tag.strip('"')
    for value in (tag, "W/" + tag, "*", f'"a", {tag}', f'{tag},"b"', f'"a",W/{tag} , "b"',
                  f' {tag} ', f', {tag},'):
        answer = account.get(target, fields=[("If-None-Match", value)])
        assert (answer.status, answer.body, answer["ETag"]) == (304, b"", tag), value
        assert "Content-Type" not in answer and "Content-Length" not in answer
    for value in ('""', '"a"', bare, f'"{bare}x"', f'"x{bare}"', f'w/{tag}', f'W/ {tag}', '"*"', "",
                  f'"{bare[:-1]}"', f'"{bare.upper()}x"'):
        answer = account.get(target, fields=[("If-None-Match", value)])
        assert (answer.status, answer["ETag"]) == (200, tag), value
    two = account.get(target, fields=[("If-None-Match", '"a"'), ("If-None-Match", tag)])
    assert two.status == 304


@pytest.mark.parametrize("found", GETS, ids=lambda found: found[2]["operationId"])
def test_head(stage, found):
    account = stage[0]
    target = target_of(stage, found)
    answer = account.get(target)
    head = account.request("HEAD", target)
    assert (head.status, head.body, head["ETag"]) == (200, b"", answer["ETag"])
    assert head["Content-Length"] == str(len(answer.body))
    assert head["Content-Type"] == answer["Content-Type"]
    fields = [("If-None-Match", answer["ETag"])]
    assert account.request("HEAD", target, fields=fields).status == 304


def test_other_methods_ignore_it(stage):
    """A PATCH has its own preconditions, which this API does not offer."""
    account, device, _ = stage
    tag = device.get()["ETag"]
    for value in (tag, "*"):
        answer = account.request("PATCH", device.path, body={"volume": 3},
                                 fields=[("If-None-Match", value)])
        assert answer.status == 200
        assert "ETag" not in answer


def test_errors_have_none(stage, world):
    account, device, _ = stage
    for answer in (account.get("/v1/devices/none"), world.account().get(device.path),
                   account.get("/v1/devices", key=None)):
        assert answer.status in (401, 403, 404)
        assert "ETag" not in answer


def test_accounts_do_not_share(world):
    one, other = world.account(), world.account()
    tag = one.get("/v1/account")["ETag"]
    assert other.get("/v1/account", fields=[("If-None-Match", tag)]).status == 200


def test_the_documents_too(world):
    for path in ("/docs", "/openapi.json"):
        tag = world.get(path)["ETag"]
        assert world.get(path, fields=[("If-None-Match", tag)]).status == 304


def test_the_documents_compressed(world):
    for path in ("/docs", "/openapi.json"):
        plain = world.get(path)
        packed = world.get(path, fields=[("Accept-Encoding", "gzip, br")])
        assert packed["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain
        assert gzip.decompress(packed.body) == plain.body
        assert plain["Vary"] == packed["Vary"] == "Accept-Encoding"
        assert plain["Cache-Control"] == packed["Cache-Control"] == "no-cache"
        assert packed["ETag"] != plain["ETag"]
        again = world.get(path, fields=[("Accept-Encoding", "gzip"),
                                        ("If-None-Match", packed["ETag"])])
        assert again.status == 304 and again["Vary"] == "Accept-Encoding"
