"""displayctl import tronbyt, device reboot, and the redirection from a former address."""

import json
import re
import secrets

import pytest
from server import CtlError, Server, run_ctl, wait_until

OWNER = "ada@example.org"


@pytest.fixture(scope="module")
def running():
    with Server() as server:
        server.ctl("account", "create", OWNER)
        yield server


def written(tmp_path, *devices, name="devices.json"):
    path = tmp_path / name
    path.write_text(json.dumps({"username": "ada", "devices": list(devices)}))
    return str(path)


def device(name, **members):
    return {"id": "0" + secrets.token_hex(4)[1:], "name": name, "brightness": 20, **members}


def bring(server, *arguments):
    return server.ctl("import", "tronbyt", *arguments, "--account", OWNER)


def refused(server, *arguments):
    with pytest.raises(CtlError) as error:
        bring(server, *arguments)
    return error.value.code, error.value.text


def test_what_comes_and_what_does_not(running, tmp_path):
    export = device("Kitchen", color_filter="sepia", apps=[{"iname": "17", "name": "no-such-app"}])
    path = written(tmp_path, export)
    dry = bring(running, path, "--dry-run", "--keep-addresses")
    assert dry["isDryRun"] is True and running.ctl("device", "list", "--account", OWNER) == []
    report = bring(running, path, "--keep-addresses")
    made, = report["devices"]
    assert (made["state"], made["alias"], made["entries"], made["entriesInFile"]) == ("new", export["id"], 0, 1)
    assert [note["what"] for note in report["notBrought"]] == ["render interval", "entry"]
    shown = running.ctl("device", "show", made["id"])
    assert (shown["name"], shown["brightness"], shown["alias"]) == ("Kitchen", 20, export["id"])
    assert bring(running, path)["devices"][0]["state"] == "there"


def test_for_people(running, tmp_path):
    """Lines for people have at most 80 characters, except URLs."""
    long = device("A panel of 25 characters.", notes="x", locale="?", timezone="Nowhere/At all", interstitial_enabled=True,
                  custom_brightness_scale="1,2", apps=[{"iname": "1", "name": "gone\x1b[31m", "auto_pin": True}])
    paths = [written(tmp_path, long), written(tmp_path, device("Second"), name="second.json")]
    text = run_ctl("--state-dir", running.state_dir, "import", "tronbyt", *paths, "--account", OWNER, json_output=False)
    assert re.search("A panel of 25 characters.  imported  +0 of 1 entry\n", text) and re.search("Second  +imported  +0 entries\n", text)
    assert "Not imported, or changed:" in text
    assert "\x1b" not in text
    assert "Second" in text.split("second.json:")[1]
    assert all(len(line) <= 80 for line in text.splitlines() if "url  " not in line and "json" not in line), text
    assert text.count("ws://") == 2


def test_more_than_is_listed(running, tmp_path):
    """A device with many notes hides neither those of the next one, nor how many of its own are not listed."""
    big = device("Big", apps=[{"iname": str(number)} for number in range(6000)])
    path = written(tmp_path, big, device("Small", locale="?"))
    text = run_ctl("--state-dir", running.state_dir, "import", "tronbyt", path, "--dry-run", "--account", OWNER, json_output=False)
    first, second = text.partition("Not imported, or changed:\nBig\n")[2].split("\nSmall\n")
    assert first.endswith("  more\n    1001 more items of this device were left out or changed, and are not listed"), first[-200:]
    assert "  locale\n    is not a language: set to en\n" in second


def test_several_files_as_json(running, tmp_path):
    """The output is one array. One unreadable file fails the command."""
    paths = [written(tmp_path, device(f"Panel {number}"), name=f"{number}.json") for number in range(3)]
    came = running.ctl("import", "tronbyt", *paths[:2], "--account", OWNER)
    assert [report["devices"][0]["name"] for report in came] == ["Panel 0", "Panel 1"]
    (tmp_path / "1.json").write_text("{")
    with pytest.raises(CtlError) as error:
        running.ctl("import", "tronbyt", *paths, "--account", OWNER)
    assert error.value.code == 2


def test_what_cannot_be_read(running, tmp_path):
    path = tmp_path / "file"
    for text, words in (("{", "JSON"), ("[]", "object"), ('{"name": "x"}', "export"), ('{"devices": []}', "devices must have a device"),
                        ('{"devices": 1}', "devices must be an array"), (json.dumps({"devices": [{}] * 101}), "at most 100 devices, has 101")):
        path.write_text(text)
        code, said = refused(running, str(path))
        assert code == 2 and words in said and said.startswith(f"displayctl: {path}: ") and "--" not in said, said
    assert refused(running, str(tmp_path / "none"))[0] == 2
    assert refused(running, str(tmp_path)) == (2, f"displayctl: {tmp_path}: Is a directory\n")
    path.write_text("{" + " " * (4 << 20) + "}")
    assert refused(running, str(path))[0] == 2
    with pytest.raises(CtlError) as error:
        running.ctl("import", "tronbyt", written(tmp_path, device("x")), "--account", "nobody@example.org")
    assert error.value.code == 3
    with pytest.raises(CtlError):
        running.ctl("import", "tronbyt", "--account", OWNER)


def test_reboot(running):
    made = running.ctl("device", "create", "--account", OWNER, "--name", "Desk")
    with pytest.raises(CtlError) as error:
        running.ctl("device", "reboot", "Desk")
    assert error.value.code == 4 and "offline" in error.value.text
    target = "/d/" + made["pollUrl"].split("/d/", 1)[1]
    assert running.get(target).status == 200
    assert running.ctl("device", "reboot", "desk")["name"] == "Desk"
    assert running.get(target).headers["Tronbyt-Reboot"] == "1"
    with pytest.raises(CtlError) as error:
        running.ctl("device", "reboot", "nothing")
    assert error.value.code == 3


def fails(server, *arguments):
    with pytest.raises(CtlError) as error:
        server.ctl(*arguments)
    return error.value.code, error.value.text


def test_from_the_former_address(running, tmp_path):
    export = device("Shelf")
    bring(running, written(tmp_path, export), "--keep-addresses")
    code, text = fails(running, "device", "move", "Shelf")
    assert code == 4 and "has not reported its firmware" in text
    former = f"/{export['id']}/next"
    assert running.get(former, headers={"X-Firmware-Version": "1.6.6"}).status == 200
    wait_until(lambda: "1.6.6" in json.dumps(running.ctl("device", "show", "Shelf")), "what the panel told")
    assert running.ctl("device", "move", "Shelf")["name"] == "Shelf"
    assert "use --yes" in fails(running, "device", "unalias", "Shelf")[1]
    assert running.ctl("device", "unalias", "Shelf", "--yes")["name"] == "Shelf"
    assert running.get(former).status == 404
    assert fails(running, "device", "unalias", "Shelf", "--yes") == (
        3, "displayctl: the device has no former address\n")
    code, text = fails(running, "device", "move", "Shelf")
    assert code == 4 and "no former address" in text
    assert fails(running, "device", "move", "nothing")[0] == 3
