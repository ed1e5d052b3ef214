#!/usr/bin/env python3
"""local_time.py INPUT OUTPUT: lets quickjs.c ask for the offset of a local time.

The engine takes a local time for one of UTC when it looks for its offset: an hour is wrong, or half a day,
around each change of the clocks.
"""

import sys

OLD = "        tv += getTimezoneOffset(ti) * 60000;\n"
NEW = "        tv -= render_local_offset_ms(ti);\n"

with open(sys.argv[1], encoding="utf-8") as file:
    source = file.read()
if source.count(OLD) != 1:
    sys.exit("quickjs.c has another line there: look at set_date_fields()")
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("#include <stdint.h>\nint64_t render_local_offset_ms(int64_t local_ms);\n#line 1 \"quickjs.c\"\n")
    file.write(source.replace(OLD, NEW))
