"""Hypothesis strategies from the document's schemas: values that fit one, and values that break
exactly one of its rules.

Some rules are in the descriptions only: which time zones there are, what an image is. MEANING has
strategies for these, by schema and property.
"""

import dataclasses
import math
import textwrap

import images
from hypothesis import strategies as st

ZONES = ["UTC", "Europe/Zagreb", "US/Eastern", "Asia/Kolkata", "America/Argentina/Ushuaia",
         "Etc/GMT+12", "GMT0"]
WRONG_ZONES = ["", "utc", "europe/zagreb", "CEST", "posix/UTC", "Nowhere/City", "UTC ", "../UTC",
               "Europe/Zagreb\n", "+02:00", "Local", "/UTC", "Europe", "localtime"]
PICTURES = [images.text(images.png(images.solid((200, 40, 10)))),
            images.data_url(images.gif([images.solid()]), "gif"),
            images.data_url(images.webp(images.solid((0, 9, 90))), "webp"),
            images.text(images.png(images.solid((1, 2, 3))), "url")]
PICTURES.append(" " + "\n".join(textwrap.wrap(PICTURES[0], 76)) + "\r\n")
WRONG_PICTURES = ["", "A", "AAAA", "!!!!", "data:image/png;base64,", "data:text/plain;base64,AAAA",
                  "\u00a0" + PICTURES[0], PICTURES[0] + "=", PICTURES[0][:-9], "data:image/png,AAAA",
                  images.data_url(images.png(), "gif"),
                  images.text(images.png(images.solid(size=(32, 32)))), "\u00e9", "\u0000"]
# Entries of a device that has none: valid values, invalid ones.
ENTRIES = ([""], ["none", "weather", "0190163d8694739baea5966c26f8ad91"])
MEANING = {"timezone": (ZONES, WRONG_ZONES), "image": (PICTURES, WRONG_PICTURES), "pinnedApp": ENTRIES,
           "nightModeApp": ENTRIES}

# Text that has broken programs before.
NASTY = ["'", "\"", "\\", "%00", "${x}", "<b>", "\u200b", "\u0301", "\U0001f4a1", "\u0000", "\x7f",
         "\u00a0", "\u2028", "\ufeff", "\uffff", "\r\n", "'; DROP TABLE device; --", " "]
TEXT = st.one_of(st.sampled_from(NASTY), st.text(st.characters(blacklist_categories=("Cs",)),
                                                max_size=30))
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), TEXT,
                    st.floats(allow_nan=False, allow_infinity=False))
ANYTHING = st.recursive(SCALARS, lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)), max_leaves=6)
LONG_INTEGERS = [-2**63 - 1, -2**63, -1, 2**31, 2**32, 2**63, 2**64, 10**30]


