/* displayctl device flash-file: writes a firmware image with the Wi-Fi network and the URL of a
 * device into a file for esptool. No server gets the password. */
#include "base/memory.h"
#include "ctl/ctl.h"
#include "ctl/exchange/new_file.h"
#include "ctl/shell/input.h"
#include "domain/esp_image.h"

#include <string.h>

struct flash_file {
	struct buffer image;
	struct buffer secrets;
	struct str password;
	struct str url;
};

static enum ctl_exit check_length(const char *what, struct str text, size_t max)
{
	if (text.length > max)
		return ctl_fail(CTL_USAGE, "%s has %zu bytes, maximum %zu", what, text.length, max);
	for (size_t i = 0; i < text.length; i++)
		if ((uint8_t)text.data[i] < ' ')
			return ctl_fail(CTL_USAGE, "%s has a control character", what);
	return CTL_DONE;
}

static struct str take_line(struct str *text)
{
	size_t end = str_find(*text, '\n');
	struct str line = {text->data, end};

	*text = str_from_offset(*text, end < text->length ? end + 1 : end);
	while (line.length && line.data[line.length - 1] == '\r')
		line.length--;
	return line;
}

/* Reads the password and the URL, a line each. */
static enum ctl_exit read_secrets(struct ctl *ctl, struct flash_file *flash)
{
	enum { BYTES_MAX = 4096 };
	static const char *const schemes[] = {"http://", "https://", "ws://", "wss://"};
	const char *path = ctl_value(ctl, "secrets").data;
	enum ctl_exit code = ctl_read_secret_file(path, BYTES_MAX, &flash->secrets);
	struct str rest;
	bool is_url = false;

	if (code != CTL_DONE)
		return code;
	rest = buffer_view(&flash->secrets);
	flash->password = take_line(&rest);
	flash->url = take_line(&rest);
	for (size_t i = 0; i < array_length(schemes); i++)
		is_url |= str_starts_with(flash->url, str_from(schemes[i])) &&
			  flash->url.length > strlen(schemes[i]);
	if (!is_url || rest.length)
		return ctl_fail(CTL_USAGE,
				"%s must have two lines: the password of the Wi-Fi network, and "
				"the URL of the device, http, https, ws or wss",
				path);
	code = check_length("the password", flash->password, ESP_IMAGE_PASSWORD_LENGTH_MAX);
	return code == CTL_DONE ? check_length("the URL", flash->url, ESP_IMAGE_URL_LENGTH_MAX)
				: code;
}

static enum ctl_exit write_image(const char *path, struct str image)
{
	struct new_file file;
	struct reason why;

	if (new_file_open(&file, path, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	new_file_write(&file, image.data, image.length);
	return new_file_finish(&file, &why) < 0 ? ctl_fail(CTL_FAILED, "%s", why.text) : CTL_DONE;
}

static enum ctl_exit make(struct ctl *ctl, struct flash_file *flash)
{
	const char *from = ctl->positionals[0].data, *to = ctl->positionals[1].data;
	struct str ssid = ctl_value(ctl, "ssid");
	struct esp_image image;
	enum ctl_exit code = check_length("--ssid", ssid, ESP_IMAGE_SSID_LENGTH_MAX);
	const char *fault;
	struct str bytes;

	if (code == CTL_DONE && ssid.length == 0)
		return ctl_fail(CTL_USAGE, "--ssid is empty");
	if (code == CTL_DONE)
		code = read_secrets(ctl, flash);
	if (code == CTL_DONE)
		code = ctl_read_file("", from, ESP_IMAGE_BYTES_MAX, &flash->image);
	if (code != CTL_DONE)
		return code;
	bytes = arena_copy(&ctl->arena, buffer_view(&flash->image));
	fault = esp_image_read(bytes, &image);
	if (!fault)
		fault =
		    esp_image_fill((char *)bytes.data, &image, ssid, flash->password, flash->url);
	if (fault)
		return ctl_fail(CTL_USAGE, "%s %s", from, fault);
	code = write_image(to, bytes);
	if (code == CTL_DONE)
		ctl_say("%.*s %.*s for %s; flash it with: esptool.py --chip %s write_flash %s %s",
			STR_ARG(image.project), STR_ARG(image.version),
			image.chip ? image.chip : "an unknown chip",
			image.chip ? image.chip : "auto", image.start ? "0x0" : "0x10000", to);
	return code;
}

enum ctl_exit ctl_flash_file(struct ctl *ctl)
{
	struct flash_file flash = {0};
	enum ctl_exit code = make(ctl, &flash);

	buffer_finish(&flash.image);
	buffer_finish(&flash.secrets);
	return code;
}
