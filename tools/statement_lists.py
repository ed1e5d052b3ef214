"""Makes the statements of a list of its one file.

sql/query/own_app_list.sql:

    -- The apps of an account, oldest first.
    -- params: account_id uuid
    -- row: own_app
    -- list: app.created_at, app.id
    SELECT ... FROM app WHERE app.account_id = :account_id AND {after}
    {order}

    own_app_list     the beginning: at most 101 rows, one more than a short list has
    own_app_part     at most :row_limit rows after a list position
    own_app_search   only with "-- search: WORK": such a part of the rows that have a text

If the work grows, own_app_list is such a part, too, which also reads the beginning: it has its own connection, so
parameters cost nothing there, and the condition lets it use an index.

"list:" names the columns that order the rows; the row has them, too. "desc" behind the only one: newest first.
In the text, {after} is the condition on the list position, and {order} is ORDER BY and LIMIT {limit}. {list: SQL}, {part: SQL}
and {search: SQL} stand in one of the statements only, {part: SQL} also in that of the search. A text or an array
that only a part or a search uses chooses that statement if one of them is not empty.

The texts that result lie in the build folder, src/db/lists.sql.
"""

import re

SHORT = 101  # LIMIT_LIST_SHORT + 1 of include/base/limits.h
KEY = re.compile(r"((?:\w+\.)?(\w+)(?: COLLATE \"C\")?)( desc)?")
ONLY = re.compile(r"\{(list|part|search):\s*(.*?)\s*\}", re.DOTALL)
PARAMETER = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")
ORDER = re.compile(r"^([ \t]*)\{order\}", re.MULTILINE)
KINDS = {"int8": "number", "timestamptz": "number", "uuid": "id", "text": "text"}
HEADER = ("row", "effect")
ALLOWED = ("params", *HEADER, "work", "list", "search")


class BadList(Exception):
    """Fault of a list, as a sentence."""


class List:
    """keys: [(expression, column, type)]; kinds: list, part and perhaps search; own: by kind, the parameters
    [(name, type)] that choose the statement; statements: by kind."""

    def __init__(self, values, columns, has_search, grows):
        self.keys, self.descends = [], False
        for item in ",".join(values).split(","):
            match = KEY.fullmatch(item.strip())
            if not match:
                raise BadList(f"'{item.strip()}' in list is not a column")
            kind = dict(columns).get(match[2])
            if kind not in KINDS:
                raise BadList(f"'{match[2]}' in list is not a column of the row with a type of {', '.join(KINDS)}")
            self.keys.append((match[1], match[2], kind))
            self.descends |= bool(match[3])
        members = [KINDS[kind] for _, _, kind in self.keys]
        if len(members) > 2 or len(set(members)) < len(members) or self.descends and len(members) > 1:
            raise BadList("a list position has one number, one ID and one text, and two of them at most")
        self.kinds = (["part"] if grows else ["list", "part"]) + ["search"] * has_search
        self.own = {}
        self.statements = {}

    def parameters(self):
        """Returns [(name, type)] of those of a list position."""
        word = "before" if self.descends else "after"
        return [(f"{word}_{column}", kind) for _, column, kind in self.keys]

    def after(self):
        expressions = ", ".join(expression for expression, _, _ in self.keys)
        names = ", ".join(":" + name for name, _ in self.parameters())
        if len(self.keys) == 1:
            return f"{expressions} {'<' if self.descends else '>'} {names}"
        return f"({expressions}) > ({names})"

    def order(self, limit):
        expressions = ", ".join(expression for expression, _, _ in self.keys)
        return f"ORDER BY {expressions}{' DESC' * self.descends}\nLIMIT {limit}"

    def text(self, kind, body):
        """Returns the text of one of the statements."""
        stays = {"list": ("list",), "part": ("part",), "search": ("part", "search")}[kind]
        body = ONLY.sub(lambda match: match[2] if match[1] in stays else "", body)
        if kind == "list":
            body = re.sub(r"\s+AND \{after\}", "", body).replace("{after}", "true")
        body = body.replace("{after}", self.after())
        limit = str(SHORT) if kind == "list" else ":row_limit"
        body = ORDER.sub(lambda match: match[1] + self.order(limit).replace("\n", "\n" + match[1]), body)
        return re.sub(r"\n[ \t]*(?=\n)", "", body.replace("{limit}", limit)).strip()

    def name(self, name, kind):
        """Returns the name of a statement of the list that is called name."""
        return name.removesuffix("list") + ("list" if kind == self.kinds[0] else kind)

    def start(self):
        """Returns the member of the position before all rows, in C; empty: zero."""
        if self.descends:
            return ".number = INT64_MAX"
        return ".number = INT64_MIN" if self.keys[0][2] == "int8" else ""


def read_list(name, fields, columns, effect):
    """Returns the List of a file's header, or None."""
    if not fields["list"]:
        if fields["search"]:
            raise BadList("'search:' is for a list")
        return None
    if not name.endswith("_list") or effect != "read":
        raise BadList("a list is a read, and its name ends with _list")
    if len(fields["search"]) > 1 or any(fields[key] for key in fields if key not in ALLOWED):
        raise BadList(f"a list has {', '.join(ALLOWED)} only, and 'search:' once")
    return List(fields["list"], columns, bool(fields["search"]), fields["work"] not in ([], ["bounded"]))


def made_files(name, fields, description, body, the_list):
    """Returns {name: text} of the statements, as files."""
    files = {}
    if "{after}" not in body or "{order}" not in body:
        raise BadList("the text of a list needs {after} and {order}")
    given = [item.split() for value in fields["params"] for item in value.split(",") if item.strip()]
    known = PARAMETER.findall(the_list.text(the_list.kinds[0], body))
    for kind in the_list.kinds:
        text = the_list.text(kind, body)
        used = PARAMETER.findall(text)
        items = [item for item in given if item[0] in used]
        the_list.own[kind] = [item for item in items if item[0] not in known and (item[1] == "text" or item[1].endswith("[]"))]
        known += used
        if kind != "list":
            items += [*the_list.parameters(), ("row_limit", "int8")]
        header = list(description)
        header += ["params: " + ", ".join(map(" ".join, items))] if items else []
        header += [f"{key}: {value}" for key in HEADER for value in fields[key]]
        header += [f"work: {value}" for value in fields["search" if kind == "search" else "work"]]
        files[the_list.name(name, kind)] = "".join(f"-- {line}\n" for line in header) + text + "\n"
    unused = {item[0] for item in given} - set(known)
    if unused:
        raise BadList(f"parameter '{min(unused)}' is not used")
    if "search" in the_list.kinds and not the_list.own["search"]:
        raise BadList("only {search: } may use the text that is searched")
    return files
