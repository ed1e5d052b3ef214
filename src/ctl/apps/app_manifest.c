#include "app_manifest.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "domain/studio.h"
#include "record/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>
#include <unistd.h>
#include <yaml.h>

static const struct key {
	const char *name;
	size_t offset;
	size_t length_max; /* code points */
} keys[] = {
    {"id", offsetof(struct app_manifest, id), APP_NAME_LENGTH_MAX},
    {"packageName", offsetof(struct app_manifest, package), APP_NAME_LENGTH_MAX},
    {"name", offsetof(struct app_manifest, name), APP_NAME_LENGTH_MAX},
    {"summary", offsetof(struct app_manifest, summary), APP_DESCRIPTION_LENGTH_MAX},
    {"desc", offsetof(struct app_manifest, description), APP_DESCRIPTION_LENGTH_MAX},
    {"author", offsetof(struct app_manifest, author), APP_NAME_LENGTH_MAX},
    {"category", offsetof(struct app_manifest, category), APP_NAME_LENGTH_MAX},
    {"brokenReason", offsetof(struct app_manifest, broken_reason), APP_DESCRIPTION_LENGTH_MAX},
};

enum { TAG_LENGTH_MAX = 40 };

static char **value_of(struct app_manifest *manifest, const struct key *key)
{
	return (char **)(void *)((char *)manifest + key->offset);
}

static struct str trim(struct str text)
{
	while (text.length > 0 && (unsigned char)text.data[0] <= ' ')
		text = str_from_offset(text, 1);
	while (text.length > 0 && (unsigned char)text.data[text.length - 1] <= ' ')
		text.length--;
	return text;
}

/* Makes one line of at most length_max characters, the last one "…" if there are more. NULL:
 * none. */
static char *make_line(struct str text, size_t length_max)
{
	struct buffer line = {0};
	char *made;

	text = trim(text);
	if (text.length == 0 || !utf8_is_valid(text))
		return NULL;
	for (size_t count = 1; text.length > 0; count++) {
		struct str before = text;
		uint32_t c = utf8_next(&text);

		if (count == length_max && text.length > 0) {
			buffer_append_str(&line, STR("\u2026"));
			break;
		}
		if (utf8_is_control(c))
			buffer_append_char(&line, ' ');
		else
			buffer_append(&line, before.data, before.length - text.length);
	}
	buffer_append_char(&line, '\0');
	made = memory_strdup(buffer_view(&line).data);
	buffer_finish(&line);
	return made;
}

static void take_value(struct app_manifest *manifest, struct str name, struct str value)
{
	if (str_equal(name, STR("broken")))
		manifest->is_broken = str_equal_ignore_case(value, STR("true"));
	for (size_t i = 0; i < array_length(keys); i++) {
		char **to = value_of(manifest, &keys[i]);

		if (!*to && str_equal(name, str_from(keys[i].name)))
			*to = make_line(value, keys[i].length_max);
	}
}

/* State of the parser: its depth, and the name in the outermost mapping whose value follows. */
struct reading {
	int depth;
	bool is_mapping; /* the outermost node */
	bool has_name;
	char name[32];	    /* of a scalar; empty: another one, or too long for ours */
	bool is_in_tags;    /* the nested node is the list of tags */
	unsigned tag_count; /* in tags */
	struct buffer tags; /* JSON, without the brackets */
};

/* A value that YAML reads as none. */
static bool is_null(const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;

	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (strcmp(value, "~") == 0 || strcasecmp(value, "null") == 0);
}

static struct str scalar_of(const yaml_event_t *event)
{
	return (struct str){(const char *)event->data.scalar.value, event->data.scalar.length};
}

static void read_name(struct reading *reading, const yaml_event_t *event)
{
	reading->has_name = true;
	reading->name[0] = '\0';
	if (event->type == YAML_SCALAR_EVENT && event->data.scalar.length < sizeof(reading->name)) {
		memcpy(reading->name, event->data.scalar.value, event->data.scalar.length);
		reading->name[event->data.scalar.length] = '\0';
	}
}

