#include "domain/inventory.h"

static const struct record_field device_fields[] = {
    RECORD_ID(struct inventory_device, id, .name = "id", .column = "id"),
    RECORD_STR(struct inventory_device, name, .name = "name", .column = "name"),
    RECORD_STR(struct inventory_device, serial, .name = "serialNumber", .column = "serial",
	       .nullable = true),
    RECORD_STR(struct inventory_device, mac, .name = "macAddress", .column = "mac",
	       .nullable = true),
    RECORD_TIMESTAMP(struct inventory_device, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_TIMESTAMP(struct inventory_device, last_online_us, .name = "lastOnline",
		     .column = "last_online_at", .is_past = true),
    RECORD_INT8(struct inventory_device, entries, .name = "entries", .column = "entries"),
    RECORD_STR(struct inventory_device, account, .name = "account", .column = "account"),
    RECORD_BOOL(struct inventory_device, is_told, .name = "isTold", .column = "is_told"),
};
const struct record inventory_device_record = RECORD(struct inventory_device, device_fields);

static const struct record_field key_fields[] = {
    RECORD_ID(struct inventory_key, id, .name = "id", .column = "id"),
    RECORD_STR(struct inventory_key, name, .name = "name", .column = "name"),
    RECORD_STR(struct inventory_key, account, .name = "account", .column = "account"),
    RECORD_STR(struct inventory_key, first_characters, .name = "firstCharacters",
	       .column = "first_characters", .nullable = true),
    RECORD_STR(struct inventory_key, scope, .name = "scope", .column = "scope"),
    RECORD_JSON(struct inventory_key, device_ids, .name = "deviceIds", .column = "devices",
		.nullable = true),
    RECORD_TIMESTAMP(struct inventory_key, ends_at_us, .name = "endsAt", .column = "ends_at",
		     .nullable = true),
    RECORD_TIMESTAMP(struct inventory_key, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_TIMESTAMP(struct inventory_key, last_used_at_us, .name = "lastUsedAt",
		     .column = "last_used_at", .nullable = true),
    RECORD_BYTES(struct inventory_key, secret_hash, .column = "secret_hash"),
    RECORD_INT(struct inventory_key, event_streams, .name = "eventStreams"),
    RECORD_JSON(struct inventory_key, set_up, .name = "setUp", .column = "set_up"),
    RECORD_TIMESTAMP(struct inventory_key, revoked_at_us, .name = "revokedAt",
		     .column = "revoked_at", .nullable = true),
};
const struct record inventory_key_record = RECORD(struct inventory_key, key_fields);
