"""displayctl shows and lists every kind of object, in tables that fit the terminal."""

import os
import re
import unicodedata

import images
import pytest
from ctl_scene import (APP_FIELDS, DEVICE_FIELDS, NOWHERE, SCRIPT, app, device, email, key, new_app,
                       on_terminal, publish, published, query, refused, upload)
from server import run_ctl

__all__ = ["app", "device", "email", "key", "published"]  # fixtures
VERSION_FIELDS = ["id", "version", "scriptLanguage", "checksum", "status", "reviewedAt",
                  "rejectionReason", "reviewSummary", "reviewComments", "createdAt", "deployed", "check"]


def test_every_noun_has_show_and_list():
    text = run_ctl("help", json_output=False)
    nouns = re.findall(r"^(?!displayctl)(\w+) - ", text, re.M)
    assert {"account", "database", "device"} < set(nouns)
    for noun in set(nouns):
        # An image of firmware is no more than its line of the list.
        assert noun == "firmware" or re.search(rf"^  {noun} show\b", text, re.M), noun
        # The database is a single object, whose tables show names, and an account has one broker.
        assert noun in ("database", "mqtt") or re.search(rf"^  {noun} list\b", text, re.M), noun


class TestAccount:
    def test_show(self, running, email, device):
        shown = running.ctl("account", "show", email.upper())
        assert shown == next(account for account in running.ctl("account", "list")
                             if account["email"] == email)
        assert shown["devices"] == 1 and device
        assert refused(running, 3, "account", "show", "no@example.org") == (
            "there is no account no@example.org")

    @pytest.mark.parametrize("address", ["a/b@example.org", "c?d#e%f@example.org", "jörg@exämple.org"])
    def test_any_address(self, running, address):
        made = running.ctl("account", "create", address)
        assert running.ctl("account", "show", address)["id"] == made["id"]
        assert running.ctl("device", "list", "--account", address) == []
        assert refused(running, 3, "account", "show", f"x{address}") == f"there is no account x{address}"

    def test_rename(self, running, email):
        renamed = running.ctl("account", "rename", email, "Änne")
        assert renamed["name"] == "Änne" and running.ctl("account", "show", email) == renamed
        for name in ("", "x" * 101, "a\tb"):
            assert refused(running, 2, "account", "rename", email, name).startswith("NAME must ")
        assert "must not be" in refused(running, 2, "account", "rename", email, email.upper())
        assert refused(running, 3, "account", "rename", "no@example.org", "x")


class TestDevice:
    def test_show(self, running, email, device):
        shown = running.ctl("device", "show", device["serialNumber"])
        assert set(DEVICE_FIELDS) < set(shown)
        assert (shown["id"], shown["serialNumber"]) == (device["id"], device["serialNumber"])
        assert shown["panel"] is None and shown["isDisabled"] is False
        assert device["key"] not in str(shown)
        text = running.ctl("device", "show", device["id"], json_output=False)
        assert re.search(r"^sleep\.start +\d\d:\d\d$", text, re.M)
        assert re.search(r"^panel +-$", text, re.M)  # as null: the panel has reported nothing

    def test_list_of_all(self, running, email, device):
        devices = {one["id"]: one for one in running.ctl("device", "list")}
        assert devices[device["id"]]["account"] == email

    def test_list_and_show_have_one_shape(self, running, email):
        made = running.ctl("device", "create", "--account", email, "--name", "Desk", "--mac",
                           "02:00:5e:77:10:01")
        [listed] = running.ctl("device", "list", "--account", email)
        shown = running.ctl("device", "show", made["id"])
        assert listed == shown


class TestInstallation:
    def test_show_and_remove(self, running, device, published, tmp_path):
        path = tmp_path / "picture.png"
        path.write_bytes(images.png())
        entry = running.ctl("installation", "create", "--device", device["id"], "--app",
                            published["slug"])
        running.ctl("push", device["id"], str(path), "--installation", "mine")
        shown = running.ctl("installation", "show", entry["id"], "--device", device["serialNumber"])
        assert shown["app"]["name"] == published["name"]
        assert (shown["settings"], shown["secrets"]) == ({}, [])
        mine = running.ctl("installation", "show", "mine", "--device", device["id"])
        assert mine["app"] is None and mine["settings"] is None
        assert mine["displaySeconds"] is None
        text = running.ctl("installation", "show", "mine", "--device", device["id"],
                           json_output=False)
        assert re.search(r"^displaySeconds +-$", text, re.M)
        assert "use --yes" in refused(running, 4, "installation", "remove", "mine", "--device",
                                      device["id"])
        running.ctl("installation", "remove", "mine", "--device", device["id"], "--yes")
        assert [one["installationId"] for one in running.ctl("installation", "list", "--device",
                                                             device["id"])["entries"]] == [entry["id"]]
        for verb in ("show", "remove"):
            assert refused(running, 3, "installation", verb, "mine", "--device", device["id"]) == (
                "the device has no installation mine")


class TestApp:
    def test_show(self, running, email, published):
        shown = running.ctl("app", "show", published["slug"])
        assert list(shown) == [*APP_FIELDS, "account", "versions", "installations"]
        assert (shown["account"], shown["versions"], shown["version"]) == (email, 1, "1.0")
        assert running.ctl("app", "show", shown["id"].upper()) == shown
        for name in (NOWHERE, "", ".", "..", "'", "a/b", "%", "ä?#"):
            assert refused(running, 3, "app", "show", name) == f"there is no app {name}"


