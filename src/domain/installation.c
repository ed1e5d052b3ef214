#include "domain/installation.h"

#include <inttypes.h>
#include <sodium.h>

static const struct record_field installation_detail_fields[] = {
    RECORD_ROW(struct installation_detail, installation, &installation_record, .is_shown = true),
    RECORD_ROW(struct installation_detail, options, &entry_options_record, .is_shown = true),
    RECORD_JSON(struct installation_detail, settings, .name = "settings", .nullable = true),
    RECORD_JSON(struct installation_detail, secrets, .name = "secrets"),
    RECORD_TIMESTAMP(struct installation_detail, expires_at_us, .name = "expiresAt",
		     .nullable = true),
};
const struct record installation_detail_record =
    RECORD(struct installation_detail, installation_detail_fields);

int64_t installation_revision(const struct entry_options *options, struct str settings_hash,
			      int64_t expires_at_us)
{
	struct buffer state = {0};
	uint8_t hash[crypto_generichash_BYTES_MIN];
	int64_t revision = 0;

	record_write_json(&entry_options_record, options, &state);
	buffer_append_str(&state, settings_hash);
	if (expires_at_us)
		buffer_printf(&state, "%" PRId64, expires_at_us);
	crypto_generichash(hash, sizeof(hash), (const uint8_t *)buffer_view(&state).data,
			   buffer_length(&state), NULL, 0);
	buffer_finish(&state);
	for (unsigned i = 0; i < sizeof(revision); i++)
		revision = (int64_t)((uint64_t)revision << 8 | hash[i]);
	return (revision & INT64_MAX) | 1;
}

const char *installation_move_check(struct str to)
{
	return str_equal(to, STR("top")) || str_equal(to, STR("bottom")) ? NULL
									 : "must be top or bottom";
}

/* Adds an ID to an order; false: the ID is invalid or repeated. */
static bool add_id(struct rotation_order *order, const struct json_value *value)
{
	struct str id;

	if (!json_get_str(value, &id) || id.length == 0 || id.length > 4 * LIMIT_INSTALLATION_ID ||
	    str_find(id, '\0') < id.length)
		return false;
	for (unsigned i = 0; i < order->count; i++) {
		if (str_equal(order->ids[i], id))
			return false;
	}
	order->ids[order->count++] = id;
	return true;
}

void installation_order_check(void *body, uint64_t seen, struct faults *faults)
{
	struct rotation_order *order = body;
	struct str name = STR("order");
	unsigned count;

	(void)seen;
	if (!order->order)
		return; /* missing: the record has reported it */
	if (!json_get_array(order->order, &count) || count > LIMIT_DEVICE_INSTALLATIONS) {
		faults_add(faults, name, "must be an array of at most %d installation IDs",
			   LIMIT_DEVICE_INSTALLATIONS);
		return;
	}
	while (order->count < count) {
		if (!add_id(order, json_array_item(order->order, order->count))) {
			faults_add(faults, name, "has an ID twice, or the ID of no installation");
			return;
		}
	}
}
