#!/usr/bin/env python3
"""Makes the API reference, one page that needs no other host, of an OpenAPI document.

render_reference.py OPENAPI.json OUT.html
"""
import html
import json
import re
import shlex
import sys

STYLE = """
:root { color-scheme: light dark; --surface: oklch(98.5% .004 80); --text: oklch(24% .012 70);
  --line: oklch(88% .008 80); --soft: oklch(95.5% .006 80); --accent: oklch(49% .115 62);
  --mark: oklch(50% .17 27) }
@media (prefers-color-scheme: dark) { :root { --surface: oklch(17.5% .006 70);
  --text: oklch(93% .008 80); --line: oklch(31% .008 70); --soft: oklch(14.5% .005 70);
  --accent: oklch(82% .14 72); --mark: oklch(74% .14 25) } }
* { box-sizing: border-box }
body { margin: 0; background: var(--surface); color: var(--text); font: 16px/1.55 system-ui, sans-serif; display: grid;
  grid-template-columns: 17rem minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem;
  border-right: 1px solid var(--line); font-size: .875rem }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; margin: 1.2rem 0 .3rem }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none }
nav a:hover { color: var(--accent) }
main { padding: 1.5rem 2rem 6rem; max-width: 60rem }
section { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2.5rem }
h1 { margin-top: 0 } h3 { margin: 1.4rem 0 .4rem; font-size: 1rem }
code, pre { font: .8125rem/1.5 ui-monospace, monospace }
pre { background: var(--soft); padding: .8rem 1rem; overflow: auto; border-radius: 6px; max-height: 26rem }
pre.curl { white-space: pre-wrap; overflow-wrap: anywhere }
a { color: var(--accent) }
.path { font: 600 1.05rem ui-monospace, monospace; overflow-wrap: anywhere }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; color: var(--accent) }
table { border-collapse: collapse; width: 100%; font-size: .875rem; margin: .3rem 0 }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0;
  border-bottom: 1px solid var(--line) }
td:first-child { white-space: nowrap } .required { color: var(--mark); font-size: .75rem }
.limits { opacity: .75; font-size: .8125rem; overflow-wrap: anywhere }
@media (max-width: 800px) { body { display: block } nav { position: static; height: auto;
  columns: 2; border-right: 0; border-bottom: 1px solid var(--line) } main { padding: 1rem }
  td:first-child { white-space: normal; overflow-wrap: anywhere } .required { display: block } }
"""

LIMITS = ["minimum", "maximum", "minLength", "maxLength", "enum", "default", "minProperties"]

