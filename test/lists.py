"""Continuation of a list."""

import re
from urllib.parse import urljoin


def next_target(target, answer):
    """Target of the next part, by its Link (RFC 8288), which is relative to the target of this request;
    None after the last part."""
    if "Link" not in answer:
        return None
    return urljoin(target, re.fullmatch(r'<([^<>]+)>; rel="next"', answer["Link"])[1])
