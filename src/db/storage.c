#include "storage_common.h"

enum {
	PROBE_PAUSE_MS = 1000,
	/* Each probe adds some KiB to PostgreSQL's WAL: if little space is left, probes must not
	 * use it up. */
	SHORT_PROBE_PAUSE_MS = 60 * 1000,
};

/* Four WAL files of 16 MiB: PostgreSQL needs a complete one before it can continue. */
static const uint64_t short_bytes = 64 * 1024 * 1024;
/* With less, tables can hardly grow. */
static const uint64_t none_bytes = 1024 * 1024;
/* Last part of a disk, which is not used for pictures: a 20th of it, but at most this. */
static const uint64_t reserve_bytes_max = 1024 * 1024 * 1024;
enum { RESERVE_PART = 20 };

enum room { ROOM_ENOUGH, ROOM_SHORT /* it may still be enough */, ROOM_NONE };

const struct region storage_region = {
    .name = "storage", .version = 3, .size = sizeof(struct storage)};

void storage_failed(struct storage *storage)
{
	atomic_fetch_add(&storage->failures, 1);
}

bool storage_is_full(const struct storage *storage)
{
	return atomic_load(&storage->failures) != atomic_load(&storage->overcome);
}

void storage_set_room(struct storage *storage, const struct disk_room *disk)
{
	uint64_t left = disk->left_bytes, part = disk->all_bytes / RESERVE_PART;
	enum room room = left < none_bytes    ? ROOM_NONE
			 : left < short_bytes ? ROOM_SHORT
					      : ROOM_ENOUGH;

	atomic_store(&storage->room, (unsigned char)room);
	atomic_store(&storage->is_reserved,
		     left < (part < reserve_bytes_max ? part : reserve_bytes_max));
}

bool storage_takes_pictures(const struct storage *storage)
{
	return !atomic_load(&storage->is_reserved);
}

bool storage_has_no_room(const struct storage *storage)
{
	return storage_is_full(storage) || atomic_load(&storage->room) == ROOM_NONE;
}

bool storage_is_short(const struct storage *storage)
{
	return atomic_load(&storage->room) != ROOM_ENOUGH;
}

static unsigned probe_pause_ms(const struct storage *storage)
{
	bool is_short = atomic_load(&storage->room) == ROOM_SHORT;

	return is_short && !storage_is_full(storage) ? SHORT_PROBE_PAUSE_MS : PROBE_PAUSE_MS;
}

bool storage_wants_probe(struct storage *storage, uint64_t now_ms, uint64_t *ret_mark)
{
	uint64_t probe_ms = atomic_load(&storage->probe_ms);

	if (probe_ms && now_ms - probe_ms < probe_pause_ms(storage))
		return false;
	*ret_mark = atomic_load(&storage->failures);
	return atomic_compare_exchange_strong(&storage->probe_ms, &probe_ms, now_ms);
}

void storage_probed(struct storage *storage, uint64_t mark)
{
	/* A failure after the probe's begin still counts; an older probe changes nothing.
	 */
	uint64_t overcome = atomic_load(&storage->overcome);

	while (overcome < mark &&
	       !atomic_compare_exchange_weak(&storage->overcome, &overcome, mark))
		;
}
