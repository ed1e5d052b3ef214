"""Finds displayctl's commands in the description of the API, as C: words, options, types, bounds, help.

An operation's x-displayd-command is a command, or a list of them:

    name     its words
    about    its positional arguments, as in its usage
    help     sentences; else the operation's summary and description
    asks     it cannot be undone and asks first, and --yes answers: the question, with members of the object in
             braces ("{name|id}": the first that is not null; "{apps app}": "2 apps"); true: the handler asks
    options  of a property of the body that sets it: what differs from what follows; null: none does
    more     options that are no property of the body
    argument the property of the body that its last argument sets
    account  it acts for an account, which --account names on the server's machine: the help of that option
    all      a path that lists the objects of all accounts, in place of the operation's
    words    of that argument: what each word sets; an integer is typed, if the property is one
    list     the member of the answer that is a table
    missing  said of a 404 in place of the server's words, % stands for what the first argument names
    columns  those of a table that matter most; row: the one that identifies a row, if none of these does
    own      true: a handler ctl_...() runs it; else ctl_plain() asks the operation and prints its answer

An option has a name, a value (as its usage calls it), help, and a type, switch, on_off, number, choice, text or list;
least, most, and where C checks it a check: ctl_check_... (ctl/ctl.h). It may be required and have a default. All of
these follow from the property's schema where that says so: "scheduleInterval" is --schedule-interval, and
"sleepEnabled", a switch, is --sleep. hand: true is an option whose member the handler writes. absent is what its member
is without the option.
"""

import json
import re

import operations

COMMAND = {"name", "about", "help", "asks", "options", "more", "argument", "account", "all", "list", "columns", "row", "missing", "words",
           "own"}
OPTION = {"name", "value", "help", "type", "least", "most", "check", "required", "default", "hand", "absent"}
ACCOUNT = {"name": "account", "type": "text", "value": "EMAIL", "check": "account"}
OBJECTS = {"accountId", "appId", "deviceId", "firmwareId", "installationId", "collectionId", "webhookId"}  # that ctl_plain() finds
TYPES = {"boolean": "on_off", "integer": "number", "array": "list"}
ASKS = {"name": "yes", "type": "switch",
        "help": "Skip the confirmation. Required if standard input is not a terminal."}


def option_name(member):
    """Returns the option for a member of the body: "isEnabled" is --enabled."""
    stem = re.sub(r"(?<=.)Enabled$", "", re.sub(r"^is(?=[A-Z])", "", member))
    return re.sub(r"[A-Z]", lambda found: "-" + found[0].lower(), stem[0].lower() + stem[1:])


def properties(document, schema):
    """Returns the properties of a body and the names of the required ones; of alternatives, all properties that have
    a type."""
    schema = document.followed(schema)
    found = {}
    for one in [schema, *(document.followed(each) for each in schema.get("oneOf", []))]:
        for name, said in one.get("properties", {}).items():
            said = {**document.followed(said), **said}
            if name not in found or "type" not in found[name]:
                found[name] = said
    return found, schema.get("required", [])


def value_of(kind, said, schema):
    if "value" in said or kind == "switch":
        return said.get("value")
    if kind == "on_off":
        return "on|off"
    if kind == "number":
        return f"{schema['minimum']}-{schema['maximum']}"
    return "|".join(schema["enum"]) if kind == "choice" else "TEXT"


def kind_of(schema, said):
    """Words are a choice, unless the usage gives the value one name: then the server judges it."""
    kind = schema["type"] if isinstance(schema.get("type"), str) else schema.get("type", ["string"])[0]
    is_choice = "enum" in schema and "|" in said.get("value", "|")
    return said.get("type") or TYPES.get(kind) or ("choice" if is_choice else "text")


def of_property(name, schema, required, said):
    """Returns the option that sets a property."""
    kind = kind_of(schema, said)
    numbers = schema.get("enum", [None]) if kind == "number" else [None]
    made = {"name": option_name(name), "type": kind, "help": schema.get("description"), "member": name,
            "required": name in required and "default" not in said}
    if kind == "number":
        made |= {"least": schema.get("minimum", numbers[0]), "most": schema.get("maximum", numbers[-1])}
    if kind == "list":
        made["most"] = schema["maxItems"]
    return made | said | {"value": value_of(kind, said, schema)}


def body_of(operation):
    return operation.said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})


def options_of(document, operation, command):
    said = command.get("options", {})
    body = body_of(operation)
    has_options = "options" in command
    found, required = properties(document, body) if has_options or "argument" in command else ({}, [])
    for name in [*said, *([command["argument"]] if "argument" in command else [])]:
        if name not in found:
            raise operations.Fault(f"{operation.name}: the body has no {name}")
    made = [ASKS] if command.get("asks") else []
    if "account" in command:
        needed = "" if "all" in command else " Required without --server."
        made.append({**ACCOUNT, "help": command["account"] + needed})
    made += [{"type": "text", **one} for one in command.get("more", [])]
    made += [of_property(name, schema, required, said.get(name, {})) for name, schema in found.items()
             if has_options and said.get(name, {}) is not None]
    names = {one["member"]: one["name"] for one in made if "member" in one}
    for name in [one["name"] for one in made]:
        if [one["name"] for one in made].count(name) > 1:
            raise operations.Fault(f"{operation.name}: {command['name']} has two options --{name}")
    for one in made:
        if set(one) - OPTION - {"member"} or not one.get("help"):
            raise operations.Fault(f"{operation.name}: the option {one} of {command['name']} lacks help, or nobody "
                                   "knows one of its members")
        one["help"] = plain(one["help"], names) + (" May be given several times." if one["type"] == "list" else "")
    return made


