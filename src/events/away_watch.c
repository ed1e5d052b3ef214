#include "events/away_watch.h"

enum { LOOK_AGAIN_MS = 50 };

static void tell(struct away_watch *watch, bool is_away)
{
	if (watch->is_away == is_away)
		return;
	watch->is_away = is_away;
	watch->on_change(watch, is_away);
}

/* The other connections must be there, too. */
static void look_again(struct deadline *deadline)
{
	struct away_watch *watch = container_of(deadline, struct away_watch, look_again);

	if (db_is_up(watch->db))
		tell(watch, false);
	else
		deadline_set(watch->loop, deadline, LOOK_AGAIN_MS);
}

void away_watch_init(struct away_watch *watch)
{
	watch->is_away = true;
	deadline_init(&watch->look_again, look_again);
}

void away_watch_on_up(struct away_watch *watch, bool up)
{
	if (up && !watch->has_ended) {
		deadline_set(watch->loop, &watch->look_again, 0);
	} else {
		deadline_clear(watch->loop, &watch->look_again);
		tell(watch, true);
	}
}

void away_watch_drain(struct away_watch *watch)
{
	watch->has_ended = true;
	deadline_clear(watch->loop, &watch->look_again);
}
