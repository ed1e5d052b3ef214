"""A webhook that begins anew, with another URL or switched on again: what was before does not count."""

import os
import re
import threading

import pytest
from hook_receiver import Receiver
from webhook_stage import make, marked_account, names, one_receiver, push, state, world_that_reaches

from server import ROOT

__all__ = ["marked_account", "one_receiver", "world_that_reaches"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")


def statement_of(name):
    with open(os.path.join(ROOT, "sql/query", f"{name}.sql"), encoding="utf-8") as file:
        return re.sub(r"(?<![:\w]):([a-z]\w*)", "%s", file.read())


@pytest.mark.parametrize("changes", [[{"isEnabled": False}, {"isEnabled": True}], [{"url": "https://b.example.invalid/"}]])
def test_one_that_begins_anew_is_not_switched_off_for_its_past(account, receiver, changes):
    """Its owner changes it after 410 was noted, and before that switches it off."""
    made = make(account, receiver, ["pushed"])
    account.world.sql("UPDATE webhook SET last_status = 410, last_at = now(), failing_since = now(), tries = 1 "
                      "WHERE id = %s", made["id"])
    for change in changes:
        account.request("PATCH", f"/v1/webhooks/{made['id']}", body=change).ok()
    assert account.world.sql(statement_of("webhook_off"), made["id"]) == []
    shown = state(account, made)
    assert shown["isEnabled"] and shown["switchedOffAt"] is None and shown["failingSince"] is None


def test_an_answer_of_the_former_url_changes_nothing(account, receiver):
    """The receiver answers 410 when the webhook has another URL already, which gets the message."""
    made = make(account, receiver, ["pushed"])
    asked, goes_on = threading.Event(), threading.Event()

    def hold(_):
        asked.set()
        assert goes_on.wait(30)
        return 410, {}

    receiver.take = hold
    with Receiver() as other:
        push(account.device(), "one")
        assert asked.wait(30)
        account.request("PATCH", f"/v1/webhooks/{made['id']}", body={"url": other.url}).ok()
        goes_on.set()
        assert names(other.wait_for(1)) == ["one"]
        push(account.device(), "two")
        assert names(other.wait_for(2)) == ["one", "two"]
        shown = state(account, made)
        assert shown["isEnabled"] and shown["failingSince"] is None and shown["lastStatus"] == 204
