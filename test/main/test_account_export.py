"""displayctl export and import: one account with all that it has, from one instance into another."""

import base64
import hashlib
import json
import os
import stat
import subprocess

import backups
import images
import pytest
from ctl_scene import database_of, query
from hostile_accounts import PASSWORD_HASH, change, wrong_lines, wrong_values
from sealed import crypt, key_of
from server import CtlError, Server, run_ctl

# File written by the first displayd that had this format: never made anew.
KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kept/account-format-1.export")
EMAIL = "ada@example.org"
PHRASE = "correct horse battery"
PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="module")
def source():
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def empty():
    with Server() as server:
        yield server


@pytest.fixture
def target(empty):
    """An instance without accounts."""
    forget(empty)
    return empty


def png(number):
    return base64.b64encode(images.png(images.noise(number))).decode()


@pytest.fixture(scope="module")
def owner(source):
    """An account with an object of each kind: its key, and the values that its device reports once."""
    source.ctl("account", "create", EMAIL, "--name", 'Ada "Ω" \\ 🙂')
    device = source.ctl("device", "create", "--account", EMAIL, "--name", "Küche", "--serial", "S-1",
                        "--mac", "02:00:00:00:00:01")
    source.ctl("device", "create", "--account", EMAIL, "--name", "Empty")
    source.ctl("device", "update", "S-1", "--dim", "on", "--dim-start", "20:15", "--dim-brightness", "0")
    with database_of(source) as connection, connection.cursor() as cursor:
        cursor.execute("UPDATE device SET board = 'pixoticker' WHERE serial = 'S-1'")
    source.ctl("device", "update", "S-1", "--brightness", "7", "--timezone", "Europe/Zagreb", "--sleep",
               "on", "--sleep-start", "23:59")
    key = source.ctl("key", "create", "--account", EMAIL, "--name", "home")["key"]
    revoked = source.ctl("key", "create", "--account", EMAIL)
    source.ctl("key", "revoke", revoked["id"], "--yes")
    push = f"/v1/devices/{device['id']}/push"
    for number, name in enumerate(["first", "ö☃", "third"]):
        assert source.post(push, {"image": png(number), "installationId": name}, key=key).status == 200
    app = source.ctl("app", "create", "--account", EMAIL, "--name", "Clock", "--slug", "ada-clock",
                     "--visibility", "public", "--description", "What time it is")
    for version in ("1.0", "1.1", "2.0"):
        script = f"# {version}\n# \u2028\"\ndef main():\n    return []\n"
        body = {"version": version, "scriptContent": script, "scriptLanguage": "STARLARK"}
        assert source.post("/v1/apps/ada-clock/upload", body, key=key).status == 201
        if version != "2.0":
            source.ctl("app", "review", "ada-clock", version, "approve", "--summary", "good", "--comment",
                       "why?", "--line", "1", "--comment", "nice")
    source.ctl("app", "create", "--account", EMAIL, "--name", "Draft", "--slug", "ada-draft")
    source.ctl("installation", "create", "--device", "S-1", "--app", "ada-clock")
    source.ctl("installation", "update", "ö☃", "--device", "S-1", "--hours", "22:00-06:30", "--weekdays",
               "mon,sun", "--display-seconds", "30", "--enabled", "off")
    source.ctl("installation", "update", "third", "--device", "S-1", "--pinned", "on", "--note", "by the door")
    source.ctl("device", "update", "S-1", "--note", "in the hall,\nleft", "--brightness-curve", "1,8,12,35,100")
    query(source, "UPDATE account SET password_hash = %s, is_administrator = true WHERE email = %s",
          PASSWORD_HASH, EMAIL)
    query(source, "INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, "
                  "name) SELECT gen_random_uuid(), id, 'Y3JlZA', -7, 'key', 12, 'Phone' FROM account")
    query(source, "INSERT INTO app_draft (app_id, script_language, script_content) "
                  "SELECT id, 'STARLARK', 'draft' FROM app WHERE slug = 'ada-clock'")
    query(source, "UPDATE installation SET moved_to = 50 WHERE id = 'first'")
    query(source, "UPDATE installation SET settings = '{\"a\":\"b\"}', settings_hash = "
                  "sha256('{\"a\":\"b\"}') WHERE app_id IS NOT NULL")
    return {"device": device, "key": key, "app": app}


