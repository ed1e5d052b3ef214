/* Ranges of lists. A statement with "-- list:" in its header (tools/statement_lists.py) reads them.
 */
#pragma once

#include "base/id.h"

#include <stdint.h>
#include <text/str.h>

/* List position: the sort key of a row; a list uses the members that it needs. */
struct list_position {
	int64_t number; /* also a time, in microseconds since 1970 */
	struct id id;
	struct str text;
};

struct list_range {
	struct list_position after;
	int64_t limit; /* maximum of rows; 0: the list from its start, one row more than a short
			  list has */
};

enum { LIST_KEYS_MAX = 2 };

/* Order of a list. */
struct list_order {
	const char *columns[LIST_KEYS_MAX]; /* of the row */
	struct list_position start;	    /* position before all rows */
};
