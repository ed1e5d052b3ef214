"""IDs of devices, entries, apps and webhooks are found in either case: in a path, a query and a body, at every operation
of the public API document."""

import re

import images
import pytest
import scene
from scene import CONTRACT

IMAGE = images.text(images.webp(images.gradient(0)))
# Members of bodies that name a device, an app or an entry.
NAMES = re.compile(r"devices?|leader|app|app_id|order|(?:device|installation)I[dD]|\w+App")
# Members of the body of an operation, with the IDs of a device, an app and two entries of that app.
BODIES = {
    "setBrightness": lambda ids: {"devices": [ids.device], "brightness": 7},
    "pinEntries": lambda ids: {"devices": [ids.device], "installationId": ids.entry},
    "createInstallation": lambda ids: {"app": ids.app},
    "copyInstallation": lambda ids: {"device": ids.device},
    "moveInstallation": lambda ids: {"to": "top"},
    "orderInstallations": lambda ids: {"order": [ids.entry, ids.other]},
    "setLeader": lambda ids: {"leader": ids.leader},
    "pushImageToDevices": lambda ids: {"devices": [ids.device], "image": IMAGE},
    "v0UpdateDevice": lambda ids: {"pinnedApp": ids.entry, "nightModeApp": ids.entry},
    "v0PushApp": lambda ids: {"app_id": ids.app, "installationID": ids.entry, "config": {}},
}
# Members that are tested below, or are not looked at: in /v0 the path names the device, and an import has IDs of its own.
OTHERS = {("importTronbyt", "devices"), ("pinEntries", "app"), ("pushImage", "installationId"),
          ("pushImageToDevices", "installationId"), ("previewMessage", "installationId"), ("showMessage", "installationId"),
          ("v0PushApp", "deviceID"), ("v0PushImage", "deviceID"), ("v0PushImage", "installationID")}


class Ids:
    """A device with two entries of an app, and a webhook, each written in capital letters."""

    device = app = entry = other = webhook = collection = leader = ""

    def __init__(self, world, account):
        self.world, self.account = world, account
        self.made = account.device()
        app = scene.app(account, "clock-" + self.made.id)
        body = {"version": "1.2.0", "scriptContent": scene.SCRIPT, "scriptLanguage": "STARLARK"}
        assert account.post(f"/v1/apps/{app}/upload", body).status == 201
        scene.approve(world, app)
        scene.picture(world, app)
        self.entries = [scene.install(world, self.made, app) for _ in range(2)]
        hook = scene.webhook(world, account)
        scene.former(world, self.made.id)
        assert self.made.poll().status == 200
        self.device, self.app, self.webhook = self.made.id.upper(), app.upper(), hook.upper()
        self.collection = scene.collection(world, account).upper()
        self.leader = account.device("Hall").id.upper()
        self.entry, self.other = (entry.upper() for entry in self.entries)

    def target(self, template):
        return scene.target(template, deviceId=self.device, appId=self.app, installationId=self.entry,
                            webhookId=self.webhook, collectionId=self.collection)


@pytest.fixture(name="ids")
def ids_in_capitals(world, account):
    return Ids(world, account)


def is_found(answer):
    """Whether nothing that the request names is missing: a refusal for another reason came after the look."""
    assert answer.status not in (401, 403, 405), answer
    return answer.status != 404 and b"_not_found" not in answer.body and b"rotation_changed" not in answer.body


@pytest.mark.parametrize("operation_id", sorted(
    found["operationId"] for _, template, found in CONTRACT.operations()
    if "{" in template or found["operationId"] in BODIES))
def test_each_operation(ids, operation_id):
    method, template, operation = CONTRACT.operation(operation_id)
    body = BODIES[operation_id](ids) if operation_id in BODIES else {} if "requestBody" in operation else None
    answer = ids.account.request(method, ids.target(template), body=body)
    # It has no version of the example's name, and no picture of a renderer: these are looked for in what was found.
    if operation_id in ("getAppVersionCheck", "takeAppVersionAsDraft", "v0GetPreview"):
        assert answer.json().get("code") not in ("app_not_found", "installation_not_found"), answer
    elif operation_id == "removeLeader":
        assert answer.json()["code"] == "leader_not_found", answer  # it was found, and follows none
    else:
        assert is_found(answer), answer


