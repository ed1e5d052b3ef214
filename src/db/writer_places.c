#include "writer_places.h"
#include "base/require.h"

#include <stdatomic.h>

struct writer_place {
	_Atomic int32_t pid;
	_Atomic int64_t start_us; /* 0: the place is empty */
};

struct writers {
	struct writer_place places[WRITER_PLACES];
};

const struct region writer_region = {
    .name = "writers", .version = 2, .slot_size = sizeof(struct writers)};

struct writer_place *writers_place(struct writers *writers, unsigned number)
{
	require(!writers || number < WRITER_PLACES);
	return writers ? &writers->places[number] : NULL;
}

void writer_note(struct writer_place *place, struct backend backend)
{
	if (!place)
		return;
	/* The worker may be killed in between. */
	atomic_store(&place->start_us, 0);
	atomic_store(&place->pid, backend.pid);
	atomic_store(&place->start_us, backend.start_us);
}

bool writer_noted(const struct writer_place *place)
{
	return atomic_load(&place->start_us) != 0;
}

struct backend writer_take(struct writer_place *place)
{
	struct backend backend = {atomic_load(&place->pid), atomic_load(&place->start_us)};

	atomic_store(&place->start_us, 0);
	return backend;
}
