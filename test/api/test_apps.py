"""Apps: lists, versions, uploads and deployments, one caller at a time."""

import json
import uuid

import pytest
from apps import LANGUAGES, checksum, make_app
from world import TIMESTAMP, UNKNOWN_ID, images, new_key

from server import CtlError

VERSION_FIELDS = {"id", "version", "scriptLanguage", "checksum", "status", "reviewedAt",
                  "rejectionReason", "reviewSummary", "reviewComments", "createdAt", "deployed"}
VALID = {"version": "1", "scriptContent": "x", "scriptLanguage": "STARLARK"}


@pytest.fixture
def app(account):
    return make_app(account)


# ---- the list ----

def test_list_entry(account):
    app = make_app(account, name="Uhr \U0001f570", description="Zeigt \"die\" Zeit\n\\")
    app.published("2.0-rc_1")
    assert [entry for entry in account.get("/v1/apps").ok() if entry["id"] == app.id] == [{
        "id": app.id, "name": "Uhr \U0001f570", "description": "Zeigt \"die\" Zeit\n\\",
        "version": "2.0-rc_1", "author": {"name": "Some One"}}]


def test_list_may_be_empty(start):
    assert start().account().get("/v1/apps").ok() == []


def test_author_is_the_account_s_display_name(world, account, app):
    world.sql("UPDATE account SET name = %s WHERE id = %s", "Zo\u00eb \u2028 & Co", account.id)
    app.published()
    entry = next(entry for entry in account.get("/v1/apps").ok() if entry["id"] == app.id)
    assert entry["author"] == {"name": "Zo\u00eb \u2028 & Co"}
    assert account.email not in account.get("/v1/apps").body.decode()


@pytest.mark.parametrize("visibility, others_see_it", [
    ("private", False), ("public", True), ("legacy", True)])
def test_who_is_shown_an_app(world, account, visibility, others_see_it):
    app = make_app(account, visibility=visibility)
    other = world.account()
    assert not app.is_listed() and not app.is_listed(other)
    app.uploaded()
    assert not app.is_listed() and not app.is_listed(other)
    app.review()
    assert app.is_listed()
    assert app.is_listed(other) == others_see_it


def test_order_is_by_name_in_code_points_then_by_id(start):
    world = start()
    account = world.account()
    names = ["a", "B", "\u00e4", "Z", "z", "A", "aa", "a b", "\uffee", "\U0001f4a1", "10", "9", "_"]
    ids = []
    for name in names + ["same"] * 4:
        app = make_app(account, name=name, id=str(uuid.uuid4())).published()
        ids.append((name, app.id))
    listed = [(entry["name"], entry["id"]) for entry in account.get("/v1/apps").ok()]
    assert listed == sorted(ids)
    assert [(entry["name"], entry["id"]) for entry in account.get("/v1/apps").ok()] == listed


def test_list_shows_the_deployed_version(account, app):
    def shown():
        return next(entry["version"] for entry in account.get("/v1/apps").ok()
                    if entry["id"] == app.id)

    app.published("1")
    app.published("2")
    assert shown() == "2"
    app.deploy("1").ok()
    assert shown() == "1"
    app.uploaded("3")
    assert shown() == "1"
    app.review("3", "reject")
    assert shown() == "1"


# ---- which app, and whose ----

def test_app_by_id_or_slug(account, app):
    app.published()
    for name in (app.id, app.id.upper(), app.slug, app.slug + "/"):
        target = f"/v1/apps/{name.rstrip('/')}/versions" + ("/" if name.endswith("/") else "")
        assert account.get(target).ok() == app.versions()
        assert account.post(f"/v1/apps/{name.rstrip('/')}/deploy", {"version": "1.0"}).ok()
        answer = account.post(f"/v1/apps/{name.rstrip('/')}/upload", {**VALID, "version": "1.0"})
        answer.problem(409)
    encoded = "".join(f"%{ord(c):02x}" for c in app.slug)
    assert account.get(f"/v1/apps/{encoded}/versions").ok() == app.versions()


@pytest.mark.parametrize("name", [
    UNKNOWN_ID, "nothing", "", "APP-1", "a" * 65, "a" * 4000, "%00", "%2f", "%ff", "a%20b", "..",
    "{" + UNKNOWN_ID + "}", UNKNOWN_ID.replace("-", ""), "%c3%a9", "'", "x;--", "*"])
def test_app_that_does_not_exist(account, name):
    account.get(f"/v1/apps/{name}/versions").problem(404)
    account.post(f"/v1/apps/{name}/upload", VALID).problem(404)
    account.post(f"/v1/apps/{name}/deploy", {"version": "1"}).problem(404)


