"""Requests of /v0 programs, and the answers that they expect."""

from world import images

IMAGE = images.text(images.png())
UNTYPED = [("Content-Type", None)]


def v0(device, path=""):
    return f"/v0/devices/{device.id}{path}"


def push(device, **members):
    """Pushes like such programs: no Content-Type, all members, some of them empty."""
    body = {"deviceID": device.id, "image": IMAGE, "installationID": "", "background": False}
    return device.account.post(v0(device, "/push"), body | members, fields=UNTYPED)


def patch(device, body, **options):
    options.setdefault("fields", UNTYPED)
    return device.account.request("PATCH", v0(device), body=body, **options)


def shown(device):
    return device.account.get(v0(device)).ok()


def entries(device):
    answer = device.account.get(v0(device, "/installations")).ok()
    assert list(answer) == ["installations"]
    return [without_time(one) for one in answer["installations"]]


def form(device, **members):
    """The answer for a device that is unchanged and whose panel has never connected."""
    return {
        "id": device.id, "type": "other", "displayName": "Desk", "notes": "", "intervalSec": 15, "brightness": 50,
        "autoDim": False, "pinnedApp": "", "interstitial": {"enabled": False, "app": ""},
        "dimMode": {"enabled": False, "active": False, "overrideUntil": None, "startTime": None, "brightness": 20},
        "nightMode": {"enabled": False, "active": False, "overrideUntil": None, "app": "", "startTime": "22:00",
                      "endTime": "07:00", "brightness": 10},
        "lastSeen": None, "info": {"firmwareVersion": "", "firmwareType": "", "protocolVersion": None,
                                   "macAddress": device.mac or ""}} | members


def entry(entry_id, app="pushed", **members):
    """The answer for an unchanged entry, without the time of its picture."""
    return {
        "id": entry_id, "appID": app, "enabled": True, "pinned": False, "pushed": app == "pushed",
        "renderIntervalMin": 0, "displayTimeSec": 0, "isInactive": False, "startTime": "", "endTime": "", "days": [],
        "useCustomRecurrence": False, "recurrenceType": "daily", "recurrenceInterval": 0, "recurrencePattern": None,
        "recurrenceStartDate": "", "recurrenceEndDate": "", "autoPin": False, "colorFilter": "inherit",
        "showFullAnimation": "auto"} | members


def without_time(members):
    assert isinstance(members["lastRenderAt"], int) and members["lastRenderAt"] >= 0
    return {name: value for name, value in members.items() if name != "lastRenderAt"}


def at_any_time(shown):
    """The device without what depends on the time of day."""
    return {name: {part: value for part, value in member.items() if part != "active"} if name in ("nightMode", "dimMode")
            else member for name, member in shown.items()}
