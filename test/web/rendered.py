"""Apps on panels, and their renders: made by the engines, or inserted into the database as a worker stores
them. Also a world with an app, in which nothing else renders. A module that imports these fixtures gets
them as its own."""

import os
import re

import images
import pytest
from authors import Author
from devices import add
from people import Person, World

QUERIES = os.path.join(os.path.dirname(__file__), "../../sql/query")
HEAD = 'load("render.star", "render")\nload("time.star", "time")\n'
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
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


def statement(name):
    """A statement of the server, for psycopg2."""
    with open(os.path.join(QUERIES, f"{name}.sql"), encoding="utf-8") as file:
        return re.sub(r"(?<![:\w]):([a-z]\w*)", r"%(\1)s", file.read())


def script(color, **options):
    members = "".join(f", {name} = {value}" for name, value in options.items())
    return HEAD + f'def main():\n    return render.Root(child = render.Box(color = "{color}"){members})\n'


def published(author, reviewer, text, version="1.0", language="STARLARK"):
    app = author.make(visibility="public")
    app.publish(reviewer, version, text, language)
    return app


def install(browser, device_id, app):
    body = {"app": app.slug}
    answer = browser.post(f"/web/devices/{device_id}/apps", body)
    assert answer.status == 201, answer.body
    return answer.json()["id"]


def installed(browser, app, **members):
    """A device whose only entry is the app."""
    made = add(browser, **members)
    made["entry"] = install(browser, made["device"]["id"], app)
    return made


def place_of(world, device_id, installation_id):
    [[place]] = world.sql("SELECT encode(place, 'hex') FROM installation "
                          "WHERE device_id = %s AND id = %s", device_id, installation_id)
    return place


def rendered(world, app, columns="*"):
    """Returns the rows of the app's renders, the oldest first."""
    return world.sql(f"SELECT {columns} FROM render JOIN app_version ON app_version.id = version_id "
                     "WHERE app_id = %s ORDER BY render.made_at", app.id)


def make_due(world, app, members="", *values):
    """Makes the app's renders due, and sets these members of the rows. Sends hints to workers that
    know the render keys, as for a render: a panel that has just left may still be in their
    memory."""
    world.sql(f"WITH due AS (UPDATE render SET due_at = '-infinity', {members} "
              "generation = nextval('render_generation') FROM app_version "
              "WHERE app_version.id = version_id AND app_id = %s RETURNING place, generation) "
              "SELECT pg_notify('displayd_hint', 'render:' || encode(place, 'hex') || ':' || generation) "
              "FROM due", *values, app.id)


def store(world, place, version_id, webp, due_in_s=60):
    """webp: None if the app had nothing to show."""
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


def seen(panel, color):
    """Reads until the panel has this colour."""
    panel.wait_for(lambda: shows(panel, color))


def shows(panel, color):
    return panel.pictures and images.frames_of(panel.pictures[-1]) == \
        images.frames_of(images.webp(images.solid(color)))
