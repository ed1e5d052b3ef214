"""Operations of the private socket, which no other listener has. They come from the marks of the API
description, so new operations are tested too."""

import concurrent.futures
import http.client
import itertools
import os
import re
import socket
import sys

import certificates
import psycopg2
import pytest
import tls
from ctl_scene import NOWHERE, refused
from private_socket import Unix, ask, ask_operator
from server import PATIENCE_S, ROOT, CtlError, Server, run_ctl

sys.path.insert(0, os.path.join(ROOT, "tools"))

import operations  # noqa: E402

DOCUMENTS = [operations.read(os.path.join(ROOT, "docs/api"), name) for name in ("public", "pages")]
DESCRIBED = [operation for document in DOCUMENTS for operation in document.operations]
MARKED = [operation for operation in DESCRIBED if "operator" in operation.facts]
OTHERS = [operation for operation in DESCRIBED if "operator" not in operation.facts]
NO_RESOURCE = "there is no such resource"
OWNER = "owner@example.org"
# Listens on a Unix socket as systemd would for an admin socket, and becomes displayd.
GIVEN = """
import os, socket, sys
given = socket.socket(socket.AF_UNIX)
given.bind(sys.argv[1])
given.listen()
os.dup2(given.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="admin")
os.execv(sys.argv[2], sys.argv[2:])
"""
numbers = itertools.count()


def ask_operation(connection, operation, **fields):
    path = re.sub(r"\{\w+\}", NOWHERE, operation.path)
    body = {} if "requestBody" in operation.said else None
    return ask(connection, operation.method.upper(), path, body, **fields)


def example_of(operation):
    """Body in the description; {} if it has none."""
    document = next(one for one in DOCUMENTS if operation in one.operations)
    content = operation.said["requestBody"]["content"]["application/json"]
    if "examples" in content:
        return next(iter(content["examples"].values()))["value"]
    return document.followed(content["schema"]).get("x-displayd-example", {})


class Scene:
    """A server with each kind of listener, and an account with a device."""

    def __init__(self, folder):
        self.folder = folder
        self.certificate = certificates.make(folder, "panels")
        self.server = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, launch):
        self.server = launch(
            "--tls-listen", "127.0.0.1:0", *self.certificate.options, "--listen",
            f"unix:{self.path('public')}", "--admin-listen", "127.0.0.1:0", "--admin-listen",
            f"unix:{self.path('admin')}",
            prefix=(sys.executable, "-c", GIVEN, self.path("given"))).start()
        self.server.ctl("account", "create", OWNER)
        self.device = self.server.ctl("device", "create", "--account", OWNER, "--name", "Desk",
                                      "--serial", "A-1")
        return self

    def operator(self, method, path, body=None, **fields):
        return ask_operator(self.server, method, path, body, **fields)

    def _port(self, role):
        return int(re.search(rf"address=127.0.0.1:\d+ port=(\d+) role={role}", self.server.log())[1])

    def public(self):
        yield lambda: http.client.HTTPConnection(*self.server.address, timeout=PATIENCE_S)
        yield lambda: Unix(self.path("public"))
        yield lambda: http.client.HTTPSConnection(
            "localhost", tls.port_of(self.server), timeout=PATIENCE_S,
            context=tls.context(self.certificate))

    def admin(self):
        yield lambda: http.client.HTTPConnection("127.0.0.1", self._port("admin"), timeout=PATIENCE_S)
        yield lambda: Unix(self.path("admin"))
        yield lambda: Unix(self.path("given"))

    def query(self, sql, *values):
        database = psycopg2.connect(host=os.path.join(self.server.state_dir, "postgres/socket"),
                                    user="displayd", dbname="displayd")
        with database, database.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    servers = []

    def launch(*arguments, **options):
        servers.append(Server(*arguments, **options))
        return servers[-1]

    yield Scene(str(tmp_path_factory.mktemp("operator"))).start(launch)
    servers[0].remove()


def test_there_are_marked_operations():
    assert len(MARKED) > 20 and len(OTHERS) > 20


class TestOtherListeners:
    def test_metrics_listeners_know_no_operation(self, scene):
        for connect in scene.admin():
            assert ask(connect(), "GET", "/metrics").status == 200
            for operation in DESCRIBED:
                answer = ask_operation(connect(), operation, Displayd_Account=OWNER)
                assert (answer.status, answer.json()["detail"]) == (404, NO_RESOURCE), operation.name

    def test_public_listeners_know_no_operator(self, scene):
        """Public listeners treat a request that names an account like an unauthenticated one."""
        for connect in scene.public():
            for operation in MARKED:
                answers = [ask_operation(connect(), operation, Sec_Fetch_Site="same-origin", **fields)
                           for fields in ({}, {"Displayd_Account": OWNER})]
                assert [answer.status for answer in answers] == [401, 401], operation.name
                assert answers[0].json()["detail"] == answers[1].json()["detail"], operation.name


