#!/usr/bin/env python3
"""Makes C tables of the SQL files, or stops the build where a file disagrees with itself.

    generate_statements.py statements FOLDER --header H --source C [--prefix test_] [--depfile D]
    generate_statements.py migrations FOLDER --source C [--depfile D]

include/db/statement.h and include/db/migrate.h say what the files look like. The depfile names the
folder too, so that a new file is noticed without a line anywhere.
"""

import argparse
import os
import re
import sys

# OIDs from PostgreSQL's catalog/pg_type.dat; they never change.
TYPES = {
    "bool": 16, "bytea": 17, "int8": 20, "int2": 21, "int4": 23, "text": 25, "float8": 701,
    "macaddr": 829, "timestamptz": 1184, "uuid": 2950,
    "int8[]": 1016, "text[]": 1009, "timestamptz[]": 1185, "uuid[]": 2951,
    "bytea[]": 1001, "float8[]": 1022,
}
PARAMETERS_MAX = 24  # DB_PARAMETERS_MAX of include/db/query.h
KEYS = ("params", "row", "effect", "refuse", "gathers", "commit")

NAME = re.compile(r"[a-z][a-z0-9_]*")
CONSTRAINT = re.compile(r"[a-z_][a-z0-9_]*|[0-9A-Z]{5}")
# What of a text is no code of its own: comments, strings, quoted names, dollar-quoted bodies.
OPAQUE = re.compile(
    r"--[^\n]*|/\*.*?\*/|[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
    r"|(\$(?:[A-Za-z_]\w*)?\$).*?\1",
    re.DOTALL,
)
WRITES = re.compile(
    r"\b(insert|update|delete|merge|truncate|create|alter|drop|call|lock|share|nextval|pg_notify)\b",
    re.IGNORECASE,
)
TRANSACTION = re.compile(r"\b(begin|commit|rollback|savepoint|start\s+transaction)\b", re.IGNORECASE)


class Disagreement(Exception):
    """What is wrong with a file, as a sentence."""


def code_of(text):
    """The text with everything opaque taken out."""
    return OPAQUE.sub(lambda match: " ", text)


def split_header(text):
    """The comment lines a file begins with, without their dashes, and the rest."""
    lines = text.split("\n")
    header = []
    while lines and lines[0].startswith("--"):
        header.append(lines.pop(0)[2:].strip())
    return header, "\n".join(lines).strip()


def read_header(lines):
    """{key: [value, ...]}; a value that ends with a comma goes on in the next line."""
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
    return fields


def read_columns(values, what):
    """[(name, type), ...] of params: and row: lines."""
    columns = []
    values = [value for value in values if value]
    for item in ",".join(values).split(",") if values else []:
        words = item.split()
        if len(words) != 2 or not NAME.fullmatch(words[0]):
            raise Disagreement(f"'{item.strip()}' in {what} is not a name and a type")
        name, kind = words
        if kind not in TYPES:
            raise Disagreement(f"unknown type '{kind}' in {what}")
        if name in (other for other, _ in columns):
            raise Disagreement(f"'{name}' stands twice in {what}")
        columns.append((name, kind))
    return columns


def read_refusals(values):
    """[(constraint, problem), ...]"""
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


def check_text(text, parameters, effect):
    code = code_of(text)
    used = {int(number) for number in re.findall(r"\$(\d+)", code)}
    if not code.strip():
        raise Disagreement("there is no statement")
    if ";" in code:
        raise Disagreement("more than one statement")
    for number in sorted(used):
        if not 1 <= number <= len(parameters):
            raise Disagreement(f"${number} is beyond the {len(parameters)} parameters")
    for number, (name, _) in enumerate(parameters, 1):
        if number not in used:
            raise Disagreement(f"parameter '{name}' (${number}) is not used")
    write = WRITES.search(code)
    if effect == "read" and write:
        raise Disagreement(f"'{write.group()}' in a statement with effect: read")


