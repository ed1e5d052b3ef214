"""Requests one object of each kind with the generated client, and prints the answers."""

import json
import os

import openapi_client as api

configuration = api.Configuration(host=os.environ["DISPLAYD_URL"], access_token=os.environ["DISPLAYD_KEY"])
device, app, image = (os.environ[name] for name in ("DEVICE", "APP", "IMAGE"))
found = {}

with api.ApiClient(configuration) as client:
    devices, pushes = api.DevicesApi(client), api.PushApi(client)
    installations, apps, v0 = api.InstallationsApi(client), api.AppsApi(client), api.V0Api(client)

    found["email"] = api.AccountApi(client).get_account().email
    found["devices"] = [one.name for one in devices.list_devices()]
    change = api.DeviceUpdate(brightness=40, sleepStart="22:30")
    found["brightness"] = devices.update_device(device, change).brightness
    found["sleep_start"] = devices.get_device(device).sleep.start
    found["year"] = devices.get_device(device).last_online.year
    pushes.push_image(device, api.Push(api.TemporaryPush(image=image, duration=10)))
    pushes.push_image(device, api.Push(api.EntryPush(image=image, installationId="weather", background=True)))
    found["entries"] = [[entry.id, entry.app] for entry in installations.list_installations(device)]
    installations.delete_installation(device, "weather")
    upload = api.AppUpload(version="1.0.0", scriptContent="x", scriptLanguage="STARLARK")
    found["uploaded"] = apps.upload_app_version(app, upload).status
    found["versions"] = [[version.version, version.reviewed_at] for version in apps.list_app_versions(app)]
    found["apps"] = [one.name for one in apps.list_apps()]

    v0.v0_update_device(device, api.V0DeviceUpdate(brightness=50))
    found["v0_devices"] = [[one.display_name, one.brightness] for one in v0.v0_list_devices().devices]
    v0.v0_push_image(device, api.V0Push(image=image, installationID="news", background=True))
    found["v0_entries"] = [[entry.id, entry.app_id] for entry in v0.v0_list_installations(device).installations]
    v0.v0_delete_installation(device, "news")

    try:
        devices.get_device("no-such-device")
    except api.ApiException as error:
        found["missing"] = error.status
print(json.dumps(found))
