#!/usr/bin/env python3
"""Makes structs and records of C (include/record/record.h) from the schemas of docs/api.

    generate_records.py FOLDER OUTPUT FILE ... [--depfile D] [--export ROOT]

For each FILE it writes FILE_records.h and FILE_records.c into the folder OUTPUT. The C file begins with
the header domain/FILE.h, which includes the made one. What schemas say is in record_schemas.py.
With --export it makes the settings in lines of an account's export, account_line_records.[hc], and refuses those that
an export would lose (exported.py); ROOT has src and sql.
"""

import argparse
import pathlib
import re
import sys
import textwrap

import exported
import operations
import record_schemas


def wrapped(text, first="", rest="", width=100):
    """Breaks a text after its commas."""
    lines, line = [], first
    for part in re.split(r"(?<=,) ", text):
        space = "" if line in (first, rest) else " "
        if space and len((line + space + part).expandtabs(8)) > width:
            lines, line, space = [*lines, line], rest, ""
        line += space + part
    return "\n".join([*lines, line])


def comment(text, indent="", line=""):
    """Returns a line of C with the first sentence of a description, or the sentence before the line."""
    sentence = re.split(r"(?<=[^.]\w[.])\s", " ".join(text.split()), maxsplit=1)[0].replace("*/", "* /")
    if not sentence:
        return line
    short = f"{line.rstrip()} /* {sentence} */\n"
    if line and len(short.expandtabs(8)) <= 101:
        return short
    return textwrap.fill(f"/* {sentence} */", 92, initial_indent=indent, subsequent_indent=indent + " * ",
                         break_long_words=False) + "\n" + line


def struct_text(name, records):
    """The struct with the members of all its records; two that share a member agree on its type."""
    members, lines = {}, comment(records[0].about) + f"struct {name} {{\n"
    for record in records:
        for field in record.fields:
            if field.member is None:
                continue
            if members.setdefault(field.member, field.c_type()) != field.c_type():
                record_schemas.fault(field.place, f"{field.member} has another type than in another record of struct {name}")
    told = set()
    for field in (one for record in records for one in record.fields if one.member and "." not in one.member):
        if field.member not in told:
            told.add(field.member)
            space = "" if field.c_type().endswith("*") else " "
            lines += comment(field.about, "\t", f"\t{field.c_type()}{space}{field.member};\n")
    for member, kind in {name: kind for record in records for name, kind in record.options.get("sets", {}).items()}.items():
        kind, bracket, size = kind.partition("[")
        c_type = record_schemas.TYPES.get(kind, "int64_t" if kind in record_schemas.FACTS["type"] else kind)
        lines += f"\t{c_type}{'' if c_type.endswith('*') else ' '}{member}{bracket}{size}; /* not from outside */\n"
    return lines + "};\n\n"


def constants(struct, records):
    """Names of the bits that the check of a body gets, of members whose bit is the same in all its records."""
    bits = {}
    for record in (one for one in records if "check" in one.options):
        for i, field in enumerate(record.fields):
            if any(".body" in option for option in field.options):
                bits.setdefault(field.member, set()).add(i)
            if any(".column" in option for option in field.options) and len(bits.get(field.member, [])) > 1:
                record_schemas.fault(field.place, f"{field.member}: give it the same place in all bodies of struct {struct}: "
                                     "a statement knows by its bit whether to change its column")
    lines = "".join(f"\t{struct.upper()}_{re.sub('[^a-z0-9]+', '_', member).strip('_').upper()}_FIELD = {min(places)},\n"
                    for member, places in bits.items() if len(places) == 1)
    return f"/* Bits of what the checks get as seen. */\nenum {{\n{lines}}};\n\n" if lines else ""


def header(file, records):
    text = "/* Made from docs/api by tools/generate_records.py. */\n#pragma once\n\n#include \"base/limits.h\"\n#include \"record/record.h\"\n\n"
    for struct in dict.fromkeys(record.struct for record in records):
        same = [record for record in records if record.struct == struct]
        if not any(record.options.get("by-hand") for record in same):
            text += struct_text(struct, same)
        text += constants(struct, same)
    text += "".join(f"extern const struct record {record.name}_record;\n" for record in records) + "\n"
    text += "".join(f"const char *{name}(struct str value);\n" for name in
                    dict.fromkeys(name for record in records for name in record.checks()))
    return text + "".join(f"void {name}(void *body, uint64_t seen, struct faults *faults);\n" for name in
                          dict.fromkeys(record.options["check"] for record in records if "check" in record.options))


def source(file, records):
    text = f'#include "domain/{file}.h"\n\n'
    tables = {}
    for record in records:
        key = (record.struct, tuple(record.table()))
        if key not in tables:
            tables[key] = f"{record.name}_fields"
            lines = "".join(wrapped(f"{line},", "    ", "\t") + "\n" for line in record.table())
            text += f"static const struct record_field {record.name}_fields[] = {{\n{lines}}};\n"
        facts = [f".{fact.replace('-', '_')} = true" for fact in record.options.get("has", [])]
        facts += [".has_private = true"] if record.options.get("private") else []
        facts += [f".check = {record.options['check']}"] if "check" in record.options else []
        text += wrapped(f"const struct record {record.name}_record = "
                        f"RECORD({', '.join([f'struct {record.struct}', tables[key], *facts])});", "", "    ") + "\n\n"
    return text.rstrip("\n") + "\n"


def write(path, text):
    """Writes a file only if its content changes, so that nothing is rebuilt needlessly."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--depfile", type=pathlib.Path)
    parser.add_argument("--export", type=pathlib.Path)
    arguments = parser.parse_args()
    outputs = [arguments.output / f"{file}_records.{end}" for file in arguments.file for end in "hc"]
    try:
        documents = [operations.read(arguments.folder, name) for name in ("pages", "public")]
        records = record_schemas.read_records(documents)
        export = exported.Export(arguments.export, documents) if arguments.export else None
        for record in records:
            if record.file not in arguments.file:
                record_schemas.fault(record.schema, f"{record.name}: meson.build has no file {record.file} of records")
        for file in arguments.file:
            of_file = [record for record in records if record.file == file]
            if not of_file:
                raise operations.Fault(f"no schema of {arguments.folder} has a record of {file}")
            write(arguments.output / f"{file}_records.h", header(file, of_file))
            write(arguments.output / f"{file}_records.c", source(file, of_file))
        if export:
            outputs += [arguments.output / f"{exported.FILE}_records.{end}" for end in "hc"]
            write(outputs[-2], export.header())
            write(outputs[-1], export.source())
    except (operations.problem_kinds.Fault, OSError, UnicodeDecodeError) as error:
        sys.exit(str(error))
    if arguments.depfile:
        inputs = [*(export.inputs if export else []), *(path for document in documents for path in document.files)]
        names = [" ".join(str(path).replace(" ", "\\ ") for path in paths) for paths in (outputs, inputs)]
        write(arguments.depfile, f"{names[0]}: {names[1]}\n")


if __name__ == "__main__":
    main()