static void add_tag(struct reading *reading, struct str text)
{
	char *tag = reading->tag_count < MANIFEST_TAGS_MAX ? make_line(text, TAG_LENGTH_MAX) : NULL;

	if (!tag)
		return;
	if (reading->tag_count++ > 0)
		buffer_append_char(&reading->tags, ',');
	json_write_str(&reading->tags, str_from(tag));
	free(tag);
}

/* A scalar, an alias, or the first event of something that is nested. */
static void read_node(struct reading *reading, const yaml_event_t *event,
		      struct app_manifest *manifest)
{
	if (reading->depth == 0)
		reading->is_mapping = event->type == YAML_MAPPING_START_EVENT;
	if (reading->depth == 2 && reading->is_in_tags && event->type == YAML_SCALAR_EVENT &&
	    !is_null(event))
		add_tag(reading, scalar_of(event));
	if (reading->depth != 1 || !reading->is_mapping)
		return;
	if (!reading->has_name) {
		read_name(reading, event);
		return;
	}
	reading->has_name = false;
	reading->is_in_tags =
	    event->type == YAML_SEQUENCE_START_EVENT && strcmp(reading->name, "tags") == 0;
	if (event->type == YAML_SCALAR_EVENT && !is_null(event))
		take_value(manifest, str_from(reading->name), scalar_of(event));
}

static void read_event(struct reading *reading, const yaml_event_t *event,
		       struct app_manifest *manifest)
{
	switch (event->type) {
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		read_node(reading, event, manifest);
		reading->depth++;
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		reading->depth--;
		break;
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
		read_node(reading, event, manifest);
		break;
	default:
		break;
	}
}

/* The first document. */
static int parse(struct str text, struct app_manifest *manifest,
		 char ret_fault[static MANIFEST_FAULT_MAX])
{
	struct reading reading = {0};
	yaml_parser_t parser;
	yaml_event_t event;
	bool goes_on = true, is_read = true;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.length);
	while (goes_on) {
		is_read = yaml_parser_parse(&parser, &event);
		if (!is_read)
			break;
		read_event(&reading, &event, manifest);
		goes_on =
		    event.type != YAML_DOCUMENT_END_EVENT && event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	if (reading.tag_count > 0 &&
	    asprintf(&manifest->tags, "[%.*s]", STR_ARG(buffer_view(&reading.tags))) < 0)
		abort();
	buffer_finish(&reading.tags);
	if (!is_read)
		snprintf(ret_fault, MANIFEST_FAULT_MAX, "manifest.yaml:%zu:%zu: %s",
			 parser.problem_mark.line + 1, parser.problem_mark.column + 1,
			 parser.problem ? parser.problem : "is not valid YAML");
	else if (!reading.is_mapping)
		snprintf(ret_fault, MANIFEST_FAULT_MAX,
			 "manifest.yaml: must have names with values");
	yaml_parser_delete(&parser);
	return is_read && reading.is_mapping ? 0 : -1;
}

int app_manifest_read(const char *path, struct app_manifest *ret_manifest,
		      char ret_fault[static MANIFEST_FAULT_MAX])
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct buffer text = {0};
	ssize_t length = file < 0 ? -1 : 1;
	int status = -1;

	*ret_manifest = (struct app_manifest){0};
	while (length > 0 && buffer_length(&text) <= MANIFEST_BYTES_MAX) {
		length = read(file, buffer_reserve(&text, 4096), 4096);
		if (length > 0)
			buffer_commit(&text, (size_t)length);
	}
	if (length < 0)
		snprintf(ret_fault, MANIFEST_FAULT_MAX, "manifest.yaml: %s", strerror(errno));
	else if (buffer_length(&text) > MANIFEST_BYTES_MAX)
		snprintf(ret_fault, MANIFEST_FAULT_MAX, "manifest.yaml: is larger than %d KiB",
			 MANIFEST_BYTES_MAX >> 10);
	else
		status = parse(buffer_view(&text), ret_manifest, ret_fault);
	if (file >= 0)
		close(file);
	buffer_finish(&text);
	return status;
}

void app_manifest_finish(struct app_manifest *manifest)
{
	for (size_t i = 0; i < array_length(keys); i++)
		free(*value_of(manifest, &keys[i]));
	free(manifest->tags);
	*manifest = (struct app_manifest){0};
}
