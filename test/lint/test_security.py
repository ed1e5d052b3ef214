"""docs/security.md names tests that there are, files that there are, and every item of the chapters of
ASVS 5.0 that it is about."""

import glob
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# How many items each section has, of ASVS 5.0.0.
SECTIONS = {
    "1.1": 2, "1.2": 10, "1.3": 12, "1.4": 3, "1.5": 3, "2.1": 3, "2.2": 3, "2.3": 5, "2.4": 2,
    "4.1": 5, "4.2": 5, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 6, "5.3": 3, "5.4": 3, "8.1": 4,
    "8.2": 4, "8.3": 3, "8.4": 2, "11.1": 4, "11.2": 5, "11.3": 5, "11.4": 4, "11.5": 2, "11.6": 2,
    "11.7": 2, "12.1": 5, "12.2": 2, "12.3": 5, "13.1": 4, "13.2": 6, "13.3": 4, "13.4": 7,
    "14.1": 2, "14.2": 8, "14.3": 3, "15.1": 5, "15.2": 5, "15.3": 7, "15.4": 4, "16.1": 1,
    "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 4,
}
# Without a test: what the text says there is not, or does not apply.
NOT_THERE = re.compile(r"\b(?:do(?:es)? not apply|not|no|neither|nothing)\b")


def read(*places):
    found = sorted(path for place in places
                   for path in glob.glob(os.path.join(ROOT, place), recursive=True))
    return "".join(open(path, encoding="utf-8").read() for path in found)


def rows():
    """(items, what is done, tests) of each line of a table."""
    for line in read("docs/security.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" |")]
        if line.startswith("| ") and cells[0] != "item":
            assert len(cells) == 3, line
            yield cells


def test_security_list():
    """Each test and journey of the list is there."""
    tests = set(re.findall(r"^ *def (test_\w+)", read("test/**/test_*.py",
                                                      "subprojects/*/test/test_*.py"), re.M))
    tests |= set(re.findall(r"^func (Test\w+)", read("subprojects/*/*_test.go"), re.M))
    tests |= set(re.findall(r"^static void (test_\w+)\(", read("test/**/*.c"), re.M))
    journeys = read("test/browser/*.journeys.mjs")
    count = 0
    for items, _, named in rows():
        names = re.findall(r"\b(?:test_|Test(?=[A-Z]))\w+(?![\w/.])", named)
        assert set(names) <= tests, (items, set(names) - tests)
        assert all(f'"{quoted}": async' in journeys for quoted in re.findall(r'"([^"]+)"', named))
        for path in re.findall(r"`([^`]+)`", named):
            assert os.path.exists(os.path.join(ROOT, path)), path
        count += len(names)
    assert count > 150


def test_no_item_is_without_an_answer():
    for items, done, named in rows():
        assert done and (named or NOT_THERE.search(done)), items


def test_no_item_is_left_out():
    items = [item.strip() for items, *_ in rows() for item in items.split(",")]
    wanted = {f"{section}.{number + 1}" for section, count in SECTIONS.items()
              for number in range(count)}
    numbered = [item for item in items if re.fullmatch(r"[\d.]+", item)]
    assert len(numbered) == len(set(numbered))
    assert set(numbered) == wanted
    assert [item.split()[0] for item in items if item.startswith("API")] == [
        f"API{number}" for number in range(1, 11)]
