"""Tools that scenarios measure with: services, load generators, and the meter around them.

See scenarios/base.py for the functions that scenarios use.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import server as programs
from harness import cpu, open_loop, pgbench, wrk
from harness.displayd import Displayd
from harness.nginx import Nginx
from scenarios.base import Failed, Missing

ACCOUNTS = 10
DEVICES_EACH = 10
# Share of the busiest worker's CPU time: a worker with less was idle.
WORKED_SHARE = 0.1
# Ends load generators if the bench is killed.
PREFIX = ["setpriv", "--pdeathsig", "KILL"]
# Load in the background and the measuring client simulate other machines: the first never takes a
# core from the server, the second never waits for a core.
STEP_BACK, GO_FIRST = 5, -10
HOG = ("nice", "-n", "10", sys.executable, "-c", "while True: b'x' * (256 << 20)")


class Bench:
    """Exists as long as bench/run; everything that it has started ends with it, whatever happens."""

    def __init__(self, build, postgres_folder, tools=None):
        """tools: the build whose load generators are used, if it is another one."""
        self.build = build
        self.tools = tools or build
        self.postgres_folder = postgres_folder
        self.folder = tempfile.mkdtemp(prefix="displayd-bench-")
        os.chmod(self.folder, 0o755)  # nginx's workers are another user
        self.cleanup = contextlib.ExitStack()  # for all scenarios
        self.cleanup.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.scenario_cleanup = contextlib.ExitStack()
        self.servers = []  # objects with server_pids()
        self.load_us = 0.0
        self.shared = None
        self.made_accounts = []
        self.made = {}
        self.numbers = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.finish_scenario()
        self.cleanup.close()

    def choose_programs(self):
        """Uses the programs of this build for every server started from now on."""
        programs.DISPLAYD = os.path.join(self.build, "src/main/displayd")
        programs.DISPLAYCTL = os.path.join(self.build, "src/ctl/displayctl")

    def finish_scenario(self):
        """Ends everything that only this scenario has started."""
        self.scenario_cleanup.close()
        self.scenario_cleanup = contextlib.ExitStack()

    def on_finish(self, function, *arguments):
        self.scenario_cleanup.callback(function, *arguments)

    def _path(self, name):
        """Returns the path of a new file of the bench."""
        self.numbers += 1
        return os.path.join(self.folder, f"{self.numbers}-{name}")

    def write_file(self, name, text):
        """Writes a file that is removed with the bench. Returns its path."""
        path = self._path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    # ---- services ----

    def _add(self, server, end, stack):
        """Adds a server that the stack ends and removes, also if its start fails."""
        self.servers.append(server)
        stack.callback(self.servers.remove, server)
        stack.callback(end)
        server.start()
        return server

    @property
    def server(self):
        """Returns the displayd that scenarios share."""
        if not self.shared:
            server = Displayd()
            self.shared = self._add(server, server.remove, self.cleanup)
            self.made_accounts = [self.shared.make_account(f"bench-{i}@example.org", DEVICES_EACH)
                                  for i in range(ACCOUNTS)]
            self.shared.settle()
        return self.shared

    @property
    def accounts(self):
        """Returns the accounts of the shared displayd: (key, devices) each."""
        return self.server and self.made_accounts

    @property
    def key(self):
        return self.accounts[0][0]

    @property
    def devices(self):
        return self.accounts[0][1]

    def once(self, name, make):
        """Returns the result of make(), which is called only for the first scenario that needs it:
        for data in the shared displayd."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def start_server(self, *arguments, **options):
        """Starts a displayd for this scenario alone; options are those of Displayd."""
        server = Displayd(*arguments, **options)
        return self._add(server, server.remove, self.scenario_cleanup)

    def new_server(self, *arguments, **options):
        """Makes the same, but does not start it."""
        server = Displayd(*arguments, **options)
        self.servers.append(server)
        self.on_finish(self.servers.remove, server)
        self.on_finish(server.remove)
        return server

    def nginx(self, like, certificate=None):
        """Starts nginx for this scenario, with answers as large as this answer of displayd. Returns
        its URL."""
        if not shutil.which("nginx"):
            raise Missing("nginx is not installed: run bench/setup")
        if like.status != 200:
            raise Failed(f"displayd answers {like.status}: {like.body[:200]!r}")
        folder = self._path("nginx")
        os.mkdir(folder)
        server = Nginx(folder, like, len(os.sched_getaffinity(0)), certificate)
        return self._add(server, server.stop, self.scenario_cleanup).url

    # ---- load ----

    def built(self, name):
        """Returns the path of a program of bench/ in C."""
        path = os.path.join(self.tools, "bench", name)
        if not os.path.exists(path):
            raise Missing(f"{path} is not built")
        return path

    def spawn(self, command, environment=None, steps_back=False, **options):
        """Starts a load generator in the background; reap() ends it and counts its CPU time."""
        if not shutil.which(command[0]):
            raise Missing(f"{command[0]} is not installed: run bench/setup")
        prefix = PREFIX + (["nice", "-n", str(STEP_BACK)] if steps_back else [])
        process = subprocess.Popen(prefix + [str(word) for word in command],
                                   env=os.environ | (environment or {}),
                                   stdin=options.pop("stdin", subprocess.DEVNULL), **options)
        self.on_finish(self.reap, process, signal.SIGKILL)
        return process

    def reap(self, process, number=None):
        """Waits for a process, after a signal if one is given. Returns its exit status. May be
        called again."""
        if process.returncode is not None:
            return process.returncode
        if number:
            process.send_signal(number)
        if process.returncode is not None:  # it had ended before
            return process.returncode
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.load_us += (usage.ru_utime + usage.ru_stime) * 1e6
        return process.returncode

    def program(self, command, environment=None, may_fail=False):
        """Runs a load generator to its end. Returns its output. Raises Failed."""
        with tempfile.TemporaryFile("w+", dir=self.folder) as out, \
                tempfile.TemporaryFile("w+", dir=self.folder) as errors:
            process = self.spawn(command, environment, stdout=out, stderr=errors)
            status = self.reap(process)
            out.seek(0)
            errors.seek(0)
            output, said = out.read(), errors.read()
        if status and not may_fail:
            raise Failed(f"{os.path.basename(command[0])} ended with {status}: "
                         + (said or output).strip()[-500:])
        return output

    def wrk(self, url, connections, seconds, requests=None, headers=None):
        """requests: (method, path, key, body) each, sent in turn; url is then the server's only."""
        script, path = "report", None
        if requests:
            script, path = "requests", self.write_file("requests", wrk.requests_text(requests))
        return wrk.parse(self.program(wrk.command(url, connections, seconds, script, headers),
                                      wrk.environment(path)))

    @contextlib.contextmanager
    def hogs(self, are_wanted=True):
        """Starts as many processes as there are cores. They are unrelated to displayd, have the nice
        value of its background work, and fill memory: they show the delays that the machine itself
        causes."""
        hogs = [self.spawn(HOG) for _ in os.sched_getaffinity(0) if are_wanted]
        try:
            yield
        finally:
            for hog in hogs:
                self.reap(hog, signal.SIGKILL)

    def disturb(self, url, connections, seconds, requests, script="requests", headers=None):
        """Starts wrk in the background, beside the measured load; for finish_disturbing()."""
        path = self.write_file("disturbing", wrk.requests_text(requests))
        return self.spawn(wrk.command(url, connections, seconds, script, headers),
                          wrk.environment(path), True, stdout=subprocess.PIPE, text=True)

    def finish_disturbing(self, process):
        """Waits until it ends by itself. Returns its Sample."""
        with process.stdout:
            output = process.stdout.read()
        if self.reap(process):
            raise Failed(f"wrk failed: {output[-500:]}")
        return wrk.parse(output)

    def pgbench(self, server, sql, clients, seconds):
        """sql: a script of pgbench, run on the server's own database."""
        script, logs = self.write_file("pgbench.sql", sql), self._path("pgbench-log")
        output = self.program(pgbench.command(self.postgres_folder, script, clients, seconds, logs,
                                              server.database_url))
        return pgbench.parse(output, pgbench.read_logs(logs))

    def open_loop(self, url, rate, seconds, requests, connections=64, background=False):
        """Sends requests at a fixed rate, and measures the latency that callers see. requests:
        (path, key) each, in turn. Returns a Sample; in the background the process, for
        finish_open_loop()."""
        targets = self.write_file("targets", open_loop.targets_text(requests))
        command = open_loop.command(self.built("open_loop"), url, rate, seconds, connections,
                                    targets)
        if background:
            return self.spawn(command, stdout=subprocess.PIPE)
        return open_loop.parse(self.program(command))

    def ask_first(self, *arguments, **options):
        """open_loop() with a priority above others, if that is allowed. Returns a Sample, or in the
        background the process."""
        background = options.pop("background", False)
        process = self.open_loop(*arguments, background=True, **options)
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, process.pid, GO_FIRST)
        return process if background else self.finish_open_loop(process)

    def finish_open_loop(self, process, expected=(200,)):
        """Waits until one in the background ends by itself. Returns its Sample."""
        with process.stdout:
            output = process.stdout.read().decode()
        if self.reap(process):
            raise Failed("open_loop failed")
        return open_loop.parse(output, expected)

    # ---- the meter ----

    def _running(self):
        return [one for one in self.servers if one.process and one.process.poll() is None]

    def _groups(self):
        """Returns the CPU microseconds so far: of the machine, of this program, of all servers, of
        their databases."""
        server = database = 0.0
        for one in self._running():
            server += cpu.group_us(one.server_pids())
            if isinstance(one, Displayd):
                database += cpu.group_us(one.database_pids())
        return cpu.busy_us(), time.process_time() * 1e6, server, database

    def measure(self, run):
        """Calls run(), which returns a Sample, and fills in its CPU times."""
        self.load_us = 0.0
        before, began = self._groups(), time.monotonic()
        sample = run()
        after, took_us = self._groups(), (time.monotonic() - began) * 1e6
        busy, own, server, database = (b - a for a, b in zip(before, after))
        # A run without requests has started and ended servers, whose times are lost.
        if sample.requests:
            sample.cpu_us = {"server": server, "database": database, "load": self.load_us}
            others = busy - own - server - database - self.load_us
            sample.others_percent = max(0.0, 100 * others / took_us / os.cpu_count())
        for one in self.servers:
            if isinstance(one, Displayd):
                one.empty_log()
        return sample

    def measure_memory(self, run):
        """Returns the peak memory (PSS) in bytes during run() of (displayd, nginx), without servers
        of other scenarios."""
        servers = self._running()
        before = {one: cpu.group_us(one.server_pids()) for one in servers}
        most = dict.fromkeys(servers, 0)
        ended = threading.Event()

        def watch():
            while not ended.wait(0.2):
                for one in servers:
                    most[one] = max(most[one], cpu.pss_bytes(one.server_pids()))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            run()
        finally:
            ended.set()
            watcher.join()
        spent = {one: cpu.group_us(one.server_pids()) - before[one] for one in servers}
        worked = [one for one in servers if spent[one] >= WORKED_SHARE * max(spent.values())]
        return tuple(sum(most[one] for one in worked if isinstance(one, kind))
                     for kind in (Displayd, Nginx))


def rest():
    """Waits between runs until the kernel has finished the work of the run before."""
    time.sleep(0.2)
