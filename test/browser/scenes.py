"""Pictures for the photographs of pages, like those that people have on their panels."""

import math
import os
import sys

from PIL import Image, ImageDraw

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

# pylint: disable=wrong-import-position
import images  # noqa: E402

# Rows of 3 dots, from the top; a letter is 3x5.
FONT = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717",
    "6": "74757", "7": "71122", "8": "75757", "9": "75717", ":": "02020", " ": "00000",
    "A": "25755", "B": "65656", "C": "34443", "D": "65556", "E": "74647", "G": "34553",
    "H": "55755", "I": "72227", "K": "55655", "L": "44447", "M": "57755", "N": "65555",
    "O": "25552", "P": "65644", "R": "65655", "S": "34216", "T": "72222", "U": "55557",
    "V": "55552", "W": "55775", "Y": "55222", "Z": "71247", "-": "00700", "'": "22000",
}
AMBER = (255, 176, 60)
GREY = (120, 120, 128)
GREEN = (90, 220, 120)
RED = (255, 84, 70)


def write(picture, text, left, top, colour, size=1):
    draw = ImageDraw.Draw(picture)
    for letter in text:
        for y, row in enumerate(FONT[letter]):
            for x in range(3):
                if int(row) & (4 >> x):
                    place = (left + size * x, top + size * y)
                    draw.rectangle([place, (place[0] + size - 1, place[1] + size - 1)], fill=colour)
        left += size * (2 if letter == ":" and size == 1 else 4)


def evening():
    """A low sun over water."""
    picture = images.solid((0, 0, 0))
    for y in range(32):
        for x in range(64):
            sun = (x - 44) ** 2 + ((y - 15) * 1.1) ** 2
            if y < 20:
                colour = (int(40 + 8 * y), int(12 + 4 * y), int(70 - 2 * y))
                colour = (255, 196, 70) if sun < 50 else colour
            else:
                glitter = abs(x - 44) < 9 - (y - 20) // 3 and (x * 7 + y * 13) % 5 < 2
                colour = (255, 170, 60) if glitter else (8, 26 + (y - 20), 58 + 2 * (y - 20))
            picture.putpixel((x, y), colour)
    return images.png(picture)


def clock():
    picture = images.solid((4, 6, 14))
    write(picture, "14", 4, 5, AMBER, 3)
    write(picture, "05", 37, 5, AMBER, 3)
    draw = ImageDraw.Draw(picture)
    for top in (9, 15):
        draw.rectangle([(30, top), (32, top + 2)], fill=AMBER)
    write(picture, "SUN 22 NOV", 13, 25, GREY)
    return images.png(picture)


def departures():
    picture = images.solid((0, 0, 0))
    for top, line, place, minutes, colour in ((2, "11", "HARBOUR", "2'", AMBER),
                                              (10, "6", "ZOO", "7'", AMBER),
                                              (18, "14", "OLD TOWN", "9'", AMBER),
                                              (26, "6", "AIRPORT", "17'", GREY)):
        write(picture, line, 1, top, GREEN)
        write(picture, place, 13, top, colour)
        write(picture, minutes, 64 - 4 * len(minutes), top, colour)
    return images.png(picture)


def waves():
    """An animation: light on water at night."""
    frames = []
    for step in range(24):
        picture = images.solid((0, 0, 0))
        for x in range(64):
            for depth, colour in enumerate(((18, 60, 120), (14, 104, 150), (40, 170, 190))):
                turn = 2 * math.pi * (x / (40 - 9 * depth) + step / 24 * (1 + depth % 2))
                height = 14 + 5 * depth + 3.2 * math.sin(turn)
                for y in range(32):
                    if y >= height:
                        fade = max(0.25, 1 - (y - height) / 14)
                        picture.putpixel((x, y), tuple(int(part * fade) for part in colour))
        draw = ImageDraw.Draw(picture)
        draw.ellipse([(50, 3), (56, 9)], fill=(240, 236, 210))
        draw.ellipse([(52, 2), (58, 8)], fill=(0, 0, 0))
        frames.append(picture)
    return images.animation("WEBP", frames, 80)


def build():
    picture = images.solid((0, 0, 0))
    for i in range(20):
        height = [9, 7, 8, 6, 7, 9, 12, 8, 7, 6, 5, 7, 6, 9, 8, 6, 5, 6, 7, 5][i]
        colour = RED if i == 6 else GREEN
        ImageDraw.Draw(picture).rectangle([(2 + 3 * i, 29 - height), (3 + 3 * i, 29)], fill=colour)
    write(picture, "BUILD", 2, 3, GREY)
    write(picture, "OK", 54, 3, GREEN)
    return images.png(picture)


def photo(size=(960, 640)):
    """A picture of another size, as a camera has it: hills under a sky."""
    picture = Image.new("RGB", size)
    draw = ImageDraw.Draw(picture)
    width, height = size
    for y in range(height):
        share = y / height
        draw.line([(0, y), (width, y)], fill=(int(90 + 150 * share), int(150 + 60 * share), 235))
    for depth, colour in enumerate(((70, 120, 110), (50, 98, 70), (28, 62, 40))):
        points = [(x, height * (0.5 + 0.16 * depth) + height * 0.07 *
                   math.sin(x / width * (5 + 3 * depth) + depth)) for x in range(0, width + 9, 8)]
        draw.polygon([(0, height), *points, (width, height)], fill=colour)
    draw.ellipse([(width * 0.68, height * 0.14), (width * 0.8, height * 0.32)], fill=(255, 240, 190))
    return images.encode(picture, "JPEG", quality=90)


def spinner(size=(128, 128)):
    """An animation of another size."""
    frames = []
    for step in range(8):
        picture = Image.new("RGB", size)
        ImageDraw.Draw(picture).pieslice([(8, 8), (size[0] - 8, size[1] - 8)], 45 * step,
                                         45 * step + 90, fill=AMBER)
        frames.append(picture)
    return images.animation("GIF", frames, 80)


SCENES = {"scene": evening, "clock": clock, "departures": departures, "waves": waves,
          "build": build, "photo": photo, "spinner": spinner}
