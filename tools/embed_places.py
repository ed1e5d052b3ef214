#!/usr/bin/env python3
"""Makes a C table of the world's larger places, to be found by their names.

    embed_places.py OUT FOLD_OUT

The places are GeoNames' (cities of 15,000 people and more), as Debian's libgeonames0 has them: a
GVariant of type a(sssssssudd) among the resources of its library. libgeonames-common has their names
in other languages. Without these packages the table is empty.

A place is found by each of its names, folded: without accents and case. Places are numbered by
population, the largest first, and each name has the number of its area, the region of a country: so a
search reads one run of keys and nothing else (src/domain/places.h has the form of the tables).
"""

import gettext
import glob
import shutil
import struct
import subprocess
import sys
import unicodedata

RESOURCE = "/com/lomiri/geonames/cities.compiled"
# Languages of other names: most users of the pages will type in one of these.
LANGUAGES = """be bg bs ca cs cy da de el es et eu fi fr ga gl hr hu id is it lt lv mk nb nl nn pl pt
    ro ru sk sl sq sr sv tr uk vi""".split()
# Characters to fold: Latin, Greek and Cyrillic with all their variants.
RANGES = [(0x00, 0x530), (0x1E00, 0x2000), (0x2010, 0x2030)]
PLAIN = {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "æ": "ae", "œ": "oe", "ħ": "h",
         "ŧ": "t", "ŋ": "n", "ə": "e", "ß": "ss", "ʻ": "", "ʼ": "", "’": "", "‘": "", "'": "", "`": "",
         "-": " ", "–": " ", ".": "", "ь": "", "ъ": ""}
NAME_BYTES_MAX = 100
# Abbreviations with which people write regions: "Portland, ME".
STATES = {
    "US": """AL Alabama AK Alaska AZ Arizona AR Arkansas CA California CO Colorado CT Connecticut DE Delaware
        DC District_of_Columbia FL Florida GA Georgia HI Hawaii ID Idaho IL Illinois IN Indiana IA Iowa KS Kansas
        KY Kentucky LA Louisiana ME Maine MD Maryland MA Massachusetts MI Michigan MN Minnesota MS Mississippi
        MO Missouri MT Montana NE Nebraska NV Nevada NH New_Hampshire NJ New_Jersey NM New_Mexico NY New_York
        NC North_Carolina ND North_Dakota OH Ohio OK Oklahoma OR Oregon PA Pennsylvania RI Rhode_Island
        SC South_Carolina SD South_Dakota TN Tennessee TX Texas UT Utah VT Vermont VA Virginia WA Washington
        WV West_Virginia WI Wisconsin WY Wyoming""",
    "CA": """AB Alberta BC British_Columbia MB Manitoba NB New_Brunswick NL Newfoundland_and_Labrador
        NS Nova_Scotia NT Northwest_Territories NU Nunavut ON Ontario PE Prince_Edward_Island QC Quebec
        SK Saskatchewan YT Yukon""",
    "AU": """ACT Australian_Capital_Territory NSW New_South_Wales NT Northern_Territory QLD Queensland
        SA South_Australia TAS Tasmania VIC Victoria WA Western_Australia"""}
# Regions that the list names differently.
REGIONS = {"State of Maine": "Maine", "State of Wyoming": "Wyoming", "Yukon Territory": "Yukon"}
PLACES_MAX = 65536
AREAS_MAX = 8192  # as PLACE_AREAS_MAX of src/domain/places.h
FOLDED_BYTES_MAX = 3  # bytes of a folded character


def fold_character(character):
    plain = "".join(PLAIN.get(c, c) for c in character.lower())
    spread = unicodedata.normalize("NFKD", plain)
    kept = "".join(c for c in spread if not unicodedata.combining(c) and unicodedata.category(c) != "Cc")
    folded = "".join(PLAIN.get(c, c) for c in kept.casefold())
    return folded if len(folded.encode()) <= FOLDED_BYTES_MAX else character


def fold(text):
    """Folds a text like place_fold() of src/domain/places.c."""
    return " ".join("".join(fold_character(c) if any(a <= ord(c) < b for a, b in RANGES) else c
                            for c in text).split())


