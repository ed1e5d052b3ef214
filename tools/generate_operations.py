#!/usr/bin/env python3
"""Makes what the description of the API says of each operation: OpenAPI documents and C.

    generate_operations.py documents FOLDER [--output NAME FILE ...] [--depfile D]
    generate_operations.py c FOLDER NAME --header H --source C --plain C --sources SRC --statements SQL [--depfile D]
    generate_operations.py commands FOLDER --header H --table C [--depfile D]
    generate_operations.py problems FOLDER --header H --source C --sources SRC [--depfile D]

FOLDER is docs/api, NAME public or pages (tools/operations.py). The C is a macro that defines each endpoint with
its facts, its declaration, and the table of the routes. SRC is where the macros are used. Those with the handler of
another one (same-as) are defined beside the routes, and those that need nothing but their statement, which stands in SQL, in the C of --plain
(tools/list_endpoints.py, tools/statement_endpoints.py). The header of commands has displayctl's, for the table of the file C (tools/operation_commands.py).
That of problems has a name of each kind (tools/problem_kinds.py), each used somewhere in SRC.
"""

import argparse
import os
import pathlib
import re
import sys

import list_endpoints
import operation_commands
import openapi_document
import operations
import problem_kinds
import statement_endpoints
import statement_header

DEFINED = re.compile(r"^ENDPOINT_(\w+)\(", re.M)


def macro(operation):
    """Returns the lines of the macro that defines an endpoint. Its arguments are members that the facts do not have."""
    facts = operation.facts
    members = [f'.name = "{operation.endpoint}"']
    if facts["access"] != "none":
        members.append(f".access = &access_{facts['access']}")
    if "operator" in facts:
        members.append(".is_for_operator = true")
    if facts.get("operator") == "all":
        members.append(".needs_no_account = true")
    if "bridge" in facts:
        members.append(".is_for_bridge = true")
    if "other-origins" in facts:
        members.append(".allows_other_origins = true")
    if facts["access"].endswith("api_key"):
        members.append(f".key_level = KEY_LEVEL_{facts.get('key-level', 'devices').upper()}")
    if facts.get("key-devices") == "account":
        members.append(".is_account_wide = true")
    if "device-key" in facts:
        members.append(".takes_device_key = true")
    if "resource" in facts:
        members.append(f".resource = RESOURCE_{facts['resource'].upper()}")
    if "{installationId}" in operation.path:
        members.append(".names_installation = true")
    if "record" in facts:
        members.append(f".body = &{facts['record']}")
    if "body-limit" in facts:
        members.append(f".body_max_bytes = LIMIT_{facts['body-limit'].upper()}_BODY_BYTES")
    if "untyped-body" in facts:
        members.append(".takes_any_type = true")
    if "picture-body" in facts:
        members.append(".takes_picture = true")
    if "rate" in facts:
        members.append(".is_device_limited = true")
    if facts.get("conditions") == "settings":
        members.append(".has_settings_tag = true")
    if facts.get("conditions") == "own":
        members.append(".handles_preconditions = true")
    if "same-as" in facts:
        members.append(f".same_as = &endpoint_{facts['same-as']}")
    body = ", \\\n\t".join([*members, "__VA_ARGS__"])
    return (f"#define ENDPOINT_{operation.endpoint.upper()}(...) \\\n"
            f"\tconst struct endpoint endpoint_{operation.endpoint} = {{{body}}}\n")


def header(document):
    declarations = sorted(f"extern const struct endpoint endpoint_{one.endpoint};\n"
                          for one in document.operations)
    macros = [macro(one) for one in sorted(document.operations, key=lambda one: one.endpoint)]
    return ('#pragma once\n\n#include "task/task.h"\n\n' + "".join(declarations) + "\n"
            + "\n".join(macros))


def source(document, layer):
    routes = sorted((one.path, one.method.upper(), one.endpoint) for one in document.operations)
    lines = "".join(f'\t{{HTTP_{method}, "{path}", &endpoint_{endpoint}}},\n'
                    for path, method, endpoint in routes)
    same = sorted((one for one in document.operations if "same-as" in one.facts), key=lambda one: one.endpoint)
    externs = {f"extern const struct access access_{one.facts['access']};\n" for one in same}
    externs |= {f"extern const struct endpoint endpoint_{one.facts['same-as']};\n" for one in same}
    return (f'#include "{layer}/operations.h"\n#include "{layer}/{layer}.h"\n#include "base/memory.h"\n\n'
            + "".join(sorted(externs)) + "".join(f"ENDPOINT_{one.endpoint.upper()}();\n" for one in same) +
            f"\nstatic const struct route routes[] = {{\n{lines}}};\n\n"
            f"const struct route_table {layer}_routes = {{routes, array_length(routes)}};\n")


