/* Usual messages of panels, which are read without a parser of JSON. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

/* Reads the number of a message that is start, a number and "}". Returns false if the text is
 * anything else. */
bool panel_message_number(struct str text, struct str start, int64_t *ret_number);
