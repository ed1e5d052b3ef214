"""Each check finds a planted fault, and nothing in a tree without one."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
MESON = "layers = ['base', 'record', 'loop', 'http', 'db', 'domain', 'api', 'main', 'ctl']\n"


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "tree")


class Tree:
    def __init__(self, root):
        self.root = root
        self.write("meson.build", MESON)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def check(self, name, *arguments):
        """Lines that the check printed; none if it exited with 0."""
        command = [sys.executable, str(TOOLS / f"check_{name}"), "--root", str(self.root)]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        assert (done.returncode == 1) == bool(done.stdout), done.stderr
        return done.stdout.splitlines()


def test_names(tree):
    tree.write("src/api/device_update.c", "static struct step_result begin(struct task *task)\n{\n}\n"
               "static struct step_result device_update_found(struct task *task)\n{\n\tbool found = fail(task);\n}\n")
    tree.write("subprojects/wire/src/tls.c", "__attribute__((cold))\nstatic int\nfail(struct tls *tls)\n{\n}\n")
    tree.write("test/unit/api/tests.c", "static void fail(void)\n{\n}\n")
    assert tree.check("names") == [
        "src/api/device_update.c:1: begin() does not say what it does: device_update_begin(), or a better name",
        "subprojects/wire/src/tls.c:3: fail() does not say what it does: tls_fail(), or a better name"]


def test_layers_without_fault(tree):
    tree.write("src/base/a.c", '#include "base/a.h"\n#include "own.h"\n#include <stdio.h>\n')
    tree.write("src/db/a.c", '#include "base/a.h"\n#include "loop/a.h"\n#include <libpq-fe.h>\n')
    tree.write("src/http/a.c", '#include <wire/head.h>\n')
    tree.write("src/ctl/a.c", '#include "db/a.h"\n#include <panel/panel.h>\n')
    tree.write("src/main/a.c", '#include "api/a.h"\n')
    tree.write("subprojects/panelimage/src/a.c", '#include "canvas.h"\n#include <spng.h>\n')
    assert tree.check("layers") == []


@pytest.mark.parametrize(
    "name, line",
    [
        ("src/base/a.c", '#include "loop/a.h"'),
        ("include/loop/a.h", '# include "http/a.h"'),
        ("src/http/a.c", "#include <panel/panel.h>"),
        ("src/loop/a.c", "#include <wire/head.h>"),
        ("src/main/a.c", "#include <webp/decode.h>"),
        ("src/api/a.c", "#include <sandboxed/frame.h>"),
        ("src/db/a.c", '#include "../loop/a.h"'),
        ("src/http/a.c", "#include <libpq-fe.h>"),
        ("src/domain/a.c", "#include <uv.h>"),
        ("src/unheard/a.c", ""),
        ("subprojects/panelimage/src/a.c", '#include "base/arena.h"'),
        ("subprojects/wire/src/a.c", '#include "base/str.h"'),
    ],
)
def test_layers_fault(tree, name, line):
    tree.write(name, line + "\n")
    found = tree.check("layers")
    assert len(found) == 1 and found[0].startswith(name)


def test_layers_one_direction(tree):
    tree.write("include/base/a.h", "struct b;\nvoid a_work(struct b *b);\n")
    tree.write("src/base/a_private.h", '#include "base/a.h"\nstruct a { int n; };\n')
    tree.write("src/base/a.c", '#include "a_private.h"\n#include "b.h"\nvoid a_work(struct b *b)\n{\n}\n')
    tree.write("src/base/b.h", "struct b { int a_work; };\n")
    # A member, a comment or a string with the name does not count as the function.
    tree.write("src/base/b.c", '#include "b.h"\n/* a_work */ int f(struct b *b)\n{\n'
                               '\treturn b->a_work + *"a_work" + \'"\';\n}\n')
    # A folder may use a function whose name another folder has, too.
    tree.write("src/api/c.c", "void f(void)\n{\n}\n")
    tree.write("src/api/d.c", "void a_work(void)\n{\n\tf();\n}\n")
    assert tree.check("layers") == []


@pytest.mark.parametrize(
    "a, b, circle",
    [
        ('#include "b.h"\n', '#include "a.h"\n', "a -> b (b.h) -> a (a.h)"),
        ('#include "b.h"\n', "int f(void)\n{\n\ta_work(NULL);\n}\n", "a -> b (b.h) -> a (a_work())"),
        ('#include "base/c.h"\n', "", "base/c.h -> base/d.h (base/d.h) -> base/c.h (base/c.h)"),
    ],
)
def test_layers_circle(tree, a, b, circle):
    tree.write("src/base/a.h", "")
    tree.write("src/base/b.h", "")
    tree.write("src/base/a.c", a + "struct b *a_work(void *data,\n\t\tint n)\n{\n}\n")
    tree.write("src/base/b.c", b)
    if "/c.h" in a:
        tree.write("include/base/c.h", '#include "base/d.h"\n')
        tree.write("include/base/d.h", '#include "base/c.h"\n')
    assert tree.check("layers") == [f"src/base: a circle: {circle}"]


def c_function(lines):
    body = "\tf();\n" * (lines - 3)
    return f"static int work(int a)\n{{\n{body}}}\n"


def test_size_at_the_limit(tree):
    tree.write("src/a.c", "#include <a.h>\n\n" + c_function(60) + "\n" + c_function(60))
    tree.write("src/b.h", "\n" * 500)
    tree.write("tools/c.py", "def f():\n" + "    f()\n" * 59)
    assert tree.check("size") == []


def test_size_faults(tree):
    tree.write("src/a.c", "#include <a.h>\n\n" + c_function(61))
    tree.write("src/b.h", "\n" * 501)
    tree.write("tools/c.py", "def f():\n" + "    f()\n" * 60)
    tree.write("tools/d", "#!/bin/bash\n" + "\n" * 500)
    words = ["src/a.c:work: 61 lines", "src/b.h: 501 lines", "tools/c.py:f: 61 lines"]
    assert tree.check("size") == [*words, "tools/d: 501 lines"]


def test_size_allowed_with_reason(tree):
    tree.write("src/a.c", c_function(70))
    tree.write("tools/size_allowed.txt", "# why\nsrc/a.c:work a table of moves\n")
    assert tree.check("size") == []
    tree.write("tools/size_allowed.txt", "src/a.c:work\n")
    assert "no reason" in tree.check("size")[0]
    tree.write("tools/size_allowed.txt", "src/a.c:work a table\nsrc/gone.c a table\n")
    assert "or gone" in tree.check("size")[0]


def test_format(tree):
    shutil.copy(TOOLS.parent / ".clang-format", tree.root)
    tree.write("tools/good", "#!/usr/bin/env python3\nprint(1)\n")
    assert tree.check("format") == []
    tree.write("tools/bad", "#!/usr/bin/env python3\nprint(unheard)\n")
    assert "undefined name 'unheard'" in " ".join(tree.check("format"))
    tree.write("tools/bad", "#!/bin/bash\nif true; then\n")
    assert "syntax error" in " ".join(tree.check("format"))
    (tree.root / "tools/bad").unlink()
    if not has_clang_format_14():
        pytest.skip("another clang-format")
    tree.write("src/a.c", "int  a ;\n")
    assert "clang-formatted" in " ".join(tree.check("format"))


def has_clang_format_14():
    done = subprocess.run(["clang-format", "--version"], capture_output=True, text=True)
    return "version 14." in done.stdout


@pytest.mark.parametrize(
    "text, words",
    [
        ("int a; /* TO" + "DO later */\n", "unfinished"),
        ("/* a st" + "ub */\n", "unfinished"),
        ('open("/ho' + 'me/somebody/x")\n', "machine"),
        ("see /wo" + "rk/main\n", "machine"),
        ("<" * 7 + " HEAD\n", "merge"),
        ("int a; \n", "white space"),
        ("int a;", "newline"),
        ("int a;\r\n", "CR"),
        (b"\xff\n", "UTF-8"),
    ],
)
def test_text_fault(tree, text, words):
    tree.write("src/a.c", text)
    assert words in tree.check("text")[0]


def test_text_width_of_statements(tree):
    tree.write("sql/query/a.sql", f"-- {117 * 'x'}\nSELECT 1\n")
    tree.write("sql/migration/0001_a.sql", f"-- {200 * 'x'}\n")
    assert tree.check("text") == []
    tree.write("sql/query/ctl/b.sql", f"SELECT 1\n-- {118 * 'x'}\n")
    assert tree.check("text") == ["sql/query/ctl/b.sql:2: 121 characters, maximum 120"]


def glossary(count, row="| term {} | its code | a meaning |\n"):
    rows = "".join(row.format(number) for number in range(count))
    return ("# Design\n\n| a table |\n|---|\n| of no terms |\n\n## Glossary\n\n| Term | In code | Meaning |\n"
            f"|:---|---|---|\n{rows}\n## Layers\n\n| a | b |\n|---|---|\n| c | d |\n\n- **one** rule\n")


def test_text_glossary(tree):
    tree.write("DESIGN.md", glossary(40))
    assert tree.check("text") == []
    tree.write("DESIGN.md", glossary(41))
    assert tree.check("text") == ["DESIGN.md: the glossary has 41 terms, maximum 40"]
    tree.write("DESIGN.md", glossary(41, "- **Term {}**: a meaning\n"))
    assert tree.check("text") == ["DESIGN.md: the glossary has 41 terms, maximum 40"]
    tree.write("DESIGN.md", glossary(41).replace("Glossary", "Words"))
    assert tree.check("text") == ['DESIGN.md: has no section "Glossary" with terms']


NOTICE = """Words.

