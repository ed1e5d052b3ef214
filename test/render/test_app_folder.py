"""displayctl app render: which files of an app it loads."""

import pytest
from app_render import frames, needs_starlark, needs_typescript, run

ROOM = """load("render.star", "render")
load("./lib/draw.star", "draw")
load( 'dot.svg',
    dot = "file")
load("i18n.star", "tr")
def main():
    return render.Root(child = render.Row([render.Image(src = dot.readall()), draw(tr("hello"))]))
"""


def write_room(folder):
    """An app of several files, with some that it does not load."""
    for name, text in {
        "room.star": ROOM,
        "lib/draw.star": 'load("render.star", "render")\nload("colour.txt", colour = "file")\n'
                         "def draw(text):\n    return render.Text(text, color = colour.readall())\n",
        "colour.txt": "#0f0",
        "dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
                   '<rect width="9" height="9" fill="#f0f"/></svg>',
        "locales/en.json": '{"hello": "Good day"}',
        "demo.gif": "x" * (9 << 20),
        **{f"pictures/{number}": "" for number in range(600)},
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@needs_starlark
def test_files_that_nothing_loads_are_left_out(tmp_path):
    """Such files may be pictures for a catalogue, which may be many and large."""
    write_room(tmp_path / "room")
    done = run(tmp_path / "room", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "")
    (shown, _), = frames(tmp_path / "out.webp")
    assert b"\xff\0\xff\xff" in shown and b"\0\xff\0\xff" in shown


@needs_starlark
def test_a_script_has_the_files_of_its_folder(tmp_path, monkeypatch):
    """The result matches the library's own command, even if other scripts are in the folder."""
    folder = tmp_path / "room"
    write_room(folder)
    done = run(folder, "-o", tmp_path / "folder.webp")
    assert done.returncode == 0
    (folder / "other.star").write_text("def main():\n    return []\n")
    (folder / "broken.star").write_text("def main(:\n")
    done = run(folder / "room.star", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(frames(tmp_path / "out.webp")) == list(frames(tmp_path / "folder.webp"))

    (folder / "lib/draw.star").write_text("\ndef draw(text):\n    return text[99]\n")
    done = run(folder / "room.star", "--check")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{folder}/lib/draw.star:3:16: ")
    monkeypatch.chdir(folder)
    assert run("room.star", "--check").stderr.startswith("./lib/draw.star:3:16: ")
    (folder / "room.star").write_text("\n\ndef main():\n    return 1 + ''\n")
    assert run("room.star", "--check").stderr.startswith("room.star:4:14: ")


@needs_starlark
def test_a_script_has_its_translations_only(tmp_path):
    """Only JSON of the first level."""
    folder = tmp_path / "room"
    write_room(folder)
    for name in ("locales/raw.bin", "locales/deep/en.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x" * (9 << 20))
    done = run(folder / "room.star", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "")
    # The folder of an app may be a symbolic link, too.
    (folder / "locales/raw.bin").unlink()
    (folder / "locales/deep/en.json").unlink()
    (tmp_path / "link").symlink_to(folder)
    done = run(tmp_path / "link", "-o", tmp_path / "link.webp")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(frames(tmp_path / "link.webp")) == list(frames(tmp_path / "out.webp"))


@needs_starlark
def test_links_within_an_app_are_not_followed(tmp_path):
    """Neither if the folder is named, nor if its script is."""
    folder = tmp_path / "room"
    write_room(folder)
    for name in ("locales", "lib"):
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(f"../{name}")
    for path in (folder, folder / "room.star"):
        done = run(path, "-o", tmp_path / "out.webp")
        assert done.returncode != 0 and "lib" in done.stderr, done
    # Neither to a folder beside it whose path begins alike, nor to the folder itself.
    (folder / "lib").unlink()
    (tmp_path / "lib").rename(tmp_path / "room-lib")
    for target in ("../room-lib", "."):
        (folder / "lib").symlink_to(target)
        done = run(folder / "room.star", "-o", tmp_path / "out.webp")
        assert done.returncode != 0 and "lib" in done.stderr, done
        (folder / "lib").unlink()
    (folder / "lib").symlink_to(".")
    (folder / "other.star").write_text('load("lib", "x")\n')
    assert run(folder / "other.star", "--check").returncode == 1
    (folder / "lib").unlink()
    (folder / "other.star").unlink()
    (tmp_path / "room-lib").rename(folder / "lib")
    for path in (folder, folder / "room.star"):
        assert run(path, "-o", tmp_path / f"{path.stem}{path.suffix}.webp").returncode == 0
    assert list(frames(tmp_path / "room.webp")) == list(frames(tmp_path / "room.star.webp"))


@needs_starlark
@pytest.mark.parametrize("name", ["../secret.star", "/etc/hostname", "link.txt", ".hidden", "lib"])
def test_a_script_has_nothing_else(name, tmp_path):
    folder = tmp_path / "room"
    (folder / "lib").mkdir(parents=True)
    (tmp_path / "secret.star").write_text("file = 7\n")
    (folder / ".hidden").write_text("hidden")
    (folder / "link.txt").symlink_to(tmp_path / "secret.star")
    (folder / "mine.star").write_text(f'load("{name}", "file")\ndef main():\n    return []\n')
    done = run(folder / "mine.star", "--check")
    assert done.returncode == 1 and "nor a module" in done.stderr


@needs_typescript
def test_a_folder_with_one_script_names_its_file(tmp_path):
    """The author's own file, and its manifest counts."""
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "mine.ts").write_text("export default () => {\n    throw new Error('mine');\n};\n")
    (folder / "panel.d.ts").write_text("no script")
    (folder / "README.md").write_text("-- no file --\n")
    done = run(folder, "--check")
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, f"{folder}/mine.ts:2:11: Error: mine")
    (folder / "manifest.yaml").write_text("recommendedInterval: 0\n")
    done = run(folder, "--check")
    assert done.stderr.splitlines()[0] == f"{folder}/mine.ts:2:11: Error: mine"
    (folder / "mine.ts").write_text("\nlet a: = 1;\n")
    assert run(folder, "-o", tmp_path / "out.webp").stderr.startswith(f"{folder}/mine.ts:2:8: ")
    (folder / "mine.ts").rename(folder / "app.ts")
    assert run(folder, "-o", tmp_path / "out.webp").stderr.startswith(f"{folder}/app.ts:2:8: ")
