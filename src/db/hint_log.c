#include "hint_log.h"
#include "base/require.h"

#include <string.h>

enum { STEP = sizeof(uint64_t), STEPS = HINT_LOG_BYTES / STEP };

static uint64_t steps_of(uint64_t length)
{
	return (length + STEP - 1) / STEP;
}

static void put(struct hint_log *log, uint64_t position, uint64_t value)
{
	/* Release: who reads this sees what was reserved before. */
	atomic_store_explicit(&log->bytes[position / STEP % STEPS], value, memory_order_release);
}

static uint64_t get(const struct hint_log *log, uint64_t position)
{
	return atomic_load_explicit(&log->bytes[position / STEP % STEPS], memory_order_acquire);
}

void hint_log_add(struct hint_log *log, struct str word)
{
	uint64_t head = atomic_load_explicit(&log->head, memory_order_relaxed);
	uint64_t end = head + STEP + steps_of(word.length) * STEP;

	require(word.length <= LIMIT_HINT_WORD_BYTES);
	/* A former writer may have died after it had reserved more. */
	if (atomic_load_explicit(&log->reserved, memory_order_relaxed) < end)
		atomic_store_explicit(&log->reserved, end, memory_order_relaxed);
	put(log, head, word.length);
	for (uint64_t i = 0; i < steps_of(word.length); i++) {
		uint64_t value = 0;
		size_t left = word.length - i * STEP;

		memcpy(&value, word.data + i * STEP, left < STEP ? left : STEP);
		put(log, head + STEP + i * STEP, value);
	}
	atomic_store_explicit(&log->head, end, memory_order_release);
}

uint64_t hint_log_head(const struct hint_log *log)
{
	return atomic_load_explicit(&log->head, memory_order_acquire);
}

static bool is_overwritten(const struct hint_log *log, uint64_t position)
{
	return atomic_load_explicit(&log->reserved, memory_order_relaxed) >
	       position + HINT_LOG_BYTES;
}

enum hint_log_read hint_log_read(const struct hint_log *log, uint64_t *position,
				 char room[static HINT_LOG_ROOM], struct str *ret_word)
{
	uint64_t head = hint_log_head(log);
	uint64_t length;

	if (*position == head)
		return HINT_LOG_END;
	if (*position > head || is_overwritten(log, *position))
		return HINT_LOG_LOST;
	length = get(log, *position);
	if (length > LIMIT_HINT_WORD_BYTES)
		return HINT_LOG_LOST;
	for (uint64_t i = 0; i < steps_of(length); i++) {
		uint64_t value = get(log, *position + STEP + i * STEP);

		memcpy(room + i * STEP, &value, STEP);
	}
	if (is_overwritten(log, *position))
		return HINT_LOG_LOST;
	*position += STEP + steps_of(length) * STEP;
	*ret_word = (struct str){room, (size_t)length};
	return HINT_LOG_WORD;
}
