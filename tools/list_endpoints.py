"""Makes the endpoints of lists that need nothing but their statement. An operation says

    x-displayd-list: {cursor: o}

and sql/query has a file of its endpoint's name (tools/statement_lists.py). The members:

    name      the statement, if it has another name than the endpoint
    cursor    letter of the list's cursors, as yet unused; it is the first byte of the decoded example of CursorOf....
              none: the statement has no "list:", and the list no parts
    record    record of an element, if it is not the first one of the row
    gzip      true: the list is sent in gzip to callers that accept it
    envelope  member of the object in which the array lies
    kept      kind under which the answer is cached: devices, installations

Parameters of the statement have the names of SOURCES. Those of the query, other than limit and cursor, are texts
(wanted, category, view, in this order), and a switch, whose "enum" is true and false (with_broken).
"""

import pathlib

import problem_kinds
import statement_header

MEMBERS = {"name", "cursor", "record", "gzip", "envelope", "kept"}
SOURCES = {
    "account_id": "task_account_id(task)", "by_operator": "task_is_of_operator(task)", "app_id": "task_app(task)->id", "chosen_ids": "task_key_devices(task)",
    "device_id": "task_device(task)->id", "current_id": "web_session_id(task)",
    "idle_s": "LIMIT_SESSION_IDLE_S", "life_s": "LIMIT_SESSION_S", "lasting_s": "LIMIT_SESSION_LASTING_S",
    "wanted": "choice->texts[0]",
    "category": "choice->texts[1]", "view": "choice->texts[2]", "with_broken": "choice->is_on",
}


def words(schema):
    """Returns the members of a parameter that limit its texts."""
    texts = schema.get("enum", [])
    if texts == ["true", "false"]:
        return ", .is_switch = true"
    return ", .words = {" + ", ".join(f'"{text}"' for text in texts) + "}" if texts else ""


class Endpoint:
    def __init__(self, document, operation, folder):
        self.name, self.operation = operation.endpoint, operation
        self.said = operation.facts["list"]
        self.statement = self.said.get("name", self.name) if isinstance(self.said, dict) else self.name
        self.file = pathlib.Path(folder) / f"{self.statement}.sql"
        if not isinstance(self.said, dict) or set(self.said) - MEMBERS:
            raise problem_kinds.Fault(f"{operation.name}: x-displayd-list has {', '.join(sorted(MEMBERS))} only")
        fields = statement_header.read_header(
            statement_header.split_header(self.file.read_text(encoding="utf-8"))[0])[0]
        self.row = [item.strip() for value in fields["row"] for item in value.split(",")]
        self.parameters = [item.split()[0] for value in fields["params"] for item in value.split(",")]
        self.has_parts = bool(fields["list"])
        if self.has_parts != ("cursor" in self.said) or self.has_parts != operation.takes("Limit"):
            raise problem_kinds.Fault(f"{operation.name}: a list with parts has 'list:', a cursor and a limit")
        for name in self.parameters:
            if name not in SOURCES:
                raise problem_kinds.Fault(f"{self.file}: nobody knows where '{name}' comes from")
        self.choices = [one for one in map(document.followed, operation.parameters)
                        if one["in"] == "query" and one["name"] not in ("limit", "cursor")]

    def list_members(self):
        members = [f".letter = '{self.said['cursor']}'"] if self.has_parts else []
        if self.choices:
            members.append(".parameters = {" + ", ".join(
                f'{{"{one["name"]}"{words(one["schema"])}}}' for one in self.choices) + "}")
        members.append(f".ask = ask_{self.name}")
        if self.has_parts:
            members.append(f".order = &{self.statement}_order")
        if "record" not in self.said and len(self.row) > 1:
            members.append(f".unshown_columns = {len(self.row) - 1}")
        if self.said.get("gzip"):
            members.append(".is_compressed = true")
        members.append(f".record = &{self.record()}")
        if "envelope" in self.said:
            members.append(f'.envelope = "{self.said["envelope"]}"')
        return members

    def record(self):
        return self.said.get("record", f"{self.row[0]}_record")

    def endpoint_members(self):
        members = [f".handler = reply_{self.name}"]
        if self.choices:
            members.append(".state_size = sizeof(struct list_choice)")
        if "kept" in self.said:
            members.append(f".kept_as = READ_{self.said['kept'].upper()}")
        return members

    def source(self):
        arguments = ["query"]
        if self.parameters:
            values = "".join(f"\n\t\t.{name} = {SOURCES[name]}," for name in self.parameters)
            arguments.append(f"&(struct {self.statement}_parameters){{{values}\n\t}}")
        arguments.append("range" if self.has_parts else "NULL")
        text = f"\n/* GET {self.operation.path} */\n"
        if "record" in self.said:
            text += f"extern const struct record {self.record()};\n"
        text += f"static void ask_{self.name}(struct task *task, struct db_query *query, const struct list_range *range)\n{{\n"
        text += "\tconst struct list_choice *choice = task_state(task);\n\n" if self.choices else ""
        text += "".join(f"\t(void){name};\n" for name, used in (("task", self.parameters), ("range", self.has_parts)) if not used)
        text += f"\tstatement_{self.statement}({', '.join(arguments)});\n}}\n\n"
        text += f"static const struct task_list {self.name} = {{\n\t" + ",\n\t".join(self.list_members()) + ",\n};\n\n"
        text += (f"static struct step_result reply_{self.name}(struct task *task)\n{{\n"
                 f"\treturn task_reply_list(task, &{self.name});\n}}\n\n")
        return text + f"ENDPOINT_{self.name.upper()}({', '.join(self.endpoint_members())});\n"


def read(document, folder):
    """Returns the endpoints to make."""
    return [Endpoint(document, one, folder) for one in document.operations if "list" in one.facts]


def source(endpoints, layer):
    """Returns the C file with the endpoints."""
    accesses = sorted({one.operation.facts["access"] for one in endpoints} - {"none"})
    return ('/* Made by tools/list_endpoints.py. */\n'
            f'#include "{layer}/operations.h"\n#include "base/limits.h"\n#include "task/access.h"\n#include "task/list.h"\n'
            + ('#include "web/access.h"\n\n' if layer == "web" else "\n")
            + "".join(f"extern const struct access access_{name};\n" for name in accesses)
            + "".join(one.source() for one in endpoints))
