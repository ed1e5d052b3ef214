"""Entity tags of every GET, and the effects of If-Match and If-None-Match (RFC 9110, section 13.1)."""

import gzip
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
import scene
from scene import CONTRACT
from verdicts import can_run
from waiting import wait_until
from world import images

IMAGE = images.text(images.png())

# All but the stream of events, which has no tag.
GETS = [found for found in CONTRACT.operations() if found[0] == "GET" and "304" in found[2]["responses"]]


@pytest.fixture(scope="module")
def stage(world):
    account = world.account()
    device = account.device()
    app_id = scene.app(account, f"app-{account.id}")
    assert device.push(installationId="weather").status == 200
    # A known panel shows a picture, and the time of its first contact is stored.
    assert device.poll().status == 200
    wait_until(lambda: world.sql("SELECT connected_at FROM device WHERE id = %s", device.id) != [(None,)],
               "the first contact")
    scene.webhook(world, account)
    scene.collection(world, account)
    return account, device, app_id


STEPS = itertools.count(7)


def target_of(stage, found):
    if "/devices/{deviceId}/picture" in found[1]:
        assert stage[1].poll().status == 200  # its panel is online
    webhook_id = stage[0].get("/v1/webhooks").ok()[0]["id"]
    collection_id = stage[0].get("/v1/collections").ok()[0]["id"]
    return scene.target(found[1], collectionId=collection_id, deviceId=stage[1].id, appId=stage[2], installationId="weather", webhookId=webhook_id,
                        version="1")


def change(stage, world, template):
    """Changes the representation."""
    account, device, app_id = stage
    if template == "/v1/firmware-updates":
        scene.firmware_series(device)
    elif template.endswith("/leader"):
        scene.leader(device)
    elif template == "/v1/account":
        world.sql("UPDATE account SET email = 'x' || email WHERE id = %s", account.id)
    elif template == "/v1/account/mqtt":
        scene.mqtt_connection(account)
    elif template.startswith("/v1/webhooks"):
        world.sql("UPDATE webhook SET url = url || 'x' WHERE account_id = %s", account.id)
    elif template.startswith("/v1/collections"):
        world.sql("UPDATE app_archive SET url = url || 'x' WHERE account_id = %s", account.id)
    elif template in ("/v1/apps", "/v1/apps/{appId}", "/v1/apps/{appId}/schema"):
        world.sql("UPDATE app SET name = name || 'x' WHERE id = %s", app_id)
    elif "/devices/{deviceId}/picture" in template:
        assert device.push(images.png(images.solid((1, sum(map(ord, template)) % 256, 3))), hold=True).ok() == {}
        assert device.poll().status == 200
    elif template.endswith("/picture"):
        scene.picture(world, app_id, seed=1)
    elif template.endswith("/preview"):
        assert device.push(images.png(images.gradient(next(STEPS))), installationId="weather", background=True).status == 200
    elif template.endswith("/source"):
        body = {"version": "source", "scriptContent": "def main():\n    return [1][1:]\n", "scriptLanguage": "STARLARK"}
        assert account.post(f"/v1/apps/{app_id}/upload", body).status == 201
        scene.approve(world, app_id)
        assert account.post(f"/v1/apps/{app_id}/deploy", {"version": "source"}).status == 200
    elif template.endswith("/check"):
        can_run(world.sql, app_id, "1")
    elif template.endswith("/versions"):
        body = {"version": "2", "scriptContent": "x", "scriptLanguage": "STARLARK"}
        assert account.post(f"/v1/apps/{app_id}/upload", body).status == 201
    elif template.endswith("/{installationId}"):
        path = device.path + "/installations/weather"
        is_enabled = account.get(path).ok()["isEnabled"]
        answer = account.request("PATCH", path, body={"isEnabled": not is_enabled})
        assert answer.status == 200
    elif template.endswith(("/installations", "/rotation")):
        assert device.push(installationId=f"new-{len(device.ids())}").status == 200
    elif template.endswith("/firmware"):
        world.sql("UPDATE device SET board = 'other' WHERE id = %s", device.id)
    elif template == "/v1/device-names":
        name = device.get().ok()["name"]
        assert account.request("PATCH", device.path, body={"name": name + "x"}).status == 200
    else:
        is_dim = device.get().ok()["autoDim"]
        assert account.request("PATCH", device.path, body={"autoDim": not is_dim}).status == 200


