"""displayctl's commands for apps and installations: output and errors."""

import contextlib
import itertools

import pytest
from ctl_scene import (APP_FIELDS, ID, NOWHERE, TIMESTAMP, app, database_of, device, email, key, new_app, numbers,
                       on_terminal, publish, published, query, refused, upload)
from server import wait_until

__all__ = ["app", "device", "email", "key", "published"]  # fixtures


class TestAppCreate:
    def test_what_is_printed(self, running, email):
        slug = f"my-app-{next(numbers)}"
        app = running.ctl("app", "create", "--account", email.upper(), "--name", "\u00dchr \U0001f570",
                          "--slug", slug, "--description", "A\nclock")
        assert list(app) == APP_FIELDS
        assert ID.fullmatch(app["id"]) and TIMESTAMP.fullmatch(app["createdAt"])
        assert {name: app[name] for name in APP_FIELDS if name not in ("id", "createdAt")} == {
            "slug": slug, "name": "\u00dchr \U0001f570", "description": "A\nclock",
            "visibility": "private", "status": "draft", "version": None,
            "pendingVersion": None}

    @pytest.mark.parametrize("visibility", ["private", "public", "legacy"])
    def test_visibility(self, running, email, visibility):
        assert new_app(running, email, "--visibility", visibility)["visibility"] == visibility

    def test_taken(self, running, email, app):
        text = refused(running, 4, "app", "create", "--account", email, "--name", "x", "--slug",
                       app["slug"])
        assert text == "there is an app with this slug already"

    def test_a_slug_of_two_accounts_means_none(self, running, email):
        slug = f"my-app-{next(numbers)}"
        other = f"other-{slug}@example.org"
        running.ctl("account", "create", other)
        made = [running.ctl("app", "create", "--account", owner, "--name", "x", "--slug", slug)["id"]
                for owner in (email, other)]
        for command in ("show", "disable", "enable", "remove"):
            text = refused(running, 4, "app", command, slug)
            assert f"{email} ({made[0]})" in text and f"{other} ({made[1]})" in text, command
        assert running.ctl("app", "show", made[1])["account"] == other
        assert refused(running, 3, "app", "show", slug + "x") == f"there is no app {slug}x"

    def test_unknown_account(self, running):
        assert refused(running, 3, "app", "create", "--account", "no@example.org", "--name", "x",
                       "--slug", "x") == "there is no account no@example.org"

    @pytest.mark.parametrize("slug", ["", "-a", "a-", "A", "a b", "a_b", "\u00e9", "a" * 65, "a/b",
                                      ".", NOWHERE])
    def test_invalid_slug(self, running, email, slug):
        assert refused(running, 2, "app", "create", "--account", email, "--name", "x",
                       f"--slug={slug}").startswith("--slug must ")

    @pytest.mark.parametrize("slug", ["0", "a", "a-b", "a--b", "z" * 64])
    def test_valid_slug(self, running, email, slug):
        assert running.ctl("app", "create", "--account", email, "--name", "x", "--slug",
                           slug)["slug"] == slug

    @pytest.mark.parametrize("option, value, text", [
        ("--account", "x", "--account must "), ("--name", "", "--name must have 1 to 100"),
        ("--name", "x" * 101, "--name must have 1 to 100"), ("--name", " ", "--name must "),
        ("--name", "a\nb", "--name must not"), ("--description", "x" * 501, "--description is too"),
        ("--description", "a\x1bb", "--description must not"),
        ("--visibility", "hidden", "--visibility must be private, public or legacy"),
        ("--visibility", "", "--visibility must be private, public or legacy")])
    def test_invalid_value(self, running, email, option, value, text):
        options = {"--account": email, "--name": "x", "--slug": "never-made", option: value}
        assert refused(running, 2, "app", "create", *itertools.chain(*options.items())).startswith(
            text)

    @pytest.mark.parametrize("missing", ["--account", "--name", "--slug"])
    def test_required(self, running, email, missing):
        options = {"--account": email, "--name": "x", "--slug": "never-made"}
        del options[missing]
        assert refused(running, 2, "app", "create", *itertools.chain(*options.items())).startswith(
            f"app create needs {missing}")


