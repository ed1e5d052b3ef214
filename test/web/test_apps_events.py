"""Changes of apps are reported to the pages that show them, whoever makes the change."""

import pytest
from authors import Author
from events import Events
from people import Person


@pytest.fixture
def author(world):
    return Author(world)


@pytest.fixture
def reviewer(world):
    return Person(world, is_reviewer=True).browser()


def test_reviewers_hear_of_submissions_and_authors_of_decisions(author, reviewer):
    app = author.make()
    with Events(author.browser) as page, Events(reviewer) as queue:
        version = app.submitted()
        page.topic(f"app:{app.slug}")
        queue.topic("reviews")
        reviewer.post(f"/web/reviews/{version}", {"status": "REJECTED", "reason": "no"}).ok()
        page.topic(f"app:{app.slug}")
        queue.topic("reviews")


def test_what_the_api_and_displayctl_do_is_told_as_well(world, author, reviewer):
    app = author.make()
    with Events(author.browser) as page, Events(reviewer) as queue:
        answer = world.request("POST", f"/v1/apps/{app.slug}/upload", key=author.person.key(),
                               body={"version": "1.0", "scriptContent": "x",
                                     "scriptLanguage": "STARLARK"})
        assert answer.status == 201
        page.topic(f"app:{app.slug}")
        queue.topic("reviews")
        world.server.ctl("app", "review", app.slug, "1.0", "request-changes", "--summary", "x")
        page.topic(f"app:{app.slug}")
        queue.topic("reviews")


def test_everybody_hears_that_the_catalogue_has_changed(world, author, reviewer):
    app = author.make(visibility="public")
    version = app.submitted()
    with Events(Person(world).browser()) as page:
        reviewer.post(f"/web/reviews/{version}", {"status": "APPROVED"}).ok()
        page.topic("apps")
        author.browser.patch(app.path, {"visibility": "private"}).ok()
        page.topic("apps")


def test_drafts_are_told_to_their_author_only(world, author):
    app = author.make()
    stranger = Person(world).browser()
    with Events(author.browser) as page, Events(stranger) as foreign:
        assert app.save("x", 0).status == 200
        page.topic(f"draft:{app.slug}:1")
        author.browser.patch(app.path, {"name": "Clock 2"}).ok()
        foreign.topic("apps")
        told = [data["topic"] for name, data in foreign.seen if name == "changed"]
        assert not [topic for topic in told if app.slug in topic]
