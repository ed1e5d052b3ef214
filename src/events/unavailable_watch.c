#include "events/unavailable_watch.h"

enum { LOOK_AGAIN_MS = 50 };

static void tell(struct unavailable_watch *watch, bool is_unavailable)
{
	if (watch->is_unavailable == is_unavailable)
		return;
	watch->is_unavailable = is_unavailable;
	watch->on_change(watch, is_unavailable);
}

/* The other connections must be up, too. */
static void look_again(struct deadline *deadline)
{
	struct unavailable_watch *watch =
	    container_of(deadline, struct unavailable_watch, look_again);

	if (db_is_up(watch->db))
		tell(watch, false);
	else
		deadline_set(watch->loop, deadline, LOOK_AGAIN_MS);
}

void unavailable_watch_init(struct unavailable_watch *watch)
{
	watch->is_unavailable = true;
	deadline_init(&watch->look_again, look_again);
}

void unavailable_watch_on_up(struct unavailable_watch *watch, bool up)
{
	if (up && !watch->has_ended) {
		deadline_set(watch->loop, &watch->look_again, 0);
	} else {
		deadline_clear(watch->loop, &watch->look_again);
		tell(watch, true);
	}
}

void unavailable_watch_drain(struct unavailable_watch *watch)
{
	watch->has_ended = true;
	deadline_clear(watch->loop, &watch->look_again);
}
