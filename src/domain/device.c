#include "domain/device.h"
#include "base/zones.h"
#include "domain/device_place.h"
#include "domain/device_reference.h"

#include <text/utf8.h>

const char *device_name_check(struct str name)
{
	bool has_visible = false;

	while (name.length) {
		uint32_t c = utf8_next(&name);

		if (utf8_is_control(c))
			return "must not contain control characters";
		has_visible |= !utf8_is_space(c);
	}
	return has_visible ? NULL : "must have a character that is not white space";
}

#define LOCALE_FAULT "must be a language such as en or pt-BR"

const char *device_timezone_check(struct str name)
{
	return zones_find(name) ? NULL : DEVICE_TIMEZONE_FAULT;
}

/* Checks the form of BCP 47: a language, and subtags that distinguish its kinds. */
const char *device_note_check(struct str note)
{
	while (note.length) {
		uint32_t c = utf8_next(&note);

		if (utf8_is_control(c) && c != '\n' && c != '\t')
			return "must not contain control characters other than tabs and line feeds";
	}
	return NULL;
}

const char *device_locale_check(struct str locale)
{
	size_t part = 0;

	for (unsigned i = 0; locale.length || i == 0; i++) {
		size_t least = 2, most = i ? 8 : 3;

		part = str_find(locale, '-');
		if (i > 3 || part < least || part > most || part + 1 == locale.length)
			return LOCALE_FAULT;
		for (size_t j = 0; j < part; j++) {
			char c = locale.data[j];

			if (!((c >= 'a' && c <= 'z') ||
			      (i && ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))))
				return LOCALE_FAULT;
		}
		locale = str_from_offset(locale, part + (part < locale.length));
	}
	return NULL;
}

bool device_picture_limit_is_valid(int64_t bytes)
{
	return bytes == DEVICE_PICTURE_LIMIT_MIN || bytes == 220000 || bytes == 460000;
}

void device_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct device *change = body;
	int64_t limit = change->picture_limit_bytes;

	if (limit && !device_picture_limit_is_valid(limit))
		faults_add(faults, STR("pictureLimitBytes"), DEVICE_PICTURE_LIMIT_FAULT);
	change->place = device_place_normal(change->place, faults->arena);
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

const char *device_serial_check(struct str serial)
{
	return serial_is_valid(serial)
		   ? NULL
		   : "must have 1 to 32 letters, digits, \"-\" or \"_\", and must not look like a "
		     "MAC address or an ID";
}

const char *device_mac_check(struct str mac)
{
	uint8_t bytes[MAC_BYTES];

	return mac_parse(mac, bytes) ? NULL : "must be a MAC address such as 08:00:2b:01:02:03";
}
