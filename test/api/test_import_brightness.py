"""POST /v1/import/tronbyt: panels stay as bright as they were."""

import pytest
from former import device as exported
from test_import_tronbyt import brought


@pytest.mark.parametrize("board, scale, curve, expected", [
    ("tidbyt_gen1", "", "", {"brightness": 80, "dimBrightness": 40, "night": 20}),
    ("tidbyt_gen2", "", "", {"brightness": 80, "dimBrightness": 57, "night": 20}),
    ("other", "", "", {"brightness": 80, "dimBrightness": 63, "night": 20}),
    ("", "", "", {"brightness": 35, "dimBrightness": 15, "night": 1}),
    ("", "0, 5,15,35, 70,70", "5,15,35,70,70", {"brightness": 60, "dimBrightness": 40, "night": 20}),
    ("tidbyt_gen1", "0,5,10,20,90,100", "5,10,20,90,100", {"brightness": 70, "dimBrightness": 49, "night": 20})])
def test_panels_stay_as_bright(world, account, board, scale, curve, expected):
    """What a panel was sent there is what it is sent here."""
    export = exported("Desk", type=board, brightness=35, dim_brightness=15, night_brightness=1, custom_brightness_scale=scale)
    report = brought(account, export)
    assert "brightness scale" not in {note["what"] for note in report["notBrought"]}
    id = report["devices"][0]["id"]
    row, = world.sql("SELECT coalesce(board, ''), brightness_curve, brightness, dim_brightness, night_brightness FROM device "
                     "WHERE id = %s", id)
    assert row == (board, curve, *expected.values())
    assert account.get(f"/v0/devices/{id}").ok()["type"] == (board or "other")


@pytest.mark.parametrize("scale", ["1,2", "0,x,2,3,4,5", "0,1,2,3,4,5,6", "3,5,12,35,100", "0,5,4,3,2,1", "0,1,2,3,4,101", "0,1,2,3,4,5,"])
def test_scales_that_do_not_rise(world, account, scale):
    report = brought(account, exported("Desk", custom_brightness_scale=scale))
    note, = (note for note in report["notBrought"] if note["what"] == "brightness scale")
    assert note["why"] == "is not 0 and five percentages that rise: those of the board are used"
    assert world.sql("SELECT brightness_curve FROM device WHERE id = %s", report["devices"][0]["id"]) == [("",)]
