"""Folders of apps, as displayctl app import takes them."""

import json
import os

from ctl_scene import numbers

STARLARK = """load("render.star", "render")
def main(config):
    return render.Root(child = render.Text("%s"))
"""


class Checkout:
    """A folder with apps, whose IDs are unique to it."""

    def __init__(self, folder):
        self.folder = folder
        self.prefix = f"c{next(numbers)}"

    def slug(self, name):
        return f"{self.prefix}-{name}"

    def add(self, app, /, script=STARLARK % "x", file="main.star", files=(), **manifest):
        folder = os.path.join(self.folder, "apps", app)
        manifest = {"id": self.slug(app), "name": app.title(), "author": "Ada",
                    "summary": "A summary"} | manifest
        write(os.path.join(folder, "manifest.yaml"), "---\n" + "".join(
            f"{field}: {json.dumps(value)}\n" for field, value in manifest.items()
            if value is not None))
        if script is not None:
            write(os.path.join(folder, file), script)
        for path, content in dict(files).items():
            write(os.path.join(folder, path), content)

    def add_many(self, count):
        """Adds "app0" and following ones. Returns the count."""
        for number in range(count):
            self.add(f"app{number}")
        return count


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def counts(answer):
    return {name: answer[name] for name in ("made", "updated", "unchanged", "failed")}


def outcome(made=0, updated=0, unchanged=0, failed=0):
    return {"made": made, "updated": updated, "unchanged": unchanged, "failed": failed}
