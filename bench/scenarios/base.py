"""Definition of a scenario: what is measured, what it is compared with, and which goals it has.

A scenario is a class in a file of this folder, named in SCENARIOS of bench/scenarios/__init__.py:

    class Livez(Scenario):
        name = "livez"
        title = "GET /livez, 256 connections"
        bound_by = "kernel"
        references = ("nginx",)
        goals = (Goal("rate", of="nginx", at_least=0.90),)

        def prepare(self, bench):
            self.url = bench.server.url + "/livez"
            self.nginx = bench.nginx(like=bench.server.get("/livez"))

        def run(self, bench, who, seconds):
            return bench.wrk(self.nginx if who == "nginx" else self.url, 256, seconds)

bench/run calls prepare() once, then run() once for each of who = "displayd" (SUBJECT) and the
references, shortly, to warm up; then all of them in turn, round by round (A B A B); then finish().
What a ratio is judged by is the median over the rounds of (subject's figure / reference's figure of
the same round).

The bench (harness/bench.py) offers, to prepare() and run():

    bench.server                 the displayd that scenarios share: limits on and never reached,
                                 access log to a file, default workers, accounts with 10 devices
                                 each: bench.accounts, (key, devices as displayctl prints them); the
                                 first one's are bench.key and bench.devices
    bench.once(name, make)       what make() gives, made once for all scenarios
    bench.start_server(*flags)   another one, with a state directory of its own; ends with the
                                 scenario. Same class (harness/displayd.py, above
                                 test/server.py): .url, .get(), .ctl(), .sql(text) on its
                                 database, .database_url, .workers(), .postmaster()
                                 .make_account(email, devices) -> (key, devices)
                                 .make_devices(email, count) -> IDs; many rows at once, by SQL
    bench.new_server(*flags)     the same, not yet started: .start(), .stop()
    bench.nginx(like=answer)     nginx answering with a body and head of the same size; its URL.
                                 certificate=: over TLS, with displayd's ciphers
    bench.wrk(url, connections, seconds, requests=None, headers=None) -> Sample
                                 requests: (method, path, key, body) each, sent in turn
    bench.pgbench(server, sql, clients, seconds) -> Sample
    bench.open_loop(url, rate, seconds, requests, connections=64, background=False) -> Sample
    bench.program(command, ...) -> what it printed; it counts as load generator and ends with us.
                                 Programs in C: bench.built("panels") gives the path.
    bench.ask_first(...)         open_loop() that waits for no core
    bench.disturb(url, connections, seconds, requests, script="requests", headers=None)
                                 wrk in the background, behind the server; finish_disturbing()
    bench.hogs()                 with it: processes that have nothing to do with displayd, which
                                 keep all cores and the memory busy
    bench.spawn(command, ...)    the same in the background: a subprocess.Popen; ended by the bench
    bench.on_finish(function)    called after the scenario, also when it failed

CPU time is taken by the bench around each run(): of all displayd and nginx that it started
("server"), of their PostgreSQL ("database"), of wrk, pgbench and programs ("load"). run() need
not care.
"""

import dataclasses

SUBJECT = "displayd"
BEFORE = "before"  # the reference that bench/run --before adds: displayd of another build


def beside_hogs(what):
    """Returns a part of "measures" that describes the reference "hogs", for which run() calls
    bench.hogs(). what: the processes or threads of displayd with the same nice value as the
    hogs."""
    return ("beside processes that have nothing to do with displayd, one for each core, which are as "
            f"nice as {what} and fill 256 MiB again and again (\"hogs\")")


class Missing(Exception):
    """The scenario needs something that this machine lacks; the text says what."""


class Failed(Exception):
    """The scenario cannot be measured; the text says why."""


@dataclasses.dataclass
class Sample:
    """Result of one run. Latencies in microseconds; a figure that was not measured is None."""

    requests: int = 0  # number of answered requests; CPU time is given per request
    seconds: float = 0.0
    rate: float | None = None  # per second
    p50_us: float | None = None
    p99_us: float | None = None
    p999_us: float | None = None
    # Figures of this scenario alone: name -> number. Names end in their unit: "panel_bytes".
    figures: dict = dataclasses.field(default_factory=dict)
    # Events that must not happen, and their number: any above 0 makes the scenario invalid.
    faults: dict = dataclasses.field(default_factory=dict)
    # Filled in by the bench: total CPU microseconds of "server", "database" and "load".
    cpu_us: dict = dataclasses.field(default_factory=dict)
    # Also filled in by the bench: the share of the machine that other programs had meanwhile,
    # kernel threads included.
    others_percent: float | None = None

    @property
    def server_us(self):
        """Returns the server's CPU time per request; None if it was not counted."""
        return self.cpu_us["server"] / self.requests if self.requests and self.cpu_us else None

    def figure(self, name):
        """Returns a figure by its name: rate, p50_us, ... or one of figures; None if it was not
        measured."""
        return self.figures[name] if name in self.figures else getattr(self, name, None)


@dataclasses.dataclass(frozen=True)
class Goal:
    """Goal of one figure: at_least or at_most.

    Neither: it is shown, and judged by nobody.
    of: the reference whose same figure the subject's is divided by; None judges the figure itself.
    of_figure: where the reference's figure has another name.
    label: what it is called in the table, if not "FIGURE / REFERENCE".
    """

    figure: str
    of: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    of_figure: str | None = None
    label: str | None = None

    def value(self, samples):
        """Returns the figure from one round's samples; None if it or its reference is missing."""
        value = samples[SUBJECT].figure(self.figure)
        if self.of is None or value is None:
            return value
        against = samples[self.of].figure(self.of_figure or self.figure)
        return value / against if against else None

    @property
    def has_target(self):
        return self.at_least is not None or self.at_most is not None

    def is_reached(self, value):
        if self.at_least is not None and value < self.at_least:
            return False
        return self.at_most is None or value <= self.at_most


class Scenario:
    """See above. An instance is used from prepare() to finish()."""

    name = ""  # name for bench/run
    title = ""  # one line, for the table and the chart
    bound_by = ""
    measures = ""  # a sentence or two for bench/report --scenarios
    references = ()
    goals = ()
    unit = "requests"  # unit of the rate: "requests", "pushes", "pictures"
    warms_up = True
    rounds = None  # another number than bench/run's default, where a round is no matter of seconds
    # Figures of Sample.figures that the table shows in a line of their own.
    shown_figures = ()
    slow = False  # run only if it is named, or with --all

    def prepare(self, bench):
        """Prepares the measurement. Raises Missing or Failed."""

    def run(self, bench, who, seconds):
        """Runs who (SUBJECT or a reference) once, for about so many seconds. Returns a Sample."""
        raise NotImplementedError

    def finish(self, bench):
        """Undoes what the bench does not undo: everything started through the bench ends by itself."""
