/* share/panel.d.ts, and what a new app begins with (share/new-app), made a part of displayctl at
 * build. */
#pragma once

#include <text/str.h>

extern const struct str panel_types;
extern const struct str new_app_typescript; /* main.ts */
extern const struct str new_app_starlark;   /* main.star */
extern const struct str new_app_config;	    /* tsconfig.json */
