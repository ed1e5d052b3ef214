"""The command line."""

import os
import subprocess

import pytest

from harness import PROGRAM, TIMEOUT_S


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S
    )


def test_help():
    result = run("--help")
    assert result.returncode == 0
    assert "--url" in result.stdout and "--poll" in result.stdout
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 100


@pytest.mark.parametrize(
    "arguments, word",
    [
        ([], "--url"),
        (["--url", "ws://h/", "--poll", "http://h/"], "--url"),
        (["--url", "ws://h/", "--url-file", "/dev/null"], "--url-file"),
        (["--url-file", "/dev/null"], "empty"),
        (["--url-file", "/nonexistent/url"], "/nonexistent/url"),
        (["--url", "http://h/"], "--poll"),
        (["--poll", "ws://h/"], "--url"),
        (["--url", "h/d/1"], "ws://"),
        (["--url", "ws://h:99999/"], "port"),
        (["--url"], "--url"),
        (["--nonsense"], "--nonsense"),
        (["--url", "ws://h/", "extra"], "extra"),
        (["--url", "ws://h/", "--exit-after", "0"], "--exit-after"),
        (["--url", "ws://h/", "--exit-after", "-1"], "--exit-after"),
        (["--url", "ws://h/", "--reconnect-ms", "x"], "--reconnect-ms"),
        (["--url", "ws://h/", "--mac", "02:00:00:00:00:0g"], "--mac"),
        (["--url", "ws://h/", "--mac", "02:00:00:00:00:01:02"], "--mac"),
        (["--url", "ws://h/", "--mac", ""], "--mac"),
        (["--url", "ws://h/", "--firmware-version", "1\r\nX: y"], "--firmware-version"),
    ],
)
def test_wrong_usage(arguments, word):
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert word in result.stderr
    assert result.stderr.startswith("displayctl panel: ")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["--url", "ws://h/", "--frames", "/nonexistent/frames"], "/nonexistent/frames"),
        (["--url", "ws://h/", "--events", "/nonexistent/events"], "/nonexistent/events"),
        (["--url", "wss://h/", "--ca", "/nonexistent/ca"], "/nonexistent/ca"),
    ],
)
def test_what_cannot_be_had(arguments, word):
    result = run(*arguments)
    assert result.returncode == 1
    assert word in result.stderr


def test_certificates_must_be_readable(tmp_path):
    file = tmp_path / "ca.pem"
    file.write_text("nothing of that kind")
    result = run("--url", "wss://h/", "--ca", str(file))
    assert result.returncode == 1
    assert str(file) in result.stderr


def test_url_that_firmware_drops(start, server):
    panel = start("--url", server.url(path="/" + "x" * 128))
    server.take().accept()
    panel.wait("connected")
    panel.process.terminate()
    assert "warning" in panel.process.stderr.readline()


@pytest.mark.parametrize("signal", ["terminate", "kill -INT", "kill -HUP"])
def test_signal_ends_it(start, server, signal):
    panel = start("--url", server.url())
    server.take().accept()
    panel.wait("connected")
    if signal == "terminate":
        panel.process.terminate()
    else:
        subprocess.run([*signal.split(), str(panel.process.pid)], check=True)
    assert panel.finish() == 0


def test_signal_ends_it_while_it_waits(start, server):
    panel = start("--url", server.url())
    server.take().drop()
    panel.wait("closed")
    assert panel.stop() == 0


@pytest.mark.parametrize("text, word", [("http://\n", "--url-file: "), ("x" * 3000, "too long")])
def test_a_file_with_a_wrong_url(tmp_path, text, word):
    path = tmp_path / "url"
    path.write_text(text, encoding="ascii")
    result = run("--url-file", str(path))
    assert result.returncode == 2
    assert word in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_url_from_a_pipe_or_a_variable():
    """Nobody listens at this port; the panel tries until it is ended."""
    url = "ws://127.0.0.1:9/d/1/ws?key=secret"
    for arguments, stdin, variable in ((["--url-file", "/dev/stdin"], url + "\n", ""),
                                       ([], "", url)):
        environment = dict(os.environ, DISPLAYD_PANEL_URL=variable)
        if not variable:
            del environment["DISPLAYD_PANEL_URL"]
        panel = subprocess.Popen([PROGRAM, *arguments, "--events", "-", "--quiet"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                 env=environment)
        panel.stdin.write(stdin)
        panel.stdin.close()
        line = panel.stdout.readline()
        panel.terminate()
        panel.wait(TIMEOUT_S)
        assert line.startswith("{"), line
