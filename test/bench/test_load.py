"""Output of wrk, pgbench and open_loop, recorded once, and their command lines."""

import email.message
import os
import re
import shutil
import subprocess

import pytest

import certificates
from harness import nginx, open_loop, pgbench, wrk
from harness.paths import WRK_SCRIPTS
from scenarios.base import Failed
from server import Response

WRK = """\
Running 1s test @ http://127.0.0.1:40001/livez
  2 threads and 256 connections
  1097 requests in 1.00s, 201.00KB read
Requests/sec:   1097.00
Transfer/sec:    201.00KB
wrk-report {"requests":1097,"duration_us":1000000,"bytes":205824,"p50_us":2078,"p99_us":13200,\
"p999_us":24600,"max_us":30000,"connect":0,"read":%d,"write":0,"status":%d,"timeout":0}
"""

PGBENCH = """\
pgbench (15.20 (Debian 15.20-0+deb12u1))
transaction type: script
scaling factor: 1
query mode: prepared
number of clients: 32
number of threads: 2
maximum number of tries: 1
duration: 2 s
number of transactions actually processed: 14622
number of failed transactions: %d (0.000%%)
latency average = 4.377 ms
initial connection time = 40.712 ms
tps = 7311.000000 (without initial connection time)
"""

OPEN_LOOP = (
    '{"requests": 400, "seconds": 2.000, "wanted_rate": 200.0, "rate": 199.9, "connections": 16, '
    '"statuses": {"200": 390, "%s": 10}, "broken": 0, "unanswered": %d, "connects": 16, '
    '"body_bytes": 1000, "mean_us": 200.0, "p50_us": 180, "p90_us": 300, "p99_us": 1250, '
    '"p999_us": 6250, "max_us": 6300, "lag_mean_us": 1.0, "lag_p99_us": 9, "cpu_us_each": 5.0}\n'
)


def test_wrk():
    sample = wrk.parse(WRK % (0, 0))
    assert (sample.requests, sample.rate, sample.seconds) == (1097, 1097, 1)
    assert (sample.p50_us, sample.p99_us, sample.p999_us) == (2078, 13200, 24600)
    assert sample.faults == {}


def test_every_fault_of_wrk_is_told():
    assert wrk.parse(WRK % (3, 7)).faults == {"reads failed": 3, "answers of 400 and more": 7}
    assert wrk.parse((WRK % (0, 0)).replace("1097,", "0,")).faults == {"runs without an answer": 1}


@pytest.mark.parametrize("output", ["", "unable to connect to 127.0.0.1:1 Connection refused\n"])
def test_wrk_without_a_report(output):
    with pytest.raises(Failed, match="wrk"):
        wrk.parse(output)


def test_requests_for_wrk():
    requests = [("GET", "/a", "key", None), ("PATCH", "/b", None, '{"x":1}')]
    assert wrk.requests_text(requests) == 'GET\t/a\tkey\t\nPATCH\t/b\t\t{"x":1}\n'


def test_wrk_command_finds_its_scripts():
    command = wrk.command("http://h/", 1, 2.4, "requests", {"If-None-Match": '"x"'})
    assert os.path.exists(command[command.index("-s") + 1])
    assert command[command.index("-t") + 1] == "1" and command[command.index("-d") + 1] == "2s"
    assert 'If-None-Match: "x"' in command and command[-1] == "http://h/"
    assert WRK_SCRIPTS in wrk.environment("r")["LUA_PATH"]


def test_pgbench():
    log = "0 1 4000 0 1 2\n1 1 5000 0 1 2\n0 2 90000 0 1 2\n"
    sample = pgbench.parse(PGBENCH % 0, log)
    assert (sample.requests, sample.rate, sample.faults) == (14622, 7311, {})
    assert sample.seconds == pytest.approx(2)
    assert (sample.p50_us, sample.p99_us) == (5000, 90000)


def test_failed_transactions_are_told():
    assert pgbench.parse(PGBENCH % 12, "").faults == {"transactions failed": 12}
    with pytest.raises(Failed, match="refused"):
        pgbench.parse("pgbench: error: connection refused", "")


def test_open_loop():
    sample = open_loop.parse(OPEN_LOOP % ("201", 0), expected=(200, 201))
    assert (sample.rate, sample.p99_us, sample.figures["max_us"]) == (199.9, 1250, 6300)
    assert sample.faults == {}


def test_open_loop_tells_other_statuses():
    assert open_loop.parse(OPEN_LOOP % ("429", 2)).faults == {"answers of 429": 10, "unanswered": 2}
    assert open_loop.parse(OPEN_LOOP % ("429", 0), (200, 429)).figures["refused"] == 10
    with pytest.raises(Failed):
        open_loop.parse("cannot connect")


def answer(size, **headers):
    message = email.message.Message()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    return Response(200, message, b"y" * size)


def test_nginx_answers_as_large():
    like = answer(235, Date="Sat, 21 Nov 2026 08:00:00 GMT", Content_Type="application/json",
                  Content_Length="235", ETag='"d99c439de6df0f7e37be029a08e10e06"',
                  RateLimit_Policy='"key";q=2000000;w=2', X_Request_Id="3605a89244b6fc60" * 2)
    text = nginx.config_text("/folder", 20001, 3, like)
    body = re.search(r'return 200 "(.*)"', text)[1]
    fill = re.search(r'add_header X-Fill "(x*)"', text)[1]
    assert len(body) == 235
    head = nginx.HEAD.format(kind="application/json", length=235) + f"X-Fill: {fill}\r\n"
    assert len(head) == nginx.head_length(like)
    assert "worker_processes 3;" in text and "access_log off;" in text


def test_length_of_a_head():
    like = answer(2, Content_Type="text/plain", ETag='"1"')
    head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: "1"\r\n\r\n'
    assert nginx.head_length(like) == len(head)


def test_nginx_may_have_the_longer_head():
    text = nginx.config_text("/folder", 20001, 1, answer(3, Content_Type="text/plain"))
    assert "add_header" not in text and 'return 200 "xxx"' in text


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is only for measuring")
@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
def test_nginx_takes_the_configuration(tmp_path, is_tls):
    path = tmp_path / "nginx.conf"
    certificate = certificates.make(tmp_path, "bench") if is_tls else None
    like = answer(99, Content_Type="image/webp", Cache_Control="no-store" * 20)
    text = nginx.config_text(tmp_path, 20001, 1, like, certificate)
    assert (" ssl;" in text) == is_tls
    path.write_text(text)
    done = subprocess.run(["nginx", "-t", "-c", path, "-p", tmp_path, "-e", tmp_path / "error"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
