"""displayctl backup and restore: a whole running instance is copied into another one."""

import base64
import glob
import os
import re
import stat
import subprocess
import tempfile
import threading

import backups
import hostile_backups
import images
import pytest
from ctl_scene import database_of, on_terminal
from server import DISPLAYCTL, CtlError, Server, run_ctl

MANY = 15000
EMPTY_COPY = b"PGCOPY\n\xff\r\n\0" + bytes(8) + b"\xff\xff"  # COPY BINARY without rows


@pytest.fixture(scope="module")
def filled(postgres, tmp_path_factory):
    return backups.filled(postgres, tmp_path_factory)


def ctl(url, *arguments, **options):
    with tempfile.TemporaryDirectory() as state_dir:
        return run_ctl("--database", url, "--state-dir", state_dir, *arguments, **options)


def refused(url, *arguments, code=4, **options):
    with pytest.raises(CtlError) as caught:
        ctl(url, *arguments, **options)
    assert caught.value.code == code, caught.value.text
    return caught.value.text


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return str(path)


def data_kib(pid):
    """Memory of a process, without its files and stack."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^VmData:\s+(\d+) kB$", file.read(), re.M)[1])


def png(number):
    return base64.b64encode(images.png(images.noise(number))).decode()


# ---- round trips ----

def test_each_table_into_another_database(postgres, filled):
    url, path = filled
    other = postgres.create_empty()
    told = ctl(other, "restore", path)
    assert told["schema"] == len(backups.migrations()) and told["applied"] == 0
    before, after = backups.tables_of(url), backups.tables_of(other)
    assert {table for table, rows in before.items() if not rows} == set()
    for table in backups.LEFT_OUT:
        assert before.pop(table) and not after.pop(table)
    assert after == before
    assert told["rows"] == sum(map(len, after.values())) - len(after["schema_migration"]) - len(
        after["sequences"])
    # A restored database has the same tables and rules as one that was never restored.
    assert backups.schema_of(other) == backups.schema_of(url)


def test_a_sequence_that_was_not_used_yet(postgres, tmp_path):
    url, other = postgres.create_database(), postgres.create_empty()
    path = str(tmp_path / "b")
    with backups.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE render_generation RESTART 5000")
    ctl(url, "backup", path)
    ctl(other, "restore", path)
    with backups.connect(other) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT last_value, is_called FROM render_generation")
        assert cursor.fetchone() == (5000, False)


@pytest.mark.parametrize("schema", range(backups.OLDEST, len(backups.migrations())))
def test_a_backup_of_an_older_version(postgres, tmp_path, schema):
    old, other = postgres.create_empty(), postgres.create_empty()
    path = str(tmp_path / "old")
    backups.make_old(old, schema)
    backups.fill(old, schema)
    assert ctl(old, "backup", path)["schema"] == schema
    told = ctl(other, "restore", path)
    assert (told["schema"], told["applied"]) == (schema, len(backups.migrations()) - schema)
    # Migrate the old one in place, for comparison.
    ctl(old, "migrate")
    assert backups.tables_of(other, backups.LEFT_OUT) == backups.tables_of(old, backups.LEFT_OUT)
    assert backups.schema_of(other) == backups.schema_of(old)


def test_a_backup_that_is_too_old(postgres, tmp_path):
    """What the schema replaces is not made again: a backup of then needs a displayd of then."""
    schema = backups.OLDEST - 1
    path = tmp_path / "old"
    path.write_bytes(backups.backup_of([
        ("h", f"schema {schema}\nmigrations {backups.fingerprint(schema)}\nmade-at 2026-01-01T00:00:00.000Z".encode()),
        ("e", b"rows 0")]))
    url = postgres.create_empty()
    assert (f"the backup is too old for this program: it has migrations up to {schema}, this program goes on from "
            f"{backups.OLDEST}; restore it with displayctl of commit f88f1128") in refused(url, "restore", str(path))
    assert backups.tables_of(url) == {"sequences": []}


def scene(server):
    server.ctl("account", "create", "ada@example.org")
    device = server.ctl("device", "create", "--account", "ada@example.org", "--name", "Desk")
    key = server.ctl("key", "create", "--account", "ada@example.org")["key"]
    return device, key


def test_a_running_instance_into_a_new_state_directory(launch, folder):
    server = launch().start()
    device, key = scene(server)
    push = f"/v1/devices/{device['id']}/push"
    assert server.post(push, {"image": png(1), "installationId": "kept"}, key=key).status == 200
    path = os.path.join(folder, "nightly")
    is_over = threading.Event()
    answers = []

    def go_on():
        for number in range(10000):
            answer = server.post(push, {"image": png(number % 7), "installationId": f"n{number % 40}"}, key=key)
            answers.append(answer.status)
            server.delete(f"/v1/devices/{device['id']}/installations/n{(number + 20) % 40}", key=key)
            if is_over.is_set():
                return
    pusher = threading.Thread(target=go_on)
    pusher.start()
    try:
        told = server.ctl("backup", path)
        # A device takes 10 pushes a second; some are to come while there is another backup.
        count = answers.count(200)
        again = server.ctl("backup", path)
        while answers.count(200) == count:
            assert pusher.is_alive()
            again = server.ctl("backup", path)
    finally:
        is_over.set()
        pusher.join()
    assert set(answers) <= {200, 429}
    assert told["hasSecretKey"] and again["file"] == path
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.path.getsize(path) == again["bytes"]
    assert os.listdir(folder) == ["nightly"]

    new = os.path.join(folder, "deep/state")
    run_ctl("--state-dir", new, "restore", path)
    assert read(os.path.join(new, "secret-key")) == read(os.path.join(server.state_dir, "secret-key"))
    assert stat.S_IMODE(os.stat(os.path.join(new, "secret-key")).st_mode) == 0o600
    with Server(state_dir=new) as other:
        assert [one["id"] for one in other.get("/v1/devices", key=key).json()] == [device["id"]]
        picture = other.get(other.path_of(device["pollUrl"]))
        assert picture.status == 200 and picture.body[:4] == b"RIFF"
        assert other.post(push, {"image": png(8)}, key=key).status == 200
        with database_of(other) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT entry_count, (SELECT count(*) FROM installation) FROM device")
            counted, found = cursor.fetchone()
        assert counted == found >= 1
        # Its own state directory is in use.
        with pytest.raises(CtlError) as caught:
            other.ctl("restore", path, "--replace", "--yes")
        assert "in use by another server" in caught.value.text


def test_one_that_fails_leaves_no_state_directory(filled, folder):
    """A failed restore leaves no state directory: a server would start on it without any account."""
    broken, new = write(os.path.join(folder, "broken"), read(filled[1])[:-100]), os.path.join(folder, "new")
    for left in ([], ["lock", "secret-key"]):
        if left and not os.mkdir(new):  # left: files that the state directory had before
            write(os.path.join(new, "secret-key"), b"0" * 64 + b"\n")
        with pytest.raises(CtlError, match="the backup is incomplete") as failure:
            run_ctl("--state-dir", new, "restore", broken)
        assert failure.value.code == 4 and sorted(glob.glob("*", root_dir=new)) == left


def test_without_a_server(launch, folder):
    """Without a server: a backup before an upgrade, and its restore."""
    server = launch().start()
    _, key = scene(server)
    server.stop()
    path = os.path.join(folder, "b")
    server.ctl("backup", path)
    server.start()
    server.ctl("account", "create", "late@example.org")
    key_file = os.path.join(server.state_dir, "secret-key")
    server.stop()
    write(key_file, b"0f" * 32)
    with pytest.raises(CtlError) as caught:
        server.ctl("restore", path)
    assert caught.value.code == 4 and "--replace to delete them" in caught.value.text
    code, text = on_terminal(server, "restore", path, "--replace", typed=b"no\n")
    assert code == 4 and "This replaces all accounts" in text
    assert read(key_file) == b"0f" * 32
    code, text = on_terminal(server, "restore", path, "--replace", typed=b"yes\n")
    assert code == 0, text
    assert read(key_file) != b"0f" * 32
    server.start()
    assert [one["email"] for one in server.ctl("account", "list")] == ["ada@example.org"]
    assert server.get("/v1/devices", key=key).status == 200


def test_through_a_pipe(postgres, filled):
    url, path = filled
    other = postgres.create_empty()
    with tempfile.TemporaryDirectory() as state_dir:
        line = (f"'{DISPLAYCTL}' --state-dir {state_dir} --database '{url}' backup - | gzip | gunzip | "
                f"'{DISPLAYCTL}' --state-dir {state_dir} --database '{other}' restore -")
        subprocess.run(["bash", "-ec", "set -o pipefail; " + line], check=True, timeout=120)
    assert backups.tables_of(other, backups.LEFT_OUT) == backups.tables_of(url, backups.LEFT_OUT)
    assert len(read(path)) > 1000000


def test_the_format_is_the_documented_one(filled):
    _, path = filled
    frames = backups.frames_of(read(path))
    assert frames[0][0] == "h" and frames[-1][0] == "e"
    schema = len(backups.migrations())
    assert frames[0][1].startswith(
        f"schema {schema}\nmigrations {backups.fingerprint(schema)}\nmade-at 20".encode())
    assert backups.backup_of(frames) == read(path)
    assert {payload.split(b"\n")[0] for kind, payload in frames if kind == "t"}.isdisjoint(
        name.encode() for name in backups.LEFT_OUT)


def test_it_is_one_moment(postgres, filled, tmp_path):
    """A backup is one moment: it has no part of what is committed during the backup."""
    url, _ = filled
    other = postgres.create_empty()
    with backups.connect(url) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("LOCK TABLE panel_info IN ACCESS EXCLUSIVE MODE")
        before = backups.tables_of(url, backups.LEFT_OUT | {"panel_info"})
        process = subprocess.Popen([DISPLAYCTL, "--database", url, "--state-dir", str(tmp_path / "s"),
                                    "backup", str(tmp_path / "b")], stdout=subprocess.DEVNULL)
        backups.wait_for_lock(url)
        with backups.connect(url) as connection, connection.cursor() as late:
            late.execute("UPDATE passkey SET name = 'late'")
            late.execute("INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), 'late@x', 'L')")
        holder.rollback()
    assert process.wait(120) == 0
    ctl(other, "restore", str(tmp_path / "b"))
    assert backups.tables_of(other, backups.LEFT_OUT | {"panel_info"}) == before
    with backups.connect(url) as connection, connection.cursor() as late:
        late.execute("UPDATE passkey SET name = 'Phone'")
        late.execute("DELETE FROM account WHERE email = 'late@x'")


# ---- refused ----

@pytest.fixture
def target(postgres):
    """A database that is not empty."""
    url = postgres.create_database()
    backups.connect(url).cursor().execute("INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), 'h@x', 'A')")
    return url


def test_databases_that_are_refused(postgres, filled, target):
    _, path = filled
    assert "--replace to delete them" in refused(target, "restore", path)
    assert "use --yes" in refused(target, "restore", path, "--replace", stdin=subprocess.DEVNULL)
    foreign = postgres.create_empty()
    postgres.execute("CREATE TABLE theirs (a int)", foreign.split("/")[3].split("?")[0])
    assert '"theirs", which is not displayd\'s' in refused(foreign, "restore", path, "--replace", "--yes")
    with Server(database=target) as server:
        before = backups.tables_of(target)
        assert "a displayd is using this database" in refused(target, "restore", path, "--replace", "--yes")
        assert server.stop() == 0
    after = backups.tables_of(target)
    del before["hint_beat"], after["hint_beat"]  # the server has left
    assert after == before
    ctl(target, "restore", path, "--replace", "--yes")
    assert backups.tables_of(target, backups.LEFT_OUT) == backups.tables_of(filled[0], backups.LEFT_OUT)


def test_a_migrated_database_without_accounts_is_empty(postgres, filled):
    url = postgres.create_database()
    postgres.execute("CREATE EXTENSION btree_gist; CREATE FUNCTION theirs() RETURNS int LANGUAGE sql "
                     "AS 'SELECT 1'", url.split("/")[3].split("?")[0])
    ctl(url, "restore", filled[1])
    assert backups.tables_of(url)["account"]
    assert postgres.execute("SELECT theirs()", url.split("/")[3].split("?")[0]) == "1"


def test_hostile_files(filled, target, tmp_path):
    before = backups.tables_of(target)
    for number, (data, why) in enumerate(hostile_backups.files(read(filled[1]))):
        path = write(tmp_path / "hostile", data)
        said = refused(target, "restore", path, "--replace", "--yes",
                       code=1 if why == "the database rejected" else 4)
        assert why in said and said.count("\n") == 1, (number, why, said)
    assert backups.tables_of(target) == before
    assert "cannot read" in refused(target, "restore", str(tmp_path / "none"), code=3)
    assert "cannot be read: Is a directory" in refused(target, "restore", str(tmp_path))


def test_an_endless_backup(filled, target, tmp_path):
    """However many sequences, or parts of a table without rows, a backup has: they take no memory."""
    before = backups.tables_of(target)
    frames = backups.frames_of(read(filled[1]))
    sequence = next(frame for frame in frames if frame[0] == "s")
    empty = [("t", b"account\nid"), ("r", EMPTY_COPY)]
    for part in ([sequence], empty):
        data = backups.backup_of(frames[:1] + part * (MANY // len(part)))
        with subprocess.Popen([DISPLAYCTL, "--database", target, "--state-dir", str(tmp_path / "state"), "restore", "-",
                               "--replace", "--yes"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            sizes = []
            for at in range(0, len(data), len(data) // 10 + 1):
                process.stdin.write(data[at:at + len(data) // 10 + 1])
                sizes.append(data_kib(process.pid))
            said = process.communicate()[1].decode()
        assert process.returncode == 4 and "the backup is incomplete" in said
        assert max(sizes[1:]) - sizes[1] < 256, sizes
    assert backups.tables_of(target) == before


def test_rows_that_break_rules(filled, target, tmp_path):
    """Valid checksums do not make rows valid: references are checked once all rows are restored."""
    frames = backups.frames_of(read(filled[1]))
    start = next(i for i, one in enumerate(frames) if one[1].startswith(b"account\n"))
    end = next(i for i in range(start + 1, len(frames)) if frames[i][0] != "r")
    rows = int(frames[-1][1].split()[1]) - 3
    path = write(tmp_path / "b", backups.backup_of(
        frames[:start] + frames[end:-1] + [("e", f"rows {rows}".encode())]))
    assert "violates foreign key" in refused(target, "restore", path, "--replace", "--yes", code=1)


def test_killed_in_the_middle(filled, target, tmp_path):
    before = backups.tables_of(target)
    data = read(filled[1])
    state_dir = str(tmp_path / "state")
    process = subprocess.Popen(
        [DISPLAYCTL, "--database", target, "--state-dir", state_dir, "restore", "-", "--replace", "--yes"],
        stdin=subprocess.PIPE)
    process.stdin.write(data[:len(data) * 3 // 4])
    process.stdin.flush()
    process.kill()
    process.wait()
    process.stdin.close()
    assert backups.tables_of(target) == before
    assert not os.path.exists(os.path.join(state_dir, "secret-key"))
    ctl(target, "restore", filled[1], "--replace", "--yes")


def test_a_key_without_its_rows(launch, folder):
    """A restore is interrupted at its last step, between the rows and the key."""
    server = launch().start()
    scene(server)
    path = os.path.join(folder, "b")
    server.ctl("backup", path)
    server.stop()
    marker = write(os.path.join(server.state_dir, "secret-key.restored"), b"0f" * 32)
    assert server.launch().wait() == 4
    assert "the last step of a restore was interrupted" in server.log()
    server.ctl("restore", path, "--replace", "--yes")
    assert not os.path.exists(marker)
    # A restore without a key also ends the interrupted one.
    write(marker, b"0f" * 32)
    own = {"DISPLAYD_SECRET_KEY_FILE": os.path.join(server.state_dir, "secret-key")}
    run_ctl("--state-dir", server.state_dir, "restore", path, "--replace", "--yes", env=os.environ | own)
    assert not os.path.exists(marker)
    server.start()


def test_a_key_of_several_instances(launch, folder, postgres):
    key_file = os.path.join(folder, "key")
    write(key_file, b"0f" * 32)
    os.chmod(key_file, 0o600)
    server = launch().start()
    scene(server)
    path = os.path.join(folder, "b")
    server.ctl("backup", path)
    url = postgres.create_empty()
    environment = os.environ | {"DISPLAYD_SECRET_KEY_FILE": key_file}
    assert "differs from the backup's" in refused(url, "restore", path, env=environment)
    assert backups.tables_of(url) == {"sequences": []}
    write(key_file, read(os.path.join(server.state_dir, "secret-key")))
    assert ctl(url, "restore", path, env=environment)["hasSecretKey"]
    done = subprocess.run([DISPLAYCTL, "--database", url, "backup", path], env=environment, text=True,
                          capture_output=True, check=True)
    assert f"is not part of the backup; keep a copy of {key_file}" in done.stderr
    assert not [kind for kind, _ in backups.frames_of(read(path)) if kind == "k"]


# ---- writing ----

def test_databases_that_have_no_backup(postgres, target, tmp_path):
    path = str(tmp_path / "b")
    assert "not migrated" in refused(postgres.create_empty(), "backup", path, code=5)
    with pytest.raises(CtlError) as caught:
        run_ctl("--state-dir", str(tmp_path / "typo"), "backup", path)
    assert caught.value.code == 5 and not os.path.exists(tmp_path / "typo")
    postgres.execute("INSERT INTO schema_migration VALUES (99, 'future', 'x')",
                     target.split("/")[3].split("?")[0])
    assert "newer" in refused(target, "backup", path)
    assert os.listdir(tmp_path) == []


def test_files_that_cannot_be_written(filled, tmp_path):
    url, _ = filled
    assert "No such file" in refused(url, "backup", str(tmp_path / "none/b"), code=1)
    assert "Is a directory" in refused(url, "backup", str(tmp_path), code=1)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([DISPLAYCTL, "--database", url, "backup", "-"], stdout=full, check=False,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "displayctl: cannot write to stdout: No space left on device\n"
    assert os.listdir(tmp_path) == [] and not glob.glob(f"{tmp_path}.*")


def test_what_is_no_file_stays(filled, tmp_path):
    url, _ = filled
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    os.symlink("elsewhere", link)
    for path in (pipe, link):
        assert "is not a regular file; use -" in refused(url, "backup", str(path), code=1)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode) and os.readlink(link) == "elsewhere"
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def test_a_full_disk(filled, tmp_path):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "displayd-test", str(tmp_path)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount a tmpfs: {done.stderr.strip()}")
    try:
        path = write(tmp_path / "b", b"the last one")
        assert f"cannot write {path}: No space left on device" in refused(filled[0], "backup", path, code=1)
        assert os.listdir(tmp_path) == ["b"] and read(path) == b"the last one"
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_folder_that_cannot_be_read(filled):
    """A folder that can be written but not read takes a backup. Root reads any folder, so another user tries."""
    as_other = {"user": 65534, "group": 65534, "extra_groups": ()} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:
        if as_other:
            os.chown(folder, 65534, 65534)
        os.chmod(folder, 0o300)
        try:
            run_ctl("--database", filled[0], "--state-dir", folder + "/none", "backup", folder + "/b", **as_other)
        except PermissionError:
            pytest.skip("another user may not start displayctl from its build folder")
        os.chmod(folder, 0o700)
        assert os.listdir(folder) == ["b"]
