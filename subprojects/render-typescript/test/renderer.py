"""The renderer as its parent sees it: a process with a socket at descriptor 3."""

import json
import os
import shutil
import socket
import struct
import subprocess

LAUNCHER = os.environ.get("SANDBOX_LAUNCH")  # missing for a program with a sanitizer
PROGRAM = os.environ["RENDER_TYPESCRIPT"]
ESBUILD = os.environ.get("ESBUILD", "esbuild")

# 2026-07-01T12:34:56Z
NOW_MS = 1782909296000
# Central Europe: winter, then summer from the last Sunday of March on.
ZAGREB = [0, 3600, 1774746000, 7200, 1792890000, 3600]


def head(**changes):
    return {"what": "render", "now_ms": NOW_MS, "timezone": "Europe/Zagreb", "zone": ZAGREB,
            "seed": 1, "width": 64, "height": 32, "network": False} | changes


def without_places(answer):
    """Strips the source locations from a tree."""
    def strip_value(value):
        if isinstance(value, list):
            return [strip_value(element) for element in value]
        if isinstance(value, dict):
            dropped = {"at"} if "widget" in value else set()
            return {name: strip_value(member) for name, member in value.items() if name not in dropped}
        return value
    assert list(answer) in (["places", "at", "tree"], ["places", "at", "is_2x", "tree"])
    return strip_value(answer["tree"])


class Renderer:
    def __init__(self, program=PROGRAM, data="40M"):
        self.program, self.data = program, data
        self.start()

    def start(self):
        program, data = self.program, self.data
        self.link, theirs = socket.socketpair()
        read, write = os.pipe()
        command = [LAUNCHER, "--data", data, "--stack", "8M", program] if LAUNCHER else [program]

        def place_link():
            os.dup2(theirs.fileno(), 3)

        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=write, preexec_fn=place_link, pass_fds=[3])
        os.close(write)
        theirs.close()
        self.errors = read
        self.hello, _ = self.receive()

    def send(self, head, script):
        text = json.dumps(head).encode()
        script = script.encode() if isinstance(script, str) else script
        self.link.sendall(struct.pack(">II", len(text), len(script)) + text + script)

    def read(self, size):
        data = b""
        while len(data) < size:
            piece = self.link.recv(size - len(data))
            if not piece:
                raise EOFError(self.end())
            data += piece
        return data

    def receive(self):
        lengths = struct.unpack(">II", self.read(8))
        return json.loads(self.read(lengths[0])), self.read(lengths[1])

    def ask_once(self, head, script):
        self.send(head, script)
        return self.receive()

    def ask_calmly(self, head, script):
        """Returns the answer; repeats the request if the machine was too busy, as the server does."""
        for _ in range(20):
            answer, blob = self.ask_once({"width": 64, "height": 32} | head, script)
            if answer.get("error", {}).get("kind") != "late":
                break
            if answer.get("recycle"):
                assert self.end() == (3, "")
                self.close()
                self.start()
        return answer, blob

    def ask(self, script, **changes):
        """The answer's head, and the tree."""
        answer, tree = self.ask_calmly(head(**changes), script)
        return answer, without_places(json.loads(tree)) if tree else None

    def end(self):
        """Returns the exit status of the process and its standard error."""
        status = self.process.wait(timeout=60)
        return status, os.read(self.errors, 4096).decode()

    def close(self):
        self.link.close()
        self.process.kill()
        self.process.wait()
        os.close(self.errors)


def find_esbuild():
    return shutil.which(ESBUILD)


def strip(source):
    """Compiles the script to JavaScript, with a map of its source."""
    done = subprocess.run([ESBUILD, "--loader=ts", "--format=esm", "--target=es2022",
                           "--sourcemap=inline", "--sources-content=false", "--sourcefile=app.ts"],
                          input=source, capture_output=True, text=True, check=True)
    return done.stdout


def cut_mark(source):
    """The source without its §, and the line and the column where that was, as editors count."""
    before, after = source.split("§")
    last = before.rpartition("\n")[2]
    return before + after, (before.count("\n") + 1, len(last.encode("utf-16-le")) // 2 + 1)


def returns(expression, imports="Root, Text, Box, animation, filter, form"):
    return f'import {{ {imports} }} from "panel"; export default () => {expression};'
