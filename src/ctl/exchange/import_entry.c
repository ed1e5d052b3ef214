#include "ctl/exchange/import_lines.h"
#include "domain/display.h"

#include <panelimage/panelimage.h>
#include <text/base64.h>

/* A stranger's picture goes the way of one that is pushed: it is decoded completely, and what is
 * kept shows what it shows. */
static enum ctl_exit read_picture(const struct account_import *import,
				  const struct account_line *line, struct str *ret_picture)
{
	const struct panelimage_size panel = {DISPLAY_WIDTH, DISPLAY_HEIGHT};
	struct arena *arena = &import->ctl->arena;
	struct panelimage_result result;
	struct panelimage_error why;
	uint8_t *data;
	size_t size;

	*ret_picture = (struct str){0};
	if (!line->picture.data)
		return CTL_DONE;
	data = arena_alloc(arena, base64_decoded_max(line->picture.length));
	if (base64_decode(line->picture, data, &size) < 0)
		return import_fail_line(import, "its picture is no base64");
	if (panelimage_convert(data, size, panel, &result, &why) < 0)
		return import_fail_line(import, "its picture: %s", why.text);
	*ret_picture = arena_copy(arena, (struct str){(const char *)result.data, result.size});
	panelimage_result_finish(&result);
	if ((int64_t)ret_picture->length <= import->picture_limit_bytes)
		return CTL_DONE;
	return import_fail_line(import, "its picture has %zu bytes, the device takes %lld",
				ret_picture->length, (long long)import->picture_limit_bytes);
}

struct entry_settings {
	struct settings all;
	struct buffer sealed;
};

/* Secret settings were sealed for the file, and are sealed for this instance. */
static enum ctl_exit read_secrets(struct account_import *import, const struct account_line *line,
				  struct entry_settings *settings)
{
	struct arena *arena = &import->ctl->arena;
	struct settings secret;
	struct str json;
	uint8_t *data;
	size_t size;

	if (!line->sealed.data || ctl_value(import->ctl, "without-secrets").data)
		return CTL_DONE;
	data = arena_alloc(arena, base64_decoded_max(line->sealed.length));
	if (base64_decode(line->sealed, data, &size) < 0)
		return import_fail_line(import, "its secret settings are no base64");
	if (!settings_open(&import->file_key, line->device_id, line->entry_id,
			   (struct str){(const char *)data, size}, arena, &json))
		return import_fail_line(
		    import, "its secret settings do not open: the pass phrase is another one");
	settings_parse(json, arena, &secret);
	settings_merge(&settings->all, &secret, arena, &settings->all);
	settings_seal(&import->key, line->device_id, line->entry_id, json, &settings->sealed);
	return CTL_DONE;
}

static enum ctl_exit read_settings(struct account_import *import, const struct account_line *line,
				   struct entry_settings *settings,
				   uint8_t ret_hash[static SETTINGS_HASH_BYTES])
{
	struct buffer text = {0};
	enum ctl_exit code;

	settings_parse(line->settings, &import->ctl->arena, &settings->all);
	code = read_secrets(import, line, settings);
	if (code != CTL_DONE)
		return code;
	settings_write(&settings->all, &text);
	settings_hash(&import->key, buffer_view(&text), buffer_length(&settings->sealed) > 0,
		      ret_hash);
	buffer_finish(&text);
	return CTL_DONE;
}

static enum ctl_exit store(struct account_import *import, const struct account_line *line,
			   struct str picture, struct str sealed,
			   const uint8_t hash[static SETTINGS_HASH_BYTES])
{
	enum ctl_exit code;
	bool has_row = false;

	statement_import_entry(ctl_new_query(import->ctl),
			       &(struct import_entry_parameters){
				   .device_id = import->device_id,
				   .account_id = import->account_id,
				   .position = import->position + 1,
				   .picture = picture,
				   .settings = line->settings,
				   .secret_settings = sealed,
				   .settings_hash = {(const char *)hash, SETTINGS_HASH_BYTES},
				   .line = line->text,
			       },
			       NULL);
	code = import_run(import, line, &has_row);
	if (code != CTL_DONE)
		return code;
	if (has_row) {
		import->position++;
		import->row.entries++;
		return CTL_DONE;
	}
	if (!ctl_value(import->ctl, "skip-missing-apps").data)
		return import_fail_line(import,
					"there is no app \"%.*s\" here that the account can "
					"install; --skip-missing-apps leaves such entries out",
					STR_ARG(line->app));
	import->row.skipped++;
	return CTL_DONE;
}

enum ctl_exit import_entry(struct account_import *import, const struct account_line *line)
{
	struct entry_settings settings = {0};
	uint8_t hash[SETTINGS_HASH_BYTES];
	struct str picture;
	enum ctl_exit code = read_picture(import, line, &picture);

	if (code == CTL_DONE)
		code = read_settings(import, line, &settings, hash);
	if (code == CTL_DONE)
		code = store(import, line, picture,
			     buffer_length(&settings.sealed) ? buffer_view(&settings.sealed)
							     : (struct str){0},
			     hash);
	buffer_finish(&settings.sealed);
	return code;
}
