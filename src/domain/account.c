#include "domain/account.h"

static const struct record_field bytes_fields[] = {
    RECORD_INT8(struct account_bytes, bytes, .name = "bytes", .column = "bytes"),
    RECORD_INT8(struct account_bytes, bytes_allowed, .name = "bytesAllowed",
		.column = "bytes_allowed"),
};
const struct record account_bytes_record = RECORD(struct account_bytes, bytes_fields);

static const struct record_field portion_fields[] = {
    RECORD_INT8(struct removed_portion, removed, .column = "removed"),
    RECORD_BOOL(struct removed_portion, is_left, .column = "is_left"),
};
const struct record removed_portion_record = RECORD(struct removed_portion, portion_fields);