The pages (subprojects/webapp) are bundled.

MIT
    @one/*, @two/a                        (c) 2020 Ada
    three                                 (c) 2021 Bob

The renderer of apps in Starlark (subprojects/render-starlark) is one program.

MIT
    example.invalid/a/one, two            (c) 2020 Ada
                                          and others
BSD, two clauses
    example.invalid/B v1.2 (parts of it MIT)
"""


def write_notice(tree, notice=NOTICE, modules="", packages=()):
    tree.write("NOTICE", notice)
    tree.write("subprojects/render-starlark/go.mod", "module x\n\nrequire (\n" + modules
               + "\texample.invalid/a/one v1.0.0\n\texample.invalid/a/two/v2 v2.0.0 // indirect\n"
               "\texample.invalid/B v1.2.0\n\tgithub.com/stretchr/testify v1.0.0\n)\n")
    lock = {"": {}, "node_modules/@one/x": {"license": "MIT"}, "node_modules/three": {"license": "MIT"},
            "node_modules/@two/a": {"license": "MIT"}, "node_modules/tool": {"dev": True}}
    tree.write("subprojects/webapp/package-lock.json", json.dumps({"packages": lock | dict(packages)}))


def test_notice_without_fault(tree):
    write_notice(tree)
    assert tree.check("notice") == []


def test_notice_faults(tree, monkeypatch):
    write_notice(tree, modules="\texample.invalid/new v1.0.0\n",
                 packages={"node_modules/x/node_modules/four": {"license": "ISC"}})
    assert tree.check("notice") == ["module example.invalid/new is missing", "package four is missing"]
    write_notice(tree, notice=NOTICE.replace("a/one, two ", "a/one, two, gone ").replace("three", "3"))
    assert tree.check("notice") == ["module example.invalid/a/gone is not used any more",
                                    "package three is missing", "package 3 is not used any more"]
    write_notice(tree, packages={"node_modules/three": {"license": "ISC"}})
    assert tree.check("notice") == ["package three has the licence ISC, not MIT"]
    # The licence is read from the module, if the module is on this machine.
    monkeypatch.setenv("GOMODCACHE", str(tree.root / "modules"))
    write_notice(tree)
    tree.write("modules/example.invalid/!b@v1.2.0/LICENSE",
               "Permission is hereby granted,\n free of charge")
    assert tree.check("notice") == [
        "module example.invalid/B has the licence MIT, not BSD, two clauses"]


FONTS = """
Data in the same program, as the library bundles it
    fonts 5x8, 6x10       public domain
    font Small            (c) 2017 Dimitar,
                                          CC0 1.0
    emoji                 (c) 2019 Eve
"""


def test_notice_of_fonts(tree, monkeypatch):
    monkeypatch.setenv("GOMODCACHE", str(tree.root / "modules"))
    for name, head in {"5x8": "Public domain font.", "6x10-a": "", "Small-3": "(c) Dimitar"}.items():
        tree.write(f"modules/github.com/tronbyt/pixlet@v1.0.0/fonts/{name}.bdf", f"{head}\nSTARTCHAR mit\n")

    def faults(fonts=FONTS):
        notice = NOTICE.replace("example.invalid/B", "github.com/tronbyt/pixlet, example.invalid/B") + fonts
        write_notice(tree, notice, modules="\tgithub.com/tronbyt/pixlet v1.0.0\n")
        return [fault for fault in tree.check("notice") if fault.startswith("font")]
    assert faults() == []
    assert faults(FONTS.replace("CC0 1.0", "free")) == ["font small has no licence"]
    assert faults(FONTS.replace("5x8, ", "")) == ["font 5x8 is missing"]
    assert faults(FONTS.replace("public domain", "MIT")) == ["font 5x8 has the licence public domain"]


def test_text_without_fault(tree):
    tree.write("src/a.c", 'mkstemp("/tmp/XXXXXX"); /* networks, https://example.org/' "work/x */\n")
    tree.write("README.md", "two spaces  \nbreak a line\n")
    tree.write("test/fuzz/http_corpus/a", b"\xff\0")
    assert tree.check("text") == []


