/* cmocka, whose header needs these before it. */
#pragma once

#include "../../../../test/unit/cmocka_test.h"
