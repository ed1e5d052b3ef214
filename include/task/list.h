/* Lists: the answer is a JSON array of rows, complete or the part that the caller asks for.
 *
 *   GET .../devices                        all of them
 *     up to LIMIT_LIST_SHORT elements      one read, with the other callers' reads
 *     more                                 read over a connection of its own (db/list_query.h), and
 *                                          written as it is read, in portions (http/stream.h)
 *   GET .../devices?limit=N&cursor=C       at most N elements after the list position C, and a Link
 *                                          to the next part if there is one. The part ends earlier
 *                                          if it reaches LIMIT_LIST_PART_BYTES
 *
 * A list position is the sort key of an element, so that a part begins correctly even if elements
 * were added or removed meanwhile. */
#pragma once

#include "task/task.h"

/* List position; a list uses the members that it needs. */
struct list_position {
	int64_t number;
	struct id id;
	struct str text;
};

struct list_range {
	struct list_position after;
	int64_t limit; /* maximum of elements */
};

enum { LIST_PARAMETERS_MAX = 2 };

/* List that an endpoint answers with; static. */
struct task_list {
	char letter; /* letter of its cursors, unique among lists */
	/* Query parameters that select elements: links to the next part repeat them. */
	const char *parameters[LIST_PARAMETERS_MAX];
	/* Fills the query for all elements, at most LIMIT_LIST_SHORT + 1. */
	void (*ask_short)(struct task *task, struct db_query *query);
	/* Number of last columns of these rows that neither the answer nor its entity tag includes.
	 */
	unsigned unshown_columns;
	/* Fills the query for a range. Its rows begin with the shown columns. NULL: the list never
	 * has more than LIMIT_LIST_SHORT elements, and no parts. */
	void (*ask_part)(struct task *task, struct db_query *query, const struct list_range *range);
	/* NULL, or tests by a row of ask_short() whether the elements are too large for a short
	 * list, however few: then they are read as a long list, and so are all parts. */
	bool (*is_large)(const void *row);
	/* NULL, or sets members of a row that the database does not have. */
	void (*complete)(struct task *task, void *row);
	/* Whether the list is sent in gzip to callers that accept it. Only for elements without
	 * secrets, since the size of a compressed answer reveals its contents (BREACH). */
	bool is_compressed;
	const struct record *record; /* record of an element in the answer */
	/* Append the text of a row, and the end of the answer, for task_reply_lines(). */
	void (*write_line)(struct task *task, const void *row, struct buffer *text);
	void (*write_end)(struct task *task, struct buffer *text);
	/* NULL, or the member of an object in which the array lies: {"devices":[...]} */
	const char *envelope;
	struct list_position start; /* position before all elements */
	/* Returns the list position of a row of ask_part(); its text may lie in the row. */
	struct list_position (*position)(const void *row);
};

/* Reads a query parameter that is true or false; absent: false. Returns true, with the answer 400,
 * if it is anything else. */
__attribute__((warn_unused_result)) bool task_has_bad_switch(struct task *task, const char *name,
							     bool *ret_is_on,
							     struct step_result *ret_answer);

/* Answers 200 with all rows of ask_part(), whose range has no limit, each as a text: for elements
 * of several kinds. */
__attribute__((warn_unused_result)) struct step_result
task_reply_lines(struct task *task, const struct task_list *list);
/* Answers 200 with the list or the wanted part. Short lists and parts have an ETag, and are
 * answered 304 if the caller has them. */
__attribute__((warn_unused_result)) struct step_result
task_reply_list(struct task *task, const struct task_list *list);
