/* Memory in which the workers of an instance note which devices are watched. */
#pragma once

#include "base/region.h"

extern const struct region watch_region;
