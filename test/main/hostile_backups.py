"""Backups that a restore refuses."""

import re

import backups


def files(data):
    """Damaged or forged backups, each with its error message."""
    frames = backups.frames_of(data)
    head = frames[0][1]
    whole = backups.backup_of
    ends = [len(whole(frames[:count])) for count in range(len(frames))]
    for length in {0, 5, 19}:
        yield data[:length], "this is not a backup of displayd"
    for length in [*ends[:3], ends[-1], ends[4] + 3, ends[-2] + 6, len(data) - 1]:
        yield data[:length], "the backup is incomplete"
    yield b"\x1f\x8b" + data, "this is not a backup of displayd"
    yield b"PGDMP" + data, "this is not a backup of displayd"
    for at in (25, ends[1] + 1, ends[1] + 30, ends[3] - 1, len(data) // 2, len(data) - 3):
        yield data[:at] + bytes([data[at] ^ 4]) + data[at + 1:], "a checksum is wrong"
    yield data + b"\0", "it has data after its end"
    yield data[:ends[2]] + data[ends[3]:], "a checksum is wrong"
    yield whole(frames, version=2), "the backup has format 2, this program supports format 1"
    new = backups.fingerprint(99)
    yield whole([("h", re.sub(rb"schema \d+", b"schema 999", head))]), "is from a newer displayd"
    yield whole([("h", b"schema 3\nmigrations " + new.encode() + b"\nmade-at 2026")]), "from another displayd"
    yield whole([("h", b"schema 0\nmigrations " + new.encode() + b"\nmade-at 2026")]), "from another displayd"
    unknown = "a part that this program does not support"
    for text in (b"", b"schema x", head + b"\n\n", head.replace(b"made-at", b"made"), head[:40],
                 head.replace(b"schema ", b"schema +"), head.replace(b"schema ", b"schema  "),
                 head.replace(b"\nmade", b" \nmade"), re.sub(rb"(migrations .*).\n", rb"\1\n", head), head + b"\n"):
        yield whole([("h", text)]), unknown
    for kind, payload in [("z", b""), ("h", head), ("r", b"x"), ("k", b"short"), ("e", b"rows -1"),
                          ("e", b"rows +0"), ("e", b"rows 9223372036854775808"), ("e", b"rows 0 "),
                          ("s", b"x +5 t"), ("s", b"x 9223372036854775808 t"), ("s", b"x 1 t "), ("t", b""),
                          ("t", b"account"), ("t", b'account\nid"; DROP'), ("t", b"Account\nid"),
                          ("t", b"account\n" + b"\n".join([b"id"] * 101)), ("s", b"x 1"), ("s", b"x 0 t"),
                          ("s", b"x 99999999999999999999 t"), ("s", b"x 1 maybe"), ("s", b"x' 1 t")]:
        yield whole([frames[0], (kind, payload)]), unknown
    yield whole([frames[0], ("k", b"k" * 32), ("k", b"k" * 32)]), unknown
    yield whole([frames[0], ("t", b"account\nid"), ("t", b"account\nid")]), unknown
    for table in (b"pg_authid\nrolname", b"session\nid", b"nowhere\nid", b"schema_migration\nname"):
        yield whole([frames[0], ("t", table), ("r", b"x"), ("e", b"rows 0")]), "which is not displayd's"
    yield whole([frames[0], ("t", b"account\nnone"), ("r", b"x"), ("e", b"rows 0")]), "the database rejected"
    yield whole([frames[0], ("t", b"account\nid"), ("r", b"x"), ("e", b"rows 0")]), "rejected rows of the backup"
    yield whole([frames[0], ("s", b"nowhere 3 t"), ("e", b"rows 0")]), "the database rejected"
    yield whole([frames[0], ("e", b"rows 3")]), "should have 3 rows, but has 0"
    yield b"displayd backup\n\0\0\0\1h\xff\xff\xff\xff" + bytes(100), "a checksum is wrong"
