"""displayctl sign-in: who has signed in, and administrators, from another machine."""

import contextlib
import os
import pty
import re
import signal
import stat
import subprocess
import termios

import pytest
from ctl_scene import device, email, key, new_app, query, upload
from laptop import PASSWORD, Laptop, laptop, people, person, picture
from server import DISPLAYCTL, CtlError

__all__ = ["device", "email", "key", "laptop"]  # fixtures


class TestSession:
    def test_by_a_link_and_a_password(self, running, laptop, email):
        assert email  # the first account belongs to somebody else
        address = person(running, laptop)
        [path] = laptop.files()
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        folder = os.path.dirname(path)
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        with open(path, encoding="utf-8") as file:
            assert PASSWORD not in file.read()
        assert laptop.ctl("sign-out") == {"server": laptop.url, "email": address,
                                          "isAdministrator": False}
        assert laptop.files() == []
        assert laptop.refused(4, "sign-out") == f"nobody is signed in at {laptop.url}"
        laptop.ctl("sign-in", "--email", address.upper(), "--password-file", laptop.password_file())
        assert laptop.ctl("device", "list") == []

    def test_a_link_is_used_once(self, running, laptop):
        link = running.ctl("account", "link", f"once{next(people)}@example.org", "--invite")["url"]
        laptop.sign_in_by_link(link, "--name", "Once")
        assert laptop.refused(3, "sign-in", link, "--password-file", laptop.password_file())

    def test_a_link_names_its_server(self, running, laptop):
        """A link names its server, whatever DISPLAYD_SERVER is; --server may name another address of that server."""
        link = running.ctl("account", "link", f"names{next(people)}@example.org", "--invite")["url"]
        password = laptop.password_file()
        shown = laptop.ctl("sign-in", link, "--name", "x", "--password-file", password, server=False,
                           DISPLAYD_SERVER="https://nowhere.invalid")
        assert shown["server"] == laptop.url
        link = running.ctl("account", "link", f"names{next(people)}@example.org", "--invite")["url"]
        laptop.url = laptop.url.replace("127.0.0.1", "localhost")
        assert laptop.sign_in_by_link(link, "--name", "y")["server"] == laptop.url

    def test_a_link_from_standard_input(self, running, laptop):
        link = running.ctl("account", "link", f"stdin{next(people)}@example.org", "--invite")["url"]
        done = subprocess.run([DISPLAYCTL, "sign-in", "-", "--name", "In", "--password-file",
                               laptop.password_file()], input=link + "\n", text=True, check=True,
                              capture_output=True, env={"HOME": laptop.home})
        assert laptop.url in done.stdout

    def test_own_things(self, running, laptop):
        address = person(running, laptop)
        told = laptop.refused(4, "app", "list")
        assert told.startswith(f"{address} owns no device yet")
        made = laptop.ctl("device", "create", "--name", "Küche", "--serial", f"R-{next(people)}")
        assert running.get(made["pollUrl"].removeprefix(running.url)).status == 200
        [listed] = laptop.ctl("device", "list")
        ours = running.ctl("device", "list", "--account", address)
        assert [listed] == ours
        assert laptop.ctl("device", "show", "KÜCHE") == running.ctl("device", "show", made["id"])
        assert laptop.ctl("device", "show", made["serialNumber"].lower())["id"] == made["id"]
        assert laptop.ctl("device", "update", "küche", "--dim", "on")["id"] == made["id"]
        assert laptop.ctl("push", "Küche", picture(laptop.home), "--installation", "x")["shown"]
        assert laptop.ctl("installation", "list", "--device", "Küche") == running.ctl(
            "installation", "list", "--device", made["id"])
        assert laptop.ctl("installation", "update", "x", "--device", "Küche", "--night", "on")["installationId"] == "x"
        assert laptop.ctl("device", "disable", "Küche")["isDisabled"] is True
        assert laptop.ctl("device", "rekey", "Küche", "--yes")["key"] != made["key"]
        assert laptop.ctl("device", "remove", "Küche", "--yes")["id"] == made["id"]

    def test_keys(self, running, laptop):
        address = person(running, laptop)
        laptop.ctl("device", "create", "--name", "Desk")
        made = laptop.ctl("key", "create", "--name", "Mine", "--scope", "push", "--device", "desk")
        assert [one["id"] for one in laptop.ctl("key", "list")] == [made["id"]]
        assert laptop.ctl("key", "list") == running.ctl("key", "list", "--account", address)
        shown = laptop.ctl("key", "show", "mine")
        assert shown == running.ctl("key", "show", "mine", "--account", address)
        assert shown.items() >= laptop.ctl("key", "list")[0].items()
        assert laptop.ctl("key", "revoke", made["key"][:8], "--yes")["id"] == made["id"]
        assert laptop.ctl("key", "list") == []

    def test_the_key_of_a_session_ends_with_it(self, running, laptop):
        address = person(running, laptop)
        laptop.ctl("device", "create", "--name", "Desk")
        laptop.ctl("app", "list")
        [own] = running.ctl("key", "list", "--account", address)
        assert own["name"].startswith("displayctl on ") and own["endsAt"] and own["scope"] == "all"
        laptop.ctl("app", "list")
        assert len(running.ctl("key", "list", "--account", address)) == 1
        laptop.ctl("sign-out")
        assert running.ctl("key", "list", "--account", address) == []
        assert running.ctl("key", "show", own["id"])["revokedAt"]
        assert query(running, "SELECT count(*) FROM session JOIN account ON account.id = account_id "
                              "WHERE email = %s", address) == [(0,)]

    def test_signing_in_again_leaves_one_session(self, running, laptop):
        address = person(running, laptop)
        laptop.ctl("device", "create", "--name", "Desk")
        laptop.ctl("app", "list")
        laptop.ctl("sign-in", "--email", address, "--password-file", laptop.password_file())
        assert query(running, "SELECT count(*) FROM session JOIN account ON account.id = account_id "
                              "WHERE email = %s", address) == [(1,)]
        laptop.ctl("app", "list")
        assert sorted(bool(one["revokedAt"]) for one in running.ctl("key", "list")
                      if one["account"] == address) == [False, True]

    def test_one_that_has_ended(self, running, laptop):
        address = person(running, laptop)
        query(running, "DELETE FROM session")
        assert laptop.refused(4, "device", "list") == (
            f"{address} is no longer signed in at {laptop.url}: see displayctl sign-in")
        laptop.refused(4, "sign-out")
        assert laptop.files() == []

    def test_one_that_was_not_used_for_long(self, running, laptop):
        """A session that was not used for long ends, but its API key still works for devices and pushes."""
        address = person(running, laptop)
        made = laptop.ctl("device", "create", "--name", "Desk")
        laptop.ctl("push", "Desk", picture(laptop.home))
        [path] = laptop.files()
        query(running, "DELETE FROM session")
        assert "no longer signed in" in laptop.refused(4, "push", "Desk", picture(laptop.home))
        long_ago = os.stat(path).st_mtime - 12 * 3600
        os.utime(path, (long_ago, long_ago))
        assert laptop.ctl("push", "Desk", picture(laptop.home))["deviceId"] == made["id"]
        assert laptop.ctl("device", "show", "desk")["id"] == made["id"]
        assert "or a session (displayctl sign-in)" in laptop.refused(4, "key", "list")
        laptop.ctl("sign-in", "--email", address, "--password-file", laptop.password_file())
        assert laptop.ctl("key", "list") == []

    def test_what_fails_is_no_use_of_it(self, running, laptop):
        """Commands and completions count as use of the session file only while the session exists."""
        def use(*arguments, **options):
            os.utime(path, (long_ago, long_ago))
            with contextlib.suppress(CtlError):
                laptop.ctl(*arguments, **options)
            return os.stat(path).st_mtime > long_ago

        person(running, laptop)
        [path] = laptop.files()
        long_ago = os.stat(path).st_mtime // 1 - 3600
        tab = ("__complete", "device", "show", "")
        options = {"server": False, "json_output": False, "DISPLAYD_SERVER": laptop.url}
        assert use("device", "list") and use(*tab, **options)
        query(running, "DELETE FROM session")
        assert not use("device", "list") and not use(*tab, **options)

    def test_its_key_was_revoked(self, running, laptop):
        address = person(running, laptop)
        laptop.ctl("device", "create", "--name", "Desk")
        laptop.ctl("app", "list")
        [own] = laptop.ctl("key", "list")
        laptop.ctl("key", "revoke", own["id"], "--yes")
        assert laptop.refused(4, "app", "list") == (
            "the API key of this session was revoked: see displayctl sign-in")
        laptop.ctl("sign-in", "--email", address, "--password-file", laptop.password_file())
        assert laptop.ctl("app", "list") is not None

    def test_a_wrong_password(self, running, laptop):
        address = person(running, laptop)
        wrong = laptop.password_file("another one")
        assert laptop.refused(4, "sign-in", "--email", address, "--password-file", wrong) == (
            "the e-mail address or the password is wrong")
        assert laptop.ctl("device", "list") == []  # the existing session stays

    def test_a_key_goes_first(self, running, laptop, key, device):
        person(running, laptop)
        assert laptop.ctl("device", "list", DISPLAYD_API_KEY=key)[0]["id"] == device["id"]
        assert "not an API key" in laptop.refused(4, "key", "list", DISPLAYD_API_KEY=key)

    def test_no_home(self, running, laptop):
        link = running.ctl("account", "link", f"home{next(people)}@example.org", "--invite")["url"]
        told = laptop.refused(1, "sign-in", link, "--name", "x", "--password-file",
                              laptop.password_file(), HOME=None)
        assert told == "no directory for the session; set HOME"
        assert laptop.ctl("sign-in", link, "--name", "x", "--password-file", laptop.password_file(),
                          HOME=None, XDG_CONFIG_HOME=laptop.home)  # the link is still unused

    def test_two_servers(self, running, laptop):
        person(running, laptop)
        other = Laptop(laptop.home, running.url.replace("127.0.0.1", "localhost"))
        assert "nobody is signed in" in other.refused(4, "device", "list")

    def test_a_spoilt_file(self, running, laptop):
        person(running, laptop)
        [path] = laptop.files()
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
        assert laptop.refused(1, "device", "list") == (
            f"{path} is not a session file; remove it and sign in again")

    def test_a_file_that_others_may_read(self, running, laptop):
        """Another sign-in fails before it ends the session."""
        address = person(running, laptop)
        [path] = laptop.files()
        os.chmod(path, 0o644)
        for command in (["device", "list"], ["sign-out"],
                        ["sign-in", "--email", address, "--password-file", laptop.password_file()]):
            assert laptop.refused(1, *command).startswith(f"{path} has mode 0644, so others may read or write it")
        os.chmod(path, 0o600)
        assert laptop.ctl("key", "list") is not None

    def test_a_link_to_a_server_that_cannot_be(self, laptop):
        """An invalid link fails at once: the server of DISPLAYD_SERVER is not asked."""
        assert laptop.refused(2, "sign-in", "ftp://x/link#t", server=False,
                              DISPLAYD_SERVER="https://nowhere.invalid").startswith(
            "the server's URL ftp://x: ")

    @pytest.mark.parametrize("link", ["x", "http://127.0.0.1/link", "http://127.0.0.1/x#y"])
    def test_what_is_no_link(self, laptop, link):
        assert laptop.refused(2, "sign-in", link).startswith("a link must look like ")

    def test_without_a_server(self, laptop):
        assert laptop.refused(2, "sign-in", server=False).startswith("sign-in needs --server URL")
        assert laptop.refused(2, "sign-out", server=False) == "sign-out needs --server URL"


