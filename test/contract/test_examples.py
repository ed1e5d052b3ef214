"""Every example of the document is valid: requests succeed, and all examples of answers match their schemas."""

import itertools
import json
import os
import urllib.parse

import pytest
import scene
import validate
from scene import CONTRACT


# Each needs objects that earlier ones have made.
ORDER = ["getAccount", "setMqttConnection", "getMqttConnection", "removeMqttConnection", "listDeviceNames", "listDevices", "getDevice", "updateDevice", "nextEntry", "sleepDevice", "wakeDevice", "dimDevice", "undimDevice", "setPlan", "getPlan",
         "getPicture", "getPictureAsWebp", "getPictureAsGif", "getPictureAsPng",
         "pushImage", "pushImageToDevices", "setBrightness", "pinEntries", "previewMessage", "showMessage", "removeTemporary", "uploadAppVersion",
         "listAppVersions", "deployAppVersion", "takeAppVersionAsDraft", "getAppVersionCheck", "listApps", "getApp", "getAppPicture",
         "getAppSchema", "getAppSource",
         "streamEvents", "getFirmware", "updateFirmware", "startFirmwareUpdate", "startFirmwareUpdates", "getFirmwareUpdates", "cancelFirmwareUpdates", "setLeader", "getLeader", "removeLeader",
         "rebootPanel", "moveAddress", "endAlias", "importTronbyt",
         "listInstallations", "getDeviceRotation", "getInstallation", "updateInstallation", "createInstallation", "installScript",
         "copyInstallation", "moveInstallation", "retryInstallation", "orderInstallations",
         "deleteInstallation", "v0ListDevices", "v0GetDevice", "v0UpdateDevice",
         "v0UpdateFirmwareSettings", "v0RebootPanel", "v0PushImage", "v0PushApp",
         "v0ListInstallations", "v0GetInstallation", "v0UpdateInstallation", "v0GetPreview",
         "v0DeleteInstallation",
         "listWebhooks", "createWebhook", "getWebhook", "updateWebhook", "renewWebhookSecret", "testWebhook",
         "removeWebhook", "listCollections", "addCollection", "getCollection", "fetchCollection", "confirmCollection",
         "removeCollection"]


def parameter(name):
    return next(found for _, template, operation in CONTRACT.operations()
                for found in CONTRACT.parameters(template, operation) if found["name"] == name)


@pytest.fixture(scope="module")
def owner(world):
    """An account whose device and app are those of the examples."""
    account = world.account()
    device_id, mac = scene.examples_of(parameter("deviceId"))
    device = account.device(id=device_id, mac=mac)
    account.device("Hall", serial="HALL-1")
    app_id = scene.app(account, scene.examples_of(parameter("appId"))[0])
    scene.install(world, device, app_id)
    return account, device, app_id


def requests_of(template, operation):
    """Targets and fields of all combinations of a parameter's examples."""
    parameters = CONTRACT.parameters(template, operation)
    for values in itertools.product(*map(scene.examples_of, parameters)):
        named = [(found["in"], found["name"], value) for found, value in zip(parameters, values)]
        query = urllib.parse.urlencode([(name, json.dumps(value) if isinstance(value, bool) else value)
                                        for where, name, value in named if where == "query"])
        yield (scene.target(template, **{name: value for where, name, value in named if where == "path"})
               + (f"?{query}" if query else ""),
               [(name, value) for where, name, value in named if where == "header"])


def prepare(world, device, app_id, operation_id):
    """Prepares the state that an example cannot create itself."""
    if operation_id == "uploadAppVersion":
        world.sql("UPDATE app SET deployed_version_id = NULL WHERE id = %s", app_id)
        world.sql("ALTER TABLE app_version DISABLE TRIGGER app_version_immutable")
        world.sql("DELETE FROM app_version WHERE app_id = %s", app_id)
        world.sql("ALTER TABLE app_version ENABLE TRIGGER app_version_immutable")
    if operation_id == "listAppVersions":
        scene.approve(world, app_id)
    if operation_id == "getAppPicture":
        scene.picture(world, app_id)
    if operation_id.startswith("getPicture"):
        assert device.poll().status == 200
    if operation_id in scene.ORDERS:
        scene.come_online(device, operation_id)
    if operation_id == "removeLeader":
        scene.leader(device)
    if operation_id in scene.OF_FORMER:
        scene.former(world, device.id)
    if operation_id == "orderInstallations":
        body, = scene.bodies_of(CONTRACT.operation(operation_id)[2])
        scene.rotation(world, device, reversed(body["order"]))
    if operation_id == "createWebhook":
        world.sql("DELETE FROM webhook WHERE account_id = %s", device.account.id)
    if operation_id == "getCollection":  # that of the examples
        world.sql("UPDATE app_archive SET id = %s WHERE account_id = %s",
                  scene.examples_of(parameter("collectionId"))[0], device.account.id)
    if operation_id == "getWebhook":  # that of the examples
        world.sql("UPDATE webhook SET id = %s WHERE account_id = %s",
                  scene.examples_of(parameter("webhookId"))[0], device.account.id)
    if operation_id in ("deleteInstallation", "v0DeleteInstallation"):
        push = CONTRACT.operation("pushImage")[2]
        assert device.push_body(scene.bodies_of(push)[0]).status == 200


