"""MQTT connections of whole instances: setting, limit, displayctl and reload."""

import os
import signal

from broker import PASSWORD, USER
from mqtt_stage import (base, connect, connected_account, marked, one_broker, server_that_reaches, state,
                        wait_for_state)
from run_guard import descendants
from waiting import wait_until
from world import World

from postgres import Postgres

__all__ = ["connected_account", "one_broker", "server_that_reaches"]  # fixtures


MOST = 1000  # LIMIT_MQTT_CONNECTIONS


def test_the_setting_of_the_instance(postgres, broker, tmp_path):
    """--mqtt serves the account of --mqtt-account, at this instance alone."""
    database = postgres.create_database()
    with World(database) as other:
        account = other.account()
        device = account.device()
        password = tmp_path / "password"
        password.write_text(PASSWORD + "\n")
        password.chmod(0o600)
        with World(database, "--mqtt", broker.url, "--mqtt-account", account.email.upper(), "--mqtt-username", USER,
                   "--mqtt-password-file", str(password), "--renderers", "0") as world, \
                broker.listen(f"{base(account)}/#") as heard:
            heard.wait_for(f"{base(account)}/{device.id}/availability", b"offline")
            found = wait_for_state(account, "connected")
            assert (found["isOfInstance"], found["url"], found["hasPassword"]) == (True, broker.url, False)
            assert connect(account, broker).problem(409)
            assert account.request("DELETE", "/v1/account/mqtt").problem(404)
            world.stop()
            heard.wait_for(f"{base(account)}/availability", b"offline")
        assert account.request("DELETE", "/v1/account/mqtt").ok() == {}


def test_an_instance_whose_account_is_missing(postgres, broker):
    """The instance serves its other accounts, and logs that once."""
    with World(postgres.create_database(), "--mqtt", broker.url, "--mqtt-account", "nobody@example.org",
               "--egress-allow", "127.0.0.1") as world:
        connect(account := marked(world), broker).ok()
        wait_for_state(account, "connected")
        workers = len(world.workers())
        assert world.server.log().count("no account has the address of --mqtt-account") <= workers
        world.sql("UPDATE account SET email = 'Nobody@example.org' WHERE id = %s", account.id)
        world.sql("SELECT pg_notify('displayd_hint', 'mqtt:' || %s)", account.id)
        wait_until(lambda: state(account)["isOfInstance"], "another question for it")


def test_one_connection_too_many_is_told(postgres):
    """A connection without a lease is reported as waiting, whatever its state was before."""
    with World(postgres.create_database(), "--rate-limit", "0") as world:
        accounts = [world.account() for _ in range(MOST + 1)]
        world.sql("INSERT INTO mqtt_connection (account_id, url, state, state_at) "
                  "SELECT id, 'mqtt://127.0.0.1:9', 'connected', present_time() - interval '1 hour' FROM account")
        assert state(accounts[0])["state"] != "connected"
        world.sql("SELECT pg_notify('displayd_hint', 'mqtt:' || %s)", accounts[0].id)
        taken = "all connections of the servers are taken"
        free = "SELECT account_id::text FROM mqtt_connection WHERE holder IS NULL"
        wait_until(lambda: len(world.sql(free)) == 1, "all but one of them taken")
        [[left]] = world.sql(free)
        [waits] = [account for account in accounts if account.id == left]
        assert wait_until(lambda: (found := state(waits))["error"] == taken and found, taken)["state"] == "waiting"
        wait_until(lambda: f"{MOST} not, of at most {MOST}" in world.server.ctl("status", json_output=False),
                   "all of them tried")
        world.sql("UPDATE mqtt_connection SET is_of_instance = true, held_until = '-infinity', holder = NULL "
                  "WHERE account_id = %s", accounts[0].id)
        world.sql("UPDATE mqtt_connection SET state_at = present_time() - interval '1 hour' WHERE account_id = %s",
                  accounts[0].id)
        assert state(accounts[0])["error"] == "no server has this setting now"


