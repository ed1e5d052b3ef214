"""The properties find what is wrong: each fault is planted into a copy of the document, or between
the tests and the server, and one of the properties must stumble over it."""

import copy
import json

import pytest
import validate
from properties import (Subject, conditions_hold, every_name_of_a_device_works, only_keys_open,
                        the_schema_decides, unknown_things_are_not_found, what_breaks_a_rule_fails,
                        what_fits_succeeds, what_is_no_json_fails)
from world import Answer

EXAMPLES = 400


# ---- a document that says something else than the server does ----


def schema(document, name, *path):
    node = document["components"]["schemas"][name]
    for part in path:
        node = node["properties"][part]
    return node


def more_brightness(document):
    schema(document, "DeviceUpdate", "brightness")["maximum"] = 101


def less_brightness(document):
    schema(document, "DeviceUpdate", "brightness")["maximum"] = 99


def longer_names(document):
    schema(document, "DeviceName")["maxLength"] = 26


def another_clock(document):
    schema(document, "Clock")["pattern"] = "^([01][0-9]|2[0-4]):[0-5][0-9]$"


def a_field_more(document):
    schema(document, "DeviceUpdate")["properties"]["colour"] = {"type": "boolean"}


def empty_updates(document):
    del schema(document, "DeviceUpdate")["minProperties"]


def optional_script(document):
    schema(document, "AppUpload")["required"].remove("scriptContent")


def another_language(document):
    schema(document, "ScriptLanguage")["enum"].append("LUA")


def names_with_spaces(document):
    schema(document, "VersionName")["pattern"] = "^[A-Za-z0-9 ._-]+$"


def a_duration_less(document):
    schema(document, "TemporaryPush", "duration")["enum"].remove(35)


def a_duration_more(document):
    schema(document, "TemporaryPush", "duration")["enum"].append(20)


def ids_with_slashes(document):
    schema(document, "EntryPush", "installationId")["pattern"] = "^[^\\u0000-\\u001f]+$"


def no_bad_request(document):
    del document["paths"]["/v1/apps/{appId}/deploy"]["post"]["responses"]["400"]


def more_in_answers(document):
    schema(document, "Device")["required"].append("colour")


def no_not_found(document):
    del document["paths"]["/v1/devices/{deviceId}"]["get"]["responses"]["404"]


DOCUMENTS = [
    (more_brightness, what_fits_succeeds, "updateDevice"),
    (more_brightness, the_schema_decides, "updateDevice"),
    (less_brightness, what_breaks_a_rule_fails, "updateDevice"),
    (longer_names, what_fits_succeeds, "updateDevice"),
    (another_clock, what_fits_succeeds, "updateDevice"),
    (a_field_more, what_fits_succeeds, "updateDevice"),
    (empty_updates, what_fits_succeeds, "updateDevice"),
    (optional_script, what_fits_succeeds, "uploadAppVersion"),
    (another_language, what_fits_succeeds, "uploadAppVersion"),
    (names_with_spaces, what_fits_succeeds, "uploadAppVersion"),
    (a_duration_less, what_breaks_a_rule_fails, "pushImage"),
    (a_duration_more, what_fits_succeeds, "pushImage"),
    (ids_with_slashes, what_fits_succeeds, "pushImage"),
    (no_bad_request, what_is_no_json_fails, "deployAppVersion"),
    (more_in_answers, what_fits_succeeds, "updateDevice"),
    (no_not_found, unknown_things_are_not_found, None),
]


def run(subject, holds, operation_id):
    if operation_id:
        holds(subject, operation_id, EXAMPLES)
    else:
        holds(subject, EXAMPLES)


@pytest.mark.parametrize("spoil, holds, operation_id", DOCUMENTS,
                         ids=[f"{spoil.__name__}-{holds.__name__}" for spoil, holds, _ in DOCUMENTS])
def test_wrong_document(world, spoil, holds, operation_id):
    document = copy.deepcopy(validate.read_document())
    spoil(document)
    assert document != validate.read_document()
    subject = Subject(world, validate.Contract(document), is_quick=True)
    with pytest.raises(validate.Violation):
        run(subject, holds, operation_id)
    assert subject.count > 0


# ---- a server that does something else than the document says ----


class Spoiled(Subject):
    """Passes requests and answers through a fault."""

    def __init__(self, world, fault):
        super().__init__(world, is_quick=True)
        self.fault = fault

    def exchange(self, method, target, body, fields, key):
        def ask(**changed):
            asked = {"method": method, "target": target, "body": body, "fields": fields,
                     "key": key, **changed}
            return super(Spoiled, self).exchange(*asked.values())

        return self.fault(ask, method, body)


