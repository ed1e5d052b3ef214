/* Parses the errors that esbuild prints. */
#pragma once

#include <text/str.h>

/* The name that the only file of an app in TypeScript has. */
#define COMPLAINT_SOLE_FILE "app.ts"

struct complaint {
	struct str message; /* in the text, or static */
	int line, column;   /* from 1; 0: not known */
};

/* Finds the first complaint: "X [ERROR] MESSAGE\n\n    app.ts:LINE:COLUMN:", the column in bytes
 * from 0. False: there is none. */
bool complaint_read(struct str text, struct complaint *ret_complaint);