@pytest.mark.parametrize("name, line, words", [
    ("test/a/test_b.py", "    time.sl" "eep(1)", "a sleep"),
    ("test/a/b_test.c", "\tusl" "eep(500);", "a sleep"),
    ("test/a/b_test.c", "\tsl" "eep(11);", "a sleep"),
    ("test/a/test_b.py", "    let_" "pass(2)", "a time that passes"),
    ("test/a/b.mjs", "\tawait page.waitForTime" "out(100);", "a time that passes"),
    ("test/a/b.mjs", "\tawait new Promise((resolve) => setTime" "out(resolve, 5));", "a time that passes"),
    ("test/a/test_b.py", 'assert "level=' 'warn" not in log', "any warning"),
    ("test/a/test_b.py", 'assert not re.search(r"level=' '(warn|error)", log)', "any warning"),
    ("test/a/test_b.py", '"SELECT paused_until - ' 'clock_timestamp()"', "against the clock"),
    ("test/a/test_b.py", '"SELECT due_at -' 'now()"', "against the clock"),
    ("sql/query/a.sql", "SELECT clock_timestamp()", "another clock"),
    ("sql/query/ctl/a.sql", "SELECT CURRENT_TIMESTAMP", "another clock"),
    ("sql/schema/01_a.sql", "\tat timestamptz DEFAULT now()", "another clock"),
])
def test_waits_fault(tree, name, line, words):
    tree.write(name, line + "\n")
    found = tree.check("waits")
    assert len(found) == 1 and found[0].startswith(f"{name}:1: ") and words in found[0]