class TestVersion:
    def test_list_and_show(self, running, key, app):
        publish(running, key, app)
        upload(running, key, app, "2.0")
        listed = running.ctl("version", "list", app["slug"])
        assert [list(one) for one in listed] == [VERSION_FIELDS] * 2
        assert [one["version"] for one in listed] == ["2.0", "1.0"]
        assert [one["deployed"] for one in listed] == [False, True]
        shown = running.ctl("version", "show", app["slug"], "1.0")
        assert shown == listed[1] | {"scriptContent": SCRIPT}
        assert running.ctl("version", "show", app["id"], "1.0", "--script",
                           json_output=False) == SCRIPT
        text = running.ctl("version", "show", app["slug"], "1.0", json_output=False)
        assert re.search(r"^status +APPROVED$", text, re.M) and text.endswith("\n\n" + SCRIPT)

    def test_unknown(self, running, app):
        assert refused(running, 3, "version", "show", app["slug"], "9") == (
            "the app has no version 9")
        assert refused(running, 3, "version", "list", "nothing") == "there is no app nothing"
        assert running.ctl("version", "list", app["slug"]) == []

    def test_a_terminal_obeys_no_script(self, running, key, app):
        query(running, "SELECT 1")
        script = "print('ä')\n\tx\x1b[2J\x9b"
        answer = running.post(f"/v1/apps/{app['slug']}/upload", {
            "version": "1", "scriptContent": script, "scriptLanguage": "STARLARK"}, key=key)
        assert answer.status == 201
        assert running.ctl("version", "show", app["slug"], "1", "--script",
                           json_output=False) == script
        code, text = on_terminal(running, "version", "show", app["slug"], "1")
        assert code == 0 and "print('ä')" in text
        assert "\x1b" not in text and "\x9b" not in text and "\\u001b[2J\\u009b" in text


def width_of(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1
               for c in line)


class TestTables:
    @pytest.fixture
    def many(self, running, email):
        for name in ("Kitchen", "日本語のとても長い名前です", "e\u0301te\u0301 x", "😀 panel"):
            running.ctl("device", "create", "--account", email, "--name", name)
        return email

    def lines(self, running, columns, *arguments):
        code, text = on_terminal(running, *arguments, columns=columns)
        assert code == 0
        return text.replace("\r", "").splitlines()

    @pytest.mark.parametrize("columns", [48, 60, 80, 100, 132, 200])
    def test_no_line_is_wider(self, running, many, columns):
        lines = self.lines(running, columns, "device", "list", "--account", many)
        table = [line for line in lines if not line.startswith("(")]
        assert len(table) == 5
        assert max(map(width_of, table)) <= columns
        assert all(re.search(r"  [0-9a-f-]{36}$", line) for line in table[1:])

    def test_columns_begin_below_each_other(self, running, many):
        lines = self.lines(running, 80, "device", "list", "--account", many)
        online = width_of(lines[0][:lines[0].index("lastOnline")])
        for line in lines[1:5]:
            before = next(i for i in range(len(line)) if width_of(line[:i]) == online)
            assert line[before:].startswith("20") and line[before - 2:before] == "  "
        assert "日本" in lines[2]

    def test_what_is_left_out_is_counted(self, running, many):
        lines = self.lines(running, 80, "device", "list", "--account", many)
        assert "createdAt" not in lines[0]
        assert re.fullmatch(r"\(no room for \d+ columns: see show, or --json\)", lines[-1])
        wide = self.lines(running, 600, "device", "list", "--account", many)
        assert len(wide) == 5 and "createdAt" in wide[0]

    @pytest.mark.parametrize("columns", [40, 80, 100])
    def test_what_one_types_is_never_cut(self, running, columns, tmp_path):
        """Values that commands need are never cut: addresses of accounts and IDs of entries."""
        address = f"{'long' * 12}@example{columns}.org"
        running.ctl("account", "create", address)
        made = running.ctl("device", "create", "--account", address, "--name", "x")
        path, entry = tmp_path / "picture.png", "entry " * 10 + "end"
        path.write_bytes(images.png())
        running.ctl("push", made["id"], str(path), "--installation", entry)
        assert any(address in line for line in self.lines(running, columns, "account", "list"))
        listed = self.lines(running, columns, "installation", "list", "--device", made["id"])
        assert any(entry in line for line in listed)
        listed = self.lines(running, columns, "device", "list", "--account", address)
        assert any(made["id"] in line for line in listed)
        assert not any("long\u2026" in line or "\u2026@" in line for line in listed)

    def test_long_texts_are_cut(self, running, email):
        for number in range(2):
            new_app(running, email, "--description", f"{number} " + "long " * 90)
        lines = self.lines(running, 200, "app", "list", "--account", email)
        assert max(map(width_of, lines)) <= 200
        assert sum("long\u2026" in line or "lon\u2026" in line or "\u2026" in line
                   for line in lines) == 2

    def test_a_pipe_gets_all(self, running, many):
        text = running.ctl("device", "list", "--account", many, json_output=False)
        assert "日本語のとても長い名前です" in text and "\u2026" not in text
        assert re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)

    def test_any_locale(self, running, many):
        before = os.environ.get("LC_ALL")
        os.environ["LC_ALL"] = "C"
        try:
            lines = self.lines(running, 80, "device", "list", "--account", many)
        finally:
            os.environ.pop("LC_ALL") if before is None else os.environ.update(LC_ALL=before)
        assert max(width_of(line) for line in lines if line[0] != "(") <= 80
