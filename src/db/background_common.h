/* Worker's part of db/background.h. */
#pragma once

#include "db/background.h"

enum { BACKGROUND_PROCESSES = 4 };

/* pid: of the server's process at the other end of this connection, from 0; 0: there is none. */
void background_note(struct background *background, unsigned connection, int pid);
