/* The server of --server or DISPLAYD_SERVER. It is asked with an API key or a session, not as the
 * operator like the state directory's server.
 *
 *   /v1/...    Authorization: the given API key, or that of the session
 *   /web/...   the session's cookies */
#pragma once

#include "ctl/server/server_socket.h"
#include "ctl/server/session_file.h"

#include <wire/url.h>

struct remote {
	struct str base; /* "https://panels.example.org": no slash at its end; a NUL follows */
	struct wire_url url;
	struct str authorities; /* of --ca-file, PEM; data NULL: the system's */
	struct str key;		/* given, or of a session that has ended; data NULL: none */
	struct session session; /* cookies.data NULL: not signed in */
	int patience_ms;
};

/* Reads --server, --key-file, --ca-file and their variables into ctl->remote, which stays NULL if
 * the command uses the state directory's server. Checks that the given key or session permits the
 * command. Returns CTL_DONE, or another code after printing the reason. */
enum ctl_exit remote_read(struct ctl *ctl);
/* Sets ctl->remote to the server of this URL. Returns CTL_DONE, or another code after printing the
 * reason. */
enum ctl_exit remote_use(struct ctl *ctl, struct str url);

/* Whether requests use an API key without a session, so that only /v1 can be used. */
bool remote_has_key_only(const struct ctl *ctl);
/* Whether requests use a session, so that /web can be used. */
bool remote_has_session(const struct ctl *ctl);

/* Whether the command uses /v1 with a session that has no valid key yet. */
bool remote_needs_key(const struct ctl *ctl);

/* Whether --account names another account than that of the session. */
bool remote_is_of_another(const struct ctl *ctl);

/* Returns the server to ask: that of ctl->remote, else the state directory's. */
struct server_target remote_target(const struct ctl *ctl);
/* Returns the header fields that authenticate a request to this path, each with a newline. */
struct str remote_fields(struct ctl *ctl, struct str path);
/* Records the use of the session, if the request to this path was made with it. */
void remote_note_answer(struct ctl *ctl, struct str path);
/* Returns "displayctl on HOST", for lists of sessions and keys. */
struct str remote_own_name(struct ctl *ctl);
/* Prints why the server answered 401, or that it redirects to this location. Returns the exit code.
 */
enum ctl_exit remote_fail_unknown(const struct ctl *ctl, const char *code, const char *detail);
enum ctl_exit remote_fail_redirect(const struct ctl *ctl, int status, struct str location);