class TestAppList:
    def test_all_and_one_s_own(self, running, email, key):
        apps = [new_app(running, email) for _ in range(3)]
        publish(running, key, apps[1], "2.0")
        apps[1] |= {"status": "active", "version": "2.0"}
        assert running.ctl("app", "list", "--account", email.upper()) == apps
        listed = running.ctl("app", "list")
        assert [app for app in listed if app["id"] in [own["id"] for own in apps]] == apps
        assert listed == sorted(listed, key=lambda app: (app["createdAt"], app["id"]))

    def test_none(self, running, email):
        assert running.ctl("app", "list", "--account", email) == []

    def test_unknown_account(self, running):
        assert refused(running, 3, "app", "list", "--account",
                       "no@example.org") == "there is no account no@example.org"

    def test_for_a_person(self, running, email):
        """The list has one line for each app, whatever its description contains."""
        running.ctl("app", "create", "--account", email, "--name", "One", "--slug",
                    f"one-{next(numbers)}", "--description", "a\nb\tc")
        new_app(running, email)
        lines = running.ctl("app", "list", "--account", email, json_output=False).splitlines()
        assert lines[0].split()[:4] == ["slug", "status", "version", "name"]
        assert set(lines[0].split()) >= set(APP_FIELDS) and len(lines) == 3
        assert all(ID.search(line) for line in lines[1:])
        assert "\t" not in lines[1]


    def test_a_name_steers_no_terminal(self, running, email):
        name = "a\u202eb\u2066c"
        running.ctl("app", "create", "--account", email, "--name", name, "--slug", f"b-{next(numbers)}")
        for json_output in (False, True):
            arguments = ["app", "list", "--account", email] + ["--json"] * json_output
            text = running.ctl(*arguments, json_output=False)
            assert "a\\u202eb\\u2066c" in text and "\u202e" not in text
        assert running.ctl("app", "list", "--account", email)[0]["name"] == name


class TestAppDisable:
    def test_by_id_and_slug(self, running, published):
        for name in (published["id"], published["id"].upper(), published["slug"]):
            disabled = running.ctl("app", "disable", name)
            assert list(disabled) == APP_FIELDS
            assert (disabled["status"], disabled["version"]) == ("disabled", "1.0")
            assert running.ctl("app", "enable", name)["status"] == "active"

    def test_for_a_person(self, running, app):
        lines = dict(line.split(None, 1) for line in
                     running.ctl("app", "disable", app["slug"], json_output=False).splitlines()
                     if " " in line.strip())
        assert lines["status"] == "disabled" and lines["version"] == "-"

    @pytest.mark.parametrize("name", [NOWHERE, "nothing", "", "'"])
    @pytest.mark.parametrize("command", ["disable", "enable"])
    def test_unknown(self, running, command, name):
        assert refused(running, 3, "app", command, name) == f"there is no app {name}"


def entries(server, device):
    """The IDs of the entries of a device's rotation."""
    listed = server.ctl("installation", "list", "--device", device["id"])
    return [one["installationId"] for one in listed["entries"]]


