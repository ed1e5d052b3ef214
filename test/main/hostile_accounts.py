"""Exports of an account with invalid lines."""

import base64

import images

PASSWORD_HASH = ("$argon2id$v=19$m=19456,t=2,p=1$L3aVh6GqRyJWkwhjBh/q9w$"
                 "/iq6gVEWAP3SCUu9/GSNKHXo8t0J/PKZSZG4CmJEDQ4")


def change(lines, kind, **members):
    """Changes members of the first line of this kind; None removes a member."""
    at = next(i for i, line in enumerate(lines) if line["kind"] == kind)
    one = {name: value for name, value in (lines[at] | members).items() if value is not None}
    return lines[:at] + [one] + lines[at + 1:]


IMPOSSIBLE_TIMES = [f"{time}Z" for time in (
    "2026-13-01T00:00:00.000", "2026-00-01T00:00:00.000", "2026-02-29T00:00:00.000", "2026-04-31T00:00:00.000",
    "2026-01-00T00:00:00.000", "2026-01-01T25:00:00.000", "2026-01-01T24:00:00.000", "2026-01-01T00:60:00.000",
    "2026-01-01T00:00:61.000", "0000-01-01T00:00:00.000", "2100-02-29T00:00:00.000")]
TIMES = [(kind, "createdAt") for kind in ("account", "app", "version", "device", "entry", "key", "passkey")] + [
    ("account", "madeAt"), ("version", "reviewedAt"), ("entry", "replacedAt")]


def wrong_values(lines):
    """Invalid times, and values that only the database rejects."""
    return [
        *((change(lines, kind, **{member: time}), f"{member} must be a time") for time in IMPOSSIBLE_TIMES
          for kind, member in TIMES),
        (change(lines, "version", comments=[{"author": "a", "comment": "b", "createdAt": IMPOSSIBLE_TIMES[0]}]),
         "createdAt must be a time"),
        # Only the database finds these.
        (change(lines, "version", scriptContent="a\0b"), "scriptContent must not"),
        (change(lines, "passkey", publicKey="%%%%"), "cannot store one of its values"),
        (change(lines, "device", pictureLimit=60001), "pictureLimit must be 60000"),
        (change(lines, "device", brightness=7.0, volume=1.5), "volume must"),
        (change(lines, "device", locale="en-"), "locale must be a language"),
        (change(lines, "device", brightness=7.0), "cannot store one of its values")]


def wrong_lines(lines, app, device):
    """Lines that are invalid, or in the wrong place, each with its error message."""
    key = next(line["id"] for line in lines if line["kind"] == "key")
    kinds = [line["kind"] for line in lines]
    version, draft = kinds.index("version"), kinds.index("draft")
    return [
        (change(lines, "account", email="x"), "email must"), (change(lines, "account", name=None), "name is required"),
        (change(lines, "account", name=" "), "name must"), (change(lines, "account", name="a\nb"), "name must"),
        (change(lines, "account", passwordHash="md5"), "must be an argon2id hash"),
        (change(lines, "account", passwordHash=PASSWORD_HASH + "x" * 100), "must be an argon2id hash"),
        # Each sign-in would take days or all memory.
        (change(lines, "account", passwordHash=PASSWORD_HASH.replace("t=2", "t=4294967295")), "made by displayd"),
        (change(lines, "account", passwordHash=PASSWORD_HASH.replace("m=19456", "m=4194304")), "made by displayd"),
        (lines[:1] + [{"kind": "key", "\x1b]0;x\x07\x1b[2J\x9b": 1}] + lines[1:], "\\u001b]0;x\\u0007\\u001b[2J\\u009b"),
        (change(lines, "account", isAdministrator=True), "is not a known field"),
        (change(lines, "account", createdAt="yesterday"), "must be a time"),
        (change(lines, "app", slug="A b"), "slug must"), (change(lines, "app", visibility="all"), "visibility must"),
        (change(lines, "app", id="x"), "must be an ID"), (change(lines, "app", description="x" * 501), "501"),
        (change(lines, "version", scriptContent=""), "scriptContent must"),
        (change(lines, "version", scriptContent="é" * 600000), "scriptContent must"),
        (change(lines, "version", scriptLanguage="PERL"), "must be STARLARK or TYPESCRIPT"),
        (change(lines, "version", status="GOOD"), "status must"), (change(lines, "version", name="a/b"), "name must"),
        (change(lines, "version", comments="x"), "comments must"),
        (change(lines, "version", comments=[{"author": "a"}]), "comment is required (and 1 more faults)"),
        (change(lines, "version", app="ada-draft"), "does not belong to the previous app"),
        (change(lines, "device", mac="x"), "must be a MAC address"),
        (change(lines, "device", serial="02:00:00:00:00:01"), "serial must have 1 to 32 letters, digits"),
        (change(lines, "device", linkKeyHash="00"), "linkKeyHash must"),
        (change(lines, "device", brightness=101), "from 0 to 100"),
        (change(lines, "device", timezone="Mars"), "must be the name of a time zone"),
        (change(lines, "device", locale="x; DROP"), "locale must be a language"),
        (change(lines, "device", sleepStart="24:00"), "must be a time of day"),
        (change(lines, "entry", id="a/b"), "must not contain"), (change(lines, "entry", weekdays=0), "weekdays must"),
        (change(lines, "entry", hoursEnd=None), "must be given together with hoursEnd"),
        (change(lines, "entry", app="ada-clock"), "must have either a picture or an app"),
        (change(lines, "entry", picture=None), "must have either a picture or an app"),
        (change(lines, "entry", picture="%%%%"), "its picture is not base64"),
        (change(lines, "entry", picture=base64.b64encode(b"RIFF" + bytes(40)).decode()), "its picture: "),
        (change(lines, "entry", picture=base64.b64encode(images.png(images.noise(1))[:300]).decode()),
         "its picture: "),
        (change(lines, "entry", settings={"a": "b"}), "are allowed only with an app"),
        (change(lines, "entry", device=key), "does not belong to the previous device"),
        (change(lines, "key", secretHash="0" * 63), "secretHash must"),
        (change(lines, "passkey", algorithm=0), "algorithm must"),
        (change(lines, "passkey", credentialId="a b"), "must be base64url"),
        (lines[:1] + [{"kind": "hidden"}] + lines[1:], "its kind is not known"),
        (lines[:1] + [["x"]] + lines[1:], "has no \"kind\""), (lines[:1] + [b"{\n"] + lines[1:], "is not JSON"),
        (lines[:1] + [b'{"kind":"key","kind":"key"}\n'] + lines[1:], "is not JSON"),
        (lines[:1] + [b"\xff\n"] + lines[1:], "is not JSON"),
        (lines[:1] + [b"[" * 100 + b"\n"] + lines[1:], "is not JSON"),
        (lines[:1] + lines, "is not allowed at this line"), (lines + lines[app:app + 1], "is not allowed at this line"),
        (lines[:draft + 1] + lines[draft:], "is not allowed at this line"),
        (lines[:draft + 1] + lines[version:version + 1] + lines[draft + 1:], "is not allowed at this line"),
        (lines[1:], "this is not an export"), (lines[:1] + lines[device:] + lines[app:device], "is not allowed at this line"),
        (lines[:device] + lines[device:device + 1] * 2 + lines[device + 1:], "a device with this ID already"),
        (lines[:1] + [{"kind": "secrets", "salt": "A" * 24}] + lines[1:], "use --pass-phrase-file")]
