"""Signals to displayctl backup and restore."""

import contextlib
import os
import pathlib
import signal
import subprocess

import backups
import pytest
from server import DISPLAYCTL, wait_until


@pytest.fixture(scope="module")
def filled(postgres, tmp_path_factory):
    return backups.filled(postgres, tmp_path_factory)


@pytest.fixture(scope="module")
def target(postgres):
    """A database that is not empty."""
    url = postgres.create_database()
    backups.connect(url).cursor().execute("INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), 'h@x', 'A')")
    return url


@pytest.fixture
def waiting_backup(filled, postgres, tmp_path):
    """start(prepare): a backup that is paused, as its process and a function that continues it."""
    url, _ = filled
    with backups.connect(url) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("LOCK TABLE site IN ACCESS EXCLUSIVE MODE")

        def start(prepare=None):
            process = subprocess.Popen([DISPLAYCTL, "--database", url, "--state-dir", str(tmp_path / "s"),
                                        "backup", str(tmp_path / "b")], preexec_fn=prepare)
            backups.wait_for_lock(url)
            assert len(os.listdir(tmp_path)) == 1
            return process, holder.rollback

        yield start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing(waiting_backup, tmp_path, number):
    # The process that runs the tests may ignore the signal.
    process, _ = waiting_backup(lambda: signal.signal(number, signal.SIG_DFL))
    process.send_signal(number)
    assert process.wait(120) == -number
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_restore_says_so(filled, target, tmp_path, number):
    """It waits for more of the backup, in the middle of the rows of a table."""
    before = backups.tables_of(target)
    frames = backups.frames_of(pathlib.Path(filled[1]).read_bytes())
    table = next(i for i, one in enumerate(frames) if one[1].startswith(b"account\n"))
    with contextlib.closing(backups.connect(target)) as connection, connection.cursor() as cursor, subprocess.Popen(
            [DISPLAYCTL, "--database", target, "--state-dir", str(tmp_path / "s"), "restore", "-", "--replace", "--yes"],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as process:
        # The end of this part is a frame that is not complete.
        process.stdin.write(backups.backup_of(frames[:table + 2])[:-1])
        process.stdin.flush()

        def waits():
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY \"account\" %FROM STDIN%' "
                           "AND datname = current_database()")
            return cursor.fetchone()[0]

        wait_until(waits, "a restore that waits for rows")
        process.send_signal(number)
        assert process.wait(120) == 1
        assert process.stderr.read() == b"displayctl: interrupted; nothing was changed\n"
    assert backups.tables_of(target) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_statement_of_a_restore_says_so(filled, target, tmp_path, number):
    """It waits for a lock, and the statement is canceled."""
    before = backups.tables_of(target)
    with backups.connect(target) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("LOCK TABLE site IN ACCESS SHARE MODE")
        with subprocess.Popen(
                [DISPLAYCTL, "--database", target, "--state-dir", str(tmp_path / "s"), "restore", filled[1], "--replace",
                 "--yes"], stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as process:
            backups.wait_for_lock(target)
            process.send_signal(number)
            assert process.wait(120) == 1
            assert process.stderr.read() == b"displayctl: interrupted; nothing was changed\n"
    assert backups.tables_of(target) == before


def test_nohup_lets_it_end(waiting_backup, tmp_path):
    """A logout during a backup does not end it."""
    process, let_go = waiting_backup(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    let_go()
    assert process.wait(120) == 0
    assert os.listdir(tmp_path) == ["b"]