def test_waits_without_fault(tree):
    tree.write("test/a/test_b.py", "wait_until(lambda: True, 'it')\n"
               'server.wait_for_log(\'level=error group=db msg="gone"\')\n'
               "run('SELECT pg_sleep(60), paused_until - made_at FROM a')\n"
               "def wait_until_asleep():\n    is_asleep()\n")
    tree.write("test/fuzz/a_corpus/b", "sl" "eep(1)\n")
    tree.write("sql/query/a.sql", "-- As of now(), and at any time.\nSELECT present_time(), json_timestamp(at)\n")
    assert tree.check("waits") == []


def test_waits_allowed_with_reason(tree):
    tree.write("test/a.py", "def moment():\n    sl" "eep(1)\n\n\ndef other():\n    sl" "eep(1)\n")
    tree.write("tools/waits_allowed.txt", "test/a.py:moment any moment\n")
    assert [line.partition(": ")[0] for line in tree.check("waits")] == ["test/a.py:6"]
    tree.write("tools/waits_allowed.txt", "# why\ntest/a.py it is how tests wait\n")
    assert tree.check("waits") == []
    tree.write("tools/waits_allowed.txt", "test/a.py\n")
    assert "no reason" in tree.check("waits")[0]
    tree.write("tools/waits_allowed.txt", "test/a.py it waits\ntest/gone.py it waits\n")
    assert "or is gone" in tree.check("waits")[0]