class TestPrivateSocket:
    def test_every_marked_operation_is_there(self, scene):
        for operation in MARKED:
            answer = ask_operation(Unix(os.path.join(scene.server.state_dir, "admin.sock")), operation,
                                   Displayd_Account=OWNER)
            assert answer.status not in (401, 403, 405, 429) and answer.status < 500, (
                operation.name, answer)
            assert answer.status != 404 or answer.json()["detail"] != NO_RESOURCE, operation.name

    def test_every_marked_operation_works_on_something(self, scene):
        """Sends the description's own bodies to handlers that expect a session or a person, or neither."""
        owner = f"other{next(numbers)}@example.org"
        scene.server.ctl("account", "create", owner)
        for operation in MARKED:
            number = next(numbers)
            device = scene.operator("POST", "/web/devices", {"name": f"D{number}", "timezone": "UTC"},
                                    Displayd_Account=owner).json()["device"]["id"]
            app = f"app-{number}"
            scene.operator("POST", "/web/studio", {"name": "App", "slug": app, "description": "",
                                                   "visibility": "private"}, Displayd_Account=owner)
            path = re.sub(r"\{\w+\}", NOWHERE,
                          operation.path.replace("{deviceId}", device).replace("{appId}", app))
            body = example_of(operation) if "requestBody" in operation.said else None
            answer = scene.operator(operation.method.upper(), path, body, Displayd_Account=owner)
            assert answer.status not in (401, 403, 405, 429) and answer.status < 500, (
                operation.name, answer.status, answer.body)
        assert "crashed" not in scene.server.log()

    def test_names_have_a_meaning_within_an_account(self, scene):
        """Names belong to an account: two owners may have a device of one serial number, and apps of one slug."""
        other = f"other{next(numbers)}@example.org"
        scene.server.ctl("account", "create", other)
        ids = {}
        for owner in (OWNER, other):
            scene.server.ctl("app", "create", "--account", owner, "--name", "Twin", "--slug", "twin")
        ids[OWNER] = scene.device["id"]
        ids[other] = scene.server.ctl("device", "create", "--account", other, "--name", "Desk", "--serial", "A-1",
                                      "--mac", "02:00:00:00:00:17")["id"]
        for path in ("/v1/devices/A-1", "/v1/devices/02:00:00:00:00:17", "/v1/apps/twin/versions"):
            answer = scene.operator("GET", path)
            assert (answer.status, answer.json()["detail"]) == (
                400, "use the ID, or name the account in Displayd-Account"), path
            assert scene.operator("GET", path, Displayd_Account=other).status == 200, path
        for owner, device in ids.items():
            assert scene.operator("GET", "/v1/devices/A-1", Displayd_Account=owner).json()["id"] == device

    def test_an_owner_who_is_being_removed(self, scene):
        """Objects of an owner who is being removed can be read, but not changed."""
        other = f"other{next(numbers)}@example.org"
        scene.server.ctl("account", "create", other)
        path = f"/v1/devices/{scene.server.ctl('device', 'create', '--account', other, '--name', 'D')['id']}"
        keeper = psycopg2.connect(host=os.path.join(scene.server.state_dir, "postgres/socket"),
                                  user="displayd", dbname="displayd")
        with keeper, keeper.cursor() as cursor:
            cursor.execute("SELECT FROM device WHERE name = 'D' FOR UPDATE")  # the removal waits
            scene.query("UPDATE account SET closed_at = now() WHERE email = %s RETURNING id", other)
            for fields in ({}, {"Displayd_Account": other}):
                assert [scene.operator(method, path, **fields).status for method in ("GET", "HEAD")] == [200, 200]
                answer = scene.operator("PATCH", path, {"name": "New"}, **fields)
                assert (answer.status, answer.json()["detail"]) == (404, "there is no such account")
        keeper.close()

    def test_no_other_operation_is_there(self, scene):
        for operation in OTHERS:
            answer = ask_operation(Unix(os.path.join(scene.server.state_dir, "admin.sock")), operation)
            assert answer.status in (404, 405), (operation.name, answer)
            assert operation.method.upper() not in (answer.headers["Allow"] or ""), operation.name
        assert scene.operator("OPTIONS", "/v1/account").status == 404
        assert scene.operator("OPTIONS", "/web/keys").headers["Allow"] == "GET, HEAD, POST"
        for path in ("/", "/devices", "/docs", "/openapi.json", "/d/x/next"):
            assert scene.operator("GET", path).status == 404, path

    def test_health_metrics_and_status(self, scene):
        for path in ("/livez", "/readyz", "/metrics", "/status"):
            assert scene.operator("GET", path).status == 200, path

    def test_the_owner_is_the_account(self, scene):
        path = f"/v1/devices/{scene.device['id']}"
        assert scene.operator("GET", path).json()["name"] == "Desk"
        changed = scene.operator("PATCH", path, {"name": "Shelf"})
        assert (changed.status, changed.json()["name"]) == (200, "Shelf")
        assert scene.operator("PATCH", path, {"name": "Desk"}, Displayd_Account=OWNER.upper()).status == 200

    def test_another_account_is_not_the_owner(self, scene):
        other = f"other{next(numbers)}@example.org"
        scene.server.ctl("account", "create", other)
        path = f"/v1/devices/{scene.device['id']}"
        answer = scene.operator("GET", path, Displayd_Account=other)
        assert (answer.status, answer.json()["detail"]) == (403, "the device belongs to another account")
        assert scene.operator("GET", "/v1/devices", Displayd_Account=other).json() == []

    def test_what_is_of_an_account_needs_its_name(self, scene):
        answer = scene.operator("GET", "/v1/devices")
        assert (answer.status, answer.json()["detail"]) == (400, "the header Displayd-Account is missing")
        answer = scene.operator("GET", "/v1/devices", Displayd_Account="no@example.org")
        assert (answer.status, answer.json()["detail"]) == (404, "there is no such account")
        devices = scene.operator("GET", "/v1/devices", Displayd_Account=OWNER).json()
        assert [device["id"] for device in devices] == [scene.device["id"]]

    def test_an_address_may_have_any_letters(self, scene):
        email = "jörg@exämple.org"
        scene.server.ctl("account", "create", email)
        assert scene.operator("GET", "/v1/devices",
                              Displayd_Account=email.encode()).json() == []
        assert scene.operator("GET", "/v1/devices", Displayd_Account=b"\xff@b").status == 400

    def test_no_rate_limits(self, scene):
        path = f"/v1/devices/{scene.device['id']}"
        answers = [scene.operator("GET", path) for _ in range(300)]
        assert {answer.status for answer in answers} == {200}
        assert answers[-1].headers["RateLimit"] is None

    def test_lists_of_all_accounts(self, scene):
        members = scene.operator("GET", "/web/admin/accounts").json()
        assert OWNER in [member["email"] for member in members]