def publish(stage, world):
    """Publishes the app, so that it is listed."""
    account, _, app_id = stage
    body = {"version": "1", "scriptContent": scene.SCRIPT, "scriptLanguage": "STARLARK"}
    if account.post(f"/v1/apps/{app_id}/upload", body).status == 201:
        scene.approve(world, app_id)
        scene.picture(world, app_id)


@pytest.mark.parametrize("found", GETS, ids=lambda found: found[2]["operationId"])
def test_changes_with_the_content(world, stage, found):
    account = stage[0]
    publish(stage, world)
    target = target_of(stage, found)
    first = account.get(target)
    assert account.get(target)["ETag"] == first["ETag"]
    change(stage, world, found[1])
    second = account.get(target)
    assert second.body != first.body, f"say in change() of {__file__} how to change what GET {found[1]} shows"
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

# ---- If-Match and If-None-Match on what changes something ----


def settings_of(tag):
    return tag.strip('"').split("-")[0]


def change_volume(device, volume, *fields):
    return device.account.request("PATCH", device.path, body={"volume": volume},
                                  fields=list(fields))


@pytest.fixture(name="device")
def device_of_its_own(world):
    return world.account().device()


def test_tag_of_a_device(device, world):
    first = device.get()["ETag"]
    world.sql("UPDATE device SET last_online_at = last_online_at - interval '1 minute' "
              "WHERE id = %s", device.id)
    seen = device.get()["ETag"]
    assert seen != first and settings_of(seen) == settings_of(first)
    assert device.push().status == 200
    assert settings_of(device.get()["ETag"]) == settings_of(first)
    changed = change_volume(device, 3)
    assert changed.status == 200 and settings_of(changed["ETag"]) != settings_of(first)
    assert changed["ETag"] == device.get()["ETag"]
    for answer in (changed, device.get(),
                   device.account.get(device.path, fields=[("If-None-Match", changed["ETag"])])):
        assert answer["Cache-Control"] == "private, no-cache"


def test_if_match_on_settings(device, world):
    old = device.get()["ETag"]
    assert change_volume(device, 1, ("If-Match", old)).status == 200
    new = device.get()["ETag"]
    for value in (old, f"W/{new}", '"a"', '""', "", f'"{settings_of(new)}"', f'"x{new[1:]}'):
        answer = change_volume(device, 2, ("If-Match", value))
        assert answer.status == 412, value
        assert "ETag" not in answer
    assert device.get().ok()["volume"] == 1
    # lastOnline changes all the time, which must not fail the condition.
    world.sql("UPDATE device SET last_online_at = last_online_at - interval '1 minute' "
              "WHERE id = %s", device.id)
    for number, form in enumerate(("{}", '"a", {}', '{},"b"', ", {} ,", "*")):
        tag = device.get()["ETag"]
        assert change_volume(device, 10 + number, ("If-Match", form.format(tag))).status == 200, form
    tag = device.get()["ETag"]
    assert change_volume(device, 4, ("If-Match", '"a"'), ("If-Match", tag)).status == 200


def test_if_none_match_on_settings(device):
    tag = device.get()["ETag"]
    for value in (tag, f"W/{tag}", "*", f'"a", {tag}'):
        assert change_volume(device, 2, ("If-None-Match", value)).status == 412, value
    assert change_volume(device, 2, ("If-None-Match", '"a"')).status == 200
    # The old tag does not name it any more.
    assert change_volume(device, 3, ("If-None-Match", tag)).status == 200


def test_if_none_match_compares_all_of_a_tag(world, device):
    """If no named tag is current, the change is made (RFC 9110, section 13.1.2), even if a tag belongs to
    the same settings. Tested with the API, the earlier API, and the pages."""
    account = device.account
    for path, body in ((device.path, {"volume": 1}), (device.path.replace("/v1/", "/v0/"), {"brightness": 1})):
        def ask(value, path=path, body=body):
            return account.request("PATCH", path, body=body, fields=[("If-None-Match", value)]).status

        for form in ('"other"', '"{}-other"', '"{}-"', '"{}"', 'W/"{}-other"', '"x", "{}-other"'):
            settings = settings_of(account.get(path)["ETag"])
            assert ask(form.format(settings)) == 200, form
        tag = account.get(path)["ETag"]
        assert ask(f'"other", W/{tag}') == ask(tag) == ask("*") == 412
        if path == device.path:
            world.sql("UPDATE device SET last_online_at = last_online_at - interval '1 minute' "
                      "WHERE id = %s", device.id)
            assert ask(tag) == 200


