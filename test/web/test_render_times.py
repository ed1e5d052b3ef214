"""Renders of apps: their length, how long they are shown, and when they are repeated."""

import contextlib
import io
import os
import uuid

import PIL.Image
import PIL.ImageSequence
import psycopg2
import pytest
from devices import panel_of, path_of, poll_answer
from people import wait_until
from rendered import HEAD, author, installed, published, rendered, reviewer, statement

__all__ = ["author", "reviewer"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
NEEDS_TYPESCRIPT = pytest.mark.skipif(not os.environ.get("HAS_TYPESCRIPT"), reason="no engine is built")
LANGUAGES = ["STARLARK", pytest.param("TYPESCRIPT", marks=NEEDS_TYPESCRIPT)]

# A minute and a half, with a frame each second.
LONG = {
    "STARLARK": HEAD + """
def main():
    boxes = [render.Box(color = "#%%x%%xf" %% (i // 16, i %% 16)) for i in range(%d)]
    return render.Root(delay = 1000, %s child = render.Animation(boxes))
""",
    "TYPESCRIPT": """
import { Animation, Box, Root } from "panel";
export default function main() {
    const boxes = Array.from({ length: %d }, (_, i) => Box({ color: "#" + (i + 256).toString(16) }));
    return Root({ delay: 1000, %s child: Animation({ children: boxes }) });
}
"""}
WHOLE = {"STARLARK": "show_full_animation = True,", "TYPESCRIPT": "show_full_animation: true,"}
# Frames that do not compress: each has more than 6 KB.
NOISE = """
export default function main() {
    const frames = [];
    for (let i = 0; i < 100; i++) {
        const frame = new Uint8Array(64 * 32 * 3);
        for (let j = 0; j < frame.length; j++) frame[j] = Math.random() * 256;
        frames.push(frame);
    }
    return { frames, delay: 50 };
}
"""


def delays_of(webp):
    delays = []
    with PIL.Image.open(io.BytesIO(webp)) as picture:
        for frame in PIL.ImageSequence.Iterator(picture):
            frame.load()
            delays.append(frame.info["duration"])
    return delays


def turn_ends(lasts_s, ends_s):
    return f"the animation lasts {lasts_s} s, and its turn ends after {ends_s} s"


def said_of_turn(browser, made):
    [entry] = browser.get(f"{path_of(made['device'])}/rotation").ok()["entries"]
    assert entry["problem"] is None
    return entry["cut"]


def first_animation(panel):
    """Delays of its frames, and its display time."""
    def is_there():
        if panel.pictures:
            with PIL.Image.open(io.BytesIO(panel.pictures[-1])) as picture:
                return picture.n_frames > 1
        return False

    panel.wait_for(is_there)
    return delays_of(panel.pictures[-1]), panel.dwell_s


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("is_whole, frames, made_s, shown_s", [(False, 40, 15, 15), (True, 40, 40, 40), (True, 90, 90, 60)])
def test_a_run_longer_than_its_time(world, author, reviewer, browser, language, is_whole, frames, made_s, shown_s):
    """A run is cut or shown to its end, but a turn lasts at most for a minute."""
    text = LONG[language] % (frames, WHOLE[language] if is_whole else "")
    made = installed(browser, published(author, reviewer, text, language=language))
    with panel_of(world, made) as panel:
        assert first_animation(panel) == ([1000] * made_s, shown_s)
    assert said_of_turn(browser, made) == (turn_ends(90, 60) if made_s > shown_s else None)
    wait_until(lambda: poll_answer(world, made["link"])["Tronbyt-Dwell-Secs"] == str(shown_s),
               "the same of a panel that polls")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("is_whole, frames, shown_s", [(False, 40, 40), (True, 90, 90), (False, 130, 120), (True, 130, 120)])
def test_an_entry_that_plays_whole(world, author, reviewer, browser, language, is_whole, frames, shown_s):
    """At most two minutes, whatever its app says."""
    text = LONG[language] % (frames, WHOLE[language] if is_whole else "")
    made = installed(browser, published(author, reviewer, text, language=language))
    browser.patch(f"{path_of(made['device'])}/rotation/{made['entry']}", {"playsWhole": True}).ok()
    wait_until(lambda: poll_answer(world, made["link"])["Tronbyt-Dwell-Secs"] == str(shown_s), "the whole animation")
    with panel_of(world, made) as panel:
        assert first_animation(panel) == ([1000] * frames, shown_s)
    assert said_of_turn(browser, made) == (turn_ends(130, 120) if frames > shown_s else None)


@pytest.mark.parametrize("settings, ends_s", [({}, 60), ({"displaySeconds": 89}, 89), ({"displaySeconds": 90}, None), ({"playsWhole": True}, None)])
def test_a_turn_that_ends_before_its_animation(world, author, reviewer, browser, settings, ends_s):
    """The rotation and the preview of the entry say so. Entries that differ in their time share the picture."""
    app = published(author, reviewer, LONG["STARLARK"] % (90, WHOLE["STARLARK"]))
    made = installed(browser, app)
    if settings:
        browser.patch(f"{path_of(made['device'])}/rotation/{made['entry']}", settings).ok()
    with panel_of(world, made) as panel:
        assert len(first_animation(panel)[0]) == 90
    told = turn_ends(90, ends_s) if ends_s else None
    assert said_of_turn(browser, made) == told
    entry = {"deviceId": made["device"]["id"], "installationId": made["entry"]}
    preview = browser.post(f"/web/apps/{app.slug}/preview", entry).ok()
    assert (preview["durationMs"], preview["cut"]) == (90_000, told)


@pytest.mark.parametrize("interval_s, display_s, shown_s", [
    (15, None, 15), (16, None, 16), (15, 5, 5), (15, 31, 31), (3600, None, 60), (15, 61, 60)])
def test_an_animation_is_rendered_for_its_time(
        world, author, reviewer, browser, interval_s, display_s, shown_s):
    app = published(author, reviewer, LONG["STARLARK"] % (90, ""))
    made = installed(browser, app)
    browser.patch(path_of(made["device"]), {"scheduleInterval": interval_s}).ok()
    if display_s:
        browser.patch(f"{path_of(made['device'])}/rotation/{made['entry']}",
                      {"displaySeconds": display_s}).ok()
    with panel_of(world, made) as panel:
        assert first_animation(panel) == ([1000] * shown_s, display_s or interval_s)


@NEEDS_TYPESCRIPT
@pytest.mark.parametrize("limit, least", [(60_000, 45_000), (220_000, 200_000), (460_000, 440_000)])
def test_an_animation_is_cut_for_its_board(world, author, reviewer, browser, limit, least):
    made = installed(browser, published(author, reviewer, NOISE, language="TYPESCRIPT"))
    browser.patch(path_of(made["device"]), {"pictureLimitBytes": limit}).ok()
    with panel_of(world, made) as panel:
        delays, _ = first_animation(panel)
        assert least < len(panel.pictures[-1]) <= limit
        assert delays == [50] * len(delays) and 1 < len(delays) < 100
    cut = f"the animation is cut after {len(delays)} of 100 frames: the panel accepts {limit} bytes at most"
    [entry] = browser.get(f"{path_of(made['device'])}/rotation").ok()["entries"]
    assert (entry["cut"], entry["problem"]) == (cut, None)


@NEEDS_TYPESCRIPT
@pytest.mark.parametrize("frames, words", [(100, "the animation is cut after "), (9, None)])
def test_previews_say_what_is_cut(author, reviewer, browser, frames, words):
    script = NOISE.replace("i < 100", f"i < {frames}")
    app = published(author, reviewer, script, language="TYPESCRIPT")
    device = installed(browser, app)["device"]["id"]
    preview = browser.post(f"/web/apps/{app.slug}/preview", {"deviceId": device}).ok()
    assert preview["problem"] is None
    assert preview["cut"] == words or preview["cut"].startswith(words)


@NEEDS_TYPESCRIPT
def test_another_board_has_another_picture(world, author, reviewer, browser):
    """The next picture is cut for the board that the device then has."""
    made = installed(browser, published(author, reviewer, NOISE, language="TYPESCRIPT"))
    with panel_of(world, made) as panel:
        first_animation(panel)
        for least, limit in (45_000, 60_000), (200_000, 220_000):
            browser.patch(path_of(made["device"]), {"pictureLimitBytes": limit}).ok()
            panel.wait_for(lambda: least < len(panel.pictures[-1]) <= limit)  # noqa: B023
            delays = delays_of(panel.pictures[-1])
            assert delays == [50] * len(delays) and 1 < len(delays) < 100


# ---- when it is due again ----


def rests(world, app, count, max_age_s, interval_s, ahead_ms=0):
    """Pauses after this many good renders, until the next one."""
    place, lease = os.urandom(32), str(uuid.uuid4())
    good = {"render_key": place, "version_id": app.version_id, "lease": lease, "engine": "x", "is_good": True,
            "is_blamed": False, "picture": None, "duration_ms": 0, "cut": None, "is_whole": False, "took_us": 1,
            "max_age_s": max_age_s, "interval_s": interval_s, "is_each_turn": False, "moment_s": 1,
            "ahead_ms": ahead_ms, "log": "", "problem": None, "hosts": ""}
    found = []
    # The transaction is rolled back, so no server sees it.
    with contextlib.closing(psycopg2.connect(world.database)) as connection, \
            connection.cursor() as cursor:
        cursor.execute("INSERT INTO render (place, version_id) VALUES (%s, %s)", (place, app.version_id))
        for _ in range(count):
            cursor.execute("UPDATE render SET claimed_by = %s, claimed_until = now() + interval '1 hour' "
                           "WHERE place = %s", (lease, place))
            cursor.execute(statement("render_store"), good)
            assert cursor.rowcount == 1
            cursor.execute("SELECT extract(epoch FROM due_at - rendered_at)::float8 FROM render "
                           "WHERE place = %s", (place,))
            found += cursor.fetchone()
    return found


@pytest.mark.parametrize("max_age_s, interval_s, rest_s", [
    (100, 0, 100), (0, 120, 120), (100, 120, 100), (200, 120, 120),
    (0, 0, 15), (3, 0, 15), (3, 600, 15), (20, 0, 20), (1_000_000, 604_800, 86_400)])
def test_what_is_good_is_due_when_it_is_stale(world, author, reviewer, max_age_s, interval_s, rest_s):
    """Renders are spread by a tenth around the maximum age. If that is a few turns, they are at most a
    tenth early, so that the picture is not slightly too young at the next turn."""
    app = author.make(visibility="public")
    app.version_id = app.publish(reviewer)
    found = rests(world, app, 200, max_age_s, interval_s)
    if rest_s <= 60:
        # The statement reads the clock twice.
        assert found == pytest.approx([0.9 * rest_s] * len(found), abs=0.1)
    else:
        assert 0.899 * rest_s <= min(found) <= 0.95 * rest_s
        assert 1.05 * rest_s <= max(found) <= 1.101 * rest_s


def test_it_is_good_from_its_moment_on(world, author, reviewer):
    app = author.make(visibility="public")
    app.version_id = app.publish(reviewer)
    assert rests(world, app, 1, 20, 0, ahead_ms=10_000) == [pytest.approx(28)]


@pytest.mark.parametrize("manifest, max_age, is_each_turn, interval_s", [
    ("recommendedInterval: 0", 120, True, 0), ("recommendedInterval: 2", 120, False, 120), ("name: x", 120, False, 0)])
def test_a_clock_is_made_for_each_turn(
        world, author, reviewer, browser, manifest, max_age, is_each_turn, interval_s):
    """A picture for each turn is rendered before its turn, for its beginning. One with a longer maximum age
    is not."""
    app = published(author, reviewer, f"-- manifest.yaml --\n{manifest}\n-- app.star --\n" + HEAD
                    + "def main():\n    n = time.now().unix\n    print(n)\n"
                    + '    return render.Root(child = render.Text(str(n)), max_age = %d)\n' % max_age)
    with panel_of(world, installed(browser, app)) as panel:
        columns = ("is_each_turn, interval_s, moment_s = log::int8, "
                   "moment_s - extract(epoch FROM rendered_at) > 5")
        wait_until(lambda: rendered(world, app, "picture_generation > 0") == [(True,)], "its render")
        if is_each_turn:
            wait_until(lambda: rendered(world, app, "moment_s - extract(epoch FROM rendered_at) > 5")
                       == [(True,)], "that of the next turn")
            panel.wait_for(lambda: len(panel.pictures) >= 3)  # none yet, the first one, the next one
        assert rendered(world, app, columns) == [(is_each_turn, interval_s, True, is_each_turn)]


def test_wishes_of_script_and_manifest_are_heard(world, author, reviewer, browser):
    app = published(author, reviewer, "-- manifest.yaml --\nrecommendedInterval: 2\n-- app.star --\n"
                    + HEAD + "def main():\n    return render.Root(child = render.Box(), max_age = 200)\n")
    with panel_of(world, installed(browser, app)):
        wait_until(lambda: rendered(world, app, "picture_generation > 0") == [(True,)], "its render")
    [(max_age_s, interval_s, rest_s)] = rendered(
        world, app, "max_age_s, interval_s, extract(epoch FROM due_at - rendered_at)::float8")
    assert (max_age_s, interval_s) == (200, 120) and 0.899 * 120 <= rest_s <= 1.101 * 120
