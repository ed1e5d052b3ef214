"""SIGUSR2 and the files of sockets."""

import os
import signal

import pytest
from upgrade_scene import Scene


@pytest.fixture
def scene(template):
    one = Scene(template)
    yield one
    one.remove()


def test_it_stops_during_an_upgrade(scene, folder):
    """It leaves no file of a socket: neither of the program before nor of the new one, whose workers
    wait for a database that has been stopped."""
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
        scene.server.wait_for_log('msg="stopping: ')
    finally:
        os.kill(postmaster, signal.SIGCONT)
    assert scene.server.wait() == 0
    assert not os.path.lexists(tried)
    assert not os.path.lexists(before)
