"""Whether one account's images make those of others wait."""

from harness import wrk
from scenarios import pictures
from scenarios.base import SUBJECT, Goal, Scenario

RATE_LIMIT = 500  # the default of the server
CONNECTIONS = 1
FRAMES = 4
OTHER_CONNECTIONS = 100  # all of them always wait for an answer
DEVICES = 200
ANIMATIONS = 8


class ImageShare(Scenario):
    name = "image-share"
    title = f"Push of {FRAMES} frames, while another account pushes large GIFs"
    bound_by = "worker threads, scheduling"
    measures = (f"An account pushes animations of {FRAMES} frames over {CONNECTIONS} connection, "
                "while another one pushes GIFs of 190 KB of noise over "
                f"{OTHER_CONNECTIONS} connections as fast as they are answered, a second after a "
                "refusal; and the same pushes with nothing else to do (\"unloaded\").")
    references = ("unloaded",)
    goals = (Goal("p99_us", at_most=100000), Goal("p50_us", of="unloaded"))
    shown_figures = ("other_stored_per_s", "other_refused_percent")
    unit = "pushes"

    def prepare(self, bench):
        self.server = bench.start_server(rate_limit=RATE_LIMIT)
        small = [pictures.push_body(pictures.animation(FRAMES, seed)) for seed in range(64)]
        large = [pictures.push_body(pictures.noise_animation(seed))
                 for seed in range(ANIMATIONS)]
        self.pushes = self.make_pushes("bench@example.org", small)
        self.other_pushes = self.make_pushes("other@example.org", large)
        self.server.settle()

    def make_pushes(self, email, bodies):
        key, _ = self.server.make_account(email, 1)
        return [("POST", f"/v1/devices/{device}/push", key, bodies[number % len(bodies)])
                for number, device in enumerate(self.server.make_devices(email, DEVICES))]

    def run(self, bench, who, seconds):
        others = None
        if who == SUBJECT:
            others = bench.disturb(self.server.url, OTHER_CONNECTIONS, seconds + 1,
                                   self.other_pushes, "patient")
        sample = bench.wrk(self.server.url, CONNECTIONS, seconds, self.pushes)
        if others:
            self.add_figures(sample, bench.finish_disturbing(others))
        return sample

    @staticmethod
    def add_figures(sample, others):
        refused = others.faults.get(wrk.FAULTS["status"], 0)
        sample.figures["other_stored_per_s"] = (others.requests - refused) / others.seconds
        if others.requests:
            sample.figures["other_refused_percent"] = 100 * refused / others.requests
