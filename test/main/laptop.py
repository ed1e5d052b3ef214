"""Machines from which displayctl asks a server by its URL."""

import itertools
import os

import images
import pytest
from server import CtlError, run_ctl

PASSWORD = "staple of the stable"
people = itertools.count()


class Laptop:
    """A machine with a home of its own, from which displayctl asks a server by its URL."""

    def __init__(self, home, url, *options):
        self.home, self.url, self.options = str(home), url, options

    def ctl(self, *arguments, json_output=True, server=True, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("DISPLAYD_", "XDG_"))}
        environment |= {"HOME": self.home} | variables
        where = ["--server", self.url, *self.options] if server else []
        return run_ctl(*where, *arguments, json_output=json_output,
                       env={name: value for name, value in environment.items() if value is not None})

    def refused(self, code, *arguments, **options):
        with pytest.raises(CtlError) as caught:
            self.ctl(*arguments, **options)
        text = caught.value.text
        assert caught.value.code == code, text
        assert text.startswith("displayctl: ") and text.count("\n") == 1, text
        return text.removeprefix("displayctl: ").rstrip("\n")

    def password_file(self, text=PASSWORD):
        path = os.path.join(self.home, "password")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        return path

    def files(self):
        return [os.path.join(folder, name) for folder, _, names in os.walk(
            os.path.join(self.home, ".config")) for name in names]

    def sign_in_by_link(self, link, *options):
        return self.ctl("sign-in", link, "--password-file", self.password_file(), *options)


@pytest.fixture
def laptop(running, tmp_path):
    return Laptop(tmp_path, running.url)


@pytest.fixture
def keyed(laptop, key):
    """The same with an API key."""
    path = os.path.join(laptop.home, "key")
    with open(path, "w", encoding="ascii") as file:
        file.write(key + "\n")
    os.chmod(path, 0o600)
    laptop.options = ("--key-file", path)
    return laptop


def person(server, laptop, *options):
    """Signs somebody in. Returns the address."""
    address = f"person{next(people)}@example.org"
    link = server.ctl("account", "link", address, "--invite", *options)
    shown = laptop.sign_in_by_link(link["url"], "--name", "Ann")
    assert shown["email"] == address
    return address


def picture(folder):
    path = os.path.join(str(folder), "picture.png")
    with open(path, "wb") as file:
        file.write(images.png())
    return path