def write_build(tree, tests):
    build = tree.root / "build/x"
    targets = [
        {"filename": [f"{build}/{name}"], "target_sources": [{"sources": sources}]}
        for name, sources in tests.items()
    ]
    tree.write("build/x/meson-info/intro-targets.json", json.dumps(targets))
    commands = [{"cmd": [name], "workdir": None} for name in tests if name != "idle"]
    # The folder in which a test runs is not passed to it.
    commands.append({"cmd": ["python3", "-m", "pytest", f"{build}/../../test/api"], "workdir": str(tree.root)})
    tree.write("build/x/meson-info/intro-tests.json", json.dumps(commands))
    return ["--build", str(build)]


def test_tests_registered(tree):
    known = tree.write("test/unit/known_test.c", "")
    idle = tree.write("test/unit/idle_test.c", "")
    tree.write("test/api/test_a.py", "")
    build = write_build(tree, {"known": [str(known)], "idle": [str(idle)]})
    assert tree.check("tests_registered", *build) == [
        "test/unit/idle_test.c: no test of meson runs it"
    ]
    idle.unlink()
    assert tree.check("tests_registered", *build) == []
    tree.write("test/http/test_b.py", "")
    tree.write("test/http/c_test.py", "")
    assert [line.split(":")[0] for line in tree.check("tests_registered", *build)] == [
        "test/http/c_test.py",
        "test/http/test_b.py",
    ]


def write_commands(tree, *sources):
    entries = [
        {"directory": str(tree.root), "file": source, "command": f"cc -Iinclude -c {source}"}
        for source in sources
    ]
    tree.write("build/x/compile_commands.json", json.dumps(entries))
    return ["--build", str(tree.root / "build/x")]


def test_headers(tree, monkeypatch):
    monkeypatch.setenv("DISPLAYD_TEST_FULL", "1")
    build = write_commands(tree)
    tree.write("include/base/a.h", "#pragma once\n#include <stddef.h>\nsize_t f(void);\n")
    assert tree.check("headers", *build) == []
    tree.write("include/base/b.h", "#pragma once\nsize_t g(void);\n")
    found = " ".join(tree.check("headers", *build))
    assert "alone with gcc" in found and "alone with clang" in found
    tree.write("include/base/b.h", "enum { TWICE };\n")
    assert "include/base/b.h" in tree.check("headers", *build)[0]


