"""Reads the description of the API, docs/api, and holds it against its own rules.

A document has a folder: document.yaml, and a file for each group of operations, which document.yaml
lists. What both documents have stands in shared.yaml, with "x-displayd-pages-only" where the public
one lacks a property. The files are OpenAPI 3.1, with short forms (short_forms.py); what follows from the facts of
an operation is left out, and the members "x-displayd-..." say these facts:

    endpoint       the endpoint in C; docs/api is where its facts stand
    access         who may call it (task/access.h); document.yaml has the usual one
    operator       the operator may call it through the private socket, and no listener else has
                   that role (access_operator); all: also without naming an account, for the objects of all
    bridge         the bridge to MQTT may call it for an account (access_bridge)
    other-origins  pages of other sites may call it, too
    same-as        the endpoint whose handler, resource and body it has
    key-level      the scope that an API key needs: push, devices, all; devices is the usual one
    device-key     the device's own key opens it, too, where its owner allows that
    key-devices    without a device in the path: what a key for chosen devices reaches. account: the whole
                   account, so such a key gets 403; only: TEXT: nothing but its devices, and how; none: no
                   device is concerned
    resource       what the pre-handler checks read by the path: device, app
    record         the record that reads the body
    body-limit     page, rotation, settings, upload, app, lines, request: LIMIT_..._BODY_BYTES
    untyped-body   a body is JSON whatever its Content-Type says
    picture-body   a body may also be the bytes of a picture; the other members come from the query then
    rate           device: there is the rate limit of a single device, too
    list, statement    it needs nothing but its statement, so it has no C (list_endpoints.py, statement_endpoints.py)
    tag            settings: the answer has the tag of a device's settings; installation: that of an
                   installation; none: it has no tag
    conditions     settings: compared with that tag; own: the handler compares them
    command        displayctl's commands that ask it (operation_commands.py)
    without        statuses that the rules give and that cannot be
    problem        of a response: its example, as a problem (RFC 9457), by its code
    problems       codes of its problems that do not follow from the other facts (problem_kinds.py); with
                   same-as, those of the other operation are its own
    item-problems  codes that stand in a successful answer, beside items that failed
    records        of a schema: structs and tables of C (record_schemas.py); exported: its line of an export (exported.py)
    example        of a schema: the example of every body that is one, where it differs from the examples of
                   the schemas that it is made of; of a body: where it differs from its schema's
"""

import pathlib
import re

import yaml

import problem_kinds
import short_forms

METHODS = ("get", "put", "post", "patch", "delete")
FACTS = {
    "endpoint": None, "access": None, "same-as": None, "record": None, "without": None, "command": None, "problems": None,
    "item-problems": None,
    "operator": [True, "all"], "bridge": [True], "other-origins": [True], "untyped-body": [True], "picture-body": [True],
    "device-key": [True], "resource": ["device", "app"],
    "key-level": ["push", "devices", "all"],
    "body-limit": ["page", "rotation", "settings", "upload", "app", "lines", "request"], "rate": ["device"],
    "key-devices": None, "list": None, "statement": None, "tag": ["settings", "installation", "none"], "conditions": ["settings", "own"],
}
KINDS = ("securitySchemes", "parameters", "headers", "responses", "schemas")
PREFIX = "x-displayd-"


class Fault(problem_kinds.Fault):
    """Fault of the description, as a sentence."""


class Mapping(dict):
    """A mapping that knows its place: file and line."""


class Loader(yaml.CSafeLoader):
    """YAML with the types of JSON: 22:30 and on are text (YAML 1.2, section 10.2)."""

    yaml_implicit_resolvers = {}

    def mapping(self, node):
        pairs = [(self.construct_object(key), key) for key, _ in node.value]
        for index, (key, at) in enumerate(pairs):
            if not isinstance(key, str):
                raise Fault(f"{place(at)}: the name {key} is to stand in quotation marks")
            if key in [name for name, _ in pairs[:index]]:
                raise Fault(f"{place(at)}: {key} stands twice")
        made = Mapping(self.construct_mapping(node, deep=True))
        made.place = place(node)
        return made


def place(node):
    return f"{node.start_mark.name}:{node.start_mark.line + 1}"


for tag, pattern, first in (
        ("null", r"null", "n"), ("bool", r"true|false", "tf"),
        ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
        ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-0123456789")):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^({pattern})$"), list(first))
Loader.add_constructor("tag:yaml.org,2002:map", Loader.mapping)


