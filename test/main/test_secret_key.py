"""The key with which secret settings of apps are encrypted."""

import os
import re
import stat

import pytest

KEY = "0f" * 32


def key_file(server):
    return os.path.join(server.state_dir, "secret-key")


def forget_key(server):
    """That of the copied state directory."""
    if os.path.exists(key_file(server)):
        os.unlink(key_file(server))


def test_made_once_for_its_owner_alone(launch):
    server = launch()
    path = key_file(server)
    forget_key(server)
    server.start()
    with open(path, encoding="ascii") as file:
        key = file.read()
    assert re.fullmatch(r"[0-9a-f]{64}\n", key)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert key.strip() not in server.log()
    assert server.stop() == 0
    server.start()
    with open(path, encoding="ascii") as file:
        assert file.read() == key
    assert not os.path.exists(path + ".new")


def test_named_file(launch, folder):
    path = os.path.join(folder, "key")
    with open(path, "w", encoding="ascii") as file:
        file.write(KEY)
    os.chmod(path, 0o640)
    server = launch("--secret-key-file", path)
    forget_key(server)
    server.start()
    assert server.get("/livez").status == 200
    assert not os.path.exists(key_file(server))
    assert KEY not in server.log()


@pytest.mark.parametrize("text, mode, why", [
    (KEY, 0o644, "everybody may read it"), (KEY[:-1], 0o600, "must have 64 hexadecimal digits"),
    (KEY + "0", 0o600, "must have 64 hexadecimal digits"), ("", 0o600, "must have 64 hexadecimal"),
    (KEY + "\n\n", 0o600, "must have 64 hexadecimal digits"),
    ("x" + KEY[1:], 0o600, "must have 64 hexadecimal digits"), (None, 0, "No such file")])
def test_wrong_file(launch, folder, text, mode, why):
    path = os.path.join(folder, "key")
    if text is not None:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
    server = launch("--secret-key-file", path)
    assert server.launch().wait() == 2
    assert why in server.log()
    assert not text or len(text) < 60 or text.strip() not in server.log()


def test_damaged_key_of_the_state_directory(launch):
    """A new one in its place would lose all secrets."""
    server = launch().start()
    assert server.stop() == 0
    with open(key_file(server), "w", encoding="ascii") as file:
        file.write("short")
    assert server.launch().wait() == 4
    with open(key_file(server), encoding="ascii") as file:
        assert file.read() == "short"