def test_slug_is_exact(account, app):
    account.get(f"/v1/apps/{app.slug.upper()}/versions").problem(404)
    account.get(f"/v1/apps/{app.slug[:-1]}/versions").problem(404)


@pytest.mark.parametrize("visibility", ["private", "public", "legacy"])
def test_app_of_another_account(world, account, visibility):
    app = make_app(account, visibility=visibility)
    app.published()
    other = world.account()
    for name in (app.id, app.slug):
        other.get(f"/v1/apps/{name}/versions").problem(403)
        other.post(f"/v1/apps/{name}/upload", VALID).problem(403)
        for version in ("1.0", "unknown"):
            other.post(f"/v1/apps/{name}/deploy", {"version": version}).problem(403)


@pytest.mark.parametrize("visibility", ["public", "legacy"])
def test_versions_of_an_app_that_is_not_private(account, visibility):
    """Versions of such an app are hidden, even from its owner, who may upload and deploy."""
    app = make_app(account, visibility=visibility)
    app.list_versions().problem(403)
    assert app.uploaded()["status"] == "PENDING"
    app.review()
    assert app.deploy().ok()["deployed"] is True
    app.list_versions().problem(403)


def test_order_of_checks(world, account, app):
    """Checks happen in this order: key, size, media type, syntax, app, owner, fields, state."""
    other = make_app(world.account())
    app.uploaded()
    huge = b'{"version":"' + b"1" * 4_200_000 + b'"}'
    for what in ("upload", "deploy"):
        unknown, foreign, own = (f"/v1/apps/{name}/{what}"
                                 for name in (UNKNOWN_ID, other.id, app.id))
        world.request("POST", unknown, body=b"{", key=new_key()).problem(401)
        account.post(unknown, huge, fields=[("Content-Type", "text/plain")]).problem(413)
        account.post(unknown, b"{", fields=[("Content-Type", "text/plain")]).problem(415)
        account.post(unknown, b"{").problem(400)
        account.post(unknown, {"nonsense": 1}).problem(404)
        account.post(foreign, {"nonsense": 1}).problem(403)
        assert account.post(own, {"nonsense": 1}).faults()
    faults = account.post(f"/v1/apps/{app.id}/upload", {**VALID, "version": "1.0", "x": 1}).faults()
    assert list(faults) == ["/x"]
    account.post(f"/v1/apps/{app.id}/upload", {**VALID, "version": "1.0"}).problem(409)


@pytest.mark.parametrize("method, path, allow", [
    ("POST", "/v1/apps", "GET, HEAD"), ("POST", "/v1/apps/x/versions", "GET, HEAD"),
    ("GET", "/v1/apps/x/upload", "POST"), ("PUT", "/v1/apps/x/upload", "POST"),
    ("GET", "/v1/apps/x/deploy", "POST"), ("PUT", "/v1/devices/x", "GET, HEAD, PATCH")])
def test_methods(world, method, path, allow):
    answer = world.request(method, path, key=new_key())
    answer.problem(405)
    assert set(answer["Allow"].split(", ")) == set(allow.split(", "))


@pytest.mark.parametrize("method, path", [
    ("GET", "/v1/apps"), ("GET", "{}/versions"), ("POST", "{}/upload"), ("POST", "{}/deploy"),
    ("PATCH", "/v1/devices/x")])
def test_every_endpoint_needs_a_key(world, app, method, path):
    """Without a valid key, existing and missing apps get the same answers."""
    app.published()
    for key in (None, new_key()):
        answers = [world.request(method, path.format(target), key=key, body=body)
                   for target in (app.path, "/v1/apps/nothing") for body in (None, VALID)]
        for answer in answers:
            answer.problem(401)
            assert "WWW-Authenticate" in answer
        assert len({answer.body for answer in answers}) == 1


@pytest.mark.parametrize("path", ["/v1/apps/x", "/v1/apps/x/", "/v1/apps/x/y", "/v1/app"])
def test_paths_that_are_none(account, path):
    account.get(path).problem(404)


# ---- upload ----

