/* An app is named by its ID or its slug. */
#pragma once

#include "base/id.h"

struct app_name {
	struct id id;	 /* all zero, which no app has: it is a slug */
	struct str slug; /* an ID is nobody's slug */
};

static inline struct app_name app_name_of(struct str text)
{
	struct app_name name = {.slug = text};

	if (!id_parse(text, &name.id))
		name.id = (struct id){0};
	return name;
}