def load(path):
    with open(path, encoding="utf-8") as file:
        try:
            return short_forms.expand(yaml.load(file, Loader))
        except yaml.YAMLError as error:
            raise Fault(f"{path}: {error}") from None


class Operation:
    """An operation: its path and method, its description, and its facts."""

    def __init__(self, group, path, method, said, shared_parameters, usual_access):
        self.group = group
        self.path = path
        self.method = method
        self.said = said
        self.name = f"{group}.yaml: {method.upper()} {path}"
        self.facts = {key.removeprefix(PREFIX): value for key, value in said.items()
                      if key.startswith(PREFIX)}
        self.facts.setdefault("access", usual_access)
        self.parameters = shared_parameters + said.get("parameters", [])
        self.shared_parameters = shared_parameters
        self.changes = method != "get"
        self._check()

    def _check(self):
        for fact, value in self.facts.items():
            if fact not in FACTS:
                raise Fault(f"{self.name}: nobody knows {PREFIX}{fact}")
            if FACTS[fact] and value not in FACTS[fact]:
                raise Fault(f"{self.name}: {PREFIX}{fact} is one of {FACTS[fact]}, and not {value}")
        for name in ("operationId", "summary", "description", "responses", PREFIX + "endpoint"):
            if name not in self.said:
                raise Fault(f"{self.name}: {name} is missing")
        if "record" in self.facts and "requestBody" not in self.said:
            raise Fault(f"{self.name}: a record reads its body, but there is no requestBody")
        self._check_key_devices()

    def _check_key_devices(self):
        """Checks that a key for chosen devices is known to be kept to them."""
        reach = self.facts.get("key-devices")
        is_for_keys = self.facts["access"].endswith("api_key") or "bridge" in self.facts
        is_checked = self.facts.get("resource") == "device" or (
            "same-as" in self.facts and "{deviceId}" in self.path)
        if reach is not None and (is_checked or not is_for_keys):
            raise Fault(f"{self.name}: {PREFIX}key-devices is for calls of keys without a device in the path")
        if is_checked or not is_for_keys:
            return
        if "{deviceId}" in self.path:
            raise Fault(f"{self.name}: without {PREFIX}resource: device nothing checks the path's device")
        if reach not in ("account", "none") and not (
                isinstance(reach, dict) and list(reach) == ["only"] and isinstance(reach["only"], str)):
            raise Fault(f"{self.name}: what may a key for chosen devices do? {PREFIX}key-devices is account, "
                        "none or only: TEXT")

    @property
    def endpoint(self):
        return self.facts["endpoint"]

    def takes(self, name):
        return ref("parameters", name) in self.parameters


class Document:
    """A document: the contents of its folder and of shared.yaml."""

    def __init__(self, folder, name):
        self.name = name
        self.files = [folder / "shared.yaml", folder / name / "document.yaml", folder / "problems.yaml"]
        self.shared = load(self.files[0])
        self.head = load(self.files[1])
        self.problems = read_problems(folder)
        self.public = self if name == "public" else Document(folder, "public")
        self.files += [path for path in self.public.files if path not in self.files]
        self.components = {kind: dict(self.head["components"].get(kind, {})) for kind in KINDS}
        self.groups = {}
        self.operations = []
        for group in self.head[PREFIX + "groups"]:
            self._read_group(folder / name / f"{group}.yaml", group)
        for kind, named in self.shared["components"].items():
            self.components[kind] |= {key: value for key, value in named.items() if key not in self.components[kind]}
        short_forms.complete([self.components, *(one.said for one in self.operations)], self.components["schemas"])
        self._check()

    def _read_group(self, path, group):
        said = load(path)
        self.files.append(path)
        self.groups[group] = said["description"]
        for target, methods in said["paths"].items():
            for method in methods:
                if method != "parameters" and method not in METHODS:
                    raise Fault(f"{path}: {target}: {method} is no method")
                if method != "parameters":
                    self.operations.append(
                        Operation(group, target, method, methods[method],
                                  methods.get("parameters", []), self.head[PREFIX + "access"]))
        for kind, named in said.get("components", {}).items():
            for key, value in named.items():
                if key in self.components[kind]:
                    raise Fault(f"{path}: {kind}/{key} stands twice")
                self.components[kind][key] = value

    def _check(self):
        seen = set()
        for operation in self.operations:
            for key in ((operation.path, operation.method), operation.said["operationId"],
                        "endpoint " + operation.endpoint):
                if key in seen:
                    raise Fault(f"{operation.name}: {key} stands twice")
                seen.add(key)
        self._check_same()

    def _check_same(self):
        """Checks what an operation for keys takes from another one: all but its name and access."""
        facts = {one.endpoint: one.facts for one in self.operations}
        for operation in self.operations:
            other = facts.get(operation.facts.get("same-as"))
            if other is None:
                continue
            if other.get("key-devices") != operation.facts.get("key-devices"):
                raise Fault(f"{operation.name}: {PREFIX}key-devices differs from that of {operation.facts['same-as']}")
            if "{deviceId}" in operation.path and other.get("resource") != "device":
                raise Fault(f"{operation.name}: {operation.facts['same-as']} does not check the path's device")

    def original(self, operation):
        """Returns the operation whose handler this one has: that of same-as, or itself."""
        name = operation.facts.get("same-as", operation.endpoint)
        for one in (*self.operations, *self.public.operations):
            if one.endpoint == name:
                return one
        raise Fault(f"{operation.name}: nothing describes endpoint_{name}, which {PREFIX}same-as names")

    def kind(self, operation, code):
        """Returns the kind of problem that an operation names."""
        if code not in self.problems:
            raise Fault(f"{operation.name}: problems.yaml has no {code}")
        return self.problems[code]

    def followed(self, said):
        return self.component(said["$ref"]) if "$ref" in said else said

    def component(self, pointer):
        """Finds the component of a reference, such as "#/components/schemas/Device"."""
        _, _, kind, name = pointer.split("/")
        if name not in self.components.get(kind, {}):
            raise Fault(f"{self.name}: there is no {pointer}")
        return self.components[kind][name]


