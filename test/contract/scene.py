"""Account, device and app of the document's examples, and their IDs."""

import importlib.util
import os
import uuid

import images
import validate

# test/api has a module of this name, too.
SPEC = importlib.util.spec_from_file_location(
    "link_panel", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../link/panel.py"))
PANEL = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PANEL)

# Operations of an app's deployed version, and of entries of a rotation.
OF_DEPLOYED = ("deployAppVersion", "takeAppVersionAsDraft", "getApp", "getAppPicture", "getAppSchema", "getAppSource",
               "getAppVersionCheck", "createInstallation")
OF_ENTRIES = ("getInstallation", "updateInstallation", "orderInstallations", "deleteInstallation", "copyInstallation",
              "moveInstallation", "retryInstallation",
              "v0GetInstallation", "v0UpdateInstallation", "v0GetPreview", "v0DeleteInstallation")
# A script that gives a form, an empty one.
SCRIPT = "def main():\n    return []\n"


def app(account, slug, visibility="private", status="draft", app_id=None):
    """Makes an app. Returns its ID."""
    app_id = app_id or str(uuid.uuid4())
    account.world.sql("INSERT INTO app (id, account_id, slug, name, description, visibility, "
                      "status) VALUES (%s, %s, %s, 'Clock', 'Shows the time', %s, %s)",
                      app_id, account.id, slug, visibility, status)
    return app_id


def approve(world, app_id):
    """Approves like a reviewer: the waiting version becomes the deployed one."""
    (version_id,), = world.sql(
        "UPDATE app_version SET status = 'APPROVED', reviewed_at = clock_timestamp(), "
        "review_summary = 'Works well' WHERE app_id = %s AND status = 'PENDING' RETURNING id",
        app_id)
    world.sql("INSERT INTO app_version_comment (version_id, position, author, comment, line) "
              "VALUES (%s, 1, 'reviewer', 'A clear script.', NULL), "
              "(%s, 2, 'reviewer', 'Is this used?', 3)", version_id, version_id)
    world.sql("UPDATE app SET status = 'active', deployed_version_id = %s WHERE id = %s",
              version_id, app_id)


def install(world, device, app_id):
    """Installs an app. Returns the ID of the entry."""
    installation_id = str(uuid.uuid4())
    world.sql("WITH d AS (UPDATE device SET generation = generation + 1 WHERE id = %s "
              "RETURNING generation) INSERT INTO installation (device_id, id, app_id, position) "
              "SELECT %s, %s, %s, generation FROM d", device.id, device.id, installation_id, app_id)
    return installation_id


def picture(world, app_id, seed=0):
    """A picture of the app, another one for each seed."""
    webp = images.webp(images.gradient(seed))
    world.sql("INSERT INTO app_own_picture (app_id, source_hash, picture, picture_hash, checked_at) "
              "VALUES (%s, sha256(%s), %s, md5(%s), now()) ON CONFLICT (app_id) DO UPDATE "
              "SET picture = excluded.picture, picture_hash = excluded.picture_hash",
              app_id, webp, webp, webp)


def fill(world, device, count=100):
    """Inserts this many entries, as pushes leave them."""
    for number in range(count):
        world.sql("WITH touched AS (UPDATE device SET generation = generation + 1 WHERE id = %s "
                  "RETURNING id, generation) INSERT INTO installation (device_id, id, position, "
                  "picture, picture_generation) SELECT id, %s, generation, %s, generation "
                  "FROM touched", device.id, f"e{number}", images.webp(images.gradient(number)))


def rotation(world, device, names):
    """Makes these pushed images the entries of the rotation, in this order."""
    world.sql("DELETE FROM installation WHERE device_id = %s", device.id)
    for name in names:
        assert device.push(installationId=name).status == 200


def webhook(world, account):
    """A webhook whose secret no server can decrypt."""
    [(webhook_id,)] = world.sql(
        "INSERT INTO webhook (id, account_id, url, events, is_enabled, secret) VALUES (gen_random_uuid(), %s, "
        "'http://webhook.invalid/', 2, false, 'x') RETURNING id::text", account.id)
    return webhook_id


def collection(world, account):
    """A collection of the account, which is not being fetched."""
    [(collection_id,)] = world.sql(
        "INSERT INTO app_archive (id, account_id, name, url, state, ended_at, is_for_all) VALUES (gen_random_uuid(), %s, 'a', "
        "'https://collection.invalid/' || gen_random_uuid(), 'done', now(), false) RETURNING id::text", account.id)
    return collection_id


