"""Limits of API keys: scopes, devices, and an expiry."""

import datetime
import json

import pytest
from authors import Author
from people import CONTRACT, UNKNOWN_ID, Person, sha256, wait_until
from world import images

PUSHES = {("post", "/v1/devices/{deviceId}/push"), ("delete", "/v1/devices/{deviceId}/temporary"),
          ("post", "/v0/devices/{deviceId}/push"), ("post", "/v0/devices/{deviceId}/push_app"), ("post", "/v1/push"),
          ("post", "/v1/devices/{deviceId}/message"), ("post", "/v1/devices/{deviceId}/message/preview"), ("get", "/v1/device-names")}
OF_ALL = {("post", "/v1/apps/{appId}/upload"), ("post", "/v1/apps/{appId}/deploy"),
          ("post", "/v1/apps/{appId}/versions/{version}/draft"), ("post", "/v1/import/tronbyt"),
          ("post", "/v1/devices/{deviceId}/scripts"),
          ("get", "/v1/account/mqtt"), ("put", "/v1/account/mqtt"), ("delete", "/v1/account/mqtt")} | {
    (method, "/v1/webhooks" + rest) for method, rest in (
        ("get", ""), ("post", ""), ("get", "/{webhookId}"), ("patch", "/{webhookId}"), ("delete", "/{webhookId}"),
        ("post", "/{webhookId}/test"), ("post", "/{webhookId}/secret"))} | {
    (method, "/v1/collections" + rest) for method, rest in (
        ("get", ""), ("post", ""), ("get", "/{collectionId}"), ("delete", "/{collectionId}"), ("post", "/{collectionId}/fetch"),
        ("post", "/{collectionId}/confirm"))}


def make(browser, **wish):
    return browser.post("/web/keys", {"name": "narrow", **wish}).json()