def test_headers_that_the_build_shows(tree, monkeypatch):
    """The build compiles a header alone if a source includes it first. Headers with a guard are skipped."""
    monkeypatch.delenv("DISPLAYD_TEST_FULL", raising=False)
    build = write_commands(tree, "src/base/b.c")
    tree.write("src/base/b.c", '/* b */\n#include "base/b.h"\n#include "base/a.h"\n')
    tree.write("include/base/a.h", "size_t f(void);\n")
    tree.write("include/base/b.h", "/* b */\n#pragma once\nsize_t g(void);\n")
    found = " ".join(tree.check("headers", *build))
    assert "include/base/a.h: does not compile" in found and "include/base/b.h: " not in found
    tree.write("include/base/b.h", "size_t g(void);\n")
    assert "include/base/b.h: does not compile" in " ".join(tree.check("headers", *build))


def test_tidy(tree):
    """A source of two programs is checked once; foreign sources are not."""
    tree.write(".clang-tidy", "Checks: '-*,bugprone-suspicious-semicolon'\nWarningsAsErrors: '*'\n")
    faulty = "int f(int x)\n{\n\tif (x);\n\t\treturn 1;\n\treturn 0;\n}\n"
    ours, generated = "src/base/a.c", "build/x/b.c"
    build = write_commands(tree, ours, ours, generated)
    command = [sys.executable, str(TOOLS / "check_tidy"), "--root", str(tree.root), *build]
    for text, count in ((faulty, 1), (faulty.replace(";", "", 1), 0)):
        tree.write(ours, text)
        tree.write(generated, faulty)
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == count, done.stderr
        assert done.stdout.count("[bugprone-suspicious-semicolon") == count


PROBLEMS = "docs/api/problems.yaml"


@pytest.mark.parametrize("name, text, line", [
    ("src/ctl/a.c", 'if (strcmp(detail, "no") == 0)\n', "src/ctl/a.c:1: compares"),
    ("src/ctl/a.c", "str_starts_with(str_from(detail), words);\n", "src/ctl/a.c:1: compares"),
    ("subprojects/webapp/src/a.ts", '\nif (error.message.includes("slug"))\n', "subprojects/webapp/src/a.ts:2: compares"),
    ("subprojects/webapp/src/a.tsx", 'problem.detail === "no"', "subprojects/webapp/src/a.tsx:1: compares"),
    ("subprojects/mqtt/src/a.c", 'publish_error(to, "any", 0,\n"lamp_gone", "the lamp");\n',
     "subprojects/mqtt/src/a.c: docs/api/problems.yaml has no lamp_gone"),
    ("src/web/a.c", 'faults_add(faults, STR("lamp"),\n"the lamp must "\n"glow");', 'src/web/a.c:1: no verb, or no subject, begins "the lamp must'),
    ("src/web/a.c", 'faults_add_at(faults, path, STR("/x must glow"));', 'src/web/a.c:1: no verb, or no subject, begins "/x must'),
    ("src/domain/a.c", 'const char *lamp_check(struct str name)\n{\n\treturn name.length ? NULL : "lamp is dark";\n}\n',
     'src/domain/a.c:1: no verb, or no subject, begins "lamp is dark"'),
    ("src/api/a.c", 'return task_fail(task, PROBLEM_LAMP_BROKEN, "must " "glow");', 'src/api/a.c:1: no verb, or no subject, begins "must glow"'),
    ("src/api/a.c", 'return task_fail(task, PROBLEM_LAMP_BROKEN,\n"/lamp glows");', 'src/api/a.c:1: no verb, or no subject, begins "/lamp'),
])
def test_problems_fault(tree, name, text, line):
    tree.write(PROBLEMS, "lamp_broken: {status: 409, about: No.}\n")
    tree.write(name, text)
    assert [found[:len(line)] for found in tree.check("problems")] == [line]


def test_problems_without_fault(tree):
    tree.write(PROBLEMS, "lamp_broken: {status: 409, about: No.}\n")
    tree.write("src/ctl/a.c", 'if (strcmp(code, "no") == 0)\n\treturn fail("%s", detail);\n')
    tree.write("subprojects/webapp/src/a.ts", "show(problem.detail);\n")
    tree.write("src/web/a.c", 'faults_add(faults, STR("lamp"), "must glow"); faults_add(faults, name, "%s", why);\n'
               'task_fail(task, PROBLEM_LAMP_BROKEN, "the lamp must glow"); task_fail(task, PROBLEM_LAMP_BROKEN, "%.*s is", n, x);\n'
               'const char *lamp_check(struct str name)\n{\n\treturn name.length ? NULL : "must glow";\n}\n')
    tree.write("subprojects/mqtt/src/a.c", 'publish_error(to, "any", 0, code ? code : "lamp_broken", detail);\n')
    assert tree.check("problems") == []


