"""Makes the documents of the API, OpenAPI 3.1, of their description (operations.py): with what follows from the facts
of an operation, and without the facts and short forms."""

import http
import json

import open_schemas
import operations
import problem_kinds


def headers(operation):
    named = {name: operations.ref("headers", name) for name in ("X-Request-Id", "RateLimit", "RateLimit-Policy")}
    if operations.tag_header(operation):
        named |= {"ETag": operations.ref("headers", operations.tag_header(operation)),
                  "Cache-Control": operations.ref("headers", "Cache-Control")}
    if operation.takes("Limit"):
        named["Link"] = operations.ref("headers", "Link")
    return named


def conditions(operation):
    if operation.changes:
        return [operations.ref("parameters", "IfMatch"), operations.ref("parameters", "IfNoneMatchOfChange")]
    return [operations.ref("parameters", "IfNoneMatch")] if operations.tag_header(operation) else []


def key_devices(operation):
    """Returns the sentence of a description about keys for chosen devices."""
    reach = operation.facts.get("key-devices")
    if reach == "account":
        return "\n\nA key for chosen devices gets 403."
    if isinstance(reach, dict):
        return f"\n\nFor a key for chosen devices, {reach['only']}."
    return ""


def made_operation(document, operation):
    said = operation.said
    made = {"operationId": said["operationId"], "tags": [operation.group]}
    made |= {key: value for key, value in said.items()
             if not key.startswith(operations.PREFIX) and key not in ("requestBody", "responses", "parameters")}
    parameters = said.get("parameters", []) + conditions(operation)
    made["description"] += key_devices(operation)
    if parameters:
        made["parameters"] = parameters
    if "requestBody" in said:
        made["requestBody"] = {"required": True, **said["requestBody"]}
    responses = {status: operations.ref("responses", name)
                 for status, name in operations.errors(document, operation).items()}
    for status, answer in said["responses"].items():
        responses[status] = answer
        if status[0] == "2":
            responses[status] = {**answer, "headers": headers(operation) | answer.get("headers", {})}
    made["responses"] = dict(sorted(responses.items()))
    made["x-problem-codes"] = operations.codes(document, operation)
    return finish(document, made)


def problem(document, said):
    """Returns a response whose body is a problem."""
    example = said[operations.PREFIX + "problem"]
    status = document.problems[example["code"]]["status"]
    phrase = "URI Too Long" if status == 414 else http.HTTPStatus(status).phrase
    phrase = {413: "Content Too Large"}.get(status, phrase)
    body = {"type": "about:blank", "title": phrase, "status": status, **example}
    content = {"schema": operations.ref("schemas", "Problem"), "example": body}
    return {"description": said["description"],
            "headers": {"X-Request-Id": operations.ref("headers", "X-Request-Id")} | said.get("headers", {}),
            "content": {"application/problem+json": content}}


def example_of(document, schema):
    """Returns the example of a body without one of its own; None: its schema has none."""
    if "$ref" in schema:
        said = document.component(schema["$ref"])
        example = said.get(operations.PREFIX + "example")
        if example is None:
            return None
        parts = {name: example_of(document, said["properties"][name]) for name in said.get("required", [])}
        parts = {name: one for name, one in parts.items() if isinstance(example.get(name, {}), dict) and one}
        return without_private(document, said, over(parts, example))
    if schema.get("type") == "array" and "$ref" in schema.get("items", {}):
        example = example_of(document, schema["items"])
        return example and [example]
    return None


def over(below, example):
    """Fills an example with the missing members of the one below, in nested objects, too."""
    if not isinstance(below, dict) or not isinstance(example, dict):
        return example
    return {**below, **{name: over(below.get(name), value) for name, value in example.items()}}


def private(document, said):
    """Returns the properties of a schema that this document leaves out."""
    if document.name != "public":
        return []
    return [name for name, one in said.get("properties", {}).items()
            if isinstance(one, dict) and one.get(operations.PREFIX + "pages-only")]


def without_private(document, said, example):
    return {name: value for name, value in example.items() if name not in private(document, said)}


def finish(document, said):
    """Returns a part of the document without our own members, and with the examples of schemas."""
    if isinstance(said, list):
        return [finish(document, one) for one in said]
    if not isinstance(said, dict):
        return said
    if operations.PREFIX + "problem" in said:
        return problem(document, said)
    left_out = private(document, said) if isinstance(said.get("properties"), dict) else []
    if left_out:
        said = {**said, "properties": {name: one for name, one in said["properties"].items()
                                       if name not in left_out},
                "required": [name for name in said.get("required", []) if name not in left_out]}
        said = {name: value for name, value in said.items() if value != []}
    made = {name: finish(document, value) if name not in ("example", "value") else value
            for name, value in said.items() if not name.startswith(operations.PREFIX)}
    if "schema" in said and not {"in", "example", "examples"} & set(said):
        example = example_of(document, said["schema"])
        if example is not None:
            made["example"] = over(example, said.get(operations.PREFIX + "example", example))
    return made


def reached(document, made):
    """Returns the components that are referred to, directly or by other components."""
    found = {}
    waiting = [made]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("$ref"), str) and one["$ref"] not in found:
                found[one["$ref"]] = finish(document, document.component(one["$ref"]))
                waiting.append(found[one["$ref"]])
            waiting += [value for value in one.values() if isinstance(value, (dict, list))]
        elif isinstance(one, list):
            waiting += one
    return found


def make(document):
    """Returns the document as OpenAPI 3.1."""
    paths = {}
    for operation in document.operations:
        item = paths.setdefault(operation.path, {})
        if operation.shared_parameters:
            item["parameters"] = operation.shared_parameters
        item[operation.method] = made_operation(document, operation)
    general = finish(document, document.shared["x-general-responses"])
    found = reached(document, [paths, general])
    bodies = [one.get("requestBody", {}) for item in paths.values() for one in item.values() if isinstance(one, dict)]
    open_schemas.open_answers(paths, found, reached(document, bodies))
    components = {}
    for kind in operations.KINDS:
        for name, value in document.components[kind].items():
            pointer = f"#/components/{kind}/{name}"
            if kind == "securitySchemes":
                components.setdefault(kind, {})[name] = value
            elif pointer in found:
                components.setdefault(kind, {})[name] = found[pointer]
            elif name not in document.shared["components"].get(kind, {}):
                raise operations.Fault(f"{document.name}: nothing names {pointer}")
    head = {name: document.head[name] for name in ("openapi", "info", "servers", "security")}
    tags = [{"name": name, "description": text} for name, text in document.groups.items()]
    reached_codes = {code for item in paths.values() for method, one in item.items() if method != "parameters"
                     for code in one["x-problem-codes"]}
    kinds = {code: {"status": kind["status"], "description": kind["about"]}
             for code, kind in document.problems.items() if code in reached_codes or code in problem_kinds.GENERAL}
    return {**head, "tags": tags, "x-general-responses": general, "x-problem-kinds": kinds, "paths": paths,
            "components": components}


def text_of(made):
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"
