"""How soon a displayd answers after its start."""

import http.client
import time

from scenarios.base import Goal, Failed, Sample, Scenario
from harness.nginx import free_port
from postgres import Postgres

PATIENCE_S = 30
LOOK_AGAIN_S = 0.0005


def first_answer(port, path, key, began):
    """Returns the milliseconds from began until this is answered with 200."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    while time.monotonic() - began < PATIENCE_S:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            connection.request("GET", path, headers=headers)
            if connection.getresponse().status == 200:
                return (time.monotonic() - began) * 1000
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(LOOK_AGAIN_S)
    raise Failed(f"{path} is not answered 200 within {PATIENCE_S} s")


class Start(Scenario):
    name = "start"
    title = "Start with an existing database"
    bound_by = "PostgreSQL's start"
    measures = ("From starting the program to the first 200 of /livez, and of /v1/devices with a "
                "key, which needs the database. The start of the private PostgreSQL is in it; "
                "\"started-db\" is the same with one that runs already (--database).")
    references = ("started-db",)
    goals = (Goal("first_v1_ms", at_most=80, label="first /v1 answer"),
             Goal("first_livez_ms", label="first /livez answer"),
             Goal("first_v1_ms", of="started-db"))
    shown_figures = ("first_livez_ms", "first_v1_ms")
    rounds = 5
    warms_up = False

    def prepare(self, bench):
        postgres = Postgres()
        bench.on_finish(postgres.remove)
        postgres.start()
        self.servers, self.keys, self.ports = {}, {}, {}
        for who, database in (("displayd", None), ("started-db", postgres.create_empty())):
            port = free_port()
            server = bench.new_server(listen=f"127.0.0.1:{port}", database=database)
            server.start()
            self.keys[who], _ = server.make_account("start@example.org", 10)
            server.stop()
            self.servers[who], self.ports[who] = server, port

    def run(self, bench, who, seconds):
        """Runs who; stops it cleanly each time, so that PostgreSQL has nothing to recover."""
        server, port = self.servers[who], self.ports[who]
        began = time.monotonic()
        server.launch()
        live_ms = first_answer(port, "/livez", None, began)
        v1_ms = first_answer(port, "/v1/devices", self.keys[who], began)
        server.stop()
        return Sample(figures={"first_livez_ms": live_ms, "first_v1_ms": v1_ms})
