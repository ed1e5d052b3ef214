#include "base/hex.h"
#include "task_private.h"

#include <sodium.h>

enum { TAG_BYTES = 16 };

/* Whether a list of entity tags, or "*", names this one. Weak comparison (RFC 9110 section 13.1.2):
 * what stands between the quotes decides. */
static bool names_tag(struct str list, struct str tag)
{
	struct str item;

	if (str_equal(str_trim(list), STR("*")))
		return true;
	/* Our tags hold no comma, so that one inside another's tag cannot hide ours. */
	while (str_next(&list, ',', &item)) {
		item = str_trim(item);
		if (str_starts_with(item, STR("W/")))
			item = str_from_offset(item, 2);
		if (str_equal(item, tag))
			return true;
	}
	return false;
}

bool task_is_not_modified(struct task *task, struct str body)
{
	struct http_request *request = task->request;
	uint8_t hash[TAG_BYTES];
	char *text;
	struct str tag;

	if (request->method != HTTP_GET && request->method != HTTP_HEAD)
		return false;
	crypto_generichash(hash, sizeof(hash), (const uint8_t *)body.data, body.length, NULL, 0);
	text = arena_alloc(&request->arena, 2 * TAG_BYTES + 3);
	text[0] = '"';
	hex_encode(hash, sizeof(hash), text + 1);
	text[2 * TAG_BYTES + 1] = '"';
	tag = (struct str){text, 2 * TAG_BYTES + 2};
	task_add_field(task, STR("ETag"), tag);
	for (unsigned i = 0; i < request->field_count; i++) {
		if (str_equal_ignore_case(request->fields[i].name, STR("if-none-match")) &&
		    names_tag(request->fields[i].value, tag))
			return true;
	}
	return false;
}
