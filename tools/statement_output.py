"""Output of tools/generate_statements.py: C headers and tables.

ids: the enums of statements and constraint errors. calls: for each statement a struct of its parameters, one of
its row where its header lists columns, and a function that binds the one and types the other:

    struct device_update_parameters { struct id id; ... };
    statement_device_update(query, &(struct device_update_parameters){.id = id, ...}, &device);

The function of a list chooses among the statements of its file (tools/statement_lists.py):

    statement_own_app_list(query, &(struct own_app_list_parameters){.account_id = id}, range);

source: the table.
"""

import os

import record_tables
import statement_lists
from statement_header import OIDS

MADE_BY = "/* Made by tools/generate_statements.py. */"
# By a parameter's type: the member's C type, and the function that adds it.
MEMBERS = {
    "bool": ("bool ", "bool"), "int2": ("int16_t ", "int2"), "int4": ("int32_t ", "int4"),
    "int8": ("int64_t ", "int8"), "float8": ("double ", "float8"), "text": ("struct str ", "text"),
    "bytea": ("struct str ", "bytes"), "macaddr": ("struct str ", "bytes"),
    "uuid": ("struct id ", "id"), "timestamptz": ("int64_t ", "timestamp"),
    "uuid[]": ("struct db_ids ", "id_array"), "int8[]": ("struct db_numbers ", "int8_array"),
    "timestamptz[]": ("struct db_numbers ", "timestamp_array"),
    "text[]": ("struct db_texts ", "text_array"),
}
# By a column's type: the member's C type, and the kind of record field.
COLUMNS = {
    "bool": "bool ", "int2": "int64_t ", "int4": "int64_t ", "int8": "int64_t ",
    "text": "struct str ", "uuid": "struct id ", "bytea": "struct str ", "timestamptz": "int64_t ",
}
LIST_PARTS = {"row_limit": "db_add_int8(&query->parameters, limit);"}
FIELD_KINDS = {}
for _kind, _type in record_tables.COLUMN_TYPES.items():
    FIELD_KINDS.setdefault(_type, _kind)


def c_string(text, indent="\t    "):
    """Returns a C string literal, with one line for each line of the text."""
    lines = text.split("\n")
    quoted = []
    for number, line in enumerate(lines):
        line = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        line = line.replace("\r", "\\r").replace("??", "?\\?")
        quoted.append(f'"{line}' + ('\\n"' if number < len(lines) - 1 else '"'))
    return f"\n{indent}".join(quoted)


def c_bool(value):
    return "true" if value else "false"


