"""Apps of a test's account, their versions, and their reviews."""

import dataclasses
import hashlib
import secrets
import uuid

from verdicts import can_run
from world import Account

SCRIPT = "def main():\n    return []\n"
LANGUAGES = ("STARLARK", "TYPESCRIPT")
# Outcomes of a review, as named by displayctl and by the API.
DECISIONS = {"approve": "APPROVED", "request-changes": "CHANGES_REQUESTED", "reject": "REJECTED"}


def checksum(language, script):
    """Returns the checksum as docs/api defines it: "sha256:" and the hash of language, line feed
    and script."""
    return "sha256:" + hashlib.sha256(f"{language}\n{script}".encode()).hexdigest()


@dataclasses.dataclass
class App:
    account: Account
    id: str
    slug: str

    @property
    def path(self):
        return f"/v1/apps/{self.id}"

    def upload_body(self, body, **options):
        return self.account.post(self.path + "/upload", body, **options)

    def upload(self, version="1.0", script=SCRIPT, language="STARLARK", **options):
        return self.upload_body({"version": version, "scriptContent": script,
                                 "scriptLanguage": language}, **options)

    def uploaded(self, *arguments, **options):
        """Uploads a version, which must succeed. Returns it."""
        answer = self.upload(*arguments, **options)
        assert answer.status == 201, answer
        assert answer["Content-Type"] == "application/json"
        return answer.json()

    def deploy(self, version="1.0", **options):
        return self.account.post(self.path + "/deploy", {"version": version}, **options)

    def list_versions(self, **options):
        return self.account.get(self.path + "/versions", **options)

    def versions(self):
        return self.list_versions().ok()

    def version(self, name="1.0"):
        return next(entry for entry in self.versions() if entry["version"] == name)

    def names(self):
        return [entry["version"] for entry in self.versions()]

    def deployed(self):
        """Returns the names of the deployed versions: one, or none."""
        return [entry["version"] for entry in self.versions() if entry["deployed"]]

    def review(self, version="1.0", decision="approve", *options):
        can_run(self.account.world.sql, self.id, version)
        return self.account.world.server.ctl("app", "review", self.slug, version, decision,
                                             *options)

    def published(self, version="1.0", **options):
        self.uploaded(version, **options)
        self.review(version)
        return self

    def row(self, column):
        return self.account.world.sql(f"SELECT {column} FROM app WHERE id = %s", self.id)[0][0]

    def status(self):
        return self.row("status")

    def generation(self):
        return self.row("generation")

    def is_listed(self, account=None):
        listed = (account or self.account).get("/v1/apps").ok()
        return self.id in [entry["id"] for entry in listed]


def make_app(account, name="Clock", visibility="private", description="Shows the time", id=None):
    app = App(account, id or str(uuid.uuid4()), "app-" + secrets.token_hex(8))
    account.world.sql("INSERT INTO app (id, account_id, slug, name, description, visibility) "
                      "VALUES (%s, %s, %s, %s, %s, %s)",
                      app.id, account.id, app.slug, name, description, visibility)
    return app
