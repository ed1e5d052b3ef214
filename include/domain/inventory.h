/* Devices and API keys of all accounts, as administrators and the operator see them: names, numbers
 * and times, enough to find an object that somebody asks about. Settings and pictures are visible
 * to owners only.
 */
#pragma once

#include "domain/inventory_records.h"