# Regular expressions are hard to read: each pattern of the document has a description here.
PATTERNS = {
    r"^https://[^@/ ]+(/[!-~]*)?$": "https:// and a host, without a user; a path without spaces",
    "^[vV]?[0-9][!-~]*$": "a number first, perhaps after v; no spaces",
    "^[vV]?[0-9]{1,5}([!-/:-~][!-~]*)?$": "a number below 100,000 first, perhaps after v; no spaces",
    r"^sha256:[0-9a-f]{64}$": "sha256: and 64 lower-case hexadecimal digits",
    r"^whsec_[0-9A-Za-z+/]{43}=$": "whsec_ and 44 characters of base64",
    r"^[a-z]+(_[a-z]+)*$": "words of lower-case letters, joined by underscores",
    r"^[0-9A-Za-z_-]+$": "letters and digits of ASCII, underscore, hyphen",
    r"^[0-9a-f]{32}$": "32 lower-case hexadecimal digits",
    r"^[0-9a-f]{32}(-[a-z]+)?$": "32 lower-case hexadecimal digits; perhaps - and the name of a filter",
    r"^[A-Za-z0-9._-]+$": "letters and digits of ASCII, dot, underscore, hyphen",
    r"^(FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;(INTERVAL|UNTIL|BYDAY|BYMONTHDAY|WKST)=[A-Z0-9,-]+)*)?$":
        "empty, or parts such as FREQ=WEEKLY;INTERVAL=2",
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$": "empty, or a date such as 2026-12-01",
    r"^[^\u0000]*$": "no U+0000",
    r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$": "no control character but tabs and line feeds",
    r"^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029"
    r"\u202f\u205f\u3000][^\u0000-\u001f\u007f-\u009f]*$":
        "no control character, and not only white space",
    r"^[^\u0000-\u001f\u007f-\u009f]*$": "no control character",
    r"^(([01][0-9]|2[0-3]):[0-5][0-9]|(sunrise|sunset)([+-][0-9]{1,3})?)$":
        "HH:mm, or sunrise or sunset, perhaps with minutes such as -30",
    r"^(device|order|sleep|autoDim|dim|windows/([0-9]|1[0-5]))$": "device, order, sleep, autoDim, dim, or such as windows/0",
    r"^([01][0-9]|2[0-3]):[0-5][0-9]$": "HH:mm, from 00:00 to 23:59",
    r"^(\{[\s\S]*\})?$": "an object of JSON, or empty",
    r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$": "a number sign, and 3 or 6 hexadecimal digits",
    r"^(([01][0-9]|2[0-3]):[0-5][0-9])?$": "HH:mm, from 00:00 to 23:59, or empty",
    r"^[^\u0000-\u001f\u007f-\u009f/\\]+$": "no control character, no slash, no backslash",
    r"^[^\u0000-\u001f\u007f]+$": "no control character of ASCII",
    r"^[Mm][Qq][Tt][Tt][Ss]?://([A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{1,255}\])(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}"
    r"|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?/?$":
        "mqtt:// or mqtts://, a name or an address (of IPv6 in brackets), and perhaps a port",
    r"^https?://[A-Za-z0-9.-]+(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$":
        "https:// or http://, a name or an address, and perhaps a port",
    r"^$|^[A-Za-z0-9.-]+:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$":
        "a name or an address, a colon and a port, or empty",
    r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$": "letters and digits of ASCII, and hyphens between them",
    r"^[A-Za-z0-9.-]*$": "letters and digits of ASCII, dot, hyphen",
    r"^[^\u0000-\u001f\u007f-\u009f/\\]*$": "no control character, no slash, no backslash",
}

FORMATS = {"date-time": "UTC with milliseconds: 2026-11-20T08:15:30.123Z", "uuid": "a UUID"}

KEYS = """Create API keys in the pages, under <a href="development/keys">Development, API keys</a>. The account needs a
device. Each key is shown only once."""

EXAMPLES = """The curl lines read the server's address and the key from environment variables:

export DISPLAYD_URL=https://panels.example.org DISPLAYD_KEY=ddk_..."""


