"""GET /livez: no key, no database; what is left is HTTP."""

from scenarios.base import Goal, Scenario


class Livez(Scenario):
    name = "livez"
    title = "GET /livez, 256 connections"
    bound_by = "kernel"
    measures = "An answer from memory without a key: sockets, HTTP parsing, the access log."
    references = ("nginx",)
    goals = (Goal("rate", of="nginx", at_least=1.0),)

    def prepare(self, bench):
        self.urls = {
            "displayd": bench.server.url + "/livez",
            "nginx": bench.nginx(like=bench.server.get("/livez")),
        }

    def run(self, bench, who, seconds):
        return bench.wrk(self.urls[who], 256, seconds)
