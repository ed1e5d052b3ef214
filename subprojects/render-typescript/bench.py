#!/usr/bin/env python3
"""How long an app in TypeScript takes, from the script without types to the WebP.

bench.py BUILD     BUILD is a folder that meson has set up, best with -Dbuildtype=release

What must be reached: a cold process 10 ms without painting; warm, a still picture 3 ms and a marquee of
64 frames 45 ms, both painted; 8 MiB of memory. On a busy machine the least of many times says what
the work takes, and the median how long it waited, too."""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import time

TIMES = 200
MARQUEE_FRAMES = 64

STILL = """import { Box, Column, Root, Text, type Input } from "panel";
export default function main({ local }: Input) {
    const two = (value: number) => String(value).padStart(2, "0");
    return Root({ child: Box({ child: Column({
        main_align: "center", cross_align: "center", children: [
            Text({ content: `${two(local.hour)}:${two(local.minute)}`, font: "6x13" }),
            Text({ content: `${local.day}.${local.month}.`, color: "#888" }),
        ] }) }) });
}
"""
MARQUEE = """import { Box, Marquee, Root, Text } from "panel";
export default function main() {
    return Root({ child: Box({ child: Marquee({
        width: 64, child: Text({ content: "Hello, panels of the world 12" }) }) }) });
}
"""


def resident_mib(renderer):
    with open(f"/proc/{renderer.process.pid}/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def measure(work, times=TIMES):
    """Milliseconds of each time."""
    taken_ms = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken_ms.append((time.perf_counter() - began) * 1000)
    return taken_ms


def show(what, reach, taken_ms):
    print(f"{what:44} {reach:>5} ms {min(taken_ms):8.2f} {statistics.median(taken_ms):8.2f}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve() / "subprojects"
    os.environ["SANDBOX_LAUNCH"] = str(build / "sandbox/sandbox-launch")
    os.environ["RENDER_TYPESCRIPT"] = str(build / "render-typescript/render-typescript")
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "test"))
    import renderer as tools

    def start():
        return contextlib.closing(tools.Renderer())

    def start_and_ask():
        with start() as started:
            started.ask(still)

    still, marquee = tools.strip(STILL), tools.strip(MARQUEE)
    painter = build / "render-starlark/render-starlark"
    with start() as script, contextlib.closing(tools.Renderer(program=painter, data="256M")) as paint:

        def render(source, frames):
            script.send(tools.head(), source)
            answer, tree = script.receive()
            assert "error" not in answer, answer
            paint.send({"what": "paint", "width": 64, "height": 32, "max_duration_ms": frames * 50}, tree)
            answer, picture = paint.receive()
            assert picture and len(answer.get("delays_ms", [0])) == frames, answer

        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"{'':44} {'reach':>8} {'least':>8} {'median':>8}")
        show("cold process, a script, no painting", 10, measure(start_and_ask, 50))
        show("warm, a script, no painting", "", measure(lambda: script.ask(still)))
        show("warm, a still picture", 3, measure(lambda: render(still, 1)))
        show("warm, a marquee of 64 frames", 45, measure(lambda: render(marquee, MARQUEE_FRAMES), 50))
        show("esbuild, in the sandbox, once a script", "", measure(lambda: subprocess.run(
            [os.environ["SANDBOX_LAUNCH"], tools.find_esbuild(), "--loader=ts"], input=STILL.encode(),
            stdout=subprocess.DEVNULL, check=True), 20))
        for i in range(1000):
            script.ask(f"{still}\nconst variant = {i};")
        print(f"{'memory after 1,000 scripts':44} {'8 MiB':>8} {resident_mib(script):8.2f}")
        script.ask("const kept = []; for (;;) kept.push(new Array(1000).fill(0));", timeout_ms=60_000)
        script.ask(still)
        print(f"{'after one that has filled its memory':44} {'8 MiB':>8} {resident_mib(script):8.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