def read_resource():
    libraries = sorted(glob.glob("/usr/lib/*/libgeonames.so.0"))
    if not libraries or not shutil.which("gresource"):
        return b""
    return subprocess.run(["gresource", "extract", libraries[0], RESOURCE], check=True,
                          stdout=subprocess.PIPE).stdout


def read_places(data):
    """Packs a GVariant array: the ends of the elements follow the last one, in four bytes each."""
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
        yield number, name, REGIONS.get(region, region), country, country_name, zone, population, latitude, longitude
        begin = -(-end // 8) * 8


def read_translations():
    for language in LANGUAGES:
        for path in glob.glob(f"/usr/share/locale/{language}/LC_MESSAGES/geonames.mo"):
            with open(path, "rb") as file:
                yield from gettext.GNUTranslations(file)._catalog.items()


class Texts:
    """A pool of texts, each stored once."""

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
    """Returns a C string literal; its lines end after a NUL, so that no escape continues in the
    next line."""
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


def abbreviations():
    """Maps country and folded name of each region to its area."""
    found = {}
    for country, text in STATES.items():
        words = text.split()
        for short, name in zip(words[::2], words[1::2]):
            found[country, fold(name.replace("_", " "))] = short
    return found


def make_areas(rows):
    """Returns the number of each area, and the search keys of areas: (folded name, number)."""
    areas = {}
    for row in rows:
        areas.setdefault((row[2], row[3], row[4]), len(areas))
    if len(areas) > AREAS_MAX:
        sys.exit(f"{len(areas)} regions, and PLACE_AREAS_MAX is {AREAS_MAX}")
    short = abbreviations()
    named = [(names + (short.get((names[1], fold(names[0])), ""),), number) for names, number in areas.items()]
    keys = sorted({(fold(name).encode(), number) for names, number in named for name in names
                   if name and len(name.encode()) <= NAME_BYTES_MAX})
    return areas, keys


def make_places():
    texts = Texts()
    places, names, zones = [], {}, {}
    rows = [row for row in read_places(read_resource())
            if len(row[1].encode()) <= NAME_BYTES_MAX and len(row[3]) == 2]
    rows.sort(key=lambda row: -row[6])
    if len(rows) > PLACES_MAX:
        sys.exit(f"{len(rows)} places, and a key holds {PLACES_MAX}")
    areas, area_keys = make_areas(rows)
    area_of_place = [areas[row[2], row[3], row[4]] for row in rows]
    for number, name, region, country, _, zone, _, latitude, longitude in rows:
        names.setdefault(number, (len(places), set()))[1].add(fold(name))
        places.append(f"\t{{{texts.add(name)}, {texts.add(region)}, {round(latitude * 10000)}, "
                      f"{round(longitude * 10000)}, {zones.setdefault(zone, len(zones))}, \"{country}\"}},")
    for number, name in read_translations():
        if number in names and len(name.encode()) <= NAME_BYTES_MAX:
            names[number][1].add(fold(name))
    keys = sorted((name.encode(), place) for place, folded in names.values() for name in folded if name)
    lines = ['#include "places.h"', ""]
    lines += array("struct place_row", "place_rows", places)
    lines += array("struct place_key", "place_keys",
                   (f"\t{{{texts.add(key.decode())}, {place}, {area_of_place[place]}}}," for key, place in keys))
    lines += array("struct place_area_key", "place_area_keys",
                   (f"\t{{{texts.add(key.decode())}, {area}}}," for key, area in area_keys))
    lines += array("uint16_t", "places_by_latitude", (f"\t{place}," for place in sorted(
        range(len(rows)), key=lambda place: round(rows[place][7] * 10000))))
    lines += array("struct place_zone", "place_zones", (f"\t{{{texts.add(zone)}}}," for zone in zones))
    return lines + ["extern const char place_texts[];", "const char place_texts[] =",
                    literal(bytes(texts.data)) + ";", ""]


def make_folds():
    """Writes the table of replacements for each character."""
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
