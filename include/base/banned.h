/* Functions that do not compile here, because each has a safer form. Included by the build before
 * every source of ours. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Clang's _FORTIFY_SOURCE makes macros of these two. */
#undef sprintf
#undef vsprintf
#pragma GCC poison strcpy strcat strncpy strncat strtok sprintf vsprintf gets gmtime localtime ctime
#pragma GCC poison asctime atoi atol atof
