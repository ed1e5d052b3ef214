"""Holds answers against the API document.

validate.answer("GET", "/v1/devices/D?x=1", 200, [("ETag", '"..."'), ...], b'{"id": ...}')

raises Violation if the document does not allow the answer: its status, a required header field, a
header field's value, the media type, the body. Targets that are neither below /v1 nor below /v0 are
not checked. A Contract may also be made of another document, such as that of the pages.
"""

import gzip
import json
import os
import re
import urllib.parse

import jsonschema

import problems

# Documents made by the build of the program under test: openapi.json, and web-openapi.json of the pages.
DOCUMENTS = os.path.normpath(os.path.join(os.path.dirname(os.environ["DISPLAYD"]), "../../docs"))
DOCUMENT = os.path.join(DOCUMENTS, "openapi.json")
WEB_DOCUMENT = os.path.join(DOCUMENTS, "web-openapi.json")
# Fields that the answer to a preflight must have.
PREFLIGHT = ("Access-Control-Allow-Origin", "Access-Control-Allow-Methods",
             "Access-Control-Allow-Headers", "Vary", "X-Request-Id")


class Violation(AssertionError):
    """An answer does not fit the document."""


def _pattern(validator, pattern, instance, _schema):
    """Matches like ECMA-262: "$" is the end only, "\\d" is ASCII."""
    if validator.is_type(instance, "string"):
        pattern = re.sub(r"\$$", r"\\Z", pattern)
        if not re.search(pattern, instance, re.ASCII):
            yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _properties(validator, properties, instance, schema):
    """Answers may have other members later, so their schemas are open; but what is answered today is described."""
    yield from jsonschema.Draft202012Validator.VALIDATORS["properties"](validator, properties, instance, schema)
    if validator.is_type(instance, "object") and "object" in schema.get("type", ()) \
            and "additionalProperties" not in schema:
        for name in set(instance) - set(properties):
            yield jsonschema.ValidationError(f"{name!r} is not described")


def _is_timestamp(value):
    if not isinstance(value, str):
        return True
    match = re.fullmatch(r"\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{3}Z", value, re.ASCII)
    if not match:
        return False
    month, day, hour, minute, second = map(int, match.groups())
    return 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60


FORMATS = jsonschema.FormatChecker(formats=())
FORMATS.checks("date-time")(_is_timestamp)
Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator,
                                         {"pattern": _pattern, "properties": _properties})


def strict_json(data):
    """JSON as the API writes it: UTF-8, no name twice in an object, no NaN."""
    def members(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) != len(names):
            raise ValueError(f"a name stands twice in {names}")
        return dict(pairs)

    def constant(name):
        raise ValueError(f"{name} is no JSON")

    return json.loads(data.decode("utf-8"), object_pairs_hook=members, parse_constant=constant)


