/* displayctl push: sends a picture from a file to a device, as other programs do. */
#include "domain/push.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"

#include <curl/curl.h>
#include <panelimage/panelimage.h>
#include <stdlib.h>
#include <text/utf8.h>

static struct str write_body(struct ctl *ctl, struct str file)
{
	return ctl_body_of_options(ctl, CTL_MEMBERS({"image", ctl_base64(ctl, file), false}));
}

/* Returns a percent-decoded part of the header field, such as the ID of an entry. */
static struct str decode(struct ctl *ctl, struct str text)
{
	int length = 0;
	char *decoded =
	    text.length ? curl_easy_unescape(NULL, text.data, (int)text.length, &length) : NULL;
	struct str copy =
	    arena_copy(&ctl->arena, (struct str){decoded ? decoded : "", (size_t)length});

	curl_free(decoded);
	return copy;
}

/* Returns the header field Displayd-Shown in words. */
static struct str words_of(struct ctl *ctl, struct str field)
{
	static const struct {
		const char *field, *before, *after;
	} words[] = {
	    {"asleep; until=", "not before the panel wakes at ", ""},
	    {"asleep", "not while the panel sleeps", ""},
	    {"dark", "not while the brightness is 0", ""},
	    {"later", "in its turn", ""},
	    {"never", "once a panel has connected for the first time", ""},
	    {"now", "now", ""},
	    {"offline; since=", "when the panel is back, offline since ", ""},
	    {"pinned; id=", "not while \"", "\" is pinned"},
	};

	for (size_t i = 0; i < array_length(words); i++)
		if (str_starts_with(field, str_from(words[i].field)))
			return ARENA_JOIN(
			    &ctl->arena, str_from(words[i].before),
			    decode(ctl, str_from_offset(field, strlen(words[i].field))),
			    str_from(words[i].after));
	return field;
}

/* Rejects option combinations that the API would silently ignore. */
static enum ctl_exit check_options(const struct ctl *ctl)
{
	struct str installation = ctl_value(ctl, "installation");

	if (installation.data && !utf8_is_valid(installation))
		return ctl_fail(CTL_USAGE, "--installation must be UTF-8");
	if (installation.data && ctl_value(ctl, "duration").data)
		return ctl_fail(CTL_USAGE, "--duration is for pictures without --installation");
	if (installation.data && ctl_value(ctl, "show-for").data)
		return ctl_fail(CTL_USAGE, "--show-for is for pictures without --installation");
	if (ctl_value(ctl, "duration").data && ctl_value(ctl, "show-for").data)
		return ctl_fail(CTL_USAGE, "--show-for excludes --duration");
	if (!installation.data && ctl_value(ctl, "background").data)
		return ctl_fail(CTL_USAGE, "--background needs --installation ID");
	if (!installation.data && ctl_value(ctl, "expires-in").data)
		return ctl_fail(CTL_USAGE, "--expires-in needs --installation ID");
	if (ctl_value(ctl, "hold").data &&
	    (ctl_value(ctl, "duration").data || ctl_value(ctl, "show-for").data ||
	     ctl_value(ctl, "background").data))
		return ctl_fail(CTL_USAGE,
				"--hold excludes --duration, --show-for and --background");
	if (ctl_value(ctl, "wake").data && ctl_value(ctl, "background").data)
		return ctl_fail(CTL_USAGE, "--wake excludes --background");
	return CTL_DONE;
}

static enum ctl_exit send_picture(struct ctl *ctl, const struct inventory_device *device,
				  struct str file)
{
	struct str path = ctl->positionals[1];
	const struct ctl_fault faults[] = {
	    {"image", PROBLEM_PICTURE_TOO_LARGE, CTL_REFUSED, path, {0}},
	    {"image", NULL, CTL_USAGE, ARENA_JOIN(&ctl->arena, path, STR(":")), {0}},
	    {"installationId",
	     PROBLEM_INSTALLATION_ID_OF_APP,
	     CTL_REFUSED,
	     STR("--installation"),
	     {0}},
	    {"installationId",
	     PROBLEM_DEVICE_FULL,
	     CTL_REFUSED,
	     {0},
	     STR("the device has 100 entries already")},
	    {"installationId", NULL, CTL_USAGE, STR("--installation"), {0}},
	    {0},
	};
	struct ctl_field fields[] = {{.name = "Displayd-Shown"}, {.name = "Displayd-Bytes"}, {0}};
	const struct ctl_request request = {
	    .method = "POST",
	    .path = ctl_path(ctl, "/v1/devices/", device->id, "/push"),
	    .body = write_body(ctl, file),
	    .sentences = {{409, NULL,
			   STR("the device's account has no room for the picture, see displayctl "
			       "account show")}},
	    .subject = ctl->positionals[0],
	    .faults = faults,
	    .fields = fields};
	struct str shown, bytes, id = ctl_path(ctl, "", device->id, "");
	enum ctl_exit code = ctl_ask_row(ctl, &request, NULL, NULL);

	if (code != CTL_DONE)
		return code;
	shown = ctl->json ? fields[0].value : words_of(ctl, fields[0].value);
	bytes = fields[1].value; /* of the WebP; only the operator gets it */
	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_text("deviceId", id), ctl_text("device", device->name),
			     ctl_text("installationId", ctl_value(ctl, "installation")),
			     {"bytes", bytes.length ? bytes : STR("null"), true},
			     ctl_text("shown", shown)));
}

enum ctl_exit ctl_push(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct buffer file = {0};
	enum ctl_exit code = check_options(ctl);

	if (code == CTL_DONE)
		code =
		    ctl_read_file("", ctl->positionals[1].data, PANELIMAGE_INPUT_MAX_BYTES, &file);
	if (code == CTL_DONE)
		code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);
	if (code == CTL_DONE)
		code = send_picture(ctl, &device, buffer_view(&file));
	buffer_finish(&file);
	return code;
}
