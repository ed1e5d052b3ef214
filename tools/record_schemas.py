"""Reads the records that the schemas of docs/api describe. A schema names its records:

    x-displayd-records: {webhook: {rows: true}}

A record's members are the properties in their order. What it may say:

    like        a record of the same schema that has the facts that this one leaves out
    struct      struct of the record; its own name is the usual one. Structs have the members of all their records
    file        FILE; the usual one is the name of the struct
    by-hand     the struct stands in domain/FILE.h, since it has members that no description has
    rows        its members have columns, but those of type "any" do not
    sets        {member: type}: members that only C sets, such as those of its check
    columns     {column: type}: columns without a property, after the others; {column: {type: T, nullable: true,
                member: NAME, before: PROPERTY}}
    from, to    the first and the last property
    as-shown    [name, ...]: members that only show, which a body may have as they are shown: shown[0], shown[1], ...
    body        true: it is a body, although no operation names the schema itself
    private     true: it has the properties that are x-displayd-pages-only; false: its table only
    check       function that checks a body's members together
    has         other facts of struct record: empty-is-absent, takes-whole

What a property leaves out, the property of the same name in another schema of the same struct says. A schema
whose operation sends it is a body; x-displayd-changes: NAME says that it changes the members of
the records of the schema NAME, which then have both. A property may say:

    x-displayd-type      id, int2, int4, int8, json, any, bytes, str: if its JSON type leaves this open
    x-displayd-member    member of the struct; else its name in snake case, after the names of the objects
                         around it, with "_us" for a time and "_minute" for a clock
    x-displayd-column    its column; else the last part of the member without "_us". false: none
    x-displayd-check     function that checks a text
    x-displayd-bounds    false: its check has its bounds
    x-displayd-nullable  whether its column may be NULL, if the property says something else
    x-displayd-null-if   of an object: the member that says that it is null
    x-displayd-none      text instead of null
    x-displayd-past      a time of the future is read as the present

plain_settings.py and exported.py have further facts.
"""

import re

import operations

TYPES = {"bool": "bool", "str": "struct str", "id": "struct id", "bytes": "struct str", "json": "struct str",
         "any": "const struct json_value *"}
FACTS = {"type": ["id", "int", "int2", "int4", "int8", "json", "any", "bytes", "str"], "member": None, "column": None,
         "check": None, "bounds": [False], "nullable": [True, False], "null-if": None, "none": None, "past": [True],
         "pages-only": [True], "example": None, "not-exported": None, "exported-as": None, "exported-type": ["str"], "exported": None, "records": None, "changes": None, "designed": [True],
         "plain-form": None}
OPTIONS = {"like", "struct", "file", "by-hand", "rows", "body", "sets", "columns", "from", "to", "private", "check", "has", "as-shown"}
INHERITED = {"type", "member", "column", "check", "bounds", "nullable", "null-if", "none", "past"}
PREFIX = operations.PREFIX
CLOCK = "^([01][0-9]|2[0-3]):[0-5][0-9]$"


def fault(said, text):
    raise operations.Fault(f"{getattr(said, 'place', 'docs/api')}: {text}")


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


class Property:
    """A property of a schema, with what its references say."""

    def __init__(self, document, name, said, is_required, known=None):
        """known: facts of earlier properties of this name."""
        self.name, self.said, self.is_required = name, said, is_required
        whole = {**(known or {}), **said}
        while "$ref" in whole:
            whole = {**document.component(whole["$ref"]), **{key: one for key, one in whole.items() if key != "$ref"}}
        choices = whole.get("anyOf", [])
        self.is_nullable = any(one.get("type") == "null" for one in choices)
        if self.is_nullable and len(choices) == 2:
            first = next(one for one in choices if one.get("type") != "null")
            whole = {**(document.component(first["$ref"]) if "$ref" in first else first), **whole}
        types = whole.get("type")
        self.types = [one for one in (types if isinstance(types, list) else [types]) if one != "null"]
        self.is_nullable |= isinstance(types, list) and "null" in types
        self.whole = whole
        self.facts = {key.removeprefix(PREFIX): value for key, value in whole.items() if key.startswith(PREFIX)}
        for fact, value in self.facts.items():
            if fact not in FACTS or (FACTS[fact] and value not in FACTS[fact]):
                fault(said, f"{name}: {PREFIX}{fact}: {value} means nothing here")

    def is_object(self):
        return self.types == ["object"] and "properties" in self.whole and "type" not in self.facts

    def kind(self, is_body):
        if "type" in self.facts:
            return self.facts["type"]
        if self.whole.get("pattern") == CLOCK and not (is_body and self.is_nullable):
            return "clock"
        if is_body and (self.is_nullable or self.types not in (["boolean"], ["integer"], ["string"])):
            return "any"
        if self.types == ["string"]:
            formats = {} if is_body else {"date-time": "timestamp", "uuid": "id"}
            return formats.get(self.whole.get("format"), "str")
        kinds = {"boolean": "bool", "integer": "int", "array": "json", "object": "json"}
        if len(self.types) != 1 or self.types[0] not in kinds:
            fault(self.said, f"{self.name}: say its {PREFIX}type")
        return kinds[self.types[0]]

    def member(self, prefix, kind):
        """The name of the member of the struct."""
        suffix = {"timestamp": "_us", "clock": "_minute"}.get(kind, "")
        return self.facts.get("member", prefix + snake(self.name) + suffix)

    def bounds(self, kind):
        names = {"str": ("minLength", "maxLength")}.get(kind, ("minimum", "maximum"))
        if (kind != "str" and not kind.startswith("int")) or self.facts.get("bounds") is False:
            return []
        least, most = (self.whole.get(name) for name in names)
        if least is not None and most is None:
            fault(self.said, f"{self.name}: {names[0]} without {names[1]}")
        return [] if most is None else [f".minimum = {least or 0}", f".maximum = {most}"]


