/* Why something cannot be done: one sentence for a person, without the program's name. */
#pragma once

enum { REASON_BYTES = 1024 };

struct reason {
	char text[REASON_BYTES];
};

/* Fills it and returns -1. */
__attribute__((format(printf, 2, 3))) int reason_set(struct reason *reterr, const char *format,
						     ...);