@pytest.fixture(scope="module")
def exported(source, owner, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("export") / "ada.export")
    source.ctl("export", "--account", EMAIL, path)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def lines_of(data):
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def file_of(lines):
    """Bytes of an export with these lines and a valid end."""
    data = b"".join(line if isinstance(line, bytes) else
                    json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
                    for line in lines)
    end = {"kind": "end", "lines": len(lines) + 1, "sha256": hashlib.sha256(data).hexdigest()}
    return data + json.dumps(end).encode() + b"\n"


def refused(server, path, *arguments, code=4):
    with pytest.raises(CtlError) as caught:
        server.ctl("import", path, *arguments)
    assert caught.value.code == code, caught.value.text
    assert caught.value.text.count("\n") == 1
    return caught.value.text


def content_of(server):
    """Content of an account, except what is new at each server: all rows, without counts."""
    with database_of(server) as connection, connection.cursor() as cursor:
        found = {}
        for name, sql in {
            "account": "SELECT name, created_at, password_hash, device_count, app_count, key_count, "
                       "passkey_count FROM account",
            "key": "SELECT id, name, secret_hash, first_characters, scope, device_ids, ends_at, created_at FROM api_key "
                   "WHERE revoked_at IS NULL",
            "passkey": "SELECT credential_id, algorithm, public_key, sign_count, name, created_at FROM passkey",
            "device": "SELECT id, name, serial, mac, link_key_hash, created_at, disabled_at, brightness, "
                      "volume, auto_dim, timezone, schedule_interval_s, sleep_enabled, sleep_start_minute, "
                      "sleep_end_minute, entry_count, pinned_installation_id, night_installation_id, "
                      "night_brightness, picture_limit_bytes, locale, dim_enabled, dim_start_minute, "
                      "dim_brightness, board FROM device",
            "entry": "SELECT device_id, id, app_id, row_number() OVER (PARTITION BY device_id ORDER BY rank), "
                     "created_at, picture, is_enabled, display_s, start_minute, end_minute, weekdays, "
                     "replaced_at, settings, settings_hash, place FROM installation",
            "app": "SELECT id, slug, name, description, status, created_at, version_count, is_submitted, "
                   "author, imported_as, category, tags, broken_reason, (SELECT c.name FROM "
                   "app_collection AS c WHERE c.id = collection_id) AS collection FROM app",
            "version": "SELECT app.slug, app_version.name, script_language, script_content, checksum, "
                       "app_version.status, app_version.created_at, reviewed_at, rejection_reason, "
                       "review_summary, deployed_version_id = app_version.id FROM app_version "
                       "JOIN app ON app.id = app_id",
            "comment": "SELECT name AS version, position, author, comment, line, app_version_comment.created_at "
                       "FROM app_version_comment JOIN app_version ON app_version.id = version_id",
            "draft": "SELECT app_id, script_language, script_content FROM app_draft",
        }.items():
            cursor.execute(f"SELECT * FROM ({sql}) AS t ORDER BY t::text")
            found[name] = [
                [bytes(value) if isinstance(value, memoryview) else
                 value.replace(microsecond=value.microsecond // 1000 * 1000) if hasattr(value, "microsecond")
                 else value for value in row] for row in cursor.fetchall()]
        return found


def forget(server):
    query(server, "DELETE FROM app")
    query(server, "DELETE FROM account")


def test_all_of_it(source, target, owner, exported):
    assert stat.S_IMODE(os.stat(exported).st_mode) == 0o600
    assert target.get("/v1/devices", key=owner["key"]).status == 401
    told = target.ctl("import", exported)
    assert told == {"account": EMAIL, "devices": 2, "entries": 4, "apps": 2, "versions": 3, "keys": 1,
                    "skipped": 0}
    before, after = content_of(source), content_of(target)
    assert all(before.values())
    for kind, rows in before.items():
        assert after[kind] == rows, kind
    # Programs and panels continue.
    assert len(target.get("/v1/devices", key=owner["key"]).json()) == 2
    push = f"/v1/devices/{owner['device']['id']}/push"
    assert target.post(push, {"image": png(7), "installationId": "new"}, key=owner["key"]).status == 200
    assert target.get(target.path_of(owner["device"]["pollUrl"])).status == 200
    # Its owner signs in with the old password.
    page = {"Sec-Fetch-Site": "same-origin"}
    for password, status in ((PASSWORD, 200), (PASSWORD + "!", 401)):
        answer = target.post("/web/session", {"email": EMAIL, "password": password}, headers=page)
        assert answer.status == status, answer.body
    # It does not become an administrator, and publishes nothing.
    [account] = target.ctl("account", "list")
    assert not account["isAdministrator"]
    assert {app["visibility"] for app in target.ctl("app", "list")} == {"private"}
    # A second import conflicts with the first, under any address.
    assert "an account with this e-mail address already" in refused(target, exported)
    assert "was the account imported before?" in refused(target, exported, "--email", "b@example.org")
    assert len(target.ctl("account", "list")) == 1
    forget(target)
    approved = "SELECT target FROM audit_entry WHERE action = 'version.approve' ORDER BY id DESC LIMIT 2"
    assert sorted(query(target, approved)) == [("ada-clock 1.0",), ("ada-clock 1.1",)]
    told = target.ctl("import", exported, "--public-apps", "--email", "b@example.org")
    assert told["account"] == "b@example.org"
    assert {app["visibility"] for app in target.ctl("app", "list")} == {"private", "public"}


def test_a_file_of_the_first_version(target, tmp_path):
    """An export from the first version is imported whole. A new export has all its lines, and may have more."""
    path = str(tmp_path / "again")
    assert target.ctl("import", KEPT, "--public-apps") == {
        "account": EMAIL, "devices": 2, "entries": 4, "apps": 2, "versions": 3, "keys": 1, "skipped": 0}
    target.ctl("export", "--account", EMAIL, path)
    kept, again = lines_of(read(KEPT)), lines_of(read(path))
    assert [line["kind"] for line in kept] == [line["kind"] for line in again]
    for before, after in zip(kept[:-1], again[:-1]):
        changes = {"madeAt"} if before["kind"] == "account" else set()
        told = {name: after.get(name) for name in before.keys() - changes}
        assert told == {name: before[name] for name in before.keys() - changes}
    found = {one["installationId"]: one for one in target.ctl("installation", "list", "--device", "S-1")["entries"]}
    assert set(found) == {line["id"] for line in kept if line["kind"] == "entry"}
    assert query(target, "SELECT count(*) FROM installation WHERE secret_settings IS NOT NULL") == [(0,)]


def test_what_is_in_the_way(source, target, exported):
    target.ctl("account", "create", "other@example.org")
    others = target.ctl("device", "create", "--account", "other@example.org", "--name", "x",
                        "--serial", "S-1", "--mac", "02:00:00:00:00:01")  # no conflict
    target.ctl("app", "create", "--account", "other@example.org", "--name", "x", "--slug", "ada-clock",
               "--visibility", "public")
    assert 'app "ada-clock": there is another app with this slug' in refused(
        target, exported, "--public-apps")
    query(target, "DELETE FROM app")
    assert [one["email"] for one in target.ctl("account", "list")] == ["other@example.org"]
    assert [row[0] for row in content_of(target)["device"]] == [others["id"]]
    assert content_of(target)["app"] == []
    target.ctl("import", exported)
    assert query(target, "SELECT count(*) FROM device WHERE serial = 'S-1'") == [(2,)]


def test_imported_apps(source, target, owner, tmp_path):
    """Imported apps stay in their collection, and entries keep their app if two apps share a slug."""
    query(source, "INSERT INTO app_collection (id, name) VALUES (gen_random_uuid(), 'theirs')")
    query(source, """
        WITH made AS (
            INSERT INTO app (id, account_id, slug, name, visibility, imported_as, category, tags, broken_reason,
                collection_id)
            SELECT gen_random_uuid(), account.id, 'ada-clock', 'Their clock', 'public', 'clock', 'Time',
                '["a","\u00e4\\"b"]', 'It is slow.', app_collection.id
            FROM account, app_collection RETURNING id)
        INSERT INTO installation (device_id, id, app_id, position)
        SELECT device.id, 'theirs', made.id, 99 FROM made, device WHERE serial = 'S-1'""")
    path = str(tmp_path / "ada")
    try:
        source.ctl("export", "--account", EMAIL, path)
        before = content_of(source)
    finally:
        query(source, "DELETE FROM app WHERE name = 'Their clock'")
    forget(target)
    target.ctl("import", path)
    after = content_of(target)
    for kind in ("app", "entry"):
        assert after[kind] == before[kind], kind
    # Files of older versions lack these members.
    lines = lines_of(read(path))[:-1]
    for line in lines:
        for name in ("collection", "appCollection", "appId", "category", "tags", "brokenReason"):
            line.pop(name, None)
    (tmp_path / "older").write_bytes(file_of(lines))
    forget(target)
    target.ctl("import", str(tmp_path / "older"))
    assert query(target, """SELECT app.slug, app_collection.name, category, tags FROM app
        JOIN app_collection ON app_collection.id = collection_id""") == [("ada-clock", "imported", "", "[]")]
    for tags in ("x", {"a": 1}, ["x" * 5000]):
        app = next(line for line in lines if line.get("importedAs"))
        (tmp_path / "wrong").write_bytes(file_of([
            {**line, "tags": tags} if line is app else line for line in lines]))
        forget(target)
        assert "cannot store one of its values" in refused(target, str(tmp_path / "wrong"))


def test_apps_of_others(source, target, owner, tmp_path):
    """An entry of a catalogue app finds the app of the same slug, if all accounts may install it."""
    source.ctl("account", "create", "author@example.org")
    source.ctl("device", "create", "--account", "author@example.org", "--name", "x")
    key = source.ctl("key", "create", "--account", "author@example.org")["key"]
    source.ctl("app", "create", "--account", "author@example.org", "--name", "Sun", "--slug", "sun",
               "--visibility", "public")
    source.post("/v1/apps/sun/upload", {"version": "1", "scriptContent": "def main():\n    return []\n", "scriptLanguage": "STARLARK"},
                key=key)
    source.ctl("app", "review", "sun", "1", "approve")
    entry = source.ctl("installation", "create", "--device", "S-1", "--app", "sun")
    path = str(tmp_path / "ada")
    source.ctl("export", "--account", EMAIL, path)
    source.ctl("export", "--account", "author@example.org", str(tmp_path / "author"))
    query(source, "DELETE FROM app WHERE slug = 'sun'")
    source.ctl("account", "remove", "author@example.org", "--yes")
    assert 'there is no app "sun" here' in refused(target, path)
    assert target.ctl("import", path, "--skip-missing-apps")["skipped"] == 1
    forget(target)
    target.ctl("import", str(tmp_path / "author"), "--public-apps")
    assert target.ctl("import", path)["skipped"] == 0
    found = target.ctl("installation", "list", "--device", "S-1")["entries"]
    assert entry["id"] in [one["installationId"] for one in found]


def test_secret_settings(source, target, owner, tmp_path, exported):
    [[entry]] = query(source, "SELECT id FROM installation WHERE app_id IS NOT NULL")
    device = owner["device"]["id"]
    secret = b'{"password":"hunter2"}'
    query(source, "UPDATE installation SET secret_settings = %s WHERE id = %s",
          crypt(key_of(source), device, entry, text=secret), entry)
    path, phrase, wrong = (str(tmp_path / name) for name in ("ada", "phrase", "wrong"))
    for name, text in ((phrase, PHRASE + "\n"), (wrong, "another phrase"), (str(tmp_path / "short"), "a")):
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    try:
        assert source.ctl("export", "--account", EMAIL, path)["secretsLeftOut"] == 1
        assert not any("secretSettings" in line for line in lines_of(read(path)))
        target.ctl("import", path)
        assert query(target, "SELECT secret_settings FROM installation WHERE id = %s", entry) == [(None,)]
        forget(target)
        told = source.ctl("export", "--account", EMAIL, path, "--pass-phrase-file", phrase)
        assert told["secretsLeftOut"] == 0
        assert b"hunter2" not in read(path) and PHRASE.encode() not in read(path)
        assert "use --pass-phrase-file" in refused(target, path)
        assert "the pass phrase is wrong" in refused(target, path, "--pass-phrase-file", wrong)
        assert "must have 8 to 1024 bytes" in refused(target, path, "--pass-phrase-file",
                                                      str(tmp_path / "short"), code=2)
        assert "is longer than 4096 bytes" in refused(target, path, "--pass-phrase-file", "/dev/zero", code=2)
        assert "cannot be both" in refused(target, "-", "--pass-phrase-file", "-", code=2)
        target.ctl("import", path, "--without-secrets")
        assert query(target, "SELECT secret_settings FROM installation WHERE id = %s", entry) == [(None,)]
        forget(target)
        # Only the line is read: the other end of a FIFO may stay open.
        os.mkfifo(tmp_path / "fifo")
        fifo = os.open(tmp_path / "fifo", os.O_RDWR)
        os.write(fifo, PHRASE.encode() + b"\r\nmore")
        target.ctl("import", path, "--pass-phrase-file", str(tmp_path / "fifo"))
        assert os.read(fifo, 10) == b"more"
        os.close(fifo)
        [[sealed]] = query(target, "SELECT secret_settings FROM installation WHERE id = %s", entry)
        assert crypt(key_of(target), device, entry, sealed=sealed) == secret
        forget(target)
    finally:
        query(source, "UPDATE installation SET secret_settings = NULL")


def test_the_longest_secret_settings(source, target, owner, tmp_path):
    """Characters that take six bytes each in JSON."""
    [[entry]] = query(source, "SELECT id FROM installation WHERE app_id IS NOT NULL")
    secret = json.dumps({"password": "\x01" * 65000}).encode()
    path, phrase = str(tmp_path / "ada"), str(tmp_path / "phrase")
    with open(phrase, "w", encoding="ascii") as file:
        file.write(PHRASE)
    query(source, "UPDATE installation SET secret_settings = %s WHERE id = %s",
          crypt(key_of(source), owner["device"]["id"], entry, text=secret), entry)
    try:
        source.ctl("export", "--account", EMAIL, path, "--pass-phrase-file", phrase)
        target.ctl("import", path, "--pass-phrase-file", phrase)
        [[sealed]] = query(target, "SELECT secret_settings FROM installation WHERE id = %s", entry)
        assert crypt(key_of(target), owner["device"]["id"], entry, sealed=sealed) == secret
    finally:
        query(source, "UPDATE installation SET secret_settings = NULL")


def test_a_long_address(target, exported, tmp_path):
    """An address of 254 characters takes more bytes."""
    address = "é" * 30 + "@" + "é" * 219 + ".org"
    assert len(address) == 254
    path = str(tmp_path / "long")
    with open(path, "wb") as file:
        file.write(file_of(change(lines_of(read(exported))[:-1], "account", email=address)))
    assert target.ctl("import", path)["account"] == address
    assert query(target, "SELECT email FROM account") == [(address,)]


# ---- hostile files ----

def hostile_files(data):
    lines = lines_of(data)[:-1]
    kinds = [line["kind"] for line in lines]
    app, device = kinds.index("app"), kinds.index("device")
    yield b"", "this is not an export"
    yield b"PK\3\4" + data, "this is not an export"
    yield b'{"kind":"end"}\n', "this is not an export"
    yield backups.MAGIC + data, "this is not an export"
    yield data[:-1], "its end is missing"
    yield data[:data.rindex(b"\n", 0, -1) + 1], "its end is missing"
    yield data[:len(data) // 2], "its end is missing"
    yield data + b"\n", "it has data after its end"
    yield data.replace(b'"brightness":7', b'"brightness":8'), "its checksum is wrong"
    yield data.replace(f'"lines":{len(lines) + 1}'.encode(), b'"lines":3'), "its checksum is wrong"
    yield file_of(change(lines, "account", format=2)), "the file has format 2, this program supports format 1"
    yield file_of(change(lines, "account", format=2, more="x")), "the file has format 2"
    for changed, why in wrong_lines(lines, app, device) + wrong_values(lines):
        yield file_of(changed), why
    # Rules between rows are checked by the database.
    deployed = [line | {"isDeployed": True} if line.get("status") == "PENDING" else line for line in lines]
    yield file_of(deployed), "it is deployed but was not approved"
    yield file_of(change(lines, "version", reviewedAt=None)), "its review does not match its status"
    version = kinds.index("version")
    yield file_of(lines[:version] + lines[version:version + 1] * 2 + lines[version + 1:]), "of this name already"
    entry = kinds.index("entry")
    yield file_of(lines[:entry] + lines[entry:entry + 1] * 2 + lines[entry + 1:]), "entry with this ID already"
    many = [lines[entry] | {"id": f"e{number}"} for number in range(101)]
    yield file_of(lines[:entry] + many + lines[entry + 1:]), "100 entries already"


def test_hostile_files(target, exported, tmp_path):
    path = str(tmp_path / "hostile")
    before = content_of(target)
    for number, (data, why) in enumerate(hostile_files(read(exported))):
        with open(path, "wb") as file:
            file.write(data)
        said = refused(target, path)
        assert why in said, (number, why, said)
    assert content_of(target) == before
    # A hostile file is refused, and a line that never ends takes bounded memory.
    with open(path, "wb") as file:
        file.write(b'{"kind":"account","x":"')
        for _ in range(12):
            file.write(b"a" * 1024 * 1024)
    assert "is longer than 8388608 bytes" in refused(target, path)
    assert "cannot read" in refused(target, str(tmp_path / "none"), code=3)


def test_files_and_accounts_that_are_not_there(source, owner, tmp_path):
    for arguments, code, why in [
            (("export", "--account", "no@example.org", str(tmp_path / "x")), 3, "there is no account"),
            (("export", "--account", EMAIL, str(tmp_path / "none/x")), 1, "No such file"),
            (("export", str(tmp_path / "x")), 2, "--account")]:
        with pytest.raises(CtlError) as caught:
            source.ctl(*arguments)
        assert caught.value.code == code and why in caught.value.text
    assert os.listdir(tmp_path) == []


def test_without_a_server(source, owner, exported, tmp_path):
    """Without a server, export and import fail: neither creates an instance nor works on the database directly."""
    (tmp_path / "empty").mkdir()
    source.ctl("backup", str(tmp_path / "b"))
    run_ctl("--state-dir", str(tmp_path / "restored"), "restore", str(tmp_path / "b"))
    for name in ("new", "empty", "restored"):
        for arguments in (("import", exported), ("export", "--account", EMAIL, str(tmp_path / "again"))):
            with pytest.raises(CtlError, match="no displayd is running on .*: start it first") as failure:
                run_ctl("--state-dir", str(tmp_path / name), *arguments)
            assert failure.value.code == 5
    assert sorted(os.listdir(tmp_path)) == ["b", "empty", "restored"] and os.listdir(tmp_path / "empty") == []


def test_through_a_pipe(source, owner, exported):
    done = subprocess.run([os.environ["DISPLAYCTL"], "--state-dir", source.state_dir, "export", "--account",
                           EMAIL, "-"], stdout=subprocess.PIPE, check=True)
    assert lines_of(done.stdout)[1:-1] == lines_of(read(exported))[1:-1]
