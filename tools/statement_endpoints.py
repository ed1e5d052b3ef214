"""Makes the endpoints that run one statement and answer with its row. An operation says

    x-displayd-statement: {missing: {lamp_not_found: there is no such lamp}, changed: [lamps]}

and sql/query has a file of its endpoint's name. The answer is the record of the row, if the row is one; else it is
empty. The members:

    name      the statement, if it has another name than the endpoint
    missing   code and sentence of a 404 without a row, or if the path's ID is not one; refuse: the account is gone
    values    sources of the statement's parameters, if not their names in SOURCES: {id: device_id}, {is_lit: true}
    changed   topics that open pages of the account hear of (web/changed.h): "admin" goes to administrators, and
              "sessions of id" to the account in the path
    panel     true: the row has the generation to which the path's device has changed; its panel follows
    refused   function that answers constraint errors
    kept      kind under which the answer is cached: account

Other parameters are members of the body.
"""

import pathlib

import problem_kinds
import statement_header

MEMBERS = {"name", "missing", "values", "changed", "panel", "refused", "kept"}
SOURCES = {"account_id": "task_account_id(task)", "actor_id": "task_account_id(task)", "app_id": "task_app(task)->id",
           "device_id": "task_device(task)->id", "id": "state->id", "chosen_ids": "task_key_devices(task)",
           "by_operator": "task_is_of_operator(task)"}
OF_LAYER = {
    "api": {"address": "task_request(task)->remote_address", "session_id": "api_noted_session(task)"},
    "web": {"address": "web_address(task)", "session_id": "web_session_id(task)"},
}
INCLUDES = {"api": ["api/endpoints.h", "api/operator_note.h"],
            "web": ["web/access.h", "web/changed.h", "web/devices/own_device.h", "web/endpoints.h"]}


def struct_of(document, record):
    """Returns the struct of a record and its header; None for a header that is included anyway."""
    for schema in document.components["schemas"].values():
        options = schema.get("x-displayd-records", {})
        if record in options:
            said = options[record] or {}
            struct = said.get("struct", record)
            return struct, f"domain/{said.get('file', struct)}.h"
    return record, None