class Contract:
    def __init__(self, document, prefix=("/v0/", "/v1/")):
        self.document = document
        self.prefix = prefix  # of the paths that it covers; one or several
        self.resolver = jsonschema.RefResolver("", document)
        self.templates = []
        for template in document["paths"]:
            pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
            self.templates.append((re.compile(pattern + "/?"), template))
        self.count = 0  # number of checked answers

    # ---- reading the document ----

    def resolve(self, node):
        while "$ref" in node:
            node = self.resolver.resolve(node["$ref"])[1]
        return node

    def operations(self):
        """(method, template, operation) of all."""
        for template, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "parameters":
                    yield method.upper(), template, operation

    def operation(self, operation_id):
        return next(found for found in self.operations() if found[2]["operationId"] == operation_id)

    def parameters(self, template, operation):
        item = self.document["paths"][template]
        return [self.resolve(parameter)
                for parameter in item.get("parameters", []) + operation.get("parameters", [])]

    def template_of(self, path):
        """The template of a requested path, or None."""
        for pattern, template in self.templates:
            if pattern.fullmatch(path):
                return template
        return None

    def errors(self, schema, value):
        """Faults of a value, in words."""
        validator = Validator(schema, resolver=self.resolver, format_checker=FORMATS)
        return [f"{error.json_path}: {error.message[:300]}" for error in
                validator.iter_errors(value)]

    def is_valid(self, schema, value):
        return not self.errors(schema, value)

    # ---- answers ----

    def _response(self, method, template, status, fields):
        general = self.document["x-general-responses"]
        item = self.document["paths"].get(template, {}) if template else {}
        operation = item.get("get" if method == "HEAD" else method.lower())
        if operation and str(status) in operation["responses"]:
            return self.resolve(operation["responses"][str(status)])
        # General responses of an operation are only those that end the connection.
        ends = [word.lower() for word in fields.get("connection", [])] == ["close"]
        if str(status) in general and (ends or not operation):
            return self.resolve(general[str(status)])
        raise Violation(f"status {status} is not documented for {method} {template}")

    def _check_header(self, name, header, values):
        header = self.resolve(header)
        if not values:
            if header.get("required"):
                raise Violation(f"the header field {name} is missing")
            return
        if len(values) > 1 and name != "Set-Cookie":  # RFC 9110 section 5.3
            raise Violation(f"the header field {name} stands {len(values)} times")
        for value in values:
            self._check_value(name, header, value)

    def _check_value(self, name, header, value):
        if header["schema"].get("type") == "integer":
            if not re.fullmatch("[0-9]+", value):
                raise Violation(f"{name}: {value!r} is no number")
            value = int(value)
        errors = self.errors(header["schema"], value)
        if errors:
            raise Violation(f"{name}: {errors}")

    def _check_allow(self, template, allow):
        item = self.document["paths"].get(template, {})
        documented = {name.upper() for name in item if name != "parameters"}
        if "GET" in documented:
            documented.add("HEAD")
        if set(allow.split(", ")) != documented:
            raise Violation(f"Allow is {allow}, documented are {sorted(documented)}")

    def _check_body(self, method, response, fields, body):
        types = fields.get("content-type", [])
        if "content" not in response:
            if body or types:
                raise Violation(f"there is a body where there is to be none: {types} {body[:200]}")
            return
        if len(types) != 1 or types[0] not in response["content"]:
            raise Violation(f"the media type is {types}, documented are {list(response['content'])}")
        if method == "HEAD":
            if body:
                raise Violation("HEAD was answered with a body")
            return
        if not types[0].endswith("json") or types[0].endswith("ndjson"):
            return
        try:
            value = strict_json(body)
        except ValueError as error:
            raise Violation(f"the body is no JSON: {error}: {body[:300]}") from error
        errors = self.errors(response["content"][types[0]]["schema"], value)
        if errors:
            raise Violation(f"{errors} in {body[:600]}")

    def check(self, method, target, status, fields, body):
        """fields: (name, value) pairs. Raises Violation if the answer is not documented."""
        path = target.split("?", 1)[0].split("#", 1)[0]
        if not path.startswith(self.prefix):
            return
        self.count += 1
        by_name = {}
        for name, value in fields:
            by_name.setdefault(name.lower(), []).append(value)
        if by_name.get("content-encoding") == ["gzip"] and method != "HEAD":
            body = gzip.decompress(body)
        try:
            if method == "OPTIONS" and status == 204:
                if self.template_of(path) or "allow" in by_name:
                    self._check_allow(self.template_of(path), by_name["allow"][0])
                is_preflight = "access-control-allow-methods" in by_name
                missing = [name for name in PREFLIGHT if name.lower() not in by_name]
                if body or (is_preflight and missing):
                    raise Violation(f"a preflight's answer lacks {missing}, or has a body")
                return
            response = self._response(method, self.template_of(path), status, by_name)
            for name, header in response.get("headers", {}).items():
                self._check_header(name, header, by_name.get(name.lower(), []))
            self._check_body(method, response, by_name, body)
            if status == 405:
                self._check_allow(self.template_of(path), by_name["allow"][0])
            if b"problem" in by_name.get("content-type", [""])[0].encode() and method != "HEAD":
                if strict_json(body)["status"] != status:
                    raise Violation("the problem's status is not that of the answer")
                try:
                    problems.check(method, target, status, "application/problem+json", body)
                except AssertionError as error:
                    raise Violation(str(error)) from None
        except Violation as violation:
            raise Violation(f"{method} {urllib.parse.unquote(target)[:200]!r} -> {status}: "
                            f"{violation}") from None


def read_document(path=DOCUMENT):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


CONTRACT = Contract(read_document())
answer = CONTRACT.check
