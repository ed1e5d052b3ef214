"""docs/fault_tests.yaml names only existing tests."""

import pathlib

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_list_of_faults():
    faults = yaml.safe_load((ROOT / "docs/fault_tests.yaml").read_text(encoding="utf-8"))["faults"]
    assert len(faults) > 20 and len({one["fault"] for one in faults}) == len(faults)
    for one in faults:
        assert set(one) == {"fault", "guarantee", "tests"} and all(one.values()), one
        assert len(one["tests"]) == len(set(one["tests"])), one
        assert [path for path in one["tests"] if not (ROOT / path).exists()] == [], one
