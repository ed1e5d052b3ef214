/* Whole numbers as decimal text. printf() takes ten times as long, and answers and log lines are
 * full of numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest number: "-9223372036854775808". */
enum { DECIMAL_BYTES_MAX = 20 };

/* Writes the number without a NUL; returns its length in bytes. */
size_t decimal_format(int64_t number, char ret_text[static DECIMAL_BYTES_MAX]);
