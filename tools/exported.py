"""Settings of docs/api in the export of an account (docs/export.md): none is lost by it.

The schema of the body of each PUT and PATCH says the kind of line that has its properties, or why none has:

    x-displayd-exported: device
    x-displayd-not-exported: its secret belongs to the receivers of this instance

So may other schemas. Each property of a schema with a kind is a member of this line. A property may say:

    x-displayd-exported-as   its names in the line, if they differ from its own; KIND.NAME: of another line
    x-displayd-exported-type its type there, if its column has text: str
    x-displayd-not-exported  why it is not exported

What a property leaves out, the property of the same name in the schema that x-displayd-changes names says.

Members of a body that src/domain/account_line.c does not name are made from the description:

    account_line_records.h   the members of struct account_line_values, and KIND_LINE_FIELDS, the rows of the tables
    account_line_records.c   account_line_columns, by which account_import_settings() of SQL finds their columns
    {exported: kind}         in sql/query/account_export.sql, behind the name of a table: pairs of json_build_object()

Those that account_import_line_apply() names are required, if they are not null: each file has them.
A member that account_line.c names, sql/query/account_export.sql and the newest account_import_line_apply() of sql/schema
and sql/migration name, too.
"""

import functools
import json
import pathlib
import re

import operations
import record_schemas
from record_schemas import PREFIX, fault

LINES, EXPORT, FILE = "src/domain/account_line.c", "sql/query/account_export.sql", "account_line"
TABLES = ("sql/schema", "sql/migration")  # in the order in which a database gets them
IMPORT = re.compile(r"CREATE (?:OR REPLACE )?FUNCTION account_import_line_apply\(")
PAIRS = re.compile(r",?\s*(\w+)\.\{exported: (\w+)\}")
VALUES = {"clock": "json_clock({})"} | {kind: "{}" for kind in ("bool", "int2", "int4", "int8", "str")}  # by kind of field


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


