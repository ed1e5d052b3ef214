"""displayctl: what is admitted, what asks first, and secrets that never are in a command line."""

import itertools
import json
import os
import re
import subprocess

import pytest
from ctl_scene import NOWHERE, device, email, key, new_app, on_terminal, publish, query, refused
from server import DISPLAYCTL, PATIENCE_S, CtlError, run_ctl, wait_until

__all__ = ["device", "email", "key"]  # fixtures


def status(server, url):
    return server.get(url.removeprefix(server.url)).status


class TestRekey:
    def test_the_old_key_opens_nothing(self, running, device):
        assert status(running, device["pollUrl"]) == 200
        fresh = running.ctl("device", "rekey", device["id"], "--yes")
        assert list(fresh) == list(device)
        assert fresh["id"] == device["id"] and fresh["key"] != device["key"]
        assert fresh["pollUrl"].endswith(f"?key={fresh['key']}")
        wait_until(lambda: all(status(running, device["pollUrl"]) == 404 for _ in range(10)),
                   "an old key that is refused")
        assert status(running, fresh["pollUrl"]) == 200

    def test_it_is_noted(self, running, device):
        running.ctl("device", "rekey", device["serialNumber"], "--yes")
        assert query(running, "SELECT actor, action FROM audit_entry WHERE target = %s "
                              "ORDER BY id DESC LIMIT 1", device["name"]) == [
            ("displayctl", "device.key")]

    def test_unknown(self, running):
        assert refused(running, 3, "device", "rekey", NOWHERE, "--yes") == (
            f"there is no device {NOWHERE}")


def test_disable_and_enable(running, device):
    shown = running.ctl("device", "disable", device["id"])
    assert shown == running.ctl("device", "show", device["id"]) and shown["isDisabled"] is True
    wait_until(lambda: all(status(running, device["pollUrl"]) == 404 for _ in range(10)),
               "a device that is refused")
    assert running.ctl("device", "disable", device["id"]) == shown  # a repeat changes nothing
    assert running.ctl("device", "enable", device["serialNumber"])["isDisabled"] is False
    wait_until(lambda: all(status(running, device["pollUrl"]) == 200 for _ in range(10)),
               "a device that is let in")
    assert refused(running, 3, "device", "enable", "nothing") == "there is no device nothing"


class TestDeviceByName:
    def test_unique(self, running, email):
        device = running.ctl("device", "create", "--account", email, "--name", "Über dem Herd 7")
        assert running.ctl("device", "disable", "Über dem Herd 7")["id"] == device["id"]

    def test_a_serial_number_goes_first(self, running, email):
        named = running.ctl("device", "create", "--account", email, "--name", "S-both")
        numbered = running.ctl("device", "create", "--account", email, "--name", "x", "--serial",
                               "S-both")
        assert running.ctl("device", "enable", "S-both")["id"] == numbered["id"]
        assert running.ctl("device", "enable", named["id"].upper())["id"] == named["id"]

    def test_several(self, running, email):
        ids = [running.ctl("device", "create", "--account", email, "--name", "Twin of two")["id"]
               for _ in range(2)]
        text = refused(running, 4, "device", "disable", "Twin of two")
        assert text.splitlines() == ["several devices are called Twin of two; use an ID",
                                     *(f"  {one}  {email}" for one in ids)]


def test_names_in_any_case(running, email, key):
    """Names are found in any case; an exact match comes first."""
    number = email.partition("@")[0].upper()
    upper = running.ctl("device", "create", "--account", email, "--name", "x", "--serial", f"S-{number}")
    assert running.ctl("device", "show", f"s-{number.lower()}")["id"] == upper["id"]
    lower = running.ctl("device", "create", "--account", email, "--name", "x", "--serial",
                        f"s-{number.lower()}")
    assert running.ctl("device", "show", f"s-{number.lower()}")["id"] == lower["id"]
    assert running.ctl("device", "show", f"S-{number}")["id"] == upper["id"]
    made = running.ctl("key", "create", "--account", email, "--name", f"Of {email}")
    assert running.ctl("key", "show", f"OF {email}")["id"] == made["id"]
    other = running.ctl("key", "create", "--account", email, "--name", f"of {email}")
    assert running.ctl("key", "show", f"of {email}")["id"] == other["id"]
    app = new_app(running, email)
    assert running.ctl("app", "show", app["slug"].upper())["id"] == app["id"]
    publish(running, key, app)
    assert running.ctl("version", "list", app["slug"].upper())[0]["version"] == "1.0"
    assert running.ctl("installation", "create", "--device", upper["id"], "--app",
                       app["slug"].upper())["app"]["id"] == app["id"]
    assert refused(running, 3, "app", "show", "NOTHING") == "there is no app NOTHING"


