/* Writes to the same thing, in the order in which they were submitted.
 *
 * A line has its writes under way in one batch, or they wait; no later one of them overtakes an
 * earlier one, whatever becomes of that. What its writes have in common is their first parameter:
 * a device's ID. A write without such a key has a line to itself. */
#pragma once

#include "base/map.h"
#include "db/query.h"

enum { LINE_KEY_MAX = 32 };

struct write_line {
	struct map_node node;
	struct list turn;     /* in a queue of lines; in none while writes are under way */
	struct list queries;  /* of struct db_query: wait */
	struct list returned; /* did not happen, and come before those that wait */
	unsigned count;	      /* of both */
	unsigned under_way;
	bool has_met_lock;
	bool is_blocked; /* see blocked.h */
	bool is_mapped;
	struct id account_id; /* of the first write */
	uint8_t key[LINE_KEY_MAX];
};

/* A zeroed struct lines is a valid empty one. */
struct lines {
	struct map map; /* of those with a key */
};

/* The line of a write, made where there is none: then it is in no queue. */
struct write_line *line_of(struct lines *lines, struct db_query *query);
/* No write waits or is under way. */
void line_destroy(struct lines *lines, struct write_line *line);
void lines_finish(struct lines *lines);

/* Appends a write to those that wait. */
void line_append(struct write_line *line, struct db_query *query);
/* Puts a write that was under way among the returned ones. */
void line_return(struct write_line *line, struct db_query *query);
/* Takes the first write that waits; NULL: none does. */
struct db_query *line_take(struct write_line *line);
/* The first write that waits, which stays there; NULL: none does. */
struct db_query *line_first(struct write_line *line);
struct write_line *line_at(struct list *turn);
