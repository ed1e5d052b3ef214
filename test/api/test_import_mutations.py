"""Files of tronbyt servers that are damaged at random: each answer is a success or a fault of the file, and no damaged
device stops another one."""

import copy
import json
import random
import re
import secrets

from app_forms import ALL, published, renders
from former import account as exported_account
from test_import_files import a_device, compare, older, word
from world import SECRETS

PATH = "/v1/import/tronbyt?keepAddresses=true"


class Literal:
    """A text of JSON that Python does not write."""

    def __init__(self, text):
        self.text = text


def nested(depth, inside="1"):
    return Literal("[" * depth + inside + "]" * depth)


HOSTILE = [
    None, True, False, 0, -1, 1, 5, 6, 101, 2 ** 15, 2 ** 31, 2 ** 63, -2 ** 63 - 1, 1.5, -0.0, 1e15, 1e308, Literal("1e400"),
    Literal("9" * 60), Literal("9" * 5000), Literal("-0"), Literal("1E+2"), Literal("NaN"), Literal("0x10"), Literal("01"),
    "", " ", "0", "-1", "1e9", "true", "None", "null", "none", "a\0b", "\x7f", "\u202e", "\ufeff", "\U0001f600" * 30, "x" * 5000,
    "\ud800", Literal('"\\udc00\\ud800"'), Literal('"\\x"'), Literal('"a\nb"'), "../../etc/passwd", "';--", "%s%n", "24:00",
    "25:61", "7:5", "-1:00", "99999999999999999999:00", "23:59:59.999", "2026-02-30", [], {}, [None], [[]], [{}], {"": None},
    {"value": None}, {"value": -1}, {"value": {"value": 1}}, {"a": "b"}, {"lat": "x", "lng": 10 ** 30}, [1, "monday", None],
    ["monday"] * 8, [{"iname": "1", "name": {}}], {"a/b~c": {"name": 1}}, nested(5), nested(31), nested(33), nested(2000),
    Literal('{"a":1,"a":2}'), Literal("{\"" + "k" * 5000 + "\":1}"), Literal("[" + ",".join(["{}"] * 2000) + "]")]


