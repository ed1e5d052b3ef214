"""Properties of every request that can be made from the document. Each function draws a number of
requests, sends them to a subject, and raises if the document does not promise the answer.

Every function also checks each answer against the document: status, header fields, body. So nothing is
ever 5xx but a documented 503.
"""

import json
import os
import urllib.parse

import generate
import scene
import validate
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from validate import Violation
from verdicts import can_run

BODIES = ["updateDevice", "uploadAppVersion", "deployAppVersion", "pushImage", "v0UpdateDevice"]
IS_RANDOM = bool(os.environ.get("CONTRACT_RANDOM"))
SCALE = int(os.environ.get("CONTRACT_SCALE", "1"))


def runs(examples, is_quick=False):
    """Repeats the same requests every time, unless CONTRACT_RANDOM is set; CONTRACT_SCALE multiplies their
    number. is_quick: failures are not minimized."""
    phases = [Phase.generate] if is_quick else [Phase.explicit, Phase.generate, Phase.shrink]
    return settings(max_examples=examples * SCALE, derandomize=not IS_RANDOM, database=None,
                    deadline=None, phases=phases, suppress_health_check=list(HealthCheck),
                    print_blob=False)


class Subject:
    """A server, an account there, and a device whose state does not matter."""

    def __init__(self, world, contract=validate.CONTRACT, is_quick=False):
        self.world = world
        self.contract = contract
        self.is_quick = is_quick
        self.account = world.account()
        self.device = self.account.device()
        self.client = None
        self.count = 0
        self.apps = 0

    def runs(self, examples):
        return runs(examples, self.is_quick)

    def exchange(self, method, target, body, fields, key):
        """Sends a request; overridden to plant faults. body: bytes or None."""
        if not self.client:
            self.client = self.world.client()
        try:
            self.client.send(world_bytes(method, target, body, fields, key))
            answer = self.client.answer(method)
        except (ConnectionError, BrokenPipeError):
            self.client.close()
            self.client = None
            raise
        if "Connection" in answer and answer["Connection"] == "close":
            self.client.close()
            self.client = None
        return answer

    def send(self, method, target, body=None, fields=(), is_json=True, key=None):
        """Returns the answer, after a check by the document. body: an object for JSON, or bytes."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        fields = list(fields)
        if body is not None and is_json:
            fields.append(("Content-Type", "application/json"))
        answer = self.exchange(method, target, body, fields, key or self.account.key)
        self.count += 1
        self.contract.check(method, target, answer.status, answer.fields, answer.body)
        return answer

    # ---- what operations need to succeed ----

    def app(self):
        self.apps += 1
        return scene.app(self.account, f"app-{self.account.id}-{self.apps}")

    def target(self, operation_id, body=None):
        """A path at which a valid body succeeds."""
        template = self.contract.operation(operation_id)[1]
        if operation_id == "pushImage":
            self.world.sql("DELETE FROM installation WHERE device_id = %s", self.device.id)
        if "{appId}" not in template:
            return scene.target(template, deviceId=self.device.id)
        app_id = self.app()
        if operation_id == "deployAppVersion" and body:
            self.world.sql(
                "INSERT INTO app_version (id, app_id, name, script_language, script_content, "
                "checksum, status, reviewed_at) VALUES (gen_random_uuid(), %s, %s, 'STARLARK', 'x',"
                "'sha256:' || repeat('0', 64), 'APPROVED', clock_timestamp())",
                app_id, body["version"])
            can_run(self.world.sql, app_id, body["version"])
        return scene.target(template, appId=app_id)

    def schema(self, operation_id):
        operation = self.contract.operation(operation_id)[2]
        return operation["requestBody"]["content"]["application/json"]["schema"]

    def success(self, operation_id):
        return min(map(int, self.contract.operation(operation_id)[2]["responses"]))


def world_bytes(method, target, body, fields, key):
    lines = [f"{method} {target} HTTP/1.1", "Host: test", f"Authorization: Bearer {key}"]
    lines += [f"{name}: {value}" for name, value in fields]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + (body or b"")


def expect(condition, *words):
    if not condition:
        raise Violation(" ".join(map(repr, words)))


def is_v0(operation_id):
    """Whether it is /v0, where null and {} count as missing, and any Content-Type as JSON."""
    return operation_id.startswith("v0")


def is_empty(value):
    return value is None or value == {}


def as_v0_changes_it(shown):
    """The members of a change, as this device of /v0 shows them."""
    night, dim = shown["nightMode"], shown["dimMode"]
    names = {"nightModeEnabled": night["enabled"], "nightModeBrightness": night["brightness"],
             "nightModeStartTime": night["startTime"], "nightModeEndTime": night["endTime"]}
    dimmed = {"dimModeStartTime": dim["startTime"] or "", "dimModeBrightness": dim["brightness"]}
    return shown | names | {"nightModeActive": night["active"]} | dimmed


# ---- bodies ----


def reflected(subject, operation_id, body, answer):
    """Checks that the sent values are shown."""
    if operation_id == "updateDevice":
        shown = answer.json()
        sleep = shown.pop("sleep")
        shown |= {"sleep" + name.capitalize(): value for name, value in sleep.items()}
        expect({name: shown[name] for name in body} == body, "shown as", shown, "sent", body)
    elif operation_id == "v0UpdateDevice":
        shown = as_v0_changes_it(answer.json())
        expect({name: shown[name] for name in body if name in shown} == {
            name: value for name, value in body.items() if name in shown}, "shown as", shown, "sent", body)
    elif operation_id == "pushImage":
        shown = subject.send("GET", f"/v1/devices/{subject.device.id}/installations").json()
        wanted = [body["installationId"]] if "installationId" in body else []
        expect([entry["id"] for entry in shown] == wanted, "entries", shown, "sent", body)
        for name in wanted:
            path = f"/v1/devices/{subject.device.id}/installations/"
            answer = subject.send("DELETE", path + urllib.parse.quote(name, safe=""))
            expect(answer.status == 200, "delete", name, answer)
    else:
        shown = answer.json()
        for name in ("version", "scriptLanguage"):
            expect(shown[name] == body.get(name, shown[name]), "shown as", shown, "sent", body)


def what_fits_succeeds(subject, operation_id, examples):
    method = subject.contract.operation(operation_id)[0]
    schema = subject.schema(operation_id)

    @subject.runs(examples)
    @given(generate.fits(subject.contract, schema))
    def check(body):
        expect(subject.contract.is_valid(schema, body), "the generator is wrong about", body)
        answer = subject.send(method, subject.target(operation_id, body), body)
        expect(answer.status == subject.success(operation_id), body, answer)
        reflected(subject, operation_id, body, answer)

    check()


# Other members of a body that breaks a rule; the rest is drawn.
PLAIN = {"updateDevice": {"autoDim": True}, "v0UpdateDevice": {"autoDim": True},
         "pushImage": {"image": generate.PICTURES[0]},
         "deployAppVersion": {"version": "1"},
         "uploadAppVersion": {"version": "1", "scriptContent": "x", "scriptLanguage": "STARLARK"}}


def what_breaks_a_rule_fails(subject, operation_id, examples):
    """An invalid body gets a 400 that names only the wrong field. Tests every fault once, then with all
    kinds of other members."""
    method = subject.contract.operation(operation_id)[0]
    schema = subject.schema(operation_id)
    target = subject.target(operation_id)
    faults = [fault for fault in generate.faults(subject.contract, schema)
              if not (is_v0(operation_id) and fault[1] == "type" and is_empty(fault[3]))]

    def send(broken):
        if broken.rule != "meaning":
            expect(not subject.contract.is_valid(schema, broken.body), "not broken", broken)
        answer = subject.send(method, target, json.dumps(broken.body).encode())
        expect(answer.status == 400, broken, answer)
        pointers = {fault["pointer"] for fault in answer.json()["errors"]}
        expect(pointers == {broken.pointer}, broken, answer)

    @subject.runs(examples)
    @given(generate.broken(subject.contract, schema, faults))
    def check(broken):
        send(broken)

    for chosen, rule, name, value in faults:
        plain = PLAIN[operation_id]
        if "installationId" in chosen["properties"]:
            plain = plain | {"installationId": "a"}
        send(generate.spoil(plain, rule, name, value))
    check()


def the_schema_decides(subject, operation_id, examples):
    """Sends bodies with any number of faults."""
    method = subject.contract.operation(operation_id)[0]
    schema = subject.schema(operation_id)

    some_target = subject.target(operation_id)

    def is_known(body):
        return all(body[name] in right for name, (right, _) in generate.MEANING.items()
                   if name in body)

    @subject.runs(examples)
    @given(generate.mixture(subject.contract, schema))
    def check(body):
        if is_v0(operation_id):
            meant = {name: value for name, value in body.items() if not is_empty(value)}
        else:
            meant = body
        is_valid = subject.contract.is_valid(schema, meant)
        target = subject.target(operation_id, body) if is_valid else some_target
        answer = subject.send(method, target, body)
        if not is_valid:
            expect(answer.status == 400, body, answer)
        elif is_known(body):
            expect(answer.status == subject.success(operation_id), body, answer)

    check()


SPOILS = {
    "cut off": lambda text: text[:-1],
    "more behind it": lambda text: text + b"x",
    "two values": lambda text: text + b"{}",
    "a name twice": lambda text: text[:-1] + b', "image": 1, "image": 1}',
    "no UTF-8": lambda text: text[:-1] + b', "a": "\xff"}',
    "a lone surrogate": lambda text: text[:-1] + b', "a": "\\ud800"}',
    "NaN": lambda text: text[:-1] + b', "a": NaN}',
    "a comma too many": lambda text: text[:-1] + b",}",
    "a comment": lambda text: text + b"// x",
    "nested too deeply": lambda text: text[:-1] + b', "a": ' + b"[" * 40 + b"]" * 40 + b"}",
    "a number with a 0": lambda text: text[:-1] + b', "a": 01}',
    "nothing": lambda text: b"",
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "a raw newline": lambda text: text[:-1] + b', "a": "\n"}',
}
TYPES = ["text/plain", "application/jsonx", "application/x-www-form-urlencoded", "json", "",
         "multipart/form-data; boundary=x", "application/problem+json", "*/*"]


def what_is_no_json_fails(subject, operation_id, examples):
    method = subject.contract.operation(operation_id)[0]
    target = subject.target(operation_id)

    @subject.runs(examples)
    @given(generate.fits(subject.contract, subject.schema(operation_id)),
           st.sampled_from(sorted(SPOILS)), st.sampled_from(TYPES), st.booleans())
    def check(body, spoil, media_type, is_json):
        text = json.dumps(body).encode()
        if is_json:
            answer = subject.send(method, target, SPOILS[spoil](text))
            expect(answer.status == 400, spoil, text, answer)
        else:
            answer = subject.send(method, target, text, [("Content-Type", media_type)],
                                  is_json=False)
            wanted = subject.success(operation_id) if is_v0(operation_id) else 415
            expect(answer.status == wanted, media_type, answer)

    check()


# ---- paths and header fields ----


def segment(text):
    """A path segment, percent-encoded as a whole, so that it may contain any bytes."""
    return "".join(f"%{byte:02X}" for byte in text)


SEGMENTS = st.one_of(st.binary(min_size=1, max_size=40), generate.TEXT.map(str.encode),
                     st.from_regex(r"[0-9a-fA-F:-]{12,36}\Z").map(str.encode)).filter(len)


def unknown_things_are_not_found(subject, examples):
    """Unknown paths get 404, whatever they contain."""
    operations = [found for found in subject.contract.operations() if "{" in found[1]]

    @subject.runs(examples)
    @given(st.sampled_from(operations), st.lists(SEGMENTS, min_size=3, max_size=3), st.booleans())
    def check(found, texts, is_known_device):
        method, template, operation = found
        names = {"deviceId": segment(texts[0]), "appId": segment(texts[1]),
                 "installationId": segment(texts[2]), "webhookId": segment(texts[2]), "collectionId": segment(texts[2]), "version": segment(texts[2])}
        if is_known_device and "{installationId}" in template:
            names["deviceId"] = subject.device.id
        answer = subject.send(method, scene.target(template, **names), scene.bodies_of(operation)[0])
        expect(answer.status == 404, template, texts, answer)

    check()


def every_name_of_a_device_works(subject, examples):
    device = subject.device
    mac = device.mac.replace(":", "")
    names = [device.id, device.serial, device.mac, device.mac.replace(":", "-"), mac]

    @subject.runs(examples)
    @given(st.sampled_from(names), st.booleans(), st.booleans(), generate.TEXT)
    def check(name, is_upper, is_encoded, query):
        if is_upper and name != device.serial:
            name = name.upper()
        if is_encoded:
            name = segment(name.encode())
        target = f"/v1/devices/{name}?{urllib.parse.quote(query)}"
        answer = subject.send("GET", target)
        expect(answer.status == 200 and answer.json()["id"] == device.id, target, answer)

    check()


TAGS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7e, blacklist_characters='"'),
               max_size=40).map(lambda text: f'"{text}"')


def conditions_hold(subject, examples):
    """The answer is 304 if one of the tags is current, otherwise 200; HEAD is like GET. (There is no panel
    to show a picture.)"""
    paths = [found[1] for found in subject.contract.operations()
             if found[0] == "GET" and "{appId}" not in found[1] and "/picture" not in found[1]
             and "304" in found[2]["responses"]]
    image = {"image": generate.PICTURES[0], "installationId": "weather"}
    subject.send("POST", subject.target("pushImage"), image)
    wish = {"url": "http://webhook.invalid/", "events": ["failed"]}
    webhook_id = subject.send("POST", "/v1/webhooks", wish).json()["id"]
    collection_id = scene.collection(subject.world, subject.account)

    @subject.runs(examples)
    @given(st.sampled_from(paths), st.lists(st.tuples(TAGS, st.booleans()), max_size=4),
           st.integers(0, 4), st.booleans(), st.sampled_from(["GET", "HEAD"]))
    def check(path, tags, place, has_current, method):
        target = scene.target(path, deviceId=subject.device.id, installationId="weather",
                              webhookId=webhook_id, collectionId=collection_id)
        current = subject.send("GET", target)["ETag"]
        words = [("W/" if is_weak else "") + tag for tag, is_weak in tags]
        if has_current:
            words.insert(place, current)
        fields = [("If-None-Match", ", ".join(words))] if words else []
        answer = subject.send(method, target, fields=fields)
        expect(answer.status == (304 if has_current else 200), words, answer)
        expect(answer["ETag"] == current, "the tag has changed", answer)

    check()


def only_keys_open(subject, examples):
    operations = list(subject.contract.operations())
    letters = st.characters(min_codepoint=0x20, max_codepoint=0x7e)

    @subject.runs(examples)
    @given(st.sampled_from(operations), st.text(letters, max_size=60))
    def check(found, text):
        method, template, operation = found
        target = scene.target(template, deviceId=subject.device.id, appId="a", installationId="i",
                              webhookId="i", collectionId="i")
        answer = subject.send(method, target, scene.bodies_of(operation)[0], key=text + "x")
        expect(answer.status == 401, text, answer)

    check()
