"""Resources used by the processes of a server, sampled repeatedly, and their slopes."""

import os
import time


def memory_kib(pid):
    """Memory of the process alone."""
    total = 0
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith("Private_Dirty:"):
                total += int(line.split()[1])
    return total


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def sum_of(what, pids):
    """None if a process has just ended: the log has the reason."""
    try:
        return sum(map(what, pids))
    except (FileNotFoundError, ProcessLookupError):
        return None


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def slope_an_hour(times_s, values):
    """Slope of the straight line that fits best."""
    mean_time = sum(times_s) / len(times_s)
    mean = sum(values) / len(values)
    spread = sum((time_s - mean_time) ** 2 for time_s in times_s)
    product = sum((time_s - mean_time) * (value - mean) for time_s, value in zip(times_s, values))
    return product / spread * 3600 if spread else 0.0


def lowest(values, around=2):
    """The lowest of each sample and its neighbours: hashing a password takes 19 MiB for a moment."""
    return [min(values[max(0, at - around):at + around + 1]) for at in range(len(values))]


class Watch:
    """Samples of a server under a load; each is a dict with the time since the first one."""

    def __init__(self, load):
        self.load = load
        self.server = load.world.server
        self.samples = []
        self.began_s = time.monotonic()

    def seconds(self):
        """Seconds since the first sample."""
        return time.monotonic() - self.began_s

    def look(self):
        workers = self.server.workers()
        with self.load.lock:
            latencies, self.load.latencies_ms = self.load.latencies_ms, []
        sample = {
            "s": round(self.seconds(), 1),
            "workers_kib": sum_of(memory_kib, workers),
            "supervisor_kib": memory_kib(self.server.process.pid),
            "descriptors": sum_of(descriptors, workers),
            "requests": len(latencies),
            "p50_ms": round(percentile(latencies, 0.5), 2) if latencies else 0,
            "p99_ms": round(percentile(latencies, 0.99), 2) if latencies else 0,
        }
        if None not in sample.values():
            self.samples.append(sample)
        return sample

    def slopes(self, after_s=0):
        """Growth an hour of each figure in the samples from this time on; and their means."""
        samples = [sample for sample in self.samples if sample["s"] >= after_s]
        times_s = [sample["s"] for sample in samples]
        result = {}
        for name in ("workers_kib", "supervisor_kib", "descriptors", "p50_ms", "p99_ms"):
            values = [sample[name] for sample in samples]
            mean = sum(values) / len(values)
            if name == "workers_kib":
                values = lowest(values)
            result[name] = {"mean": round(mean, 2),
                            "an_hour": round(slope_an_hour(times_s, values), 2)}
        return result

    def halves(self, name):
        """Means of a figure in the first and second half of the time."""
        middle_s = self.samples[-1]["s"] / 2
        parts = ([], [])
        for sample in self.samples:
            parts[sample["s"] > middle_s].append(sample[name])
        return tuple(sum(part) / len(part) for part in parts)
