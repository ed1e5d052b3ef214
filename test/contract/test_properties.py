"""Requests made from the document, by the thousand: see properties.py.

CONTRACT_SCALE=20 CONTRACT_RANDOM=1 makes other ones, and more of them, each time.
"""

import properties
import pytest
from server import amount

SHARE = amount(40, 100)  # percent of the examples

BODY_PROPERTIES = [(properties.what_fits_succeeds, 150),
                   (properties.what_breaks_a_rule_fails, 250),
                   (properties.the_schema_decides, 250),
                   (properties.what_is_no_json_fails, 60)]
OTHERS = [(properties.unknown_things_are_not_found, 250),
          (properties.every_name_of_a_device_works, 60), (properties.conditions_hold, 120),
          (properties.only_keys_open, 100)]


@pytest.fixture(scope="module")
def subject(world):
    return properties.Subject(world)


@pytest.mark.parametrize("operation_id", properties.BODIES)
@pytest.mark.parametrize("holds, examples", BODY_PROPERTIES,
                         ids=[holds.__name__ for holds, _ in BODY_PROPERTIES])
def test_bodies(subject, holds, examples, operation_id):
    holds(subject, operation_id, examples * SHARE // 100)


@pytest.mark.parametrize("holds, examples", OTHERS, ids=[holds.__name__ for holds, _ in OTHERS])
def test_others(subject, holds, examples):
    holds(subject, examples * SHARE // 100)


def test_enough(subject):
    """Not a test of a handful that were left after filtering."""
    print(f"{subject.count} requests")
    assert subject.count > 30 * SHARE
