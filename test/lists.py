"""Where a list goes on."""

import re
from urllib.parse import urljoin


def next_target(target, answer):
    """Of the part behind this one, by its Link (RFC 8288), which is relative to the target that was
    asked for; None behind the last one."""
    if "Link" not in answer:
        return None
    return urljoin(target, re.fullmatch(r'<([^<>]+)>; rel="next"', answer["Link"])[1])