def in_seconds(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def needed(answer):
    """The scope that an error names; None: the key's scope is enough."""
    field = answer["WWW-Authenticate"] if "WWW-Authenticate" in answer else ""
    if "insufficient_scope" not in field:
        return None
    problem = answer.problem(403)
    scope = field.rsplit('scope="', 1)[1].rstrip('"')
    assert f'requires "{scope}"' in problem["detail"]
    return scope


def test_each_call_needs_its_scope(world):
    """Each operation of the public document needs its scope, whatever the body."""
    author = Author(world)
    browser, device, app = author.browser, author.person.device(), author.make().slug
    keys = {scope: make(browser, scope=scope)["key"] for scope in ("push", "devices", "all")}
    document = world.get("/openapi.json").json()
    asked = set()
    for path, methods in document["paths"].items():
        for method in set(methods) & {"get", "put", "post", "patch", "delete"}:
            if not path.startswith(("/v0/", "/v1/")):
                continue
            asked.add((method, path))
            target = (path.replace("{deviceId}", device).replace("{appId}", app)
                      .replace("{installationId}", "none").replace("{version}", "none")
                      .replace("{webhookId}", UNKNOWN_ID).replace("{collectionId}", UNKNOWN_ID))
            body = None if method in ("get", "delete") else {}
            found = {scope: needed(world.request(method.upper(), target, key=key, body=body))
                     for scope, key in keys.items()}
            is_push, is_of_all = (method, path) in PUSHES, (method, path) in OF_ALL
            assert found == {"push": None if is_push else "all" if is_of_all else "devices",
                             "devices": "all" if is_of_all else None, "all": None}, (method, path)
    assert PUSHES | OF_ALL < asked


def test_chosen_devices(world, person):
    first, second, third = (person.device() for _ in range(3))
    browser = person.browser()
    made = make(browser, deviceIds=[third, first])
    assert made["deviceIds"] == [third, first] and made["scope"] == "all" and made["endsAt"] is None
    key = made["key"]
    for _ in range(2):  # the second time from the worker's cache
        assert world.get(f"/v1/devices/{first}", key=key).status == 200
        problem = world.get(f"/v1/devices/{second}", key=key).problem(403)
        assert problem["detail"] == "the API key is for other devices of the account"
    assert [entry["id"] for entry in world.get("/v1/devices", key=key).json()] == [first, third]
    part = world.get("/v1/devices?limit=1", key=key)
    assert [entry["id"] for entry in part.json()] == [first]
    assert [entry["id"] for entry in world.get("/v0/devices", key=key).json()["devices"]] == [
        first, third]
    # A key whose devices are all removed is for none, not for all.
    for device in (first, third):
        world.sql("DELETE FROM device WHERE id = %s", device)
    assert world.get("/v1/devices", key=key).json() == []
    world.get(f"/v1/devices/{second}", key=key).problem(403)


# Calls without a device in the path: which a key for chosen devices may use.
ACCOUNT_WIDE = OF_ALL - {("post", "/v1/apps/{appId}/upload"), ("post", "/v1/apps/{appId}/deploy"),
                         ("post", "/v1/apps/{appId}/versions/{version}/draft")}
NO_DEVICE = {("get", "/v1/account"), ("get", "/v1/apps"), ("get", "/v1/apps/{appId}"), ("get", "/v1/apps/{appId}/picture"),
             ("get", "/v1/apps/{appId}/schema"), ("get", "/v1/apps/{appId}/source"), ("get", "/v1/apps/{appId}/versions"),
             ("get", "/v1/apps/{appId}/versions/{version}/check"),
             ("post", "/v1/apps/{appId}/versions/{version}/draft"),
             ("post", "/v1/apps/{appId}/upload"), ("post", "/v1/apps/{appId}/deploy")}
FILTERED = {("get", "/v1/device-names"), ("get", "/v1/devices"), ("get", "/v0/devices"), ("get", "/v1/events"), ("post", "/v1/push"),
            ("get", "/v1/firmware-updates"), ("post", "/v1/firmware-updates"), ("delete", "/v1/firmware-updates"),
            ("post", "/v1/brightness"), ("post", "/v1/pin")}


def operations(document):
    return [(method, path) for path, methods in document["paths"].items() if path.startswith(("/v0/", "/v1/"))
            for method in sorted(set(methods) & {"get", "put", "post", "patch", "delete"})]


def test_each_call_keeps_to_the_chosen_devices(world):
    """No operation of the public document reaches another device by a key with all rights for one device."""
    author = Author(world)
    browser, mine, other, app = author.browser, author.person.device(), author.person.device(), author.make().slug
    key = make(browser, deviceIds=[mine])["key"]
    seen = set()
    for method, path in operations(world.get("/openapi.json").json()):
        target = (path.replace("{deviceId}", other).replace("{appId}", app)
                  .replace("{installationId}", "none").replace("{webhookId}", UNKNOWN_ID).replace("{collectionId}", UNKNOWN_ID).replace("{version}", "1"))
        if "{deviceId}" in path:
            detail = "the API key is for other devices of the account"
        elif (method, path) in ACCOUNT_WIDE:
            detail = ("the API key is for chosen devices, but this call concerns the whole account; "
                      "use a key for all devices")
        else:
            seen.add((method, path))
            if (method, path) in NO_DEVICE:
                answer = world.request(method.upper(), target, key=key, body=None if method == "get" else {})
                assert answer.status != 403, (method, path)
            continue
        answer = world.request(method.upper(), target, key=key, body=None if method in ("get", "delete") else {})
        assert answer.problem(403)["detail"] == detail, (method, path)
    assert seen == NO_DEVICE | FILTERED, (
        f"add to NO_DEVICE, FILTERED (x-displayd-key-devices: only) or OF_ALL: {seen - NO_DEVICE - FILTERED}; "
        f"remove: {(NO_DEVICE | FILTERED) - seen}")
    # The filters: lists are tested below, streams in test_key_events.py.
    assert [one["id"] for one in world.get("/v1/device-names", key=key).json()] == [mine]
    world.get(f"/v1/events?devices={mine},{other}", key=key).problem(403)
    image = images.text(images.png())
    for devices, statuses in (([mine, other], [200, 403]), ("all", [200])):
        pushed = world.request("POST", "/v1/push", key=key, body={"image": image, "devices": devices}).json()
        assert [one["status"] for one in pushed["devices"]] == statuses


def test_the_descriptions_say_what_a_limited_key_reaches(world):
    """The operations of NO_DEVICE that change something are apps': an app shows on any device."""
    creation = CONTRACT.document["components"]["schemas"]["KeyCreation"]["properties"]["deviceIds"]["description"]
    public = world.get("/openapi.json").json()["info"]["description"]
    assert ("A key for chosen devices gets 403 from calls that concern the whole account: its MQTT connection, webhooks, "
            "collections and the import. It can read the account and the apps; with scope `all` it can change what an app shows, on "
            "any device.") in creation
    assert ("Calls that concern the whole account (MQTT connection, webhooks, collections, import) are 403 for a key for chosen "
            "devices. Such a key can read the account and the apps; with scope `all` it can deploy an app, which changes "
            "what the app shows on any device.") in public


def test_devices_of_others(world, person):
    mine = person.device()
    browser = person.browser()
    stranger = Person(world)
    other = stranger.device()
    for ids in ([other], [mine, other], [UNKNOWN_ID]):
        assert browser.post("/web/keys", {"name": "x", "deviceIds": ids}).faults() == {
            "/deviceIds": "names a device that the account does not own"}
    key = make(browser)
    assert list(browser.request("PUT", f"/web/keys/{key['id']}", body={
        "name": "x", "deviceIds": [other]}).faults()) == ["/deviceIds"]
    body = {"name": "stolen", "scope": "all"}
    stranger.browser().request("PUT", f"/web/keys/{key['id']}", body=body).problem(404)
    for name in (UNKNOWN_ID, "none"):
        browser.request("PUT", f"/web/keys/{name}", body=body).problem(404)


@pytest.mark.parametrize(("member", "values"), [
    ("scope", ["", "PUSH", "device", None, 1]),
    ("deviceIds", [[], None, "x", {}, ["x"], [1], [UNKNOWN_ID, UNKNOWN_ID.upper()], [UNKNOWN_ID] * 101]),
    ("endsAt", ["", None, 1, "tomorrow", "2027-02-30T12:00:00Z", "2027-01-31T12:00:00", "2027-01-31 12:00:00Z",
                "2020-01-31T12:00:00Z", "2027-01-31T12:00:00.Z"]),
])
def test_bad_input(person, member, values):
    device = person.device()
    browser = person.browser()
    key = make(browser, deviceIds=[device])
    for value in values:
        for method, path in (("POST", "/web/keys"), ("PUT", f"/web/keys/{key['id']}")):
            answer = browser.request(method, path, body={"name": "x", member: value})
            assert list(answer.faults()) == [f"/{member}"], value
    assert browser.get("/web/keys").ok()[0]["deviceIds"] == [device]


def test_a_hundred_devices(world, person):
    """More than a hundred devices are rejected, these are not."""
    devices = [person.device() for _ in range(101)]
    browser = person.browser()
    made = make(browser, deviceIds=devices[:100])
    assert len(world.get("/v1/devices", key=made["key"]).json()) == 100
    assert list(browser.post("/web/keys", {"name": "x", "deviceIds": devices}).faults()) == ["/deviceIds"]


def test_the_end(world, person):
    """A cached key expires by the clock, and then gets 401 like a revoked one."""
    person.device()
    browser = person.browser()
    made = make(browser, endsAt=in_seconds(3600))
    assert world.get("/v1/devices", key=made["key"]).status == 200
    end = in_seconds(600)
    changed = browser.request("PUT", f"/web/keys/{made['id']}", body={"name": "short", "endsAt": end})
    assert changed.json()["endsAt"] == end and changed.json()["name"] == "short"
    world.sql("UPDATE api_key SET ends_at = clock_timestamp() + interval '1 second' WHERE id = %s", made["id"])
    world.sql("SELECT pg_notify('displayd_hint', 'key:' || %s)", sha256(made["key"]).hex())
    wait_until(lambda: world.get("/v1/devices", key=made["key"]).status == 401, "the end")
    assert browser.get("/web/keys").ok()[0]["endsAt"] < end
    # Its owner may set a later expiry.
    browser.request("PUT", f"/web/keys/{made['id']}", body={"name": "longer"}).json()
    assert world.get("/v1/devices", key=made["key"]).status == 200


def test_a_change_reaches_all_workers(world, person):
    device = person.device()
    browser = person.browser()
    made = make(browser)
    clients = world.clients()

    def statuses():
        return {client.request("GET", f"/v1/devices/{device}", key=made["key"]).status for client in clients}

    assert statuses() == {200}
    browser.request("PUT", f"/web/keys/{made['id']}", body={"name": "narrow", "scope": "push"}).json()
    wait_until(lambda: statuses() == {403}, "the narrower scope")
    browser.request("PUT", f"/web/keys/{made['id']}", body={"name": "wide"}).json()
    wait_until(lambda: statuses() == {200}, "the wider scope")
    for client in clients:
        client.close()
    actions = world.sql("SELECT action, target, times FROM audit_entry WHERE account_id = %s AND action LIKE 'key.%%' "
                        "ORDER BY number, action", person.id)
    assert actions == [("key.create", "narrow", 1), ("key.update", "narrow", 1), ("key.update", "wide", 1)]


def test_displayctl(world, person):
    device = person.device()
    ctl = world.server.ctl
    made = ctl("key", "create", "--account", person.email, "--name", "by ctl", "--scope", "push",
               "--device", device, "--ends-at", "2099-01-31T12:00:00Z")
    assert (made["scope"], made["endsAt"]) == ("push", "2099-01-31T12:00:00.000Z")
    [listed] = ctl("key", "list", "--account", person.email)
    assert (listed["scope"], listed["endsAt"]) == ("push", "2099-01-31T12:00:00.000Z")
    shown = ctl("key", "show", made["id"])
    assert json.loads(json.dumps(shown["deviceIds"])) == [device]
    world.get("/v1/devices", key=made["key"]).problem(403)