def places(value, path=()):
    """The paths of all values below this one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        yield path + (key,)
        yield from places(inside, path + (key,))


def container(document, path):
    for key in path[:-1]:
        document = document[key]
    return document


class Twice(dict):
    """An object that has a member a second time."""

    def __init__(self, members, name, value):
        super().__init__(members)
        self.name, self.value = name, value


def damage(source, device):
    """Damages a part of the device: another value, none, or a second one of the same name."""
    path = source.choice(list(places(device)) or [None])
    if not path:
        return device
    inside = container(device, path)
    kind = source.choice(["value"] * 5 + ["absent", "twice", "moved", "renamed"])
    if kind == "value":
        inside[path[-1]] = source.choice(HOSTILE)
    elif kind == "absent":
        del inside[path[-1]]
    elif kind == "moved":
        other = source.choice(list(places(device)))
        inside[path[-1]] = copy.deepcopy(container(device, other)[other[-1]])
    elif isinstance(inside, dict) and kind == "renamed":
        inside[str(path[-1]).upper()] = inside.pop(path[-1])
    elif isinstance(inside, dict) and len(path) == 1:
        return Twice(device, path[-1], source.choice(HOSTILE))
    return device


def write(value):
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, dict):
        members = [f"{json.dumps(name)}:{write(inside)}" for name, inside in value.items()]
        if isinstance(value, Twice):
            members.append(f"{json.dumps(value.name)}:{write(value.value)}")
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value)


def forget(world, owner):
    world.sql("DELETE FROM device WHERE account_id = %s", owner.id)
    world.sql("UPDATE account SET address_claims = 0 WHERE id = %s", owner.id)


def judged(answer, where):
    """The report; None: the file was refused, with a reason that says where or what is wrong."""
    assert answer.status in (200, 400, 413), (answer, where)
    if answer.status == 200:
        report = answer.json()
        SECRETS.update(made["key"] for made in report["devices"] if made["key"])
        return report
    problem = answer.json()
    assert re.search(r"byte \d+|repeats the name|the number \S+ is too large|body is empty|but text in UTF-16|object|devices|an id", problem["detail"]), (
        problem, where)
    return None


def told(report, position):
    """What the report says of the device at this position, which is all that its owner learns."""
    made = report["devices"][position]
    return made["state"], [note for note in report["notBrought"] if note["device"] == made["name"]]


@renders
def test_damaged_devices_at_random(world):
    """Of a file with three devices, one is damaged. The others come as if it were not there."""
    seed = secrets.randbits(32)
    source = random.Random(seed)
    owner = world.account()
    form = published(owner, ALL, name=f"Every Thing {word(source=source)}")
    accepted = 0
    for number in range(200):
        whole = [a_device(source, [form.slug]) for _ in range(3)]
        for device in whole:
            device["id"] = f"{source.getrandbits(64):016x}"
        first_version = source.random() < 0.2
        bad = older(whole[1]) if first_version else copy.deepcopy(whole[1])
        for _ in range(source.choice([1, 1, 2, 5])):
            bad = damage(source, bad)
        if source.random() < 0.1:
            bad = source.choice(HOSTILE)
        devices = [whole[0], bad, whole[2]]
        if first_version:  # of which the file has an object of devices, by their IDs
            whole[0]["brightness"] = max(6, whole[0]["brightness"])  # a percentage
            devices = {one["id"]: device for one, device in zip(whole, devices)}
        text = write(exported_account([]) | {"devices": devices})
        where = f"seed {seed}, file {number}: {text}"
        report = judged(owner.post(PATH, text.encode("utf-8", "surrogatepass")), where)
        if report:
            accepted += 1
            assert len(report["devices"]) == 3, where
            state, notes = told(report, 1)
            assert state == "new" or notes and notes[0]["what"] == "device", where
            for position in (0, 2):
                made = report["devices"][position]
                assert made["state"] == "new" and made["alias"] == whole[position]["id"], where
                try:
                    compare(world, owner, whole[position], made)
                except AssertionError as error:
                    raise AssertionError(where) from error
        forget(world, owner)
    assert accepted > 80, (seed, accepted)


@renders
def test_damaged_files_at_random(world):
    """Bytes that are lost, repeated or changed, and other encodings: no answer but a success or a fault of the file."""
    seed = secrets.randbits(32)
    source = random.Random(seed)
    owner = world.account()
    form = published(owner, ALL, name=f"Every Thing {word(source=source)}")

    def cut(data):
        at, length = source.randrange(len(data)), source.choice([1, 1, 2, 20, len(data)])
        return data[:at] + data[at + length:]

    def repeat(data):
        at, length = source.randrange(len(data)), source.choice([1, 2, 30, 400])
        return data[:at] + data[at:at + length] * source.choice([2, 3]) + data[at + length:]

    def change(data):
        at = source.randrange(len(data))
        return data[:at] + bytes([source.choice([0, 9, 34, 44, 45, 46, 58, 92, 123, 125, 0x80, 0xc0, 0xed, 0xff])]) + data[at + 1:]

    for number in range(150):
        export = exported_account([a_device(source, [form.slug]) for _ in range(2)])
        text = json.dumps(export, ensure_ascii=source.random() < 0.5)
        data = text.encode()
        for _ in range(source.choice([1, 1, 2, 4])):
            data = source.choice([cut, repeat, change])(data) or b"\0"
        judged(owner.post(PATH, data), f"seed {seed}, file {number}: {data!r}")
        forget(world, owner)


def test_other_encodings(account):
    """Only UTF-8 is JSON; a file in another encoding is refused in words."""
    text = json.dumps(exported_account([{"id": "0123456789abcdef", "name": "Büro"}]), ensure_ascii=False)
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"):
        data = text.encode(encoding)
        answer = account.post(PATH + "&dryRun=true", data)
        if encoding == "utf-7":  # it is ASCII, and says something else
            assert judged(answer, encoding)["devices"][0]["name"] != "Büro"
        else:
            assert judged(answer, encoding) is None, encoding
    for data in (b"\xef\xbb\xbf" * 2 + text.encode(), b"\xef\xbb" + text.encode(), text.encode() + b"\0", b"\xff\xfe", b"\0" * 100):
        assert judged(account.post(PATH + "&dryRun=true", data), data) is None
    account.post(PATH, text.encode(), fields=[("Content-Encoding", "gzip")]).problem(415)