class TestAudit:
    """The audit log names displayctl, and no account, for every change."""

    def entries(self, scene, action):
        return scene.query("SELECT actor, account_id, target, address FROM audit_entry "
                           "WHERE action = %s ORDER BY id DESC LIMIT 1", action)[0]

    @pytest.mark.parametrize("verb", ["disable", "enable"])
    def test_access(self, scene, verb):
        path = f"/web/devices/{scene.device['id']}/{verb}"
        assert scene.operator("POST", path).status == 200
        assert self.entries(scene, f"device.{verb}") == ("displayctl", None, "Desk", None)

    def test_device(self, scene):
        made = scene.operator("POST", "/web/devices", {"name": "Hall", "timezone": "UTC"},
                              Displayd_Account=OWNER)
        assert made.status == 201, made
        assert self.entries(scene, "device.create") == ("displayctl", None, "Hall", None)
        path = f"/web/devices/{made.json()['device']['id']}"
        assert scene.operator("POST", f"{path}/key").status == 201
        assert self.entries(scene, "device.key") == ("displayctl", None, "Hall", None)
        assert scene.operator("DELETE", path).status == 200
        assert self.entries(scene, "device.remove") == ("displayctl", None, "Hall", None)

    def test_key(self, scene):
        made = scene.operator("POST", "/web/keys", {"name": "Mine"}, Displayd_Account=OWNER)
        assert made.status == 201, made
        assert self.entries(scene, "key.create") == ("displayctl", None, "Mine", None)
        path = f"/web/keys/{made.json()['id']}"
        assert scene.operator("DELETE", path, Displayd_Account=OWNER).status == 200
        assert self.entries(scene, "key.revoke") == ("displayctl", None, "Mine", None)

    def test_app(self, scene):
        made = scene.operator("POST", "/web/studio", {
            "name": "Clock", "slug": "clock", "description": "", "visibility": "private"},
            Displayd_Account=OWNER)
        assert made.status == 201, made
        assert self.entries(scene, "app.create") == ("displayctl", None, "clock", None)

    def test_displayctl(self, scene):
        """Its commands change things as the operator."""
        ctl = scene.server.ctl
        made = ctl("device", "create", "--account", OWNER, "--name", "Attic")
        ctl("device", "disable", "Attic")
        ctl("key", "create", "--account", OWNER, "--name", "Attic")
        ctl("key", "revoke", "Attic", "--yes")
        ctl("app", "create", "--account", OWNER, "--name", "Attic", "--slug", "attic")
        ctl("device", "rekey", made["id"], "--yes")
        ctl("device", "remove", "attic", "--yes")
        entries = scene.query("SELECT action FROM audit_entry WHERE lower(target) = 'attic' AND actor = 'displayctl' "
                              "AND account_id IS NULL AND session_id IS NULL ORDER BY id")
        assert [action for action, in entries] == [
            "device.create", "device.disable", "key.create", "key.revoke", "app.create", "device.key",
            "device.remove"]

    def test_settings_and_rotations(self, scene):
        """The operator's changes to settings and rotations are logged; those of owners are not."""
        ctl, query = scene.server.ctl, "SELECT max(id) FROM audit_entry"
        device = ctl("device", "create", "--account", OWNER, "--name", "Loft")["id"]
        app = scene.operator("POST", "/web/studio", {"name": "Loft", "slug": "loft", "visibility": "private"},
                             Displayd_Account=OWNER).json()["id"]
        scene.query("WITH made AS (INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, "
                    "status, reviewed_at) VALUES (gen_random_uuid(), %s, '1', 'STARLARK', 'x', 'x', 'APPROVED', now()) "
                    "RETURNING id, app_id) UPDATE app SET is_submitted = true, status = 'active', "
                    "deployed_version_id = made.id FROM made WHERE app.id = made.app_id RETURNING app.id", app)
        [[before]] = scene.query(query)
        ctl("device", "update", device, "--brightness", "40")
        scene.operator("PATCH", f"/web/devices/{device}", {"volume": 7})
        entry = ctl("installation", "create", "--device", device, "--app", app)["id"]
        ctl("installation", "update", entry, "--device", device, "--pinned", "on")
        ctl("installation", "update", entry, "--device", device, "--night-brightness", "3")
        assert scene.operator("PUT", f"/v1/devices/{device}/order", {"order": [entry]}).status == 200
        ctl("installation", "remove", entry, "--device", device, "--yes")
        assert scene.query("SELECT action, target, actor, account_id FROM audit_entry WHERE id > %s ORDER BY id",
                           before) == [(action, target, "displayctl", None) for action, target in (
                               ("device.update", "Loft"), ("device.update", "Loft"),
                               ("entry.create", f"Loft {entry}"), ("entry.update", f"Loft {entry}"),
                               ("device.update", "Loft"), ("rotation.order", "Loft"),
                               ("entry.remove", f"Loft {entry}"))]
        [[before]] = scene.query(query)
        key = ctl("key", "create", "--account", OWNER)["key"]
        assert scene.server.request("PATCH", f"/v1/devices/{device}", {"volume": 8}, key=key).status == 200
        assert scene.query("SELECT action FROM audit_entry WHERE id > %s", before) == [("key.create",)]

    def test_accounts_and_apps(self, scene):
        ctl = scene.server.ctl
        [[before]] = scene.query("SELECT max(id) FROM audit_entry")
        email = f"log{next(numbers)}@example.org"
        ctl("account", "create", email)
        ctl("account", "rename", email, "Log")
        ctl("account", "limit", email, "7")
        ctl("account", "previews", email, "local")
        ctl("account", "link", email)
        ctl("app", "create", "--account", email, "--name", "Log", "--slug", "log-of")
        for command in ("disable", "disable", "enable"):
            ctl("app", command, "log-of")
        ctl("account", "remove", email, "--yes")
        assert scene.query("SELECT action, target, actor, account_id FROM audit_entry WHERE id > %s ORDER BY id",
                           before) == [(action, target, "displayctl", None) for action, target in (
                               ("account.create", email), ("account.rename", f"{email}: Log"),
                               ("account.limit", f"{email}: 7 bytes"), ("account.previews", f"{email}: local"),
                               ("link.create", email), ("app.create", "log-of"), ("app.disable", "log-of"),
                               ("app.enable", "log-of"), ("account.remove", email))]

    def test_each_change_has_an_entry(self, scene):
        """Each change has an entry. Equal changes by one session within a minute share an entry."""
        path = f"/web/devices/{scene.device['id']}"
        count = "SELECT count(*) FROM audit_entry WHERE action = 'device.key'"
        before = scene.query(count)[0][0]
        for _ in range(2):
            assert scene.operator("POST", f"{path}/key").status == 201
        assert scene.query(count)[0][0] == before + 2