class TestDeviceByNumber:
    def test_of_several_accounts(self, running, email):
        other = "other-" + email
        running.ctl("account", "create", other)
        numbers = ("--serial", "Twin-" + email.partition("@")[0], "--mac", "02:00:5e:77:00:01")
        ids = [running.ctl("device", "create", "--account", one, "--name", "x", *numbers)["id"]
               for one in (email, other)]
        assert refused(running, 4, "device", "create", "--account", other, "--name", "x", "--mac",
                       numbers[3]) == "there is a device with this MAC address already"
        for name in (numbers[1], numbers[3], "02-00-5E-77-00-01"):
            for command in (("show", name), ("remove", name, "--yes"), ("disable", name)):
                text = refused(running, 4, "device", *command)
                assert text.splitlines() == [
                    f"several devices are called {name}; use an ID",
                    f"  {ids[0]}  {email}", f"  {ids[1]}  {other}"]
        running.ctl("device", "remove", ids[0], "--yes")
        assert running.ctl("device", "show", numbers[1])["id"] == ids[1]

    def test_what_panels_say_is_only_told(self, running, email):
        """Names that panels report select nothing: otherwise a panel could name itself like the device to remove."""
        mac = "02:00:5e:77:00:02"
        device = running.ctl("device", "create", "--account", email, "--name", "x")
        query(running, "UPDATE device SET told_mac = %s WHERE id = %s RETURNING id", mac, device["id"])
        assert refused(running, 3, "device", "remove", mac, "--yes").splitlines() == [
            f"there is no device {mac}; panels of these devices report this address:",
            f"  {device['id']}  {email}"]
        [listed] = running.ctl("device", "list", "--account", email)
        assert listed["macAddress"] == mac


class TestKey:
    def test_by_name_and_first_characters(self, running, key, email):
        named = running.ctl("key", "create", "--account", email, "--name", f"of {email}")
        shown = running.ctl("key", "show", f"of {email}")
        assert list(shown) == ["id", "name", "account", "firstCharacters", "scope", "deviceIds", "endsAt",
                               "createdAt", "lastUsedAt", "eventStreams", "setUp", "revokedAt"]
        assert shown["id"] == named["id"] and shown["account"] == email
        assert shown["firstCharacters"] == named["key"][:8]
        assert running.ctl("key", "show", named["key"][:8])["id"] == named["id"]
        assert running.ctl("key", "revoke", named["key"][:8], "--yes")["id"] == named["id"]
        assert running.get("/v1/account/", key=key).status == 200

    def test_one_that_is_not_revoked_is_meant(self, running, key, email):
        ids = [running.ctl("key", "create", "--account", email, "--name", "twice " + email)["id"]
               for _ in range(2)]
        text = refused(running, 4, "key", "revoke", "twice " + email, "--yes")
        assert all(one in text for one in ids)
        running.ctl("key", "revoke", ids[0], "--yes")
        assert running.ctl("key", "revoke", "twice " + email, "--yes")["id"] == ids[1]
        assert key

    def test_of_one_account(self, running, key, email):
        with pytest.raises(CtlError):
            running.ctl("key", "show", "displayctl", "--account", "no@example.org")
        assert running.ctl("key", "show", "displayctl", "--account", email)["account"] == email
        assert key

    def test_a_whole_key_is_refused_and_not_repeated(self, running, key):
        copied = [key, f" {key}", f'"{key}"', f"Bearer {key}", f"key={key}", f"ddk_{key}"]
        for command, text in itertools.product(("show", "revoke"), copied):
            told = refused(running, 2, "key", command, text)
            assert told.startswith("that looks like a whole key")
            assert key not in told

    @pytest.mark.parametrize("secret", ["ddk_0123456789abcdefghijABCDEFGHIJ012345",
                                        "KbcXWRqQpy9BDx757jOPKVzF"])
    def test_one_in_the_wrong_place_is_not_repeated(self, running, device, secret):
        url = f"ws://example.org/d/{device['id']}/ws?key={secret}"
        hidden = "ddk_" + 36 * "*" if secret.startswith("ddk_") else 24 * "*"
        assert refused(running, 3, "device", "show", secret) == f"there is no device {hidden}"
        assert refused(running, 3, "device", "show", url) == (
            f"there is no device {url.replace(secret, len(secret) * '*')}")
        for command in (["push", device["id"], secret], ["account", "show", secret],
                        ["push", secret, "x"], ["app", "show", secret],
                        ["device", "update", secret, "--name", "x"],
                        ["installation", "list", url], ["account", "create", secret]):
            with pytest.raises(CtlError) as caught:
                running.ctl(*command)
            assert secret[4:] not in caught.value.text, command
        assert running.ctl("device", "show", device["id"])["id"] == device["id"]

    @pytest.mark.parametrize("text", ["ddk_", "d", "%", "", "nothing"])
    def test_what_is_no_prefix(self, running, key, text):
        assert refused(running, 3, "key", "show", text) == f"there is no key {text}"
        assert key


