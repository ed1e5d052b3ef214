/* Values that can be completed: words of a table, names of files, and what the server has names
 * for. */
#pragma once

#include "ctl/ctl.h"

enum { COMPLETION_OPTIONS_MAX = 8 };

struct completion {
	struct str current; /* the beginning of what is wanted */
	struct str before;  /* printed before each word */
	/* General options that were given, which say where the server is. */
	struct str options[COMPLETION_OPTIONS_MAX];
	unsigned option_count;
};

/* Keeps an option if it says where the server is, or who asks. */
void completion_note_option(struct ctl *ctl, struct completion *completion, const char *name,
			    struct str value);

/* Prints the word, and the first sentence about it, if it begins as wanted. */
void completion_offer(const struct completion *completion, struct str word, struct str about);

/* Prints the values that this argument can have, by its name in the table of commands: "on|off",
 * "FILE", "[EMAIL]". */
void completion_offer_value(struct ctl *ctl, const struct completion *completion,
			    struct str argument);