def read_statement(name, text):
    if not NAME.fullmatch(name):
        raise Disagreement("the file's name may hold a-z, 0-9 and _ only")
    if not text.isascii() or "\0" in text:
        raise Disagreement("only ASCII, please")
    lines, body = split_header(text)
    fields = read_header(lines)
    if len(fields["effect"]) != 1:
        raise Disagreement("the header needs one 'effect: read' or 'effect: write'")
    effect = fields["effect"][0]
    if effect not in ("read", "write"):
        raise Disagreement(f"effect is '{effect}', must be read or write")
    if fields["commit"] not in ([], ["shared"]):
        raise Disagreement("'commit:' may be shared, and nothing else")
    if fields["commit"] and effect != "write":
        raise Disagreement("a read has nothing to commit")
    statement = {
        "name": name,
        "text": body[:-1].rstrip() if body.endswith(";") else body,
        "effect": effect,
        "parameters": read_columns(fields["params"], "params"),
        "columns": read_columns(fields["row"], "row"),
        "refusals": read_refusals(fields["refuse"]),
        "gathers": fields["gathers"],
        "shares_commit": bool(fields["commit"]),
    }
    if statement["shares_commit"] and not statement["parameters"]:
        raise Disagreement("the first parameter says which row it changes, and there is none")
    if len(statement["parameters"]) > PARAMETERS_MAX:
        raise Disagreement(f"more than {PARAMETERS_MAX} parameters")
    check_text(statement["text"], statement["parameters"], effect)
    return statement


def check_gather(many, statements):
    """A statement that stands for several executions of another; returns the other's name."""
    if len(many["gathers"]) != 1:
        raise Disagreement("one 'gathers:' is enough")
    one = statements.get(many["gathers"][0])
    if not one:
        raise Disagreement(f"it gathers '{many['gathers'][0]}', which there is not")
    if "read" != one["effect"] or "read" != many["effect"]:
        raise Disagreement("only reads are gathered")
    if one["refusals"] or one["gathers"] or len(one["parameters"]) != 1:
        raise Disagreement(f"'{one['name']}' must have one parameter, refuse nothing, gather nothing")
    if [kind for _, kind in many["parameters"]] != [one["parameters"][0][1] + "[]"]:
        raise Disagreement(f"its parameter must be an array of that of '{one['name']}'")
    if many["columns"] != [*one["columns"], ("place", "int8")]:
        raise Disagreement(f"its row must be that of '{one['name']}' and 'place int8'")
    return one["name"]


def connect_gathers(statements):
    """Sets "gathered_by" of the statements that another one stands for."""
    by_name = {statement["name"]: statement for statement in statements}
    for many in statements:
        if not many["gathers"]:
            continue
        try:
            one = by_name[check_gather(many, by_name)]
            if "gathered_by" in one:
                raise Disagreement(f"'{one['name']}' is gathered twice")
        except Disagreement as error:
            raise Disagreement(f"{many['name']}.sql: {error}") from error
        one["gathered_by"] = many["name"]


def read_migrations(files):
    """[(number, name, text), ...] of {"0001_initial": text}, in order and without a gap."""
    migrations = []
    for name in sorted(files):
        match = re.fullmatch(r"(\d{4})_([a-z][a-z0-9_]*)", name)
        if not match:
            raise Disagreement(f"{name}.sql is not named NNNN_name.sql")
        if int(match.group(1)) != len(migrations) + 1:
            raise Disagreement(f"{name}.sql should have number {len(migrations) + 1:04}")
        if not files[name].isascii() or "\0" in files[name]:
            raise Disagreement(f"{name}.sql: only ASCII, please")
        transaction = TRANSACTION.search(code_of(files[name]))
        if transaction:
            raise Disagreement(f"{name}.sql: '{transaction.group()}': it runs in one transaction")
        migrations.append((len(migrations) + 1, match.group(2), files[name]))
    return migrations


def c_string(text, indent="\t    "):
    """A C literal, a line of text a line."""
    lines = text.split("\n")
    quoted = []
    for number, line in enumerate(lines):
        line = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        line = line.replace("\r", "\\r").replace("??", "?\\?")
        quoted.append(f'"{line}' + ('\\n"' if number < len(lines) - 1 else '"'))
    return f"\n{indent}".join(quoted)


def write_header(statements, prefix):
    upper = prefix.upper()
    problems = sorted({problem for s in statements for _, problem in s["refusals"]})
    lines = ["/* Made by tools/generate_statements.py. */", "#pragma once", ""]
    lines.append(f"enum {prefix}statement {{")
    lines += [f"\t{upper}STATEMENT_{s['name'].upper()}," for s in statements]
    lines += [f"\t{upper}STATEMENT_COUNT", "};", "", f"enum {prefix}refusal {{"]
    lines += [f"\t{upper}REFUSAL_NONE,"]
    lines += [f"\t{upper}REFUSAL_{problem.upper()}," for problem in problems]
    lines += [f"\t{upper}REFUSAL_COUNT", "};", ""]
    return "\n".join(lines)