@pytest.mark.parametrize("value", ["a", '"a', 'a"', '"a" "b"', '"a", b', "w/\"a\"", "W/", '"*', "*, *"])
@pytest.mark.parametrize("name", ["If-Match", "If-None-Match"])
def test_malformed_conditions(device, name, value):
    answer = change_volume(device, 2, (name, value))
    assert answer.status == 400
    assert answer.json()["detail"].startswith(f"{name} must be * or a list of entity tags")


def test_dates_are_no_conditions(device):
    date = "Sun, 06 Nov 1994 08:49:37 GMT"
    for name in ("If-Unmodified-Since", "If-Modified-Since"):
        assert change_volume(device, 2, (name, date)).status == 200


def test_order_of_the_checks(device, world):
    stale = ("If-Match", '"a"')
    other = world.account()
    path = device.path
    body = {"volume": 1000}
    assert other.request("PATCH", path, body=body, fields=[stale]).status == 403
    assert other.request("PATCH", "/v1/devices/none", body=body, fields=[stale]).status == 404
    assert device.account.request("PATCH", path, body=body, key="x", fields=[stale]).status == 401
    assert device.account.request("PATCH", path, body=body, fields=[stale]).status == 412
    assert device.account.request("PATCH", path, body=b"{", fields=[stale]).status == 400
    good = ("If-Match", device.get()["ETag"])
    assert device.account.request("PATCH", path, body=body, fields=[good]).status == 400


def test_one_of_many_changes_wins(device):
    """All of them read the same settings, and one succeeds."""
    for _ in range(5):
        tag = device.get()["ETag"]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n, tag=tag: change_volume(device, n, ("If-Match", tag)),
                                    range(8)))
        assert sorted(answer.status for answer in answers) == [200] + [412] * 7
        winner = next(n for n, answer in enumerate(answers) if answer.status == 200)
        assert device.get().ok()["volume"] == winner


def test_a_tag_that_never_was_stops_no_change(device):
    """A change of the settings meanwhile does not make an unknown tag valid, however many requests come at once."""
    for field in ('"a"', '"1-1"', ""):
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(
                lambda n, field=field: change_volume(device, n, ("If-None-Match", field)), range(40)))
        assert {answer.status for answer in answers} == {200}


# Requests that change something without a tag: method, path below, body, the answer without conditions.
UNTAGGED = [
    ("POST", "{device}/push", {"image": IMAGE}, 200),
    ("POST", "{app}/upload", {"version": "1", "scriptContent": "x", "scriptLanguage": "STARLARK"},
     201),
    ("POST", "{app}/deploy", {"version": "1"}, 409),
    ("DELETE", "{device}/installations/entry", None, 200),
]


@pytest.mark.parametrize("method, path, body, status", UNTAGGED, ids=lambda value: str(value)[:24])
def test_targets_without_a_tag(world, method, path, body, status):
    account = world.account()
    device = account.device()
    target = path.format(device=device.path, app="/v1/apps/" + scene.app(account, account.id))
    assert device.push(installationId="entry").status == 200

    def ask(name, value):
        return account.request(method, target, body=body, fields=[(name, value)])

    for name, value in (("If-Match", '"a"'), ("If-Match", device.get()["ETag"]),
                        ("If-None-Match", "*")):
        assert ask(name, value).status == 412
    assert device.ids() == ["entry"]
    assert ask("If-None-Match", '"a"').status == status or status == 409
    if path.endswith("deploy"):
        upload = {"version": "1", "scriptContent": "x", "scriptLanguage": "STARLARK"}
        account.post(target.replace("deploy", "upload"), upload)
        assert ask("If-Match", "*").status == 409
    elif path.endswith("entry"):
        assert device.ids() == []
        for value in ("*", '"a"'):
            assert ask("If-Match", value).status == 404
        assert ask("If-None-Match", "*").status == 404
    elif path.endswith("push"):
        assert ask("If-Match", "*").status == 200
