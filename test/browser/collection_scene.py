"""A server that fetches collections of apps from one on this machine, by https, for journeys."""

import pathlib
import shutil
import threading

from release_server import Releases, install, make_certificate
from run_folder import new_folder
from server import Server
from test_collections import ARCHIVE, app, tar

PASSWORD = "seven small lamps"
APPS = app("sun") | app("moon") | app("star") | app("bad", **{"bad.star": "def main(: pass"})


class CollectionScene:
    """Functions for journeys."""

    archives = collecting = None

    def with_collections(self):
        """Starts a server with an administrator and a person, whose archive comes with open_archive()."""
        folder = pathlib.Path(new_folder("displayd-test-", otherwise=None))
        folder.chmod(0o755)
        self.stack.callback(shutil.rmtree, folder)
        certificate = make_certificate(folder)
        self.archives = Releases(certificate)
        self.stack.callback(self.archives.close)
        self.archives.answers[ARCHIVE] = tar(APPS)
        self.archives.gates[ARCHIVE] = threading.Event()
        server = self.collecting = Server("--rate-limit", "0", "--egress-allow", "127.0.0.0/8", "--egress-allow", "::1",
                                          prefix=install(folder / "own", certificate[0]))
        self.others.append(server)
        server.start()
        made = {"url": server.url + "/", "archive": self.archives.root + ARCHIVE}
        for name, roles in (("administrator", ["--role", "administrator"]), ("person", [])):
            email = f"{name}@example.org"
            server.ctl("account", "create", email, "--name", name.title())
            token = server.ctl("account", "link", email, *roles)["url"].partition("#")[2]
            answer = server.request("POST", "/web/links/use", {"token": token, "password": PASSWORD},
                                    headers={"Sec-Fetch-Site": "same-origin"})
            assert answer.status == 200, answer.body
            made[name] = {"email": email, "password": PASSWORD}
        server.ctl("account", "previews", "person@example.org", "local")
        return made

    def open_archive(self):
        self.archives.gates[ARCHIVE].set()

    def change_archive(self):
        self.archives.answers[ARCHIVE] = tar(APPS | app("sun", "https://new.example/x"))
