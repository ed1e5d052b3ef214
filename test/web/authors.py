"""Apps of a person, made and edited as the pages do."""

import secrets

from people import Person
from verdicts import can_run

SCRIPT = "def main():\n    return None\n"


class Author:
    """A person with apps."""

    def __init__(self, world, **columns):
        self.world = world
        self.person = Person(world, **columns)
        self.browser = self.person.browser()
        self.api_key = None

    def key(self):
        """An API key, which needs a device."""
        if not self.api_key:
            self.person.device()
            self.api_key = self.person.key()
        return self.api_key

    def make(self, **fields):
        slug = f"app-{secrets.token_hex(6)}"
        answer = self.browser.post("/web/studio", {"slug": slug, "name": "Clock", **fields})
        assert answer.status == 201, answer.body
        return App(self, answer.json())


class App:
    def __init__(self, author, shown):
        self.author = author
        self.id, self.slug = shown["id"], shown["slug"]
        self.path = f"/web/studio/{self.slug}"

    def shown(self):
        return self.author.browser.get(self.path).ok()

    def submit(self, version="1.0", script=SCRIPT, language="STARLARK"):
        return self.author.browser.post(self.path + "/versions", {
            "version": version, "scriptContent": script, "scriptLanguage": language})

    def submitted(self, *arguments, **options):
        """The ID of the new version."""
        answer = self.submit(*arguments, **options)
        assert answer.status == 201, answer.body
        return answer.json()["id"]

    def publish(self, reviewer, version="1.0", script=SCRIPT, language="STARLARK"):
        submitted = self.submitted(version, script, language)
        can_run(self.author.world.sql, self.id, version)
        reviewer.post(f"/web/reviews/{submitted}", {"status": "APPROVED"}).ok()
        return submitted

    def deploy(self, version):
        """Deploys a newer or older approved version by the API."""
        answer = self.author.world.request("POST", f"/v1/apps/{self.slug}/deploy",
                                           body={"version": version}, key=self.author.key())
        assert answer.status == 200, answer

    def versions(self):
        return self.author.browser.get(self.path + "/versions").ok()

    def draft(self):
        return self.author.browser.get(self.path + "/draft").ok()

    def save(self, script, revision, language="STARLARK"):
        return self.author.browser.request("PUT", self.path + "/draft", body={
            "scriptContent": script, "scriptLanguage": language, "revision": revision})


def audited(administrator, target):
    """(action, actor) of the audit entries about the app, oldest first."""
    entries = administrator.get("/web/admin/audit").ok()
    return [(entry["action"], entry["actor"]) for entry in reversed(entries)
            if entry["target"] and target in entry["target"]]
