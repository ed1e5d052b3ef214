#include "checkout/app_manifest.h"
#include "base/memory.h"
#include "domain/app_import.h"
#include "domain/studio.h"
#include "record/json.h"

#include <stddef.h>
#include <string.h>
#include <text/utf8.h>
#include <yaml.h>

static const struct key {
	const char *name;
	size_t offset;
	size_t length_max; /* in code points */
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

static struct str trim(struct str text)
{
	while (text.length > 0 && (unsigned char)text.data[0] <= ' ')
		text = str_from_offset(text, 1);
	while (text.length > 0 && (unsigned char)text.data[text.length - 1] <= ' ')
		text.length--;
	return text;
}

/* Returns one line of at most length_max characters; if cut, the last is "…". data is NULL if the
 * text is empty or not UTF-8. */
static struct str make_line(struct str text, size_t length_max, struct arena *arena)
{
	struct buffer line = {0};
	struct str made;

	text = trim(text);
	if (text.length == 0 || !utf8_is_valid(text))
		return (struct str){0};
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
	made = arena_copy(arena, buffer_view(&line));
	buffer_finish(&line);
	return made;
}

/* Whether the node is a text, and not what YAML reads as null. */
static bool get_text(const yaml_node_t *node, struct str *ret_text)
{
	if (!node || node->type != YAML_SCALAR_NODE)
		return false;
	*ret_text = (struct str){(const char *)node->data.scalar.value, node->data.scalar.length};
	return node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
	       !(str_equal(*ret_text, STR("~")) || str_equal_ignore_case(*ret_text, STR("null")));
}

static struct str read_tags(yaml_document_t *document, const yaml_node_t *list, struct arena *arena)
{
	struct buffer tags = {0};
	struct str text, json;
	unsigned count = 0;

	buffer_append_char(&tags, '[');
	for (const yaml_node_item_t *item = list->data.sequence.items.start;
	     item < list->data.sequence.items.top && count < IMPORT_TAGS_MAX; item++) {
		if (!get_text(yaml_document_get_node(document, *item), &text))
			continue;
		text = make_line(text, IMPORT_TAG_LENGTH_MAX, arena);
		if (!text.data)
			continue;
		if (count++ > 0)
			buffer_append_char(&tags, ',');
		json_write_str(&tags, text);
	}
	buffer_append_char(&tags, ']');
	json = arena_copy(arena, buffer_view(&tags));
	buffer_finish(&tags);
	return json;
}

/* Sets the member of this name. Of several values the first that is not empty counts. */
static void take_value(struct app_manifest *manifest, struct str name, struct str value,
		       struct arena *arena)
{
	if (str_equal(name, STR("broken")))
		manifest->is_broken = str_equal_ignore_case(value, STR("true"));
	for (size_t i = 0; i < array_length(keys); i++) {
		struct str *to = (struct str *)(void *)((char *)manifest + keys[i].offset);

		if (!to->data && str_equal(name, str_from(keys[i].name)))
			*to = make_line(value, keys[i].length_max, arena);
	}
}

static void read_mapping(yaml_document_t *document, const yaml_node_t *root, struct arena *arena,
			 struct app_manifest *ret_manifest)
{
	struct str name, text;

	for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
	     pair < root->data.mapping.pairs.top; pair++) {
		const yaml_node_t *value = yaml_document_get_node(document, pair->value);

		if (!get_text(yaml_document_get_node(document, pair->key), &name))
			continue;
		if (get_text(value, &text))
			take_value(ret_manifest, name, text, arena);
		else if (value->type == YAML_SEQUENCE_NODE && str_equal(name, STR("tags")))
			ret_manifest->tags = read_tags(document, value, arena);
	}
}

static bool parse(struct str text, struct arena *arena, struct app_manifest *ret_manifest,
		  struct str *ret_why)
{
	yaml_document_t document;
	yaml_parser_t parser;
	const yaml_node_t *root;
	bool is_read;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.length);
	is_read = yaml_parser_load(&parser, &document);
	if (!is_read)
		*ret_why = arena_printf(
		    arena, "manifest.yaml:%zu:%zu: %s", parser.problem_mark.line + 1,
		    parser.problem_mark.column + 1, parser.problem ?: "is not valid YAML");
	yaml_parser_delete(&parser);
	if (!is_read)
		return false;
	root = yaml_document_get_root_node(&document);
	is_read = root && root->type == YAML_MAPPING_NODE;
	if (is_read)
		read_mapping(&document, root, arena, ret_manifest);
	else
		*ret_why = STR("manifest.yaml: must have names with values");
	yaml_document_delete(&document);
	return is_read;
}

bool app_manifest_parse(struct str text, struct arena *arena, struct app_manifest *ret_manifest,
			struct str *ret_why)
{
	*ret_manifest = (struct app_manifest){.tags = STR("[]")};
	if (text.length <= APP_MANIFEST_BYTES_MAX)
		return parse(text, arena, ret_manifest, ret_why);
	*ret_why = arena_printf(arena, "manifest.yaml: is larger than %d KiB",
				APP_MANIFEST_BYTES_MAX >> 10);
	return false;
}
