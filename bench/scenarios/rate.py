"""Whether others notice one caller that sends too many requests."""

from scenarios.base import SUBJECT, Goal, Scenario

LIMIT_PER_S = 500
TIMES = 10
OTHERS = 4
OTHER_PER_S = 200  # requests per second of each


class Rate(Scenario):
    name = "rate"
    title = "One key at 10 times its rate limit: what others see"
    bound_by = "what refusing costs"
    measures = (f"A key asks for a device {LIMIT_PER_S * TIMES:,} times a second and is allowed "
                f"{LIMIT_PER_S}; the rest is answered 429. {OTHERS} other keys ask {OTHER_PER_S} "
                "times a second each, at a fixed rate: with the abuser, without anybody else "
                "(\"alone\"), and beside one that keeps within its limit (\"within\"). Alone they "
                "also pay for waking an idle processor.")
    references = ("alone", "within")
    goals = (Goal("p99_us", of="alone", at_most=1.2), Goal("p99_us", of="within"))
    shown_figures = ("max_us", "refused_percent")

    def prepare(self, bench):
        self.server = bench.start_server(rate_limit=LIMIT_PER_S)
        self.one = self.make_requests("one", 1)
        self.others = self.make_requests("other", OTHERS)

    def make_requests(self, name, count):
        """Makes so many accounts with a device each."""
        made = [self.server.make_account(f"{name}-{i}@example.org", 1) for i in range(count)]
        return [(f"/v1/devices/{devices[0]['id']}", key) for key, devices in made]

    def run(self, bench, who, seconds):
        times = {SUBJECT: TIMES, "within": 0.9}.get(who)
        one = None
        if times:
            # Longer than the measurement, on both sides.
            one = bench.open_loop(self.server.url, LIMIT_PER_S * times, seconds + 1, self.one,
                                  background=True)
        sample = bench.open_loop(self.server.url, OTHERS * OTHER_PER_S, seconds, self.others,
                                 connections=16)
        if one:
            self.add(sample, bench.finish_open_loop(one, expected=(200, 429)))
        return sample

    @staticmethod
    def add(sample, one):
        """Adds the figures of the one key: its faults, and the share of its requests that was refused."""
        sample.faults |= {f"of the one key: {words}": count for words, count in one.faults.items()}
        refused = one.figures.get("refused", 0)
        sample.figures["refused_percent"] = 100 * refused / one.requests
        sample.requests += one.requests  # CPU time is given per request
