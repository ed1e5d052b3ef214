/* The link that makes the first account, an administrator: there is no default one. */
#pragma once

/* Where the database has no account: makes a link and logs it. One that was logged before stays
 * good until somebody has made the account, or it has expired. Blocks. */
void first_link_print(const char *database_url, const char *public_url);
