#include "base/limits.h"
#include "base/require.h"
#include "task_private.h"

#include <endian.h>
#include <sodium.h>
#include <text/base64.h>
#include <text/utf8.h>

/* A cursor is base64url of the list's letter and of the list position: number (big-endian), ID,
 * text.
 */
enum { FIXED_BYTES = 1 + sizeof(uint64_t) + sizeof(struct id), TEXT_BYTES_MAX = 1024 };

static bool read_limit(struct str text, int64_t *ret_limit)
{
	int64_t limit = 0;

	if (text.length == 0 || text.length > 4)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		limit = limit * 10 + (text.data[i] - '0');
	}
	*ret_limit = limit;
	return limit >= 1 && limit <= LIMIT_LIST_PART;
}

static bool read_cursor(struct task *task, struct str text, struct list_position *ret_position)
{
	struct arena *arena = task_arena(task);
	struct str bytes;
	uint64_t number;
	uint8_t *data;

	if (text.length > (FIXED_BYTES + TEXT_BYTES_MAX) * 4 / 3)
		return false;
	data = arena_alloc(arena, base64_decoded_max(text.length));
	if (base64_decode(text, data, &bytes.length) || bytes.length < FIXED_BYTES ||
	    data[0] != (uint8_t)task->list->letter)
		return false;
	memcpy(&number, data + 1, sizeof(number));
	number = be64toh(number);
	if (number > INT64_MAX) /* times, positions and sequences all begin at 0 */
		return false;
	ret_position->number = (int64_t)number;
	memcpy(&ret_position->id, data + 1 + sizeof(number), sizeof(struct id));
	bytes.data = (const char *)data;
	ret_position->text = str_from_offset(bytes, FIXED_BYTES);
	return utf8_is_valid(ret_position->text) &&
	       !memchr(data + FIXED_BYTES, 0, ret_position->text.length);
}

bool task_has_bad_range(struct task *task, struct step_result *ret_answer)
{
	struct str limit = http_request_query(task->request, STR("limit"));
	struct str cursor = http_request_query(task->request, STR("cursor"));

	task->range = (struct list_range){.after = task->list->order->start};
	/* Without a limit the answer is the whole list. */
	if (!limit.data)
		return false;
	if (!read_limit(limit, &task->range.limit)) {
		*ret_answer =
		    task_fail(task, PROBLEM_PARAMETER_INVALID,
			      "limit must be a whole number from 1 to %d", LIMIT_LIST_PART);
		return true;
	}
	task->range.limit++; /* see on_short_part() */
	if (cursor.data && !read_cursor(task, cursor, &task->range.after)) {
		*ret_answer =
		    task_fail(task, PROBLEM_PARAMETER_INVALID,
			      "cursor must come from the Link header of an answer of this list");
		return true;
	}
	return false;
}

bool task_has_bad_switch(struct task *task, const char *name, bool *ret_is_on,
			 struct step_result *ret_answer)
{
	struct str value = http_request_query(task->request, str_from(name));

	*ret_is_on = str_equal(value, STR("true"));
	if (!value.data || *ret_is_on || str_equal(value, STR("false")))
		return false;
	*ret_answer = task_fail(task, PROBLEM_PARAMETER_INVALID, "%s must be true or false", name);
	return true;
}

bool task_has_bad_text(struct task *task, const char *name, struct str *ret_text,
		       struct step_result *ret_answer)
{
	struct str text = http_request_query(task->request, str_from(name));

	*ret_text = STR("");
	if (!text.data || (http_decode(task_arena(task), text, ret_text) &&
			   ret_text->length <= LIMIT_SEARCH_BYTES))
		return false;
	*ret_answer = task_fail(task, PROBLEM_PARAMETER_INVALID,
				"%s must be a text of at most %d bytes", name, LIMIT_SEARCH_BYTES);
	return true;
}

static bool is_unknown_word(struct task *task, const struct list_parameter *parameter,
			    struct str text, struct step_result *ret_answer)
{
	struct str known = STR("");

