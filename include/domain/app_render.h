/* Renders of apps, as the pages show them to owners of installations, and to the apps' authors.
 * Logs, problems and hosts are texts in rows, and JSON in answers. */
#pragma once

#include "domain/app_render_records.h"
