#include "http/conditional.h"
#include "base/decimal.h"
#include "base/hex.h"
#include "task_private.h"

#include <sodium.h>

void task_let_caches_ask(struct task *task)
{
	task_add_field(task, STR("Cache-Control"), STR("private, no-cache"));
}

/* prefix: precedes the hash within the quotes. */
static struct str hash_tag(struct task *task, struct str prefix,
			   const uint8_t hash[static TASK_HASH_BYTES])
{
	struct http_request *request = task->request;
	size_t length = 1 + prefix.length + 2 * TASK_HASH_BYTES + 1;
	char *text = arena_alloc(&request->arena, length);

	text[0] = '"';
	memcpy(text + 1, prefix.data, prefix.length);
	hex_encode(hash, TASK_HASH_BYTES, text + 1 + prefix.length);
	text[length - 1] = '"'; /* over hex_encode()'s NUL */
	return (struct str){text, length};
}

void task_hash(struct str body, uint8_t ret_hash[static TASK_HASH_BYTES])
{
	crypto_generichash(ret_hash, TASK_HASH_BYTES, (const uint8_t *)body.data, body.length, NULL,
			   0);
}

static struct str make_tag(struct task *task, struct str prefix, struct str tagged)
{
	uint8_t hash[TASK_HASH_BYTES];

	task_hash(tagged, hash);
	return hash_tag(task, prefix, hash);
}

/* Adds the tag to the answer, and makes caches revalidate. Returns true if the caller names the
 * tag.
 */
static bool is_named(struct task *task, struct str tag)
{
	if (task->is_packed)
		tag = task_tag_of_coding(task, tag);
	task->shown_tag = tag;
	task_add_field(task, STR("ETag"), tag);
	task_let_caches_ask(task);
	return http_has_tag(task->request, tag);
}

static bool is_get(const struct task *task)
{
	return task->request->method == HTTP_GET || task->request->method == HTTP_HEAD;
}

void task_add_tag(struct task *task, struct str source)
{
	(void)is_named(task, make_tag(task, STR(""), source));
}

bool task_is_known(struct task *task, struct str source, struct step_result *ret_answer)
{
	if (!is_get(task) || !http_has_tag(task->request, make_tag(task, STR(""), source)))
		return false;
	task_add_tag(task, source);
	*ret_answer = task_reply(task, 304, (struct str){0}, (struct str){0});
	return true;
}

bool task_is_not_modified(struct task *task, struct str body)
{
	return is_get(task) && is_named(task, make_tag(task, STR(""), body));
}

bool task_hash_is_not_modified(struct task *task, const uint8_t hash[static TASK_HASH_BYTES])
{
	return is_get(task) && is_named(task, hash_tag(task, STR(""), hash));
}

bool task_part_is_not_modified(struct task *task, struct buffer *json)
{
	if (task->has_next_part)
		buffer_append_char(json, '+');
	return task_is_not_modified(task, buffer_view(json));
}

struct str task_device_tag(struct task *task, int64_t settings_revision, struct str body)
{
	char prefix[DECIMAL_BYTES_MAX + 1];
	size_t length = decimal_format(settings_revision, prefix);

	prefix[length++] = '-';
	return make_tag(task, (struct str){prefix, length}, body);
}

bool task_device_is_not_modified(struct task *task, int64_t settings_revision, struct str body)
{
	return is_named(task, task_device_tag(task, settings_revision, body)) && is_get(task);
}

/* Adds the format of the row: another version of the server may write it differently. */
static void append_form(struct buffer *buffer, const struct record *record)
{
	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];

		if (field->kind == RECORD_KIND_ROW)
			append_form(buffer, field->row);
		buffer_append_char(buffer, (char)field->kind);
		if (field->name)
			buffer_append(buffer, field->name, strlen(field->name) + 1);
	}
}

bool task_tag_is_not_modified(struct task *task, struct str tag)
{
	return is_get(task) && is_named(task, tag);
}

bool task_rows_are_not_modified(struct task *task, const struct record *record,
				const struct db_result *result, unsigned columns)
{
	struct buffer *buffer = task_scratch();

	if (!is_get(task))
		return false;
	append_form(buffer, record);
	for (unsigned row = 0; row < result->row_count; row++) {
		for (unsigned column = 0; column < columns; column++) {
			struct record_value value = db_value(result, row, column);
			uint32_t length = value.is_null ? UINT32_MAX : value.length;

			buffer_append(buffer, &length, sizeof(length));
			buffer_append(buffer, value.data, value.length);
		}
	}
	return is_named(task, make_tag(task, STR(""), buffer_view(buffer)));
}
