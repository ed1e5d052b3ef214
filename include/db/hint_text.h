/* Texts within hints, percent-encoded: a word is printable ASCII without spaces, and ":" separates
 * its fields. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

#include <stdbool.h>

/* Whether text may be a word: printable ASCII without spaces, 1 to LIMIT_HINT_WORD_BYTES. */
bool hint_is_word(struct str text);
void hint_text_write(struct buffer *word, struct str text);
/* Decodes into the arena; data is NULL if the text is empty. Returns false unless it is well-formed
 * UTF-8 of at most max bytes without NUL. */
bool hint_text_read(struct str text, size_t max, struct arena *arena, struct str *ret_text);
/* Reads a decimal number of at most max, which must fit into an int64_t. */
bool hint_number_read(struct str text, unsigned long long max, int64_t *ret_number);
/* Splits a word into its fields. Returns true if there are exactly count fields. */
bool hint_split(struct str text, struct str *ret_fields, unsigned count);