def read_problems(folder):
    """Returns the kinds of problems: {code: {"status", "about"}}."""
    kinds = load(pathlib.Path(folder) / "problems.yaml")
    problem_kinds.check(kinds)
    return kinds


def read(folder, name):
    """name: public or pages."""
    return Document(pathlib.Path(folder), name)


def ref(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


# ---- what follows from the facts ----


def errors(document, operation):
    """Returns {status: name of the response}, without responses that cannot occur."""
    follows = {"429": "TooManyRequests", "503": "ServiceUnavailable"}
    queries = any(document.followed(one)["in"] == "query" for one in operation.parameters)
    if tag_header(operation) and not operation.changes:
        follows["304"] = tag_header(operation).replace("ETag", "NotModified")
    if operation.changes or queries:
        follows["400"] = "BadRequest"
    if operation.facts["access"] != "visitor":
        follows["401"] = "Unauthorized"
    follows["403"] = "Forbidden"
    if "{" in operation.path:
        follows["404"] = "NotFound"
    if operation.changes:
        follows |= {"412": "PreconditionFailed", "415": "UnsupportedMediaType"}
    if "requestBody" in operation.said:
        follows |= {"408": "RequestTimeout", "413": "ContentTooLarge"}
    for status in operation.facts.get("without", []):
        if status not in follows:
            raise Fault(f"{operation.name}: {status} does not follow from anything")
        del follows[status]
    return follows


def tag_header(operation):
    """Returns the header that describes the answer's entity tag; None: it has none."""
    tag = operation.facts.get("tag")
    if tag == "settings":
        return "DeviceETag"
    if tag == "installation":
        return "InstallationETag"
    if tag == "none" or operation.changes:
        return None
    return "ListETag" if operation.takes("Limit") else "ETag"


def codes(document, operation):
    """Returns the codes of the operation's problems, in alphabetical order."""
    answers = {int(status) for status in {**errors(document, operation), **operation.said["responses"]}}
    queries = any(document.followed(one)["in"] == "query" for one in operation.parameters)
    original = document.original(operation)
    facts = operation.facts | {name: original.facts.get(name) for name in ("resource", "statement")}
    found = problem_kinds.following(facts, operation.changes, queries)
    if original is not operation:
        found += original.facts.get("problems", [])
    found = {code for code in found if document.problems[code]["status"] in answers}
    for code in operation.facts.get("problems", []):
        if document.kind(operation, code)["status"] not in answers:
            raise Fault(f"{operation.name}: {code} has a status that the operation does not answer")
        if code in found:
            raise Fault(f"{operation.name}: {code} follows from the other facts, or stands twice")
        found.add(code)
    for code in original.facts.get("item-problems", []):
        document.kind(operation, code)
        found.add(code)
    return sorted(found)