class TestAppRemove:
    def test_all_of_it(self, running, key, device, published):
        for _ in range(2):
            running.ctl("installation", "create", "--device", device["id"], "--app", published["id"])
        code, text = on_terminal(running, "app", "remove", published["slug"], typed=b"no\n")
        assert code == 4
        assert 'This removes the app "Clock" with 1 versions, and removes it from 2 rotations.' in text
        assert running.ctl("app", "remove", published["slug"], "--yes")["id"] == published["id"]
        for command in (("show",), ("disable",), ("remove", "--yes")):
            refused(running, 3, "app", command[0], published["id"], *command[1:])
        for table in ("app", "app_version", "installation"):
            column = "id" if table == "app" else "app_id"
            wait_until(lambda table=table, column=column: not query(
                running, f"SELECT 1 FROM {table} WHERE {column} = %s", published["id"]), f"an empty {table}")
        assert running.ctl("installation", "list", "--device", device["id"])["entries"] == []
        assert query(running, "SELECT owned_app_count, device_count FROM account JOIN device ON "
                              "account.id = account_id WHERE device.id = %s", device["id"]) == [(0, 1)]

    def test_others_stay(self, running, email, key, device, published):
        other = new_app(running, email)
        publish(running, key, other)
        entry = running.ctl("installation", "create", "--device", device["id"], "--app", other["id"])
        running.ctl("app", "remove", published["id"], "--yes")
        wait_until(lambda: not query(running, "SELECT 1 FROM app WHERE id = %s", published["id"]), "the end of it")
        assert entries(running, device) == [entry["id"]]
        assert running.ctl("app", "show", other["slug"])["versions"] == 1
        # The slug is free.
        running.ctl("app", "create", "--account", email, "--name", "x", "--slug", published["slug"])

    def test_its_slug_is_free_at_once(self, running, email, device, published):
        """The slug is free at once, even while another transaction delays the removal of one of the app's entries."""
        entry = running.ctl("installation", "create", "--device", device["id"], "--app", published["id"])
        with contextlib.closing(database_of(running)) as database:
            database.cursor().execute("SELECT 1 FROM installation WHERE id = %s FOR UPDATE", (entry["id"],))
            running.ctl("app", "remove", published["id"], "--yes")
            new = running.ctl("app", "create", "--account", email, "--name", "x", "--slug", published["slug"])
            [(slug,)] = query(running, "SELECT slug FROM app WHERE id = %s", published["id"])
            assert slug.startswith("removed-")
        wait_until(lambda: not query(running, "SELECT 1 FROM app WHERE id = %s", published["id"]), "the end of it")
        assert running.ctl("app", "show", published["slug"])["id"] == new["id"]

    def test_no_slug_stands_in_the_way(self, running, email, published):
        """An author may take the slug that a removed app would get."""
        running.ctl("app", "create", "--account", email, "--name", "x", "--slug", f"removed-{published['id']}")
        assert running.ctl("app", "remove", published["id"], "--yes")["id"] == published["id"]

    def test_of_nobody(self, running, email, key, published):
        query(running, "UPDATE app SET status = 'disabled', account_id = NULL WHERE id = %s", published["id"])
        running.ctl("app", "remove", published["id"], "--yes")
        wait_until(lambda: not query(running, "SELECT 1 FROM app WHERE id = %s", published["id"]), "the end of it")

    @pytest.mark.parametrize("name", [NOWHERE, "nothing", "", "'"])
    def test_unknown(self, running, name):
        assert refused(running, 3, "app", "remove", name, "--yes") == f"there is no app {name}"


class TestAppReview:
    def test_unknown(self, running, key, app):
        assert "there is no version 1.0 of an app" in refused(
            running, 3, "app", "review", app["slug"], "1.0", "approve")
        upload(running, key, app)
        for arguments in ((app["slug"], "1.1"), ("nothing", "1.0"), (NOWHERE, "1.0")):
            assert "there is no version" in refused(running, 3, "app", "review", *arguments,
                                                    "approve")
        assert running.ctl("app", "review", app["id"].upper(), "1.0", "approve")["version"] == "1.0"

    @pytest.mark.parametrize("options, text", [
        (["approved"], "approved is not a decision; use approve, request-changes or reject"),
        (["approve", "--reason", "x"], "--reason needs the decision reject"),
        (["request-changes", "--reason", "x"], "--reason needs the decision reject"),
        (["reject", "--reason", ""], "--reason must not be empty"),
        (["reject", "--summary", ""], "--summary must not be empty"),
        (["reject", "--summary", "x" * 4001], "--summary is too long"),
        (["reject", "--reason", "\x07"], "--reason must not contain control characters"),
        (["reject", "--comment", ""], "--comment must not be empty"),
        (["reject", "--comment", "x" * 4001], "--comment is too long"),
        (["reject", "--author", " "], "--author must "),
        (["reject", "--line", "1"], "--line must follow a --comment, once for each"),
        (["reject", "--comment", "x", "--line", "1", "--line", "2"],
         "--line must follow a --comment, once for each"),
        (["reject", "--comment", "x", "--line", "0"], "--line must be a number from 1"),
        (["reject", "--comment", "x", "--line", "-1"], "--line must be a number from 1"),
        (["reject", "--comment", "x", "--line", "1.0"], "--line must be a number from 1"),
        (["reject", "--comment", "x", "--line", "2147483648"], "--line must be a number from 1"),
        (["reject", *["--comment", "x"] * 201], "--comment can be given 200 times at most"),
        (["reject", "stray"], "app review does not take stray; see displayctl --help"),
        ([], "app review needs APP VERSION approve|request-changes|reject"),
    ])
    def test_invalid(self, running, app, options, text):
        assert refused(running, 2, "app", "review", app["slug"], "1.0", *options).startswith(text)

    def test_for_a_person(self, running, key, app):
        upload(running, key, app)
        text = running.ctl("app", "review", app["slug"], "1.0", "approve", json_output=False)
        lines = dict(line.split(None, 1) for line in text.splitlines())
        assert list(lines) == ["id", "version", "status", "reviewedAt"]
        assert lines["status"].strip() == "APPROVED"

    def test_version_approve(self, running, key, app):
        upload(running, key, app)
        assert "there is no version 2" in refused(running, 3, "version", "approve", app["slug"], "2")
        done = running.ctl("version", "approve", app["slug"], "1.0", "--summary", "Good", "--author", "Zoë")
        assert list(done) == ["id", "version", "status", "reviewedAt"] and done["status"] == "APPROVED"
        version = running.ctl("version", "show", app["slug"], "1.0")
        assert version["reviewSummary"] == "Good"
        assert refused(running, 4, "version", "approve", app["slug"], "1.0").endswith(
            "is not awaiting review: it is APPROVED")

    def test_as_many_remarks_as_are_taken(self, running, key, app):
        upload(running, key, app)
        running.ctl("app", "review", app["slug"], "1.0", "reject",
                    *itertools.chain(*(["--comment", f"c{n}", "--line", str(n)]
                                       for n in range(1, 101))))
        version, = running.get(f"/v1/apps/{app['id']}/versions", key=key).json()
        assert [(entry["comment"], entry["line"]) for entry in version["reviewComments"]] == [
            (f"c{n}", n) for n in range(1, 101)]


