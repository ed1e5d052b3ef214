"""Reads the record tables of C files (include/record/record.h): which columns a record's row has, and
which of them a body may change.

    static const struct record_field device_fields[] = {
        RECORD_ID(struct device, id, .name = "id", .column = "id"), ...
    };
    const struct record device_record = RECORD(struct device, device_fields);

Fields that two tables share stand in a macro whose name ends with _FIELDS:

    #define DEVICE_SHOWN_FIELDS \\
        RECORD_ID(struct device, id, .name = "id", .column = "id"), ...
    static const struct record_field device_fields[] = { DEVICE_SHOWN_FIELDS, ... };

The table is the one place that says so: statements name the record, and their lists of columns and
parameters are made from it. Records that are static are of no use to a statement and are left out.
"""

import os
import re

# The kinds that a column can have, by PostgreSQL's type; the first of a type is the one for rows that
# a statement's header lists.
COLUMN_TYPES = {
    "BOOL": "bool", "INT2": "int2", "INT4": "int4", "INT8": "int8", "STR": "text", "ID": "uuid",
    "BYTES": "bytea", "TIMESTAMP": "timestamptz", "JSON": "text", "CLOCK": "int2",
}
KINDS = {"INT", "ANY", "OPEN", "CLOSE", "ROW", *COLUMN_TYPES}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
SHARED = re.compile(r"^#define (\w+_FIELDS)((?:[^\n]*\\\n)+[^\n]*)", re.MULTILINE)
TABLE = re.compile(r"\bstruct record_field (\w+)\[\] = \{(.*?)\};", re.DOTALL)
RECORD = re.compile(
    r"^const struct record (\w+)_record\s*=\s*RECORD\(struct (\w+),\s+(\w+)[,)]", re.MULTILINE
)
ENTRY = re.compile(r"\s*(?:\[\w+\] =\s*)?RECORD_(\w+)\(")
ARGUMENT = re.compile(r"\.(\w+) = (\"[^\"]*\"|[^,]+)")


class BadTable(Exception):
    """Fault of a table, as a sentence."""


class Record:
    """name: of the C object without "_record"; struct: the struct it describes; header: the public
    header that defines the struct, or None; columns: [(name, type)]; changes: [(name, type)] of those
    that a body may change."""

    def __init__(self, name, struct, header, columns, changes):
        self.name, self.struct, self.header = name, struct, header
        self.columns, self.changes = columns, changes


def read_entry(kind, arguments):
    """Returns (column, type, whether a body may change it), or None for a field that is not in
    rows."""
    if kind not in KINDS:
        raise BadTable(f"RECORD_{kind} is no kind of field")
    options = {key: value.strip().strip('"') for key, value in ARGUMENT.findall(arguments)}
    if "column" not in options:
        return None
    if kind not in COLUMN_TYPES:
        raise BadTable(f"column '{options['column']}' is a RECORD_{kind}: say what a row has,"
                       " as RECORD_INT2 does")
    return options["column"], COLUMN_TYPES[kind], "body" in options


def read_table(text):
    """Returns [(column, type, whether it may change)] of a table's entries."""
    columns = []
    position = 0
    while text[position:].strip(" \t\n,"):
        entry = ENTRY.match(text, position)
        if not entry:
            line = text[position:].strip().split("\n")[0]
            raise BadTable(f"'{line}' is not RECORD_KIND(...)")
        depth, end = 1, entry.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        column = read_entry(entry.group(1), text[entry.end():end - 1])
        if column:
            columns.append(column)
        position = end + (text[end:end + 1] == ",")
    return columns


def read_file(path, include_folder):
    """Returns the records of a C file that have columns."""
    with open(path, encoding="utf-8") as file:
        text = COMMENT.sub(" ", file.read())
    for name, fields in SHARED.findall(text):
        text = re.sub(rf"\b{name}\b", fields.replace("\\\n", "\n").replace("\\", r"\\"), text)
    tables = dict(TABLE.findall(text))
    # A C file begins with the header of its own module.
    first = re.search(r'^#include "([^"]+)"', text, re.MULTILINE)
    header = first and first.group(1)
    if not header or not os.path.exists(os.path.join(include_folder, header)):
        header = None
    for name, struct, table in RECORD.findall(text):
        if table not in tables:
            raise BadTable(f"{name}_record: there is no table {table}[]")
        columns = read_table(tables[table])
        if columns:
            yield Record(name, struct, header, [column[:2] for column in columns],
                         [column[:2] for column in columns if column[2]])


def walk(place):
    """As os.walk(); a file stands for its folder with nothing else."""
    if os.path.isfile(place):
        return [(os.path.dirname(place), [], [os.path.basename(place)])]
    return os.walk(place)


def read_folders(folders, include_folder):
    """Returns {name: Record}, and the files and folders that were read."""
    records, inputs = {}, []
    for folder, subfolders, names in (found for folder in folders for found in walk(folder)):
        subfolders.sort()
        inputs.append(folder)
        for path in (os.path.join(folder, name) for name in sorted(names) if name.endswith(".c")):
            try:
                found = list(read_file(path, include_folder))
            except BadTable as error:
                raise BadTable(f"{path}: {error}") from error
            inputs += [path] if found else []
            for record in found:
                if record.name in records:
                    raise BadTable(f"{path}: there are two records named {record.name}")
                records[record.name] = record
    return records, inputs
