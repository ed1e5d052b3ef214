/* Settings of a panel's firmware: those that it reports about itself ("client_info"), and those
 * that it is to take. A report is untrusted: a value that is too long, has control characters or is
 * of a wrong type counts as not reported. */
#pragma once

#include "domain/firmware_records.h"
#include "record/json.h"

enum {
	/* Largest JSON object of reported settings: a name of 64 code points, three texts of 128
	 * ASCII characters, each of which may need an escape, and the rest. */
	FIRMWARE_SETTINGS_BYTES_MAX = 2048,
	/* Firmware drops longer texts. */
	FIRMWARE_MESSAGE_BYTES_MAX = 511,
	FIRMWARE_MESSAGES_MAX = 11, /* one for each setting */
	FIRMWARE_ADDRESS_LENGTH_MAX = 100,
};

/* Appends the settings of a client_info, a JSON value of any kind, as a JSON object with the names
 * that the API has; "{}": none were reported. The query of an address is left out, since it has the
 * device's key. */
void firmware_settings_read(const struct json_value *client_info, struct buffer *buffer);

/* Returns NULL, or the fault ("must ...") of the start of a server's URL. */
const char *firmware_address_check(struct str url);

/* Writes the settings of a body that was checked as a JSON object, with the names that the API has,
 * into the arena; "{}": none. */
struct str firmware_change_write(const struct firmware_change *change, struct arena *arena);

/* Makes the messages that bring these settings (JSON, as firmware_change_write() makes them) to a
 * panel, each an object. Returns their number. The messages lie in the arena. */
unsigned firmware_messages(struct str settings, struct arena *arena,
			   struct str ret_messages[static FIRMWARE_MESSAGES_MAX]);
