"""What scripts in TypeScript expect of their surroundings: dates, promises, and what is not there."""

import contextlib
import datetime
import json
import time
import zoneinfo

import pytest

from renderer import Renderer


@pytest.fixture
def renderer():
    with contextlib.closing(Renderer()) as started:
        yield started


@pytest.mark.parametrize("script, words", [
    ("export default function main() { Promise.reject(new Error('lost')); return null; }", "Error: lost"),
    ("async function late() { throw new Error('later'); }\nexport default () => { late(); return null; };",
     "Error: later"),
    ("export default () => new Date().toLocaleTimeString('de-DE');", "knows no languages, options or zones"),
    ("export default () => new Date().toLocaleDateString(undefined, { timeZone: 'Asia/Tokyo' });",
     "use input.local"),
    ("export default () => (1234.5).toLocaleString('de-DE');", "use toFixed()"),
    ("export default () => 'a'.localeCompare('b', 'de');", "compare with < and >"),
    ("export default () => new Intl.NumberFormat('de');", "Intl is not defined: use input.local"),
    ("export default () => { require('fs'); };", "require is not defined: use import"),
])
def test_what_is_not_there_says_so(renderer, script, words):
    answer, _ = renderer.ask(script)
    assert words in answer["error"]["message"], answer
    assert answer["error"]["kind"] == "script" and answer["error"]["line"] >= 1


@pytest.mark.parametrize("script", [
    "export default async () => { const p = Promise.reject(1); await 0; await p.catch(() => 0); return null; };",
    "export default async () => { try { await Promise.reject(1); } catch {} return null; };",
    "export default () => { new Date().toLocaleString(); (1).toLocaleString(); 'a'.localeCompare('b'); return null; };",
    "export default () => { if (typeof Intl !== 'undefined') throw 1; return null; };",
])
def test_what_is_handled_is_no_error(renderer, script):
    answer, _ = renderer.ask(script)
    assert answer.get("error") is None, answer


def zone_of(name):
    """Its changes in 2026, as displayd sends them."""
    zone, year = zoneinfo.ZoneInfo(name), []
    begin = int(datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC).timestamp())
    for at in range(begin, begin + 3 * 366 * 86400, 1800):
        offset = int(datetime.datetime.fromtimestamp(at, zone).utcoffset().total_seconds())
        if not year or year[-1] != offset:
            year += [at, offset]
    return year


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "Europe/Zagreb", "Australia/Lord_Howe",
                                  "Asia/Kolkata", "America/Santiago"])
def test_local_times_around_changes_of_the_clocks(renderer, zone):
    """As Node has them: what is there twice, or not at all, has the offset from before."""
    changes = zone_of(zone)
    at = [second for i in range(2, len(changes), 2) for second in
          range(changes[i] - 14 * 3600, changes[i] + 14 * 3600, 1800)] or [1_780_000_000]
    walls = [[*time.gmtime(second + changes[1])[:5]] for second in at]
    script = "given => print(%s.map(([y, m, d, h, n]) => new Date(y, m - 1, d, h, n).getTime() / 1000).join())"
    answer, _ = renderer.ask("export default " + script % json.dumps(walls), zone=changes)
    expected = [int(datetime.datetime(*wall, tzinfo=zoneinfo.ZoneInfo(zone)).timestamp()) for wall in walls]
    assert [int(word) for word in "".join(answer["log"]).split(",")] == expected
