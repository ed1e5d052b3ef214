/* Accounts, as the public API shows them. */
#pragma once

#include "domain/account_records.h"

/* Row of a statement that removes a portion of an account. */
struct removed_portion {
	int64_t removed; /* rows */
	bool is_left;	 /* more rows are left */
};

/* Bytes of pushed pictures, drafts and versions together, and their limit. */
struct account_bytes {
	int64_t bytes;
	int64_t bytes_allowed;
};

extern const struct record account_bytes_record;
extern const struct record removed_portion_record;