def members_of(body):
    try:
        members = json.loads(body)
    except (TypeError, ValueError):
        return {}
    return members if isinstance(members, dict) else {}


def changes_body(change):
    """A server that interprets bodies differently."""
    def fault(ask, _method, body):
        members = members_of(body)
        changed = change(dict(members))
        return ask() if changed == members else ask(body=json.dumps(changed).encode())
    return fault


def changes_answer(change):
    def fault(ask, method, body):
        answer = ask()
        changed = Answer(answer.status, list(answer.fields), answer.body)
        change(changed, method, members_of(body))
        return changed
    return fault


def clamps_brightness(members):
    if members.get("brightness") == 101:
        members["brightness"] = 100
    return members


def refuses_the_brightest(members):
    if members.get("brightness") == 100:
        members["brightness"] = 101
    return members


def ignores_unknown_fields(members):
    known = {"name", "brightness", "volume", "autoDim", "timezone", "sleepEnabled", "sleepStart",
             "sleepEnd", "scheduleInterval"}
    return {name: value for name, value in members.items() if name in known}


def ignores_null(members):
    return {name: value for name, value in members.items() if value is not None}


def trims_names(members):
    if isinstance(members.get("name"), str):
        members["name"] = members["name"].strip() or members["name"]
    return members


def takes_numbers_from_strings(members):
    if members.get("volume") == "7":
        members["volume"] = 7
    return members


def loses_request_ids(answer, *_):
    answer.fields = [field for field in answer.fields if field[0] != "X-Request-Id"]


def fails_at_an_apostrophe(answer, _method, members):
    if "'" in str(members.get("name", "")):
        answer.status = 500


def writes_short_timestamps(answer, *_):
    answer.body = answer.body.replace(b'Z"', b'"')


def sends_html(answer, *_):
    if answer.status >= 400:
        answer.fields = [field if field[0] != "Content-Type" else ("Content-Type", "text/html")
                         for field in answer.fields]


def tells_one_fault_only(answer, *_):
    if answer.status == 400:
        answer.body = answer.body.replace(b'"pointer":"/', b'"pointer":"')


def never_says_304(answer, method, _):
    if answer.status == 304:
        answer.status = 200
        answer.fields.append(("Content-Type", "application/json"))
        answer.body = b"" if method == "HEAD" else b"[]"


def busy_without_a_word(answer, *_):
    answer.status = 503


def forgets_to_look_at_keys(ask, *_):
    answer = ask()
    return ask(key="none") if answer.status == 200 else Answer(200, [], b"{}")


def has_everything(answer, *_):
    if answer.status == 404:
        answer.status = 403
        answer.body = answer.body.replace(b'"status":404', b'"status":403')


def does_not_know_its_serial(answer, *_):
    if answer.status == 200:
        answer.body = answer.body.replace(b'"id":"', b'"id":"0')


SERVERS = [
    (changes_body(clamps_brightness), what_breaks_a_rule_fails, "updateDevice"),
    (changes_body(refuses_the_brightest), what_fits_succeeds, "updateDevice"),
    (changes_body(ignores_unknown_fields), what_breaks_a_rule_fails, "updateDevice"),
    (changes_body(ignores_null), the_schema_decides, "updateDevice"),
    (changes_body(trims_names), what_fits_succeeds, "updateDevice"),
    (changes_body(takes_numbers_from_strings), what_breaks_a_rule_fails, "updateDevice"),
    (changes_answer(loses_request_ids), what_fits_succeeds, "pushImage"),
    (changes_answer(fails_at_an_apostrophe), what_fits_succeeds, "updateDevice"),
    (changes_answer(writes_short_timestamps), what_fits_succeeds, "uploadAppVersion"),
    (changes_answer(sends_html), what_is_no_json_fails, "pushImage"),
    (changes_answer(tells_one_fault_only), what_breaks_a_rule_fails, "deployAppVersion"),
    (changes_answer(never_says_304), conditions_hold, None),
    (changes_answer(busy_without_a_word), what_fits_succeeds, "updateDevice"),
    (forgets_to_look_at_keys, only_keys_open, None),
    (changes_answer(has_everything), unknown_things_are_not_found, None),
    (changes_answer(does_not_know_its_serial), every_name_of_a_device_works, None),
]


@pytest.mark.parametrize("number", range(len(SERVERS)))
def test_wrong_server(world, number):
    fault, holds, operation_id = SERVERS[number]
    with pytest.raises(validate.Violation):
        run(Spoiled(world, fault), holds, operation_id)