def plain(text, names):
    """Returns a text without Markdown, with options in place of members."""
    return re.sub(r"`([^`]+)`", lambda found: "--" + names[found[1]] if found[1] in names else found[1], text)


def commands(document):
    """Returns [(command, its options)] of all operations. The command has the operation, too."""
    made = []
    for operation in document.operations:
        said = operation.facts.get("command", [])
        for command in said if isinstance(said, list) else [said]:
            if set(command) - COMMAND or "name" not in command:
                raise operations.Fault(f"{operation.name}: the command {command} has no name, or nobody knows one of "
                                       "its members")
            for name in re.findall(r"{(\w+)}", operation.path):
                if name not in OBJECTS and not command.get("own"):
                    raise operations.Fault(f"{operation.name}: {command['name']} needs a handler, because nothing finds "
                                           f"{{{name}}}: own: true")
            text = command.get("help") or f"{operation.said['summary']}. {operation.said['description']}"
            text = plain(text + (" Asks first." if command.get("asks") else ""), {})
            body = properties(document, body_of(operation))[0] if "argument" in command else {}
            takes = body.get(command.get("argument"), {}).get("type") == "integer"
            made.append(({**command, "help": text, "operation": operation, "takes_number": takes},
                         options_of(document, operation, command)))
    return made


def string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if text else "NULL"


def strings(texts):
    return "(const char *const[]){" + (", ".join(string(one) for one in texts) or "NULL") + "}"


def c_option(option):
    facts = [option["type"].upper(), string(option["name"]), string(option.get("value")), string(option["help"])]
    facts += [f".{bound} = {option[bound]}" for bound in ("least", "most") if bound in option]
    if "check" in option:
        facts.append(f".check = ctl_check_{option['check']}")
    if option.get("required"):
        facts.append(".is_required = true")
    if "default" in option:
        facts.append(f".fallback = {string(option['default'])}")
    return f"OPTION({', '.join(facts)})"


def macro_name(command):
    return "CTL_" + re.sub(r"[ -]", "_", command["name"]).upper()


def handler(command):
    return macro_name(command).lower() if command.get("own") else "ctl_plain"


def request(command):
    """Returns the facts of what the command asks, and of how its answer is printed."""
    operation, asks, account = command["operation"], command.get("asks"), command.get("account")
    facts = [f'.method = "{operation.method.upper()}", .path = "{operation.path}"']
    facts += [".has_body = true"] if "requestBody" in operation.said else []
    facts += [f".question = {string(asks)}"] if isinstance(asks, str) else []
    facts += [f".path_of_all = {string(command['all'])}"] if "all" in command else []
    facts += [".is_of_account = true"] if account and "all" not in command else []
    facts += [".takes_number = true"] if command["takes_number"] else []
    facts += [f".row_id = {string(command['row'])}"] if "row" in command else []
    return facts + [f".{fact} = {string(command[fact])}" for fact in ("argument", "list", "columns", "missing", "words")
                    if fact in command]


def macro(command, options):
    members = [one.get("member") if not one.get("hand") else None for one in options]
    lines = [f"#define {macro_name(command)}",
             f"\t.line = {{.name = {string(command['name'])}, .positionals = {string(command.get('about'))},",
             f"\t\t.help = {string(command['help'])},",
             f"\t\t.options = OPTIONS({', '.join(c_option(one) for one in options)})}},",
             f"\t{', '.join(request(command))},"]
    if any("absent" in one for one in options):
        lines.append(f"\t.absent = {strings(json.dumps(one['absent']) if 'absent' in one else None for one in options)},")
    return " \\\n".join([*lines, f"\t.run = {handler(command)}, .members = {strings(members)}"]) + "\n"


def header(documents):
    """Writes declarations of the handlers, and a macro with each command's facts."""
    made = sorted((one for document in documents for one in commands(document)), key=lambda one: one[0]["name"])
    names = [command["name"] for command, _ in made]
    for name in names:
        if names.count(name) > 1:
            raise operations.Fault(f"the command {name} stands twice")
    handlers = sorted({handler(command) for command, _ in made})
    declarations = "".join(f"enum ctl_exit {one}(struct ctl *ctl);\n" for one in handlers)
    return ('#pragma once\n\n#include "ctl/exit.h"\n\nstruct ctl;\n\n' + declarations + "\n"
            + "\n".join(macro(command, options) for command, options in made))


def check_table(documents, path):
    """Checks that each command is in the table."""
    text = path.read_text(encoding="utf-8")
    for document in documents:
        for command, _ in commands(document):
            if f"{{{macro_name(command)}}}" not in text:
                raise operations.Fault(f"{path}: the row {{{macro_name(command)}}} is missing")
