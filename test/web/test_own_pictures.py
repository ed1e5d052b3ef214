"""Pictures imported with apps: shown if rendering gives none, and decoded like any untrusted file."""

import base64
import hashlib
import struct

import images
import psycopg2
import pytest
from PIL import Image
from rendered import app, author, reviewer, world_without_engines
from waiting import wait_until

__all__ = ["app", "author", "reviewer", "world_without_engines"]  # fixtures

LONG = images.gif([images.noise(seed) for seed in range(24)])


def give(world, app, source):
    """Stores the picture like an import."""
    world.sql("""INSERT INTO app_own_picture (app_id, source, source_hash) VALUES (%s, %s, %s)
        ON CONFLICT (app_id) DO UPDATE SET source = excluded.source, source_hash = excluded.source_hash,
            problem = NULL, tries = 0, claimed_until = NULL, checked_at = NULL""",
              app.id, psycopg2.Binary(source), psycopg2.Binary(hashlib.sha256(source).digest()))
    world.sql("SELECT pg_notify('displayd_hint', 'app:' || id || ':' || generation) FROM app WHERE id = %s", app.id)
    wait_until(lambda: world.sql("SELECT checked_at FROM app_own_picture WHERE app_id = %s", app.id)[0][0],
               "the picture's check")
    source, problem = world.sql("SELECT source, problem FROM app_own_picture WHERE app_id = %s", app.id)[0]
    assert source is None
    return problem


def shown(app):
    browser = app.author.browser
    [listed] = [one for one in browser.get(f"/web/apps?q={app.slug}").ok()]
    assert browser.get(f"/web/apps/{app.slug}").ok()["picture"] == listed["picture"]
    answer = browser.get(f"/web/apps/{app.slug}/picture")
    if listed["picture"] is None:
        answer.problem(404)
        return None
    assert answer.status == 200 and answer["Content-Type"] == "image/webp"
    assert hashlib.sha256(answer.body).hexdigest()[:32] == listed["picture"]
    return answer.body


def test_where_rendering_gave_none(world, app):
    assert shown(app) is None
    pictures = [images.solid((255, 0, 0)), images.solid((0, 0, 255))]
    assert give(world, app, images.gif(pictures)) is None
    assert images.frames_of(shown(app)) == images.frames_of(images.animation("GIF", pictures))
    world.sql("INSERT INTO app_picture (version_id, engine, picture, made_at) VALUES (%s, 'x', NULL, now())",
              app.version_id)
    first = shown(app)
    assert first
    # A rendered picture takes precedence.
    world.sql("UPDATE app_picture SET picture = %s, picture_hash = DEFAULT WHERE version_id = %s",
              psycopg2.Binary(images.webp(images.solid((0, 255, 0)))), app.version_id)
    assert images.frames_of(shown(app))[0][0][:3] == bytes((0, 255, 0))
    world.sql("UPDATE app_picture SET picture = NULL WHERE version_id = %s", app.version_id)
    assert shown(app) == first


def magnified(picture, times):
    """Draws each pixel as a round LED: a square with dark corners."""
    large = picture.resize((64 * times, 32 * times), Image.NEAREST)
    for y in range(0, large.height, times):
        for x in range(0, large.width, times):
            large.putpixel((x, y), (0, 0, 0))
    return large


@pytest.mark.parametrize("kind, times", [("PNG", 10), ("GIF", 2), ("GIF", 10), ("WEBP", 3), ("WEBP", 20)])
def test_a_magnified_one(world, app, kind, times):
    small = [images.solid((255, 0, 0)), images.solid((0, 0, 255))]
    for x in range(64):
        small[0].putpixel((x, x % 32), (0, 255, 0))
    large = [magnified(picture, times) for picture in small]
    if kind == "PNG":
        source, expected = images.png(large[0]), images.png(small[0])
    else:
        options = {"lossless": True} if kind == "WEBP" else {}
        source, expected = (images.animation(kind, pictures, **options) for pictures in (large, small))
    assert give(world, app, source) is None
    assert images.frames_of(shown(app)) == images.frames_of(expected)


