"""Instances on one database, with an account, for benches of several instances."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test"))
import postgres  # noqa: E402
import server  # noqa: E402

ACCOUNT = "bench@example.org"


def start(stack, options, names):
    """Returns the instances, options.instances of options.workers each, devices with these names, and a key of
    their account. The instances run until the stack ends."""
    database = stack.enter_context(postgres.Postgres()).create_database()
    instances = [stack.enter_context(server.Server(
        "--rate-limit", "0", database=database, workers=options.workers)) for _ in range(options.instances)]
    instances[0].ctl("account", "create", ACCOUNT, "--name", "Bench")
    devices = [instances[0].ctl("device", "create", "--account", ACCOUNT, "--name", name) for name in names]
    return instances, devices, instances[0].ctl("key", "create", "--account", ACCOUNT)["key"]