CTL_HELP = "Options:\n  --account EMAIL    Owner.\n  --json             JSON.\n\n  device create      Register one.\n  push DEVICE FILE   Show.\n"


def write_programs(tree):
    """Writes programs that print a help, in the place of those that are built."""
    for name, cases in (("ctl/displayctl", {"device create": "  --name NAME  Name.\n", "push": "  -x, --hold   Hold.\n", "": CTL_HELP}),
                        ("main/displayd", {"": "  --public-url URL  URL.\n"})):
        lines = "".join(f"'{words} --help'|'{words}--help') printf '{text}' ;;\n".replace("\n'", "'") for words, text in cases.items())
        tree.write(f"build/src/{name}", f'#!/bin/sh\ncase "$*" in\n{lines}*) exit 2 ;;\nesac\n').chmod(0o755)
    return "--build", str(tree.root / "build")


@pytest.mark.parametrize("name, text, fault", [
    ("src/ctl/a.c", 'fail("use "\n"--namely");', "src/ctl/a.c:1: no program has an option --namely"),
    ("src/ctl/a.c", 'STR("--namely")', "src/ctl/a.c:1: no program has an option --namely"),
    ("src/ctl/a.c", '\nctl_value(ctl, "namely");', "src/ctl/a.c:2: no command has an option --namely"),
    ("src/ctl/a.c", 'fail("see displayctl device make");', "src/ctl/a.c:1: there is no command displayctl device make"),
    ("src/web/a.c", 'fail("run displayctl " TEXT\n"device create " \\\n"--hold");', "src/web/a.c:1: displayctl device create has no option --hold"),
    ("src/web/a.c", 'fail("run displayctl device create --hold");', "src/web/a.c:1: displayctl device create has no option --hold"),
    ("src/web/a.c", 'fail("set DISPLAYD_PUBLIC_URI, "\n "please");', "src/web/a.c:1: nothing reads the variable DISPLAYD_PUBLIC_URI"),
    ("docs/api/a.yaml", "about: Needs `--publik-url`.", "docs/api/a.yaml:1: no program has an option --publik-url"),
    ("docs/a.md", "So:\n\n```sh\nsudo displayctl --account a@b push x --name y\n```\n", "docs/a.md:4: displayctl push has no option --name"),
    ("README.md", "Type `displayd --name x`.", "README.md:1: displayd has no option --name"),
    ("subprojects/webapp/src/a.tsx", "<p>\nSet --publik-url.", "subprojects/webapp/src/a.tsx:2: no program has an option --publik-url"),
])
def test_options_fault(tree, name, text, fault):
    tree.write(name, text)
    assert tree.check("options", *write_programs(tree))[0] == fault


def test_options_without_fault(tree):
    tree.write("src/ctl/a.c", '/* "--namely x" */ fail("--hold needs displayctl push, or --%s; displayctl does no more", name);\n'
               'ctl_value(ctl, "name"); getenv("DISPLAYD_KEY");\n')
    tree.write("src/web/a.c", 'char *all[] = {"--namely"}; fail("set DISPLAYD_KEY or DISPLAYD_PUBLIC_URL; npm install --global x");\n')
    tree.write("docs/a.md", "The displayctl make of old. `displayctl --json device create --name x; curl --namely`, `displayctl help device`\n")
    tree.write("subprojects/webapp/src/a.tsx", '<p style="color: var(--text)">see --public-url')
    assert tree.check("options", *write_programs(tree)) == []