class Field:
    """A line of a table."""

    def __init__(self, kind, member, options, about="", place=None):
        self.kind, self.member, self.options, self.about, self.place = kind, member, options, about, place

    def c_type(self):
        return TYPES.get(self.kind, "int64_t")

    def text(self, struct):
        if self.kind in ("open", "close"):
            return f"RECORD_{self.kind.upper()}({', '.join(self.options)})"
        return f"RECORD_{self.kind.upper()}({', '.join([f'struct {struct}', self.member, *self.options])})"


KNOWN = {}  # {(struct, name): facts of the properties of this name in all schemas of the struct}


def learn(schema):
    """Notes what the properties of a schema say, objects left out, for others of the same struct."""
    structs = [options.get("struct", options.get("like", name)) for name, options in schema[PREFIX + "records"].items()]
    for name, said in schema.get("properties", {}).items():
        for known in [KNOWN.setdefault((struct, name), {}) for struct in structs if not {"properties", "anyOf"} & set(said)]:
            for key, value in said.items():
                if key.startswith(PREFIX) and key.removeprefix(PREFIX) in INHERITED:
                    known.setdefault(key, value)


def properties(document, schema, options, struct=None):
    """Returns the properties of a schema from the first to the last one that the options name."""
    said = schema.get("properties", {})
    for end in ("from", "to"):
        if end in options and options[end] not in said:
            fault(schema, f"{end}: there is no property {options[end]}")
    names = list(said)
    first = names.index(options["from"]) if "from" in options else 0
    last = names.index(options["to"]) if "to" in options else len(names) - 1
    required = schema.get("required", [])
    return [Property(document, name, said[name], name in required, KNOWN.get((struct, name)))
            for name in names[first:last + 1]]


