"""A program that reads GET /v1/events. Each event must be one that docs/api/public describes."""

import re

import validate
from event_stream import EventStream
from world import request_bytes

STATE = {"online": "OnlineEvent", "shown": "ShownEvent"}
KEPT = {"pushed": "PushedEvent", "changed": "DeviceChangedEvent", "failed": "FailedEvent"}
OTHERS = {name: "Empty" for name in ("reset", "away", "back", "bye")}


class Events(EventStream):
    """last_id: the value of Last-Event-ID."""

    def __init__(self, account, devices=(), client=None, key=None, last_id=None, world=None, query=None):
        queries = (["devices=" + ",".join(devices)] if devices else []) + ([query] if query is not None else [])
        self.target = "/v1/events" + ("?" + "&".join(queries) if queries else "")
        fields = [] if last_id is None else [("Last-Event-ID", last_id)]
        super().__init__(client or (world or account.world).client(),
                         request_bytes("GET", self.target, key=key or account.key, fields=fields))
        if self.status == 200:
            assert self.fields["X-Accel-Buffering"] == "no"

    def refused(self):
        answer = super().refused()
        validate.answer("GET", self.target, answer.status, answer.fields, answer.body)
        return answer

    def check(self, fields, data):
        name = fields["event"]
        is_kept = name in KEPT
        assert list(fields) == (["id"] if is_kept else []) + ["event", "data"], fields
        assert not is_kept or re.fullmatch(r"[0-9a-f]{32}", fields["id"])
        schema = {**STATE, **KEPT, **OTHERS}[name]
        errors = validate.CONTRACT.errors({"$ref": f"#/components/schemas/{schema}"}, data)
        assert not errors, (name, data, errors)

    def kept(self, name, device):
        """The data of the next event of this name about the device."""
        return self.next(name, lambda data: data["deviceId"] == device.id)

    def begun(self, *devices):
        """Waits until the state of each device has arrived."""
        missing = {device.id for device in devices}
        while missing:
            name, data = self.event()
            if name == "shown":
                missing.discard(data["deviceId"])
        return self


def push(device, **members):
    assert device.push(**members).ok() == {}


def on_each_worker(stack, account, worlds, devices=(), **options):
    """A stream at each worker of these servers."""
    return [stack.enter_context(Events(account, devices, client, **options))
            for world in worlds for client in world.clients()]
