/* Judges the writers of other instances by their beats, the rows of the table hint_beat. A writer
 * is a worker, or all workers of an instance.
 *
 * Its hint connection writes four times a second, while another instance is known: "the hints of
 * all changes that I answered before through_at are sent". A reader whose own hint
 * connection has seen that beat has those hints. While a writer's beat stays old, its hints may be
 * missing, whatever the reason: its hint connection hangs or cannot be opened, or it was killed.
 *
 *   writer  change, answer -> NOTIFY -> beat
 *   reader  look: notifications, beats -> beats_through_ms() -> answers from memory, or not
 *
 * Both times of a row are the database's, and are compared with the database's clock in the
 * statement that reads them. Whether a row has changed since is judged by the reader's own clock,
 * so a database whose clock is set back does not make an old beat new.
 *
 * seen_at says that a writer runs: one that was not seen for 60 s is forgotten. A writer whose hint
 * connection is away renews it by a write (hint_seen.sql), so that it is never forgotten while its
 * writes go on. */
#pragma once

#include "base/id.h"
#include "db/query.h"

/* More writers than these are not kept: then none is trusted. */
enum { BEAT_WRITERS_MAX = 1024, BEAT_FORGET_MS = 60 * 1000 };

struct beat_writer;

/* A zeroed struct knows no writer. */
struct beats {
	struct beat_writer *writers; /* by instance and number */
	unsigned count;
	bool is_overfull;
	int64_t clock_us;	  /* the database's clock at the last look */
	uint64_t looked_ms;	  /* when the last look that was answered was sent; 0: never */
	uint64_t clock_ms;	  /* when its answer came */
	uint64_t others_since_ms; /* see beats_others_since_ms() */
};

/* Takes the rows of a look that was sent at sent_ms; both times are loop_now_ms(). */
void beats_take(struct beats *beats, const struct db_result *result, uint64_t sent_ms,
		uint64_t now_ms);

/* Whether a writer of another instance is known. */
bool beats_know_others(const struct beats *beats);
/* When the youngest of the known writers of other instances was first seen, by the time of the
 * loop; 0: none is known. */
uint64_t beats_others_since_ms(const struct beats *beats);
/* The hints of all changes that any known writer of another instance answered before this time of
 * the loop have arrived. */
uint64_t beats_through_ms(const struct beats *beats);
/* The database's clock at a time of the loop up to now, or a little earlier: microseconds since
 * 2000. Needs a look. */
int64_t beats_clock_us(const struct beats *beats, uint64_t ms);

/* By how much wall_us, the clock of this machine at now_ms, is ahead of the database's; 0: there
 * was no look. */
int64_t beats_clock_ahead_us(const struct beats *beats, int64_t wall_us, uint64_t now_ms);

void beats_finish(struct beats *beats);
