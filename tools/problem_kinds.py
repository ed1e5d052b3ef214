"""Reads the kinds of problems, docs/api/problems.yaml, and finds those of an operation.

Some follow from the facts of an operation; the operation lists the others in x-displayd-problems. A
kind belongs to an operation only if the operation documents an answer with its status.
"""

import re

NAME = re.compile(r"[a-z]+(_[a-z]+)*")
USE = re.compile(r"\bPROBLEM_([A-Z_]+)\b")

# Answers of any path: of the HTTP layer, which ends the connection, and of the routes.
GENERAL = [
    "expectation_unsupported", "head_too_large", "head_too_slow", "http_version_unsupported", "internal_error",
    "method_not_allowed", "method_unknown", "path_not_found", "request_malformed", "target_too_long",
    "transfer_coding_unknown",
]
# Answers to the operator, who names the account to act for.
OF_OPERATOR = ["account_needed", "account_not_found"]
ALWAYS = ["attempts_too_many", "data_locked", "database_full", "database_read_only", "database_unavailable",
          "memory_full", "requests_too_many", "server_busy"]
BODY = ["body_invalid", "body_malformed", "body_too_large", "body_too_slow", "content_encoding_unsupported",
        "type_unsupported"]
OF_PAGES = ["not_signed_in", "site_refused"]
ACCESS = {
    "api_key": ["key_invalid", "key_missing", "key_too_narrow"],
    "v0_api_key": ["key_invalid", "key_missing", "key_too_narrow"],
    "session": OF_PAGES,
    "administrator": [*OF_PAGES, "not_administrator"],
    "reviewer": [*OF_PAGES, "not_reviewer"],
    "visitor": ["site_refused"],
    "none": [],
}
RESOURCE = {"device": ["device_not_found", "of_other_account"], "app": ["app_not_found", "of_other_account"]}


class Fault(Exception):
    """Fault of the list, as a sentence."""


def check(kinds):
    """kinds: {code: {"status", "about"}}, as the file has them."""
    for code, kind in kinds.items():
        if not NAME.fullmatch(code):
            raise Fault(f"problems.yaml: {code} is not in snake case")
        if set(kind) != {"status", "about"} or not 400 <= kind["status"] <= 599:
            raise Fault(f"problems.yaml: {code} must have a status from 400 to 599 and about")
    if list(kinds) != sorted(kinds):
        raise Fault("problems.yaml: the codes are not in alphabetical order")


def following(facts, changes, has_query):
    """Returns the codes that follow from the facts of an operation."""
    access = facts["access"]
    codes = [*ALWAYS, *ACCESS[access], *RESOURCE.get(facts.get("resource"), [])]
    if access.endswith("api_key"):
        codes += ["key_for_other_devices"] if facts.get("resource") == "device" else []
        codes += ["key_for_chosen_devices"] if facts.get("key-devices") == "account" else []
        codes += [] if "device-key" in facts else ["device_key_too_narrow"]
    if isinstance(missing := (facts.get("statement") or {}).get("missing"), dict):
        codes += missing
    if facts.get("operator"):
        codes += OF_OPERATOR
    if facts.get("bridge"):
        codes.append("mqtt_ended")
    if changes:
        codes += [*BODY, "conflict", "head_invalid", "precondition_failed"]
    if has_query:
        codes.append("parameter_invalid")
    return codes


def header(kinds):
    """Returns the C header with a name of each kind."""
    lines = "".join(f"#define PROBLEM_{code.upper()} (&problem_kinds[{index}])\n"
                    for index, code in enumerate(kinds))
    return ("#pragma once\n\n"
            f"enum {{ PROBLEM_KIND_COUNT = {len(kinds)} }};\n"
            "extern const struct problem_kind problem_kinds[PROBLEM_KIND_COUNT];\n\n" + lines)


def source(kinds):
    rows = "".join(f'\t{{"{code}", {kind["status"]}}},\n' for code, kind in kinds.items())
    return ('#include "http/problem.h"\n\n'
            f"const struct problem_kind problem_kinds[PROBLEM_KIND_COUNT] = {{\n{rows}}};\n")


def used(text):
    """Returns the codes that a C source names."""
    return {name.lower() for name in USE.findall(text) if name != "KIND_COUNT"}
