/* API keys: their scopes, and how their owners see and make them. For the secrets themselves see
 * key.h. */
#pragma once

#include "base/limits.h"
#include "record/record.h"

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

/* An API key, as the list shows it. */
struct key_entry {
	struct id id;
	struct str name;
	struct str first_characters; /* empty: not known */
	struct str scope;
	struct str device_ids; /* JSON; data is NULL: all of the account */
	int64_t ends_at_us;    /* 0: it has no end */
	int64_t created_at_us;
	int64_t last_used_at_us; /* 0: not known */
	struct str secret_hash;
	struct str set_up;     /* JSON: what it has set up, such as webhooks */
	int64_t event_streams; /* open streams; not in rows */
	struct str key;	       /* only in new_key_record */
};

extern const struct record key_entry_record;
/* Members of the list, and the key itself, which is shown once. */
extern const struct record new_key_record;

/* Body by which an owner makes or changes a key. */
struct key_creation {
	struct str name;
	struct str scope; /* never empty after the check */
	const struct json_value *device_list;
	struct str end;
	/* Members after the check. */
	struct id device_ids[LIMIT_KEY_DEVICES];
	unsigned device_count; /* 0: all of the account */
	int64_t ends_at_us;    /* 0: it has no end */
};

extern const struct record key_creation_record;
