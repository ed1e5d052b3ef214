"""Every status in the document is one with which its operation answers. Each answer is checked against the
document on its way (world.Connection)."""

import contextlib
import json

import pytest
import scene
from key_events import Events
from scene import CONTRACT
from world import UNKNOWN_ID, World, new_key, request_bytes

# Operations of a key of the scope "push", and those that every account may read.
PUSHES = ("pushImage", "showMessage", "previewMessage", "removeTemporary", "v0PushImage", "v0PushApp")
FOR_ALL = ("getApp", "getAppPicture", "getAppSchema", "getAppSource")
BODY_OPERATIONS = [found for found in CONTRACT.operations() if "requestBody" in found[2]]


class Stage:
    """Two accounts; one has a device, and apps in the states that operations need."""

    def __init__(self, world):
        self.world = world
        self.account, self.other = world.account(), world.account()
        self.device = self.account.device()
        self.leader = self.account.device()
        self.count = 0

    def app(self, visibility="private", approved=False, pending=False, script=scene.SCRIPT):
        self.count += 1
        app_id = scene.app(self.account, f"app-{self.account.id[:8]}-{self.count}", visibility)
        if approved or pending:
            self.account.post(f"/v1/apps/{app_id}/upload", {
                "version": "1.2.0", "scriptContent": script, "scriptLanguage": "STARLARK"})
        if approved:
            scene.approve(self.world, app_id)
        return app_id

    def target(self, template, operation_id, **values):
        """A path at which the operation succeeds."""
        if "{appId}" in template:
            values.setdefault("appId", self.app(approved=operation_id in scene.OF_DEPLOYED))
        if "{installationId}" in template:
            assert self.device.push(installationId="weather").status == 200
        if operation_id.endswith("MqttConnection"):
            scene.mqtt_connection(self.account)
        if operation_id == "getAppPicture":
            scene.picture(self.world, values["appId"])
        if operation_id.startswith("getPicture"):
            self.device.poll()
        if operation_id in scene.ORDERS:
            scene.come_online(self.device, operation_id)
        if operation_id == "removeLeader":
            scene.leader(self.device)
        if operation_id in scene.OF_FORMER:
            scene.former(self.world, self.device.id)
        if operation_id == "orderInstallations":
            scene.rotation(self.world, self.device, ["weather", "news"])
        if "{webhookId}" in template and "webhookId" not in values:
            self.world.sql("DELETE FROM webhook WHERE account_id = %s", self.account.id)
            values["webhookId"] = scene.webhook(self.world, self.account)
        if "{collectionId}" in template and "collectionId" not in values:
            self.world.sql("DELETE FROM app_archive WHERE account_id = %s", self.account.id)
            values["collectionId"] = scene.collection(self.world, self.account)
        return scene.target(template, **{"deviceId": self.device.id, "installationId": "weather",
                                         "appId": "", **values})

    def request(self, found, body=None, account=None, target=None, **options):
        method, template, operation = found
        if operation["operationId"] == "createInstallation" and not target and body is None:
            body = {"app": self.app(approved=True)}
        if operation["operationId"] == "setLeader" and body is None:
            body = {"leader": self.leader.id}
        target = target or self.target(template, operation["operationId"])
        body = scene.bodies_of(operation)[0] if body is None else body
        return (account or self.account).request(method, target, body=body, **options)


@pytest.fixture(scope="module")
def stage(world):
    return Stage(world)


def success(stage, found):
    if found[2]["operationId"] == "testWebhook":  # closed port
        made = stage.account.post("/v1/webhooks", {"url": "http://webhook.invalid/", "events": ["pushed"]}).json()
        return stage.request(found, target=stage.target(found[1], "", webhookId=made["id"]))
    if found[1] == "/v1/events":
        with Events(stage.account) as events:
            CONTRACT.check("GET", found[1], events.status, events.fields.items(), b"")
            return events
    return stage.request(found)


def not_modified(stage, found):
    target = stage.target(found[1], found[2]["operationId"])
    tag = stage.request(found, target=target)["ETag"]
    return stage.request(found, target=target, fields=[("If-None-Match", tag)])


def bad_request(stage, found):
    if found[1] == "/v1/events":
        return stage.request(found, target="/v1/events?devices=x")
    if found[0] == "GET":  # a list, or a picture
        target = stage.target(found[1], found[2]["operationId"])
        wrong = "scale=0" if "/devices/{deviceId}/picture" in found[1] else "limit=0"
        return stage.request(found, target=f"{target}?{wrong}")
    malformed = stage.request(found, fields=[("If-Match", "no tag")])
    if "requestBody" not in found[2]:
        return malformed
    assert malformed.status == 400
    if found[1] == "/v1/import/tronbyt":  # an export may have unknown members
        answer = stage.request(found, body={"devices": 1})
        assert "/devices" in answer.faults()
        return answer
    answer = stage.request(found, body={"unknown": 1})
    assert "/unknown" in answer.faults()
    return answer


