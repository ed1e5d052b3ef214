/* Shared parts of the panel's unit tests. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

#define array_length(array) (sizeof(array) / sizeof((array)[0]))
