"""Writes the short forms of docs/api out, as OpenAPI says the same. The long ones may stand there, too.

Schemas, where OpenAPI has a schema:

    Clock                   {$ref: "#/components/schemas/Clock"}, also as $ref: Clock beside other members
    type: TEXT or null      type: [TEXT, "null"]
    type: NAME or null      anyOf: [{$ref: ...}, {type: "null"}], if the name is that of a schema
    type: list of NAME      type: array, with items
    type: time              a string with the format date-time, and an example
    type: uuid              a string with the format uuid, and its length
    type: integer 0 to 100  with minimum and maximum; "integer from 1" has only a minimum. Of a string: minLength, maxLength
    fields: {...}           properties of an object that has no others; all are required, but name? is not
    optional: {...}         the same, and none is required
    name: as in Lamp        a property as the schema Lamp has it, without its facts; {as: Lamp, ...} has further members

Operations:

    x-displayd: {endpoint: lamp_get, operator}      x-displayd-endpoint: lamp_get, x-displayd-operator: true; of schemas, too
    body: Lamp                                      requestBody with the schema, as JSON
    body: {schema: Lamp, usual: {...}}              the same, and the example of a usual body
    answer: {Lamp: The lamp.}                       the response 200 with its description and schema, as JSON
    answer: {list of Lamp: The lamps., Conflict: 409}       a list; and the response #/components/responses/Conflict
    created: {Lamp: The lamp.}                      as answer, 201
    content: Lamp, or {schema: ..., example: ...}   of a response: JSON
    parameters: [Limit]                             references. A path has those of its braces, if neither itself nor an
                                                    operation has others: {lampId} is #/components/parameters/LampId

Parameters and headers:

    path: lampId            name: lampId, in: path, required: true. With query or header it is not required.
                            A parameter without a schema is a string
    cursor: lamps           the parameter "cursor" of the list of lamps, with its description
    headers: [RateLimit]    references
"""

import re

import problem_kinds

PREFIX = "x-displayd"
PLACES = {"path": True, "query": False, "header": False}  # of parameters: whether they are required
TIME = {"before": {"type": "string", "format": "date-time"}, "after": {"examples": ["2026-11-20T08:15:30.123Z"]}}
UUID = {"before": {"type": "string", "format": "uuid", "minLength": 36, "maxLength": 36}, "after": {}}
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string", "time", "uuid")
BOUNDED = re.compile(r"(integer|string) (?:(\d+) to (\d+)|from (\d+))")
CURSOR = ("Start of the part: follow the `Link` of the previous part. Opaque; it stays valid when elements are added or "
          "removed. Ignored without `limit`. Valid only for the list of {}.")
AS = PREFIX + "-as"
SCHEMA_LISTS = ("oneOf", "anyOf", "allOf")
SCHEMA_MAPS = ("properties", "fields", "optional")
SCHEMAS = ("items", "additionalProperties", "not", "if", "then", "else")


def like(said, members):
    """Returns a mapping of the members with the place of another one: file and line."""
    made = type(said)(members)
    if hasattr(said, "place"):
        made.place = said.place
    return made


def fault(said, text):
    raise problem_kinds.Fault(f"{getattr(said, 'place', 'docs/api')}: {text}")


def is_name(text):
    return text[:1].isupper()


def reference(kind, name, said):
    return like(said, {"$ref": f"#/components/{kind}/{name}"})


def facts(said):
    return {f"{PREFIX}-{name}": True if value == "" else value for name, value in said.items()}


# ---- schemas ----


def typed(name, said):
    """Returns the members of a schema that a type stands for: those before and after the others."""
    name, _, null = name.partition(" or ")
    bounded = BOUNDED.fullmatch(name)
    if null not in ("", "null"):
        fault(said, f"a type is a name, or a name or null, and not {name} or {null}")
    if name.startswith("list of "):
        return {"type": "array"}, {"items": schema(name.removeprefix("list of "), said)}
    if is_name(name):
        return {"anyOf": [reference("schemas", name, said), like(said, {"type": "null"})]}, {}
    if bounded:
        name, least, most = bounded[1], bounded[2] or bounded[4], bounded[3]
        names = {"integer": ("minimum", "maximum"), "string": ("minLength", "maxLength")}[name]
        bounds = {key: int(value) for key, value in zip(names, (least, most)) if value}
    elif name not in TYPES:
        fault(said, f"there is no type {name}")
    whole = {"time": TIME, "uuid": UUID}.get(name, {"before": {"type": name}, "after": {}})
    types = {"type": [whole["before"]["type"], "null"]} if null else {}
    return whole["before"] | types | (bounds if bounded else {}), whole["after"]


def with_fields(said):
    """Returns an object's members with type, additionalProperties, required and properties."""
    key = "fields" if "fields" in said else "optional"
    required = [name for name in said[key] if not name.endswith("?")] if key == "fields" else []
    made = {name: value for name, value in said.items() if name.startswith(PREFIX)} | {"type": "object"}
    rest = {name: value for name, value in said.items() if name not in made}
    if "description" in rest:
        made["description"] = rest.pop("description")
    made["additionalProperties"] = False
    for name, value in rest.items():
        if name == key:
            made |= {"required": required} if required and "required" not in said else {}
            made["properties"] = like(value, {one.removesuffix("?"): each for one, each in value.items()})
        else:
            made[name] = value
    return like(said, made)


def property_of(said, around):
    if isinstance(said, str) and said.startswith("as in "):
        return like(around, {AS: said.removeprefix("as in ")})
    if isinstance(said, dict) and "as" in said:
        return schema(like(said, {AS: said["as"], **{key: one for key, one in said.items() if key != "as"}}), around)
    return schema(said, around)


