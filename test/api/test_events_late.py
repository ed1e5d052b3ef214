"""Streams of events whose beginning other workers hear of late."""

import os
import signal
import threading

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


def test_streams_begin_when_others_know_of_them(start):
    """However close to the tick of its worker a stream begins, no push after its head is missed."""
    world = start()
    accounts = [world.account() for _ in range(40)]
    devices = [account.device() for account in accounts]
    hung = world.hint_backends()
    for account, device in zip(accounts, devices):
        for pid in hung:
            os.kill(pid, signal.SIGSTOP)
        resumed = threading.Timer(0.05, lambda: [os.kill(pid, signal.SIGCONT) for pid in hung])
        resumed.start()
        try:
            with Events(account) as events:
                push(device)
                events.kept("pushed", device)
        finally:
            resumed.join()
