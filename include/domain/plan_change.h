/* Body of a change of a device's plan. */
#pragma once

#include "domain/plan.h"
#include "domain/plan_change_records.h"
