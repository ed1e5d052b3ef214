"""The list of what is built into the programs and pages, in CycloneDX 1.6: parts of the sources, modules of Go, packages
of npm, each with version, licence and, if known, checksum. Libraries of Debian that are loaded at run time are not in it:
apt updates them."""

import base64
import re
import subprocess
import time
import urllib.parse
import uuid

import bundled

SPDX = {"Apache License 2.0": "Apache-2.0", "FreeType License": "FTL", "ISC": "ISC", "BSD, three clauses": "BSD-3-Clause",
        "BSD, two clauses": "BSD-2-Clause", "MIT": "MIT"}
# Debian's source package, its folder, its licence.
LIBRARIES = [("mbedtls", "subprojects/mbedtls", "Apache-2.0 OR GPL-2.0-or-later"), ("quickjs-ng", "subprojects/quickjs", "MIT")]
# Modules whose licence is a choice, and in no file that says which.
NAMED = {"github.com/golang/freetype": "FTL OR GPL-2.0-or-later"}
STATIC_LICENCES = {"llhttp": "MIT", "yyjson": "MIT", "libwebp": "BSD-3-Clause"}
# Identifiers of documents are made from this name, so that two runs give the same one.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "displayd.invalid")


def component(kind, name, version, licence, url, sums=()):
    made = {"type": kind, "bom-ref": url, "name": name, "version": version, "purl": url}
    if licence:
        is_expression = " " in licence
        made["licenses"] = [{"expression": licence} if is_expression else {"license": {"id": licence}}]
    if sums:
        made["hashes"] = [{"alg": kind, "content": content} for kind, content in sums]
    return made


def of_debian(name, version, licence):
    return component("library", name, version, licence,
                     f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch=source")


def libraries(root):
    for name, folder, licence in LIBRARIES:
        head = (root / folder / "debian/changelog").read_text(errors="replace").partition("\n")[0]
        yield of_debian(name, re.search(r"\((.*?)\)", head)[1], licence)


def static_libraries(texts):
    """Those that packages for Debian 12 contain; texts: of "versions" files that tools/package writes."""
    for name, version in sorted({tuple(found) for text in texts for found in re.findall(r"^(\S+) \(= (.*)\)$", text, re.M)}):
        yield of_debian(name, version, STATIC_LICENCES.get(name, ""))


def modules(root):
    for name, module in sorted(bundled.go_modules(root).items()):
        path, _, version = module.rpartition("@")
        licence = NAMED.get(name) or SPDX.get(bundled.licence_of(bundled.folder_of(module)), "")
        yield component("library", path, version, licence, f"pkg:golang/{path.lower() if 'github.com' in name else path}@{version}")


def go_itself(root):
    """Go's own library is a part of the renderer."""
    done = subprocess.run(["python3", "build.py", "find", "."], cwd=root / "subprojects/render-starlark",
                          capture_output=True, text=True, check=True)
    version = subprocess.run([done.stdout.strip(), "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    yield component("library", "std", version.strip().removeprefix("go"), "BSD-3-Clause",
                    f"pkg:golang/std@{version.strip().removeprefix('go')}")


def packages(root):
    for name, entry in sorted(bundled.npm_packages(root).items()):
        kind, _, content = entry.get("integrity", "").partition("-")
        sums = [("SHA-512", base64.b64decode(content).hex())] if kind == "sha512" else []
        yield component("library", name, entry["version"], SPDX.get(entry["license"], entry["license"]),
                        f"pkg:npm/{urllib.parse.quote(name, safe='/')}@{entry['version']}", sums)


def make(root, version, commit, seconds, static_texts=()):
    """Returns the document. seconds: the time of the commit."""
    main = component("application", "displayd", version, "MIT", f"pkg:generic/displayd@{version}")
    parts = [*libraries(root), *static_libraries(static_texts), *go_itself(root), *modules(root), *packages(root)]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": uuid.uuid5(NAMESPACE, f"{version} {commit}").urn,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)), "component": main,
                     "properties": [{"name": "commit", "value": commit}]},
        "components": parts,
        "dependencies": [{"ref": main["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }
