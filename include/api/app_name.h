/* Reads the name of an app: its ID or its slug. */
#pragma once

#include "base/id.h"

struct app_name {
	struct id id;	 /* all zero, which is no app's ID: the name is a slug */
	struct str slug; /* the text as given; no slug has the form of an ID */
};

static inline struct app_name app_name_of(struct str text)
{
	struct app_name name = {.slug = text};

	if (!id_parse(text, &name.id))
		name.id = (struct id){0};
	return name;
}