def write_statement(statement, prefix):
    """Arrays that the table's entry points to, and the entry."""
    name, upper = statement["name"], prefix.upper()
    arrays = []
    entry = [f'\t\t.name = "{name}",', f"\t\t.text = {c_string(statement['text'])},"]
    entry.append(f"\t\t.effect = EFFECT_{statement['effect'].upper()},")

    if statement["shares_commit"]:
        entry.append("\t\t.shares_commit = true,")

    def add(kind, member, count, values):
        if not values:
            return
        body = "".join(f"\n\t{value}," for value in values)
        arrays.append(f"static {kind} {name}_{member}[] = {{{body}\n}};")
        entry.append(f"\t\t.{count} = {len(values)},")
        entry.append(f"\t\t.{member} = {name}_{member},")

    add("const unsigned", "parameter_types", "parameter_count",
        [f"{TYPES[kind]} /* {field} {kind} */" for field, kind in statement["parameters"]])
    add("const unsigned", "column_types", "column_count",
        [f"{TYPES[kind]} /* {field} {kind} */" for field, kind in statement["columns"]])
    if statement["columns"]:
        names = "".join(f'\n\t"{field}",' for field, _ in statement["columns"])
        arrays.append(f"static const char *const {name}_column_names[] = {{{names}\n}};")
        entry.append(f"\t\t.column_names = {name}_column_names,")
    add("const struct statement_refusal", "refusals", "refusal_count",
        [f'{{"{constraint}", (enum refusal){upper}REFUSAL_{problem.upper()}}}'
         for constraint, problem in statement["refusals"]])
    if "gathered_by" in statement:
        gathered_by = f"{prefix}statements[{upper}STATEMENT_{statement['gathered_by'].upper()}]"
        entry.append(f"\t\t.gathered_by = &{gathered_by},")
    index = f"\t[{upper}STATEMENT_{name.upper()}] = {{"
    return arrays, "\n".join([index, *entry, "\t},"])


def write_statements(statements, prefix, header):
    lines = ["/* Made by tools/generate_statements.py. */", '#include "db/statement.h"']
    if prefix:
        lines += [f'#include "{os.path.basename(header)}"', ""]
        lines.append(f"extern const struct statement_entry {prefix}statements[];")
    entries = []
    for statement in statements:
        arrays, entry = write_statement(statement, prefix)
        lines += ["", *arrays]
        entries.append(entry)
    size = f"{prefix.upper()}STATEMENT_COUNT"
    lines += ["", f"const struct statement_entry {prefix}statements[{size}] = {{", *entries, "};", ""]
    return "\n".join(lines)


def write_migrations(migrations):
    lines = ["/* Made by tools/generate_statements.py. */", '#include "db/migrate.h"', ""]
    lines.append("const struct migration migrations[] = {")
    for number, name, text in migrations:
        lines.append(f'\t{{{number}, "{name}",\n\t    {c_string(text)}}},')
    lines += ["};", f"const size_t migration_count = {len(migrations)};", ""]
    return "\n".join(lines)


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


def generate(arguments):
    files = read_folder(arguments.folder)
    if arguments.what == "migrations":
        outputs = {arguments.source: write_migrations(read_migrations(files))}
    else:
        statements = []
        for name, text in sorted(files.items()):
            try:
                statements.append(read_statement(name, text))
            except Disagreement as error:
                raise Disagreement(f"{name}.sql: {error}") from error
        connect_gathers(statements)
        outputs = {
            arguments.header: write_header(statements, arguments.prefix),
            arguments.source: write_statements(statements, arguments.prefix, arguments.header),
        }
    for path, text in outputs.items():
        write_if_changed(path, text)
    if arguments.depfile:
        inputs = [arguments.folder]
        inputs += [os.path.join(arguments.folder, name + ".sql") for name in files]
        outputs, inputs = ([path.replace(" ", "\\ ") for path in paths] for paths in (outputs, inputs))
        write_if_changed(arguments.depfile, f"{' '.join(outputs)}: {' '.join(inputs)}\n")


def main():
    parser = argparse.ArgumentParser(description="Makes C tables of the SQL files.")
    parser.add_argument("what", choices=["statements", "migrations"])
    parser.add_argument("folder")
    parser.add_argument("--header")
    parser.add_argument("--source", required=True)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--depfile")
    arguments = parser.parse_args()
    try:
        generate(arguments)
    except (Disagreement, OSError, UnicodeDecodeError) as error:
        sys.exit(f"{arguments.folder}: {error}")


if __name__ == "__main__":
    main()