def target(template, **values):
    """The template with its parameters filled in."""
    for name, value in {"version": "1.2.0", **values}.items():
        template = template.replace("{" + name + "}", value)
    assert "{" not in template, template
    return template


def examples_of(parameter):
    """The values that the document gives for a parameter."""
    if "example" in parameter:
        return [parameter["example"]]
    return [example["value"] for example in parameter["examples"].values()]


def bodies_of(operation):
    """The example bodies of an operation; [None] if it takes none."""
    if "requestBody" not in operation:
        return [None]
    content = operation["requestBody"]["content"]["application/json"]
    return [example["value"] for example in content["examples"].values()]


CONTRACT = validate.CONTRACT


# Orders to a panel, which must be online, and operations of a former address.
ORDERS = ("rebootPanel", "moveAddress", "v0RebootPanel", "startFirmwareUpdate", "updateFirmware", "v0UpdateFirmwareSettings")
OF_FIRMWARE = ("updateFirmware", "v0UpdateFirmwareSettings")
OF_FORMER = ("moveAddress", "endAlias")


def updatable(world, device_id):
    """The device has a board with firmware 1.6.6, which its panel does not have."""
    world.sql("INSERT INTO firmware_image (id, slot, board, version, chip, project, sha256, size_bytes, content) VALUES "
              "(gen_random_uuid(), 32, 'tronbyt_s3', '1.6.6', 'esp32s3', 'firmware', repeat('0', 64), 1, 'x') ON CONFLICT DO NOTHING")
    world.sql("UPDATE device SET board = 'tronbyt_s3', generation = generation + 1 WHERE id = %s", device_id)
    world.sql("INSERT INTO panel_info (device_id, firmware_version) VALUES (%s, '1.5.2') "
              "ON CONFLICT (device_id) DO UPDATE SET firmware_version = '1.5.2'", device_id)


def firmware_series(device):
    """Updates all panels of the device's account, of which this one is the only one: its turn has begun."""
    updatable(device.account.world, device.id)
    device.account.world.sql(
        "WITH started AS (INSERT INTO firmware_update (device_id, version) VALUES (%s, '1.6.6') "
        "ON CONFLICT (device_id) DO UPDATE SET asked_at = present_time()), "
        "series AS (INSERT INTO firmware_series (account_id, series_id, state) VALUES (%s, gen_random_uuid(), 'running') "
        "ON CONFLICT (account_id) DO UPDATE SET state = 'running', series_id = excluded.series_id RETURNING *) "
        "INSERT INTO firmware_series_device (series_id, account_id, device_id, position, state, version) "
        "SELECT series_id, account_id, %s, 1, 'updating', '1.6.6' FROM series", device.id, device.account.id, device.id)


def leader(device, name="Hall"):
    """A device that the device follows. Returns its ID."""
    made = device.account.device(name)
    device.account.world.sql("UPDATE device SET leader_id = %s WHERE id = %s", made.id, device.id)
    return made.id


def come_online(device, operation_id):
    """The panel of the device is online: it has just polled, or has a WebSocket if the order needs one."""
    if operation_id == "startFirmwareUpdate":
        updatable(device.account.world, device.id)
    if operation_id in OF_FIRMWARE:
        device.panel = PANEL.Panel(device.account.world.server.address, f"/d/{device.id}/ws?key={device.link_key}")
    else:
        assert device.poll().status == 200


def former(world, device_id):
    """The device was imported with its address, and its panel takes orders."""
    world.sql("UPDATE device SET alias = left(md5(id::text), 8), generation = generation + 1 WHERE id = %s", device_id)
    world.sql("INSERT INTO panel_info (device_id, firmware_version) VALUES (%s, '1.6.6') "
              "ON CONFLICT (device_id) DO UPDATE SET firmware_version = '1.6.6'", device_id)


def mqtt_connection(account, is_of_instance=False):
    """A broker of the account, at a closed port."""
    account.world.sql("INSERT INTO mqtt_connection (account_id, url, is_of_instance, held_until) VALUES (%s, "
                      "'mqtt://127.0.0.1:9', %s, present_time() + interval '1 hour') ON CONFLICT DO NOTHING", account.id, is_of_instance)
