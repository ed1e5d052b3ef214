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

#include "db/list_range.h"
#include "task/task.h"

enum { LIST_PARAMETERS_MAX = 4, LIST_TEXTS_MAX = 3, LIST_WORDS_MAX = 4 };

/* Query parameter that selects elements of a list. */
struct list_parameter {
	const char *name; /* NULL: none */
	bool is_switch;	  /* true or false; else the next of the texts */
	/* Its texts, up to NULL; none: any text. */
	const char *words[LIST_WORDS_MAX];
};

/* Values of these parameters. A list with parameters has this as its task's state, or as the first
 * member of the state. */
struct list_choice {
	struct str texts[LIST_TEXTS_MAX]; /* empty: none */
	bool is_on;
};

/* List that an endpoint answers with; static. tools/list_endpoints.py makes those that need nothing
 * but their statement. */
struct task_list {
	char letter; /* letter of its cursors, unique among lists */
	/* Links to the next part repeat them. */
	struct list_parameter parameters[LIST_PARAMETERS_MAX];
	/* Fills the query for a range. Its rows begin with the shown columns. */
	void (*ask)(struct task *task, struct db_query *query, const struct list_range *range);
	/* Order of the statement, STATEMENT_order. NULL: the list never has more than
	 * LIMIT_LIST_SHORT elements, and no parts. */
	const struct list_order *order;
	/* Number of last columns of the rows that neither the answer nor its entity tag includes.
	 */
	unsigned unshown_columns;
	/* Whether the rows of a short list have a column is_large. If it is true, their elements
	 * are too large for a short list, however few: then they are read as a long list. All parts
	 * of such a list are. */
	bool may_be_large;
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
};

/* Reads a query parameter that is true or false; absent: false. Returns true, with the answer 400,
 * if it is anything else. */
__attribute__((warn_unused_result)) bool task_has_bad_switch(struct task *task, const char *name,
							     bool *ret_is_on,
							     struct step_result *ret_answer);

/* Reads a query parameter that is a text of at most LIMIT_SEARCH_BYTES; absent: empty. Returns
 * true, with the answer 400, if it is anything else. */
__attribute__((warn_unused_result)) bool task_has_bad_text(struct task *task, const char *name,
							   struct str *ret_text,
							   struct step_result *ret_answer);

/* Answers 200 with all rows of ask(), whose range has no limit, each as a text: for elements of
 * several kinds. */
__attribute__((warn_unused_result)) struct step_result
task_reply_lines(struct task *task, const struct task_list *list);
/* Answers 200 with the list or the wanted part. Short lists and parts have an ETag, and are
 * answered 304 if the caller has them. */
__attribute__((warn_unused_result)) struct step_result
task_reply_list(struct task *task, const struct task_list *list);
