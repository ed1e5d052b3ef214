#include "base/id.h"
#include "base/clock.h"
#include "base/hex.h"

#include <sodium.h>

struct id id_new(void)
{
	struct id id;
	uint64_t ms = (uint64_t)(clock_wall_us() / 1000);

	randombytes_buf(id.bytes, sizeof(id.bytes));
	for (int i = 5; i >= 0; i--) {
		id.bytes[i] = (uint8_t)ms;
		ms >>= 8;
	}
	id.bytes[6] = (uint8_t)(0x70 | (id.bytes[6] & 0x0f)); /* version */
	id.bytes[8] = (uint8_t)(0x80 | (id.bytes[8] & 0x3f)); /* variant */
	return id;
}

void id_format(struct id id, char ret_text[static ID_TEXT_LENGTH + 1])
{
	char digits[2 * ID_BYTES + 1];

	hex_encode(id.bytes, sizeof(id.bytes), digits);
	memcpy(ret_text, digits, 8);
	memcpy(ret_text + 9, digits + 8, 4);
	memcpy(ret_text + 14, digits + 12, 4);
	memcpy(ret_text + 19, digits + 16, 4);
	memcpy(ret_text + 24, digits + 20, 12);
	ret_text[8] = ret_text[13] = ret_text[18] = ret_text[23] = '-';
	ret_text[ID_TEXT_LENGTH] = '\0';
}

bool id_parse(struct str text, struct id *ret_id)
{
	char digits[2 * ID_BYTES];

	if (text.length != ID_TEXT_LENGTH || text.data[8] != '-' || text.data[13] != '-' ||
	    text.data[18] != '-' || text.data[23] != '-')
		return false;
	memcpy(digits, text.data, 8);
	memcpy(digits + 8, text.data + 9, 4);
	memcpy(digits + 12, text.data + 14, 4);
	memcpy(digits + 16, text.data + 19, 4);
	memcpy(digits + 20, text.data + 24, 12);
	return hex_decode((struct str){digits, sizeof(digits)}, ret_id->bytes, ID_BYTES);
}

bool id_equal(struct id a, struct id b)
{
	return memcmp(a.bytes, b.bytes, ID_BYTES) == 0;
}

bool id_is_none(struct id id)
{
	return id_equal(id, (struct id){0});
}

unsigned id_slot(struct id id, unsigned entries)
{
	uint64_t halves[2];

	memcpy(halves, id.bytes, sizeof(halves));
	return (unsigned)((halves[0] ^ halves[1]) * UINT64_C(0x9e3779b97f4a7c15) >> 48) &
	       (entries - 1);
}
