"""Whether one caller who asks for too much is felt by others."""

from scenarios.base import SUBJECT, Goal, Scenario

LIMIT_PER_S = 500
TIMES = 10
OTHER_PER_S = 200


class Rate(Scenario):
    name = "rate"
    title = "One key at 10 times its rate limit: what another sees"
    bound_by = "refusing costs little"
    measures = (f"A key asks for a device {LIMIT_PER_S * TIMES} times a second and is allowed "
                f"{LIMIT_PER_S}; the rest is answered 429. Another key asks {OTHER_PER_S} times a "
                "second, at a fixed rate, with the abuser and without (\"alone\").")
    references = ("alone",)
    goals = (Goal("p99_us", of="alone", at_most=1.2), Goal("p50_us", of="alone"))
    shown_figures = ("max_us", "abuser_refused_percent")

    def prepare(self, bench):
        server = bench.start_server(rate_limit=LIMIT_PER_S)
        self.server = server
        self.requests = {}
        for name in ("abuser", "other"):
            key, devices = server.make_account(f"{name}@example.org", 1)
            self.requests[name] = [(f"/v1/devices/{devices[0]['id']}", key)]

    def run(self, bench, who, seconds):
        abuser = None
        if who == SUBJECT:
            # Longer than what is measured, on both sides.
            abuser = bench.open_loop(self.server.url, LIMIT_PER_S * TIMES, seconds + 1,
                                     self.requests["abuser"], background=True)
        sample = bench.open_loop(self.server.url, OTHER_PER_S, seconds, self.requests["other"],
                                 connections=16)
        if abuser:
            refused = bench.finish_open_loop(abuser, expected=(200, 429))
            sample.faults |= {f"abuser: {words}": count for words, count in refused.faults.items()}
            sample.requests += refused.requests  # CPU time is told per request
            sample.figures["abuser_refused_percent"] = self.refused_percent(refused)
        return sample

    @staticmethod
    def refused_percent(sample):
        """Of all that the abuser asked for."""
        return 100 * sample.figures["refused"] / sample.requests
