/* Sessions of displayctl sign-in: a file of mode 600 for each server, in
 * ~/.config/displayd/sessions. */
#pragma once

#include "ctl/ctl.h"

struct session {
	struct str server; /* "https://panels.example.org" */
	struct str email;
	bool is_administrator;
	struct str cookies; /* value of a Cookie field */
	struct id key_id;   /* API key for requests to /v1; none: not created yet */
	struct str key;
	int64_t ends_at_us; /* end of the key */
	bool is_idle;	    /* not used for so long that the server has ended it */
};

/* Reads the session of a server; its texts are in the arena. Returns CTL_DONE, also if there is no
 * session: then ret->cookies.data is NULL. Else returns another code after printing the reason. */
enum ctl_exit session_read(struct ctl *ctl, struct str server, struct session *ret);
/* Checks that there is a folder for sessions. Returns CTL_DONE, or another code after printing the
 * reason. */
enum ctl_exit session_check_place(struct ctl *ctl);
/* Writes the session file, completely or not at all. Returns CTL_DONE, or another code after
 * printing the reason. */
enum ctl_exit session_write(struct ctl *ctl, const struct session *session);
/* Records that the session is used. */
void session_touch(struct ctl *ctl, struct str server);
/* Removes the session file, if there is one. Returns CTL_DONE, or another code after printing the
 * reason. */
enum ctl_exit session_remove(struct ctl *ctl, struct str server);
