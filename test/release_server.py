"""A repository of releases on this machine, by https, and a displayd whose egress trusts its certificate."""

import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import threading

from server import DISPLAYD

PROGRAMS = ("egress", "mqtt", "render-starlark", "render-typescript")
LAUNCHER = """#!/bin/sh
# As sandbox-launch, but the egress trusts one certificate more.
read=
for word in "$@"; do
    case $word in */egress) read="--read {certificate}"; set -- "$@" --certificates {certificate};; esac
done
exec {launcher} $read "$@"
"""


def make_certificate(folder):
    paths = [str(folder / name) for name in ("cert.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-out", paths[0], "-keyout", paths[1]],
                   check=True, capture_output=True)
    return paths


def install(folder, certificate):
    """Puts a displayd into the folder. Returns the start of a command that runs it in place of that of the build."""
    folder = pathlib.Path(folder)
    build = pathlib.Path(DISPLAYD).parents[2] / "subprojects"
    programs = folder / "libexec/displayd"
    programs.mkdir(parents=True)
    (folder / "bin").mkdir()
    shutil.copy2(DISPLAYD, folder / "bin/displayd")
    for name in PROGRAMS:
        if (build / name / name).exists():
            os.symlink(build / name / name, programs / name)
    launcher = programs / "sandbox-launch"
    launcher.write_text(LAUNCHER.format(certificate=certificate, launcher=build / "sandbox/sandbox-launch"))
    launcher.chmod(0o755)
    return ("sh", "-c", f'shift; exec {folder}/bin/displayd "$@"', "displayd")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def drip(self, content, stop, path):
        """Some bytes now and then, one if not said otherwise, until the client leaves."""
        self.close_connection = True
        step = self.server.releases.drops.get(path, 1)
        try:
            for at in range(0, len(content), step):
                self.wfile.write(content[at:at + step])
                if stop.wait(0.2):
                    return
        except OSError:
            self.server.releases.left.append(path)

    def do_GET(self):
        releases = self.server.releases
        path = self.path.partition("?")[0]
        releases.seen.append(self.path)
        gate = releases.gates.get(path)
        content = releases.answers.get(path)
        if content is None:
            self.send_error(404)
            return
        if isinstance(content, str):
            self.send_response(302)
            self.send_header("Location", content)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        etag = releases.etags.get(path)
        if etag and self.headers.get("If-None-Match") == etag:
            self.send_response(304)
            self.send_header("ETag", etag)
            self.end_headers()
            return
        self.send_response(200)
        if etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(content) + releases.missing.get(path, 0)))
        for number in range(releases.headers.get(path, (0, 0))[0]):
            self.send_header(f"X-{number}", "a" * releases.headers[path][1])
        self.end_headers()
        if path in releases.dripping:
            self.drip(content, releases.dripping[path], path)
            return
        half = len(content) // 2
        with contextlib.suppress(OSError):
            self.wfile.write(content[:half])
            if gate:
                gate.wait(60)
            self.wfile.write(content[half:])
        self.close_connection = path in releases.missing


class Releases:
    """A repository. Files of a release are at /files/, and lead to /objects/, as GitHub's do to another host."""

    def __init__(self, certificate):
        self.seen, self.gates, self.missing, self.answers, self.etags, self.list = [], {}, {}, {}, {}, []
        self.headers, self.dripping = {}, {}  # (number, bytes of each); events that end it
        self.drops, self.left = {}, []  # bytes of a drop; paths of dripping files whose clients have left
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.releases = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.root = f"https://localhost:{self.server.server_address[1]}"
        self.url = self.root + "/repos/tronbyt/firmware-esp32/releases"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def clear(self):
        self.seen.clear()
        for kept in (self.gates, self.missing, self.answers, self.etags, self.headers, self.dripping, self.drops, self.left):
            kept.clear()
        self.list.clear()
        self.publish()

    def publish(self, content=None):
        self.answers["/repos/tronbyt/firmware-esp32/releases"] = json.dumps(self.list).encode() if content is None else content

    def add(self, tag, files, digests=None, **more):
        """Adds a release as the newest one. digests: those that differ from the files'; None: none."""
        assets = []
        for number, (name, content) in enumerate(files.items()):
            at = f"/objects/{tag}/{name}"
            self.answers[at] = content
            self.answers[f"/files/{tag}/{name}"] = self.root + at
            digest = "sha256:" + hashlib.sha256(content).hexdigest()
            if digests and name in digests:
                digest = digests[name]
            # As GitHub lists an asset, without what an asset says of who uploaded it.
            assets.append({
                "url": f"{self.root}/repos/tronbyt/firmware-esp32/releases/assets/{number}", "id": number, "name": name,
                "label": "", "content_type": "application/octet-stream", "state": "uploaded", "size": len(content),
                "digest": digest, "download_count": 7, "created_at": "2026-07-21T10:00:00Z",
                "updated_at": "2026-07-21T10:00:00Z", "browser_download_url": f"{self.root}/files/{tag}/{name}"})
        self.list.insert(0, {
            "url": f"{self.url}/{len(self.list)}", "id": len(self.list), "tag_name": tag, "target_commitish": "main",
            "name": tag, "draft": False, "immutable": False, "prerelease": False, "created_at": "2026-07-21T09:00:00Z",
            "published_at": "2026-07-21T10:00:00Z", "assets": assets, "tarball_url": f"{self.root}/tarball/{tag}",
            "zipball_url": f"{self.root}/zipball/{tag}", "body": "What's changed\r\n* \U0001f4a1 something"} | more)
        self.publish()

    def close(self):
        for gate in self.gates.values():
            gate.set()
        self.server.shutdown()
