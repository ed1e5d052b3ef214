/* Collections of apps that the server fetches: a .tar.gz or .zip at an address. */
#pragma once

#include "base/arena.h"
#include "domain/app_archive_records.h"

enum { APP_ARCHIVE_URL_MAX = 500, APP_ARCHIVE_FOLDER_MAX = 200, APP_ARCHIVE_NAME_MAX = 100 };

/* Return NULL, or the fault ("must ..."). */
const char *app_archive_url_check(struct str url);
const char *app_archive_folder_check(struct str folder);

/* Returns the name of the collection at an address, in the arena: "tronbyt/apps" for
 * https://github.com/tronbyt/apps/archive/refs/heads/main.tar.gz; else the host. */
struct str app_archive_name(struct str url, struct arena *arena);
