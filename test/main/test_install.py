"""Files that meson install has installed work there."""

import glob
import json
import os
import re
import shutil
import subprocess

import pytest

PROGRAM = """
#include <panelimage/panelimage.h>
int main(void)
{
	return panelimage_detect((const uint8_t *)"GIF89a", 6) != PANELIMAGE_FORMAT_GIF;
}
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def install(root):
    run("meson", "install", "-C", os.environ["BUILD"], "--no-rebuild", "--destdir", str(root))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Maps an installed path to that file below a folder of the test."""
    root = tmp_path_factory.mktemp("root")
    install(root)
    options = json.loads(run("meson", "introspect", "--buildoptions", os.environ["BUILD"]))
    folders = {option["name"]: option["value"] for option in options}

    def find(folder, *names):
        path = os.path.join(folders["prefix"], folders.get(folder, folder), *names)
        return os.path.join(root, path.lstrip("/"))

    find.root = root
    find.prefix = os.path.join(root, folders["prefix"].lstrip("/"))
    return find


@pytest.mark.parametrize("name", ["displayd", "displayctl"])
def test_programs_run(installed, name):
    assert "usage" in run(installed("bindir", name), "--help")


def test_version(installed):
    assert run(installed("bindir", "displayd"), "--version").startswith("displayd ")


def test_sample_configuration_is_accepted(installed):
    """The sample configuration is valid, both as it is and with every commented line enabled."""
    sample = installed("sysconfdir", "displayd", "displayd.conf")
    shown = run(installed("bindir", "displayd"), "--check-config", "--config", sample)
    assert "127.0.0.1:8080" in shown
    everything = os.path.join(installed.root, "everything.conf")
    with open(sample) as file, open(everything, "w") as out:
        names = []
        for line in file:
            if line[0] == "#" and line[1] != " ":
                names.append(line[1:].split()[0])
                # Files that the sample tells the operator to create.
                if not names[-1].endswith("-file"):
                    out.write(line[1:])
    assert len(names) > 5
    shown = run(installed("bindir", "displayd"), "--check-config", "--config", everything)
    assert "https://panels.example.org" in shown


def test_a_changed_configuration_is_kept(installed):
    path = installed("sysconfdir", "displayd", "displayd.conf")
    with open(path, "a") as file:
        file.write("rate-limit = 7\n")
    install(installed.root)
    with open(path) as file:
        assert file.read().endswith("rate-limit = 7\n")


def test_unit_file(installed):
    """The unit runs the installed program, and systemd finds no fault in it."""
    path = installed("lib", "systemd", "system", "displayd.service")
    with open(path) as file:
        unit = file.read()
    command = [line for line in unit.splitlines() if line.startswith("ExecStart=")][0].split("=", 1)[1]
    words = [str(installed.root) + word if word.startswith("/") else word for word in command.split()]
    run(*[word.replace("%S", "/nowhere") for word in words], "--check-config")
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    copy = os.path.join(installed.root, "displayd.service")
    bin_folder = os.path.dirname(command.split()[0])
    with open(copy, "w") as file:
        file.write(unit.replace(command, " ".join(words)).replace(
            "ExecReload=+" + bin_folder, f"ExecReload=+{installed.root}{bin_folder}"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", copy],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "displayd" not in done.stderr, done.stderr


def test_users(installed):
    """The users of the package are those that displayd needs and tools/setup creates."""
    with open(installed("lib", "sysusers.d", "displayd.conf")) as file:
        users = [line.split()[1] for line in file if line.startswith("u ")]
    assert users == ["displayd", "displayd-db"]
    if shutil.which("systemd-sysusers"):
        os.makedirs(os.path.join(installed.root, "etc"), exist_ok=True)
        run("systemd-sysusers", "--root", str(installed.root),
            installed("lib", "sysusers.d", "displayd.conf"))
        with open(os.path.join(installed.root, "etc/passwd")) as file:
            made = {line.split(":")[0]: line.strip().split(":") for line in file}
        for user in users:
            assert made[user][5:] == ["/nonexistent", "/usr/sbin/nologin"]


def test_documents(installed):
    """The documents are installed with the alerts, the dashboard and the proxies' examples, and their links
    lead to existing files."""
    folder = installed("datadir", "doc", "displayd")
    for name in ("docs/operate.md", "docs/metrics.md", "docs/export.md", "docs/deploy/nginx.conf",
                 "docs/deploy/haproxy.cfg", "docs/deploy/Caddyfile", "share/prometheus/displayd.rules.yml",
                 "share/grafana/displayd.json"):
        assert os.path.isfile(os.path.join(folder, name)), name
    pages = glob.glob(os.path.join(folder, "**/*.md"), recursive=True)
    dead = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) + re.findall(r'(?:src|href)="([^"#]+)"', text):
            if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
                dead.append((os.path.relpath(page, folder), link))
    assert len(pages) >= 14 and dead == []


@pytest.mark.parametrize("page", ["man1/displayctl.1", "man5/displayd.conf.5", "man8/displayd.8"])
def test_pages_of_the_manual_name_the_documents(installed, page):
    with open(installed("mandir", page), encoding="utf-8") as file:
        text = file.read()
    named = re.findall(r"/usr/share/doc/displayd(?:/[\w./-]+\w)?", text)
    assert named
    for path in named:
        path = path.removeprefix("/usr/share/doc/displayd").lstrip("/")
        assert os.path.exists(installed("datadir", "doc", "displayd", path)), path


def test_library(installed, tmp_path):
    source, program = tmp_path / "user.c", tmp_path / "user"
    source.write_text(PROGRAM)
    flags = run("pkg-config", f"--define-variable=prefix={installed.prefix}", "--cflags", "--libs",
                "--static", "panelimage",
                env=os.environ | {"PKG_CONFIG_PATH": installed("libdir", "pkgconfig")}).split()
    run(*os.environ["CC"].split(), *os.environ["CFLAGS"].split(), str(source), "-o", str(program),
        *flags)
    run(str(program))


def test_apps_are_rendered(installed, tmp_path):
    """Installed programs find those that render."""
    if not os.path.exists(installed("libexecdir", "displayd", "render-starlark")):
        pytest.skip("built without the Starlark renderer")
    assert os.access(installed("libexecdir", "displayd", "sandbox-launch"), os.X_OK)
    app, picture = tmp_path / "red.star", tmp_path / "red.webp"
    app.write_text('load("render.star", "render")\n'
                   "def main():\n    return render.Root(child = render.Box(color = '#f00'))\n")
    run(installed("bindir", "displayctl"), "app", "render", str(app), "-o", str(picture))
    assert picture.read_bytes()[:4] == b"RIFF"
