"""Apps with large forms and answers."""

import collections
import contextlib

from forms import Owner, author, needs, owner, pointers, publish, reviewer
from people import OWN_PAGE
from world import request_bytes

__all__ = ["author", "owner", "reviewer"]  # fixtures
pytestmark = needs("starlark")

LARGE = """
load("render.star", "render")
load("schema.star", "schema")

def main(config):
    return render.Root(child = render.Box())

def find(pattern, config):
    return [schema.Option(display = "Station %d %s" % (i, pattern * 150), value = str(i)) for i in range(2700)]

def get_schema():
    kinds = [schema.Dropdown(id = "kind", name = name, desc = "x" * 200000, icon = "gear", default = name, options = [
        schema.Option(display = name, value = name)]) for name in ("a", "b")]
    return schema.Schema(version = "1", fields = kinds + [
        schema.Typeahead(id = "found", name = "Found", desc = "Search", icon = "gear", handler = find)])
"""


def test_large_answers_and_forms(owner, author, reviewer):
    """Answers of more than 256 KiB, and two fields with one ID, work."""
    app = publish(author, reviewer, LARGE)
    answer = owner.ask(app, "found", "x").ok()
    assert answer["problem"] is None
    assert [option["value"] for option in answer["options"]] == [str(i) for i in range(2700)]
    entry = owner.installed(app, kind="b")
    assert entry.shown()["settings"] == {"kind": "b"}
    assert pointers(owner.install(app, kind="c")) == {"/settings/kind"}
    assert owner.ask(app, "found", "x" * 20).ok()["problem"]["kind"] == "limit"


def ask_at_once(browser, target, count):
    """Number of answers with 200, and with each error."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(browser.world.client()) for _ in range(count)]
        request = request_bytes("GET", target, fields=[*OWN_PAGE, ("Cookie", browser.cookie)])
        for client in clients:
            client.send(request)
        answers = [client.answer("GET") for client in clients]
    return collections.Counter(200 if answer.status == 200 else answer.problem(503)["detail"]
                               for answer in answers)


def test_large_forms_have_a_share_of_the_memory(world, owner, author, reviewer):
    """An account gets at most half of the workers' memory for large forms. Other accounts continue, and so
    does this one."""
    app = publish(author, reviewer, LARGE.replace("200000", "1800000"))
    other = Owner(world)
    target = f"/web/apps/{app.slug}/schema"
    first = owner.browser.get(target).ok()
    assert len(first["fields"]) == 3
    answers = ask_at_once(owner.browser, target, 48)
    assert answers.pop(200) > 0
    assert answers["too many large apps of this account are running, try again"] > 0, answers
    # The other account: requests that have memory wait for a thread.
    assert all("too many large" in reason for reason in answers), answers
    assert other.browser.get(target).ok() == first
    assert ask_at_once(owner.browser, target, 1) == {200: 1}
    assert [field["id"] for field in owner.browser.get(target).ok()["fields"]] == ["kind", "kind", "found"]


def test_kept_forms_of_a_version_have_a_bound(world, owner, author, reviewer):
    app = publish(author, reviewer, LARGE.replace("200000", "1800000"))
    for locale in ("de", "fr", "hr", "it"):
        world.sql("UPDATE device SET locale = %s WHERE id = %s", locale, owner.device)
        assert len(owner.browser.get(f"/web/apps/{app.slug}/schema?deviceId={owner.device}").ok()["fields"]) == 3
    kept = world.sql("SELECT locale, octet_length(schema) FROM app_schema WHERE version_id = "
                     "(SELECT deployed_version_id FROM app WHERE id = %s)", app.id)
    assert len(kept) == 2 and "it" in dict(kept) and sum(dict(kept).values()) <= 8 << 20
