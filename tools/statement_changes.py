"""Finds which rows a write changes that workers keep for answers (include/task/read_cache.h).

Such a write has a line in its header that names the rows: of a device for its settings and its rotation,
of an account for itself and the list of its devices, of an app for its name.

    -- changes: id                    a parameter, uuid or uuid[], or a column of the statement's rows: uuid, or
                                      bytea with 16 bytes for each ID
    -- changes: id, account_id
    -- changes: ids without hints     only this instance learns of it
    -- changes: told                  the statement itself tells all workers: pg_notify() of 'read:<id>'

Whether a write needs the line is read from its text: inserts and deletes rows of TABLES, or sets a column
that an answer shows. So no new statement, and no new setting of a device, can be forgotten.
"""

import re

# Cached answers show all columns of these records, and depend on further columns of their tables.
# An insert counts if cached answers other than those about the new row depend on it.
TABLES = {
    "account": {"records": ["account"], "columns": [], "insert": False},
    "app": {"records": [], "columns": ["name"], "insert": False},
    "device": {"records": ["device_shown"], "columns": ["account_id", "settings_revision"], "insert": True},
    "installation": {"records": ["installation"], "columns": ["device_id", "expires_at", "moved_to", "position"],
                     "insert": True},
}
WRITE = re.compile(r"\b(insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?(\w+)",
                   re.IGNORECASE)
UPSERT = re.compile(r"\bdo\s+update\s+set\b", re.IGNORECASE)
SET = re.compile(r"(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\b", re.IGNORECASE)
SET_END = re.compile(r"\b(from|where|returning)\b", re.IGNORECASE)
TOLD = re.compile(r"\bpg_notify\b.*'[^']*\bread:", re.DOTALL)
NAME = re.compile(r"[a-z][a-z0-9_]*")
WITHOUT_HINTS = " without hints"


class BadChange(Exception):
    """Fault of a header, as a sentence."""


class Change:
    """Parameter or column with the IDs of changed rows, by its number."""

    def __init__(self, index, is_column, is_array, is_hinted):
        self.index, self.is_column = index, is_column
        self.is_array, self.is_hinted = is_array, is_hinted


def split_outside(text, start):
    """Returns the items of the SET list that begins there, up to a keyword outside of brackets that
    ends it."""
    depth, item, items = 0, "", []
    position = start
    while position < len(text):
        c = text[position]
        if depth == 0 and (c == ")" or SET_END.match(text, position) and not text[position - 1].isalnum()):
            break
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            items.append(item)
            item = ""
        else:
            item += c
        position += 1
    return [*items, item]


def columns_set(text, start, changes):
    """Returns the columns that a SET list sets; "*": unknown ones. changes: [column] by the name of a
    parameter that is a record."""
    columns = set()
    for item in split_outside(text, start):
        target = item.partition("=")[0].strip()
        if target.startswith("{"):
            columns |= set(changes.get(target.strip("{} "), ["*"]))
        else:
            columns.add(target if NAME.fullmatch(target) else "*")
    return columns


def shown_columns(table, records):
    shown = set(TABLES[table]["columns"])
    for name in TABLES[table]["records"]:
        if name in records:
            shown |= {column for column, _ in records[name].columns}
    return shown


def needs_line(code, records, changes):
    """Returns the table whose shown data the statement changes, or None. code: its text without strings
    and comments."""
    for write in WRITE.finditer(code):
        verb, table = write.group(1).split()[0].lower(), write.group(2)
        if table not in TABLES:
            continue
        if verb in ("delete", "merge", "truncate") or verb == "insert" and TABLES[table]["insert"]:
            return table
        if verb == "insert":
            next_write = WRITE.search(code, write.end())
            begin = UPSERT.search(code, write.end())
            if not begin or next_write and next_write.start() < begin.start() and \
                    next_write.group(1).lower() != "update":
                continue
        else:
            begin = SET.match(code, write.end())
        columns = columns_set(code, begin.end(), changes) if begin else {"*"}
        if "*" in columns or columns & shown_columns(table, records):
            return table
    return None


def read_change(text, parameters, columns):
    name = text.removesuffix(WITHOUT_HINTS).strip()
    for is_column, fields in ((False, parameters), (True, columns)):
        for index, (field, kind) in enumerate(fields):
            if field != name:
                continue
            if kind not in (("uuid", "bytea") if is_column else ("uuid", "uuid[]")):
                raise BadChange(f"'{name}' in changes is no ID")
            return Change(index, is_column, kind.endswith("[]"), not text.endswith(WITHOUT_HINTS))
    raise BadChange(f"'{name}' in changes is neither a parameter nor a column")


def read_changes(values, statement, code, text, records):
    """Returns [Change] of the header's lines. code: the text without strings and comments."""
    changes = {item.name: [column for column, _ in item.record.changes]
               for item in statement["members"] if item.record}
    items = [item.strip() for value in values for item in value.split(",")]
    table = needs_line(code, records, changes) if statement["effect"] == "write" else None
    if items and statement["effect"] != "write":
        raise BadChange("a read changes nothing")
    if table and not items:
        raise BadChange(f"the header needs a line 'changes:', as answers show what it changes of '{table}'"
                        " (tools/statement_changes.py)")
    if items == ["told"]:
        if not TOLD.search(text):
            raise BadChange("'changes: told', and it sends no hint 'read:<id>'")
        return []
    return [read_change(item, statement["parameters"], statement["columns"]) for item in items]
