"""Exports of a tronbyt server, made from test data, and panels at their former addresses."""

import secrets

NEW_FIRMWARE = {"firmware_version": "v1.6.6", "firmware_type": "ESP32", "protocol_version": 1}
OLD_FIRMWARE = {**NEW_FIRMWARE, "firmware_version": "1.4.7"}


def new_id():
    """An ID that the other server makes at random. One in 2,500 has no digit: it is a word, which people can guess."""
    while True:
        made = secrets.token_hex(4)
        if not made.isalpha():
            return made


def entry(slug, number, **members):
    return {"iname": str(number), "name": slug, "uinterval": 10, "display_time": 0, "notes": "",
            "enabled": True, "pushed": False, "order": number, "path": f"system-apps/apps/{slug}/{slug}.star",
            "start_time": "", "end_time": "", "days": [], "use_custom_recurrence": False,
            "recurrence_type": "daily", "recurrence_interval": 1, "recurrence_pattern": {},
            "recurrence_start_date": "", "recurrence_end_date": "", "config": {}, "auto_pin": False,
            "color_filter": None, "show_full_animation": "auto", **members}


def device(name, apps=(), **members):
    return {"id": new_id(), "name": name, "type": "", "api_key": secrets.token_hex(16),
            "notes": "", "brightness": 35, "custom_brightness_scale": "", "night_mode_enabled": False,
            "night_mode_app": "", "night_start": "22:00", "night_end": "06:00", "night_brightness": 1,
            "dim_mode_enabled": False, "dim_time": "20:00", "dim_brightness": 20, "default_interval": 15,
            "timezone": "Europe/Zagreb", "locale": "en_US",
            "location": {"description": "Zagreb", "lat": "45.81", "lng": "15.98", "locality": "Zagreb",
                         "place_id": "x", "timezone": "Europe/Zagreb"},
            "pinned_app": None, "interstitial_enabled": False, "interstitial_app": None,
            "color_filter": "none", "night_color_filter": "none", "dim_color_filter": "none",
            "swap_colors": False, "require_api_key": False,
            "info": {"firmware_version": "1.6.6", "firmware_type": "ESP32", "protocol_version": 1,
                     "mac_address": "08:00:2b:01:02:03"},
            "apps": list(apps), **members}


CURVES = {"tidbyt_gen1": (1, 15, 25, 35, 50), "tidbyt_gen2": (3, 8, 16, 35, 100)}


def sent(percent, points):
    """Percentage that a panel with these points is sent for one of this server."""
    if percent < 20:
        return points[0] if percent else 0
    low, high = points[percent // 20 - 1], points[min(percent // 20, 4)]
    return low + ((high - low) * (percent % 20) + 10) // 20


def even(device, wanted):
    """Brightnesses of this server for one of the file: those whose sent one is nearest."""
    scale = device["custom_brightness_scale"]
    points = [int(part) for part in scale.split(",")[1:]] or CURVES.get(device["type"], (1, 8, 12, 35, 100))
    if wanted == 0 or not scale and not device["type"]:
        return {wanted}
    most = CURVES.get(device["type"], (100,))[-1]
    off = {percent: abs(sent(percent, [min(point, most) for point in points]) - wanted) for percent in range(20, 101)}
    return {percent for percent in off if off[percent] == min(off.values())}


def account(devices):
    return {"username": "ada", "email": "ada@example.org", "app_repo_url": "", "system_repo_url": "",
            "devices": list(devices)}


def bring(owner, export, **flags):
    """Imports the export. Returns the answer. flags: dryRun, keepAddresses."""
    query = "&".join(f"{name}={str(value).lower()}" for name, value in flags.items())
    return owner.post("/v1/import/tronbyt" + (f"?{query}" if query else ""), export)


def poll(world, former_id, key=None, **options):
    return world.get(f"/{former_id}/next" + (f"?key={key}" if key else ""), **options)
