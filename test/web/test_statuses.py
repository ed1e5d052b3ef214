"""Provokes every status that the document of the pages gives an operation. people.Browser checks each
answer against the document. Apps need no engine here: results of an engine are inserted into the
database."""

import contextlib
import json
import os
import re
import secrets

import issuer
import lock_sessions
import pytest
from events import Events
from people import CONTRACT, OWN_PAGE, PASSWORD, UNKNOWN_ID, World, request_bytes
from private_socket import ask_operator
from stage import BODIES, OPERATORS, Stage, account_import, body_of
from world import until_refused

OPERATIONS = list(CONTRACT.operations())


def having(status):
    """Runs a test for each operation that has this status."""
    return pytest.mark.parametrize("found", [found for found in OPERATIONS if status in found[2]["responses"]],
                                   ids=lambda found: found[2]["operationId"])


# ---- statuses. found: method, path and operation, as of CONTRACT.operations() ----


def begin_series(stage):
    """Without a hint no worker ends it, although it has no device."""
    stage.world.sql("INSERT INTO firmware_series (account_id, series_id, state) SELECT id, gen_random_uuid(), 'running' "
                    "FROM account ORDER BY created_at DESC LIMIT 1")


def running_series(stage, found):
    begin_series(stage)
    return stage.request(found)


def success(stage, found):
    stage = Stage(stage.world)
    name = found[2]["operationId"]
    if name == "streamEvents":
        with Events(stage.browser) as events:
            CONTRACT.check("GET", "/web/events", events.status, events.fields.items(), b"")
            return events
    if name == "removeMqttConnection":
        stage.browser.request("PUT", "/web/account/mqtt", body={"url": "mqtt://broker.invalid"}).json()
    if name == "cancelFirmwareUpdates":
        begin_series(stage)
    if name == "endOidc":
        return stage.signed_in_elsewhere("/web/oidc/connection", {"password": PASSWORD})
    if name == "showEntry":
        stage.named["installationId"] = stage.pushed()
    return stage.succeed(found)


def not_modified(stage, found):
    """Workers report each second, so the tag of the instance may be old already."""
    is_instance = found[2]["operationId"] == "getInstance"
    tag = "*" if is_instance else stage.request(found)["ETag"]
    return stage.request(found, fields=[("If-None-Match", tag)])


def bad_request(stage, found):
    target = stage.target(found[1])
    for parameter in CONTRACT.parameters(found[1], found[2]):
        if parameter["in"] == "query":
            answer = stage.request(found, f"{target}?{parameter['name']}=%&limit=1")
            answer.problem(400)
    if found[0] != "GET":
        answer = stage.request(found, fields=[("If-Match", "no tag")])
    if "requestBody" in found[2]:
        answer.problem(400)
        is_open = found[2]["operationId"] == "importTronbyt"  # an export may have unknown members
        name = "devices" if is_open else "unknown"
        answer = stage.request(found, body={name: 1})
        assert f"/{name}" in answer.faults()
    return answer


def unauthorized(stage, found):
    return stage.request(found, cookie=False)


def forbidden(stage, found):
    return stage.browser.request(found[0], stage.target(found[1]), body=body_of(found[2]),
                                 fields=[("Sec-Fetch-Site", "cross-site")])


def not_found(stage, found):
    """Makes each name of the path unknown, one at a time. Without a name, the example has an unknown one."""
    if found[2]["operationId"] == "importApp":
        return stage.ask_operator(found, target=re.sub(r"{\w+}", "none", found[1]))
    if found[2]["operationId"] == "createOperatorLink":
        return ask_operator(stage.world.server, *found[:2], {"email": "nobody@example.org"})
    if found[2]["operationId"] in OPERATORS:
        body = body_of(found[2]) if "requestBody" in found[2] else None
        return ask_operator(stage.world.server, found[0], re.sub(r"{\w+}", UNKNOWN_ID, found[1]), body)
    answers = [stage.request(found, stage.target(found[1], **{name: UNKNOWN_ID}))
               for name in re.findall(r"{(\w+)}", found[1])]
    for answer in answers[1:]:
        answer.problem(404)
    target = f"/web/events?devices={UNKNOWN_ID}" if found[1] == "/web/events" else None
    return answers[0] if answers else stage.request(found, target)


def precondition_failed(stage, found):
    stage.request(found, fields=[("If-None-Match", "*")]).problem(412)
    return stage.request(found, fields=[("If-Match", '"a"')])


