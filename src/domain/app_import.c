#include "domain/app_import.h"
#include "domain/device.h"
#include "domain/studio.h"

#include <text/utf8.h>

enum { VERSION_DIGITS = 16, SOURCE_LENGTH_MAX = 5000 };

static const char *script_check(struct str script)
{
	return script.length >= 1 && script.length <= IMPORT_SCRIPT_BYTES_MAX
		   ? NULL
		   : "must have 1 to 8388608 bytes";
}

static const struct record_field choice_fields[] = {
    RECORD_STR(struct collection_choice, name, .body = "name", .required = true, .minimum = 1,
	       .maximum = APP_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_BOOL(struct collection_choice, is_given, .body = "isGiven"),
    RECORD_STR(struct collection_choice, source, .body = "source", .required = true, .minimum = 1,
	       .maximum = SOURCE_LENGTH_MAX),
    RECORD_STR(struct collection_choice, lines, .body = "lines", .required = true),
    RECORD_BOOL(struct collection_choice, only_check, .body = "onlyCheck"),
};
const struct record collection_choice_record = RECORD(struct collection_choice, choice_fields);

static bool is_tag(const struct json_value *value, struct str *ret_tag)
{
	return json_get_str(value, ret_tag) && ret_tag->length &&
	       utf8_length(*ret_tag) <= IMPORT_TAG_LENGTH_MAX && !device_name_check(*ret_tag);
}

static void read_tags(struct app_import *import, struct faults *faults)
{
	struct json_walk walk = json_walk(import->tag_list);
	const struct json_value *item;
	unsigned count;

	if (json_get_array(import->tag_list, &count) && count <= IMPORT_TAGS_MAX)
		while (json_next_item(&walk, &item) &&
		       is_tag(item, &import->tags[import->tag_count]))
			import->tag_count++;
	else
		count = IMPORT_TAGS_MAX + 1;
	if (import->tag_count < count)
		faults_add(faults, STR("tags"),
			   "must be an array of at most %d texts of 1 to %d characters",
			   IMPORT_TAGS_MAX, IMPORT_TAG_LENGTH_MAX);
}

static void check_app(void *body, uint64_t seen, struct faults *faults)
{
	struct app_import *import = body;

	(void)seen;
	if (import->tag_list)
		read_tags(import, faults);
	if (faults->count == 0)
		app_checksum(import->script_language, import->script_content, import->checksum);
}

static const struct record_field app_fields[] = {
    RECORD_STR(struct app_import, slug, .body = "slug", .required = true, .minimum = 1,
	       .maximum = APP_SLUG_LENGTH_MAX, .check = app_slug_check),
    RECORD_STR(struct app_import, name, .body = "name", .required = true, .minimum = 1,
	       .maximum = APP_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct app_import, description, .body = "description",
	       .maximum = APP_DESCRIPTION_LENGTH_MAX, .check = app_text_check),
    RECORD_STR(struct app_import, author, .body = "author", .minimum = 1,
	       .maximum = APP_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct app_import, origin, .body = "origin", .required = true, .minimum = 1,
	       .maximum = APP_NAME_LENGTH_MAX),
    RECORD_STR(struct app_import, category, .body = "category", .maximum = APP_NAME_LENGTH_MAX,
	       .check = app_text_check),
    RECORD_ANY(struct app_import, tag_list, .body = "tags"),
    RECORD_STR(struct app_import, broken_reason, .body = "brokenReason", .minimum = 1,
	       .maximum = APP_DESCRIPTION_LENGTH_MAX, .check = app_text_check),
    RECORD_STR(struct app_import, script_language, .body = "scriptLanguage", .required = true,
	       .check = app_language_check),
    RECORD_STR(struct app_import, script_content, .body = "scriptContent", .required = true,
	       .check = script_check),
    RECORD_STR(struct app_import, picture, .body = "picture", .minimum = 1,
	       .maximum = IMPORT_PICTURE_LENGTH_MAX),
    RECORD_BOOL(struct app_import, only_check, .body = "onlyCheck"),
};
const struct record app_import_record = RECORD(struct app_import, app_fields, .check = check_app);

struct str import_version(const char checksum[static APP_CHECKSUM_LENGTH + 1])
{
	return (struct str){checksum + strlen("sha256:"), VERSION_DIGITS};
}
