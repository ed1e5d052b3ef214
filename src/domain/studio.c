#include "domain/studio.h"
#include "base/limits.h"
#include "domain/app.h"
#include "domain/device.h"

#include <text/utf8.h>

/* ---- authors ---- */

const char *app_slug_check(struct str slug)
{
	struct id id;

	for (size_t i = 0; i < slug.length; i++) {
		char c = slug.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return "must have only lower-case letters, digits and \"-\"";
	}
	if (slug.length && (slug.data[0] == '-' || slug.data[slug.length - 1] == '-'))
		return "must begin and end with a letter or a digit";
	return id_parse(slug, &id) ? "must not look like an ID" : NULL;
}

struct str app_slug_of(struct str name, struct arena *arena)
{
	char slug[APP_SLUG_LENGTH_MAX];
	size_t length = 0;

	for (size_t i = 0; i < name.length && length < sizeof(slug); i++) {
		char c = name.data[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			slug[length++] = c;
		else if (length > 0 && slug[length - 1] != '-')
			slug[length++] = '-';
	}
	while (length > 0 && slug[length - 1] == '-')
		length--;
	return arena_copy(arena, (struct str){slug, length});
}

const char *app_text_check(struct str text)
{
	while (text.length) {
		uint32_t c = utf8_next(&text);

		if (utf8_is_control(c) && c != '\n' && c != '\t')
			return "must not contain control characters";
	}
	return NULL;
}

const char *studio_visibility_check(struct str visibility)
{
	return str_equal(visibility, STR("private")) || str_equal(visibility, STR("public"))
		   ? NULL
		   : APP_VISIBILITY_FAULT;
}

/* The operator may also make legacy apps: own_app_create.c. */
const char *app_visibility_check(struct str visibility)
{
	return str_equal(visibility, STR("legacy")) ? NULL : studio_visibility_check(visibility);
}

const char *app_draft_check(struct str script)
{
	return script.length <= LIMIT_SCRIPT_BYTES ? NULL : "must have at most 1000000 bytes";
}

void studio_change_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}
