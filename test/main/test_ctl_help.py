"""displayctl's help, its version, and its answers to unknown words."""

import os
import pathlib
import re
import subprocess

import pytest
from server import DISPLAYCTL, DISPLAYD, CtlError, run_ctl

NOUNS = ["account", "device", "installation", "key", "mqtt", "webhook", "app", "version", "collection", "firmware", "database"]


def text_of(*arguments):
    return run_ctl(*arguments, json_output=False)


def reason(*arguments):
    with pytest.raises(CtlError) as caught:
        run_ctl(*arguments)
    return caught.value.code, caught.value.text.removeprefix("displayctl: ").rstrip("\n")


def commands():
    """All commands of the overview, as lists of words."""
    heads = re.findall(r"^  ([a-z]+(?: [a-z-]+)?)(?= |$)", text_of("--help"), re.M)
    return [head.split() for head in heads]


def test_overview():
    text = text_of("--help")
    for noun in NOUNS:
        assert re.search(rf"^{noun} - [A-Z].*\.$", text, re.M), noun
    assert re.search(r"^  account create EMAIL +Create an account\.$", text, re.M)
    assert re.search(r"^  key revoke KEY +\w", text, re.M)
    assert "Exit codes" in text
    assert max(map(len, text.splitlines())) <= 92
    assert text_of("help") == text_of("-h") == text


def test_every_command_has_help():
    assert len(commands()) >= 25
    for words in commands():
        if words == ["panel"]:
            continue
        text = text_of(*words, "--help")
        assert text.startswith(f"usage: displayctl {' '.join(words)}"), words
        assert text_of("help", *words) == text_of("--help", *words) == text


def test_every_noun_has_help():
    assert {words[0] for words in commands() if len(words) > 1} <= {*NOUNS, "import"}


def test_no_command_has_an_option_of_all():
    """Otherwise one of the two cannot be given: --version shows displayctl's."""
    of_all = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text_of("--help").partition("\nOptions:\n")[2], re.M)
    assert {"json", "version", "server"} <= set(of_all)
    for words in commands():
        if words != ["panel"]:
            own = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text_of(*words, "--help"), re.M)
            assert not set(own) & set(of_all), words


def test_every_command_is_tried():
    """Each command is run by a test: "device", "show"."""
    folder = pathlib.Path(__file__).resolve().parents[1]
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    for words in commands():
        assert re.search(", *\n? *".join(f'"{word}"' for word in words), texts), words


@pytest.mark.parametrize("noun", NOUNS)
def test_help_of_a_noun(noun):
    text = text_of("help", noun)
    assert text == text_of(noun, "--help")
    for words in commands():
        assert (f"\n  {' '.join(words)}" in text) == (words[0] == noun), words


def test_help_of_a_command():
    text = text_of("app", "review", "--help")
    assert text.startswith("usage: displayctl app review APP VERSION approve|request-changes")
    for word in ("--comment TEXT", "Default: reviewer.", "displayctl --help"):
        assert word in text
    assert "key revoke" not in text


def test_help_needs_no_configuration():
    done = subprocess.run([DISPLAYCTL, "help", "key"], stdout=subprocess.PIPE, check=True,
                          env={"DISPLAYD_CONFIG": "/nowhere"})
    assert b"key create" in done.stdout


def test_version():
    assert re.fullmatch(r"displayctl \d+\.\d+\.\d+\nbuilt in: mbedTLS \S+-\S+\n", text_of("--version"))


OUTPUTS = [(DISPLAYCTL, words, output) for output in ("full", "closed", "nobody reads") for words in (
    "", "--help", "help", "help account", "device --help", "--version", "app types")] + [
    (DISPLAYD, words, output) for output in ("full", "closed") for words in ("--help", "--version")]


@pytest.mark.parametrize("program, words, output", OUTPUTS)
def test_an_output_that_cannot_be_written(program, words, output):
    """No length of the output hides it: what does not fit into a buffer is lost before the end."""
    read, write = os.pipe()
    os.close(read)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, *words.split()], stdout=full if output == "full" else write, check=False, text=True,
                              stderr=subprocess.PIPE, preexec_fn=(lambda: os.close(1)) if output == "closed" else None)
    os.close(write)
    assert done.returncode == 1
    assert done.stderr == f"{os.path.basename(program)}: cannot write to stdout\n"


