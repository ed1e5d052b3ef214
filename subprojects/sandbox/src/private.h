/* Between the files of the library. */
#pragma once

#include <stdbool.h>

/* Both return whether the layer is active. */
bool sandbox_enter_landlock(int program);
bool sandbox_enter_seccomp(void);