ASKING = [["account", "remove"], ["device", "rekey"], ["device", "remove"], ["key", "revoke"]]
ASKING_OF_MORE = [["app", "remove"], ["device", "unalias"], ["installation", "remove"]]


class TestConfirmation:
    def arguments(self, running, words, email, device):
        what = {"account": email, "device": device["id"]}.get(words[0])
        return [*words, what or running.ctl("key", "create", "--account", email)["id"]]

    def test_all_that_ask_are_here(self):
        """A new command with --yes belongs in the table above."""
        text = run_ctl("help", json_output=False)
        commands = re.findall(r"^  ((?:account|app|device|installation|key|version) [a-z-]+)", text,
                              re.M)
        assert [words.split() for words in sorted(commands)
                if "--yes" in run_ctl(*words.split(), "--help", json_output=False)] == sorted(ASKING + ASKING_OF_MORE)

    @pytest.mark.parametrize("words", ASKING)
    def test_nobody_can_be_asked(self, running, words, email, device):
        arguments = self.arguments(running, words, email, device)
        text = refused(running, 4, *arguments)
        assert text == "nothing was changed: standard input is not a terminal; use --yes to confirm"

    @pytest.mark.parametrize("words", ASKING)
    def test_no(self, running, words, email, device):
        arguments = self.arguments(running, words, email, device)
        code, text = on_terminal(running, *arguments, typed=b"no\n")
        assert code == 4 and "nothing was changed" in text
        assert running.ctl("device", "list", "--account", email)[0]["id"] == device["id"]

    @pytest.mark.parametrize("words", ASKING)
    def test_yes(self, running, words, email, device):
        arguments = self.arguments(running, words, email, device)
        code, text = on_terminal(running, *arguments, typed=b"yes\n")
        assert code == 0, text


class TestSecrets:
    def test_no_password_in_the_database_option(self):
        for url in ("host=/nowhere password=hunter2", "postgresql://u:hunter2@127.0.0.1:1/x",
                    "postgresql://127.0.0.1:1/x?password=hunter2"):
            with pytest.raises(CtlError) as caught:
                run_ctl("--database", url, "account", "list")
            assert caught.value.code == 2
            assert "DISPLAYD_DATABASE" in caught.value.text
            assert "hunter2" not in caught.value.text

    def test_a_variable_may_hold_it(self):
        environment = dict(os.environ, DISPLAYD_DATABASE="host=/nowhere password=hunter2")
        with pytest.raises(CtlError) as caught:
            run_ctl("account", "create", "a@example.org", env=environment)
        assert caught.value.code == 5
        assert "hunter2" not in caught.value.text

    def test_a_panel_shows_no_key_in_the_list_of_processes(self, device):
        panel = subprocess.Popen([DISPLAYCTL, "panel", "--url", device["websocketUrl"], "--quiet",
                                  "--events", "-"], stdout=subprocess.PIPE)
        assert json.loads(panel.stdout.readline())
        with open(f"/proc/{panel.pid}/cmdline", encoding="ascii") as file:
            line = file.read()
        panel.terminate()
        panel.wait(PATIENCE_S)
        assert device["key"] not in line and "?key=***" in line

    def test_a_panel_reads_its_url_from_a_file(self, device):
        panel = subprocess.Popen([DISPLAYCTL, "panel", "--url-file", "/dev/stdin", "--quiet",
                                  "--exit-after", "1"], stdin=subprocess.PIPE)
        panel.stdin.write(device["websocketUrl"].encode() + b"\n")
        panel.stdin.close()
        assert panel.wait(PATIENCE_S) == 0