def unauthorized(stage, found):
    assert stage.request(found, key=new_key()).status == 401
    return stage.request(found, key=None)


def forbidden(stage, found):
    if found[2]["operationId"] not in PUSHES:
        refused = stage.request(found, key=stage.account.new_key(scope="push"))
        if "{" not in found[1] or found[2]["operationId"] in FOR_ALL or "{webhookId}" in found[1] or "{collectionId}" in found[1]:
            return refused
        assert refused.status == 403
    if found[2]["operationId"] == "listAppVersions":
        for visibility in ("public", "legacy"):
            path = scene.target(found[1], appId=stage.app(visibility))
            assert stage.request(found, target=path).status == 403
    return stage.request(found, account=stage.other)


def not_found(stage, found):
    template = found[1]
    if template == "/v1/events":
        return stage.request(found, target=f"/v1/events?devices={UNKNOWN_ID}")
    if template == "/v1/account/mqtt":
        return stage.request(found, account=stage.world.account(), target=template)
    if "{installationId}" in template:
        path = stage.target(template, "", installationId="no-such")
        assert stage.request(found, target=path).status == 404
    return stage.request(found, target=stage.target(template, "", deviceId=UNKNOWN_ID,
                                                    appId=UNKNOWN_ID, webhookId=UNKNOWN_ID, collectionId=UNKNOWN_ID))


# What makes the things of which an account has a limited number.
LIMITED = {"createWebhook": (scene.webhook, 10), "addCollection": (scene.collection, 5)}


def conflict(stage, found):
    """The API's own tests distinguish the other conflicts."""
    if found[1] in ("/v1/push", "/v1/brightness", "/v1/pin"):
        many = stage.world.account()
        many.devices(1001)
        return stage.request(found, account=many, body={**scene.bodies_of(found[2])[0], "devices": "all"})
    if found[1] == "/v1/events":
        many = stage.world.account()
        many.devices(1001)
        return stage.request(found, account=many)
    if found[2]["operationId"] in scene.ORDERS:  # its panel has never connected
        target = stage.target(found[1], "", deviceId=stage.account.device().id)
        return stage.request(found, target=target)
    if found[1] == "/v1/account/mqtt":
        account = stage.world.account()
        scene.mqtt_connection(account, is_of_instance=True)
        return stage.request(found, account=account)
    if found[1].endswith(("/push", "/message", "/push_app")):
        full = stage.world.account()
        path = stage.target(found[1], "", deviceId=full.device().id)
        stage.world.sql("UPDATE account SET byte_limit = 1 WHERE id = %s", full.id)
        return stage.request(found, account=full, target=path)
    if limit := LIMITED.get(found[2]["operationId"]):
        full = stage.world.account()
        for _ in range(limit[1]):
            limit[0](stage.world, full)
        return stage.request(found, account=full)
    if found[2]["operationId"] == "testWebhook":  # its secret is not encrypted with a key of
                                                  # this server
        return stage.request(found)
    if found[2]["operationId"] in ("createInstallation", "installScript"):
        full = stage.account.device()
        scene.fill(stage.world, full)
        body = {"app": stage.app(approved=True)} if found[2]["operationId"] == "createInstallation" else None
        return stage.request(found, body=body, target=stage.target(found[1], "", deviceId=full.id))
    if found[2]["operationId"] == "setLeader":
        return stage.request(found, body={"leader": stage.device.id})
    if found[2]["operationId"] == "copyInstallation":
        full = stage.account.device()
        scene.fill(stage.world, full)
        return stage.request(found, body={"device": full.id})
    if found[2]["operationId"] in ("updateInstallation", "v0UpdateInstallation"):
        entry = scene.install(stage.world, stage.device, stage.app(approved=True, script="x ("))
        name = "config" if found[1].startswith("/v0/") else "settings"
        return stage.request(found, body={name: {"a": "b"}},
                             target=stage.target(found[1], "", installationId=entry))
    if found[2]["operationId"] == "orderInstallations":
        return stage.request(found, body={"order": ["another"]})
    if found[2]["operationId"] == "getAppSchema":
        path = stage.target(found[1], "", appId=stage.app(approved=True, script="x ("))
        return stage.request(found, target=path)
    if found[2]["operationId"] == "takeAppVersionAsDraft":
        path = stage.target(found[1], "", appId=stage.app(approved=True))
        stage.world.sql("UPDATE account SET byte_limit = 1 WHERE id = %s", stage.account.id)
        try:
            return stage.request(found, target=path)
        finally:
            stage.world.sql("UPDATE account SET byte_limit = 0 WHERE id = %s", stage.account.id)
    path = stage.target(found[1], "", appId=stage.app(pending=True))
    return stage.request(found, target=path)


