/* API keys: their scopes, and how their owners see and make them. For the secrets themselves see
 * key.h. */
#pragma once

#include "base/limits.h"
#include "domain/api_key_records.h"

/* Operations that a key may use. Each level includes the levels before it. */
enum key_level {
	KEY_LEVEL_PUSH,	   /* show pictures, and remove them */
	KEY_LEVEL_DEVICES, /* devices and their installations; read apps and the account */
	KEY_LEVEL_ALL,	   /* everything, changes of apps included */
};

/* Level of a scope's name: "push", "devices" or "all". Returns false if it is not a scope. */
bool key_level_parse(struct str name, enum key_level *ret_level);
/* NULL, or the fault of a scope's name. */
const char *key_scope_check(struct str name);
/* Static text. */
struct str key_level_name(enum key_level level);

/* Limits of a key. */
struct key_scope {
	enum key_level level;
	struct str devices; /* IDs in ascending order, ID_BYTES each; empty: all of the account */
	int64_t ends_at_us; /* 0: it has no end */
};

bool key_scope_has_device(const struct key_scope *scope, struct id device_id);
bool key_scope_has_ended(const struct key_scope *scope, int64_t wall_us);
