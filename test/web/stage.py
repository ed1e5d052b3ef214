"""Objects that operations of the pages need: an account with all roles, and the objects that their paths name."""

import json
import re
import secrets
from functools import cached_property

import images
import scene
from authenticator import Passkey
from devices import add
from engines import engines_version
from live import hash_of
from people import CONTRACT, OWN_PAGE, PASSWORD, Browser, Person, sha256, token_of
from private_socket import ask_operator
from world import random_base62


def body_of(operation):
    """The document's example of a body for the operation, or None."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if not content:
        return None
    return content["example"] if "example" in content else next(iter(content["examples"].values()))["value"]


class Stage:
    """An account with all roles, and the objects of paths, made at first use."""

    def __init__(self, world):
        self.world = world
        self.person = Person(world, is_administrator=True, is_reviewer=True)
        self.browser = self.session()
        self.named = {}
        self.passkey = Passkey()

    def session(self):
        """Signs in a browser without a password, which would cost time."""
        token = random_base62(43)
        self.world.sql("INSERT INTO session (id, account_id, secret_hash, address, user_agent) "
                       "VALUES (gen_random_uuid(), %s, %s, '', '')", self.person.id, sha256(token))
        browser = Browser(self.world)
        browser.cookie = f"displayd_session={token}"
        return browser

    @cached_property
    def other(self):
        return Stage(self.world)

    def made(self, path, body=None):
        answer = self.browser.post(path, body)
        assert answer.status in (200, 201), answer
        return answer.json()

    def value(self, name):
        if name not in self.named:
            self.named[name] = MADE[name](self)
        return self.named[name]

    def target(self, template, **values):
        """values: used in place of the path's own names. Reviewers get versions of another account."""
        stage = self.other if template.startswith("/web/reviews/") else self
        return scene.target(template, **{name: values.get(name) or stage.value(name)
                                         for name in re.findall(r"{(\w+)}", template)})

    def request(self, found, target=None, body=None, fields=(), **options):
        """Sends the document's example if there is no body."""
        method, template, operation = found
        body = body_of(operation) if body is None else body
        return self.browser.request(method, target or self.target(template), body=body,
                                    fields=[*OWN_PAGE, *fields], **options)

    def ask_operator(self, found, body=None, target=None):
        """Sends a request that only the operator may make."""
        body = body_of(found[2]) if body is None else body
        account = {"Displayd_Account": self.person.email} if found[2]["operationId"] in IMPORTS else {}
        answer = ask_operator(self.world.server, found[0], target or self.target(found[1]), body, **account)
        fields = {name.lower(): [value] for name, value in answer.headers.items()}
        response = CONTRACT._response(found[0], found[1], answer.status, fields)
        CONTRACT._check_body(found[0], response, fields, answer.body)
        return answer

    def succeed(self, found):
        body = BODIES.get(found[2]["operationId"])
        if found[2]["operationId"] in OPERATORS:
            return self.ask_operator(found, body and body(self))
        if found[2]["operationId"] in ORDERS:
            scene.former(self.world, self.value("deviceId"))
            self.world.sql("UPDATE device SET connected_at = now(), last_online_at = now() WHERE id = %s",
                           self.value("deviceId"))
        if found[2]["operationId"] == "startFirmwareUpdate":
            scene.updatable(self.world, self.value("deviceId"))
        if found[2]["operationId"] == "removeLeader":
            self.world.sql("UPDATE device SET leader_id = %s WHERE id = %s", self.leader(), self.value("deviceId"))
        return self.request(found, body=body and body(self))

    def leader(self):
        return add(self.browser, name="Hall", serialNumber=f"HALL-{secrets.token_hex(4)}")["device"]["id"]

    # ---- what paths name ----

    def app(self):
        """An app that is deployed, with its form and picture."""
        app_id = self.made("/web/studio", {"slug": f"app-{secrets.token_hex(6)}", "name": "Clock",
                                           "visibility": "public"})["id"]
        version_id = self.named["deployed"] = self.version(app_id, "1.1.0")
        scene.approve(self.world, app_id)
        self.world.sql("INSERT INTO app_schema (version_id, locale, engine, schema) VALUES (%s, 'en', %s, %s)",
                       version_id, engines_version(), SCHEMA)
        self.world.sql("INSERT INTO app_picture (version_id, picture) VALUES (%s, %s) ON CONFLICT (version_id) "
                       "DO UPDATE SET picture = excluded.picture", version_id, images.webp(images.solid()))
        return app_id

    def version(self, app_id, name):
        return self.made(f"/web/studio/{app_id}/versions", {
            "version": name, "scriptContent": SCRIPT, "scriptLanguage": "STARLARK"})["id"]

    def installed(self):
        return self.made(f"/web/devices/{self.value('deviceId')}/apps", {"app": self.value("appId")})["id"]

    def pushed(self):
        """The example's name of an entry."""
        self.made(f"/web/devices/{self.value('deviceId')}/push", body_of(CONTRACT.operation("pushImage")[2]))
        return "weather"

    def picture(self):
        [[webp]] = self.world.sql("SELECT picture FROM installation WHERE device_id = %s AND id = %s",
                                  self.value("deviceId"), self.pushed())
        return hash_of(bytes(webp))

    def new_session(self):
        self.session()
        return next(one["id"] for one in self.browser.get("/web/sessions").ok() if not one["isCurrent"])

    def collection(self):
        name = f"collection-{secrets.token_hex(6)}"
        answer = self.ask_operator(CONTRACT.operation("chooseCollection"), {"name": name, "source": name, "lines": ""})
        return json.loads(answer.body)["collectionId"]

    # ---- bodies ----

    def sign(self, sign, **more):
        challenge = self.made("/web/challenge")["challenge"]
        return sign(challenge, "http://localhost:%d" % self.world.server.address[1]) | more

    def creation(self):
        return self.sign(self.passkey.creation, name="Telephone", password=PASSWORD)

    def assertion(self):
        self.value("passkeyId")
        return self.sign(self.passkey.answer)

    def invitation(self):
        """Made by another account: using it signs the browser in as a new account."""
        return {"token": token_of(self.other.made("/web/admin/invitations", {})["url"])}

    def signed_in_elsewhere(self, path, body):
        """Begins a sign-in by the world's issuer, as an identity that nobody else has. Returns the answer to its end."""
        self.world.issuer.claims["sub"] = self.person.id
        url = self.made(path, body)["url"]
        return self.browser.post("/web/oidc/session", self.world.issuer.authorize(url))

    def identity(self):
        self.world.sql("INSERT INTO account_identity (id, account_id, issuer, subject, label) VALUES "
                       "(gen_random_uuid(), %s, 'https://id.example.org', %s, 'Ada')", self.person.id, self.person.id)
        return self.browser.get("/web/identities").ok()[0]["id"]

    def image(self, major=1):
        """An image of firmware, of a version that no other stage has."""
        version = f"{major}.{int(self.person.id[:4], 16)}.{int(self.person.id[-4:], 16)}"
        return body_of(CONTRACT.operation("addFirmware")[2]) | {"version": version}

    def fetched_collection(self):
        return str(self.world.sql(
            "INSERT INTO app_archive (id, account_id, name, url, state, ended_at, is_for_all) SELECT gen_random_uuid(), id, 'a', "
            "'https://a.invalid/' || gen_random_uuid(), 'done', now(), false FROM account WHERE id = %s RETURNING id",
            self.person.id)[0][0])

    def firmware(self):
        return self.made("/web/admin/firmware", self.image(2))["id"]

    def backup(self):
        order = body_of(CONTRACT.operation("orderBackup")[2])
        return self.made("/web/admin/backups", order)["url"].rsplit("/", 1)[1]

    def new_account(self):
        return {"email": f"new-{self.person.email}", "name": "New", "password": PASSWORD}


