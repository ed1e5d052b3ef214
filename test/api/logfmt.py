"""Lines of displayd's log."""

import json
import re


def log_fields(line):
    """The fields of a logfmt line; None if the line has another format."""
    fields = {}
    rest = line
    while rest:
        match = re.match(r'([a-z_]+)=("(?:[^"\\]|\\.)*"|[^\s"=]*)( |$)', rest)
        if not match:
            return None
        value = match.group(2)
        fields[match.group(1)] = json.loads(value) if value.startswith('"') else value
        rest = rest[match.end():]
    return fields
