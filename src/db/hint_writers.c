#include "hint_writers.h"
#include "base/memory.h"
#include "base/require.h"
#include "beats.h"
#include "db/hint_text.h"
#include "db/hints.h"

#include <stdlib.h>
#include <string.h>

/* ---- a worker ---- */

size_t hint_writers_room(const struct hint_slot *own)
{
	uint64_t used = hint_log_head(&own->out) - atomic_load(&own->sent);
	uint64_t kept = HINT_LOG_BYTES - HINT_LOG_WORD_BYTES_MAX;

	return used < kept ? (size_t)(kept - used) : 0;
}

void hint_writers_lose(struct hint_slot *own, uint64_t now_ms)
{
	if (!atomic_load_explicit(&own->lost_ms, memory_order_relaxed))
		atomic_store(&own->lost_ms, now_ms);
}

bool hint_writers_add(struct hint_slot *own, struct str word, uint64_t now_ms)
{
	if (hint_writers_room(own) == 0) {
		hint_writers_lose(own, now_ms);
		return false;
	}
	hint_log_add(&own->out, word);
	return true;
}

bool hint_writers_are_sent(const struct hint_slot *own)
{
	return hint_log_head(&own->out) == atomic_load(&own->sent);
}

/* ---- the carrier ---- */

static struct hint_slot *slot_of(const struct hint_gathering *gathering, unsigned i)
{
	return region_slot(gathering->shared, &hint_region, i);
}

void hint_gathering_init(struct hint_gathering *gathering, struct region_map *shared,
			 unsigned worker_slots)
{
	*gathering = (struct hint_gathering){
	    .shared = shared,
	    .worker_slots = worker_slots,
	    .taken = memory_zalloc(worker_slots * sizeof(uint64_t)),
	};
}

void hint_gathering_finish(struct hint_gathering *gathering)
{
	free(gathering->taken);
}

void hint_gathering_begin(struct hint_gathering *gathering)
{
	for (unsigned i = 0; i < gathering->worker_slots; i++)
		gathering->taken[i] = atomic_load(&slot_of(gathering, i)->sent);
	gathering->begun_ms = gathering->drained_ms = 0;
}

bool hint_gathering_has_words(const struct hint_gathering *gathering)
{
	for (unsigned i = 0; i < gathering->worker_slots; i++)
		if (hint_log_head(&slot_of(gathering, i)->out) != gathering->taken[i])
			return true;
	return false;
}

/* Takes words of a slot while they fit. Returns false if some do not. */
static bool take_of(struct hint_gathering *gathering, unsigned i, char *payload, size_t size,
		    size_t *length)
{
	const struct hint_log *out = &slot_of(gathering, i)->out;
	char room[HINT_LOG_ROOM];
	uint64_t position = gathering->taken[i];
	enum hint_log_read read;
	struct str word;

	while ((read = hint_log_read(out, &position, room, &word)) == HINT_LOG_WORD) {
		if (*length + word.length + 1 > size)
			return false;
		gathering->taken[i] = position;
		if (!hint_is_word(word))
			continue;
		memcpy(payload + *length, word.data, word.length);
		payload[*length + word.length] = ' ';
		*length += word.length + 1;
	}
	if (read == HINT_LOG_LOST)
		gathering->taken[i] = hint_log_head(out);
	return true;
}

size_t hint_gathering_take(struct hint_gathering *gathering, char *payload, size_t size,
			   uint64_t now_ms)
{
	unsigned slots = gathering->worker_slots;
	bool is_drained = true;
	size_t length = 0;

	require(slots > 0);
	for (unsigned i = 0; i < slots && is_drained; i++)
		is_drained =
		    take_of(gathering, (gathering->first + i) % slots, payload, size, &length);
	gathering->first = (gathering->first + 1) % slots;
	gathering->begun_ms = is_drained ? now_ms : 0;
	return length;
}

void hint_gathering_note_sent(struct hint_gathering *gathering)
{
	for (unsigned i = 0; i < gathering->worker_slots; i++) {
		struct hint_slot *slot = slot_of(gathering, i);

		/* A former carrier that hung may know less. */
		if (atomic_load(&slot->sent) < gathering->taken[i])
			atomic_store(&slot->sent, gathering->taken[i]);
	}
	if (gathering->begun_ms)
		gathering->drained_ms = gathering->begun_ms;
}

/* A worker that did not run for so long is forgotten, as one of another instance is. */
static bool has_run(struct hint_slot *slot, uint64_t now_ms)
{
	return atomic_load(&slot->ran_ms) + BEAT_FORGET_MS > now_ms;
}

uint64_t hint_gathering_through_ms(const struct hint_gathering *gathering, uint64_t now_ms)
{
	uint64_t through_ms = now_ms;
	bool is_drained = true;

	for (unsigned i = 0; i < gathering->worker_slots; i++) {
		struct hint_slot *slot = slot_of(gathering, i);
		uint64_t lost_ms = atomic_load(&slot->lost_ms);

		is_drained = is_drained && hint_writers_are_sent(slot);
		if (lost_ms && lost_ms < through_ms && has_run(slot, now_ms))
			through_ms = lost_ms;
	}
	return is_drained || gathering->drained_ms > through_ms ? through_ms
								: gathering->drained_ms;
}

bool hint_writers_leave(struct region_map *shared, unsigned worker_slots, struct hint_slot *own,
			uint64_t now_ms)
{
	atomic_store(&own->is_open, 0);
	for (unsigned i = 0; i < worker_slots; i++) {
		struct hint_slot *slot = region_slot(shared, &hint_region, i);

		if (atomic_load(&slot->is_open) && has_run(slot, now_ms))
			return false;
	}
	return true;
}
