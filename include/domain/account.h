/* Accounts, as the public API shows them. */
#pragma once

#include "record/record.h"

struct account {
	struct str email;
	int64_t created_at_us;
};

extern const struct record account_record;
