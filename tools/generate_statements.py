#!/usr/bin/env python3
"""Makes C tables of the SQL files, or stops the build where a file disagrees with itself or with the
records that it names.

    generate_statements.py statements FOLDER --ids H --calls H --source C [--lists SQL] [--prefix test_]
        [--include FOLDER --records FOLDER ...] [--depfile D]
    generate_statements.py print FILE [--records FOLDER ...]

include/db/statement.h and include/db/migrate.h say what the files look like. Records are read from the
C files of the folders (tools/record_tables.py). The depfile names the folders too, so that a new file
is noticed without a line anywhere. "print" shows the statements of a file as PostgreSQL gets them. The file
of --lists shows those that tools/statement_lists.py makes.
"""

import argparse
import os
import re
import sys

import exported
import record_tables
import statement_changes
import statement_lists
import statement_notify
import statement_output
from statement_header import (NAME, OPAQUE, TYPES, WRITES, Disagreement, code_of, columns_of, parameters_of, read_effect,
                              read_header, read_items, read_refusals, split_header)

PARAMETERS_MAX = 72  # DB_PARAMETERS_MAX of include/db/parameters.h

PARAMETER = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")
DEVICES = ("device", "device_shown")  # records whose rows are those of the table device
PLACEHOLDER = re.compile(r"(?:(\w+)\.)?\{(\w+)\}")
WORK = re.compile(r"bounded|grows with [a-z][a-z' ]*[a-z]")
# Writes of workers whose work may grow: the removal of an account runs them one after the other,
# and pauses after each for as long as it took. Also those that only the operator runs.
MAY_GROW = re.compile(r"account_removal_\w+|account_closed_next|account_recount|devices_create|app_collection_choose")


def check_text(text, effect):
    code = code_of(text)
    if not code.strip():
        raise Disagreement("there is no statement")
    if ";" in code:
        raise Disagreement("more than one statement")
    if re.search(r"\$\d", code):
        raise Disagreement("parameters have names: write :name")
    write = WRITES.search(code)
    if effect == "read" and write:
        raise Disagreement(f"'{write.group()}' in a statement with effect: read")


def last_online(prefix, has_name):
    """Returns when a device was last online: one that a process holds is online as long as that is seen."""
    text = (f"greatest({prefix}last_online_at, "
            f"(SELECT presence.seen_at FROM presence WHERE presence.id = {prefix}online_by))")
    return f"{text} AS last_online_at" if has_name else text


class Expansion:
    """Writes a statement in PostgreSQL's syntax: parameters by number, records as their columns.
    alone: the only column of a change; None: any column may be absent."""

    def __init__(self, parameters, items, records, alone=None):
        self.numbers = {name: f"${number}" for number, (name, _) in enumerate(parameters, 1)}
        self.changes = {item.name: item.record for item in items if item.record}
        self.records = records
        self.alone = alone
        self.used = set()

    def parameter(self, match):
        name = match.group(1)
        if name not in self.numbers:
            raise Disagreement(f"':{name}' is none of the parameters")
        self.used.add(name)
        return self.numbers[name]

    def placeholder(self, match):
        table, name = match.groups()
        if name in self.changes and not table:
            fields = [column for column, _ in self.changes[name].changes]
            self.used |= {f"{name}.{field}" for field in fields}
            if self.alone:
                return f"{self.alone} = {self.numbers[f'{name}.{self.alone}']}"
            return ",\n\t".join(
                f"{field} = coalesce({self.numbers[f'{name}.{field}']}, {field})" for field in fields)
        if name not in self.records:
            raise Disagreement(f"'{{{name}}}' is no record")
        prefix = f"{table}." if table else ""
        names = not match.string.endswith("ROW(", 0, match.start())
        return ", ".join(last_online(prefix, names) if name in DEVICES and column == "last_online_at" else prefix + column
                         for column, _ in self.records[name].columns)

    def code(self, text):
        return PLACEHOLDER.sub(self.placeholder, PARAMETER.sub(self.parameter, text))

    def text(self, text):
        pieces, position = [], 0
        for opaque in OPAQUE.finditer(text):
            pieces += [self.code(text[position:opaque.start()]), opaque.group()]
            position = opaque.end()
        text = "".join([*pieces, self.code(text[position:])])
        for name in self.numbers:
            if name not in self.used:
                raise Disagreement(f"parameter '{name}' is not used")
        return text


def read_work(values):
    """Whether the work grows with data of other accounts."""
    if len(values) > 1 or not all(map(WORK.fullmatch, values)):
        raise Disagreement("work is bounded, or one 'work: grows with THINGS'")
    return bool(values) and values[0] != "bounded"


def check_growth(statement):
    """Rejects growing work that is not scheduled by account: in workers only reads are."""
    if not statement["grows"] or statement["is_for_ctl"] or statement["is_apart"]:
        return
    if statement["effect"] == "write" and not MAY_GROW.fullmatch(statement["name"]):
        raise Disagreement("a write of workers must be bounded")
    if statement["batches"]:
        raise Disagreement("a batched read must be bounded")


