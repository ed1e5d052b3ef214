"""Recurrence of entries in exports of a tronbyt server: what its pages write, and when it shows them."""

import datetime

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
PLACES = ["first", "second", "third", "fourth", "fifth"]


def a_recurrence(source):
    """What its page writes: a pattern has members of its kind only, or null ones."""
    kind = source.choice(["daily", "weekly", "monthly", "yearly"])
    pattern = {
        "weekly": lambda: {"weekdays": source.sample(DAYS, source.randrange(4))},
        "monthly": lambda: source.choice([
            {"day_of_month": source.randint(1, 31)}, {},
            {"day_of_month": None, "day_of_week": f"{source.choice([*PLACES[:4], 'last'])}_{source.choice(DAYS)}"}]),
    }.get(kind, dict)()
    return {"use_custom_recurrence": source.random() < 0.4, "recurrence_type": kind, "recurrence_interval": source.choice([0, 1, 1, 2, 3]),
            "recurrence_pattern": pattern,
            "recurrence_start_date": source.choice([None, "", f"2025-{source.randint(1, 12):02}-{source.randint(1, 28):02}"]),
            "recurrence_end_date": source.choice([None, "", f"2026-{source.randint(1, 12):02}-{source.randint(1, 28):02}"])}


def shows_on(app, day):
    """Whether that server shows the entry on a day that is not before its start."""
    if not app["use_custom_recurrence"]:
        return True
    start = datetime.date.fromisoformat(app["recurrence_start_date"] or "2025-01-01")
    every, pattern = app["recurrence_interval"] or 1, app["recurrence_pattern"]
    months = (day.year - start.year) * 12 + day.month - start.month
    if app["recurrence_end_date"] and day > datetime.date.fromisoformat(app["recurrence_end_date"]):
        return False
    if app["recurrence_type"] == "daily":
        return (day - start).days % every == 0
    if app["recurrence_type"] == "weekly":
        return (day - start).days // 7 % every == 0 and DAYS[day.weekday()] in (pattern.get("weekdays") or DAYS)
    if app["recurrence_type"] == "yearly":
        return (day.year - start.year) % every == 0 and (day.month, day.day) == (start.month, start.day)
    if pattern.get("day_of_month"):
        return months % every == 0 and day.day == pattern["day_of_month"]
    if pattern.get("day_of_week"):
        place, name = pattern["day_of_week"].split("_")
        is_place = (day + datetime.timedelta(days=7)).month != day.month if place == "last" else PLACES[(day.day - 1) // 7] == place
        return months % every == 0 and DAYS[day.weekday()] == name and is_place
    return months % every == 0


def compare_days(world, app, id, installation_id):
    begin = datetime.date.fromisoformat(app["recurrence_start_date"] or "2026-03-01")
    [[days]] = world.sql("SELECT recurrence_days(recurrence_rule, recurrence_start, %s, 63) FROM installation WHERE device_id = %s AND id = %s",
                         begin, id, installation_id)
    wanted = [shows_on(app, begin + datetime.timedelta(days=number)) for number in range(63)]
    assert days == sum(1 << number for number, is_shown in enumerate(wanted) if is_shown), app
