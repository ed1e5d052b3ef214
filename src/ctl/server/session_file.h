/* Sessions that displayctl sign-in made: a file of mode 600 for each server, in
 * ~/.config/displayd/sessions. */
#pragma once

#include "ctl/ctl.h"

struct session {
	struct str server; /* "https://panels.example.org" */
	struct str email;
	bool is_administrator;
	struct str cookies; /* value of a Cookie field */
	struct id key_id;   /* of an API key for what pages do not do; none: not made yet */
	struct str key;
	int64_t ends_at_us; /* of the key */
	bool is_idle;	    /* it was not used for so long that the server has ended it */
};

/* Reads the session of a server. CTL_DONE, also if there is none: then ret->cookies.data is NULL.
 * Else the reason was said. */
enum ctl_exit session_read(struct ctl *ctl, struct str server, struct session *ret);
/* Whether there is a place for sessions. CTL_DONE, or the reason was said. */
enum ctl_exit session_check_place(struct ctl *ctl);
/* Writes it, whole or not at all. CTL_DONE, or the reason was said. */
enum ctl_exit session_write(struct ctl *ctl, const struct session *session);
/* Notes that it is used. */
void session_touch(struct ctl *ctl, struct str server);
enum ctl_exit session_remove(struct ctl *ctl, struct str server);
