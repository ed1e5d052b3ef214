"""All scenarios, in the order in which they are run and shown: see base.py."""

import importlib

# A file of this folder may hold several.
SCENARIOS = (
    ("livez", "Livez"),
    ("devices", "Device"),
    ("devices", "Device64"),
    ("devices", "DeviceRandom"),
    ("devices", "DevicePaced"),
    ("devices", "Devices"),
    ("devices", "DevicesUnchanged"),
    ("poll", "Poll"),
    ("devices", "Patch"),
    ("start", "Start"),
    ("rate", "Rate"),
    ("push", "Push"),
    ("push", "PushAgain"),
    ("push_webhooks", "PushWebhooks"),
    ("push_to_panel", "PushToPanel"),
    ("homes", "MessageToPanel"),
    ("homes", "HomeEvents"),
    ("homes", "HomeWebhooks"),
    ("homes", "HomeMqtt"),
    ("lanes", "Lanes"),
    ("flood", "FloodPings"),
    ("flood", "FloodLongPings"),
    ("flood", "FloodTexts"),
    ("flood", "FloodRequests"),
    ("flood", "FloodTlsPings"),
    ("flood", "FloodTlsRequests"),
    ("strangers", "SignInBesideGuesses"),
    ("strangers", "HellosReset"),
    ("strangers", "HellosSilent"),
    ("strangers", "PanelFrames"),
    ("image_share", "ImageShare"),
    ("lists", "Lists"),
    ("lists", "ListsOfVersions"),
    ("lists", "ListsOfLargeVersions"),
    ("searches", "SearchApps"),
    ("searches", "SearchManyApps"),
    ("searches", "SearchAudit"),
    ("searches", "AskRenders"),
    ("searches", "AskForm"),
    ("searches", "SearchPlaces"),
    ("locked", "LockedRow"),
    ("locked", "AccountRemoval"),
    ("tls", "Tls"),
    ("tls", "Full12"),
    ("tls", "Full13"),
    ("tls", "Resumed12"),
    ("tls", "Resumed13"),
    ("tls", "TlsIdle"),
    ("tls", "TlsReturn"),
    ("fleet", "Fleet"),
    ("beside_fleet", "BesideFleet"),
    ("first_contacts", "FirstContacts"),
    ("first_contacts", "ContactsAtOnce"),
    ("renders", "Renders"),
    ("waiting", "Waiting"),
    ("hostile", "Hostile"),
    ("hostile", "Drafts"),
    ("flat", "FlatDevice"),
    ("flat", "FlatList"),
    ("flat", "FlatHistory"),
)


def load_all():
    """The classes by name."""
    classes = (getattr(importlib.import_module(f"scenarios.{module}"), name)
               for module, name in SCENARIOS)
    return {found.name: found for found in classes}
