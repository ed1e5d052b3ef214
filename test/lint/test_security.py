"""docs/security.md names tests that there are, files that there are, and every item of the chapters of
ASVS 5.0 that it is about."""

import glob
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# How many items each section has, of ASVS 5.0.0.
SECTIONS = {
    "1.1": 2, "1.2": 10, "1.3": 12, "1.4": 3, "1.5": 3, "2.1": 3, "2.2": 3, "2.3": 5, "2.4": 2,
    "3.1": 1, "3.2": 3, "3.3": 5, "3.4": 8, "3.5": 8, "3.6": 1, "3.7": 5, "4.1": 5, "4.2": 5,
    "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 6, "5.3": 3, "5.4": 3, "6.1": 3, "6.2": 12, "6.3": 8,
    "6.4": 6, "6.5": 8, "6.6": 4, "6.7": 2, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5,
    "7.5": 3, "7.6": 2, "8.1": 4, "8.2": 4, "8.3": 3, "8.4": 2, "11.1": 4, "11.2": 5, "11.3": 5,
    "11.4": 4, "11.5": 2, "11.6": 2, "11.7": 2, "12.1": 5, "12.2": 2, "12.3": 5, "13.1": 4,
    "13.2": 6, "13.3": 4, "13.4": 7, "14.1": 2, "14.2": 8, "14.3": 3, "15.1": 5, "15.2": 5,
    "15.3": 7, "15.4": 4, "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 4,
}
HEADERS = ("|item|rule|tests|", "|attempt|result|tests|", "|attempt|Starlark|TypeScript|tests|")
# Without a test: what the text says there is not, or does not apply.
NOT_THERE = re.compile(r"\b(?:do(?:es)? not apply|not|no|neither|nothing)\b")


def read(*places):
    found = sorted(path for place in places
                   for path in glob.glob(os.path.join(ROOT, place), recursive=True))
    return "".join(open(path, encoding="utf-8").read() for path in found)


def rows():
    """(header, cells) of each line of the tables that name tests in their last column."""
    header = None
    for line in read("docs/security.md").splitlines():
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = line
        elif header in HEADERS and not line.startswith("|---"):
            cells = line[1:-1].split("|")
            assert line.endswith("|") and len(cells) == header.count("|") - 1, line
            yield header, cells


def item_rows():
    """(items, what is done, tests) of each line of a table of a standard's items."""
    return [cells for header, cells in rows() if header == HEADERS[0]]


def test_security_list():
    """Each test and journey of the list is there."""
    tests = set(re.findall(r"^ *def (test_\w+)", read("test/**/test_*.py",
                                                      "subprojects/*/test/test_*.py"), re.M))
    tests |= set(re.findall(r"^func (Test\w+)", read("subprojects/*/*_test.go"), re.M))
    tests |= set(re.findall(r"^static void (test_\w+)\(", read(
        "test/**/*.c", "subprojects/*/test/*_test.c"), re.M))
    journeys = read("test/browser/*.journeys.mjs")
    count, quoted_count, kinds = 0, 0, set()
    for header, cells in rows():
        kinds.add(header)
        named = cells[-1]
        names = re.findall(r"\b(?:test_|Test(?=[A-Z]))\w+(?![\w/.])", named)
        assert set(names) <= tests, (cells[0], set(names) - tests)
        quoted = re.findall(r'"([^"]+)"', named)
        assert all(f'"{one}": async' in journeys for one in quoted), (cells[0], quoted)
        for path in re.findall(r"`([^`]+)`", named):
            assert os.path.exists(os.path.join(ROOT, path)), path
        # Nothing else is named: a misspelt test would be passed over.
        assert re.sub(r'`[^`]+`|"[^"]+"|\b(?:test_|Test)\w+|[, ]', "", named) == "", named
        count, quoted_count = count + len(names), quoted_count + len(quoted)
    assert kinds == set(HEADERS)
    assert count > 500 and quoted_count > 15
    # Tests named in the text between the tables.
    assert set(re.findall(r"`(test_\w+)`", read("docs/security.md"))) <= tests


def test_no_item_is_without_an_answer():
    for items, done, named in item_rows():
        assert done and (named or NOT_THERE.search(done)), items
    for header, cells in rows():
        assert all(cells) or header == HEADERS[0], cells


def expand(items):
    """"3.3.1-4, 3.4.1" is five items."""
    for one in items.split(", "):
        found = re.fullmatch(r"(\d+\.\d+)\.(\d+)(?:-(\d+))?", one)
        if found:
            section, first, last = found.groups()
            for number in range(int(first), int(last or first) + 1):
                yield f"{section}.{number}"


def test_no_item_is_left_out():
    numbered = [one for items, *_ in item_rows() for one in expand(items)]
    wanted = {f"{section}.{number + 1}" for section, count in SECTIONS.items()
              for number in range(count)}
    assert len(numbered) == len(set(numbered))
    assert set(numbered) == wanted
    assert [items.split()[0] for items, *_ in item_rows() if items.startswith("API")] == [
        f"API{number}" for number in range(1, 11)]
    others = [items for items, *_ in item_rows()
              if not items.startswith("API") and not list(expand(items))]
    assert sorted(others) == sorted(["WebAuthn 7.1, 7.2", "WebAuthn 5.1.2", *["more"] * 5])


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