def account_line(email):
    return json.dumps({"kind": "account", "format": 1, "email": email, "name": "Ada",
                       "createdAt": "2026-11-20T08:15:30.123Z"})


def account_import(stage, email=None):
    """An import with the line of an account, which replaces earlier imports."""
    stage.world.sql("UPDATE account_import SET ends_at = present_time()")
    found = json.loads(ask_operator(stage.world.server, "POST", "/web/admin/imports", {"publicApps": False}).body)["id"]
    body = {"firstLine": 1, "lines": account_line(email or f"{found}@example.org")}
    assert ask_operator(stage.world.server, "POST", f"/web/admin/imports/{found}/lines", body).status == 200
    return found


SCRIPT = "def main():\n    return []\n"
SCHEMA = json.dumps({"version": "1", "schema": [{
    "id": "station", "type": "typeahead", "name": "Station", "description": "", "icon": "train",
    "handler": "find"}]})
MADE = {
    "accountId": lambda stage: Person(stage.world).id,
    "identityId": Stage.identity,
    "passkeyId": lambda stage: stage.made("/web/passkeys", stage.creation())["id"],
    "invitationId": lambda stage: stage.made("/web/admin/invitations", {})["id"],
    "deviceId": lambda stage: add(stage.browser)["device"]["id"],
    "installationId": Stage.installed,
    "appId": Stage.app,
    "versionId": lambda stage: stage.version(stage.value("appId"), "2.0.0"),
    "keyId": lambda stage: stage.value("deviceId") and stage.made("/web/keys", {"name": "Weather"})["id"],
    "hash": Stage.picture,
    "webhookId": lambda stage: stage.made("/web/webhooks", {"url": "http://webhook.invalid/", "events": ["failed"]})["id"],
    "sessionId": Stage.new_session,
    "importId": account_import,
    "checkoutId": Stage.collection,
    "backupId": Stage.backup,
    "firmwareId": Stage.firmware,
    "collectionId": Stage.fetched_collection,
    "part": lambda stage: "0",
}
# Operations of the operator alone, and those that also name an account.
IMPORTS = {"chooseCollection", "importApp"}
OPERATORS = {"createDevices", "createOperatorLink", "removeMember", "exportAccount", "createAccountImport",
             "endAccountImport", "addAccountImportLines", "applyAccountImport"} | IMPORTS
