#include "import_line.h"
#include "base/hex.h"
#include "delivery/picture_size.h"
#include "domain/app.h"
#include "domain/device.h"

#include <panelimage/panelimage.h>
#include <text/base64.h>

struct reading {
	struct account_line line;
	const struct settings_key *file_key, *key; /* file_key NULL: none */
	struct arena *arena;
	struct account_import_row *row;
	struct str *why;
};

static bool import_line_fail(struct reading *reading, struct str why)
{
	*reading->why = why;
	return false;
}

static struct str decode(struct reading *reading, struct str base64)
{
	uint8_t *data = arena_alloc(reading->arena, base64_decoded_max(base64.length));
	size_t size;

	if (base64_decode(base64, data, &size) < 0)
		return (struct str){0};
	return (struct str){(const char *)data, size};
}

static struct str to_hex(struct arena *arena, const void *data, size_t size)
{
	char *text = arena_alloc(arena, 2 * size + 1);

	hex_encode(data, size, text);
	return (struct str){text, 2 * size};
}

/* Converts a picture for any panel: size and limit of its device are on another line. */
static int convert(struct str data, struct panelimage_result *ret, struct panelimage_error *reterr)
{
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new((const uint8_t *)data.data, data.length,
				      picture_pixels(picture_panel_size(data)), reterr);

	if (!conversion)
		return -1;
	panelimage_conversion_limit(conversion, DEVICE_PICTURE_LIMIT_MIN);
	return panelimage_conversion_finish(conversion, ret, reterr);
}

/* Decodes a picture of the file completely, and stores it in the same form as a push. */
static bool read_picture(struct reading *reading)
{
	struct arena *arena = reading->arena;
	struct panelimage_result result;
	struct panelimage_error why;
	struct str data;

	if (!reading->line.picture.data)
		return true;
	data = decode(reading, reading->line.picture);
	if (!data.data)
		return import_line_fail(reading, STR("its picture is not base64"));
	if (convert(data, &result, &why) < 0)
		return import_line_fail(reading, arena_printf(arena, "its picture: %s", why.text));
	reading->row->picture = to_hex(arena, result.data, result.size);
	panelimage_result_finish(&result);
	return true;
}

/* Decrypts secret settings with the file's key, adds them to all, and encrypts them with the
 * instance's key. */
static bool read_secrets(struct reading *reading, struct settings *all)
{
	const struct account_line *line = &reading->line;
	struct buffer encrypted = {0};
	struct settings secret;
	struct str data, json;

	if (!line->encrypted.data || !reading->file_key)
		return true;
	data = decode(reading, line->encrypted);
	if (!data.data)
		return import_line_fail(reading, STR("its secret settings are not base64"));
	if (!settings_decrypt(reading->file_key, line->device_id, line->entry_id, data,
			      reading->arena, &json))
		return import_line_fail(
		    reading,
		    STR("its secret settings cannot be decrypted: the pass phrase is wrong"));
	settings_parse(json, reading->arena, &secret);
	settings_merge(all, &secret, reading->arena, all);
	settings_encrypt(reading->key, line->device_id, line->entry_id, json, &encrypted);
	reading->row->encrypted =
	    to_hex(reading->arena, buffer_view(&encrypted).data, buffer_length(&encrypted));
	buffer_finish(&encrypted);
	return true;
}

static bool read_entry(struct reading *reading)
{
	uint8_t hash[SETTINGS_HASH_BYTES];
	struct settings all;
	struct buffer text = {0};

	settings_parse(reading->line.settings, reading->arena, &all);
	if (!read_picture(reading) || !read_secrets(reading, &all))
		return false;
	settings_write(&all, &text);
	settings_hash(reading->key, buffer_view(&text), reading->row->encrypted.length > 0, hash);
	buffer_finish(&text);
	reading->row->settings = reading->line.settings;
	reading->row->hash = to_hex(reading->arena, hash, sizeof(hash));
	return true;
}

bool account_import_read(struct str text, const struct settings_key *file_key,
			 const struct settings_key *key, struct arena *arena,
			 struct account_import_row *ret_row, struct str *ret_why)
{
	struct reading reading = {
	    .file_key = file_key, .key = key, .arena = arena, .row = ret_row, .why = ret_why};
	char *checksum = arena_zalloc(arena, APP_CHECKSUM_LENGTH + 1);
	const struct account_line *line = &reading.line;

	if (!account_line_read(text, arena, &reading.line, ret_why))
		return false;
	if (line->kind == ACCOUNT_LINE_VERSION)
		app_checksum(line->script_language, line->script_content, checksum);
	*ret_row = (struct account_import_row){
	    .kind = str_from(account_line_names[line->kind]),
	    .name = account_line_name(line).data ? account_line_name(line) : STR(""),
	    .line = text,
	    .picture = STR(""),
	    .settings = STR(""),
	    .encrypted = STR(""),
	    .hash = STR(""),
	    .checksum = str_from(checksum),
	};
	return line->kind != ACCOUNT_LINE_ENTRY || read_entry(&reading);
}