class Terminal:
    """A terminal with a session of its own, on which displayctl runs for the person of the laptop."""

    def __init__(self, laptop, *arguments, program=DISPLAYCTL):
        self.text = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(program, [program, *arguments], {"HOME": laptop.home, "PS1": "Ready: "})

    def wait_for(self, question):
        while not self.text.endswith(question.encode() + b": "):
            self.text += os.read(self.terminal, 1)

    def type(self, *answers):
        """Types these answers at their questions."""
        for question, answer in answers:
            self.wait_for(question)
            os.write(self.terminal, answer.encode() + b"\n")

    def has_echo(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def end(self):
        """Waits for the end. Returns code and output."""
        with contextlib.suppress(OSError):
            while data := os.read(self.terminal, 4096):
                self.text += data
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.terminal)
        return code, self.text.decode()


class TestTerminal:
    def test_a_typed_password_is_not_shown(self, running, laptop):
        link = running.ctl("account", "link", f"typed{next(people)}@example.org", "--invite")["url"]
        terminal = Terminal(laptop, "sign-in", link)
        terminal.type(("Name that others see", "Ann"), ("New password", PASSWORD),
                      ("Repeat the password", PASSWORD))
        code, text = terminal.end()
        assert code == 0 and PASSWORD not in text and "typed" in text
        terminal = Terminal(laptop, "sign-in", "--server", laptop.url)
        terminal.type(("E-mail address", re.search(r"typed\d+@example.org", text)[0]),
                      ("Password", PASSWORD))
        code, text = terminal.end()
        assert code == 0 and PASSWORD not in text

    def test_a_typed_link(self, running, laptop):
        link = running.ctl("account", "link", f"typed{next(people)}@example.org", "--invite")["url"]
        terminal = Terminal(laptop, "sign-in", "-", "--name", "Ann")
        terminal.type(("One-time link", link), ("New password", PASSWORD),
                      ("Repeat the password", PASSWORD))
        code, text = terminal.end()
        assert code == 0 and laptop.url in text

    def test_a_link_is_not_in_the_list_of_processes(self, running, laptop):
        link = running.ctl("account", "link", f"listed{next(people)}@example.org", "--invite")["url"]
        terminal = Terminal(laptop, "sign-in", link)
        terminal.wait_for("Name that others see")
        with open(f"/proc/{terminal.pid}/cmdline", encoding="utf-8") as file:
            shown = file.read().split("\0")[2]
        assert shown == link.partition("#")[0] + "#" + "*" * 43
        os.write(terminal.terminal, b"\x03")
        assert terminal.end()[0] == -signal.SIGINT

    def test_a_password_is_not_shown_after_a_stop(self, laptop):
        """A password is never shown: Ctrl-Z returns to the shell with its echo, and fg to the question without."""
        shell = Terminal(laptop, "-i", program="/bin/sh")
        shell.type(("Ready", f"{DISPLAYCTL} --server {laptop.url} sign-in --email a@example.org"))
        for _ in range(2):
            shell.wait_for("Password")
            assert not shell.has_echo()
            os.write(shell.terminal, b"\x1a")
            shell.wait_for("Ready")
            assert shell.has_echo()
            os.write(shell.terminal, b"fg\n")
        shell.type(("Password", PASSWORD), ("Ready", "exit $?"))
        code, text = shell.end()
        assert code == 4 and PASSWORD not in text

    @pytest.mark.parametrize("character, number", [(b"\x03", signal.SIGINT),
                                                   (b"\x1c", signal.SIGQUIT)])
    def test_a_signal_gives_the_echo_back(self, laptop, character, number):
        terminal = Terminal(laptop, "--server", laptop.url, "sign-in", "--email", "a@example.org")
        terminal.wait_for("Password")
        assert not terminal.has_echo()
        os.write(terminal.terminal, character)
        assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == -number
        assert terminal.has_echo()
        os.close(terminal.terminal)


