/* Memory in which the workers of an instance note how many panels they and other instances have. */
#pragma once

#include "base/region.h"

extern const struct region balance_region;
