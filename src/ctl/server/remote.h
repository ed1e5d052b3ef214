/* The server of --server or DISPLAYD_SERVER, which is asked with an API key, or as who is signed in
 * there, instead of the state directory's server as its operator.
 *
 *   /v1/...    Authorization: the key that was given, or that of the session
 *   /web/...   the session's cookies */
#pragma once

#include "ctl/server/server_socket.h"
#include "ctl/server/session_file.h"

#include <wire/url.h>

struct remote {
	struct str
	    base; /* "https://panels.example.org", without a slash at its end; a NUL follows */
	struct wire_url url;
	struct str authorities; /* of --ca-file, PEM; data is NULL: the system's */
	struct str key;		/* that was given; data is NULL: none */
	struct session session; /* cookies.data is NULL: nobody is signed in */
	int patience_ms;
};

/* Reads --server, --key-file, --ca-file and their variables into ctl->remote, which stays NULL if
 * the command is for the state directory's server, and checks that the command can be done there
 * with what is given. CTL_DONE, or the reason was said. */
enum ctl_exit remote_read(struct ctl *ctl);
/* Uses the server of this URL. CTL_DONE, or the reason was said. */
enum ctl_exit remote_use(struct ctl *ctl, struct str url);

/* Whether a key was given, and so only /v1 is there. */
bool remote_has_key_only(const struct ctl *ctl);
/* Whether somebody is signed in, and there are the pages' operations. */
bool remote_has_session(const struct ctl *ctl);

/* Whether the command asks /v1 as who is signed in, who has no valid key for it yet. */
bool remote_needs_key(const struct ctl *ctl);

/* Whether an administrator lists what another account has. */
bool remote_is_of_another(const struct ctl *ctl);

struct server_place remote_place(const struct ctl *ctl);
/* Returns the fields of a request's head that say who asks. */
struct str remote_fields(struct ctl *ctl, struct str path);
/* Notes that the server has done what a request wanted, and knows its session so. */
void remote_note_answer(struct ctl *ctl, struct str path);
/* Returns "displayctl on HOST", for lists of sessions and keys. */
struct str remote_own_name(struct ctl *ctl);
/* Says why a server does not answer as wanted: 401, or a redirect to this place. */
enum ctl_exit remote_fail_unknown(const struct ctl *ctl, const char *detail);
enum ctl_exit remote_fail_redirect(const struct ctl *ctl, int status, struct str location);
