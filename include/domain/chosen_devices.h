/* Devices that a body names, and changes of all of them: "devices" is an array of IDs, serial
 * numbers or MAC addresses, or "all". */
#pragma once

#include "domain/chosen_devices_records.h"

/* Checks the member; a missing one is not checked. Returns whether it is "all". */
bool chosen_devices_check(const struct json_value *devices, struct faults *faults);
