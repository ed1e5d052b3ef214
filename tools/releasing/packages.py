"""The packages of a release: made in a Debian of each suite from the source tarball, and tried in a bare one."""

import re
import shutil
import subprocess

from releasing import repository
from releasing.roots import Failed, Root, can_run, is_emulated

SUITES = {"bookworm": "+deb12", "trixie": "+deb13"}
NAMES = ("displayd", "displayctl")
# Libraries that are linked into the packages of Debian 12; the list of parts wants their versions.
STATIC = "build/package/libraries/{architecture}/versions"
# apt fetches the picture: a bare Debian has nothing else that asks by HTTP.
TRY = r"""
set -e
displayctl="displayctl --state-dir /srv/state"
displayd --state-dir /srv/state --listen 127.0.0.1:0 >/srv/log 2>&1 &
while [ ! -e /srv/state/url ]; do
	kill -0 $! || { cat /srv/log; exit 1; }
	sleep 0.2
done
$displayctl account create ada@example.org --name Ada
$displayctl device create --account ada@example.org --name Wall >/srv/device
$displayctl push Wall /srv/pushed.png
apt_helper=/usr/lib/apt/apt-helper
$apt_helper -o Acquire::http::Proxy=DIRECT download-file "$(sed -n 's/^pollUrl *//p' /srv/device)" /srv/shown.webp
"""


def make(suite, tarball, output, fields, log):
    """Makes the packages of one suite for both architectures in the new folder output. fields: arguments of
    tools/releasing/control.py."""
    output.mkdir(parents=True)
    with Root(suite, "amd64", log, ("ca-certificates", "xz-utils", "mmdebstrap")) as root:
        root.put(tarball, "/srv/source.tar.xz")
        root.run("sh", "-c", "cd /srv && tar -xf source.tar.xz && mv displayd-* source && source/tools/setup --package")
        for architecture in repository.ARCHITECTURES:
            root.run("/srv/source/tools/package", "--output", "/srv/packages", "--suffix", SUITES[suite], *fields,
                     *(["--architecture", architecture] if architecture != "amd64" else []))
            versions = root.inside("/srv/source") / STATIC.format(architecture=architecture)
            if versions.exists():
                shutil.copy(versions, output / f"versions-{architecture}")
        for package in root.inside("/srv/packages").glob("*.deb"):
            shutil.copy(package, output)


def pixels_of(command):
    """Returns the bytes of a picture, by a program that writes PPM."""
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise Failed(f"{command[0]} cannot read the picture: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout[re.match(rb"P6\s+\d+\s+\d+\s+\d+\s", done.stdout).end():]


def lines_of_user(repository_folder, suite):
    """The lines of docs/operate.md, with a folder in place of the web server."""
    signed = f"[signed-by=/usr/share/keyrings/{repository.KEYRING}]"
    return f"""
set -e
cp {repository_folder}/{repository.KEYRING} /usr/share/keyrings/
echo "deb {signed} file:{repository_folder} {suite} main" >/etc/apt/sources.list.d/displayd.list
apt-get -q update
apt-get -q -y install --no-install-recommends displayd
"""


def attempt(suite, architecture, folder, picture, log):
    """Installs the packages of the apt repository "folder" in a bare Debian, starts displayd there, pushes a still PNG of
    64x32 and fetches it as a panel does. Returns the last thing that was done; raises Failed if that is not all, and the
    programs are not emulated: an emulator runs no sandboxes."""
    if not can_run(architecture):
        return "not tried: there is no emulator"
    with Root(suite, architecture, log) as root:
        shutil.copytree(folder, root.inside("/srv/apt"))
        root.put(picture, "/srv/pushed.png")
        root.run("bash", "-c", lines_of_user("/srv/apt", suite))
        try:
            root.run("bash", "-c", TRY)
        except Failed:
            if not is_emulated(architecture):
                raise
            root.run("displayd", "--check-config")
            root.run("displayctl", "--version")
            return "installed, both programs start; a sandbox cannot start in the emulator"
        if pixels_of(["dwebp", "-quiet", "-ppm", root.inside("/srv/shown.webp"), "-o", "-"]) != pixels_of(["pngtopnm", picture]):
            raise Failed(f"a panel of {suite} got another picture than the pushed one")
    return "installed, started, pushed; a panel got the pushed picture"
