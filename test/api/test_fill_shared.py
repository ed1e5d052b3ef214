"""Processes that all accounts share do not end by what one account and its peers send: each is filled with each
thing that a peer can declare (filling.py), while another account works."""

import contextlib
import os

import pytest
from filling import Stage, options, processes, rows
from run_folder import readable_folder
from waiting import wait_until
from world import World

# Rounds of the other account beside each attack.
ROUNDS = {"worker": 10, "egress": 3, "bridge": 3, "renderers": 2, "render host": 2, "supervisor": 10}
ATTACK_S = 400  # scripts take all the time that a processor gives them, on a busy machine minutes
SHARED = ("render-host", "egress", "mqtt")  # names of processes
ENDS = ("ended unexpectedly", "egress ended", "MQTT bridge ended", "did not respond")

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS") or not os.environ.get("HAS_STARLARK"),
                                reason="built without the egress, or without renderers")


@pytest.fixture(scope="module", name="stage")
def two_accounts(postgres):
    with readable_folder("displayd-fill-") as folder, contextlib.ExitStack() as stack:
        world = stack.enter_context(World(postgres.create_database(), "--rate-limit", "0", *options(folder)))
        yield stack.enter_context(Stage(world))


def shared_of(stage):
    found = processes(stage.world.server)
    return {name: found.get(name) for name in SHARED} | {"supervisor": {stage.world.server.process.pid}}


def check_ends(stage, what, before, begun):
    """None of the processes has ended, and the log has no line of an end since it had so many characters."""
    log = stage.world.server.log()[begun:]
    for text in ENDS:
        assert text not in log, (what, log[max(0, log.index(text) - 500):][:1000])
    assert shared_of(stage) == before, what


def fill(stage, process, what, attack):
    for _ in range(2):  # what is started at its first use is there
        stage.honest[process]()
    before, begun = shared_of(stage), len(stage.world.server.log())
    with attack() as under_way:
        workers = stage.world.workers()
        for _ in range(ROUNDS[process]):
            stage.honest[process]()
        wait_until(under_way.has_done, f"{process}: {what}", ATTACK_S)
        stage.honest[process]()
        assert stage.world.workers() == workers, what
    check_ends(stage, what, before, begun)


@pytest.mark.parametrize("process", ROUNDS)
def test_one_account_cannot_end_what_all_share(stage, process):
    if process.startswith("render") and not os.environ.get("HAS_TYPESCRIPT"):
        pytest.skip("built without one of the renderers")
    stage.use_egress()
    of_process = [row for row in rows(stage) if row[0] == process]
    assert of_process
    for row in of_process:
        fill(stage, *row)
