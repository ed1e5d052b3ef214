/* Makes documents of displayctl's table of commands and displayd's table of settings: pages of the
 * manual in mdoc(7). write_manuals writes one of them to standard output. */
#pragma once

#include "ctl/ctl.h"

#include <stdio.h>

void manual_displayctl(FILE *out); /* displayctl(1) */
void manual_displayd(FILE *out);   /* displayd(8) */
void manual_settings(FILE *out);   /* displayd.conf(5) */