@pytest.mark.parametrize("language", LANGUAGES)
def test_uploaded_version(account, app, language):
    script = "print(\"\u00fc \U0001f4a1\")\r\n\t// \u2028 \x7f \x1b end "
    fresh = app.uploaded("1.0", script, language)
    assert set(fresh) == VERSION_FIELDS
    assert fresh["checksum"] == checksum(language, script)
    assert TIMESTAMP.fullmatch(fresh["createdAt"])
    assert uuid.UUID(fresh["id"]).version == 7
    assert {name: fresh[name] for name in VERSION_FIELDS - {"id", "checksum", "createdAt"}} == {
        "version": "1.0", "scriptLanguage": language, "status": "PENDING", "reviewedAt": None,
        "rejectionReason": None, "reviewSummary": None, "reviewComments": [], "deployed": False}
    assert app.versions() == [fresh]
    stored = account.world.sql("SELECT script_content FROM app_version WHERE id = %s", fresh["id"])
    assert stored == [(script,)]


def test_known_checksum(app):
    """Computed elsewhere: printf 'STARLARK\\nx' | sha256sum."""
    assert app.uploaded("1", "x")["checksum"] == (
        "sha256:be3e02026e2a93cf92810c760ddf5c39410efe5fcfb6f8234f8997b77ddd6340")


@pytest.mark.parametrize("name", ["1", "a", "Z" * 64, ".", "..", "-", "_", "-1", "--yes", "v1.0_b-2"])
def test_valid_version_name(app, name):
    assert app.uploaded(name)["version"] == name


@pytest.mark.parametrize("name", [
    "", "1" * 65, "1 0", " 1", "1\n", "\t1", "1/2", "1\\2", "v1+b", "\u00e9", "e\u0301", "\u0661",
    "1\u0000", "\uff11", "\U0001f4a1", "1:2", "1,2", "'", "%31", "\u200b1", 1, 1.0, None, True,
    ["1"], {"a": 1}])
def test_invalid_version_name(app, name):
    assert list(app.upload(name).faults()) == ["/version"]
    assert list(app.deploy(name).faults()) == ["/version"]
    assert app.versions() == []


@pytest.mark.parametrize("language", ["", "starlark", "Starlark", "STARLARK ", "TYPESCRIPT\n", "JS",
                                      "STARLARK\u0000", 1, None, True, ["STARLARK"]])
def test_invalid_language(app, language):
    assert list(app.upload(language=language).faults()) == ["/scriptLanguage"]


@pytest.mark.parametrize("script", ["", "\u0000", "a\u0000b", 1, None, False, ["x"], {}])
def test_invalid_script(app, script):
    assert list(app.upload(script=script).faults()) == ["/scriptContent"]


def test_script_is_measured_in_bytes(app):
    for script in ("x" * 1_000_001, "\u00e9" * 500_001, "\U0001f4a1" * 250_001,
                   "x" + "\u20ac" * 333_334):
        detail = app.upload(script=script).faults()["/scriptContent"]
        assert "1000000 bytes" in detail
    for number, script in enumerate(("x" * 1_000_000, "\u00e9" * 500_000, "\U0001f4a1" * 250_000,
                                     "x" + "\u20ac" * 333_333)):
        body = json.dumps({**VALID, "version": str(number), "scriptContent": script},
                          ensure_ascii=False).encode()
        answer = app.upload_body(body)
        assert answer.status == 201
        assert answer.json()["checksum"] == checksum("STARLARK", script)
        app.review(str(number), "reject")


@pytest.mark.parametrize("chunked", [False, True])
def test_body_of_an_upload_may_have_4_mib(app, chunked):
    """A body may have 4 MiB; white space is not a script."""
    body = json.dumps(VALID).encode()
    most = body + b" " * (4 * 1024 * 1024 - len(body))
    app.upload_body(most + b" ", chunked=chunked).problem(413)
    assert app.versions() == []
    assert app.upload_body(most, chunked=chunked).status == 201


def test_body_of_a_deploy_may_have_1_mib(account, app):
    app.published()
    body = b'{"version":"1.0"}'
    most = body + b" " * (1024 * 1024 - len(body))
    account.post(app.path + "/deploy", most + b" ").problem(413)
    assert account.post(app.path + "/deploy", most).status == 200


def test_escapes_count_as_what_they_mean(app):
    """A body of 4 MiB contains less than a million bytes if all are escaped."""
    body = b'{"version":"1","scriptLanguage":"STARLARK","scriptContent":"%s"}'
    assert app.upload_body(body % (b"\\u0041" * 600_000)).json()["checksum"] == checksum(
        "STARLARK", "A" * 600_000)
    app.upload_body(body % (b"\\u0041" * 700_000)).problem(413)


