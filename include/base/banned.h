/* Functions of libc that do not compile here, because each has a safer form. Included by the build
 * before every source file of the project. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Clang's _FORTIFY_SOURCE turns these two into macros. */
#undef sprintf
#undef vsprintf
#pragma GCC poison strcpy strcat strncpy strncat strtok sprintf vsprintf gets gmtime localtime ctime
#pragma GCC poison asctime atoi atol atof
