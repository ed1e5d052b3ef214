"""Holds the settings of docs/api against the export of an account (docs/export.md), so that none is lost by it.

The schema of the body of each PUT and PATCH says the kind of line that has its properties, or why none has:

    x-displayd-exported: device
    x-displayd-not-exported: its secret belongs to the receivers of this instance

So may other schemas. Each property of a schema with a kind is a member of this line. A property may say:

    x-displayd-exported-as   its names in the line, if they differ from its own; KIND.NAME: of another line
    x-displayd-not-exported  why it is not exported

What a property leaves out, the property of the same name in the schema that x-displayd-changes names says. A line
has a member if three places name it: src/domain/account_line.c, which reads it, sql/query/account_export.sql, which
writes it, and the newest account_import_line_apply() of sql/schema and sql/migration, which makes rows of it.
"""

import pathlib
import re

import operations
import record_schemas
from record_schemas import PREFIX, fault

LINES, EXPORT = "src/domain/account_line.c", "sql/query/account_export.sql"
TABLES = ("sql/schema", "sql/migration")  # in the order in which a database gets them
IMPORT = re.compile(r"CREATE (?:OR REPLACE )?FUNCTION account_import_line_apply\(")


def braced(text, start):
    """Returns the text from an opening parenthesis to its end."""
    depth, end = 0, start
    while True:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return text[start:end]


def read_lines(text):
    """Returns {kind: names of the members that account_line.c reads}."""
    macros = {name: set(re.findall(r'"(\w+)"', body)) for name, body in
              re.findall(r"^#define (\w+)((?:[^\n]*\\\n)*[^\n]*)", text, re.M)}
    members = {}
    for kind, table in re.findall(r"struct record_field (\w+)_fields\[\] = \{(.*?)\};", text, re.S):
        members[kind] = set(re.findall(r'"(\w+)"', table))
        for word in re.findall(r"\b[A-Z_]+\b", table):
            members[kind] |= macros.get(word, set())
    return members


def read_export(text):
    """Returns {kind: names of the members that the statement writes}."""
    return {found[1]: set(re.findall(r"'(\w+)',", braced(text, found.start() + len("json_build_object"))))
            for found in re.finditer(r"json_build_object\('kind', '(\w+)'", text)}


def read_import(folders):
    """Returns the newest file that defines the function, and {kind: its text for the kind}."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.sql"))
             if IMPORT.search(path.read_text(encoding="utf-8"))]
    if not paths:
        raise operations.Fault(f"{' and '.join(TABLES)} have no account_import_line_apply()")
    text = IMPORT.split(paths[-1].read_text(encoding="utf-8"))[-1]
    parts = re.split(r"^\tWHEN '(\w+)' THEN$", text[:text.index("END CASE")], flags=re.M)
    return paths[-1], dict(zip(parts[1::2], parts[2::2]))


class Export:
    """What exports and imports have."""

    def __init__(self, root):
        root = pathlib.Path(root)
        folders = [root / folder for folder in TABLES if (root / folder).exists()]
        self.newest, imported = read_import(folders)
        self.inputs = [root / LINES, root / EXPORT, *folders, self.newest]
        self.places = [
            (LINES, read_lines((root / LINES).read_text(encoding="utf-8"))),
            (EXPORT, read_export((root / EXPORT).read_text(encoding="utf-8"))),
            (self.newest.relative_to(root), {kind: set(re.findall(r"\w+", text)) for kind, text in imported.items()}),
        ]

    def check(self, said, name, kind, member):
        kind, _, member = member.rpartition(".") if "." in member else (kind, "", member)
        for place, members in self.places:
            if kind not in members:
                fault(said, f"{name}: {place} has no line of the kind {kind}")
            if member not in members[kind]:
                fault(said, f"{name} is lost by an export: {place} has no {member} in the line {kind}; else say by "
                      f"{PREFIX}not-exported why")


def check_schema(export, document, schema):
    kind = schema[PREFIX + "exported"]
    changed = document.component(f"#/components/schemas/{schema[PREFIX + 'changes']}") if PREFIX + "changes" in schema else {}
    for name, said in schema.get("properties", {}).items():
        facts = {**changed.get("properties", {}).get(name, {}), **said}
        if PREFIX + "not-exported" in facts:
            continue
        names = facts.get(PREFIX + "exported-as", name)
        for member in names if isinstance(names, list) else [names]:
            export.check(said, name, kind, member)


def check(root, documents):
    """Checks all schemas. Returns the files that were read."""
    export = Export(root)
    for document in documents:
        for operation in (one for one in document.operations if one.method in ("put", "patch")):
            body = record_schemas.body_schema(document, operation)
            schema = document.component(body["$ref"]) if "$ref" in body else body
            if body and not {PREFIX + "exported", PREFIX + "not-exported"} & set(schema):
                fault(schema, f"{operation.method.upper()} {operation.path} changes this: say by {PREFIX}exported which line "
                      f"of an export has it, or by {PREFIX}not-exported why none has")
        for schema in document.components["schemas"].values():
            if PREFIX + "exported" in schema:
                check_schema(export, document, schema)
    return export.inputs
