/* Each byte, at each of the eight places, beside each of some others. */
#include "text/swar.h"
#include "text_test.h"

static const uint8_t others[] = {0, 1, 0x1f, 0x20, 'A' - 1, 'Z' + 1, 0x7f, 0x80, 0xff};

TEST(every_byte_at_every_place)
{
	for (size_t i = 0; i < array_length(others); i++) {
		uint8_t other = others[i];

		for (unsigned byte = 0; byte < 256; byte++) {
			for (unsigned place = 0; place < 8; place++) {
				char text[8];
				uint64_t eight;

				memset(text, other, sizeof(text));
				text[place] = (char)byte;
				eight = swar_load(text);
				assert_int_equal(swar_has_below(eight, 0x20) != 0,
						 byte < 0x20 || other < 0x20);
				assert_int_equal(swar_has_below(eight, 0x80) != 0,
						 byte < 0x80 || other < 0x80);
				assert_int_equal(swar_has(eight, 0x7f) != 0,
						 byte == 0x7f || other == 0x7f);
				assert_int_equal(swar_has_between(eight, 'A', 'Z') != 0,
						 byte >= 'A' && byte <= 'Z');
			}
		}
	}
}

RUN_TESTS(NULL, NULL)
