#!/usr/bin/python3
"""Makes the C table of the schema and its migrations, which displayd has built in.

    generate_migrations.py SCHEMA FOLDER [--more FOLDER] --source C [--depfile D]

SCHEMA: sql/schema. Its files, in the order of their names, make the tables of an empty database at once. They do what
the migrations in its replaced.txt did, each line with a number, a name, and the SHA-256 of the text as databases have
it. FOLDER: sql/migration, with what came later. Both become one list: the schema is the text of the last replaced one.

--more: further migrations, which get the next numbers, as of a test.
"""

import argparse
import os
import re
import sys

import statement_notify
from generate_statements import read_folder, write_if_changed
from statement_header import Disagreement, code_of
from statement_output import c_string

TRANSACTION = re.compile(r"\b(begin|commit|rollback|savepoint|start\s+transaction)\b", re.IGNORECASE)
REPLACED = "replaced.txt"


def check_text(name, text):
    if not text.isascii() or "\0" in text:
        raise Disagreement(f"{name}.sql: only ASCII, please")
    transaction = TRANSACTION.search(code_of(text))
    if transaction:
        raise Disagreement(f"{name}.sql: '{transaction.group()}': it runs in one transaction")


def read_replaced(path):
    """Returns [(number, name, SHA-256), ...]."""
    replaced = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("#"):
                continue
            match = re.fullmatch(r"(\d+) ([a-z][a-z0-9_]*) ([0-9a-f]{64})\n", line)
            if not match or int(match[1]) != len(replaced) + 1:
                raise Disagreement(f"{REPLACED}: {line.strip()!r} is not number {len(replaced) + 1}, a name and a SHA-256")
            replaced.append((int(match[1]), match[2], match[3]))
    if not replaced:
        raise Disagreement(f"{REPLACED} has no line")
    return replaced


def read_migrations(files, first):
    """Returns [(number, name, text), ...] of {"0050_name": text}, in order from number first; refuses gaps."""
    migrations = []
    for name in sorted(files):
        match = re.fullmatch(r"(\d{4})_([a-z][a-z0-9_]*)", name)
        if not match:
            raise Disagreement(f"{name}.sql is not named NNNN_name.sql")
        if int(match.group(1)) != first + len(migrations):
            raise Disagreement(f"{name}.sql should have number {first + len(migrations):04}")
        check_text(name, files[name])
        migrations.append((first + len(migrations), match.group(2), files[name]))
    return migrations


def numbered(files, count):
    """Gives names without a number the numbers after count."""
    return {f"{count + number:04}_{name}": files[name]
            for number, name in enumerate(sorted(files), start=1)}


def table(replaced, schema, migrations):
    lines = ["/* Made by tools/generate_migrations.py. */", '#include "db/migrate.h"', "",
             "const struct migration migrations[] = {"]
    for number, name, sha256 in replaced:
        text = f",\n\t    .text = {c_string(schema)}" if number == len(replaced) else ""
        lines.append(f'\t{{{number}, "{name}",\n\t    .sha256 = "{sha256}"{text}}},')
    for number, name, text in migrations:
        lines.append(f'\t{{{number}, "{name}",\n\t    .text = {c_string(text)}}},')
    lines += ["};", f"const size_t migration_count = {len(replaced) + len(migrations)};", ""]
    return "\n".join(lines)


def generate(arguments):
    """Returns the table, and the files that it is made of."""
    schema, files, inputs = read_folder(arguments.schema), {}, [os.path.join(arguments.schema, REPLACED)]
    for name, text in schema.items():
        check_text(name, text)
    replaced = read_replaced(inputs[0])
    for folder in [arguments.folder, *arguments.more]:
        found = read_folder(folder)
        inputs += [folder, *(os.path.join(folder, name + ".sql") for name in found)]
        files |= numbered(found, len(replaced) + len(files)) if folder != arguments.folder else found
    inputs += [arguments.schema, *(os.path.join(arguments.schema, name + ".sql") for name in schema)]
    migrations = read_migrations(files, len(replaced) + 1)
    whole = "\n".join(schema.values())
    statement_notify.check_migrations([whole, *(text for _, _, text in migrations)])
    return table(replaced, whole, migrations), inputs


def main():
    parser = argparse.ArgumentParser(description="Makes the C table of the schema and its migrations.")
    parser.add_argument("schema")
    parser.add_argument("folder")
    parser.add_argument("--more", action="append", default=[])
    parser.add_argument("--source", required=True)
    parser.add_argument("--depfile")
    arguments = parser.parse_args()
    try:
        text, inputs = generate(arguments)
    except (Disagreement, statement_notify.BadNotify, OSError, UnicodeDecodeError) as error:
        sys.exit(f"{arguments.folder}: {error}")
    write_if_changed(arguments.source, text)
    if arguments.depfile:
        escaped = [path.replace(" ", "\\ ") for path in inputs]
        write_if_changed(arguments.depfile, f"{arguments.source}: {' '.join(escaped)}\n")


if __name__ == "__main__":
    main()
