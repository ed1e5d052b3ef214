/* share/panel.d.ts and the files of a new app (share/new-app), embedded into displayctl by the
 * build. */
#pragma once

#include "ctl/exit.h"
#include "main/reason.h"

#include <text/str.h>

extern const struct str panel_types;
extern const struct str new_app_typescript; /* main.ts */
extern const struct str new_app_starlark;   /* main.star */
extern const struct str new_app_config;	    /* tsconfig.json */

struct new_app_file {
	const char *name;
	struct str data;
};

/* Creates all files in a folder, or none. Does not replace files. Returns CTL_DONE, or another code
 * with a reason. */
enum ctl_exit new_app_write(const char *folder, const struct new_app_file *files, unsigned count,
			    struct reason *reterr);
/* Removes the files. */
void new_app_remove(const char *folder, const struct new_app_file *files, unsigned count);