class Reference:
    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        while "$ref" in node:
            name = node["$ref"].removeprefix("#/").split("/")
            node = self.document
            for part in name:
                node = node[part]
        return node

    @staticmethod
    def text(markdown):
        """Converts the few kinds of Markdown that the document uses."""
        paragraphs = []
        for paragraph in markdown.split("\n\n"):
            escaped = html.escape(paragraph, quote=False)
            escaped = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped)
            escaped = re.sub(r"`(.+?)`", r"<code>\1</code>", escaped)
            paragraphs.append(f"<p>{escaped}</p>")
        return "\n".join(paragraphs)

    @staticmethod
    def inline(markdown):
        return re.sub(r"`(.+?)`", r"<code>\1</code>", html.escape(markdown, quote=False))

    @staticmethod
    def example(value):
        text = json.dumps(value, indent=2, ensure_ascii=False)
        return f"<pre tabindex=\"0\">{html.escape(text, quote=False)}</pre>"

    def type_of(self, schema):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f'<a href="#schema-{name}">{name}</a>'
        if schema.get("type") == "array":
            return "array of " + self.type_of(schema["items"])
        for choices in ("anyOf", "oneOf"):
            if choices in schema:
                return " or ".join(self.type_of(choice) for choice in schema[choices])
        kind = schema.get("type", "any")
        return " or ".join(kind) if isinstance(kind, list) else kind

    def choices(self, schema):
        """Returns the alternative schemas of a value. With fields of its own it has none: "oneOf" restricts those."""
        whole = self.resolve(schema)
        return [schema] if "properties" in whole else whole.get("oneOf", [schema])

    def limits(self, schema):
        schema = self.resolve(schema)
        said = [f"{name}: {json.dumps(schema[name], ensure_ascii=False)}"
                for name in LIMITS if name in schema]
        if "pattern" in schema:
            if schema["pattern"] not in PATTERNS:
                sys.exit(f"render_reference.py: PATTERNS has no words for {schema['pattern']}")
            said.append(PATTERNS[schema["pattern"]])
        if "format" in schema:
            said.append(FORMATS[schema["format"]])
        return html.escape(", ".join(said), quote=False)

    def fields(self, schema):
        rows = []
        required = schema.get("required", [])
        for name, field in schema.get("properties", {}).items():
            mark = ' <span class="required">required</span>' if name in required else ""
            description = field.get("description", self.resolve(field).get("description", ""))
            rows.append(
                f"<tr><td><code>{name}</code>{mark}</td><td>{self.type_of(field)}</td>"
                f"<td>{self.inline(description)}"
                f'<div class="limits">{self.limits(field)}</div></td></tr>')
            if field.get("type") == "object":
                for inner, below in field.get("properties", {}).items():
                    rows.append(
                        f"<tr><td><code>{name}.{inner}</code></td><td>{self.type_of(below)}</td>"
                        f"<td>{self.inline(self.resolve(below).get('description', ''))}"
                        f'<div class="limits">{self.limits(below)}</div></td></tr>')
        if not rows:
            return ""
        return "<table><tr><th>Field<th>Type<th>Meaning</tr>" + "".join(rows) + "</table>"

    def parameters(self, parameters):
        rows = []
        for parameter in map(self.resolve, parameters):
            rows.append(
                f"<tr><td><code>{parameter['name']}</code></td><td>{parameter['in']}</td>"
                f"<td>{self.inline(parameter['description'])}</td></tr>")
        if not rows:
            return ""
        return ("<h3>Parameters</h3><table><tr><th>Name<th>In<th>Meaning</tr>"
                + "".join(rows) + "</table>")

    def path_value(self, parameter):
        examples = parameter.get("examples", {"": {"value": parameter.get("example")}})
        return next(iter(examples.values()))["value"]

    def curl(self, path, method, item, operation):
        """Returns a command line that works once the variables are set and the path has real IDs."""
        for parameter in map(self.resolve, item.get("parameters", [])):
            path = path.replace("{%s}" % parameter["name"], self.path_value(parameter))
        words = ["curl", *([] if method == "get" else ["-X", method.upper()])]
        parts = [" ".join([*words, f'"$DISPLAYD_URL{path}"']),
                 '-H "Authorization: Bearer $DISPLAYD_KEY"']
        if "requestBody" in operation:
            examples = operation["requestBody"]["content"]["application/json"]["examples"]
            body = json.dumps(next(iter(examples.values()))["value"], ensure_ascii=False)
            parts += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(body)}"]
        text = " \\\n  ".join(parts)
        return f'<pre class="curl" tabindex="0">{html.escape(text, quote=False)}</pre>'

    def body(self, operation):
        if "requestBody" not in operation:
            return ""
        content = operation["requestBody"]["content"]["application/json"]
        parts = ["<h3>Body</h3>", f"<p>{self.type_of(content['schema'])}</p>"]
        for choice in self.choices(content["schema"]):
            if choice != content["schema"]:
                parts.append(f"<p>{self.type_of(choice)}</p>")
            parts.append(self.fields(self.resolve(choice)))
        for example in content["examples"].values():
            parts.append(f"<p>{html.escape(example['summary'])}:</p>{self.example(example['value'])}")
        return "".join(parts)

    def problems(self, codes):
        """Returns a table of kinds of problems."""
        kinds = self.document["x-problem-kinds"]
        rows = [f"<tr><td><code>{code}</code></td><td>{kinds[code]['status']}</td>"
                f"<td>{self.inline(kinds[code]['description'])}</td></tr>" for code in codes]
        return "<table><tr><th>Code<th>Status<th>Meaning</tr>" + "".join(rows) + "</table>"

    def responses(self, responses):
        rows, examples = [], []
        for status, response in responses.items():
            response = self.resolve(response)
            headers = ", ".join(f"<code>{name}</code>" for name in response.get("headers", {}))
            rows.append(f"<tr><td><code>{status}</code></td>"
                        f"<td>{self.inline(response['description'])}</td><td>{headers}</td></tr>")
            for media_type, content in response.get("content", {}).items():
                if "example" not in content:
                    examples.append(f"<p><code>{status}</code>: <code>{media_type}</code></p>")
                elif status.startswith("2"):
                    examples.append(f"<p><code>{status}</code>: {self.type_of(content['schema'])}"
                                    f"</p>{self.example(content['example'])}")
        return ("<h3>Answers</h3><table><tr><th>Status<th>Meaning<th>Header fields</tr>"
                + "".join(rows) + "</table>" + "".join(examples))

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "parameters":
                    yield path, method, item, operation

    def navigation(self):
        parts = ['<nav><strong>displayd</strong><a href="devices">Back to your devices</a><a href="openapi.json">openapi.json</a>']
        for tag in self.document["tags"]:
            parts.append(f"<h2>{tag['name']}</h2>")
            parts += [f'<a href="#{operation["operationId"]}">{html.escape(operation["summary"])}</a>'
                      for _, _, _, operation in self.operations() if tag["name"] in operation["tags"]]
        parts.append('<h2>General</h2><a href="#general">Answers of any path</a>'
                     '<a href="#problems">Problems</a>')
        parts.append("<h2>Schemas</h2>")
        parts += [f'<a href="#schema-{name}">{name}</a>'
                  for name in self.document["components"]["schemas"]]
        return "".join(parts) + "</nav>"

    def page(self):
        info = self.document["info"]
        words, command = EXAMPLES.split("\n\n")
        parts = [f"<h1>{html.escape(info['title'])} API</h1>", self.text(info["description"]),
                 f"<p>{KEYS}</p><p>{words}</p><pre tabindex=\"0\">{command}</pre>"]
        for path, method, item, operation in self.operations():
            parts += [
                f'<section id="{operation["operationId"]}"><h2>{html.escape(operation["summary"])}</h2>',
                f'<p class="path"><span class="method">{method.upper()}</span>{html.escape(path)}</p>',
                self.text(operation["description"]), self.curl(path, method, item, operation),
                self.parameters(item.get("parameters", []) + operation.get("parameters", [])),
                self.body(operation), self.responses(operation["responses"]),
                "<p>Problems: " + ", ".join(f"<code>{code}</code>" for code in operation["x-problem-codes"])
                + '. <a href="#problems">Meanings</a></p>', "</section>"]
        parts += ['<section id="general"><h2>Answers of any path</h2>',
                  self.responses(self.document["x-general-responses"]), "</section>",
                  '<section id="problems"><h2>Problems</h2>',
                  "<p>Each problem has a <code>code</code>. Programs branch by it; people read <code>detail</code>.</p>",
                  self.problems(self.document["x-problem-kinds"]), "</section>"]
        for name, schema in self.document["components"]["schemas"].items():
            limits = self.limits(schema)
            kind = "" if "properties" in schema else f"<p>{self.type_of(schema)}</p>"
            parts += [f'<section id="schema-{name}"><h2>{name}</h2>',
                      self.text(schema.get("description", "")), kind,
                      f'<div class="limits">{limits}</div>' if limits else "",
                      self.fields(schema), "</section>"]
        return ('<!doctype html>\n<html lang="en"><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f"<title>{html.escape(info['title'])} API</title><style>{STYLE}</style>"
                f"{self.navigation()}<main>{''.join(parts)}</main></html>\n")


def main():
    source, out = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        document = json.load(file)
    with open(out, "w", encoding="utf-8") as file:
        file.write(Reference(document).page())


main()