@pytest.mark.parametrize("arguments, meant", [
    (["key", "lst"], "key list"),
    (["keys", "list"], "key list"),
    (["list", "keys"], "key list"),
    (["device", "delete", "x"], "device remove"),
    (["device", "add"], "device create"),
    (["ls", "device"], "device list"),
    (["--jsno", "x"], "--json"),
    (["key", "list", "--acount", "x"], "--account"),
    (["help", "kye", "list"], "key list"),
])
def test_what_was_probably_meant(arguments, meant):
    assert reason(*arguments)[1].endswith(f"; did you mean {meant}?")


@pytest.mark.parametrize("arguments", [["device"], ["device", "--json"]])
def test_a_noun_alone(arguments):
    code, text = reason(*arguments)
    assert code == 2
    assert re.fullmatch(r"device what\? There are brightness, .* and wake; see displayctl help device",
                        text)


@pytest.mark.parametrize("arguments, code", [
    (["device", "paint"], 2), (["devcie"], 2), (["help", "devcie"], 3), (["help", "device", "x"], 3),
])
def test_the_commands_of_a_noun(arguments, code):
    found, text = reason(*arguments)
    assert found == code
    assert "; the commands of device are brightness, create, " in text


@pytest.mark.parametrize("arguments, code", [(["nothing"], 2), (["help", "nothing"], 3)])
def test_nothing_is_near(arguments, code):
    assert reason(*arguments) == (code, "there is no command nothing; see displayctl --help")


DEVICE_URL = "ws://displays.example.org/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/ws?key="


@pytest.mark.parametrize("secret", ["ddk_0123456789abcdefghijABCDEFGHIJ012345",
                                    "KbcXWRqQpy9BDx757jOPKVzF"])
@pytest.mark.parametrize("words", ["", "key", "key list", "key revoke x", "help", "panel",
                                   "panel --url-file"])
def test_a_secret_in_the_wrong_place_is_not_repeated(words, secret):
    for around in ("%s", "--%s", "--x=%s", DEVICE_URL + "%s", "x%sy", "/dev/null/%s"):
        code, text = reason(*words.split(), around % secret)
        assert code == (3 if words == "help" and not around.startswith("-") else 2)
        assert not any(part in text for part in (secret[4:], secret[:12], secret[-8:])), text


@pytest.mark.parametrize("words", ["", "key", "key list", "key revoke x", "help", "database"])
@pytest.mark.parametrize("database", [
    "postgresql://me:%s@db.example.org/displayd", "postgres://me:%s@h",
    "postgresql://h/d?user=me&password=%s", "host=h password=%s", "host=h password='x %s'",
    "host=h password=%s options=http://x", "http://x password=%s"])
def test_a_database_in_the_wrong_place_keeps_its_password(words, database):
    _, text = reason(*words.split(), database % "hunter-22-hunter")
    shown, hidden = re.fullmatch(r"(.*[:=])(.*%s).*", database).groups()
    assert "hunter" not in text and shown + "*" * len(hidden % "hunter-22-hunter") in text
    assert re.search(r"(see displayctl --help|the commands of \w+ are [a-z, ]+)$", text)


def test_what_is_wrong_with_a_secret_in_the_wrong_place():
    assert reason("key", "revoke", "x", "ddk_0123456789abcdef") == (
        2, "key revoke does not take ddk_****************; see displayctl --help")
    code, text = reason("panel", "--quiet", "--url", "ws://127.0.0.1:1/", "--frames",
                        "/dev/null/KbcXWRqQpy9BDx757jOPKVzF")
    assert code == 1 and "/dev/null/************************: " in text
    assert reason("panel", DEVICE_URL + "KbcXWRqQpy9BDx757jOPKVzF") == (
        2, f"displayctl panel: displayctl panel does not take {DEVICE_URL}************************; "
           "see displayctl panel --help")