def read_changes(values, statement, body, records):
    try:
        return statement_changes.read_changes(values, statement, code_of(body), body, records)
    except statement_changes.BadChange as error:
        raise Disagreement(str(error)) from error


def check_notify(body, reasons):
    try:
        statement_notify.check_statement(body, reasons)
    except statement_notify.BadNotify as error:
        raise Disagreement(str(error)) from error


def read_statement(name, text, records):
    if not NAME.fullmatch(name):
        raise Disagreement("the file's name may hold a-z, 0-9 and _ only")
    if not text.isascii() or "\0" in text:
        raise Disagreement("only ASCII, please")
    lines, body = split_header(text)
    fields, description = read_header(lines)
    effect = read_effect(fields["effect"], code_of(body))
    if fields["connection"] not in ([], ["own"]):
        raise Disagreement("'connection:' may be own, and nothing else")
    if fields["connection"] and (fields["commit"] or fields["batches"]):
        raise Disagreement("a statement with a connection of its own shares nothing")
    if fields["commit"] not in ([], ["shared"]):
        raise Disagreement("'commit:' may be shared, and nothing else")
    if fields["commit"] and effect != "write":
        raise Disagreement("a read has nothing to commit")
    members = read_items(fields["params"], "params", records)
    row = read_items(fields["row"], "row", records)
    statement = {
        "name": name,
        "description": description,
        "effect": effect,
        "grows": read_work(fields["work"]),
        "members": members,
        "parameters": parameters_of(members),
        "row": row,
        "columns": columns_of(row),
        "refusals": read_refusals(fields["refuse"]),
        "batches": fields["batches"],
        "shares_commit": bool(fields["commit"]),
        "is_apart": bool(fields["connection"]),
    }
    if statement["shares_commit"] and not statement["parameters"]:
        raise Disagreement("the first parameter says which row it changes, and there is none")
    if statement["shares_commit"] and "set_config" in body:
        raise Disagreement("a setting would hold for the others that share the commit")
    if len(statement["parameters"]) > PARAMETERS_MAX:
        raise Disagreement(f"more than {PARAMETERS_MAX} parameters")
    check_text(body[:-1] if body.endswith(";") else body, effect)
    body = body[:-1].rstrip() if body.endswith(";") else body
    statement["changes"] = read_changes(fields["changes"], statement, body, records)
    check_notify(body, fields["rare"])
    statement["text"] = Expansion(statement["parameters"], members, records).text(body)
    statement["alone"] = {
        column: Expansion(statement["parameters"], members, records, column).text(body)
        for column in read_alone(fields["alone"], members)}
    return statement


def read_file(name, text, records):
    """Returns the statements of a file, and {name: text} of those of a list."""
    if exported.PAIRS.search(text):
        text = exported.of_tree()[0].with_pairs(text)
    lines, body = split_header(text)
    fields, description = read_header(lines)
    try:
        row = columns_of(read_items(fields["row"], "row", records))
        the_list = statement_lists.read_list(name, fields, row, read_effect(fields["effect"], code_of(body)))
        if not the_list:
            statement = read_statement(name, text, records)
            return [statement, *those_alone(statement)], {}
        files = statement_lists.made_files(name, fields, description, body, the_list)
    except statement_lists.BadList as error:
        raise Disagreement(str(error)) from error
    for kind, (made, one) in zip(the_list.kinds, files.items()):
        the_list.statements[kind] = read_statement(made, one, records) | {"stands_for": name}
    called = {"list": the_list, "members": read_items(fields["params"], "params", records), "stands_for": None}
    first, *others = the_list.statements.values()
    return [first | called, *others], files


def read_alone(values, members):
    """Returns [column, ...] of the changes that often come alone."""
    changes = [item.record.changes for item in members if item.record]
    columns = [column.strip() for value in values for column in value.split(",")]
    if columns and len(changes) != 1:
        raise Disagreement("'alone:' needs one parameter that is a record")
    for column in columns:
        if column not in (name for name, _ in changes[0]) or columns.count(column) > 1:
            raise Disagreement(f"'{column}' in alone is none of the columns of the change, or stands twice")
    return columns


def those_alone(statement):
    """Returns the statements that change one column, which are called like the one that may change
    all."""
    return [statement | {"name": f"{statement['name']}_{column}", "text": text, "alone": {},
                         "stands_for": statement["name"]}
            for column, text in statement["alone"].items()]


def check_batched(many, statements):
    """Checks a statement that replaces several executions of another one; returns the other's name."""
    if len(many["batches"]) != 1:
        raise Disagreement("one 'batches:' is enough")
    one = statements.get(many["batches"][0])
    if not one:
        raise Disagreement(f"it batches '{many['batches'][0]}', which there is not")
    if "read" != one["effect"] or "read" != many["effect"]:
        raise Disagreement("only reads are batched")
    if one["grows"]:
        raise Disagreement(f"'{one['name']}' must be bounded to be batched")
    if one["refusals"] or one["batches"] or len(one["parameters"]) != 1:
        raise Disagreement(f"'{one['name']}' must have one parameter, refuse nothing, batch nothing")
    if [kind for _, kind in many["parameters"]] != [one["parameters"][0][1] + "[]"]:
        raise Disagreement(f"its parameter must be an array of that of '{one['name']}'")
    if many["columns"] != [*one["columns"], ("key_number", "int8")]:
        raise Disagreement(f"its row must be that of '{one['name']}' and 'key_number int8'")
    return one["name"]