class Output:
    def __init__(self, statements, records, prefix, types):
        self.statements, self.records, self.types = statements, records, types
        self.prefix, self.upper = prefix, prefix.upper()

    def ids(self):
        problems = sorted({problem for s in self.statements for _, problem in s["refusals"]})
        lines = [MADE_BY, "#pragma once", "", f"enum {self.prefix}statement {{"]
        lines += [f"\t{self.constant(s)}," for s in self.statements]
        lines += [f"\t{self.upper}STATEMENT_COUNT", "};", "", f"enum {self.prefix}constraint_error {{"]
        lines += [f"\t{self.upper}CONSTRAINT_NONE,"]
        lines += [f"\t{self.upper}CONSTRAINT_{problem.upper()}," for problem in problems]
        lines += [f"\t{self.upper}CONSTRAINT_COUNT", "};", ""]
        return "\n".join(lines)

    def constant(self, statement):
        return f"{self.upper}STATEMENT_{statement['name'].upper()}"

    # ---- calls ----

    def row_of(self, statement):
        """Returns (struct, record, whether both are generated here), or None if the row fits no
        record."""
        row = statement["row"]
        if len(row) == 1 and row[0].record:
            return row[0].record.struct, f"{row[0].record.name}_record", False
        if not row or any(item.kind not in COLUMNS for item in row if not item.record):
            return None
        name = f"{self.prefix}{statement['name']}_row"
        return name, f"{name}_record", True

    def called(self):
        """Returns the statements that are called; the others replace executions of one of them."""
        return [statement for statement in self.statements
                if not statement["batches"] and not statement.get("stands_for")]

    def calls(self):
        rows = [(s, self.row_of(s)) for s in self.called()]
        named = sorted({row[:2] for _, row in rows if row and not row[2]} | {
            (item.record.struct, f"{item.record.name}_record")
            for s in self.called() for item in s["members"] if item.record})
        embedded = sorted({item.record.header for s, row in rows if row and row[2]
                           for item in s["row"] if item.record})
        lines = [MADE_BY, "#pragma once", "", '#include "base/limits.h"', '#include "db/list_range.h"',
                 '#include "db/parameters.h"', '#include "db/query.h"']
        lines += [f'#include "{header}"' for header in embedded] + [""]
        for struct, record in named:
            lines += [f"struct {struct};", f"extern const struct record {record};"]
        for statement, row in rows:
            lines += ["", *self.call(statement, row)]
        return "\n".join([*lines, ""])

    def call(self, statement, row):
        name, members = statement["name"], statement["members"]
        parameters = f"{self.prefix}{name}_parameters"
        lines = []
        if members:
            lines += [f"struct {parameters} {{", *map(self.member, members), "};"]
        if row and row[2]:
            lines += [f"struct {row[0]} {{", *map(self.row_member, statement["row"]), "};",
                      f"extern const struct record {row[1]};"]
        arguments = ["struct db_query *query"]
        arguments += [f"const struct {parameters} *parameters"] if members else []
        if "list" in statement:
            return [*lines, *self.list_call(statement, row, arguments)]
        arguments += [f"struct {row[0]} *ret_row"] if row else []
        lines += ["/* " + "\n * ".join(statement["description"]) + " */",
                  f"static inline void {self.prefix}statement_{name}({', '.join(arguments)})", "{"]
        target = f"&{row[1]}, ret_row" if row else "NULL, NULL"
        lines.append(f"\tdb_query_begin(query, (enum statement){self.constant(statement)}, {target});")
        return [*lines, *map(self.add, members), *self.alone(statement), "}"]

    def list_call(self, statement, row, arguments):
        """Lists the lines of the function that reads a range of a list: the search before the part, the part
        before the beginning."""
        name, the_list = f"{self.prefix}{statement['name']}", statement["list"]
        lines = [f"extern const struct list_order {name}_order;",
                 "/* " + "\n * ".join(statement["description"]) + " */",
                 f"static inline void {self.prefix}statement_{statement['name']}"
                 f"({', '.join([*arguments, 'const struct list_range *range'])})", "{",
                 "\tint64_t limit = range->limit ? range->limit : LIMIT_LIST_SHORT + 1;", ""]
        for kind in reversed(the_list.kinds):
            given = " || ".join(f"parameters->{name}.{'count' if of_type.endswith('[]') else 'length'}"
                                for name, of_type in the_list.own[kind])
            condition = {"part": f"range->limit || {given}" if given else "range->limit", "search": given}.get(kind)
            condition = None if kind == the_list.kinds[0] else condition
            tab = "\t\t" if condition else "\t"
            lines += [f"\tif ({condition}) {{"] if condition else []
            lines.append(f"{tab}db_query_begin(query, (enum statement){self.constant(the_list.statements[kind])}, &{row[1]}, NULL);")
            for item in the_list.statements[kind]["members"]:
                lines.append(f"{tab}{LIST_PARTS.get(item.name) or self.list_part(item, the_list) or self.add(item).strip()}")
            lines += ["\t\treturn;", "\t}"] if condition else ["}"]
        return lines

    @staticmethod
    def list_part(item, the_list):
        """Returns the line that adds a parameter of the list position, or None."""
        if (item.name, item.kind) not in the_list.parameters():
            return None
        return f"db_add_{MEMBERS[item.kind][1]}(&query->parameters, range->after.{statement_lists.KINDS[item.kind]});"

    def order(self, statement):
        columns = ", ".join(f'"{column}"' for _, column, _ in statement["list"].keys)
        start = statement["list"].start()
        return (f"const struct list_order {self.prefix}{statement['name']}_order = {{\n\t.columns = {{{columns}}},"
                + (f"\n\t.start = {{{start}}}," if start else "") + "\n};")

    def alone(self, statement):
        """Lists the statements that run instead of a change if only one column is given."""
        if not statement["alone"]:
            return []
        change = next(item for item in statement["members"] if item.record)
        lines = ["\tdb_query_alone(query, (const struct db_alone[]){"]
        lines += [f'\t\t{{"{column}", (enum statement){self.constant(statement)}_{column.upper()}}},'
                  for column in statement["alone"]]
        return [*lines, f"\t}}, {len(statement['alone'])}, &{change.record.name}_record,"
                        f" parameters->{change.name}_present);"]

    @staticmethod
    def member(item):
        if item.record:
            return (f"\tconst struct {item.record.struct} *{item.name};\n"
                    f"\tuint64_t {item.name}_present; /* bit i: field i is there, others stay */")
        optional = " /* NULL: absent */" if item.optional else ""
        return f"\t{MEMBERS[item.kind][0]}{item.name};{optional}"

    @staticmethod
    def row_member(item):
        if item.record:
            return f"\tstruct {item.record.struct} {item.name};"
        return f"\t{COLUMNS[item.kind]}{item.name};"

    @staticmethod
    def add(item):
        value = f"parameters->{item.name}"
        if item.record:
            return (f"\tdb_add_changes(&query->parameters, &{item.record.name}_record, {value},"
                    f" {value}_present);")
        _, verb = MEMBERS[item.kind]
        if verb.endswith("_array"):
            value = f"{value}.list, {value}.count"
        call = f"db_add_{verb}(&query->parameters, {value});"
        if not item.optional:
            return f"\t{call}"
        return f"\tif ({value}.data)\n\t\t{call}\n\telse\n\t\tdb_add_null(&query->parameters);"

    # ---- source ----

    def source(self, ids, calls):
        lines = [MADE_BY, '#include "db/statement.h"', '#include "record/record.h"']
        here = [os.path.basename(ids)] if self.prefix else []
        folder = "" if self.prefix else "db/"
        lines += [f'#include "{name}"' for name in [*here, folder + os.path.basename(calls)]]
        if self.prefix:
            lines.append(f"extern const struct statement_entry {self.prefix}statements[];")
        entries = []
        called = self.called()
        for statement in self.statements:
            row = None if statement not in called else self.row_of(statement)
            arrays, entry = self.entry(statement)
            lines += ["", *arrays, *(self.record(statement, row) if row and row[2] else [])]
            lines += [self.order(statement)] if "list" in statement else []
            entries.append(entry)
        size = f"{self.upper}STATEMENT_COUNT"
        lines += ["", f"const struct statement_entry {self.prefix}statements[{size}] = {{", *entries,
                  "};", ""]
        return "\n".join(lines)

    @staticmethod
    def record(statement, row):
        struct, record, _ = row
        lines = [f"static const struct record_field {struct}_fields[] = {{"]
        for item in statement["row"]:
            if item.record:
                lines.append(f"\tRECORD_ROW(struct {struct}, {item.name}, &{item.record.name}_record),")
                continue
            nullable = ", .nullable = true" if item.optional else ""
            lines.append(f'\tRECORD_{FIELD_KINDS[item.kind]}(struct {struct}, {item.name},'
                         f' .column = "{item.name}"{nullable}),')
        return [*lines, "};", f"const struct record {record} = RECORD(struct {struct}, {struct}_fields);"]

    def entry(self, statement):
        """Returns the arrays to which the table's entry points, and the entry."""
        name = statement["name"]
        arrays = []
        entry = [f'\t\t.name = "{name}",', f"\t\t.text = {c_string(statement['text'])},",
                 f"\t\t.effect = EFFECT_{statement['effect'].upper()},"]
        entry += [f"\t\t.{flag} = true," for flag in ("shares_commit", "is_apart", "is_for_ctl", "grows") if statement[flag]]

        def add(kind, member, count, values):
            if not values:
                return
            body = "".join(f"\n\t{value}," for value in values)
            arrays.append(f"static {kind} {name}_{member}[] = {{{body}\n}};")
            entry.append(f"\t\t.{count} = {len(values)},")
            entry.append(f"\t\t.{member} = {name}_{member},")

        add("const unsigned", "parameter_types", "parameter_count",
            [f"{self.types[kind]} /* {field} {kind} */" for field, kind in statement["parameters"]])
        add("const unsigned", "column_types", "column_count",
            [f"{OIDS[kind]} /* {field} {kind} */" for field, kind in statement["columns"]])
        if statement["columns"]:
            names = "".join(f'\n\t"{field}",' for field, _ in statement["columns"])
            arrays.append(f"static const char *const {name}_column_names[] = {{{names}\n}};")
            entry.append(f"\t\t.column_names = {name}_column_names,")
        add("const struct statement_constraint", "constraints", "constraint_count",
            [f'{{"{constraint}", (enum constraint_error){self.upper}CONSTRAINT_{problem.upper()}}}'
             for constraint, problem in statement["refusals"]])
        add("const struct statement_change", "changes", "change_count",
            [f"{{.index = {change.index}, .is_column = {c_bool(change.is_column)},"
             f" .is_array = {c_bool(change.is_array)}, .is_hinted = {c_bool(change.is_hinted)}}}"
             for change in statement["changes"]])
        if "batched_by" in statement:
            many = f"{self.prefix}statements[{self.upper}STATEMENT_{statement['batched_by'].upper()}]"
            entry.append(f"\t\t.batched_by = &{many},")
        return arrays, "\n".join([f"\t[{self.constant(statement)}] = {{", *entry, "\t},"])
