"""wrk: its command line, and what it reports."""

import json

from harness.paths import WRK_SCRIPTS
from scenarios.base import Failed, Sample

THREADS = 2
TIMEOUT_S = 10
FAULTS = {
    "connect": "connections failed",
    "read": "reads failed",
    "write": "writes failed",
    "status": "answers of 400 and more",
    "timeout": "time-outs",
}


def command(url, connections, seconds, script, headers=None):
    words = ["wrk", "-t", str(min(THREADS, connections)), "-c", str(connections),
             "-d", f"{max(1, round(seconds))}s", "--timeout", f"{TIMEOUT_S}s",
             "-s", f"{WRK_SCRIPTS}/{script}.lua"]
    for name, value in (headers or {}).items():
        words += ["-H", f"{name}: {value}"]
    return [*words, url]


def environment(requests_path=None):
    """Returns environment variables for the scripts: their search path, and the requests."""
    found = {"LUA_PATH": f"{WRK_SCRIPTS}/?.lua;;"}
    return found | ({"WRK_REQUESTS": requests_path} if requests_path else {})


def requests_text(requests):
    """Writes requests, (method, path, key, body) each, for requests.lua; key and body may be None."""
    return "".join("\t".join(part or "" for part in request) + "\n" for request in requests)


def parse(output):
    """Makes a Sample from wrk's output. Raises Failed if it is no report."""
    lines = [line for line in output.splitlines() if line.startswith("wrk-report ")]
    if not lines:
        raise Failed("wrk told nothing: " + output.strip()[-500:])
    said = json.loads(lines[-1].partition(" ")[2])
    seconds = said["duration_us"] / 1e6
    return Sample(
        requests=said["requests"],
        seconds=seconds,
        rate=said["requests"] / seconds if seconds else 0.0,
        p50_us=said["p50_us"],
        p99_us=said["p99_us"],
        p999_us=said["p999_us"],
        faults={words: said[name] for name, words in FAULTS.items() if said[name]}
        | ({} if said["requests"] else {"runs without an answer": 1}),
    )