def check_packed(statements):
    """Rejects a packed record that stands nowhere as columns: only those are compared with the database's types."""
    compared = {item.record.name for statement in statements for item in statement["row"]
                if item.record and not item.is_packed}
    for statement in statements:
        for item in statement["row"]:
            if item.is_packed and item.name not in compared:
                raise Disagreement(f"{statement['name']}.sql: no other row is '{item.name}' without parentheses")


def connect_batched(statements):
    """Sets "batched_by" of the statements that another one replaces."""
    by_name = {statement["name"]: statement for statement in statements}
    for many in statements:
        if not many["batches"]:
            continue
        try:
            one = by_name[check_batched(many, by_name)]
            if "batched_by" in one:
                raise Disagreement(f"'{one['name']}' is batched twice")
        except Disagreement as error:
            raise Disagreement(f"{many['name']}.sql: {error}") from error
        one["batched_by"] = many["name"]


def read_folder(folder):
    files = {}
    for entry in sorted(os.listdir(folder)):
        if entry.endswith(".sql") and not entry.startswith("."):
            with open(os.path.join(folder, entry), encoding="utf-8") as file:
                files[entry[:-4]] = file.read()
    return files


def write_if_changed(path, text):
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read_statements(folder, records):
    """Reads the statements of the folder, which workers and displayctl use, and of its folder
    "ctl", which only displayctl uses. Also returns the input files, and the texts of lists."""
    statements, inputs, lists = [], [], {}
    for place in (folder, os.path.join(folder, "ctl")):
        if place != folder and not os.path.isdir(place):
            continue
        files = read_folder(place)
        inputs += [place, *(os.path.join(place, name + ".sql") for name in files)]
        for name, text in files.items():
            try:
                made, files = read_file(name, text, records)
                lists |= files
                for statement in made:
                    if statement["name"] in (other["name"] for other in statements):
                        raise Disagreement("there are two of this name")
                    statement["is_for_ctl"] = place != folder
                    if statement["is_for_ctl"] and statement["changes"]:
                        raise Disagreement("no worker sees the rows of 'changes:': say 'changes: told'")
                    check_growth(statement)
                    statements.append(statement)
            except Disagreement as error:
                raise Disagreement(f"{name}.sql: {error}") from error
    return sorted(statements, key=lambda statement: statement["name"]), inputs, lists


def generate(arguments):
    records, record_files = record_tables.read_folders(arguments.records, arguments.include)
    statements, inputs, lists = read_statements(arguments.path, records)
    inputs += record_files
    if exported.of_tree.cache_info().currsize:
        inputs += map(str, [*exported.of_tree()[0].inputs, *exported.of_tree()[1]])
    connect_batched(statements)
    check_packed(statements)
    output = statement_output.Output(statements, records, arguments.prefix, TYPES)
    outputs = {
        arguments.ids: output.ids(),
        arguments.calls: output.calls(),
        arguments.source: output.source(arguments.ids, arguments.calls),
    }
    if arguments.lists:
        outputs[arguments.lists] = "\n".join(f"-- {name}\n{text}" for name, text in sorted(lists.items()))
    for path, text in outputs.items():
        write_if_changed(path, text)
    if arguments.depfile:
        outputs, inputs = ([path.replace(" ", "\\ ") for path in paths] for paths in (outputs, inputs))
        write_if_changed(arguments.depfile, f"{' '.join(outputs)}: {' '.join(inputs)}\n")


def print_statement(arguments):
    records, _ = record_tables.read_folders(arguments.records, arguments.include)
    name = os.path.basename(arguments.path)[:-4]
    with open(arguments.path, encoding="utf-8") as file:
        for statement in read_file(name, file.read(), records)[0]:
            print(statement["text"])


def main():
    parser = argparse.ArgumentParser(description="Makes C tables of the SQL files.")
    parser.add_argument("what", choices=["statements", "print"])
    parser.add_argument("path")
    parser.add_argument("--ids")
    parser.add_argument("--calls")
    parser.add_argument("--source")
    parser.add_argument("--lists")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--include", default="include")
    parser.add_argument("--records", action="append", default=[])
    parser.add_argument("--depfile")
    arguments = parser.parse_args()
    try:
        print_statement(arguments) if arguments.what == "print" else generate(arguments)
    except (Disagreement, record_tables.BadTable, statement_notify.BadNotify, exported.operations.problem_kinds.Fault, OSError, UnicodeDecodeError) as error:
        sys.exit(f"{arguments.path}: {error}")


if __name__ == "__main__":
    main()
