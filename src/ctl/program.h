/* Where the programs are that displayctl starts in the sandbox, and the sandbox's launcher. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define PROGRAM_LAUNCHER "sandbox-launch"

/* Finds a program of ours: in the build, where subprojects/FOLDER has it, beside an installation
 * that was moved, or where it is installed. */
bool program_find(const char *folder, const char *name, char ret_path[static PATH_MAX])
    __attribute__((warn_unused_result));
bool program_find_launcher(char ret_path[static PATH_MAX]) __attribute__((warn_unused_result));
