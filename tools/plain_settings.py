"""Settings that pages show in a plain form, from docs/api (subprojects/webapp/src/devices/plain.tsx).

The schema of a body of the pages says in which schema they read its values:

    x-displayd-plain-form: Device

Each of its properties becomes a labelled field, unless the pages have a place of their own for it:

    x-displayd-designed: true

The label is the property's title, or the words of its name; its description is the help text. The kind of the field follows
from the type: a check box, a slider for 0 to 100, a number with its bounds, a choice of an enum, a time of day, a text.
"""

import re

import record_schemas
from record_schemas import CLOCK, PREFIX, fault


def label_of(one):
    words = record_schemas.snake(one.name).replace("_", " ")
    return one.whole.get("title", words[0].upper() + words[1:])


def kind_of(one):
    """Returns the kind of the field, and its bounds or choices."""
    whole = one.whole
    if one.types == ["boolean"] and not one.is_nullable:
        return {"kind": "check"}
    if "enum" in whole and one.types in (["string"], ["integer"]) and not one.is_nullable:
        return {"kind": "choice", "choices": whole["enum"]}
    if one.types == ["integer"]:
        least, most = whole.get("minimum"), whole.get("maximum")
        if least is None or most is None:
            fault(one.said, f"{one.name}: a field for a number needs its minimum and maximum")
        return {"kind": "slider" if (least, most, one.is_nullable) == (0, 100, False) else "number", "minimum": least, "maximum": most}
    if one.types == ["string"] and whole.get("pattern") == CLOCK and not one.is_nullable:
        return {"kind": "time"}
    if one.types == ["string"] and "enum" not in whole:
        return {"kind": "text", "maximum": whole.get("maxLength", 1000)}
    fault(one.said, f"{one.name}: no plain field has this type; give it a place on a page, and say {PREFIX}designed: true")


def form_of(document, schema):
    """Returns the fields of a plain form."""
    shown = document.component(f"#/components/schemas/{schema[PREFIX + 'plain-form']}")
    fields = []
    for one in record_schemas.properties(document, schema, {}):
        if "designed" in one.facts:
            continue
        if one.name not in shown.get("properties", {}):
            fault(one.said, f"{one.name}: {schema[PREFIX + 'plain-form']} does not show it, so no plain field can; give it a "
                  f"place on a page, and say {PREFIX}designed: true")
        about = re.sub(r"\s+", " ", one.whole.get("description", "")).strip()
        about = re.sub(r"`([^`]*)`", r"“\1”", about)
        fields.append({"name": one.name, "label": label_of(one), "about": about, "isNullable": one.is_nullable, **kind_of(one)})
    return fields


def forms_of(document):
    """Returns {name of the schema: fields}."""
    return {name: form_of(document, schema) for name, schema in document.components["schemas"].items()
            if PREFIX + "plain-form" in schema}
