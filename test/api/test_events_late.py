"""Streams of events whose beginning other workers hear of late."""

import os
import signal
import threading
import time

from key_events import Events, push


def test_a_stream_that_nobody_has_heard_of(start):
    """Other workers do not tell a push before they know of a stream: it is reset once they do."""
    world = start()
    account = world.account()
    device = account.device()
    hung = world.hint_backends()
    for pid in hung:
        os.kill(pid, signal.SIGSTOP)
    try:
        events = Events(account)
        push(device)
    finally:
        for pid in hung:
            os.kill(pid, signal.SIGCONT)
    with events:
        events.next("reset")
        assert "away" not in dict(events.seen)
        push(device, installationId="heard")
        while events.kept("pushed", device)["installationId"] != "heard":
            pass
        assert [name for name, _ in events.seen].count("reset") == 1


def test_streams_begin_when_their_hint_is_back(start):
    """However close to the tick of its worker a stream begins: it waits for its hint, a second at most."""
    world = start()
    accounts = [world.account() for _ in range(10)]
    hung = world.hint_backends()
    for account in accounts:
        account.device()
        begun = []

        def begin(account=account, begun=begun):
            with Events(account):
                begun.append(time.monotonic())

        for pid in hung:
            os.kill(pid, signal.SIGSTOP)
        stopped = time.monotonic()
        thread = threading.Thread(target=begin)
        thread.start()
        thread.join(0.4)  # some ticks of old servers come meanwhile; a slow machine only sees less
        resumed = time.monotonic()
        for pid in hung:
            os.kill(pid, signal.SIGCONT)
        thread.join()
        assert begun[0] > resumed or resumed - stopped > 0.9, (stopped, begun, resumed)