class TestInstallation:
    def test_create_and_list(self, running, key, device, published):
        assert running.ctl("installation", "list", "--device", device["id"])["entries"] == []
        entries_made = [running.ctl("installation", "create", "--device", name, "--app", app)
                        for name, app in ((device["id"], published["id"]),
                                          (device["serialNumber"], published["slug"]))]
        for entry in entries_made:
            assert list(entry) == ["id", "app", "createdAt"]
            assert ID.fullmatch(entry["id"]) and TIMESTAMP.fullmatch(entry["createdAt"])
            assert entry["app"] == {"id": published["id"], "name": "Clock"}
        listed = running.ctl("installation", "list", "--device", device["serialNumber"])
        assert listed == running.get(f"/v1/devices/{device['id']}/rotation", key=key).json()
        assert [(one["installationId"], one["appId"], one["appName"]) for one in listed["entries"]] == [
            (entry["id"], published["id"], "Clock") for entry in entries_made]
        path = f"/v1/devices/{device['id']}/installations"
        assert running.get(path, key=key).json() == entries_made
        assert running.delete(f"{path}/{entries_made[0]['id']}", key=key).status == 200
        assert entries(running, device) == [entries_made[1]["id"]]

    def test_for_a_person(self, running, device, published):
        running.ctl("installation", "create", "--device", device["id"], "--app", published["id"],
                    json_output=False)
        lines = running.ctl("installation", "list", "--device", device["id"],
                            json_output=False).splitlines()
        assert lines[0].split()[:4] == ["appName", "problem", "isEnabled", "isPinned"]
        assert lines[0].split()[-2:] == ["appId", "installationId"]
        assert lines[1].split()[0] == "Clock" and published["id"] in lines[1]
        assert "night.brightness" in "".join(lines[3:])

    def test_names_and_states_fit_a_terminal(self, running, device, published):
        entry = running.ctl("installation", "create", "--device", device["id"], "--app", published["id"])
        code, text = on_terminal(running, "installation", "list", "--device", device["id"], columns=80)
        line = text.replace("\r", "").splitlines()[1]
        assert code == 0 and line.startswith("Clock ") and line.endswith(entry["id"]) and " yes " in line

    def test_update(self, running, device, published):
        one, two = (running.ctl("installation", "create", "--device", device["id"], "--app",
                                published["id"])["id"] for _ in range(2))
        update = ("installation", "update", "--device", device["serialNumber"])
        changed = running.ctl(*update, one, "--enabled", "off", "--display-seconds", "90",
                              "--hours", "22:00-02:30", "--weekdays", "sun,mon", "--pinned", "on",
                              "--night", "on", "--night-brightness", "3")
        assert changed["installationId"] == one
        wanted = {"isEnabled": False, "displaySeconds": 90, "hours": {"start": "22:00", "end": "02:30"},
                  "weekdays": ["monday", "sunday"], "isPinned": True}
        assert changed | wanted == changed
        rotation = running.ctl("installation", "list", "--device", device["id"])
        assert rotation["night"] == {"installationId": one, "brightness": 3}
        listed = rotation["entries"]
        assert listed[0] == changed and listed[1]["installationId"] == two and listed[1]["isEnabled"]
        # The other entry loses only what a single entry can have.
        running.ctl(*update, two, "--pinned", "off", "--night", "off")
        assert running.ctl("installation", "list", "--device", device["id"]) == rotation
        assert running.ctl(*update, two, "--pinned", "on")["isPinned"]
        assert not running.ctl(*update, one, "--enabled", "on")["isPinned"]
        usual = running.ctl(*update, one, "--display-seconds", "default", "--hours", "always",
                            "--weekdays", "all", "--night", "off")
        assert usual | {"isEnabled": True, "displaySeconds": None, "hours": None} == usual
        assert len(usual["weekdays"]) == 7
        assert query(running, "SELECT night_brightness, night_installation_id FROM device "
                              "WHERE id = %s", device["id"]) == [(3, None)]

    def test_a_panel_follows_an_update(self, running, device):
        path = device["pollUrl"][device["pollUrl"].index("/d/"):]
        query(running, "UPDATE device SET sleep_enabled = true, sleep_start_minute = 0, "
                       "sleep_end_minute = 0, generation = 5 WHERE id = %s", device["id"])
        query(running, "INSERT INTO installation (device_id, id, position, picture) "
                       "VALUES (%s, 'e', 5, '\\x00')", device["id"])
        assert running.get(path).headers["Tronbyt-Brightness"] == "0"
        running.ctl("installation", "update", "e", "--device", device["id"], "--night", "on",
                    "--night-brightness", "7")
        wait_until(lambda: running.get(path).headers["Tronbyt-Brightness"] == "7",
                   "the night entry")

    @pytest.mark.parametrize("option, value", [
        ("--display-seconds", "4"), ("--display-seconds", "86401"), ("--display-seconds", "x"),
        ("--hours", "7-9"), ("--hours", "07:00"), ("--hours", "07:00-24:00"), ("--hours", ""),
        ("--weekdays", "monday"), ("--weekdays", ""), ("--weekdays", "mon,,tue"),
        ("--enabled", "yes"), ("--night-brightness", "0"), ("--night-brightness", "101")])
    def test_bad_updates(self, running, device, option, value):
        refused(running, 2, "installation", "update", "x", "--device", device["id"],
                f"{option}={value}")

    def test_nothing_to_update(self, running, device):
        update = ("installation", "update", "x", "--device", device["id"])
        assert "at least one option" in refused(running, 2, *update)
        assert refused(running, 3, *update, "--pinned", "on") == "the device has no installation x"

    def test_what_cannot_be_installed(self, running, email, key, device, published):
        create = ("installation", "create", "--device", device["id"], "--app")
        assert "there is no app nothing" in refused(running, 3, *create, "nothing")
        fresh = new_app(running, email)
        refused(running, 3, *create, fresh["slug"])
        upload(running, key, fresh)
        refused(running, 3, *create, fresh["slug"])
        running.ctl("app", "review", fresh["slug"], "1.0", "reject")
        refused(running, 3, *create, fresh["slug"])
        running.ctl("app", "disable", published["slug"])
        refused(running, 3, *create, published["slug"])
        assert running.ctl("installation", "list", "--device", device["id"])["entries"] == []

    @pytest.mark.parametrize("visibility, is_installable", [
        ("private", False), ("public", True), ("legacy", True)])
    def test_app_of_another_account(self, running, email, key, visibility, is_installable):
        app = new_app(running, email, "--visibility", visibility)
        publish(running, key, app)
        other = f"other{next(numbers)}@example.org"
        running.ctl("account", "create", other)
        device = running.ctl("device", "create", "--account", other, "--name", "x")
        create = ("installation", "create", "--device", device["id"], "--app", app["id"])
        if is_installable:
            assert running.ctl(*create)["app"]["id"] == app["id"]
        else:
            refused(running, 3, *create)

    def test_a_hundred_at_most(self, running, device, published):
        query(running, "INSERT INTO installation (device_id, id, position, picture) "
                       "SELECT %s, 'e' || n, -n, '\\x00' FROM generate_series(1, 100) n",
              device["id"])
        assert refused(running, 4, "installation", "create", "--device", device["id"], "--app",
                       published["id"]) == "the device has 100 entries already"

    @pytest.mark.parametrize("name", [NOWHERE, "nothing", "02:ff:ff:ff:ff:ff", "", "a b"])
    def test_unknown_device(self, running, name):
        for command in (("list",), ("create", "--app", "x")):
            assert refused(running, 3, "installation", *command, f"--device={name}") == (
                f"there is no device {name}")

    def test_required(self, running):
        assert "needs --device" in refused(running, 2, "installation", "list")
        assert "needs --app" in refused(running, 2, "installation", "create", "--device", "x")
