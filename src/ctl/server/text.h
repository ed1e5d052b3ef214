/* Parts of requests: paths, bodies, names. The texts returned are in the arena. */
#pragma once

#include "ctl/ctl.h"

/* Returns the text, percent-encoded as a part of a path or a query. */
struct str ctl_encode(struct ctl *ctl, struct str text);
/* Returns the text with its ASCII letters in lower case, as slugs are. */
struct str ctl_lower(struct ctl *ctl, struct str text);
/* Whether the encoded text can be a segment of a path. IDs and slugs always can. */
bool ctl_is_segment(struct str text);
/* Returns the ID as a text. */
struct str ctl_id_text(struct ctl *ctl, struct id id);
/* Returns the path, followed by the ID and rest. */
struct str ctl_path(struct ctl *ctl, const char *path, struct id id, const char *rest);

struct ctl_member {
	const char *name; /* NULL: the end */
	struct str value; /* data NULL: left out */
	bool is_json;	  /* the value is JSON, not text */
};

#define CTL_MEMBERS(...) ((const struct ctl_member[]){__VA_ARGS__, {0}})

/* Returns a member with this value; a text without data is null. */
struct ctl_member ctl_text(const char *name, struct str value);
struct ctl_member ctl_number(struct ctl *ctl, const char *name, int64_t value);
struct ctl_member ctl_flag(const char *name, bool value);

/* Returns the bytes in base64. */
struct str ctl_base64(struct ctl *ctl, struct str bytes);

/* Appends a request's body: a JSON object with these members. */
void ctl_write_body(const struct ctl_member *members, struct buffer *json);
/* Returns the same body. */
struct str ctl_body(struct ctl *ctl, const struct ctl_member *members);
/* Returns the object with further members at its end. */
struct str ctl_json_with(struct ctl *ctl, struct str json, const struct ctl_member *members);
/* Prints such an object with ctl_print_json(). */
enum ctl_exit ctl_print_members(struct ctl *ctl, const struct ctl_member *members);

/* Returns a member of an object, which is a text; data is NULL if it is missing or null. */
struct str ctl_json_text(struct ctl *ctl, struct str json, const char *member);
/* Returns a member of an object, which is an integer; 0 if it is missing. */
int64_t ctl_json_number(struct str json, const char *member);
/* Returns a member of an object as JSON; data is NULL if it is missing. */
struct str ctl_json_part(struct ctl *ctl, struct str json, const char *member);
/* Returns the first object of an array whose member is this text, as JSON; data is NULL if there is
 * none. list: the member of json that is the array; NULL: json itself. */
struct str ctl_json_find(struct ctl *ctl, struct str json, const char *list, const char *member,
			 struct str text);
/* Returns the objects of an array whose member is this text, in upper or lower case, as JSON. */
struct str ctl_json_rows(struct ctl *ctl, struct str json, const char *member, struct str text);
