/* Numbers of a JSON text, judged by their literal: a double would take 14.99999999999999999999 for
 * 15. */
#pragma once

#include <text/str.h>

#include <stdbool.h>
#include <stdint.h>

/* Reads a literal of JSON's grammar, of at most LIMIT_JSON_NUMBER characters. Returns false if it
 * has a fraction or does not fit. "10.0" and "1e1" are 10. */
bool json_number_to_integer(struct str literal, int64_t *ret_integer);

/* Reads a literal as the nearest double. Returns false if the double would be infinite. */
bool json_number_to_double(struct str literal, double *ret_number);