def test_requests(world, owner):
    account, device, app_id = owner
    sent = 0
    assert sorted(ORDER) == sorted(found["operationId"] for *_, found in CONTRACT.operations())
    for operation_id in ORDER:
        method, template, operation = CONTRACT.operation(operation_id)
        success = min(map(int, operation["responses"]))
        if operation_id == "listAppVersions":
            prepare(world, device, app_id, operation_id)
        for body in scene.bodies_of(operation):
            for path, fields in requests_of(template, operation):
                if operation_id != "listAppVersions":
                    prepare(world, device, app_id, operation_id)
                answer = account.request(method, path, body=body, fields=fields)
                assert answer.status == success, (method, path, answer)
                sent += 1
    assert sent >= 32


def test_requests_fit_their_schemas():
    for _, template, operation in CONTRACT.operations():
        for found in CONTRACT.parameters(template, operation):
            for value in scene.examples_of(found):
                assert CONTRACT.errors(found["schema"], value) == [], found
        for body in scene.bodies_of(operation):
            if body is not None:
                content = operation["requestBody"]["content"]["application/json"]
                assert CONTRACT.errors(content["schema"], body) == [], operation["operationId"]


def responses():
    """(name, status, response) of all, including shared ones."""
    for _, _, operation in CONTRACT.operations():
        for status, response in operation["responses"].items():
            yield operation["operationId"], status, CONTRACT.resolve(response)
    for status, response in CONTRACT.document["x-general-responses"].items():
        yield "general", status, response


def test_answers_fit_their_schemas():
    count = 0
    for name, status, response in responses():
        for media_type, content in response.get("content", {}).items():
            if media_type.startswith("image/"):
                continue
            assert CONTRACT.errors(content["schema"], content["example"]) == [], (name, status)
            assert content["example"].get("status", int(status)) == int(status) \
                if isinstance(content["example"], dict) and "title" in content["example"] else True
            count += 1
        for header in map(CONTRACT.resolve, response.get("headers", {}).values()):
            assert CONTRACT.errors(header["schema"], header["example"]) == [], (name, header)
    assert count > 80


def test_schema_examples_fit():
    def walk(node):
        if isinstance(node, dict):
            if "type" in node and isinstance(node.get("examples"), list):
                yield node
            for value in node.values():
                yield from walk(value)
        elif isinstance(node, list):
            for value in node:
                yield from walk(value)

    found = list(walk(CONTRACT.document["components"]["schemas"]))
    assert len(found) >= 8
    for schema in found:
        for value in schema["examples"]:
            assert CONTRACT.errors(schema, value) == [], schema


def test_no_default_makes_a_field_required():
    """Generators of types treat a field with a default as always present."""
    for document in ("openapi.json", "web-openapi.json"):
        with open(os.path.join(validate.DOCUMENTS, document), encoding="utf-8") as file:
            schemas = json.load(file)["components"]["schemas"]
        fields = {f"{name}.{field}": schema for name, one in schemas.items()
                  for field, schema in one.get("properties", {}).items()}
        assert [name for name, schema in fields.items() if "default" in schema] == []


def names_in(node):
    """Names of the schemas that are referred to, directly or by others."""
    found, waiting = set(), [node]
    while waiting:
        one = waiting.pop()
        name = one.get("$ref", "").removeprefix("#/components/schemas/") if isinstance(one, dict) else ""
        if name and name not in found:
            found.add(name)
            waiting.append(CONTRACT.resolve(one))
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []
    return found


def test_object_schemas_say_all():
    """Objects of bodies define all members. Those of answers may have others later."""
    bodies = names_in([operation.get("requestBody", {}) for _, _, operation in CONTRACT.operations()])
    assert {"DeviceUpdate", "Hours"} <= bodies and "Device" not in bodies
    for name, schema in CONTRACT.document["components"]["schemas"].items():
        if schema.get("type") == "object" and name != "TronbytExport":  # written by another program
            assert ("additionalProperties" in schema) == (name in bodies), name
            assert schema.get("additionalProperties") is not True or name == "Problem", name
        assert schema["description"], name


def test_document_is_served(world):
    answer = world.get("/openapi.json")
    assert (answer.status, answer["Content-Type"]) == (200, "application/json")
    assert answer.json() == CONTRACT.document
