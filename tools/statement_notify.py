"""Finds statements and functions that send a NOTIFY in a transaction that waits for the disk.

PostgreSQL then holds one lock for the whole cluster from before the commit until it is on the disk, and on a
synchronous standby: all such commits go one by one (src/db/hint.h). A change sends its hint after the commit instead,
and a trigger reports by a message (src/db/hook_notice.h). Only what is rare may do without:

    -- rare: WHY                                 in the header of a statement
    COMMENT ON FUNCTION name(...) IS 'rare: WHY' in a migration, after the function, also a later one

A transaction whose commit does not wait (synchronous_commit off) may send a NOTIFY.
"""

import re

NOTIFY = re.compile(r"\bpg_notify\s*\(|(?m:^\s*)notify\s+\w", re.IGNORECASE)
WAITS_NOT = re.compile(r"set_config\(\s*'synchronous_commit',\s*'off'", re.IGNORECASE)
COMMENT_LINE = re.compile(r"--[^\n]*")
STEP = re.compile(r"""
    \bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?P<made>\w+)
        [^;]*?\bas\s+(?P<quote>\$\w*\$)(?P<body>.*?)(?P=quote)
  | \bdrop\s+(?:function|procedure)\s+(?:if\s+exists\s+)?(?P<dropped>\w+)
  | \bcomment\s+on\s+function\s+(?P<called>\w+)[^;]*?\bis\s+'rare:\s*\w
""", re.IGNORECASE | re.DOTALL | re.VERBOSE)


class BadNotify(Exception):
    """Fault of a statement or a migration, as a sentence."""


def sends(text):
    text = COMMENT_LINE.sub("", text)
    return bool(NOTIFY.search(text)) and not WAITS_NOT.search(text)


def check_statement(text, reasons):
    """reasons: values of the header's lines 'rare:'. text: the statement without its header."""
    if sends(text) and not (len(reasons) == 1 and reasons[0].strip()):
        raise BadNotify("a NOTIFY in a transaction that waits for the disk: send the hint after the commit, or add"
                        " one line 'rare: WHY' (tools/statement_notify.py)")
    if reasons and not sends(text):
        raise BadNotify("'rare:' is for a NOTIFY in a transaction that waits for the disk, and there is none")


def check_migrations(texts):
    """texts: those of all migrations, in order."""
    open_names = {}
    for text in texts:
        for step in STEP.finditer(COMMENT_LINE.sub("", text)):
            name = (step["made"] or step["dropped"] or step["called"]).lower()
            if step["made"] and sends(step["body"]):
                open_names[name] = True
            else:
                open_names.pop(name, None)
    if open_names:
        raise BadNotify(f"function '{min(open_names)}' sends a NOTIFY in a transaction that waits for the disk: let it"
                        " send a message, or call it rare (tools/statement_notify.py)")
