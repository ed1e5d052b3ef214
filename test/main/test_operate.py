"""docs/operate.md: its commands as a reader types them, and the messages and settings that it names."""

import os
import re
import subprocess

from server import DISPLAYCTL, DISPLAYD, PATIENCE_S, ROOT

with open(os.path.join(ROOT, "docs/operate.md"), encoding="utf-8") as file:
    PAGE = file.read()


def help_of(program):
    return subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def sources():
    """All C sources of displayd, with strings that continue in the next line joined."""
    found = ""
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found += file.read()
    return re.sub(r'"\s*\n\s*"', "", found)


def test_its_commands(running, folder):
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
    assert len(blocks) >= 4
    programs = os.path.join(folder, "bin")
    os.mkdir(programs)
    for name, program in (("displayd", DISPLAYD), ("displayctl", DISPLAYCTL)):
        os.symlink(os.path.abspath(program), os.path.join(programs, name))
    environment = running.environment | {"PATH": programs + ":" + os.environ["PATH"],
                                         "DISPLAYD_STATE_DIR": running.state_dir}
    printed = ""
    for block in blocks:
        done = subprocess.run(["sh", "-ec", block], cwd=folder, env=environment, text=True, check=False,
                              timeout=PATIENCE_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, (block, done.stderr)
        printed += done.stdout
    assert "/link#" in printed
    assert os.path.exists(os.path.join(folder, "restored/secret-key"))


def test_its_line_for_cron(running, folder):
    """cron ends a command at a % without a backslash."""
    line, = re.findall(r"^```crontab\n(.*)\n```", PAGE, re.M)
    command = re.split(r"(?<!\\)%", line.split(None, 6)[6])[0].replace("\\%", "%")
    programs = os.path.join(folder, "bin")
    os.mkdir(programs)
    os.symlink(os.path.abspath(DISPLAYCTL), os.path.join(programs, "displayctl"))
    environment = running.environment | {"PATH": programs + ":" + os.environ["PATH"],
                                         "DISPLAYD_STATE_DIR": running.state_dir}
    assert "/var/backups/" in command
    subprocess.run(["sh", "-ec", command.replace("/var/backups", folder)], check=True, env=environment,
                   timeout=PATIENCE_S)
    assert [name for name in os.listdir(folder) if re.fullmatch(r"displayd-[1-7]\.backup", name)]


def test_its_timer(running, folder):
    """The service of the timer writes a file for this weekday, in the folder that tmpfiles.d makes; nothing switches the
    timer on."""
    with open(os.path.join(ROOT, "share/displayd-backup.service.in"), encoding="utf-8") as file:
        [command] = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", file.read(), re.M)
    with open(os.path.join(ROOT, "share/displayd.tmpfiles"), encoding="utf-8") as file:
        assert "d /var/backups/displayd 0700 root root -\n" in file.read()
    for written, meant in (("$$", "$"), ("%%", "%"), ("@bindir@/displayctl", os.path.abspath(DISPLAYCTL)),
                           ("%S/displayd", running.state_dir), ("/var/backups/displayd", folder)):
        assert written in command
        command = command.replace(written, meant)
    subprocess.run(["sh", "-ec", command], check=True, env=running.environment, timeout=PATIENCE_S)
    [name] = [name for name in os.listdir(folder) if re.fullmatch(r"displayd-[1-7]\.backup", name)]
    assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o600
    with open(os.path.join(ROOT, "debian/rules"), encoding="utf-8") as file:
        assert "--no-enable --no-start --no-stop-on-upgrade displayd-backup.timer" in file.read()


def test_its_messages():
    """Each message of the last section is in the source of a program."""
    said = sources()
    symptoms = re.findall(r"^- (`[^`]+`(?:, `[^`]+`)*)(?: during [a-z ]+)?: ", PAGE.split("## Trouble by symptom")[1], re.M)
    messages = [message for symptom in symptoms for message in re.findall(r"`([^`]+)`", symptom)]
    assert len(messages) >= 27
    assert [text for text in messages if text not in said] == []


def test_its_settings():
    ours = help_of(DISPLAYD) + help_of(DISPLAYCTL) + sources()
    for code in set(re.findall(r"`([^`\n]+)`", PAGE)):
        tool = re.match(r"tools/\w+", code)
        known = help_of(os.path.join(ROOT, tool.group())) if tool else ours
        for option in re.findall(r"--([a-z][a-z-]+)", code):
            assert f"--{option}" in known or f'"{option}"' in known, code


def test_its_table_of_settings():
    """The table names each setting once, and nothing else."""
    table = PAGE.split("## Configure")[1].split("###")[0]
    named = [name for row in re.findall(r"^\|.*\|(`.*)\|$", table, re.M) for name in re.findall(r"`([^`]+)`", row)]
    settings = help_of(DISPLAYD).split("Settings:")[1]
    assert sorted(named) == sorted(re.findall(r"^  --([a-z-]+) ", settings, re.M))


def test_its_links():
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE):
        assert os.path.exists(os.path.join(ROOT, "docs", target)), target