	if (!parameter->words[0] || text.length == 0)
		return false;
	for (unsigned i = 0; i < LIST_WORDS_MAX && parameter->words[i]; i++) {
		if (str_equal(text, str_from(parameter->words[i])))
			return false;
		known = ARENA_JOIN(task_arena(task), known, i ? STR(", ") : STR(""),
				   str_from(parameter->words[i]));
	}
	*ret_answer = task_fail(task, PROBLEM_PARAMETER_INVALID, "%s must be one of %.*s",
				parameter->name, STR_ARG(known));
	return true;
}

bool task_has_bad_choice(struct task *task, struct step_result *ret_answer)
{
	struct list_choice *choice = task->state; /* of a list without parameters: something else */
	unsigned texts = 0;

	for (unsigned i = 0; i < LIST_PARAMETERS_MAX && task->list->parameters[i].name; i++) {
		const struct list_parameter *parameter = &task->list->parameters[i];
		struct str *text;

		if (parameter->is_switch) {
			if (task_has_bad_switch(task, parameter->name, &choice->is_on, ret_answer))
				return true;
			continue;
		}
		text = &choice->texts[texts++];
		if (task_has_bad_text(task, parameter->name, text, ret_answer) ||
		    is_unknown_word(task, parameter, *text, ret_answer))
			return true;
	}
	return false;
}

/* Returns the list's parameters of the query unchanged: "&q=clock". */
static struct str repeat_parameters(struct task *task)
{
	struct str all = STR("");

	for (unsigned i = 0; i < LIST_PARAMETERS_MAX && task->list->parameters[i].name; i++) {
		struct str name = str_from(task->list->parameters[i].name);
		struct str value = http_request_query(task->request, name);

		if (value.length)
			all = ARENA_JOIN(task_arena(task), all, STR("&"), name, STR("="), value);
	}
	return all;
}

/* Returns the list position of a row; its text lies in the row. */
static struct list_position position_of(const struct list_order *order, const struct record *record,
					const void *row)
{
	struct list_position position = {0};

	for (unsigned i = 0; i < LIST_KEYS_MAX && order->columns[i]; i++) {
		size_t offset = 0;
		const struct record_field *field =
		    record_column(record, order->columns[i], &offset);
		const void *member = (const char *)row + offset;

		require(field);
		if (field->kind == RECORD_KIND_ID)
			position.id = *(const struct id *)member;
		else if (field->kind == RECORD_KIND_STR)
			position.text = *(const struct str *)member;
		else
			position.number = *(const int64_t *)member;
	}
	return position;
}

void task_add_next_part(struct task *task, const struct record *record, const void *row)
{
	struct arena *arena = task_arena(task);
	struct list_position position = position_of(task->list->order, record, row);
	size_t size = FIXED_BYTES + position.text.length;
	uint64_t number = htobe64((uint64_t)position.number);
	uint8_t *data = arena_alloc(arena, size);
	size_t text_size =
	    sodium_base64_encoded_len(size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	char *text = arena_alloc(arena, text_size);

	task->has_next_part = true;
	data[0] = (uint8_t)task->list->letter;
	memcpy(data + 1, &number, sizeof(number));
	memcpy(data + 1 + sizeof(number), &position.id, sizeof(position.id));
	if (position.text.length)
		memcpy(data + FIXED_BYTES, position.text.data, position.text.length);
	sodium_bin2base64(text, text_size, data, size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	/* Relative to the request's URL, since a proxy may add a prefix to the path (RFC 8288 3.1).
	 */
	task_add_field(task, STR("Link"),
		       ARENA_JOIN(arena, STR("<?limit="),
				  arena_decimal(arena, task->range.limit - 1), STR("&cursor="),
				  str_from(text), repeat_parameters(task), STR(">; rel=\"next\"")));
}

void task_begin_list(const struct task_list *list, struct buffer *json)
{
	if (list->envelope) {
		buffer_append_str(json, STR("{\""));
		buffer_append_str(json, str_from(list->envelope));
		buffer_append_str(json, STR("\":"));
	}
	buffer_append_char(json, '[');
}

void task_end_list(const struct task_list *list, struct buffer *json)
{
	buffer_append_char(json, ']');
	if (list->envelope)
		buffer_append_char(json, '}');
}
