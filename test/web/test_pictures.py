"""Pictures by their hash."""

import hashlib

import images
from people import UNKNOWN_ID, Person
from world import Account


def own_device(world, person):
    """A device of this person, to which the public API pushes."""
    account = Account.__new__(Account)
    account.world, account.id = world, person.id
    account.key = account.new_key()
    return account.device()


def hash_of(webp):
    return hashlib.sha256(webp).hexdigest()[:32]


def picture(browser, device, name, status=200):
    answer = browser.get(f"/web/devices/{device.id}/pictures/{name}")
    assert answer.status == status, answer
    return answer


def test_of_a_rotation_and_temporary_ones(world, person):
    browser, device = person.browser(), own_device(world, person)
    red, blue = images.png(images.solid()), images.png(images.solid((0, 0, 255)))
    device.push(red, installationId="red", background=True).ok()
    device.push(blue, duration=45).ok()
    [[stored]] = world.sql("SELECT picture FROM installation WHERE device_id = %s", device.id)
    [[temporary]] = world.sql("SELECT picture FROM showing WHERE device_id = %s", device.id)
    for webp in (bytes(stored), bytes(temporary)):
        answer = picture(browser, device, hash_of(webp))
        assert answer.body == webp and answer["Content-Type"] == "image/webp"
        assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    # Any name of the device works.
    name = hash_of(bytes(stored))
    assert browser.get(f"/web/devices/{device.serial}/pictures/{name}").status == 200
    # A replaced picture is gone.
    device.push(images.png(images.noise()), installationId="red", background=True).ok()
    picture(browser, device, name, 404)


def test_what_is_shown_where_there_is_nothing(world, person):
    browser, device = person.browser(), own_device(world, person)
    served = device.poll()
    assert picture(browser, device, hash_of(served.body)).body == served.body


def test_only_to_its_account(world, person):
    device, other = own_device(world, person), Person(world)
    device.push(installationId="mine").ok()
    [[webp]] = world.sql("SELECT picture FROM installation WHERE device_id = %s", device.id)
    name = hash_of(bytes(webp))
    picture(other.browser(), device, name, 403)
    # Other accounts cannot read it, even by its hash at a device of their own.
    picture(other.browser(), own_device(world, other), name, 404)
    person.browser().get(f"/web/devices/{UNKNOWN_ID}/pictures/{name}").problem(404)


def test_names_that_are_no_hash(world, person):
    browser, device = person.browser(), own_device(world, person)
    for name in ("0" * 31, "0" * 33, "g" * 32, "0" * 32, "%20" * 16, "x"):
        picture(browser, device, name, 404)
