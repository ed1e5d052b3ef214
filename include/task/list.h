/* Lists: the answer is a JSON array of rows, complete or the part that the caller asks for.
 *
 *   GET .../devices                        all of them
 *     up to LIMIT_LIST_SHORT elements      one read, with the other callers' reads
 *     more                                 read over a connection of its own (db/list_query.h), and
 *                                          written as it is read, in portions (http/stream.h)
 *   GET .../devices?limit=N&cursor=C       at most N elements behind the place C, and a Link with
 *                                          the next part where there is one. It ends before N
 *                                          where it has LIMIT_LIST_PART_BYTES
 *
 * A place is the sort key of an element, so that a part begins at the right one also where
 * elements were added or removed meanwhile. */
#pragma once

#include "task/task.h"

/* A sort key; a list uses those members that it needs. */
struct list_position {
	int64_t number;
	struct id id;
	struct str text;
};

struct list_range {
	struct list_position after;
	int64_t limit; /* elements, at most */
};

enum { LIST_PARAMETERS_MAX = 2 };

/* A list that an endpoint answers with; static. */
struct task_list {
	char letter; /* of its cursors: no other list has it */
	/* Query parameters that say which elements are wanted: the next part has them, too. */
	const char *parameters[LIST_PARAMETERS_MAX];
	/* Fills the query: all elements, but at most LIMIT_LIST_SHORT + 1. */
	void (*ask_short)(struct task *task, struct db_query *query);
	/* Last columns of these rows that no answer shows, nor its entity tag. */
	unsigned unshown_columns;
	/* Fills the query: the range. Its rows begin with the columns that are shown.
	 * NULL: the list never has more than LIMIT_LIST_SHORT elements, and no parts. */
	void (*ask_part)(struct task *task, struct db_query *query, const struct list_range *range);
	/* NULL, or whether a row of ask_short() says that the elements are too large for a short
	 * list, however few there are: then they are read as a long one, and so are all parts. */
	bool (*is_large)(const void *row);
	/* NULL, or sets members of a row that the database does not have. */
	void (*complete)(struct task *task, void *row);
	/* Whether a long list is sent in gzip to callers that accept it. Only for elements without
	 * secrets, as the size of an answer tells of what is in it (BREACH). */
	bool is_compressed;
	const struct record *record; /* of an element in the answer */
	/* Append the text of a row, and what ends the answer, for task_reply_lines(). */
	void (*write_line)(struct task *task, const void *row, struct buffer *text);
	void (*write_end)(struct task *task, struct buffer *text);
	/* NULL, or the member of an object in which the array lies: {"devices":[...]} */
	const char *envelope;
	struct list_position start; /* before all elements */
	/* The place of a row of ask_part(); its text may lie in the row. */
	struct list_position (*position)(const void *row);
};

/* The query parameter of this name, true or false; absent: false. Returns true, with the answer
 * 400, if it is anything else. */
__attribute__((warn_unused_result)) bool task_has_bad_switch(struct task *task, const char *name,
							     bool *ret_is_on,
							     struct step_result *ret_answer);

/* Answers 200 with all rows of ask_part(), whose range has no limit, each as a text: for elements
 * that are of several kinds. */
__attribute__((warn_unused_result)) struct step_result
task_reply_lines(struct task *task, const struct task_list *list);
/* Answers 200 with the list or the wanted part. Short lists and parts have an ETag, and are
 * answered 304 where the caller has them. */
__attribute__((warn_unused_result)) struct step_result
task_reply_list(struct task *task, const struct task_list *list);