def read_kinds(text):
    """Returns the kinds of lines, whose tables have the made fields."""
    return [name.lower() for name in re.findall(r"\bLINE_OF\(([A-Z]+)\)", text)]


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
    """What exports and imports have. made: {kind: {member: record_schemas.Property}} of the members that are made."""

    def __init__(self, root, documents):
        root = pathlib.Path(root)
        folders = [root / folder for folder in TABLES if (root / folder).exists()]
        newest, imported = read_import(folders)
        self.inputs = [root / LINES, root / EXPORT, *folders, newest]
        lines = (root / LINES).read_text(encoding="utf-8")
        self.lines, self.made = read_lines(lines), {kind: {} for kind in read_kinds(lines)}
        self.places = [
            (EXPORT, read_export((root / EXPORT).read_text(encoding="utf-8"))),
            (newest.relative_to(root), {kind: set(re.findall(r"\w+", text)) for kind, text in imported.items()}),
        ]
        bodies = [(document, schema) for document in documents for schema in self._bodies(document)]
        others = [(document, schema) for document in documents for schema in document.components["schemas"].values()
                  if PREFIX + "exported" in schema]
        for document, schema in bodies:
            self._read(document, schema, True)
        for document, schema in others:
            self._read(document, schema, False)

    def _bodies(self, document):
        for operation in (one for one in document.operations if one.method in ("put", "patch")):
            body = record_schemas.body_schema(document, operation)
            schema = document.component(body["$ref"]) if "$ref" in body else body
            if body and not {PREFIX + "exported", PREFIX + "not-exported"} & set(schema):
                fault(schema, f"{operation.method.upper()} {operation.path} changes this: say by {PREFIX}exported which line "
                      f"of an export has it, or by {PREFIX}not-exported why none has")
            if PREFIX + "exported" in schema:
                yield schema

    def _read(self, document, schema, is_body):
        changed = {}
        if PREFIX + "changes" in schema:
            changed = document.component(f"#/components/schemas/{schema[PREFIX + 'changes']}").get("properties", {})
        for name, said in schema.get("properties", {}).items():
            facts = {**changed.get(name, {}), **said}
            names = facts.get(PREFIX + "exported-as", name)
            for member in [] if PREFIX + "not-exported" in facts else names if isinstance(names, list) else [names]:
                kind, _, member = (member if "." in member else f"{schema[PREFIX + 'exported']}.{member}").partition(".")
                self._check(document, name, (said, facts), kind, member, is_body)

    def _check(self, document, name, property_said, kind, member, is_body):
        said, facts = property_said
        if kind not in self.lines or kind not in self.made:
            fault(said, f"{name}: {LINES} has no line of the kind {kind}")
        if member not in self.lines[kind]:
            if is_body:
                self._make(record_schemas.Property(document, name, facts, False), kind, member, said)
            elif member not in self.made[kind]:
                fault(said, f"{name} is lost by an export: no body of the line {kind} has {member}; else say by "
                      f"{PREFIX}not-exported why")
            return
        for place, members in self.places:
            if member not in members.get(kind, ()):
                fault(said, f"{name} is lost by an export: {place} has no {member} in the line {kind}; else say by "
                      f"{PREFIX}not-exported why")

    def _make(self, one, kind, member, said):
        kind_of_field = one.facts.get("exported-type", one.kind(False))
        if kind_of_field not in VALUES:
            fault(said, f"{one.name} is lost by an export: of the type {kind_of_field} nothing can be made; say its "
                  f"{PREFIX}type, or read {member} in {LINES}")
        column = one.facts.get("column", one.member("", one.kind(False)))
        if column is False:
            fault(said, f"{one.name} is lost by an export: it has no column")
        known = self.made[kind].get(member)
        if known and known.exported != (column, kind_of_field):
            fault(said, f"{one.name}: {member} of the line {kind} is another column elsewhere")
        one.exported = (column, kind_of_field)
        one.is_required = not one.is_nullable and member in self.places[1][1].get(kind, ())
        self.made[kind].setdefault(member, one)

    def header(self):
        text = ("/* Made from docs/api by tools/exported.py: settings in lines of an export. */\n#pragma once\n\n"
                "#include \"record/record.h\"\n\nstruct account_line_values {\n")
        for kind, members in self.made.items():
            for one in members.values():
                c_type = record_schemas.Field(one.exported[1], None, None).c_type()
                text += f"\t{c_type} {kind}_{one.exported[0]};\n"
        text += "};\n\n"
        for kind, members in self.made.items():
            rows = [self._row(kind, member, one) for member, one in members.items()]
            text += f"#define {kind.upper()}_LINE_FIELDS" + "".join(f" \\\n    {row}" for row in rows) + "\n"
        return text + "\n/* {kind: {member: column}} of these, as JSON; of a clock it is [column, \"clock\"]. */\nextern const char account_line_columns[];\n"

    def _row(self, kind, member, one):
        kind_of_field = one.exported[1]
        options = [f'.body = "{member}"'] + ([".required = true"] if one.is_required else []) + one.bounds(kind_of_field)
        options += [f".check = {one.facts['check']}"] if "check" in one.facts and kind_of_field == "str" else []
        return (f"RECORD_{kind_of_field.upper()}(struct account_line, values.{kind}_{one.exported[0]}, "
                f"{', '.join(options)}),")

    def source(self):
        columns = {kind: {member: [one.exported[0], "clock"] if one.exported[1] == "clock" else one.exported[0]
                          for member, one in members.items()} for kind, members in self.made.items() if members}
        lines = json.dumps(columns, indent=1).replace('"', '\\"').splitlines()
        return (f'#include "domain/{FILE}.h"\n\nconst char account_line_columns[] =\n'
                + "\n".join(f'    "{line.strip()}"' for line in lines) + ";\n")

    def with_pairs(self, text):
        """Writes the made members into a statement."""
        def pairs(found):
            return "".join(f",\n\t\t\t\t\t'{member}', {VALUES[one.exported[1]].format(f'{found[1]}.{one.exported[0]}')}"
                           for member, one in self.made[found[2]].items())
        return PAIRS.sub(pairs, text)


@functools.cache
def of_tree():
    """Returns the Export of the tree that this file is in, and the files of docs/api."""
    root = pathlib.Path(__file__).resolve().parent.parent
    documents = [operations.read(root / "docs/api", name) for name in ("pages", "public")]
    return Export(root, documents), [path for document in documents for path in document.files]
