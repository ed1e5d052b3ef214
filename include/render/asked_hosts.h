/* Records the hosts that apps ask, which the app's page shows. */
#pragma once

#include "db/db.h"

/* Records that an app has asked these hosts (separated by spaces), none of which reveals settings.
 * Does not wait; if it fails, the next request of the app records them. */
void asked_hosts_note(struct db *db, struct id app_id, struct str hosts);
