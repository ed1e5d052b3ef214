"""Checks of the document by foreign programs: two linters, and a generator of types."""

import copy
import json
import os
import shutil

import npm
import pytest
import validate

HERE = os.path.dirname(os.path.abspath(__file__))


def spectral(path):
    return npm.run("spectral", "lint", "--ruleset", os.path.join(HERE, "spectral.json"),
                   "--fail-severity", "hint", path)


def redocly(path):
    return npm.run("redocly.mjs", path)


@pytest.mark.parametrize("name", ["openapi.json", "web-openapi.json"])
@pytest.mark.parametrize("lint", [spectral, redocly])
def test_clean(lint, name):
    code, text = lint(os.path.join(validate.DOCUMENTS, name))
    assert code == 0, text
    assert "warn" not in text


def without_security(document):
    del document["security"]


def with_wrong_example(document):
    operation = document["paths"]["/v1/devices/{deviceId}"]["patch"]
    content = operation["requestBody"]["content"]["application/json"]
    content["examples"]["default"]["value"]["brightness"] = 101


def with_repeated_operation_id(document):
    document["paths"]["/v1/devices"]["get"]["operationId"] = "listApps"


def with_unused_component(document):
    document["components"]["schemas"]["Unused"] = {"type": "string"}


@pytest.mark.parametrize("lint, spoil", [
    (redocly, without_security), (redocly, with_wrong_example), (redocly, with_unused_component),
    (redocly, with_repeated_operation_id), (spectral, with_wrong_example),
    (spectral, with_repeated_operation_id), (spectral, with_unused_component)])
def test_linters_look(tmp_path, lint, spoil):
    """The linters find faults in a damaged copy: a linter that checks nothing would also be clean."""
    document = copy.deepcopy(validate.read_document())
    spoil(document)
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document))
    code, text = lint(str(path))
    assert code != 0, text


def test_types_compile(tmp_path):
    types = tmp_path / "api.ts"
    code, text = npm.run("openapi-typescript", validate.DOCUMENT, "-o", str(types))
    assert code == 0, text
    shutil.copy(os.path.join(HERE, "typed.ts"), tmp_path)
    code, text = npm.run("tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "es2022",
                         "--moduleResolution", "bundler", "--noUncheckedIndexedAccess",
                         "--exactOptionalPropertyTypes", "--lib", "es2022,dom", "typed.ts",
                         cwd=str(tmp_path))
    assert code == 0, text
