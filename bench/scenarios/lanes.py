"""Whether readers notice that others push large animations.

In a shell, Linux shares the processors between sessions, and each process of PostgreSQL is one, so that nice
encoders still delay it. A control group, which a service has, ends that:

systemd-run --scope -p CPUWeight=100 bench/run lanes
"""

from scenarios import pictures
from scenarios.base import SUBJECT, Goal, Scenario, beside_hogs

READS_PER_S = 2000
READ_CONNECTIONS = 64
PUSH_CONNECTIONS = 16  # all of them always wait for an answer
DEVICES = 200
ANIMATIONS = 16
FRAMES = 200


class Lanes(Scenario):
    name = "lanes"
    title = f"GET device, while the image lane is full of {FRAMES}-frame GIFs"
    bound_by = "worker threads, scheduling"
    measures = (f"{READS_PER_S:,} reads of a device a second, at a fixed rate, while "
                f"{PUSH_CONNECTIONS} callers push GIFs of {FRAMES} frames as fast as they are "
                "answered; and the same reads with nothing else to do (\"unloaded\"), and "
                f"{beside_hogs('its encoders')}.")
    references = ("unloaded", "hogs")
    goals = (Goal("p99_us", of="unloaded", at_most=2.0), Goal("p99_us", of="hogs"),
             Goal("p50_us", of="unloaded"))
    shown_figures = ("animations_per_s", "animation_p50_us")

    def prepare(self, bench):
        self.server = bench.start_server()
        email = "bench@example.org"
        key, _ = self.server.make_account(email, 1)
        devices = self.server.make_devices(email, DEVICES)
        self.server.settle()
        self.reads = [(f"/v1/devices/{device}", key) for device in devices]
        bodies = [pictures.push_body(pictures.animation(FRAMES, seed))
                  for seed in range(ANIMATIONS)]
        self.pushes = [("POST", f"/v1/devices/{device}/push", key, bodies[number % ANIMATIONS])
                       for number, device in enumerate(devices)]

    def run(self, bench, who, seconds):
        pusher = None
        if who == SUBJECT:
            pusher = bench.disturb(self.server.url, PUSH_CONNECTIONS, seconds + 1, self.pushes)
        with bench.hogs(who == "hogs"):
            sample = bench.ask_first(self.server.url, READS_PER_S, seconds, self.reads,
                                     connections=READ_CONNECTIONS)
        if pusher:
            pushed = bench.finish_disturbing(pusher)
            sample.faults |= {f"pushes: {words}": count for words, count in pushed.faults.items()}
            sample.figures["animations_per_s"] = pushed.rate
            sample.figures["animation_p50_us"] = pushed.p50_us
        return sample