@pytest.mark.parametrize("what", ["upload", "deploy"])
@pytest.mark.parametrize("body, pointers", [
    ([], [""]), (1, [""]), ("x", [""]), (None, [""]), (b"null", [""]),
    ({"version": "1", "Version": "1"}, ["/Version"]), ({"version": "1", "": 1}, ["/"]),
    ({"version": "1", "a/b~c": None}, ["/a~1b~0c"]), ({"version": "1", "deployed": True},
                                                      ["/deployed"]),
    ({"version": "1", "status": "APPROVED"}, ["/status"]), ({"version": "1", "id": "x"}, ["/id"]),
])
def test_fields_that_nobody_knows(account, app, what, body, pointers):
    if isinstance(body, dict) and what == "upload":
        body = {**VALID, **body}
    if body is None:
        body = b"[]"
    assert list(account.post(f"{app.path}/{what}", body).faults()) == pointers
    assert app.versions() == []


def test_all_faults_at_once(app):
    assert set(app.upload_body({}).faults()) == {"/version", "/scriptContent", "/scriptLanguage"}
    faults = app.upload_body({"version": "a b", "scriptContent": "", "scriptLanguage": "C",
                              "x": 1}).faults()
    assert set(faults) == {"/version", "/scriptContent", "/scriptLanguage", "/x"}
    assert app.account.post(app.path + "/deploy", {}).faults() == {"/version": "is required"}


@pytest.mark.parametrize("body", [
    b"", b"{", b'{"version":"1"} x', b'{"version":"1","version":"1"}', b"\xff", b'{"version":"\xff"}',
    b'{"version":"\\ud800"}', b'{"version":"\\udc00\\ud800"}', b'{"version":NaN}',
    b"\xef\xbb\xbf{}x", b"[" * 40 + b"]" * 40, b'{"version":"\xed\xa0\x80"}', b"{'version':'1'}"])
def test_body_that_is_no_json(account, app, body):
    for what in ("upload", "deploy"):
        assert "errors" not in account.post(f"{app.path}/{what}", body).problem(400)
    account.request("PATCH", account.device().path, body=body).problem(400)


def test_lone_surrogates_and_nul_in_a_script(app):
    body = b'{"version":"1","scriptLanguage":"STARLARK","scriptContent":"%s"}'
    for text in (b"\\ud83d", b"a\\udca1", b"\\ud83dx\\udca1", b"\xed\xa0\xbd"):
        app.upload_body(body % text).problem(400)
    assert "U+0000" in app.upload_body(body % b"a\\u0000b").faults()["/scriptContent"]
    fresh = app.upload_body(body % b"\\ud83d\\udca1\\ufffe\\uffff").json()
    assert fresh["checksum"] == checksum("STARLARK", "\U0001f4a1\ufffe\uffff")


def test_name_is_used_once_for_ever(app):
    app.uploaded("1.0")
    app.upload("1.0").problem(409)
    for number, decision in enumerate(("reject", "request-changes", "approve")):
        app.review(f"1.{number}", decision)
        for script in ("load()", "another()"):
            app.upload(f"1.{number}", script).problem(409)
        app.uploaded(f"1.{number + 1}")
    # Names are case-sensitive, and each app has its own.
    app.review("1.3", "reject")
    app.uploaded("a")
    app.review("a", "reject")
    app.uploaded("A")
    make_app(app.account).uploaded("1.0")


def test_one_version_awaits_review(app):
    app.uploaded("1")
    for name in ("2", "3"):
        assert "version 1 of the app awaits review" in app.upload(name).problem(409)["detail"]
    assert app.names() == ["1"]
    make_app(app.account).uploaded("2")


def test_number_of_versions_has_a_limit(world, app):
    world.sql("UPDATE app SET version_count = 9999 WHERE id = %s", app.id)
    app.uploaded("1.0")
    world.sql("UPDATE app_version SET status = 'APPROVED', reviewed_at = now() WHERE app_id = %s",
              app.id)
    assert "10000 versions" in app.upload("1.1").problem(409)["detail"]
    assert app.names() == ["1.0"]


def test_nothing_is_stored_by_what_was_refused(app):
    app.uploaded("1")
    app.upload("2").problem(409)
    app.review("1", "reject")
    assert app.uploaded("2")["status"] == "PENDING"
    assert app.names() == ["2", "1"]


def test_versions_are_listed_newest_first(world, app):
    """The order is that of submission, whatever the clock and the names were."""
    names = ["9", "10", "1", "a", "B"]
    for name in names:
        app.uploaded(name)
        app.review(name, "reject")
    assert app.names() == names[::-1]
    listed = app.versions()
    assert [entry["createdAt"] for entry in listed] == sorted(
        (entry["createdAt"] for entry in listed), reverse=True)


def test_no_versions(app):
    assert app.versions() == []


# ---- deploy ----

