"""Rules of recurrence: the days on which entries are shown."""

import datetime
import random

import pytest
from dateutil import rrule
from devices import add
from test_rotation import push
from test_rotation_options import change, numbers_served, options, rotation, standings

DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
KNOWN_DAYS = 63
RULES = 600


@pytest.fixture
def made(browser):
    """Entries a and b with the pictures 0 and 1."""
    made = add(browser)
    for number, name in enumerate("ab"):
        push(browser, made, name, number)
    return made


def some(chance, values, most):
    return ",".join(map(str, chance.sample(values, chance.randint(1, most))))


def random_rule(chance):
    frequency = chance.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = [f"INTERVAL={chance.choice([1, 1, 2, 3, 7])}"] if chance.random() < 0.8 else []
    if frequency == "WEEKLY":
        parts += [f"BYDAY={some(chance, DAYS, 4)}"] if chance.random() < 0.7 else []
        parts += [f"WKST={chance.choice(DAYS)}"] if chance.random() < 0.5 else []
    if frequency == "MONTHLY":
        parts += chance.choice([
            [], [f"BYMONTHDAY={some(chance, [*range(1, 32), *range(-31, 0)], 4)}"], [f"BYDAY={some(chance, DAYS, 3)}"],
            [f"BYDAY={some(chance, [f'{n}{day}' for n in (1, 2, 3, 4, 5, -1, -2, -5) for day in DAYS], 3)}"]])
    if chance.random() < 0.3:
        parts.append(f"UNTIL=2026{chance.randint(1, 12):02}{chance.randint(1, 28):02}")
    chance.shuffle(parts)
    return ";".join([f"FREQ={frequency}", *parts])


def test_the_days_are_those_of_another_implementation(world):
    chance = random.Random(5545)
    for _ in range(RULES):
        rule = random_rule(chance)
        start = datetime.date(2025, 1, 1) + datetime.timedelta(days=chance.randrange(500))
        begin = start + datetime.timedelta(days=chance.randrange(-70, 700))
        [[days]] = world.sql("SELECT recurrence_days(%s, %s, %s, %s)", rule, str(start), begin, KNOWN_DAYS)
        midnight = datetime.time()
        found = rrule.rrulestr(rule, dtstart=datetime.datetime.combine(start, midnight)).between(
            datetime.datetime.combine(begin, midnight),
            datetime.datetime.combine(begin + datetime.timedelta(days=KNOWN_DAYS - 1), midnight), inc=True)
        assert days == sum(1 << (at.date() - begin).days for at in found), (rule, start, begin)


def day(offset):
    return str(datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=offset))


@pytest.mark.parametrize("rule, start, is_shown", [
    ("FREQ=DAILY;INTERVAL=5", 0, True), ("FREQ=DAILY;INTERVAL=5", -5, True), ("FREQ=DAILY;INTERVAL=5", -3, False),
    ("", 0, True), ("", 3, False), ("", -3, True), ("FREQ=DAILY;UNTIL=20200101", None, False), ("FREQ=DAILY", None, True)])
def test_an_entry_is_shown_on_its_days(world, browser, made, rule, start, is_shown):
    change(browser, made, "a", recurrenceRule=rule, recurrenceStart="" if start is None else day(start)).ok()
    assert numbers_served(world, made, 2) == ([0, 1] if is_shown else [1, 1])
    assert standings(browser, made) == ["shown" if is_shown else "waiting", "shown"]
    change(browser, made, "a", recurrenceRule="", recurrenceStart="").ok()
    assert set(numbers_served(world, made, 2)) == {0, 1}


@pytest.mark.parametrize("rule", [
    "FREQ=DAILY", "FREQ=DAILY;INTERVAL=999", "FREQ=WEEKLY;BYDAY=MO,SU;WKST=SU", "FREQ=MONTHLY;BYDAY=5FR,-1MO,TU",
    "FREQ=MONTHLY;BYMONTHDAY=31,-31,1", "FREQ=YEARLY;UNTIL=20281231;INTERVAL=4"])
def test_rules_are_kept_as_they_are(browser, made, rule):
    change(browser, made, "a", recurrenceRule=rule, recurrenceStart="2028-02-29").ok()
    [entry, _] = rotation(browser, made)["entries"]
    assert (entry["recurrenceRule"], entry["recurrenceStart"]) == (rule, "2028-02-29")
    change(browser, made, "a", note="x").ok()
    assert rotation(browser, made)["entries"][0]["recurrenceRule"] == rule


@pytest.mark.parametrize("rule", [
    "FREQ=HOURLY", "FREQ=", "DAILY", "INTERVAL=2;FREQ=DAILY", "FREQ=DAILY;", ";FREQ=DAILY", "FREQ=DAILY;;INTERVAL=1", "freq=daily",
    "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=1000", "FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY;INTERVAL=", "FREQ=DAILY;INTERVAL=1;INTERVAL=1",
    "FREQ=DAILY;UNTIL=20260230", "FREQ=DAILY;UNTIL=20260101T000000Z", "FREQ=DAILY;UNTIL=99999999", "FREQ=DAILY;COUNT=3", "FREQ=DAILY;BYDAY=MO",
    "FREQ=WEEKLY;BYDAY=1MO", "FREQ=WEEKLY;BYDAY=MO,", "FREQ=WEEKLY;BYDAY=,MO", "FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYDAY=6MO", "FREQ=MONTHLY;BYDAY=0MO", "FREQ=MONTHLY;BYDAY=-MO", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=MONTHLY;BYMONTHDAY=0",
    "FREQ=MONTHLY;BYMONTHDAY=01", "FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=MO", "FREQ=MONTHLY;WKST=MO", "FREQ=YEARLY;BYMONTH=2", "FREQ=DAILY\n",
    "FREQ=DAILY;RSCALE=X", "FREQ=DAILY " * 30, "FREQ=MONTHLY;BYMONTHDAY=" + ",".join(["1"] * 100), None, 1, []])
def test_rules_that_are_refused(browser, made, rule):
    assert set(change(browser, made, "a", recurrenceRule=rule).faults()) == {"/recurrenceRule"}
    assert rotation(browser, made)["entries"][0]["recurrenceRule"] == ""


@pytest.mark.parametrize("start", ["2026-02-30", "2026-1-1", "26-01-01", "2026-01-01 ", "infinity", "1969-12-31", "2201-01-01", "today", None, 1])
def test_starts_that_are_refused(browser, made, start):
    assert set(change(browser, made, "a", recurrenceStart=start).faults()) == {"/recurrenceStart"}


def test_other_options_stay(browser, made):
    before = options(browser, made, "a")
    change(browser, made, "a", recurrenceRule="FREQ=DAILY").ok()
    assert options(browser, made, "a") == before