def check_problems(document, described, path, text):
    """Checks that the operations of a file's endpoints document the problems that it names."""
    documented = {code for one in described for code in operations.codes(document, one)}
    missing = problem_kinds.used(text) - documented - set(problem_kinds.GENERAL)
    if missing and described:
        raise operations.Fault(
            f"{described[0].name}: x-displayd-problems lacks {', '.join(sorted(missing))} of {path}")


def check_sources(document, folder):
    """Checks that each endpoint of the document is defined once, and that the problems that a file with endpoints
    names are documented."""
    wanted = {one.endpoint: one for one in document.operations if not {"list", "statement", "same-as"} & set(one.facts)}
    made = {one.endpoint for one in document.operations} - set(wanted)
    files = sorted(pathlib.Path(folder).rglob("*.c"))
    for path in files:
        text = path.read_text(encoding="utf-8")
        endpoints = [name.lower() for name in DEFINED.findall(text)]
        check_problems(document, [wanted[name] for name in endpoints if name in wanted], path, text)
        for name in endpoints:
            if name in made:
                raise operations.Fault(f"{path}: endpoint_{name} is made of its description")
            if wanted.pop(name, None) is None:
                raise operations.Fault(f"{path}: nothing describes endpoint_{name}, or it stands twice")
    for operation in wanted.values():
        raise operations.Fault(
            f"{operation.name}: no C file of {folder} has endpoint_{operation.endpoint}")
    return files


def write(path, text):
    """Writes a file only if its content changes, so that nothing is rebuilt needlessly."""
    path = pathlib.Path(path)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def finish(arguments, outputs, inputs):
    if arguments.depfile:
        outputs, inputs = ([str(path).replace(" ", "\\ ") for path in paths]
                           for paths in (outputs, inputs))
        write(arguments.depfile, f"{' '.join(outputs)}: {' '.join(inputs)}\n")


def make_documents(arguments):
    inputs = []
    for name, path in arguments.output:
        document = operations.read(arguments.folder, name)
        inputs += document.files
        write(path, openapi_document.text_of(openapi_document.make(document)))
    finish(arguments, [path for _, path in arguments.output], inputs)


def make_c(arguments):
    document = operations.read(arguments.folder, arguments.name)
    files = check_sources(document, arguments.sources)
    lists = list_endpoints.read(document, arguments.statements)
    layer = os.path.basename(arguments.sources)
    plain = statement_endpoints.read(document, arguments.statements, layer)
    write(arguments.header, header(document))
    write(arguments.source, source(document, layer))
    write(arguments.plain, list_endpoints.source(lists, layer) + statement_endpoints.source(plain, layer))
    folders = sorted({path.parent for path in files})
    finish(arguments, [arguments.header, arguments.source, arguments.plain],
           document.files + files + folders + [one.file for one in lists + plain])


def make_problems(arguments):
    kinds = operations.read_problems(arguments.folder)
    files = sorted(pathlib.Path(arguments.sources).rglob("*.c"))
    documents = [operations.read(arguments.folder, name) for name in ("public", "pages")]
    unused = set(kinds) - {code for path in files for code in problem_kinds.used(path.read_text(encoding="utf-8"))}
    unused -= {code for document in documents for one in document.operations for code in statement_endpoints.codes(one)}
    if unused:
        raise operations.Fault(f"problems.yaml: no C file names {', '.join(sorted(unused))}")
    write(arguments.header, problem_kinds.header(kinds))
    write(arguments.source, problem_kinds.source(kinds))
    folders = sorted({path.parent for path in files})
    finish(arguments, [arguments.header, arguments.source],
           [*documents[0].files, *documents[1].files, *files, *folders])


def make_commands(arguments):
    documents = [operations.read(arguments.folder, name) for name in ("public", "pages")]
    table = pathlib.Path(arguments.table)
    operation_commands.check_table(documents, table)
    write(arguments.header, operation_commands.header(documents))
    finish(arguments, [arguments.header], [*documents[0].files, *documents[1].files, table])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    what = parser.add_subparsers(dest="what", required=True)
    documents = what.add_parser("documents")
    documents.add_argument("folder")
    documents.add_argument("--output", nargs=2, action="append", metavar=("NAME", "FILE"))
    documents.set_defaults(run=make_documents)
    in_c = what.add_parser("c")
    in_c.add_argument("folder")
    in_c.add_argument("name")
    for option in ("--header", "--source", "--plain", "--sources", "--statements"):
        in_c.add_argument(option, required=True)
    in_c.set_defaults(run=make_c)
    of_problems = what.add_parser("problems")
    of_problems.add_argument("folder")
    for option in ("--header", "--source", "--sources"):
        of_problems.add_argument(option, required=True)
    of_problems.set_defaults(run=make_problems)
    in_table = what.add_parser("commands")
    in_table.add_argument("folder")
    for option in ("--header", "--table"):
        in_table.add_argument(option, required=True)
    in_table.set_defaults(run=make_commands)
    for one in (documents, in_c, of_problems, in_table):
        one.add_argument("--depfile")
    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except (problem_kinds.Fault, statement_header.Disagreement, OSError, UnicodeDecodeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