def test_deploy_answers_the_version(app):
    app.published("1")
    app.published("2")
    assert app.deployed() == ["2"]
    answer = app.deploy("1").ok()
    assert set(answer) == VERSION_FIELDS
    assert (answer["deployed"], answer["status"], answer["version"]) == (True, "APPROVED", "1")
    assert answer == app.version("1")
    assert app.deployed() == ["1"]
    assert app.deploy("2").ok()["version"] == "2"
    assert app.deployed() == ["2"]


def test_deploying_the_deployed_one_changes_nothing(app):
    app.published("1")
    before = app.versions(), app.generation()
    for _ in range(3):
        assert app.deploy("1").ok()["deployed"] is True
    assert (app.versions(), app.generation()) == before
    app.published("2")
    assert app.generation() == before[1] + 1
    app.deploy("1").ok()
    assert app.generation() == before[1] + 2


def test_deploy_of_a_version_that_is_not_there(app):
    app.deploy("1").problem(404)
    app.published("1")
    for name in ("2", "1.0", "l"):
        app.deploy(name).problem(404)
    other = make_app(app.account).published("2")
    app.deploy("2").problem(404)
    assert (app.deployed(), other.deployed()) == (["1"], ["2"])


@pytest.mark.parametrize("decision, state", [
    (None, "PENDING"), ("reject", "REJECTED"), ("request-changes", "CHANGES_REQUESTED")])
def test_only_an_approved_version_is_deployed(app, decision, state):
    app.published("1")
    app.uploaded("2")
    if decision:
        app.review("2", decision)
    before = app.versions()
    assert state in app.deploy("2").problem(409)["detail"]
    assert app.versions() == before
    assert app.deployed() == ["1"]


# ---- conditional requests ----

@pytest.mark.parametrize("path", ["/v1/apps", "{}/versions"])
def test_entity_tags(account, app, path):
    app.published("1")
    path = path.format(app.path)
    tag = account.get(path)["ETag"]
    answer = account.get(path, fields=[("If-None-Match", tag)])
    assert (answer.status, answer.body, answer["ETag"]) == (304, b"", tag)
    assert account.get(path, fields=[("If-None-Match", '"other"')]).status == 200
    app.published("2")
    answer = account.get(path, fields=[("If-None-Match", tag)])
    assert answer.status == 200 and answer["ETag"] != tag


# ---- disabled apps ----

def test_disabled_app(world, account):
    """A disabled app is neither listed nor installable. Its owner can still change it, but it stays disabled."""
    app = make_app(account, visibility="public").published("1")
    device = account.device()
    assert world.server.ctl("app", "disable", app.slug)["status"] == "disabled"
    assert not app.is_listed()
    with pytest.raises(CtlError):
        world.server.ctl("installation", "create", "--device", device.id, "--app", app.slug)
    assert app.uploaded("2")["status"] == "PENDING"
    app.review("2")
    assert app.deploy("1").ok()["deployed"] is True
    assert app.status() == "disabled" and not app.is_listed()
    assert world.server.ctl("app", "enable", app.slug)["status"] == "active"
    assert app.is_listed()
    assert world.server.ctl("installation", "create", "--device", device.id, "--app",
                            app.slug)["app"] == {"id": app.id, "name": "Clock"}


# ---- installations of apps ----

def test_rotation_passes_over_an_installation_without_a_picture(world, account):
    app = make_app(account).published()
    device = account.device()
    picture = images.png(images.gradient(77))
    assert device.push(picture, installationId="x", background=True).ok() == {}
    for _ in range(2):
        world.server.ctl("installation", "create", "--device", device.id, "--app", app.id)
    listed = device.installations()
    assert [entry["app"] and entry["app"]["id"] for entry in listed] == [None, app.id, app.id]
    # A panel that knew the device before has the new entries, whichever worker it asks.
    for client in world.clients():
        for _ in range(4):
            device.shows(picture, client)
        client.close()
    app.deploy().ok()
    assert device.installations() == listed
    for entry in listed[1:]:
        assert device.delete(entry["id"]).ok() == {}
    assert device.ids() == ["x"]


def test_push_does_not_replace_an_app_s_installation(world, account):
    app = make_app(account).published()
    device = account.device()
    entry = world.server.ctl("installation", "create", "--device", device.serial, "--app", app.slug)
    faults = device.push(installationId=entry["id"]).faults()
    assert list(faults) == ["/installationId"]
    assert device.installations() == [entry]
    # The same name on another device is unrelated.
    assert account.device().push(installationId=entry["id"]).ok() == {}
