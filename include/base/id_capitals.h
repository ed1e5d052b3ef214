/* IDs that callers write with capital letters. */
#pragma once

#include <text/str.h>

/* Whether text is a UUID with capital letters, so that an entry may be meant whose ID this server
 * made: in lower case. Other texts are names that programs chose, which differ by case. */
bool id_has_capitals(struct str text);