# ---- an administrator ----

class TestAdministrator:
    @pytest.fixture
    def admin(self, running, laptop):
        person(running, laptop, "--role", "administrator")
        return laptop

    def test_accounts(self, running, admin):
        address = f"new{next(people)}@example.org"
        made = admin.ctl("account", "create", address, "--name", "New")
        assert running.ctl("account", "show", address)["id"] == made["id"]
        assert admin.ctl("account", "list") == running.ctl("account", "list")
        assert admin.ctl("account", "limit", address, "1000000")["bytesAllowed"] == 1000000
        assert admin.ctl("account", "limit", address, "default")["bytesAllowed"] != 1000000
        assert admin.refused(2, "account", "limit", address, "much").startswith("BYTES must be a number or ")
        assert admin.ctl("account", "previews", address, "local")["reachesLocal"] is True
        assert admin.refused(2, "account", "previews", address, "all").startswith("ADDRESSES must be one of ")
        assert admin.ctl("account", "rename", address, "Newer")["name"] == "Newer"
        assert admin.ctl("account", "show", address)["name"] == "Newer"
        assert admin.refused(3, "account", "show", "no@example.org") == (
            "there is no account no@example.org")

    def test_lists_of_others(self, running, admin, email, device, key):
        for noun in ("device", "key"):
            others = admin.ctl(noun, "list", "--account", email.upper())
            assert others == [one for one in running.ctl(noun, "list") if one["account"] == email]
            assert len(others) == 1
            assert admin.ctl(noun, "list") == []
            assert admin.refused(3, noun, "list", "--account", "no@example.org") == (
                "there is no account no@example.org")
        assert "is for your own account" in admin.refused(4, "key", "create", "--account", email)
        assert device and key

    def test_links(self, running, admin, tmp_path_factory):
        address = f"guest{next(people)}@example.org"
        assert "; --invite makes a link" in admin.refused(3, "account", "link", address)
        link = admin.ctl("account", "link", address, "--invite")
        assert (link["kind"], link["email"]) == ("invitation", address)
        guest = Laptop(tmp_path_factory.mktemp("guest"), running.url)
        guest.sign_in_by_link(link["url"], "--name", "Guest")
        assert admin.ctl("account", "link", address)["kind"] == "password"
        assert "--role" in admin.refused(4, "account", "link", address, "--role", "reviewer")
        assert "without --invite" in admin.refused(4, "account", "link", address, "--invite")
        assert guest.refused(4, "account", "list").startswith("account list needs ")

    def test_apps(self, running, admin, email):
        app = new_app(running, email)
        assert admin.ctl("app", "disable", app["slug"])["status"] != app["status"]
        assert admin.ctl("app", "enable", app["slug"])["status"] == app["status"]


def test_a_reviewer(running, laptop, email, key):
    app = new_app(running, email)
    upload(running, key, app)
    person(running, laptop)
    assert laptop.refused(4, "version", "approve", app["slug"], "1.0") == "only reviewers may do this"
    laptop.ctl("sign-out")
    person(running, laptop, "--role", "reviewer")
    assert laptop.refused(3, "version", "approve", app["slug"], "2.0") == (
        f"there is no version 2.0 of an app {app['slug']} that awaits review")
    assert laptop.refused(2, "version", "approve", app["slug"], "1.0", "--author", "x") == (
        "--author may be set only by the operator of the machine")
    done = laptop.ctl("app", "review", app["slug"].upper(), "1.0", "request-changes", "--comment", "Why?")
    assert done["status"] == "CHANGES_REQUESTED"
    [comment] = running.ctl("version", "show", app["slug"], "1.0")["reviewComments"]
    assert comment["author"] == "Ann"
