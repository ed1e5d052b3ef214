"""SIGUSR2 and files: those of sockets, and those that the configuration names."""

import os
import signal

import certificates
import pytest
import tls
from ports import free_port
from server import wait_until
from upgrade_scene import CHECK, Scene

TOKEN = "a-token-of-some-length-0123456789"


@pytest.fixture
def scene():
    one = Scene()
    yield one
    one.remove()


def test_it_stops_during_an_upgrade(scene, folder):
    """A stop during an upgrade leaves no socket files: neither of the old program nor of the new one, whose
    workers wait for a database that has been stopped."""
    before, tried = (os.path.join(folder, name) for name in ("before", "tried"))
    scene.configure(f"admin-listen = unix:{before}")
    assert scene.upgrade()["state"] == "done"
    scene.retire()
    assert os.path.lexists(before)
    scene.configure(f"admin-listen = unix:{tried}")
    postmaster = scene.server.postmaster()
    os.kill(postmaster, signal.SIGSTOP)
    try:
        scene.server.process.send_signal(signal.SIGUSR2)
        scene.server.wait_for_log(f"msg=listening address=unix:{tried}")
        scene.server.process.send_signal(signal.SIGTERM)
        scene.server.wait_for_log('msg="stopping after requests')
    finally:
        os.kill(postmaster, signal.SIGCONT)
    assert scene.server.wait() == 0
    assert not os.path.lexists(tried)
    assert not os.path.lexists(before)


class Files:
    """A server with TLS and a token for metrics, each in a file."""

    def __init__(self, scene, folder):
        self.scene = scene
        self.made = certificates.make(folder, "wall")
        self.context = tls.context(self.made)
        self.token = os.path.join(folder, "token")
        self.port = free_port()
        self.write_token()
        scene.configure(f"tls-listen = 127.0.0.1:{self.port}",
                        f"tls-certificate = {self.made.certificate}",
                        f"tls-key = {self.made.key}",
                        f"metrics-token-file = {self.token}")
        assert scene.upgrade()["state"] == "done"
        scene.retire()

    def write_token(self):
        with open(self.token, "w", encoding="ascii") as file:
            os.chmod(self.token, 0o600)
            file.write(TOKEN)

    def must_serve(self):
        with tls.connect(self.port, self.context) as stream:
            assert tls.ask(stream).status == 200
        assert self.scene.server.get("/metrics", key=TOKEN).status == 200


@pytest.fixture
def files(scene, folder):
    return Files(scene, folder)


def test_a_file_that_cannot_be_used_is_refused(scene, files):
    workers = scene.server.workers()
    with open(files.made.certificate, "w", encoding="ascii") as file:
        file.write("nonsense")
    error = scene.refused()
    assert error.code == 4 and files.made.certificate in error.text
    files.made.write([files.made])
    os.unlink(files.token)
    error = scene.refused()
    assert error.code == 4 and files.token in error.text
    assert scene.server.workers() == workers
    files.must_serve()


def test_files_that_are_gone_when_it_goes_back(scene, files):
    """If files are missing when the upgrade fails, the old program continues with the contents it has, and
    reads the files once they are back."""
    workers = scene.server.workers()
    scene.install(f'{CHECK} ;; *) echo "nonsense = 1" >> {scene.config}\n'
                  f'rm {files.made.certificate} {files.token};; esac\nexec $DISPLAYD "$@"')
    error = scene.refused()
    assert error.code == 1 and "nonsense" in error.text
    assert sorted(scene.server.workers()) == sorted(workers)
    files.must_serve()
    files.made.write([files.made])
    files.write_token()
    with open(scene.config, "r+", encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if "nonsense" not in line]
    scene.configure(*lines)
    scene.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: not set(workers) & set(scene.server.workers()), "other workers")
    files.must_serve()


def test_keys_of_a_configuration_before_are_wiped(scene, files):
    pid = scene.server.process.pid
    assert files.made.is_in_memory(pid)
    scene.configure()
    assert scene.upgrade()["state"] == "done"
    assert not files.made.is_in_memory(pid)
