"""pgbench: its command line, and what it reports."""

import glob
import re

from harness.summary import percentile
from scenarios.base import Failed, Sample

THREADS = 2
# Share of the transactions logged for the percentiles: logging each one would itself be load.
SAMPLED = 0.1


def command(binaries, script, clients, seconds, log_prefix, connection):
    return [f"{binaries}/pgbench", "--no-vacuum", "--protocol=prepared",
            f"--client={clients}", f"--jobs={min(THREADS, clients)}",
            f"--time={max(1, round(seconds))}", f"--file={script}", "--log",
            f"--sampling-rate={SAMPLED}", f"--log-prefix={log_prefix}", connection]


def latencies_us(log_text):
    """Returns the sorted times of transactions, the third word of each line."""
    return sorted(int(line.split()[2]) for line in log_text.splitlines() if line)


def read_logs(prefix):
    texts = []
    for path in glob.glob(prefix + ".*"):
        with open(path, encoding="ascii") as file:
            texts.append(file.read())
    return "".join(texts)


def parse(output, log_text):
    """Makes a Sample from pgbench's output and logs. Raises Failed if they are no report."""
    count = re.search(r"^number of transactions actually processed: (\d+)", output, re.M)
    rate = re.search(r"^tps = ([\d.]+)", output, re.M)
    if not count or not rate:
        raise Failed("pgbench told nothing: " + output.strip()[-500:])
    failed = re.search(r"^number of failed transactions: (\d+)", output, re.M)
    times = latencies_us(log_text)
    requests, per_second = int(count[1]), float(rate[1])
    return Sample(
        requests=requests,
        seconds=requests / per_second if per_second else 0.0,
        rate=per_second,
        p50_us=percentile(times, 50),
        p99_us=percentile(times, 99),
        p999_us=percentile(times, 99.9),
        faults={"transactions failed": int(failed[1])} if failed and int(failed[1]) else {},
    )
