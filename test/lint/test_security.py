"""docs/security_tests.yaml names only existing tests and files, and every item of its chapters of ASVS 5.0."""

import collections
import glob
import os
import re

import yaml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# Number of items in each section of ASVS 5.0.0.
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
# Members of a check beside its evidence, and of a check without evidence.
KINDS = ({"items", "rule"}, {"items", "threat", "rule"}, {"threat", "result"}, {"threat", "starlark", "typescript"})
ABSENT = ({"items", "absent"}, {"absent"})
EVIDENCE = {"tests", "journeys", "files"}
DEFINITIONS = {
    r"^ *def (test_\w+)": ("test/**/test_*.py", "subprojects/*/test/test_*.py"),
    r"^func (Test\w+)": ("subprojects/*/*_test.go",),
    r"^(?:[A-Z_]+\(|static void )(test_\w+)[,()]": ("test/**/*.c", "subprojects/*/test/*_test.c"),
}


def paths(*places):
    return sorted(path for place in places for path in glob.glob(os.path.join(ROOT, place), recursive=True))


def read(*places):
    found = []
    for path in paths(*places):
        with open(path, encoding="utf-8") as file:
            found.append(file.read())
    return "".join(found)


def listed():
    return yaml.safe_load(read("docs/security_tests.yaml"))


def checks():
    return [check for group in listed()["groups"] for check in group["checks"]]


def defined():
    """Files that contain each test, by its name."""
    found = collections.defaultdict(set)
    for pattern, places in DEFINITIONS.items():
        for path in paths(*places):
            with open(path, encoding="utf-8") as file:
                for name in re.findall(pattern, file.read(), re.M):
                    found[name].add(os.path.relpath(path, ROOT))
    return found


def test_security_list():
    """Each listed test, journey and file exists, and each name is unique."""
    tests, journeys = defined(), read("test/browser/*.journeys.mjs")
    count, quoted_count = 0, 0
    for check in checks():
        for one in check.get("tests", ()):
            path, _, name = one.rpartition("::")
            assert path in tests[name] if path else len(tests[name]) == 1, (one, tests[name])
        for one in check.get("journeys", ()):
            assert f'"{one}": async' in journeys, one
        for path in check.get("files", ()):
            assert os.path.exists(os.path.join(ROOT, path)), path
        for names in (check.get(kind, ()) for kind in EVIDENCE):
            assert len(names) == len(set(names)), check
        count, quoted_count = count + len(check.get("tests", ())), quoted_count + len(check.get("journeys", ()))
    assert count > 500 and quoted_count > 15
    # Tests named in the threat model.
    assert set(re.findall(r"`(test_\w+)`", read("docs/security.md"))) <= set(tests)


def test_no_item_is_without_an_answer():
    """Each claim has evidence; items that do not apply say so."""
    for check in checks():
        members = set(check) - EVIDENCE
        assert all(check.values()), check
        assert (members in KINDS) if set(check) & EVIDENCE else (members in ABSENT), check


def test_the_ways_in_are_complete():
    """Each way to sign in has its strength and limits (ASVS 6.1.3)."""
    ways = listed()["ways_in"]
    assert len(ways) >= 10 and len({way["way"] for way in ways}) == len(ways)
    assert all(set(way) == {"way", "for", "strength", "limits"} and all(way.values()) for way in ways)


def expand(items):
    """"3.3.1-4, 3.4.1" is five items."""
    for one in items.split(", "):
        found = re.fullmatch(r"(\d+\.\d+)\.(\d+)(?:-(\d+))?", one)
        if found:
            section, first, last = found.groups()
            for number in range(int(first), int(last or first) + 1):
                yield f"{section}.{number}"


def test_no_item_is_left_out():
    named = [check["items"] for check in checks() if "items" in check]
    numbered = [one for items in named for one in expand(items)]
    wanted = {f"{section}.{number + 1}" for section, count in SECTIONS.items()
              for number in range(count)}
    assert len(numbered) == len(set(numbered))
    assert set(numbered) == wanted
    assert [items for items in named if items.startswith("API")] == [f"API{number}" for number in range(1, 11)]
    others = [items for items in named if not items.startswith("API") and not list(expand(items))]
    assert sorted(others) == sorted(["WebAuthn 7.1, 7.2", "WebAuthn 5.1.2", *["more"] * 5])


def test_pages_use_no_doubtful_means():
    """Pages have no plugins, frames, code made of text, messages of other windows, globals on window or
    document, or links to other sites."""
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
