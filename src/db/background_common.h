/* Worker's part of db/background.h. */
#pragma once

#include "db/background.h"

enum { BACKGROUND_PROCESSES = 4 };

/* Notes the server process of a connection. connection: from 0. pid 0: none. */
void background_note(struct background *background, unsigned connection, int pid);
