/* Link that makes the first account, an administrator: there is no default account. */
#pragma once

#include "db/timeline.h"

/* Makes a link and logs it, if the database has no account. An earlier link stays valid until the
 * account is made or the link expires. Blocks. */
void first_link_print(const char *database_url, struct timeline_known *known,
		      const char *public_url);
