"""The version of the engines, under which servers store pictures and forms: with another one, all are made again."""

import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def engines_version():
    with open(os.path.join(ROOT, "src/render/language.c"), encoding="utf-8") as file:
        own = re.search(r'engines_version\(void\)\n\{\n\treturn "([^"]+)" QUICKJS_VERSION;', file.read())[1]
    if not os.environ.get("HAS_TYPESCRIPT"):
        return own + "none"
    with open(os.path.join(ROOT, "subprojects/quickjs/debian/changelog"), encoding="utf-8") as file:
        return own + re.match(r"\S+ \((.*?)\)", file.readline())[1]