def test_a_large_one(world, app):
    """A picture for a web page may be larger than a push."""
    small = [images.noise(seed).point(lambda value: value & 192) for seed in range(8)]
    source = images.gif([magnified(picture, 20) for picture in small])
    assert 192 * 1024 < len(source) <= 1024 * 1024
    assert give(world, app, source) is None
    assert images.frames_of(shown(app)) == images.frames_of(images.gif(small))
    with pytest.raises(psycopg2.errors.CheckViolation):
        give(world, app, bytes(1024 * 1024 + 1))


def test_a_long_one_is_cut(world, app):
    assert give(world, app, LONG) is None
    body = shown(app)
    assert len(body) <= 60_000
    frames = images.frames_of(body)
    assert 1 < len(frames) < 24 and frames[0] == images.frames_of(LONG)[0]


@pytest.mark.parametrize("source, words", [
    (b"<html>", "PNG, GIF"),
    (images.gif([images.solid(), images.noise()])[:-200], ""),
    (images.webp(images.noise())[:-20], ""),
    (images.webp(images.solid(size=(640, 330))), "640x330"),
    (images.webp(images.solid(size=(21 * 64, 21 * 32))), "1344x672"),
    (images.gif([images.solid(color, (640, 320)) for color in ((255, 0, 0), (0, 255, 0))])[:-500], ""),
    (b"RIFF" + struct.pack("<I", 1 << 30) + b"WEBPVP8X" + bytes(22), ""),
    (images.png() + bytes(100), None)])
def test_hostile_ones(world, app, source, words):
    """The old picture stays until a new one is valid, and nothing else happens."""
    assert give(world, app, images.webp(images.solid((9, 9, 9)))) is None
    problem = give(world, app, source)
    if words is None:
        assert problem is None and shown(app)
    else:
        assert problem and words in problem, problem
        assert images.frames_of(shown(app)) == images.frames_of(images.webp(images.solid((9, 9, 9))))
    assert app.author.browser.get("/web/account").status == 200


def test_it_goes_with_its_app(world, app):
    give(world, app, images.webp())
    world.sql("UPDATE app SET is_removed = true, status = 'disabled', deployed_version_id = NULL WHERE id = %s",
              app.id)
    world.sql("DELETE FROM app WHERE id = %s", app.id)
    assert world.sql("SELECT count(*) FROM app_own_picture WHERE app_id = %s", app.id) == [(0,)]


def still_of(world, app, browser):
    wait_until(lambda: not world.sql("SELECT 1 FROM app_own_picture WHERE picture IS NOT NULL AND still IS NULL "
                                     "UNION ALL SELECT 1 FROM app_picture WHERE picture IS NOT NULL AND still IS NULL"), "all stills")
    still = browser.get(f"/web/apps/{app.slug}").ok()["still"]
    [listed] = browser.get(f"/web/apps?q={app.slug}").ok()
    assert listed["still"] == still
    return still and base64.b64decode(still)


def test_stills(world, app):
    browser = app.author.browser
    assert still_of(world, app, browser) is None
    text = images.solid((0, 0, 0))
    for x in range(40):
        text.putpixel((x, 5), (250, 180, 20))
    assert give(world, app, images.gif([images.solid((0, 0, 0)), text, images.solid((0, 0, 0))])) is None
    assert images.frames_of(still_of(world, app, browser)) == images.frames_of(images.webp(text))
    # Another picture has another still; what does not fit is lossy.
    assert give(world, app, LONG) is None
    assert len(still_of(world, app, browser)) <= 2048
    # The rendered picture's still takes precedence.
    green = images.webp(images.solid((0, 255, 0)))
    world.sql("INSERT INTO app_picture (version_id, engine, picture, made_at) VALUES (%s, 'x', %s, now())",
              app.version_id, psycopg2.Binary(green))
    world.sql("SELECT pg_notify('displayd_hint', 'app:' || id || ':' || generation) FROM app WHERE id = %s", app.id)
    assert images.frames_of(still_of(world, app, browser))[0][0][:3] == bytes((0, 255, 0))
