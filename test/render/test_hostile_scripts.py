"""Hostile scripts, through the whole chain of an author or a server: displayctl, the sandbox, and
the renderers. The renderers' own tests try more of them: TestHostileScripts and TestHostileTrees
(render-starlark), test_hostile_scripts (render-typescript), test_egress.py (egress), sandbox_test.
docs/security_tests.yaml lists them all.
"""

import os
import subprocess

import pytest

from hostile_scripts import STARLARK, TYPESCRIPT

DISPLAYCTL = os.environ["DISPLAYCTL"]

SECRET = "a secret of the environment"

# Each uses all the time of an app, so one of each language is enough for every day.
FOR_EVER = [f"{language}: {name}" for language, names in {
    "starlark": ("loop at top level", "loop in the schema", "loop while a file loads", "a wide tree",
                 "integers that square"),
    "typescript": ("loop at top level", "loop in a getter", "loop in the schema", "a thenable")}.items()
    for name in names]

CASES = [pytest.param("mine.star", *case, id=f"starlark: {name}",
                      marks=pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no Starlark"))
         for name, case in STARLARK.items()]
CASES += [pytest.param("mine.ts", *case, id=f"typescript: {name}",
                       marks=pytest.mark.skipif(not os.environ.get("HAS_TYPESCRIPT"),
                                                reason="no TypeScript"))
          for name, case in TYPESCRIPT.items()]


def render(tmp_path, name, script):
    """Result and messages of the render, after a check that the app's folder has no new files."""
    path = tmp_path / "app" / name
    path.parent.mkdir()
    path.write_bytes(script.encode())
    output = tmp_path / "out.webp"
    done = subprocess.run(
        [DISPLAYCTL, "app", "render", path, "-o", output], stdin=subprocess.DEVNULL, check=False,
        capture_output=True, timeout=240, env=os.environ | {"DISPLAYD_SECRET": SECRET})
    assert os.listdir(path.parent) == [name] and done.stdout == b""
    assert set(os.listdir(tmp_path)) <= {"app", "out.webp"}
    assert not output.exists() or done.returncode == 0
    return done.returncode, done.stderr


if not os.environ.get("DISPLAYD_TEST_FULL"):
    CASES = [case for case in CASES if case.id not in FOR_EVER]


@pytest.mark.parametrize("name, script, wanted", CASES)
def test_hostile_script(tmp_path, name, script, wanted):
    code, told = render(tmp_path, name, script)
    print(code, told[:300])
    assert code in (0, 1), "displayctl itself has failed"
    assert len(told) <= 12 * 1024 and SECRET.encode() not in told and b"root:" not in told
    assert not set(told) & set(range(32)) - set(b"\t\n")
    if code == 1:
        assert any(text.encode() in told for text in wanted if text is not None)
    else:
        assert None in wanted