def precondition_failed(stage, found):
    return stage.request(found, fields=[("If-Match", '"a"')])


def too_large(stage, found):
    """Answered from the head alone."""
    return stage.request(found, body=b"", fields=[("Content-Length", str(4 * 1024 * 1024 + 1))])


def wrong_media_type(stage, found):
    if "requestBody" in found[2]:
        wanted = 200 if found[1].startswith("/v0/") else 415
        assert stage.request(found, fields=[("Content-Type", "text/plain")]).status == wanted
    return stage.request(found, fields=[("Content-Encoding", "gzip")])


STATUSES = {200: success, 201: success, 304: not_modified, 400: bad_request, 401: unauthorized,
            403: forbidden, 404: not_found, 409: conflict, 412: precondition_failed, 413: too_large,
            415: wrong_media_type}
# These need a server of their own, below.
ELSEWHERE = {408, 429, 503}
CASES = [(found, int(status)) for found in CONTRACT.operations() for status in found[2]["responses"]
         if int(status) not in ELSEWHERE]


@pytest.mark.parametrize("found, status", CASES,
                         ids=[f"{found[2]['operationId']}-{status}" for found, status in CASES])
def test_status(stage, found, status):
    assert STATUSES[status](stage, found).status == status


@pytest.mark.parametrize("found", CONTRACT.operations(), ids=lambda found: found[2]["operationId"])
def test_head(stage, found):
    """HEAD works where GET does, and is no operation elsewhere."""
    target = stage.target(found[1], found[2]["operationId"])
    answer = stage.account.request("HEAD", target)
    has_get = "get" in CONTRACT.document["paths"][found[1]]
    assert answer.status == (200 if has_get else 405)


def test_other_methods(stage):
    for template, item in CONTRACT.document["paths"].items():
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            if method.lower() not in item:
                answer = stage.account.request(method, stage.target(template, ""))
                assert answer.status == (204 if method == "OPTIONS" else 405)


def test_unknown_paths(stage):
    for path in ("/v1/", "/v1/nothing", "/v1/devices/a/b", "/v1/devices//push", "/v1/apps/a",
                 "/v0", "/v0/account", "/v0/apps", "/v0/devices/a/b"):
        assert stage.account.get(path).status == 404


def test_too_many_requests(postgres):
    with World(postgres.create_database(), "--rate-limit", "1") as world:
        stage = Stage(world)
        for found in CONTRACT.operations():
            key = stage.account.new_key()
            target = scene.target(found[1], deviceId=stage.device.id, appId="clock",
                                  installationId="weather", webhookId=UNKNOWN_ID, collectionId=UNKNOWN_ID)
            stage.device.poll()  # otherwise it takes a while to find that no worker has its panel
            statuses = {stage.request(found, target=target, key=key).status for _ in range(8)}
            assert 429 in statuses, found


def test_unavailable(postgres):
    """Without its database, to keys that a worker knows and to others."""
    database = postgres.create_database()
    with World(database, "--rate-limit", "0") as world, world.impatient():
        stage = Stage(world)
        (name,), = world.sql("SELECT current_database()")
        with contextlib.closing(world.connection):
            postgres.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false; '
                             "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                             f"WHERE datname = '{name}' AND pid <> pg_backend_pid()")
            for found in CONTRACT.operations():
                target = scene.target(found[1], deviceId=stage.device.id, appId=UNKNOWN_ID,
                                      installationId="weather", webhookId=UNKNOWN_ID, collectionId=UNKNOWN_ID)
                assert stage.request(found, target=target).status == 503, found
        postgres.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


def test_slow_bodies(stage):
    """All at once: the server waits for half a minute."""
    with contextlib.ExitStack() as stack:
        waiting = []
        for method, template, operation in BODY_OPERATIONS:
            client = stack.enter_context(stage.world.client())
            target = stage.target(template, "")
            client.send(request_bytes(method, target, b'{"', key=stage.account.key,
                                      fields=[("Content-Length", "100")]))
            waiting.append((client, method, target))
        for client, method, target in waiting:
            answer = client.answer(method)
            assert answer.status == 408
            CONTRACT.check(method, target, answer.status, answer.fields, answer.body)
            assert json.loads(answer.body)["status"] == 408