def is_unicode(text):
    """No surrogate in it."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


# ---- what fits ----


def text_that_fits(contract, schema):
    low, high = schema.get("minLength", 0), schema.get("maxLength", 60)
    if "pattern" in schema:
        # Filtered by the pattern, not made by it, so that a wrong pattern is noticed.
        some = st.one_of(st.text(st.characters(blacklist_categories=("Cs",)), min_size=low,
                                 max_size=min(high, 70)),
                         st.text("aZ0._-", min_size=low, max_size=min(high, 70)),
            st.text("aZ\u00e9\U0001f4a1", min_size=min(high, 70), max_size=min(high, 70)),
                         st.sampled_from(NASTY),
                         st.tuples(st.sampled_from(NASTY), st.text("aZ", max_size=3),
                      st.sampled_from(NASTY)).map("".join),
            st.from_regex(schema["pattern"].replace("$", r"\Z")))
        return some.filter(lambda text: is_unicode(text) and contract.is_valid(schema, text))
    return st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"),
                   min_size=low, max_size=high)


def number_that_fits(schema):
    low, high = schema["minimum"], schema["maximum"]
    whole = st.one_of(st.sampled_from([low, high]), st.integers(low, high))
    return st.one_of(whole, whole.map(float))  # 12.0 is an integer


def fits(contract, schema, name=None):
    """A strategy for values that the server must accept."""
    schema = contract.resolve(schema)
    if name in MEANING:
        return st.sampled_from(MEANING[name][0])
    if "oneOf" in schema:
        return st.one_of([fits(contract, choice) for choice in schema["oneOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        known = {key: fits(contract, value, key) for key, value in schema["properties"].items()}
        required = {key: known[key] for key in schema.get("required", [])}
        optional = {key: value for key, value in known.items() if key not in required}
        return st.fixed_dictionaries(required, optional=optional).filter(
            lambda value: len(value) >= schema.get("minProperties", 0) and
            ("not" not in schema or contract.is_valid(schema, value)))
    if kind == "string":
        return text_that_fits(contract, schema)
    if kind == "integer":
        return number_that_fits(schema)
    if kind == "boolean":
        return st.booleans()
    assert kind is None, schema
    return ANYTHING


# ---- what breaks a rule ----


@dataclasses.dataclass
class Broken:
    """A body with one fault."""

    body: object
    rule: str
    pointer: str  # of the fault; None if the whole body is wrong


def wrong_kinds(kind):
    """Values of every other JSON type."""
    values = {"string": "7", "integer": 7, "boolean": True, "null": None, "object": {"a": 1},
              "array": [7]}
    if kind != "integer":
        values["number"] = 7.5
    return [value for name, value in values.items() if name != kind]


def breaks(schema, name):
    """(rule, wrong value) for a property's own rules."""
    kind = schema.get("type")
    if kind is None:
        return
    for value in wrong_kinds(kind):
        yield "type", value
    if kind == "integer":
        for value in LONG_INTEGERS + [1e300, 0.5, 12.5, math.pi]:
            yield "range", value
        if "enum" in schema:
            yield from (("enum", value + step) for value in schema["enum"] for step in (1, 5))
        else:
            yield from (("range", value) for value in (schema["minimum"] - 1,
                                                       schema["maximum"] + 1))
    if kind == "string":
        if "enum" in schema:
            yield from (("enum", value) for value in ("", "X", schema["enum"][0].lower(),
                                                      schema["enum"][0] + " "))
            return
        if schema.get("minLength"):
            yield "length", ""
        if "maxLength" in schema:
            yield "length", "a" * (schema["maxLength"] + 1)
            if schema["maxLength"] < 1000:
                yield "length", "\u00e9\U0001f4a1" * (schema["maxLength"] // 2 + 1)
        if "pattern" in schema:
            for nasty in NASTY + ["12:60", "24:00", "1:00", "01:0", "a\n", "/", "..", "22:30\n"]:
                yield "pattern", nasty
                yield "pattern", "a" + nasty
    if name in MEANING:
        yield from (("meaning", value) for value in MEANING[name][1])


def breakable(contract, schema):
    """(rule, property, wrong value) of all errors that a body of this schema can have by one change;
    property None is the body itself."""
    schema = contract.resolve(schema)
    for value in ([], [{}], None, 7, "x", True):
        yield "body", None, value
    for name, found in schema["properties"].items():
        found = contract.resolve(found)
        for rule, value in breaks(found, name):
            if rule in ("type", "meaning") or not contract.is_valid(found, value):
                yield rule, name, value
    for name in schema.get("required", []):
        yield "required", name, None
    for name in ("unknown", "", "__proto__", "Brightness", "id", "a/b", "\u00e9"):
        if not schema["additionalProperties"]:
            yield "additional", name, 1
    if schema.get("minProperties"):
        yield "empty", None, {}


def spoil(body, rule, name, value):
    """A valid body, with this fault."""
    if name is None:
        return Broken(value, rule, "")
    body = {known: kept for known, kept in body.items() if known != name}
    if rule != "required":
        body[name] = value
    return Broken(body, rule, "/" + name.replace("~", "~0").replace("/", "~1"))


def faults(contract, schema):
    """(schema that is chosen, rule, property, wrong value) of all."""
    choices = [contract.resolve(choice)
               for choice in contract.resolve(schema).get("oneOf", [schema])]
    for chosen in choices:
        for rule, name, value in breakable(contract, chosen):
            # Leaving out a property that only one of several schemas requires makes the body fit another
            # one.
            if rule != "required" or all(name in choice["required"] for choice in choices):
                yield chosen, rule, name, value


def broken(contract, schema, all_faults):
    """A strategy for bodies with one fault."""
    strategies = {}
    for chosen, *_ in all_faults:
        strategies.setdefault(id(chosen), fits(contract, chosen))

    @st.composite
    def draw_one(draw):
        chosen, rule, name, value = draw(st.sampled_from(all_faults))
        return spoil(draw(strategies[id(chosen)]), rule, name, value)

    return draw_one()


# ---- anything at all ----


def mixture(contract, schema):
    """Objects with names that the schema knows and values that are right, wrong or odd: the schema decides which."""
    names = {}
    for choice in contract.resolve(schema).get("oneOf", [schema]):
        names |= contract.resolve(choice)["properties"]
    parts = {}
    for name, found in names.items():
        found = contract.resolve(found)
        wrong = [value for _, value in breaks(found, name) if len(str(value)) < 1000]
        options = [fits(contract, found, name)] * 4 + [ANYTHING]
        parts[name] = st.one_of(options + ([st.sampled_from(wrong)] if wrong else []))
    some = st.fixed_dictionaries({}, optional=parts)
    return st.one_of(some, some, st.tuples(some, st.dictionaries(TEXT, SCALARS, max_size=1)).map(
        lambda pair: pair[0] | pair[1]))
