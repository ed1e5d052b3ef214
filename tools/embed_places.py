#!/usr/bin/env python3
"""Makes a C table of the world's larger places, to be found by their names.

    embed_places.py OUT FOLD_OUT

The places are GeoNames' (cities of 15,000 people and more), as Debian's libgeonames0 has them: a
GVariant of type a(sssssssudd) among the resources of its library. libgeonames-common has their names
in other languages. Without these packages the table is empty.

A place is found by each of its names, folded: without accents and case (src/domain/places.h has the
form of the tables).
"""

import gettext
import glob
import shutil
import struct
import subprocess
import sys
import unicodedata

RESOURCE = "/com/lomiri/geonames/cities.compiled"
# Of the names in other languages: those in which most of the pages' readers will type.
LANGUAGES = """be bg bs ca cs cy da de el es et eu fi fr ga gl hr hu id is it lt lv mk nb nl nn pl pt
    ro ru sk sl sq sr sv tr uk vi""".split()
# The characters that are folded: Latin, Greek and Cyrillic with all their variants.
RANGES = [(0x00, 0x530), (0x1E00, 0x2000), (0x2010, 0x2030)]
PLAIN = {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "æ": "ae", "œ": "oe", "ħ": "h",
         "ŧ": "t", "ŋ": "n", "ə": "e", "ß": "ss", "ʻ": "", "ʼ": "", "’": "", "‘": "", "'": "", "`": "",
         "-": " ", "–": " ", ".": "", "ь": "", "ъ": ""}
NAME_BYTES_MAX = 100
FOLDED_BYTES_MAX = 3  # of a character


def fold_character(character):
    plain = "".join(PLAIN.get(c, c) for c in character.lower())
    spread = unicodedata.normalize("NFKD", plain)
    kept = "".join(c for c in spread if not unicodedata.combining(c) and unicodedata.category(c) != "Cc")
    folded = "".join(PLAIN.get(c, c) for c in kept.casefold())
    return folded if len(folded.encode()) <= FOLDED_BYTES_MAX else character


def fold(text):
    """As place_fold() of src/domain/places.c does it."""
    return " ".join("".join(fold_character(c) if any(a <= ord(c) < b for a, b in RANGES) else c
                            for c in text).split())


def read_resource():
    libraries = sorted(glob.glob("/usr/lib/*/libgeonames.so.0"))
    if not libraries or not shutil.which("gresource"):
        return b""
    return subprocess.run(["gresource", "extract", libraries[0], RESOURCE], check=True,
                          stdout=subprocess.PIPE).stdout


def read_places(data):
    """GVariant: the ends of the elements stand behind the last one, in four bytes each."""
    if not data:
        return
    last, = struct.unpack("<I", data[-4:])
    begin = 0
    for end, in struct.iter_unpack("<I", data[last:]):
        *texts, rest = data[begin:end].split(b"\0", 7)
        at = end - len(rest)
        at = begin + -(-(at - begin) // 4) * 4
        population, = struct.unpack_from("<I", data, at)
        at = begin + -(-(at + 4 - begin) // 8) * 8
        latitude, longitude = struct.unpack_from("<dd", data, at)
        number, name, _, region, country, country_name, zone = (text.decode() for text in texts)
        yield number, name, region, country, country_name, zone, population, latitude, longitude
        begin = -(-end // 8) * 8


def read_translations():
    for language in LANGUAGES:
        for path in glob.glob(f"/usr/share/locale/{language}/LC_MESSAGES/geonames.mo"):
            with open(path, "rb") as file:
                yield from gettext.GNUTranslations(file)._catalog.items()


class Texts:
    """Texts one behind the other, each once."""

    def __init__(self):
        self.data = bytearray()
        self.offsets = {}

    def add(self, text):
        encoded = text.encode()
        if encoded not in self.offsets:
            self.offsets[encoded] = len(self.data)
            self.data += encoded + b"\0"
        return self.offsets[encoded]


def literal(data):
    """A C string; lines end behind a NUL, so that no escape runs into the next line."""
    def show(octet):
        if 32 <= octet < 127 and chr(octet) not in '"\\?':
            return chr(octet)
        return f"\\{octet:03o}"
    step = 4096
    return "\n".join('"' + "".join(show(o) for o in data[i:i + step]) + '"'
                     for i in range(0, len(data), step)) or '""'


def array(kind, name, rows):
    rows = list(rows)
    return [f"extern const {kind} {name}[];", f"const {kind} {name}[] = {{", *rows,
            *([] if rows else ["\t{0},"]), "};",
            f"extern const unsigned {name}_count;", f"const unsigned {name}_count = {len(rows)};"]


def make_places():
    texts = Texts()
    places, names, zones, countries = [], {}, {}, {}
    for row in read_places(read_resource()):
        number, name, region, country, country_name, zone, population, latitude, longitude = row
        if len(name.encode()) > NAME_BYTES_MAX or len(country) != 2:
            continue
        names.setdefault(number, (len(places), set()))[1].add(fold(name))
        countries[country] = country_name
        places.append(f"\t{{{texts.add(name)}, {texts.add(region)}, {round(latitude * 10000)}, "
                      f"{round(longitude * 10000)}, {population}, "
                      f"{zones.setdefault(zone, len(zones))}, \"{country}\"}},")
    for number, name in read_translations():
        if number in names and len(name.encode()) <= NAME_BYTES_MAX:
            names[number][1].add(fold(name))
    keys = sorted((name.encode(), place) for place, folded in names.values() for name in folded if name)
    lines = ['#include "places.h"', ""]
    lines += array("struct place_row", "place_rows", places)
    lines += array("struct place_key", "place_keys",
                   (f"\t{{{texts.add(key.decode())}, {place}}}," for key, place in keys))
    lines += array("struct place_zone", "place_zones", (f"\t{{{texts.add(zone)}}}," for zone in zones))
    lines += array("struct place_country", "place_countries",
                   (f"\t{{\"{code}\", {texts.add(name)}}}," for code, name in sorted(countries.items())))
    return lines + ["extern const char place_texts[];", "const char place_texts[] =",
                    literal(bytes(texts.data)) + ";", ""]


def make_folds():
    """What each character becomes."""
    rows = []
    for begin, end in RANGES:
        for code in range(begin, end):
            folded = fold_character(chr(code)).encode()
            rows.append(f"\t{{{len(folded)}, {literal(folded)}}},")
    ranges = [f"\t{{{begin:#x}, {end:#x}}}," for begin, end in RANGES]
    return ['#include "places.h"', ""] + array("struct place_range", "place_ranges", ranges) + \
        array("struct place_fold", "place_folds", rows) + [""]


def main():
    for path, lines in zip(sys.argv[1:], (make_places(), make_folds())):
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines))


main()
