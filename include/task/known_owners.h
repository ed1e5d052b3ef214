/* Remembers which account owns a device, so that a change of it needs no statement that looks
 * first.
 *
 * An entry may be outdated: the statement of the change names the account as well, and if it finds
 * no row, the pre-handler checks look again. One table for each worker, of fixed size: a device may
 * take the entry of another one, which costs that a statement. Untouched entries take no memory. */
#pragma once

#include "base/id.h"

#include <stdbool.h>

enum { KNOWN_OWNERS = 16384 };

void known_owners_note(const struct id *device_id, const struct id *account_id);
bool known_owners_have(const struct id *device_id, const struct id *account_id);
