"""Members of a push: valid and ignored ones, and every fault in one answer."""

import uuid

import pytest
from world import images

IMAGE = images.text(images.png())
NULL = "must not be null, leave the field out instead"
DURATION = "must be one of 5, 10, 15, 30, 35, 40, 45 (seconds)"


def duration_of(world, device):
    return world.sql("SELECT duration_s FROM showing WHERE device_id = %s", device.id)[0][0]


@pytest.mark.parametrize("text, seconds", [
    (b"5", 5), (b"10", 10), (b"15", 15), (b"30", 30), (b"35", 35), (b"40", 40), (b"45", 45),
    (b"10.0", 10), (b"1e1", 10), (b"4.5e1", 45), (b"0.5e1", 5),
])
def test_duration(world, device, text, seconds):
    answer = device.push_body(b'{"image":"%s","duration":%s}' % (IMAGE.encode(), text))
    assert answer.ok() == {}
    assert duration_of(world, device) == seconds


def test_duration_is_5_by_default(world, device):
    assert device.push().ok() == {}
    assert duration_of(world, device) == 5


@pytest.mark.parametrize("text", [
    b"0", b"1", b"6", b"20", b"25", b"46", b"60", b"-5", b"12.5", b"5.5", b'"5"', b"true",
    b"false", b"null", b"[5]", b"{}", b"5e20", b"1e-3", b"4.999999999", b"18446744073709551621",
    b"4294967301", b"99999999999999999999999", b"-0", b"5.0000000000000009",
])
def test_duration_that_is_not_allowed(world, device, text):
    answer = device.push_body(b'{"image":"%s","duration":%s}' % (IMAGE.encode(), text))
    assert answer.faults() == {"/duration": NULL if text == b"null" else DURATION}
    assert world.sql("SELECT 1 FROM showing WHERE device_id = %s", device.id) == []


@pytest.mark.parametrize("value", [5, 6, -1, "x", None, True, [], {"a": [1]}, 1e300])
def test_duration_is_ignored_with_an_installation(device, value):
    assert device.push(installationId="x", duration=value).ok() == {}


@pytest.mark.parametrize("seconds", [5, 6, 3600, 86400])
def test_show_for(world, device, seconds):
    """Any time to a day; it replaces the duration, which is checked nevertheless."""
    assert device.push(showFor=seconds).ok() == {} and duration_of(world, device) == seconds
    assert device.push(showFor=seconds, duration=45).ok() == {} and duration_of(world, device) == seconds
    assert device.push(showFor=seconds, duration=7).faults() == {"/duration": DURATION}


@pytest.mark.parametrize("value", [0, 4, 86401, 5.5, "60", True, None, []])
def test_show_for_that_is_not_allowed(world, device, value):
    assert set(device.push(showFor=value).faults()) == {"/showFor"}
    assert world.sql("SELECT 1 FROM showing WHERE device_id = %s", device.id) == []


def test_show_for_is_of_temporary_pictures(device):
    assert device.push(installationId="x", showFor=60).ok() == {}
    for members in ({}, {"installationId": "x"}):
        assert device.push(hold=True, showFor=60, **members).faults() == {"/showFor": "must be left out if hold is true"}


@pytest.mark.parametrize("value", [True, False, 1, "true", None, [], {"a": None}])
def test_background_is_ignored_without_an_installation(device, value):
    """The image is temporary and shown at once."""
    assert device.push(background=value).ok() == {}
    assert device.installations() == []
    device.shows(images.png())


@pytest.mark.parametrize("value", [0, 1, "true", None, [], {}, 1.0])
def test_background_must_be_a_boolean(device, value):
    faults = device.push(installationId="x", background=value).faults()
    assert faults == {"/background": NULL if value is None else "must be true or false"}
    assert device.installations() == []


@pytest.mark.parametrize("name", [
    "x", "0", "-", "a b", " ", "...", ".x", "\u00e9", "\U0001f4a1" * 64, "x" * 64, "a:b", "%2F",
    "\"", "'", "<&>", "a?b", "a#b", "\u2028", "\ufeff", "e\u0301" * 32, "null",
])
def test_installation_id(device, name):
    assert device.push(installationId=name).ok() == {}
    assert device.ids() == [name]


@pytest.mark.parametrize("name", [
    "", "x" * 65, "\U0001f4a1" * 65, ".", "..", "/", "a/b", "\\", "a\\b", "\0", "a\0", "\n", "\x1f",
    "\x7f", "\x80", "\x9f", "a\tb", 1, None, True, ["x"], {"id": "x"},
])
def test_installation_id_that_is_none(device, name):
    answer = device.push(installationId=name)
    assert set(answer.faults()) == {"/installationId"}
    assert device.installations() == []


