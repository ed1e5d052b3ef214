"""Output of displayd --check-config."""


def read(text):
    """{name: (values, source)}. Defaults are printed as comments."""
    found = {}
    source = ""
    for line in text.splitlines():
        name, sign, value = line.lstrip("#").partition(" = ")
        if line.startswith("# "):
            source = line[2:]
        elif sign:
            found.setdefault(name, ([], source))[0].append(value)
    return found
