"""Clients that try to sign in, each from the address that it claims."""

import secrets
import threading
from concurrent.futures import ThreadPoolExecutor

from people import OTHER_PASSWORD, Browser

PAIR_BURST, ADDRESS_BURST = 10, 30  # LIMIT_ATTEMPTS_AT_ADDRESS, ..._OF_ADDRESS
NETWORK_BURST = 120


def from_address(world, address, **options):
    own = (("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-For", address))
    return Browser(world, fields=own, **options)


def until_refused(attempt, at_most):
    """Statuses up to the first 429."""
    statuses = []
    for _ in range(at_most):
        answer = attempt()
        statuses.append(answer.status)
        if answer.status == 429:
            assert int(answer["Retry-After"]) >= 1
            return statuses
    raise AssertionError(f"no limit: {statuses}")


def use_up(world, address):
    """Uses up the limit with a different account each time, since earlier accounts have limits of their own."""
    until_refused(lambda: from_address(world, address).try_sign_in(
        f"{secrets.token_hex(8)}@example.org", OTHER_PASSWORD), 60)


class Guessers:
    """Clients that guess without pause at missing accounts, from the addresses of one IPv6 /48."""

    def __init__(self, world, count):
        self.world = world
        self.is_over = threading.Event()
        self.statuses = []
        self.pool = ThreadPoolExecutor(count)
        self.futures = [self.pool.submit(self.run) for _ in range(count)]

    def run(self):
        while not self.is_over.is_set():
            browser = from_address(self.world, f"2001:db8:99:{secrets.randbelow(65536):x}::1")
            self.statuses.append(browser.try_sign_in(
                secrets.token_hex(4) + "@example.org", OTHER_PASSWORD).status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.pool.shutdown()
        for future in self.futures:
            future.result()
