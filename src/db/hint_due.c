#include "hint_due.h"
#include "hint_carrying.h"

/* Reconciliation makes up for lost hints, but a revoked key must stop working within a second: each
 * answer shows that all hints sent before its query have arrived. The server hands them to a
 * listening session before it ends the session's next statement. */
enum {
	PING_MS = 250,
	/* A reader sees a beat at its next look: both intervals together leave some of the 750 ms
	 * for which answers from memory count (task/read_cache.h). */
	PING_AMONG_OTHERS_MS = 200,
	/* A worker that neither beats nor looks reads what the carrier has heard at its own
	 * intervals, and its pings only notice a server that is silent. */
	FOLLOWER_MS = 150,
	FOLLOWER_PING_MS = 1000,
};

bool hint_has_beats(const struct hints *hints)
{
	return !id_is_none(hints->instance);
}

bool hint_is_read_only(const struct hints *hints)
{
	const char *value =
	    PQparameterStatus(hints->connection.pg, "default_transaction_read_only");

	return value && strcmp(value, "on") == 0;
}

uint64_t hint_seen_ms(const struct hints *hints)
{
	return hint_carrying_is_shared(hints) ? hint_carrying_seen_ms(hints) : hints->seen_ms;
}

bool hint_wants_beat(const struct hints *hints)
{
	uint64_t now_ms = loop_now_ms(hints->connection.loop);

	if (!hint_carrying_hears(hints) || !hints->has_clock || hints->first_bytes ||
	    now_ms < hints->beat_again_ms || hint_is_read_only(hints) ||
	    (hint_carrying_is_shared(hints) && hint_carrying_through_ms(hints) == 0))
		return false;
	return !hints->has_beaten || beats_know_others(&hints->beats) ||
	       now_ms - hint_seen_ms(hints) >= HINT_SEEN_MS;
}

uint64_t hint_interval_ms(const struct hints *hints)
{
	if (hint_carrying_follows(hints))
		return FOLLOWER_MS;
	return hint_carrying_is_shared(hints) || beats_know_others(&hints->beats)
		   ? PING_AMONG_OTHERS_MS
		   : PING_MS;
}

bool hint_is_due(const struct hints *hints)
{
	uint64_t ago_ms = loop_now_ms(hints->connection.loop) - hints->asked_ms;

	if (hint_carrying_follows(hints))
		return ago_ms >= FOLLOWER_PING_MS;
	if (hints->asked_ms == 0 || ago_ms >= hint_interval_ms(hints))
		return true;
	return hint_has_beats(hints) && !hints->has_beaten && hint_wants_beat(hints);
}
