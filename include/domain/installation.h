/* Installations: the pictures and apps of a device's rotation, as the public API shows them. */
#pragma once

#include "record/record.h"

struct installation {
	struct str id;
	struct id app_id; /* zero for a pushed image */
	struct str app_name;
	int64_t created_at_us;
	bool is_pushed;
};

extern const struct record installation_record;
