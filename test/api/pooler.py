"""PgBouncer before a PostgreSQL."""

import os
import shutil
import signal
import socket
import subprocess

from run_folder import new_folder
from world import wait_until

PROGRAM = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")
CONFIGURATION = """
[databases]
* = host={host} port={port} user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = 6432
auth_type = any
pool_mode = {mode}
server_round_robin = {round_robin}
default_pool_size = 100
max_client_conn = 200
"""


class Pooler:
    """The database named test at a socket of the pooler. mode: "session" or "transaction"."""

    def __init__(self, postgres, database, mode, round_robin=0):
        self.folder = new_folder("displayd-pooler-")
        os.chmod(self.folder, 0o755)
        path = self.folder + "/ini"
        with open(path, "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(host=postgres.folder, port=postgres.port, mode=mode,
                                            folder=self.folder, round_robin=round_robin))
        prefix = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
            prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        name = database.rpartition("?")[0].rpartition("/")[2]
        self.url = f"postgresql:///{name}?host={self.folder}&port=6432&user=postgres"
        self.log = self.folder + ".log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*prefix, PROGRAM, path], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        wait_until(self._listens, "a pooler that listens")

    def _listens(self):
        with socket.socket(socket.AF_UNIX) as one:
            return one.connect_ex(self.folder + "/.s.PGSQL.6432") == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.unlink(self.log)