def test_its_connections_have_a_limit_of_their_own(launch):
    """Connections to the listener of metrics do not use up those of the operator."""
    server = launch("--admin-listen", "127.0.0.1:0", workers=1).start()
    port = int(re.search(r"port=(\d+) role=admin", server.log())[1])
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
    for stream in held:
        stream.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n")  # an incomplete request
    path = os.path.join(server.state_dir, "admin.sock")
    assert ask(Unix(path), "GET", "/readyz").status == 200
    for stream in held:
        stream.close()


class TestStart:
    def test_path_is_too_long(self, folder, launch):
        deep = os.path.join(folder, "d" * (97 - len(folder)))
        server = launch(state_dir=deep).launch()
        assert server.wait() == 2
        said = f"the state directory {deep} has a path of 98 characters"
        assert server.log().count(said) == 1
        assert said in refused(server, 2, "status")

    def test_longest_path(self, folder, launch):
        deep = os.path.join(folder, "d" * (95 - len(folder)))
        launch(state_dir=deep).start()
        assert ask(Unix(os.path.join(deep, "admin.sock")), "GET", "/readyz").status == 200

    @pytest.mark.parametrize("option", ["--listen", "--admin-listen"])
    def test_nothing_else_listens_there(self, folder, launch, option):
        server = launch(option, f"unix:{folder}/admin.sock", state_dir=folder).launch()
        assert server.wait() == 2
        assert "is reserved for the socket of displayctl" in server.log()


