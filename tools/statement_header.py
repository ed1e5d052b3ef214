"""Reads the header of a SQL file (include/db/statement.h): its keys, parameters, rows and constraint errors."""

import re

# OIDs from PostgreSQL's catalog/pg_type.dat; they never change.
TYPES = {
    "bool": 16, "bytea": 17, "int8": 20, "int2": 21, "int4": 23, "text": 25, "float8": 701,
    "macaddr": 829, "timestamptz": 1184, "uuid": 2950,
    "int8[]": 1016, "text[]": 1009, "timestamptz[]": 1185, "uuid[]": 2951,
    "bytea[]": 1001, "float8[]": 1022,
}
# A whole row as one value: its columns follow in the value, each with its type.
RECORD = "record"
# Types of columns.
OIDS = TYPES | {RECORD: 2249}
# Types of parameters that may be absent (NULL), marked by a "?" after the type.
MAY_BE_ABSENT = ("text", "bytea", "macaddr")
KEYS = ("params", "row", "effect", "work", "refuse", "batches", "commit", "alone", "changes", "connection", "rare", "list",
        "search")

WRITES = re.compile(
    r"\b(insert|update|delete|merge|truncate|create|alter|drop|call|lock|share|nextval|pg_notify)\b",
    re.IGNORECASE,
)
NAME = re.compile(r"[a-z][a-z0-9_]*")
CONSTRAINT = re.compile(r"[a-z_][a-z0-9_]*|[0-9A-Z]{2}([0-9A-Z]{3})?")
# Parts of SQL that are not code: comments, strings, quoted names, dollar-quoted bodies.
OPAQUE = re.compile(
    r"--[^\n]*|/\*.*?\*/|[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
    r"|(\$(?:[A-Za-z_]\w*)?\$).*?\1",
    re.DOTALL,
)


class Disagreement(Exception):
    """Fault of a file, as a sentence."""


def code_of(text):
    """Returns the text without all opaque parts."""
    return OPAQUE.sub(lambda match: " ", text)


def split_header(text):
    """Returns the comment lines at the start of a file, without their dashes, and the rest."""
    lines = text.split("\n")
    header = []
    while lines and lines[0].startswith("--"):
        header.append(lines.pop(0)[2:].strip())
    return header, "\n".join(lines).strip()


def read_header(lines):
    """Returns ({key: [value, ...]}, description); a value that ends with a comma continues in the
    next line."""
    fields = {key: [] for key in KEYS}
    description = []
    open_key = None
    for line in lines:
        match = re.match(r"([a-z]+):\s*(.*)", line)
        if open_key:
            if match:
                raise Disagreement(f"'{open_key}' ends with a comma")
            fields[open_key][-1] += " " + line
            key = open_key
        elif match:
            key, value = match.groups()
            if key not in fields:
                raise Disagreement(f"'{key}:' is none of {', '.join(KEYS)}")
            fields[key].append(value)
        else:
            description.append(line)
            continue
        open_key = key if fields[key][-1].endswith(",") else None
    if open_key:
        raise Disagreement(f"'{open_key}' ends with a comma")
    if not any(description):
        raise Disagreement("the header does not say what the statement does")
    return fields, description


def read_effect(values, code):
    """Returns read or write: a statement without a word that writes is a read, unless its functions write."""
    if len(values) > 1:
        raise Disagreement("the header has more than one 'effect:'")
    effect = values[0] if values else "write" if WRITES.search(code) else "read"
    if effect not in ("read", "write"):
        raise Disagreement(f"effect is '{effect}', must be read or write")
    return effect


class Item:
    """A name in params: or row:. kind: a type, or None if it names a record; optional: it may be NULL.
    is_packed: the record comes as one column."""

    def __init__(self, name, kind, optional=False, record=None, is_packed=False):
        self.name, self.kind, self.optional, self.record, self.is_packed = name, kind, optional, record, is_packed


def read_item(words, what, records):
    name = words[0] if words else ""
    is_packed = len(words) == 1 and what == "row" and name.startswith("(") and name.endswith(")")
    if is_packed:
        name = words[0] = name[1:-1]
    if not NAME.fullmatch(name) or len(words) > 2 or (len(words) == 1 and what == "params"):
        raise Disagreement(f"'{' '.join(words)}' in {what} is not a name and a type")
    kind = words[-1]
    optional = kind.endswith("?")
    kind = kind.rstrip("?")
    if len(words) == 2 and kind in TYPES:
        if optional and what == "params" and kind not in MAY_BE_ABSENT:
            raise Disagreement(f"'{name}' may not be absent: only {', '.join(MAY_BE_ABSENT)} may,"
                               " and the fields of a record")
        return Item(name, kind, optional)
    if kind not in records or optional or (len(words) == 2 and what == "row"):
        raise Disagreement(f"unknown type '{kind}' in {what}" if len(words) == 2
                           else f"'{kind}' in {what} is neither a record nor a name and a type")
    return Item(name, None, record=records[kind], is_packed=is_packed)


def read_items(values, what, records):
    """Returns [Item, ...] of params: and row: lines."""
    items = []
    values = [value for value in values if value]
    for text in ",".join(values).split(",") if values else []:
        item = read_item(text.split(), what, records)
        if item.name in (other.name for other in items):
            raise Disagreement(f"'{item.name}' stands twice in {what}")
        items.append(item)
    return items


def parameters_of(items):
    """Returns [(name, type), ...] as PostgreSQL counts them: each field of a record separately."""
    parameters = []
    for item in items:
        if not item.record:
            parameters.append((item.name, item.kind))
            continue
        if not item.record.changes:
            raise Disagreement(f"no field of '{item.record.name}' is in both rows and bodies")
        parameters += [(f"{item.name}.{column}", kind) for column, kind in item.record.changes]
    return parameters


def columns_of(items):
    columns = []
    for item in items:
        if item.is_packed:
            columns.append((item.name, RECORD))
        else:
            columns += item.record.columns if item.record else [(item.name, item.kind)]
    for name, _ in columns:
        if [column for column, _ in columns].count(name) > 1:
            raise Disagreement(f"'{name}' stands twice in row")
    return columns


def read_refusals(values):
    """Returns [(constraint, problem), ...]."""
    refusals = []
    for value in values:
        for item in value.split(","):
            constraint, arrow, problem = (part.strip() for part in item.partition("->"))
            if not arrow or not CONSTRAINT.fullmatch(constraint) or not NAME.fullmatch(problem):
                raise Disagreement(f"'{item.strip()}' is not 'constraint -> problem'")
            if constraint in (other for other, _ in refusals):
                raise Disagreement(f"'{constraint}' is refused twice")
            refusals.append((constraint, problem))
    return refusals