class Record:
    """A record: its fields, and what it says of its struct."""

    def __init__(self, document, schema, name, options, is_body, changes):
        for option in set(options) - OPTIONS:
            fault(schema, f"{name}: {option} means nothing here")
        self.name, self.options, self.about = name, options, schema.get("description", "")
        self.struct = options.get("struct", name)
        self.file = options.get("file", self.struct)
        self.is_body = is_body or bool(options.get("body"))
        self.schema, self.fields, self.left = schema, [], dict(changes)
        self.columns = dict(options.get("columns", {}))
        for one in properties(document, schema, options, self.struct):
            for column in [name for name, said in self.columns.items() if isinstance(said, dict) and said.get("before") == one.name]:
                self._add_column(column)
            self._add(document, one, "", False)
        for column in list(self.columns):
            self._add_column(column)
        for i, member in enumerate(options.get("as-shown", [])):
            self.fields.append(Field("any", f"shown[{i}]", [f'.body = "{member}"', ".is_alias = true"]))

    def _add_column(self, column):
        """Adds a column that no property has."""
        said = self.columns.pop(column)
        said = said if isinstance(said, dict) else {"type": said}
        member = said.get("member", column + ("_us" if said["type"] == "timestamp" else ""))
        options = [f'.column = "{column}"'] + ([".nullable = true"] if said.get("nullable") else [])
        self.fields.append(Field(said["type"], member, options))

    def _add(self, document, one, prefix, is_private):
        is_private |= bool(one.facts.get("pages-only"))
        if one.is_object() and not self.is_body:
            self._add_object(document, one, prefix, is_private)
            return
        kind = one.kind(self.is_body)
        member = one.member(prefix, kind)
        body = one if self.is_body else self.left.pop(one.name if not prefix else None, None) or self.left.pop(member, None)
        options = [] if self.is_body else [f'.name = "{one.name}"']
        options += [f'.body = "{body.name}"'] if body else []
        column = one.facts.get("column", member.rpartition(".")[2].removesuffix("_us"))
        if self.options.get("rows") and column is not False and kind != "any":
            if kind == "int":
                fault(one.said, f"{one.name}: say its {PREFIX}type, int2, int4 or int8: it is in rows")
            options.append(f'.column = "{column}"')
        options += [".required = true"] if self.is_body and one.is_required else []
        options += self._presence(one) if not self.is_body else []
        options += [".is_past = true"] if "past" in one.facts else []
        options += [".is_private = true"] if is_private and "private" in self.options else []
        if body:
            options += body.bounds(kind)
            options += [f".check = {body.facts['check']}"] if "check" in body.facts and kind == "str" else []
        self.fields.append(Field(kind, member, options, one.whole.get("description", ""), one.said))

    def _presence(self, one):
        is_nullable = one.is_nullable or not one.is_required or "none" in one.facts
        options = [".nullable = true"] if one.facts.get("nullable", is_nullable) else []
        options += [".is_optional = true"] if not one.is_required else []
        return options + ([f'.none = "{one.facts["none"]}"'] if "none" in one.facts else [])

    def _add_object(self, document, one, prefix, is_private):
        options = [f'.name = "{one.name}"']
        if one.is_nullable:
            flag = one.facts.get("null-if")
            if not flag:
                fault(one.said, f"{one.name}: say by {PREFIX}null-if which member says that it is null")
            if flag in self.columns:
                self._add_column(flag)
            options += [".nullable = true", f".offset = offsetof(struct {self.struct}, {flag})"]
        self.fields.append(Field("open", None, options))
        inner = one.facts.get("member", snake(one.name))
        for part in properties(document, one.whole, {}):
            self._add(document, part, f"{inner}_" if inner else "", is_private)
        self.fields.append(Field("close", None, []))

    def checks(self):
        return [option.removeprefix(".check = ") for field in self.fields for option in field.options
                if option.startswith(".check = ")]

    def table(self):
        return [field.text(self.struct) for field in self.fields]


def read_records(documents):
    """Returns the records of all schemas."""
    schemas = {}
    for document in documents:
        for name, schema in document.components["schemas"].items():
            if PREFIX + "records" in schema and schema.place not in schemas:
                schemas[schema.place] = (document, name, schema)
                learn(schema)
    bodies, changes = set(), {}
    for document in documents:
        check_operations(document)
        bodies |= {document.component(body["$ref"]).place for body in
                   (body_schema(document, operation) for operation in document.operations) if "$ref" in body}
        changes |= {document.component(f"#/components/schemas/{schema[PREFIX + 'changes']}").place: schema
                    for schema in document.components["schemas"].values() if PREFIX + "changes" in schema}
    return [record for place, (document, name, schema) in schemas.items()
            for record in records_of(document, name, schema, place in bodies, changes.get(place))]


def check_operations(document):
    """Checks that an operation reads its body by a record of the body's schema."""
    for operation in document.operations:
        body, record = body_schema(document, operation), operation.facts.get("record", "").removesuffix("_record")
        schema = document.component(body["$ref"]) if "$ref" in body else {}
        if PREFIX + "records" in schema and record and record not in schema[PREFIX + "records"]:
            fault(schema, f"{operation.method.upper()} {operation.path} reads it by {record}_record, which is none of its records")


def body_schema(document, operation):
    body = document.followed(operation.said.get("requestBody", {}))
    return body.get("content", {}).get("application/json", {}).get("schema", {})


def records_of(document, name, schema, is_body, change):
    """Returns the records of a schema. change: the schema that changes their members, or None."""
    parts, left = [], {}
    if change:
        left = {one.name: one for one in properties(document, change, {})}
        left |= {one.member("", one.kind(True)): one for one in left.values() if one.name not in schema["properties"]}
    taken = set()
    for record, options in schema[PREFIX + "records"].items():
        if "like" in options:
            options = {"struct": options["like"], **schema[PREFIX + "records"][options["like"]], **options}
        one = Record(document, schema, record, options, is_body, left)
        taken |= set(left) - set(one.left)
        parts.append(one)
    for body in {id(one): one for one in left.values()}.values():
        if not {body.name, body.member("", body.kind(True))} & taken:
            fault(body.said, f"{body.name}: no record of {name} has this member")
    return parts