def complete(said, schemas):
    """Writes out, in place, the properties that are as in another one of the schemas."""
    for value in said.values() if isinstance(said, dict) else said if isinstance(said, list) else ():
        complete(value, schemas)
    for name, value in (said.get("properties", {}) if isinstance(said, dict) else {}).items():
        if isinstance(value, dict) and AS in value:
            other = schemas.get(value[AS], {}).get("properties", {}).get(name, {})
            if not other or AS in other:
                fault(value, f"{value[AS]} has no {name} of its own")
            kept = {key: one for key, one in other.items() if not key.startswith(PREFIX)}
            said["properties"][name] = like(value, {**kept, **{key: one for key, one in value.items() if key != AS}})


def schema(said, around):
    """Returns a schema in its long form. around: the mapping that it stands in."""
    if isinstance(said, str):
        return reference("schemas", said, around) if is_name(said) else like(around, typed(said, around)[0])
    if not isinstance(said, dict):
        return said
    if "fields" in said or "optional" in said:
        said = with_fields(said)
    made, after = {}, {}
    for name, value in said.items():
        if name == PREFIX:
            made |= facts(value)
        elif name == "type" and isinstance(value, str):
            before, after = typed(value, said)
            made |= before
        elif name == "$ref" and "/" not in value:
            made |= reference("schemas", value, said)
        elif name in SCHEMA_MAPS:
            made[name] = like(value, {key: property_of(one, value) for key, one in value.items()})
        elif name in SCHEMA_LISTS:
            made[name] = [schema(one, said) for one in value]
        else:
            made[name] = schema(value, said) if name in SCHEMAS else value
    return like(said, made | after)


# ---- operations ----


def content(said):
    """Returns the content of a body or response."""
    if isinstance(said, str) or "schema" in said:
        said = {"application/json": {"schema": said} if isinstance(said, str) else said}
    made = {}
    for kind, one in said.items():
        made[kind] = {key: schema(value, {}) if key == "schema" else value for key, value in one.items() if key != "usual"}
        if "usual" in one:
            made[kind]["examples"] = {"default": {"summary": "A usual body", "value": one["usual"]}}
    return made


def responses_of(status, said):
    """Returns the responses of answer and created."""
    made = {}
    for name, text in (said if isinstance(said, dict) else {}).items():
        if isinstance(text, int):
            made[str(text)] = reference("responses", name, said)
            continue
        body = schema(name.removeprefix("list of "), said)
        if name.startswith("list of "):
            body = like(said, {"type": "array", "items": body, "description": text})
        made[status] = like(said, {"description": text, "content": {"application/json": {"schema": body}}})
    if status not in made:
        fault(said, f"the answer {status} is {{SCHEMA: DESCRIPTION}}, and not {said}")
    return made


def response(said):
    return with_headers({key: content(value) if key == "content" else value for key, value in said.items()}, said)


def operation(said):
    made = {}
    for name, value in said.items():
        if name == PREFIX:
            made |= facts(value)
        elif name == "body":
            made["requestBody"] = {"content": content(value)}
        elif name == "requestBody":
            made[name] = {key: content(one) if key == "content" else one for key, one in value.items()}
        elif name in ("answer", "created"):
            made.setdefault("responses", {}).update(responses_of({"answer": "200", "created": "201"}[name], value))
        elif name == "responses":
            made.setdefault(name, {}).update({status: response(one) for status, one in value.items()})
        else:
            made[name] = parameters(value, said) if name == "parameters" else value
    return like(said, made)


def path_item(path, said):
    made = {method: operation(one) if method != "parameters" else parameters(one, said) for method, one in said.items()}
    own = [one for each in made.values() if isinstance(each, dict) for one in each.get("parameters", [])]
    braced = [name[0].upper() + name[1:] for name in re.findall(r"{(\w+)}", path)]
    names = parameters(braced, said)
    if braced and "parameters" not in said and not any(one.get("in") == "path" or one in names for one in own):
        made = {"parameters": names, **made}
    return like(said, made)


# ---- components ----


def parameters(said, around):
    return [reference("parameters", one, around) if isinstance(one, str) else parameter(one) for one in said]


def parameter(said):
    if "cursor" in said:
        said = like(said, {"query": "cursor", "description": CURSOR.format(said["cursor"]),
                           **{name: one for name, one in said.items() if name != "cursor"}})
    made = {}
    for name, value in said.items():
        if name in PLACES:
            made |= {"name": value, "in": name, "required": PLACES[name]}
        else:
            made[name] = schema(value, said) if name == "schema" else value
        if name == "description" and set(PLACES) & set(said) and "schema" not in said:
            made["schema"] = like(said, {"type": "string"})
    return like(said, made)


def with_headers(made, said):
    if isinstance(made.get("headers"), list):
        made["headers"] = {name: reference("headers", name, said) for name in made["headers"]}
    return like(said, made)


def component(kind, said, around):
    if kind == "schemas":
        return schema(said, around)
    if kind == "parameters":
        return parameter(said)
    return response(said) if kind == "responses" else said


def expand(said):
    """Returns the contents of a file in their long form."""
    if not isinstance(said, dict):
        return said
    made = dict(said)
    if "paths" in said:
        made["paths"] = {path: path_item(path, item) for path, item in said["paths"].items()}
    if isinstance(said.get("components"), dict):
        made["components"] = {kind: {name: component(kind, one, named) for name, one in named.items()}
                              for kind, named in said["components"].items()}
    return like(said, made)
