/* Parts of requests: paths, bodies, names. */
#pragma once

#include "ctl/ctl.h"

/* Returns the text, encoded as a part of a path or a query. */
struct str ctl_encode(struct ctl *ctl, struct str text);
/* Returns the text with its ASCII letters in lower case, as slugs are. */
struct str ctl_lower(struct ctl *ctl, struct str text);
/* Whether a path can have the text, encoded, as a part; no thing is called otherwise. */
bool ctl_is_segment(struct str text);
/* Returns the path with an ID behind it, and what follows. */
struct str ctl_path(struct ctl *ctl, const char *path, struct id id, const char *rest);

struct ctl_member {
	const char *name; /* NULL: the end */
	struct str value; /* data NULL: it is left out */
	bool is_json;	  /* the value is JSON, and no text */
};

/* Appends a body: an object of these members. */
void ctl_write_body(const struct ctl_member *members, struct buffer *json);
/* Returns the same. */
struct str ctl_body(struct ctl *ctl, const struct ctl_member *members);