# These need a panel or a former address.
ORDERS = {"rebootPanel", "moveAddress", "endAlias", "updateFirmware", "startFirmwareUpdate"}
# Bodies for operations whose example in the document fails.
BODIES = {
    "setLeader": lambda stage: {"leader": stage.leader()},
    "addAccountImportLines": lambda stage: {"firstLine": 2, "lines": account_line("second@example.org")},
    "createMember": lambda stage: {"email": f"made-{stage.person.email}"},
    "addPasskey": Stage.creation,
    "addFirmware": Stage.image,
    "createDevice": lambda stage: {"name": "Kitchen", "timezone": "UTC", "serialNumber": "SN-1"},
    "orderRotation": lambda stage: {"order": [stage.pushed()]},
    "setSettings": lambda stage: {"settings": {}},
    "updateNight": lambda stage: {"installationId": stage.pushed()},
    "callAppHandler": lambda stage: {"fieldId": "station", "parameter": "zag"},
    "previewApp": lambda stage: {"deviceId": stage.value("deviceId"), "settings": {}},
    "installApp": lambda stage: {"app": stage.value("appId")},
    "createKey": lambda stage: stage.value("deviceId") and {"name": "Weather"},
    "lookAtLink": Stage.invitation,
    "useLink": lambda stage: stage.invitation() | stage.new_account(),
    "register": Stage.new_account,
    "signIn": lambda stage: {"email": stage.person.email, "password": PASSWORD},
    "signInWithPasskey": Stage.assertion,
    "connectOidc": lambda stage: {"password": PASSWORD},
    "createApp": lambda stage: {"slug": f"new-{stage.person.id}", "name": "Clock"},
    "saveDraft": lambda stage: {"scriptLanguage": "STARLARK", "scriptContent": "", "revision": 0},
}