def too_large(stage, found):
    """The head is enough."""
    most = (17 if found[2]["operationId"] == "addAccountImportLines" else 12) * 1024 * 1024
    return stage.request(found, body=b"", fields=[("Content-Length", str(most + 1))])


def wrong_media_type(stage, found):
    if "requestBody" in found[2]:
        stage.request(found, fields=[("Content-Type", "text/plain")]).problem(415)
    return stage.request(found, fields=[("Content-Encoding", "gzip")])


# ---- conflicts ----


def twice(stage, found):
    assert stage.succeed(found).status < 300
    return stage.succeed(found)


def outdated(stage, found):
    """Removes the object of a request between its check and the change."""
    changes = {"signIn": "UPDATE account SET password_hash = '$argon2id$other' WHERE id = %s",
               "signInWithPasskey": "DELETE FROM passkey WHERE account_id = %s"}
    change = changes.get(found[2]["operationId"], "DELETE FROM session WHERE account_id = %s")
    stage.target(found[1])
    body = BODIES.get(found[2]["operationId"])
    body = body and body(stage)
    answer, _ = lock_sessions.overtaken(stage.world, stage.person.id, change,
                                        "SELECT %s::text", lambda: stage.request(found, body=body))
    return answer


def last_administrator(stage, found):
    stage.world.sql("UPDATE account SET is_administrator = false WHERE is_administrator AND id <> %s",
                    stage.person.id)
    answer = stage.request(found, stage.target(found[1], accountId=stage.person.id), {"isAdministrator": False})
    stage.world.sql("UPDATE account SET is_administrator = true WHERE closed_at IS NULL")
    return answer


def too_many_collections(stage, found):
    for _ in range(5):
        stage.fetched_collection()
    try:
        return stage.request(found)
    finally:
        stage.world.sql("DELETE FROM app_archive")


def too_many_invitations(stage, found):
    stage.world.sql("INSERT INTO account_link (id, kind, secret_hash, maker_id, expires_at) SELECT "
                    "gen_random_uuid(), 'invitation', sha256(n::text::bytea), %s, now() + interval '1 day' "
                    "FROM generate_series(1, 100) AS n", stage.person.id)
    answer = stage.request(found)
    stage.world.sql("DELETE FROM account_link WHERE maker_id = %s", stage.person.id)
    return answer


def full_account(stage, found):
    stage.world.sql("UPDATE account SET byte_limit = 1 WHERE id = %s", stage.person.id)
    return stage.request(found)


def full_device(stage, found, count=100):
    stage.world.sql("UPDATE device SET generation = 200 WHERE id = %s", stage.value("deviceId"))
    stage.world.sql("INSERT INTO installation (device_id, id, app_id, position) SELECT %s, n::text, %s, 100 + n "
                    "FROM generate_series(1, %s) AS n", stage.value("deviceId"), stage.value("appId"), count)
    return stage.succeed(found)


def copy_in_a_full_device(stage, found):
    assert stage.value("installationId")
    return full_device(stage, found, count=99)


def own_leader(stage, found):
    return stage.request(found, body={"leader": stage.value("deviceId")})


def without_form(stage, found):
    target = stage.target(found[1])
    stage.world.sql("DELETE FROM app_schema WHERE version_id = %s", stage.named["deployed"])
    return stage.request(found, target)


def broker_of_the_instance(stage, found):
    stage.world.sql("INSERT INTO mqtt_connection (account_id, url, is_of_instance, held_until) VALUES "
                    "(%s, 'mqtt://127.0.0.1:9', true, present_time() + interval '1 hour')", stage.person.id)
    return stage.request(found)


def version_in_review(stage, found):
    stage.value("versionId")
    return stage.request(found, body={"version": "2.0.0"})


def deployed_version(stage, found):
    stage.value("appId")
    return stage.request(found, stage.target(found[1], versionId=stage.named["deployed"]))


# The other operations succeed once. Stage.request: the example is a conflict.
def public_twice(stage, found):
    """Publishes an app whose slug a public app of another account has."""
    slug = f"app-{secrets.token_hex(6)}"
    stage.other.made("/web/studio", {"slug": slug, "name": "Clock", "visibility": "public"})
    app_id = stage.made("/web/studio", {"slug": slug, "name": "Clock"})["id"]
    return stage.request(found, stage.target(found[1], appId=app_id))


