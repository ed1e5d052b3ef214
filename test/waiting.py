"""Waiting in tests: for a condition, so that none fails on a busy machine. tools/check_waits rejects every
other way."""

import time

# Far more than needed: only a hang takes this long.
PATIENCE_S = 120


def wait_until(condition, what, patience_s=PATIENCE_S, pause_s=0.02):
    """Calls the condition until its value is true. Returns the value."""
    end = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"never seen: {what}")
        time.sleep(pause_s)


def let_pass(seconds):
    """Waits if there is no condition to wait for. tools/waits_allowed.txt lists the callers, with reasons."""
    time.sleep(seconds)


def wait_as_told(retry_after_s):
    """Waits as long as an answer says (Retry-After)."""
    time.sleep(int(retry_after_s))


def repeat_if_busy(ask, told_of):
    """Returns the first answer of ask() that is not a 503 with Retry-After: clients must repeat such
    requests, and so do those of tests. told_of(answer): its status, and its Retry-After or None."""
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = ask()
        status, retry_after_s = told_of(answer)
        if status != 503 or retry_after_s is None or time.monotonic() > end:
            return answer
        wait_as_told(retry_after_s)
