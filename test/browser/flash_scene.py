"""Functions for journeys that flash boards."""

import base64
import os
import subprocess

import firmware_images
from server import DISPLAYCTL

# Most of the application: several parts, and random, so that it is not compressed to nothing.
REST = bytes(byte * 167 % 251 for byte in range(255)) * 1200 + b"\0"


class FlashScene:
    """Part of Scene (conftest.py), which has the server and the folder of files."""

    def _image(self, kind):
        made = {"chip": 0 if kind == "esp32" else 9, "last": REST, "version": b"v1.6.6"}
        if kind == "unmarked":
            made["fields"] = ()
        content = firmware_images.image(**made)
        if kind == "merged":
            return b"\xff" * 0x10000 + content
        return content[:-100] if kind == "cut" else content

    def image_file(self, kind):
        """A file with an image: application, merged, esp32, cut, unmarked, large."""
        path = os.path.join(self.files, f"{kind}.bin")
        if not os.path.exists(path):  # a browser refuses a file that changes once it is chosen
            with open(path, "wb") as out:
                out.write(bytes(8 * 1024 * 1024 + 1) if kind == "large" else self._image(kind))
        return path

    def add_firmware(self, board, version):
        """Adds an image for a board to the server; a version that it has stays."""
        known = self.server.ctl("firmware", "list")
        if not any((one["board"], one["version"]) == (board, version) for one in known):
            self.server.ctl("firmware", "add", board, self.image_file("application"))

    def filled(self, kind, ssid, password, url):
        """What displayctl makes of an image, in base64, and the command that it prints."""
        path = os.path.join(self.files, "filled.bin")
        done = subprocess.run([DISPLAYCTL, "device", "flash-file", self.image_file(kind), path, "--ssid", ssid,
                               "--secrets", "-"], input=f"{password}\n{url}\n", text=True, capture_output=True,
                              check=True)
        with open(path, "rb") as file:
            content = base64.b64encode(file.read()).decode()
        os.unlink(path)
        return {"content": content, "command": done.stderr.split("flash it with: ")[1].rsplit(" ", 1)[0]}
