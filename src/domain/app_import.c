#include "domain/app_import.h"
#include "domain/device.h"
#include "domain/studio.h"

#include <text/utf8.h>

enum { VERSION_DIGITS = 16 };

const char *app_import_script_check(struct str script)
{
	return script.length >= 1 && script.length <= IMPORT_SCRIPT_BYTES_MAX
		   ? NULL
		   : "must have 1 to 8388608 bytes";
}

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

void app_import_check_app(void *body, uint64_t seen, struct faults *faults)
{
	struct app_import *import = body;

	(void)seen;
	if (import->tag_list)
		read_tags(import, faults);
	if (faults->count == 0)
		app_checksum(import->script_language, import->script_content, import->checksum);
}

struct str import_version(const char checksum[static APP_CHECKSUM_LENGTH + 1])
{
	return (struct str){checksum + strlen("sha256:"), VERSION_DIGITS};
}