def removed_link(stage, found):
    stage.world.sql("UPDATE account SET closed_at = now() WHERE id = %s", stage.value("accountId"))
    [[email]] = stage.world.sql("SELECT email FROM account WHERE id = %s", stage.value("accountId"))
    return stage.ask_operator(found, {"email": email})


def only_administrator(stage, found):
    """Removes the only administrator."""
    stage.named["accountId"] = stage.person.id
    stage.world.sql("UPDATE account SET is_administrator = false WHERE is_administrator AND id <> %s",
                    stage.person.id)
    answer = stage.ask_operator(found)
    stage.world.sql("UPDATE account SET is_administrator = true WHERE closed_at IS NULL")
    return answer


def other_backup(stage, found):
    """Another server makes a backup: it holds the lock of BACKUP_LOCK_KEY."""
    target = stage.target(found[1])
    with lock_sessions.Session(stage.world) as server:
        server.run("SELECT pg_advisory_lock(7235441203039271269)")
        return stage.request(found, target)


def ownerless_app(stage, found):
    target = stage.target(found[1])
    stage.world.sql("UPDATE app SET status = 'disabled', account_id = NULL WHERE id = %s", stage.value("appId"))
    return stage.request(found, target)


def slug_of_two(stage, found):
    """Private apps of two accounts have the slug, so that it means neither."""
    slug = f"app-{secrets.token_hex(6)}"
    for account in (stage, stage.other):
        account.made("/web/studio", {"slug": slug, "name": "Clock"})
    target = stage.target(found[1], appId=slug)
    return stage.request(found, target)


def unknown_account(stage, found):
    return stage.ask_operator(found, body_of(found[2]) | {"onlyCheck": False})


def known_account(stage, found):
    stage.named["importId"] = account_import(stage, stage.person.email)
    return stage.ask_operator(found)


def wrong_line(stage, found):
    return stage.ask_operator(found, {"firstLine": 1, "lines": "{}"})


def other_source(stage, found):
    stage.ask_operator(found, {"name": "Theirs", "source": "/theirs", "lines": ""})
    return stage.ask_operator(found, {"name": "Theirs", "source": "/ours", "lines": ""})


def unknown_collection(stage, found):
    return stage.ask_operator(found, target=re.sub(r"{\w+}", UNKNOWN_ID, found[1]))


def too_many_webhooks(stage, found):
    for _ in range(10):
        assert stage.request(found).status == 201
    return stage.request(found)


def unknown_secret(stage, found):
    target = stage.target(found[1])
    stage.world.sql("UPDATE webhook SET secret = 'x' WHERE id = %s", stage.value("webhookId"))
    return stage.request(found, target)


def too_many_devices(stage, found):
    stage.world.sql("INSERT INTO device (id, account_id, name, link_key_hash) "
                    "SELECT gen_random_uuid(), %s, 'One', sha256(gen_random_uuid()::text::bytea) "
                    "FROM generate_series(1, 1001)", stage.person.id)
    return stage.request(found, body={**body_of(found[2]), "devices": "all"})


def unknown_identity(stage, _found):
    stage.world.issuer.claims["email"] = None
    return stage.signed_in_elsewhere("/web/oidc/start", {})


CONFLICTS = {
    "endOidc": unknown_identity,
    "pushImageToDevices": too_many_devices, "setBrightness": too_many_devices, "pinEntries": too_many_devices,
    "addCollection": too_many_collections, "createWebhook": too_many_webhooks, "testWebhook": unknown_secret,
    "createOperatorLink": removed_link, "removeMember": only_administrator, "enableApp": ownerless_app,
    "getAnyApp": slug_of_two, "disableApp": slug_of_two, "removeApp": slug_of_two,
    "createDevices": unknown_account, "applyAccountImport": known_account, "addAccountImportLines": wrong_line,
    "chooseCollection": other_source, "importApp": unknown_collection,
    "updateApp": public_twice,
    "changePassword": outdated, "removeAccount": outdated, "removePasskey": outdated,
    "endAccess": outdated, "removeMemberAsAdministrator": outdated,
    "orderBackup": other_backup, "downloadBackup": other_backup,
    "signIn": outdated, "signInWithPasskey": outdated,
    "updateMember": last_administrator, "createInvitation": too_many_invitations, "pushImage": full_account,
    "showMessage": full_account, "setMqttConnection": broker_of_the_instance,
    "rebootPanel": Stage.request, "moveAddress": Stage.request, "updateFirmware": Stage.request, "startFirmwareUpdate": Stage.request,
    "startFirmwareUpdates": running_series,
    "installApp": full_device, "installOwnScript": full_device, "copyEntry": copy_in_a_full_device, "setLeader": own_leader, "setSettings": without_form,
    "deployVersion": version_in_review,
    "removeVersion": deployed_version,
    "orderRotation": Stage.request, "showEntry": Stage.request, "createKey": Stage.request,
}


