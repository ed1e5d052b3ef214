/* Column of a row, as sent by the database: PostgreSQL's binary format, big-endian. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct record_value {
	const uint8_t *data; /* valid as long as the row */
	uint32_t length;     /* bytes */
	bool is_null;
};
