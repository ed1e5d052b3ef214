/* Parses the errors that esbuild prints. */
#pragma once

#include <text/str.h>

/* Name of the only file of an app in TypeScript. */
#define COMPLAINT_SOLE_FILE "app.ts"

struct complaint {
	struct str message; /* in the text, or static */
	int line, column;   /* from 1; 0: unknown */
};

/* Finds the first complaint: "X [ERROR] MESSAGE\n\n    app.ts:LINE:COLUMN:", the column in bytes
 * from 0. Returns false if there is none. */
bool complaint_read(struct str text, struct complaint *ret_complaint);