class Endpoint:
    def __init__(self, document, operation, folder, layer):
        self.name, self.operation, self.layer = operation.endpoint, operation, layer
        self.said = operation.facts["statement"]
        if not isinstance(self.said, dict) or set(self.said) - MEMBERS:
            raise problem_kinds.Fault(f"{operation.name}: x-displayd-statement has {', '.join(sorted(MEMBERS))} only")
        self.statement = self.said.get("name", self.name)
        self.file = pathlib.Path(folder) / f"{self.statement}.sql"
        fields = statement_header.read_header(
            statement_header.split_header(self.file.read_text(encoding="utf-8"))[0])[0]
        row = [item.strip(" ()").split() for value in fields["row"] for item in value.split(",")]
        self.parameters = [item.split()[0] for value in fields["params"] for item in value.split(",")]
        self.record = row[0][0] if row and len(row[0]) == 1 else None
        struct, self.header = struct_of(document, self.record)
        self.row = struct or (f"{self.statement}_row" if row else None)
        self.body = operation.facts.get("record", "").removesuffix("_record")
        for code in codes(operation):
            document.kind(operation, code)
        if "missing" in self.said and not row:
            raise problem_kinds.Fault(f"{operation.name}: {self.file} has no row that may be missing")

    def value(self, name):
        """Returns the C of a parameter's value."""
        source = self.said.get("values", {}).get(name, name)
        sources = SOURCES | OF_LAYER[self.layer]
        if isinstance(source, bool):
            return str(source).lower()
        if source not in sources and not self.body:
            raise problem_kinds.Fault(f"{self.file}: nobody knows where '{name}' comes from")
        return sources.get(source, f"state->body.{source}")

    def missing(self):
        """Returns the answer without a row."""
        said = self.said["missing"]
        if said == "refuse":
            return "task_refuse(task)"
        (code, sentence), = said.items()
        return f'task_fail(task, PROBLEM_{code.upper()}, "{sentence}")'

    def told(self):
        """Returns the calls that tell others of the change."""
        lines = []
        if self.said.get("panel"):
            lines.append(f"delivery_device_changed({self.layer}_delivery(task), task_device(task)->id, "
                         "state->row.generation);")
        for topic in self.said.get("changed", []):
            topic, _, whose = topic.partition(" of ")
            account = {"admin": "(struct id){0}"}.get(topic, "state->id" if whose else "task_account_id(task)")
            lines.append(f'web_changed(task, {account}, "{topic}");')
        return lines

    def answer(self):
        status = next(status for status in self.operation.said["responses"] if status[0] == "2")
        if self.record:
            return f"return task_reply_record(task, {status}, &{self.record}_record, &state->row);"
        return f"return task_reply_empty(task, {status});"

    def state(self):
        """Returns the members of the task's state: the pre-handler checks read the request into the first one."""
        members = [f"struct {self.body} body;"] if self.body else []
        members += [f"struct {self.row} row;"] if self.row else []
        return members + (["struct id id;"] if "state->id" in map(self.value, self.parameters) else [])

    def reply(self):
        lines = [f"if (task_row_count(task) == 0)\n\t\treturn {self.missing()};"] if "missing" in self.said else []
        lines += [*self.told(), self.answer()]
        return lines

    def ask(self):
        values = {name: self.value(name) for name in self.parameters}
        lines = []
        if "state->id" in values.values():
            lines.append(f"if (!id_parse(task_path_parameter(task, 0), &state->id))\n\t\treturn {self.missing()};")
        arguments = ["task_new_query(task)"]
        if values:
            members = "".join(f"\n\t\t.{name} = {value}," for name, value in values.items())
            arguments.append(f"&(struct {self.statement}_parameters){{{members}\n\t}}")
        arguments += ["&state->row"] if self.row else []
        return [*lines, f"statement_{self.statement}({', '.join(arguments)});",
                f"return task_query(task, {self.name}_reply);"]

    def function(self, name, lines):
        text = "\n".join(f"\t{line}" for line in lines)
        state = f"\tstruct {self.name}_state *state = task_state(task);\n" if "state->" in text else ""
        gap = "\n" if state else ""
        return f"static struct step_result {self.name}_{name}(struct task *task)\n{{\n{state}{gap}{text}\n}}\n\n"

    def source(self):
        members = [f".handler = {self.name}_ask"]
        text = f"\n/* {self.operation.method.upper()} {self.operation.path} */\n"
        if self.state():
            text += f"struct {self.name}_state {{\n" + "".join(f"\t{line}\n" for line in self.state()) + "};\n\n"
            members.append(f".state_size = sizeof(struct {self.name}_state)")
        members += [f".refused = {self.said['refused']}"] if "refused" in self.said else []
        members += [f".kept_as = READ_{self.said['kept'].upper()}"] if "kept" in self.said else []
        return (text + self.function("reply", self.reply()) + self.function("ask", self.ask())
                + f"ENDPOINT_{self.name.upper()}({', '.join(members)});\n")


def read(document, folder, layer):
    """Returns the endpoints to make."""
    return [Endpoint(document, one, folder, layer) for one in document.operations if "statement" in one.facts]


def codes(operation):
    """Returns the code of a 404 that the endpoint itself answers."""
    missing = operation.facts.get("statement", {}).get("missing", {})
    return [] if missing == "refuse" else list(missing)


def source(endpoints, layer):
    """Returns C to append to that of lists; nothing if there are no endpoints."""
    if not endpoints:
        return ""
    headers = sorted({one.header for one in endpoints} - {None})
    includes = "".join(f'#include "{name}"\n' for name in ("delivery/delivery.h", *INCLUDES[layer], *headers))
    return ("\n/* Made by tools/statement_endpoints.py. */\n" + includes + "".join(one.source() for one in endpoints))
