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
# Those of the chapters in docs/security-attempts.md.
ATTEMPTS = {
    "3.1": 1, "3.2": 3, "3.3": 5, "3.4": 8, "3.5": 8, "3.6": 1, "3.7": 5, "6.1": 3, "6.2": 12,
    "6.3": 8, "6.4": 6, "6.5": 8, "6.6": 4, "6.7": 2, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2,
    "7.4": 5, "7.5": 3, "7.6": 2,
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


def attempts():
    """Items of the tables of docs/security-attempts.md, and sections that do not apply."""
    text = read("docs/security-attempts.md")
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    items = [cell for cell in cells if re.fullmatch(r"[\d.]+(?:(?:, | \.\. )[\d.]+)*", cell)]
    absent = re.findall(r"^([\d.]+(?:(?:, | and )[\d.]+)*) do(?:es)? not apply:", text, re.M)
    return items, [section for one in absent for section in re.findall(r"\d+\.\d+", one)]


def expand(items):
    """"3.3.1 .. 3.3.4, 3.4.1" is five items."""
    for first, last in re.findall(r"(\d+\.\d+\.\d+)(?: \.\. (\d+\.\d+\.\d+))?", items):
        section, number = first.rsplit(".", 1)
        for one in range(int(number), int((last or first).rsplit(".", 1)[1]) + 1):
            yield f"{section}.{one}"


def test_no_item_of_the_attempts_is_left_out():
    items, absent = attempts()
    found = {one for line in items for one in expand(line)}
    wanted = {f"{section}.{number + 1}" for section, count in ATTEMPTS.items()
              for number in range(count) if section not in absent}
    assert found == wanted
    assert set(absent) == {"6.5", "6.6", "6.8", "7.6"}


def test_pages_use_no_doubtful_means():
    """No plugins, no frames, no code made of text, no messages of other windows, no globals on window
    or document, no links to other sites."""
    sources = read("subprojects/webapp/src/**/*.ts", "subprojects/webapp/src/**/*.tsx",
                   "subprojects/webapp/src/*.html")
    assert len(sources) > 100_000
    doubtful = (r"<(?:iframe|frame|object|embed|applet)\b", r"\binnerHTML\b|\bouterHTML\b",
                r"dangerouslySetInnerHTML", r"insertAdjacentHTML", r"document\.write",
                r"\beval\(|new Function\(", r"""addEventListener\(\s*["']message""",
                r"window\.(?:parent|opener|top|open|name|onmessage)\b|\.contentWindow\b",
                r"(?:window|globalThis|document)(?!\.title\b)(?:\.\w+|\[[^\]]*\])\s*=[^=>]",
                r"""(?:href|src|action)=(?:["']|\{["'`])(?:https?:)?//""")
    found = [match[0] for one in doubtful for match in re.finditer(one, sources)]
    assert found == []


def test_no_item_is_left_out():
    items = [item.strip() for items, *_ in rows() for item in items.split(",")]
    wanted = {f"{section}.{number + 1}" for section, count in SECTIONS.items()
              for number in range(count)}
    numbered = [item for item in items if re.fullmatch(r"[\d.]+", item)]
    assert len(numbered) == len(set(numbered))
    assert set(numbered) == wanted
    assert [item.split()[0] for item in items if item.startswith("API")] == [
        f"API{number}" for number in range(1, 11)]
