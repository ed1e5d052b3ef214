#include "storage_common.h"

enum {
	PROBE_PAUSE_MS = 1000,
	/* Each probe leaves some KiB in PostgreSQL's log of writes: where little room is left, they
	 * must not be what takes the rest of it. */
	SHORT_PROBE_PAUSE_MS = 60 * 1000,
};

/* Four of the files into which PostgreSQL logs what it writes, 16 MiB each: it needs one whole
 * before it can go on. */
static const uint64_t short_bytes = 64 * 1024 * 1024;
/* A table cannot grow by much any more. */
static const uint64_t none_bytes = 1024 * 1024;
/* The last part of a disk, which takes no pictures: a 20th, if that is not more. */
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
	/* A failure that came after the probe's begin still counts; an older probe changes nothing.
	 */
	uint64_t overcome = atomic_load(&storage->overcome);

	while (overcome < mark &&
	       !atomic_compare_exchange_weak(&storage->overcome, &overcome, mark))
		;
}
