"""Versions in TypeScript are compiled for their reviews: accounts take turns, and no version is called broken because the
machine was slow or busy."""

import contextlib
import os
import signal

import pytest
from authors import Author
from people import request_bytes, wait_until
from world import state_of

from database_clock import DatabaseClock
from filling import processes

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_TYPESCRIPT"), reason="no engine is built")
GOOD = 'import { Box, Root } from "panel";\nexport default function main() { return Root({ child: Box({}) }); }\n'
LOOP = "def main():\n    for _ in range(1000000000000):\n        pass\n    return []\n"
MANY = 12
PREVIEWS = 24  # more than an account may have waiting
# Compiles in a few tenths of a second.
LONG = GOOD + "".join(f"export function f{n}(a: number): number {{ return a + {n}; }}\n" for n in range(14_000))


def announce(world):
    world.sql("SELECT pg_notify('displayd_hint', 'version:00000000-0000-0000-0000-000000000000:0')")


def compiled(world, version):
    """(javascript, problem), or nothing yet."""
    return world.sql("SELECT javascript, problem FROM app_compiled WHERE version_id = %s AND compiled_at IS NOT NULL",
                     version)


def submit(world, *accounts):
    """A version for each, of an app of its own, with IDs in this order."""
    world.sql("""
        WITH wanted AS (
            SELECT owner::uuid, lpad(number::text, 12, '0') AS name
            FROM unnest(%s) WITH ORDINALITY AS owner (owner, number)
        ), made AS (
            INSERT INTO app (id, account_id, slug, name, status)
            SELECT ('00000000-0000-7000-8001-' || name)::uuid, owner, 'app-' || name, name,
                CASE WHEN owner IS NULL THEN 'disabled' ELSE 'draft' END
            FROM wanted
        )
        INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum)
        SELECT ('00000000-0000-7000-8002-' || name)::uuid, ('00000000-0000-7000-8001-' || name)::uuid, '1', 'TYPESCRIPT',
            %s, 'sha256:' || name
        FROM wanted""", list(accounts), GOOD)
    announce(world)


def test_accounts_take_turns(start):
    """The only version of an account waits for one of each other, however many these have submitted before it."""
    world = start("--rate-limit", "0", workers=1)
    many, other = Author(world).person.id, Author(world).person.id
    submit(world, *[many] * MANY, other)
    wait_until(lambda: world.sql("SELECT count(*) = 0 FROM app_compiled WHERE compiled_at IS NULL")[0][0], "the compiler")
    owners = [row[0] for row in world.sql(
        "SELECT account_id FROM app_compiled JOIN app_version ON id = version_id JOIN app ON app.id = app_id "
        "ORDER BY compiled_at")]
    assert owners.index(other) < 2, owners
    assert world.sql("SELECT count(*) FROM app_compiled WHERE javascript IS NOT NULL") == [(MANY + 1,)]


def test_an_app_without_an_owner_has_its_turn(start):
    world = start("--rate-limit", "0", workers=1)
    submit(world, None, Author(world).person.id)
    wait_until(lambda: world.sql("SELECT count(*) = 2 FROM app_compiled WHERE javascript IS NOT NULL")[0][0], "the compiler")


def previews_that_hang(world, author, app, stack):
    """As many previews as the account may have waiting, of which none ends."""
    body = {"scriptLanguage": "STARLARK", "scriptContent": LOOP}
    data = request_bytes("POST", f"{app.path}/preview", body=body,
                         fields=[("Cookie", author.browser.cookie), ("Sec-Fetch-Site", "same-origin")])
    for _ in range(PREVIEWS):
        stack.enter_context(contextlib.closing(world.client())).send(data)
    stopped = set()

    def stop():
        for pid in processes(world.server).get("render-starlark", ()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                stopped.add(pid)
        return stopped

    wait_until(stop, "a renderer")
    return stopped


def test_a_busy_server_does_not_use_up_the_tries_of_a_version(start):
    """More often than a version that fails is tried, its account has no place in the queue: then it is compiled."""
    world = start("--rate-limit", "0", workers=1)
    author = Author(world)
    app, other = author.make(), author.make()
    with contextlib.ExitStack() as stack, DatabaseClock(world.database) as clock:
        stopped = previews_that_hang(world, author, app, stack)
        version = other.submitted("1.0", GOOD, "TYPESCRIPT")

        def is_leased_or_put_off():
            announce(world)
            return world.sql("SELECT claimed_until > present_time() FROM app_compiled WHERE version_id = %s",
                             version)[0][0]

        for _ in range(6):
            wait_until(is_leased_or_put_off, "a look")
            assert not compiled(world, version)
            clock.advance(600)
        stack.pop_all().close()
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        def is_compiled():
            clock.advance(60)
            announce(world)
            return compiled(world, version)

        [(javascript, problem)] = wait_until(is_compiled, "the compiler")
    assert javascript and problem is None


def stop_compiler(world, app):
    """Stops the process that compiles a version of the app. Returns the version, and the process."""
    for number in range(100):
        version = app.submitted(f"1.{number}", f"{LONG}// {number}\n", "TYPESCRIPT")
        while not compiled(world, version):
            for pid in processes(world.server).get("esbuild", ()):
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    os.kill(pid, signal.SIGSTOP)
                    if state_of(pid) == "T":
                        return version, pid
    raise AssertionError("no compiler was seen")


def test_a_compiler_that_was_killed_breaks_no_version(start):
    """The render host kills one that does not respond. That is no try of the version, which is compiled later."""
    world = start("--rate-limit", "0", workers=1)
    with DatabaseClock(world.database) as clock:
        version, pid = stop_compiler(world, Author(world).make())
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the compiler")
        wait_until(lambda: world.sql("SELECT tries = 0 AND claimed_until > present_time() FROM app_compiled "
                                     "WHERE version_id = %s", version)[0][0], "that it is put off")

        def is_compiled():
            clock.advance(60)
            announce(world)
            return compiled(world, version)

        [(javascript, problem)] = wait_until(is_compiled, "the compiler")
    assert javascript and problem is None
