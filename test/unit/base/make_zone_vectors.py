"""Local times around each change of offset, as Python's zoneinfo computes them: vectors for the tests.
Written as C: zone, moment (seconds since 1970), offset in seconds."""

import datetime
import sys
import zoneinfo

ZONES = [
    "UTC", "Europe/Zagreb", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
    "Asia/Kathmandu", "Australia/Eucla", "America/St_Johns", "Pacific/Apia", "Pacific/Chatham",
    "Africa/Casablanca", "Asia/Tehran", "US/Eastern", "EST5EDT", "Etc/GMT+12", "Pacific/Kiritimati",
    "America/Argentina/ComodRivadavia",
]
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def offset(zone, moment):
    return int(moment.astimezone(zone).utcoffset().total_seconds())


def main():
    quarter = datetime.timedelta(minutes=15)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for name in ZONES:
            zone = zoneinfo.ZoneInfo(name)
            moment, before = START, offset(zone, START)
            print(f'{{"{name}", {int(START.timestamp())}, {before}}},', file=out)
            for _ in range(2 * 366 * 96):
                moment += quarter
                now = offset(zone, moment)
                if now != before:
                    second = int(moment.timestamp())
                    print(f'{{"{name}", {second - 1}, {before}}},', file=out)
                    print(f'{{"{name}", {second}, {now}}},', file=out)
                    before = now


main()