class TestAnswers:
    """displayctl beside a server that sends invalid answers."""

    LIST = ("device", "list")

    @pytest.fixture
    def answering(self, folder):
        """answering(bytes): exit code and message of displayctl for this answer."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(folder, "admin.sock"))
        listener.listen()

        def serve(answer):
            stream, _ = listener.accept()
            request = b""
            while b"\r\n\r\n" not in request:
                request += stream.recv(65536)
            for part in answer:
                stream.sendall(part)
            stream.close()

        def ask(*answer, command=self.LIST):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                served = pool.submit(serve, answer)
                try:
                    result = 0, run_ctl("--state-dir", folder, *command)
                except CtlError as error:
                    result = error.code, error.text
                served.result()
            return result

        yield ask
        listener.close()

    HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    def test_any_framing(self, answering):
        assert answering(self.HEAD + b"Content-Length: 2\r\n\r\n[]") == (0, [])
        assert answering(self.HEAD + b"\r\n", b"[", b"]") == (0, [])
        assert answering(self.HEAD + b"Transfer-Encoding: chun", b"ked\r\n\r\n1\r\n[\r\n",
                         b"1\r\n]\r\n0\r\n\r\n") == (0, [])

    @pytest.mark.parametrize("answer", [
        HEAD + b"Content-Length: 4\r\n\r\n[{}]", HEAD + b"Content-Length: 2\r\n\r\n{}",
        HEAD + b"Content-Length: 3\r\n\r\n[1]"])
    def test_another_version(self, answering, answer):
        code, text = answering(answer)
        assert code == 1 and "another version" in text, text

    def test_an_older_server(self, answering):
        problem = b'{"status":404,"detail":"there is no such resource"}'
        code, text = answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n%s" % (len(problem), problem),
                               command=("account", "show", "a@b"))
        assert code == 1 and "another version" in text, text

    @pytest.mark.parametrize("answer", [
        b"x\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nx\r\n", b"y" * 100_000])
    def test_malformed(self, answering, answer):
        code, text = answering(answer)
        assert code == 5 and "malformed" in text, text

    @pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200", HEAD + b"Content-Length: 9\r\n\r\n[]"])
    def test_broken_off(self, answering, folder, answer):
        """If nothing holds the lock, the server is gone."""
        assert answering(answer) == (5, f"displayctl: no displayd is running on {folder}: start it first\n")
