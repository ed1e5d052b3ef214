"""Opens the schemas of answers in a document: an answer may have other members later, as the guide tells its readers.

Those of bodies stay closed, since other members are errors there.
"""


def opened(said):
    if isinstance(said, list):
        return [opened(one) for one in said]
    if not isinstance(said, dict):
        return said
    return {name: value if name in ("example", "examples") else opened(value) for name, value in said.items()
            if (name, value) != ("additionalProperties", False)}


def open_answers(paths, components, in_bodies):
    """in_bodies: references to the components that bodies have, directly or in others."""
    for item in paths.values():
        for method, operation in item.items():
            if method != "parameters":
                operation["responses"] = opened(operation["responses"])
    components.update({pointer: opened(value) for pointer, value in components.items() if pointer not in in_bodies})