def names_of(schema):
    """Members of a body, those of its parts included."""
    schema = CONTRACT.resolve(schema)
    for kind in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(kind, ()):
            yield from names_of(part)
    yield from schema.get("properties", ())


def test_all_members_are_known():
    """A new member that names something is written in capitals above."""
    found = set()
    for _, _, operation in CONTRACT.operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        found |= {(operation["operationId"], name) for name in names_of(content["schema"]) if NAMES.fullmatch(name)} \
            if content else set()
    said = {(name, member) for name, body in BODIES.items() for member in body(Ids) if NAMES.fullmatch(member)}
    assert found == said | OTHERS


def test_events_of_a_device(ids):
    with ids.world.client() as client:
        client.send(f"GET /v1/events?devices={ids.device} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ids.account.key}"
                    "\r\n\r\n".encode())
        assert client.answer().status == 200


def test_orders_and_pins(ids):
    order = [ids.other, ids.entry]
    assert ids.account.request("PUT", f"{ids.made.path}/order", body={"order": order}).ok() == {}
    assert ids.made.ids() == [one.lower() for one in order]
    for app in (ids.app, ids.app.lower()):
        pinned = ids.account.post("/v1/pin", {"devices": [ids.device], "app": app}).ok()["devices"]
        assert [one["status"] for one in pinned] == [200]
    twice = {"order": [ids.entry, ids.entry.lower()]}
    assert ids.account.request("PUT", f"{ids.made.path}/order", body=twice).problem(409)["code"] == "rotation_changed"
    pinned = ids.account.post("/v1/pin", {"devices": [ids.device], "installationId": ids.other}).ok()["devices"]
    assert [one["status"] for one in pinned] == [200]
    assert [one["installationId"] for one in ids.made.get("/rotation").ok()["entries"] if one["isPinned"]] == [
        ids.other.lower()]


def test_a_push_knows_the_ids_of_apps(ids):
    """It is refused in either case: otherwise another entry would be found by these letters from then on."""
    for path, member, body in ((f"/v1/devices/{ids.device}/push", "installationId", {"image": IMAGE}),
                               (f"/v0/devices/{ids.device}/push", "installationID", {"image": IMAGE}),
                               (f"/v1/devices/{ids.device}/message", "installationId", {"text": "x"})):
        for entry in (ids.entry, ids.entry.lower()):
            answer = ids.account.post(path, {**body, member: entry})
            assert answer.problem(400)["code"] == "installation_id_of_app", (path, entry)
    answer = ids.account.post("/v1/push", {"devices": [ids.device], "image": IMAGE, "installationId": ids.entry})
    assert [one["status"] for one in answer.ok()["devices"]] == [400]
    assert len(ids.made.ids()) == 2


def test_a_name_that_was_chosen_comes_first(account, device):
    chosen = "0198f6a5-3c41-7d02-b6f1-0a9e8d7c6b5a"
    for name in (chosen.upper(), chosen, "Weather", "weather"):
        assert device.push(installationId=name, background=True).ok() == {}
    for order in ([chosen, "weather", chosen.upper(), "Weather"], ["Weather", chosen.upper(), chosen, "weather"]):
        assert account.request("PUT", f"{device.path}/order", body={"order": order}).ok() == {}
        assert device.ids() == order
    for name in (chosen, chosen.upper()):
        account.post("/v1/pin", {"devices": [device.id], "installationId": name}).ok()
        assert [one["installationId"] for one in device.get("/rotation").ok()["entries"] if one["isPinned"]] == [name]
    gone = account.post("/v1/pin", {"devices": [device.id], "installationId": "WEATHER"}).ok()["devices"]
    assert [one["code"] for one in gone] == ["installation_not_found"]
