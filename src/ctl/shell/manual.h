/* Makes documents of displayctl's table of commands and displayd's table of settings: pages of the
 * manual in mdoc(7), and completion for shells. write_manuals writes one of them to standard
 * output. */
#pragma once

#include "ctl/ctl.h"

#include <stdio.h>

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

void manual_displayctl(FILE *out); /* displayctl(1) */
void manual_displayd(FILE *out);   /* displayd(8) */
void manual_settings(FILE *out);   /* displayd.conf(5) */
