#include "beats.h"
#include "base/memory.h"
#include "base/require.h"
#include "hint_statements.h"

#include <stdlib.h>
#include <string.h>

struct beat_writer {
	struct id instance;
	int32_t number;
	int64_t through_us, seen_us; /* as they stand in its row */
	uint64_t through_ms;	     /* its hints of before have arrived; time of the loop */
	uint64_t seen_ms;	     /* when it was surely running; time of the loop */
	uint64_t known_ms;	     /* when it was first seen; time of the loop */
};

static uint64_t number_of(const struct db_result *result, unsigned row, unsigned column)
{
	struct record_value value = db_value(result, row, column);
	uint64_t number = 0;

	for (uint32_t i = 0; i < value.length; i++)
		number = number << 8 | value.data[i];
	return number;
}

static struct beat_writer read_row(const struct db_result *result, unsigned row)
{
	struct beat_writer writer = {
	    .number = (int32_t)number_of(result, row, LOOK_WORKER),
	    .through_us = (int64_t)number_of(result, row, LOOK_THROUGH),
	    .seen_us = (int64_t)number_of(result, row, LOOK_SEEN),
	};
	struct record_value instance = db_value(result, row, LOOK_INSTANCE);

	require(instance.length == ID_BYTES);
	memcpy(writer.instance.bytes, instance.data, ID_BYTES);
	return writer;
}

/* Every program that may connect to the database can write any times. */
static uint64_t before(uint64_t sent_ms, int64_t clock_us, int64_t us)
{
	int64_t age_us;

	if (__builtin_sub_overflow(clock_us, us, &age_us))
		return us < clock_us ? 0 : sent_ms;
	if (age_us <= 0)
		return sent_ms;
	return (uint64_t)age_us / 1000 < sent_ms ? sent_ms - (uint64_t)age_us / 1000 : 0;
}

static int order(const struct beat_writer *a, const struct beat_writer *b)
{
	int of_instances = memcmp(a->instance.bytes, b->instance.bytes, ID_BYTES);

	return of_instances ? of_instances : (a->number > b->number) - (a->number < b->number);
}

/* old: what is known of this writer; NULL: nothing. */
static void judge(struct beat_writer *writer, const struct beat_writer *old, int64_t clock_us,
		  uint64_t sent_ms)
{
	if (old && old->through_us == writer->through_us)
		writer->through_ms = old->through_ms;
	else
		writer->through_ms = before(sent_ms, clock_us, writer->through_us);
	if (!old)
		writer->seen_ms = before(sent_ms, clock_us, writer->seen_us);
	else
		writer->seen_ms = old->seen_us == writer->seen_us ? old->seen_ms : sent_ms;
	writer->known_ms = old ? old->known_ms : sent_ms;
}

static void keep(struct beats *beats, const struct beat_writer *writer, uint64_t sent_ms)
{
	if (sent_ms - writer->seen_ms >= BEAT_FORGET_MS)
		return;
	beats->writers[beats->count++] = *writer;
	if (beats->others_since_ms < writer->known_ms)
		beats->others_since_ms = writer->known_ms;
}

void beats_take(struct beats *beats, const struct db_result *result, uint64_t sent_ms,
		uint64_t now_ms)
{
	const struct beat_writer *old = beats->writers;
	const struct beat_writer *end = old + beats->count;
	struct beats taken = {
	    .looked_ms = sent_ms,
	    .clock_ms = now_ms,
	    .clock_us = (int64_t)number_of(result, 0, LOOK_CLOCK),
	    .is_overfull = result->row_count > BEAT_WRITERS_MAX + 1,
	};

	taken.writers = memory_zalloc((beats->count + result->row_count) * sizeof(*old));
	/* The first row has the clock only. */
	for (unsigned i = 1; i < result->row_count; i++) {
		struct beat_writer writer = read_row(result, i);

		/* Rows are lost in a crash of PostgreSQL; their writers are not. */
		for (; old < end && order(old, &writer) < 0; old++)
			keep(&taken, old, sent_ms);
		judge(&writer, old < end && order(old, &writer) == 0 ? old : NULL, taken.clock_us,
		      sent_ms);
		old += old < end && order(old, &writer) == 0;
		if (!number_of(result, i, LOOK_LEFT))
			keep(&taken, &writer, sent_ms);
	}
	for (; old < end; old++)
		keep(&taken, old, sent_ms);
	if (taken.count > BEAT_WRITERS_MAX) {
		taken.count = BEAT_WRITERS_MAX;
		taken.is_overfull = true;
	}
	free(beats->writers);
	*beats = taken;
}

bool beats_know_others(const struct beats *beats)
{
	return beats->count > 0;
}

uint64_t beats_others_since_ms(const struct beats *beats)
{
	return beats->others_since_ms;
}

uint64_t beats_through_ms(const struct beats *beats)
{
	uint64_t through_ms = beats->is_overfull ? 0 : beats->looked_ms;

	for (unsigned i = 0; i < beats->count; i++) {
		if (beats->writers[i].through_ms < through_ms)
			through_ms = beats->writers[i].through_ms;
	}
	return through_ms;
}

int64_t beats_clock_us(const struct beats *beats, uint64_t ms)
{
	/* The statement read the clock before its answer came. */
	return beats->clock_us + ((int64_t)ms - (int64_t)beats->clock_ms) * 1000;
}

int64_t beats_clock_ahead_us(const struct beats *beats, int64_t wall_us, uint64_t now_ms)
{
	const int64_t since_1970_us = INT64_C(946684800) * 1000000; /* 2000-01-01 */

	return beats->looked_ms ? wall_us - since_1970_us - beats_clock_us(beats, now_ms) : 0;
}

void beats_finish(struct beats *beats)
{
	free(beats->writers);
	*beats = (struct beats){0};
}
