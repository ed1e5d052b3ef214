"""A page that listens: GET /web/events.

    with Events(browser) as events:
        events.next("changed")       # the data of the next such event; others before it are dropped

Each event must be one that docs/api/pages describes.
"""

from event_stream import Ended, EventStream
from people import CONTRACT, SECURITY, request_bytes

SCHEMAS = {"changed": "ChangedEvent", "panel": "PanelEvent", "away": "Empty", "back": "Empty",
           "bye": "Empty"}

__all__ = ["Ended", "Events"]


class Events(EventStream):
    def __init__(self, browser, devices=(), client=None):
        self.cookie = browser.cookie
        fields = [*browser.fields, ("Cookie", browser.cookie)]
        target = "/web/events" + ("?devices=" + ",".join(devices) if devices else "")
        data = request_bytes("GET", target, fields=fields)
        super().__init__(client or browser.world.client(),
                         data.replace(b"Host: test", b"Host: 127.0.0.1", 1))
        if self.status == 200:
            assert SECURITY.items() <= self.fields.items()

    def check(self, fields, data):
        assert list(fields) == ["event", "data"], fields
        name = fields["event"]
        errors = CONTRACT.errors({"$ref": f"#/components/schemas/{SCHEMAS[name]}"}, data)
        assert not errors, (name, data, errors)

    def topic(self, topic):
        """Waits for a change of this topic."""
        return self.next("changed", lambda data: data["topic"] == topic)
