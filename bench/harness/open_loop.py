"""open_loop: its command line, and what it reports."""

import json

from scenarios.base import Failed, Sample

WARM_UP_S = 0.5


def command(program, url, rate, seconds, connections, targets_path):
    return [program, url, targets_path, rate, connections, WARM_UP_S, seconds]


def targets_text(requests):
    """Writes requests, (path, key) each; key may be None."""
    return "".join(" ".join(word for word in request if word) + "\n" for request in requests)


def parse(output, expected=(200,)):
    """Makes a Sample from a line of JSON. Unexpected statuses are faults."""
    try:
        said = json.loads(output)
    except ValueError as error:
        raise Failed("open_loop told nothing: " + output[-500:]) from error
    refused = said["statuses"].get("429", 0)
    faults = {f"answers of {status}": count for status, count in said["statuses"].items()
              if int(status) not in expected}
    faults |= {name: said[name] for name in ("broken", "unanswered") if said[name]}
    return Sample(
        requests=said["requests"],
        seconds=said["seconds"],
        rate=said["rate"],
        p50_us=said["p50_us"],
        p99_us=said["p99_us"],
        p999_us=said["p999_us"],
        faults=faults,
        figures={"max_us": said["max_us"]} | ({"refused": refused} if refused else {}),
    )
