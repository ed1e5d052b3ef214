"""What apps render, put into the database as a worker stores it that has rendered it. And a world in
which nothing else renders, with an app: what tests import of these fixtures, their module has."""

import images
import pytest
from authors import Author
from people import Person, World

WITHOUT_ENGINES = ("--rate-limit", "0", "--renderers", "0")


@pytest.fixture(name="world", scope="module")
def world_without_engines(postgres):
    with World(postgres.create_database(), *WITHOUT_ENGINES) as one:
        yield one


@pytest.fixture
def reviewer(world):
    return Person(world, is_reviewer=True).browser()


@pytest.fixture
def author(world):
    return Author(world)


@pytest.fixture
def app(author, reviewer):
    app = author.make(visibility="public")
    app.version_id = app.publish(reviewer)
    return app


def install(browser, device_id, app):
    body = {"app": app.slug}
    answer = browser.post(f"/web/devices/{device_id}/apps", body)
    assert answer.status == 201, answer.body
    return answer.json()["id"]


def place_of(world, device_id, installation_id):
    [[place]] = world.sql("SELECT encode(place, 'hex') FROM installation "
                          "WHERE device_id = %s AND id = %s", device_id, installation_id)
    return place


def store(world, place, version_id, webp, due_in_s=60):
    """webp: None, where the app had nothing to show."""
    [[generation]] = world.sql("SELECT nextval('render_generation')")
    world.sql(
        "INSERT INTO render (place, version_id, generation, picture, picture_hash, "
        "picture_generation, has_nothing, rendered_at, good_at, due_at) "
        "VALUES (decode(%s, 'hex'), %s, %s, %s, left(encode(sha256(%s), 'hex'), 32), %s, %s, "
        "now(), now(), now() + %s * interval '1 second') ON CONFLICT (place, version_id) DO UPDATE "
        "SET generation = excluded.generation, previous_picture = render.picture, "
        "previous_hash = render.picture_hash, picture = excluded.picture, "
        "picture_hash = excluded.picture_hash, picture_generation = excluded.picture_generation, "
        "has_nothing = excluded.has_nothing, good_at = excluded.good_at, "
        "due_at = excluded.due_at, claimed_by = NULL, claimed_until = NULL",  # the engine is too late
        place, version_id, generation, webp, webp, generation, webp is None, due_in_s)
    world.sql("SELECT pg_notify('displayd_hint', %s)", f"render:{place}:{generation}")
    return generation


def webp(number):
    return images.webp(images.solid((20 + 40 * number, 250 - 40 * number, 7)))
