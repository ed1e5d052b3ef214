#include "http/conditional.h"
#include "base/hex.h"
#include "task_private.h"

#include <inttypes.h>
#include <sodium.h>

enum { TAG_BYTES = 16 };

void task_let_caches_ask(struct task *task)
{
	task_add_field(task, STR("Cache-Control"), STR("private, no-cache"));
}

/* Adds the tag to the answer, and that caches must ask again; true when the caller names the tag.
 * prefix stands in front of the hash, in the quotes. */
static bool is_named(struct task *task, struct str prefix, struct str tagged)
{
	struct http_request *request = task->request;
	uint8_t hash[TAG_BYTES];
	char hex[2 * TAG_BYTES + 1];
	struct str tag;

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)tagged.data, tagged.length, NULL,
			   0);
	hex_encode(hash, sizeof(hash), hex);
	tag = arena_printf(&request->arena, "\"%.*s%s\"", STR_ARG(prefix), hex);
	task_add_field(task, STR("ETag"), tag);
	task_let_caches_ask(task);
	return http_has_tag(request, tag);
}

static bool is_get(const struct task *task)
{
	return task->request->method == HTTP_GET || task->request->method == HTTP_HEAD;
}

bool task_is_not_modified(struct task *task, struct str body)
{
	return is_get(task) && is_named(task, (struct str){0}, body);
}

bool task_device_is_not_modified(struct task *task, const struct device *device, struct str body)
{
	struct str prefix =
	    arena_printf(task_arena(task), "%" PRId64 "-", device->settings_revision);

	return is_named(task, prefix, body) && is_get(task);
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
	return is_named(task, (struct str){0}, buffer_view(buffer));
}