def conflict(stage, found):
    return CONFLICTS.get(found[2]["operationId"], twice)(Stage(stage.world), found)


STATUSES = {"200": success, "201": success, "304": not_modified, "400": bad_request, "401": unauthorized,
            "403": forbidden, "404": not_found, "409": conflict, "412": precondition_failed,
            "413": too_large, "415": wrong_media_type}
# These have tests below.
ELSEWHERE = {"408", "429", "503"}
DRAWN = [("showMessage", "200"), ("showMessage", "409"), ("previewMessage", "200"), ("importApp", "409")]
CASES = [(found, status) for found in OPERATIONS for status in found[2]["responses"]
         if status not in ELSEWHERE and (found[2]["operationId"], status) not in DRAWN]


@pytest.fixture(name="world", scope="module")
def open_world(postgres):
    with issuer.made_up() as provider, World(
            postgres.create_database(), "--rate-limit", "0", "--renderers", "0", "--registration", "open", "--oidc",
            provider.url, "--oidc-client", issuer.CLIENT, "--egress-allow", "127.0.0.1") as one:
        one.issuer = provider
        yield one


@pytest.fixture(scope="module")
def stage(world):
    return Stage(world)


@pytest.fixture(scope="module", autouse=True)
def slow(stage):
    """Sends the beginning of each body. The server waits for the rest while other tests run."""
    with contextlib.ExitStack() as stack:
        clients = {}
        for method, template, operation in OPERATIONS:
            if "requestBody" in operation:
                client = clients[method, template] = stack.enter_context(stage.world.client())
                target = re.sub(r"{\w+}", UNKNOWN_ID, template)
                client.send(request_bytes(method, target, b'{"', fields=[
                    *OWN_PAGE, ("Cookie", stage.browser.cookie), ("Content-Length", "100")]))
        yield clients


@pytest.mark.parametrize("found, status", CASES,
                         ids=[f"{found[2]['operationId']}-{status}" for found, status in CASES])
def test_status(stage, found, status):
    assert STATUSES[status](stage, found).status == int(status)


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="built without the Starlark renderer")
def test_what_needs_a_renderer(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--registration", "open") as world:
        for name, status in DRAWN:
            assert STATUSES[status](Stage(world), CONTRACT.operation(name)).status == int(status)


@pytest.mark.parametrize("found", OPERATIONS, ids=lambda found: found[2]["operationId"])
def test_conditions(stage, found):
    """Operations that lack such a status in the document answer with one that they have."""
    for field in (("If-Match", "no tag"), ("If-None-Match", "*")):
        stage.request(found, stage.target(found[1]) + "?devices=%", fields=[field])


@having("408")
def test_slow_body(slow, found):
    method, template, _ = found
    answer = slow[method, template].answer(method)
    assert answer.status == json.loads(answer.body)["status"] == 408
    CONTRACT.check(method, template, answer.status, answer.fields, answer.body)


@pytest.fixture(scope="module")
def tired(limited):
    return Stage(limited)


@having("429")
def test_too_many_requests(tired, found):
    """If-Match and the query reject requests below the limit, so none changes anything or streams."""
    target = re.sub(r"{\w+}", UNKNOWN_ID, found[1]) + "?devices=%"
    until_refused(lambda: tired.request(found, target, fields=[("If-Match", '"a"')]), 4)


@pytest.fixture(scope="module")
def without_database(limited, postgres):
    """Runs last: from here on the server has no database."""
    stage = Stage(limited)
    (name,), = limited.sql("SELECT current_database()")
    with limited.impatient(), contextlib.closing(limited.connection):
        postgres.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false; '
                         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         f"WHERE datname = '{name}' AND pid <> pg_backend_pid()")
        yield stage
        postgres.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


@having("503")
def test_unavailable(without_database, found):
    assert without_database.request(found, re.sub(r"{\w+}", UNKNOWN_ID, found[1])).status == 503