def test_installation_of_an_app_is_not_replaced(world, device):
    app = str(uuid.uuid4())
    world.sql("INSERT INTO app (id, account_id, slug, name) VALUES (%s, %s, %s, 'Clock')",
              app, device.account.id, "clock-" + app)
    world.sql("INSERT INTO installation (device_id, id, app_id, position) "
              "VALUES (%s, 'app-1', %s, 0)", device.id, app)
    faults = device.push(installationId="app-1").faults()
    assert set(faults) == {"/installationId"}
    assert world.sql("SELECT picture FROM installation WHERE device_id = %s",
                     device.id) == [(None,)]
    assert world.sql("SELECT 1 FROM showing WHERE device_id = %s", device.id) == []


def test_all_faults_at_once(device):
    faults = device.push_body({"image": 1, "duration": 6, "background": 1, "more": 2}).faults()
    assert set(faults) == {"/image", "/duration", "/more"}
    faults = device.push_body({"installationId": "a/b", "background": 1, "duration": 6,
                               "x": 1}).faults()
    assert set(faults) == {"/image", "/installationId", "/background", "/x"}
    assert faults["/image"] == "is required"


URL = "is a URL, which is not fetched: send the image itself, in base64"


@pytest.mark.parametrize("image, detail", [
    ("AAAA%", 'image: the base64 has "%" as character 5 of it'),
    ("https://example.org/picture.png", URL),
    (" \n", "image is empty"),
    ("\nhttps://example.org/picture.png", URL),
    (" \t\r\n\fHTTP:example.org/picture.png", URL),
    ("ftp://example.org/picture.png", URL),
    ("file:///picture.png", URL),
    ("\nS3.x-y+z://pictures/picture.png", URL),
    ("://picture", 'image: the base64 has ":" as character 1 of it'),
    ("3s://picture", 'image: the base64 has ":" as character 3 of it'),
    ("a\nb://picture", 'image: the base64 has ":" as character 4 of it'),
    ("ftp:/picture", 'image: the base64 has ":" as character 4 of it'),
    ("data://example.org/picture.png", "is a data URL without a comma"),
    ("\ndata:image/png;base64", "is a data URL without a comma"),
    ("", "image is empty"),
    ("data:image/png;base64", "is a data URL without a comma"),
    ("data:image/png;base64,", "image is empty"),
    ("data:image/png;base64,AAAA%2", "is a data URL with a \"%\" that is not followed by two hexadecimal digits"),
    ("data:image/png;base64,%GGAA", "is a data URL with a \"%\" that is not followed by two hexadecimal digits"),
    ("data:image/png;base64,AA%00AA", None),
    ("data:image/png;base64,%2525", 'image: the base64 has "%" as character 1 of it'),
    ("aGVsbG8=", None),
    (images.text(images.png(images.solid(size=(32, 32)))), "image is 32x32 pixels, must be 64x32"),
    (images.text(images.gif()[:-200]), None),
    (images.text(bytes(200000)), "image has 200000 bytes, maximum 196608"),
    (images.wrapped(bytes(200000)), "image has 200000 bytes, maximum 196608"),
    (images.data_url(images.png(), "gif"), "image is image/png, but its data URL says image/gif"),
], ids=range(27))
def test_bad_image_is_told_with_the_other_faults(device, image, detail):
    faults = device.push_body({"image": image, "duration": 6, "more": 1}).faults()
    assert set(faults) == {"/image", "/duration", "/more"}
    assert detail is None or faults["/image"] == detail
    faults = device.push_body({"image": image, "installationId": "..", "background": 0}).faults()
    assert set(faults) == {"/image", "/installationId", "/background"}
    assert detail is None or faults["/image"] == detail


def test_good_image_with_other_faults_is_not_stored(world, device):
    faults = device.push(images.gif(), duration=6).faults()
    assert faults == {"/duration": DURATION}
    faults = device.push(images.gif(), installationId="x", more=6).faults()
    assert faults == {"/more": "is not a known field"}
    assert device.installations() == []
    assert world.sql("SELECT 1 FROM showing WHERE device_id = %s", device.id) == []


def test_statements_of_pushes_read_few_expressions(world):
    """PostgreSQL plans them again for each statement, so limits of a column belong in a domain
    (sql/schema/01_values.sql)."""
    found = world.sql("""
        WITH of_pushes AS (
            SELECT oid FROM pg_class WHERE relname IN ('device', 'installation', 'showing')
        )
        SELECT conname::text FROM pg_constraint
        WHERE contype = 'c' AND conrelid IN (SELECT oid FROM of_pushes)
        UNION ALL SELECT attname::text FROM pg_attribute
        WHERE attgenerated <> '' AND attrelid IN (SELECT oid FROM of_pushes)
        UNION ALL SELECT tgname::text FROM pg_trigger
        WHERE tgqual IS NOT NULL AND tgattr = '' AND tgtype & 16 <> 0 -- UPDATE
            AND tgrelid IN (SELECT oid FROM of_pushes)""")
    assert {name for (name,) in found} == {
        "rank", "installation_id_length", "installation_hours_whole", "showing_one_source"}
