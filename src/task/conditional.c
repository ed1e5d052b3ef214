#include "http/conditional.h"
#include "base/hex.h"
#include "task_private.h"

#include <sodium.h>

enum { TAG_BYTES = 16 };

/* Adds the tag to the answer; true when the caller names it. */
static bool is_named(struct task *task, struct str tagged)
{
	struct http_request *request = task->request;
	uint8_t hash[TAG_BYTES];
	char *text;
	struct str tag;

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)tagged.data, tagged.length, NULL,
			   0);
	text = arena_alloc(&request->arena, 2 * TAG_BYTES + 3);
	text[0] = '"';
	hex_encode(hash, sizeof(hash), text + 1);
	text[2 * TAG_BYTES + 1] = '"';
	tag = (struct str){text, 2 * TAG_BYTES + 2};
	task_add_field(task, STR("ETag"), tag);
	return http_has_tag(request, tag);
}

static bool is_get(const struct task *task)
{
	return task->request->method == HTTP_GET || task->request->method == HTTP_HEAD;
}

bool task_is_not_modified(struct task *task, struct str body)
{
	return is_get(task) && is_named(task, body);
}

/* Adds what decides how a row is written: a server of another version may write it otherwise. */
static void append_form(struct buffer *buffer, const struct record *record)
{
	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];

		buffer_append_char(buffer, (char)field->kind);
		if (field->name)
			buffer_append(buffer, field->name, strlen(field->name) + 1);
	}
}

bool task_rows_are_not_modified(struct task *task, const struct record *record,
				const struct db_result *result)
{
	struct buffer *buffer = task_scratch();

	if (!is_get(task))
		return false;
	append_form(buffer, record);
	for (unsigned row = 0; row < result->row_count; row++) {
		for (unsigned column = 0; column < result->column_count; column++) {
			struct record_value value = db_value(result, row, column);
			uint32_t length = value.is_null ? UINT32_MAX : value.length;

			buffer_append(buffer, &length, sizeof(length));
			buffer_append(buffer, value.data, value.length);
		}
	}
	return is_named(task, buffer_view(buffer));
}
