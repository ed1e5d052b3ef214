/* share/panel.d.ts and the files of a new app (share/new-app), embedded into displayctl by the
 * build. */
#pragma once

#include <text/str.h>

extern const struct str panel_types;
extern const struct str new_app_typescript; /* main.ts */
extern const struct str new_app_starlark;   /* main.star */
extern const struct str new_app_config;	    /* tsconfig.json */