def test_the_limit_is_what_the_workers_hold(postgres):
    with World(postgres.create_database(), workers=3) as world:
        assert world.server.ctl("status")["mqtt"] == {"connected": 0, "failed": 0, "limit": MOST // 3 * 3}


def test_displayctl(served, broker, account, tmp_path):
    password = tmp_path / "password"
    password.write_text(PASSWORD)
    words = ("--account", account.email)
    assert served.server.ctl("mqtt", "show", *words)["state"] == "none"
    made = served.server.ctl("mqtt", "update", *words, "--url", broker.url, "--username", USER,
                             "--password-file", str(password))
    assert (made["url"], made["hasPassword"]) == (broker.url, True)
    wait_until(lambda: served.server.ctl("mqtt", "show", *words)["state"] == "connected", "a connection")
    wait_until(lambda: served.server.ctl("status")["mqtt"]["connected"] >= 1, "a count")
    served.server.ctl("mqtt", "remove", *words)
    assert served.server.ctl("mqtt", "show", *words)["url"] is None


def test_a_reload_hands_the_connection_on(postgres, broker, tmp_path):
    """Draining workers release the connection at once, and end soon."""
    configuration = tmp_path / "displayd.conf"
    configuration.write_text("rate-limit = 0\n")
    with World(postgres.create_database(), "--config", str(configuration), "--egress-allow", "127.0.0.1") as world:
        account = marked(world)
        topic = f"{base(account)}/{account.device().id}"
        with broker.listen(f"{base(account)}/#") as heard:
            connect(account, broker).ok()
            heard.wait_for(f"{topic}/availability")
            before = set(world.workers())
            configuration.write_text("rate-limit = 1000\n")
            os.kill(world.server.process.pid, signal.SIGHUP)
            heard.wait_for(f"{base(account)}/availability", b"offline")
            heard.wait_for(f"{base(account)}/availability", b"online")
            wait_until(lambda: not before & set(world.server.children()[0]), "the end of the workers before")
            wait_until(lambda: [name for name, _, _ in heard.messages].count(f"{topic}/availability") > 1,
                       "the panel anew")
            broker.publish(f"{topic}/interval/set", "99")
            heard.wait_for(f"{topic}/interval", b"99")


def test_another_instance_takes_over(postgres, broker):
    """All processes of an instance are killed at once, as with its machine."""
    database = postgres.create_database()
    options = ("--rate-limit", "0", "--egress-allow", "127.0.0.1")
    with World(database, *options) as world:
        account = marked(world)
        topic = f"{base(account)}/{account.device().id}"
        with broker.listen(f"{base(account)}/#") as heard:
            connect(account, broker).ok()
            heard.wait_for(f"{topic}/availability")
            wait_for_state(account, "connected")
            [[before]] = world.sql("SELECT holder FROM mqtt_connection WHERE account_id = %s", account.id)
            with World(database, *options) as other:
                for pid in [world.server.process.pid, *descendants(world.server.process.pid)]:
                    os.kill(pid, signal.SIGKILL)
                world.server.process.wait()
                wait_until(lambda: other.sql("SELECT holder FROM mqtt_connection WHERE account_id = %s AND "
                                             "state = 'connected'", account.id) not in ([], [(before,)]), "another holder")
                heard.wait_for(f"{base(account)}/availability", b"online")
                wait_until(lambda: other.sql("SELECT count(*) FROM mqtt_holder") == [(1,)], "the end of the former one")
                other.stop()
                assert other.sql("SELECT count(*) FROM mqtt_holder") == [(0,)]


def test_the_database_goes_and_comes(broker):
    """Leases and connections end with the database. Both return by themselves, with all states."""
    with Postgres() as cluster, \
            World(cluster.create_database(), "--rate-limit", "0", "--egress-allow", "127.0.0.1") as world:
        account = marked(world)
        topic = f"{base(account)}/{account.device().id}"
        with broker.listen(f"{base(account)}/#") as heard:
            connect(account, broker).ok()
            heard.wait_for(f"{topic}/availability")
            cluster.kill()
            heard.wait_for(f"{base(account)}/availability", b"offline")
            assert world.get("/readyz").status == 503
            times = [name for name, _, _ in heard.messages].count(f"{topic}/interval")
            cluster.start()
            heard.wait_for(f"{base(account)}/availability", b"online")
            wait_until(lambda: [name for name, _, _ in heard.messages].count(f"{topic}/interval") > times, "the panel anew")
            assert wait_for_state(account, "connected")["error"] is None
            broker.publish(f"{topic}/interval/set", "99")
            heard.wait_for(f"{topic}/interval", b"99")
