/* Reads one Starlark script of a folder, with what it loads there. */
#pragma once

#include "app_disk.h"

/* Appends the script as it is, or in txtar form with the files of its folder that it loads, and the
 * scripts among them; with locales if it is translated. 0, or -1 with a sentence in ret_fault.
 */
int app_beside_pack(const char *path, struct buffer *script, char ret_fault[static APP_FAULT_MAX])
    __attribute__((warn_unused_result));

/* The folder whose files script has, for free(), if app_beside_pack() has found some; or NULL.
 */
char *app_beside_folder(const char *path, struct str script);

/* Changes state with all these files, as app_disk_add_state() does with one. */
uint64_t app_beside_add_state(const char *path, uint64_t state);
