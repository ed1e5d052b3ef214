"""Codes of problems (RFC 9457): each has one of docs/api/problems.yaml with its status and, at a path of
the description, one that the operation documents. Words of problems: the detail has a subject; that of a fault of a
field begins with a verb, as the field's name or label is its subject. All clients of the tests check their answers by
check()."""

import functools
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "tools"))


VERBS = r"(?:answered|are|cannot|comes|contains|has|have|is|must|names|needs|takes) \S"
# Subjects of their own: a part of the field, another field beside it.
SUBJECTS = r"number \d+: \S|or \w+ is \S|[A-Z]"


def check_words(problem):
    """Checks that each sentence made of the problem's words has a subject."""
    detail = problem.get("detail")
    assert detail is None or re.match(r'["\w]', detail) and not re.match(VERBS, detail) and detail[-1] not in ",:;", problem
    for fault in problem.get("errors", []):
        field = re.escape(fault["pointer"].rpartition("/")[2])
        assert re.match(rf"{VERBS}|{SUBJECTS}|{field}\b", fault["detail"]) and fault["detail"][-1] not in ".,:;", problem


@functools.lru_cache(None)
def _described():
    """Returns the kinds of problems, and (method, pattern of the path, codes) of each operation."""
    import operations  # the description is read only if there is a problem
    import problem_kinds

    folder = os.path.join(ROOT, "docs/api")
    found = []
    for name in ("public", "pages"):
        document = operations.read(folder, name)
        for one in document.operations:
            pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one.path)).removesuffix("/")
            found.append((one.method, re.compile(pattern + "/?"), operations.codes(document, one)))
    # A path without parameters comes before one whose parameter it matches, as in the router.
    found.sort(key=lambda one: one[1].pattern.count("[^/]+"))
    return operations.read_problems(folder), found, {*problem_kinds.GENERAL, *problem_kinds.OF_OPERATOR}


def check(method, target, status, content_type, body):
    """Checks an answer. method: None if it is not known; target: with or without its query."""
    if content_type != "application/problem+json" or not body:
        return
    problem = json.loads(body)
    check_words(problem)
    kinds, described, general = _described()
    code = problem.get("code")
    assert code in kinds, f"{method} {target}: a problem without a known code: {problem}"
    assert status == problem["status"] == kinds[code]["status"], f"{method} {target}: {problem}"
    path = (target or "").partition("?")[0]
    method = {"HEAD": "get"}.get(method, (method or "").lower())
    for name, pattern, codes in described:
        if name == method and pattern.fullmatch(path):
            assert code in codes or code in general, \
                f"{method} {pattern.pattern} does not document {code}: x-displayd-problems"
            return
