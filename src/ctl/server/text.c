#include "ctl/server/text.h"
#include "record/json.h"
#include "record/json_text.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <yyjson.h>

struct str ctl_encode(struct ctl *ctl, struct str text)
{
	/* With length 0 libcurl would search for a NUL. */
	char *encoded = text.length ? curl_easy_escape(NULL, text.data, (int)text.length) : NULL;
	struct str copy = arena_copy(&ctl->arena, encoded ? str_from(encoded) : STR(""));

	curl_free(encoded);
	return copy;
}

struct str ctl_lower(struct ctl *ctl, struct str text)
{
	struct str copy = arena_copy(&ctl->arena, text);
	char *bytes = (char *)(uintptr_t)copy.data;

	for (size_t i = 0; i < copy.length; i++)
		if (bytes[i] >= 'A' && bytes[i] <= 'Z')
			bytes[i] = (char)(bytes[i] - 'A' + 'a');
	return copy;
}

bool ctl_is_segment(struct str text)
{
	return text.length && !str_equal(text, STR(".")) && !str_equal(text, STR("..")) &&
	       str_find(text, '/') == text.length;
}

struct str ctl_id_text(struct ctl *ctl, struct id id)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(id, text);
	return arena_copy(&ctl->arena, str_from(text));
}

struct str ctl_path(struct ctl *ctl, const char *path, struct id id, const char *rest)
{
	return ARENA_JOIN(&ctl->arena, str_from(path), ctl_id_text(ctl, id), str_from(rest));
}

struct str ctl_base64(struct ctl *ctl, struct str bytes)
{
	struct buffer text = {0};
	struct str copy;

	buffer_append_base64(&text, bytes);
	copy = arena_copy(&ctl->arena, buffer_view(&text));
	buffer_finish(&text);
	return copy;
}

void ctl_write_body(const struct ctl_member *members, struct buffer *json)
{
	char separator = '{';

	for (; members->name; members++) {
		if (!members->value.data)
			continue;
		buffer_append_char(json, separator);
		separator = ',';
		json_write_str(json, str_from(members->name));
		buffer_append_char(json, ':');
		if (members->is_json)
			buffer_append_str(json, members->value);
		else
			json_write_str(json, members->value);
	}
	buffer_append_str(json, separator == ',' ? STR("}") : STR("{}"));
}

struct str ctl_body(struct ctl *ctl, const struct ctl_member *members)
{
	struct buffer json = {0};
	struct str body;

	ctl_write_body(members, &json);
	body = arena_copy(&ctl->arena, buffer_view(&json));
	buffer_finish(&json);
	return body;
}

struct ctl_member ctl_text(const char *name, struct str value)
{
	return (struct ctl_member){name, value.data ? value : STR("null"), !value.data};
}

struct ctl_member ctl_number(struct ctl *ctl, const char *name, int64_t value)
{
	return (struct ctl_member){name, arena_decimal(&ctl->arena, value), true};
}

struct ctl_member ctl_flag(const char *name, bool value)
{
	return (struct ctl_member){name, value ? STR("true") : STR("false"), true};
}

struct str ctl_json_with(struct ctl *ctl, struct str json, const struct ctl_member *members)
{
	json.length--; /* without its brace */
	return ARENA_JOIN(&ctl->arena, json, STR(","), str_from_offset(ctl_body(ctl, members), 1));
}

enum ctl_exit ctl_print_members(struct ctl *ctl, const struct ctl_member *members)
{
	return ctl_print_json(ctl, ctl_body(ctl, members));
}

struct str ctl_json_text(struct ctl *ctl, struct str json, const char *member)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	yyjson_val *value = yyjson_obj_get(yyjson_doc_get_root(document), member);
	struct str text = {0};

	if (yyjson_is_str(value))
		text = arena_copy(&ctl->arena, json_text(value));
	yyjson_doc_free(document);
	return text;
}

int64_t ctl_json_number(struct str json, const char *member)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	int64_t number = yyjson_get_sint(yyjson_obj_get(yyjson_doc_get_root(document), member));

	yyjson_doc_free(document);
	return number;
}

static struct str write_value(struct ctl *ctl, yyjson_val *value)
{
	char *json = value ? yyjson_val_write(value, 0, NULL) : NULL;
	struct str text = arena_copy(&ctl->arena, str_from(json));

	free(json);
	return json ? text : (struct str){0};
}

struct str ctl_json_part(struct ctl *ctl, struct str json, const char *member)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	struct str part = write_value(ctl, yyjson_obj_get(yyjson_doc_get_root(document), member));

	yyjson_doc_free(document);
	return part;
}

struct str ctl_json_find(struct ctl *ctl, struct str json, const char *list, const char *member,
			 struct str text)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	yyjson_val *rows = yyjson_doc_get_root(document), *row;
	struct str found = {0};
	size_t i, count;

	if (list)
		rows = yyjson_obj_get(rows, list);
	yyjson_arr_foreach(rows, i, count, row)
	{
		if (!str_equal(json_text(yyjson_obj_get(row, member)), text))
			continue;
		found = write_value(ctl, row);
		break;
	}
	yyjson_doc_free(document);
	return found;
}

struct str ctl_json_rows(struct ctl *ctl, struct str json, const char *member, struct str text)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	struct buffer made = {0};
	size_t i, count;
	yyjson_val *row;
	struct str rows;

	buffer_append_char(&made, '[');
	yyjson_arr_foreach(yyjson_doc_get_root(document), i, count, row)
	{
		if (!str_equal_ignore_case(json_text(yyjson_obj_get(row, member)), text))
			continue;
		if (buffer_length(&made) > 1)
			buffer_append_char(&made, ',');
		buffer_append_str(&made, write_value(ctl, row));
	}
	buffer_append_char(&made, ']');
	rows = arena_copy(&ctl->arena, buffer_view(&made));
	buffer_finish(&made);
	yyjson_doc_free(document);
	return rows;
}
