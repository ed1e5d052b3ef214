"""Brightness that fits the board of a panel: percentages are even to the eye."""

import pytest
from devices import add, panel_of, path_of, poll_answer


def told(world, made):
    return int(poll_answer(world, made["link"])["Tronbyt-Brightness"])


def test_a_panel_is_sent_what_fits_its_board(world, browser):
    made = add(browser)
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        for change, sent in (({"brightness": 60}, 60), ({"board": "tidbyt_gen2"}, 16), ({"brightness": 100}, 100),
                             ({"board": "tidbyt_gen1"}, 50), ({"brightness": 10}, 1), ({"brightness": 50}, 20),
                             ({"brightnessCurve": "2,4,6,8,10"}, 5), ({"brightnessCurve": "10,60,70,80,90"}, 50),
                             ({"brightness": 20}, 10), ({"brightnessCurve": ""}, 1), ({"brightness": 0}, 0)):
            assert browser.patch(path, change).ok().items() >= change.items()
            panel.wait_for(lambda: panel.brightness == sent)
            assert told(world, made) == sent
    assert browser.patch(path, {"brightnessCurve": "1,1,1,1,1"}).ok()["brightness"] == 0
    assert told(world, made) == 0


def test_pages_see_the_percentage(world, browser):
    made = add(browser)
    assert browser.patch(path_of(made["device"]), {"brightness": 40, "board": "other"}).ok()["brightness"] == 40
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.brightness == 8)
        assert browser.get(path_of(made["device"])).ok()["brightness"] == 40


@pytest.mark.parametrize("curve", ["1,2,3,4", "1,2,3,4,5,6", "0,2,3,4,5", "1,2,3,4,101", "5,4,3,2,1", "1, 2,3,4,5", "x",
                                   "1,2,3,4,0005", "1,2,3,4,5,", "1,2,3,4,5\n", None, 5, [1, 2, 3, 4, 5]])
def test_curves_that_are_refused(browser, curve):
    made = add(browser)
    body = {"brightnessCurve": curve, "brightness": 7}
    assert set(browser.patch(path_of(made["device"]), body).faults()) == {"/brightnessCurve"}
    assert browser.get(path_of(made["device"])).ok()["brightness"] != 7
