#include "connection_log.h"
#include "base/log.h"

void connection_log(struct connection_log *log, const char *role, unsigned number,
		    enum unavailable unavailable, struct str words)
{
	bool up = unavailable == UNAVAILABLE_NOT;
	bool *reported = up ? &log->reported_up : &log->reported_down;

	/* Log a permanent failure even if a different failure was logged before. */
	if (*reported &&
	    (unavailable == log->reported_unavailable || unavailable_may_pass(unavailable))) {
		log_debug("db", up ? "connected" : "connection attempt failed",
			  LOG_TEXT("connection", role), LOG_INT("number", number),
			  LOG_STR("error", words));
		return;
	}
	log->reported_unavailable = unavailable;
	log->reported_up = up;
	log->reported_down = !up;
	if (up)
		log_info("db", "connected", LOG_TEXT("connection", role),
			 LOG_INT("number", number));
	else
		log_warn("db", "cannot connect, retrying", LOG_TEXT("connection", role),
			 LOG_INT("number", number),
			 LOG_TEXT("reason", unavailable_text(unavailable)),
			 LOG_STR("error", words));
}
