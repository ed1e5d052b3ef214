/* The API key of a session: what its owner's programs do by /v1, displayctl does with it. It is
 * made when a command needs it, ends on the day on which the session does, and is revoked with it.
 */
#pragma once

#include "ctl/server/session_file.h"

/* Makes the key if the command asks /v1 as who is signed in. CTL_DONE, or the reason was said. */
enum ctl_exit session_key_prepare(struct ctl *ctl);
/* Revokes the key of an earlier session of the same account; as who is signed in now. */
enum ctl_exit session_key_revoke(struct ctl *ctl, const struct session *session);
