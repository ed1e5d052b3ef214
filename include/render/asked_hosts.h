/* Records the hosts that apps ask, which an app's page names. */
#pragma once

#include "db/db.h"

/* Notes that an app has asked these, separated by spaces; none of them tells of its settings.
 * Nobody waits for it, and if it fails, the app will ask again. */
void asked_hosts_note(struct db *db, struct id app_id, struct str hosts);
