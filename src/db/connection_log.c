#include "connection_log.h"
#include "base/log.h"

void connection_log(struct connection_log *log, const char *role, unsigned number, enum away away,
		    struct str words)
{
	bool up = away == AWAY_NOT;
	bool *reported = up ? &log->reported_up : &log->reported_down;

	/* Log a permanent failure even if a different failure was logged before. */
	if (*reported && (away == log->reported_away || away_may_pass(away))) {
		log_debug("db", up ? "connected" : "attempt failed", LOG_TEXT("connection", role),
			  LOG_INT("number", number), LOG_STR("error", words));
		return;
	}
	log->reported_away = away;
	log->reported_up = up;
	log->reported_down = !up;
	if (up)
		log_info("db", "connected", LOG_TEXT("connection", role),
			 LOG_INT("number", number));
	else
		log_warn("db", "no connection, trying again", LOG_TEXT("connection", role),
			 LOG_INT("number", number), LOG_TEXT("reason", away_text(away)),
			 LOG_STR("error", words));
}
