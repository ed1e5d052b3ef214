/* The web application: its pages, and what only they use. */
#pragma once

#include "http/router.h"

/* The pages and their files, as they are in the program; none in a build without them
 * (-Dweb=disabled). They use no database and no session. */
extern const struct route_table web_page_routes;