def test_only_this_machine_reaches_it(running, email):
    done = subprocess.run([DISPLAYCTL, "--state-dir", running.state_dir, "device", "create",
                           "--account", email, "--name", "x"], capture_output=True, text=True,
                          check=True)
    assert "only programs on this machine can reach these URLs" in done.stderr


def test_the_url_of_a_panel_is_one_that_panels_reach(launch):
    """The public URL for the browser is that of the first listener; panels get the URL that they can reach."""
    addresses = [word for word in subprocess.run(["hostname", "-I"], capture_output=True,
                                                 text=True, check=True).stdout.split()
                 if ":" not in word]
    if not addresses:
        pytest.skip("this machine has no address but its own")
    server = launch("--listen", "0.0.0.0:0").start()
    server.ctl("account", "create", "a@example.org")
    device = server.ctl("device", "create", "--account", "a@example.org", "--name", "x")
    assert not device["pollUrl"].startswith(server.url)
    assert any(f"http://{address}:" in device["pollUrl"] for address in addresses)
    link = server.ctl("account", "link", "b@example.org", "--invite")
    assert link["url"].startswith(server.url)
    told = server.ctl("--public-url", "http://panels.example", "device", "rekey", device["id"],
                      "--yes")
    assert told["pollUrl"].startswith("http://panels.example/d/")


@pytest.mark.parametrize("option, kind", [("--url", "websocketUrl"), ("--poll", "pollUrl")])
def test_a_panel_with_a_wrong_key_ends_with_the_reason(running, device, option, kind):
    url = device[kind].replace(device["key"], "KbcXWRqQpy9BDx757jOPKVzF")
    code, text = on_terminal(running, "panel", option, url)
    assert code == 4 and "KbcXWRqQpy9BDx757jOPKVzF" not in text
    assert text.rstrip().endswith("the server answered 404: it does not know this device, or the key in "
                                  "the URL is wrong")


class TestWebhook:
    def test_made_listed_changed_tried_and_removed(self, running, email):
        of = ("--account", email)
        made = running.ctl("webhook", "create", "https://webhook.invalid/x", "--event", "pushed", *of)
        assert made["secret"].startswith("whsec_") and made["events"] == ["pushed"]
        listed = running.ctl("webhook", "list", *of)
        assert listed == [{name: value for name, value in made.items() if name != "secret"}]
        assert running.ctl("webhook", "show", made["id"], *of) == listed[0]
        changed = running.ctl("webhook", "update", made["id"], "--enabled", "off", "--event", "failed", "--event",
                              "online", *of)
        assert not changed["isEnabled"] and changed["events"] == ["online", "failed"]
        assert "webhook.invalid" in refused(running, 4, "webhook", "test", made["id"], *of)
        assert running.ctl("webhook", "remove", made["id"], "--yes", *of)["id"] == made["id"]
        assert running.ctl("webhook", "list", *of) == []
        assert refused(running, 3, "webhook", "remove", made["id"], "--yes", *of) == (
            f"the account has no webhook {made['id']}")
        assert query(running, "SELECT DISTINCT actor FROM audit_entry WHERE action LIKE 'webhook.%%'") == [
            ("displayctl",)]

    def test_bad_values(self, running, email):
        of = ("--account", email)
        assert "must begin with https://" in refused(running, 2, "webhook", "create", "ftp://example.org", *of)
        assert refused(running, 2, "webhook", "create", "https://example.org", "--event", "shown", *of)
        all_events = running.ctl("webhook", "create", "https://example.org", *of)["events"]
        assert all_events == ["online", "pushed", "changed", "failed"]
