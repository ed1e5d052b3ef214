/* displayctl __complete WORD...: what can stand in the place of the last word, for the shells'
 * completion (share/completion). */
#pragma once

#include "ctl/ctl.h"

/* Prints a line for each possible word, with a tab and what it is behind it; or a line ":" for the
 * names of files. Words are as they were typed, without the program's. Asks the server for what has
 * names, for a second at most, and says nothing if there is none. */
int ctl_complete(struct ctl *ctl, int argc, char **argv);
