/* Devices and API keys of all accounts, as administrators and the operator see them: names, numbers
 * and times, enough to find an object that somebody asks about. Settings and pictures are visible
 * to owners only.
 */
#pragma once

#include "record/record.h"

struct inventory_device {
	struct id id;
	struct str name;
	struct str serial;
	struct str mac;
	struct str account; /* its e-mail address */
	int64_t created_at_us;
	int64_t last_online_us;
	int64_t entries; /* entries of its rotation */
	bool is_told;	 /* found by a MAC address that only its panel reported */
};

extern const struct record inventory_device_record;

struct inventory_key {
	struct id id;
	struct str name;
	struct str account;	     /* its e-mail address */
	struct str first_characters; /* data is NULL: not known */
	struct str scope;
	struct str device_ids; /* JSON; data is NULL: all of the account */
	int64_t ends_at_us;    /* 0: it has no end */
	int64_t created_at_us;
	int64_t last_used_at_us; /* 0: not known */
	struct str secret_hash;
	int64_t event_streams; /* open streams; not in rows */
	struct str set_up;     /* JSON: what it has set up, such as webhooks */
	int64_t revoked_at_us; /* 0: it is valid */
};

extern const struct record inventory_key_record;
