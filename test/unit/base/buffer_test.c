#include "../cmocka_test.h"
#include "base/buffer.h"
#include "base/memory.h"

#include <stdlib.h>

TEST(empty_buffer)
{
	struct buffer buffer = {0};

	assert_int_equal(buffer_length(&buffer), 0);
	assert_int_equal(buffer_view(&buffer).length, 0);
	buffer_append(&buffer, NULL, 0);
	buffer_append_str(&buffer, (struct str){0});
	buffer_consume(&buffer, 0);
	buffer_clear(&buffer);
	assert_null(buffer.data);
	buffer_finish(&buffer);
}

TEST(appends_and_prints)
{
	struct buffer buffer = {0};

	buffer_append_str(&buffer, STR("ab"));
	buffer_append_char(&buffer, 'c');
	buffer_printf(&buffer, "%d%s", 12, "x");
	assert_true(str_equal(buffer_view(&buffer), STR("abc12x")));
	buffer_printf(&buffer, "%0*d", 5000, 1);
	assert_int_equal(buffer_length(&buffer), 5006);
	assert_int_equal(buffer_view(&buffer).data[5005], '1');
	buffer_clear(&buffer);
	assert_int_equal(buffer_length(&buffer), 0);
	buffer_append_base64(&buffer, STR("light work today"));
	buffer_append_base64(&buffer, (struct str){0});
	assert_true(str_equal(buffer_view(&buffer), STR("bGlnaHQgd29yayB0b2RheQ==")));
	buffer_finish(&buffer);
	assert_null(buffer.data);
}

TEST(reserve_then_commit)
{
	struct buffer buffer = {0};

	for (size_t size = 0; size < 2000; size += 7) {
		size_t before = buffer_length(&buffer);

		memset(buffer_reserve(&buffer, size), 'x', size);
		assert_int_equal(buffer_length(&buffer), before);
		buffer_commit(&buffer, size / 2);
		assert_int_equal(buffer_length(&buffer), before + size / 2);
	}
	buffer_finish(&buffer);
}

/* Compares with the simplest model: all appended bytes, and the number of consumed ones. */
TEST(random_appends_and_consumes)
{
	enum { TOTAL = 200000 };
	char *model = memory_alloc(TOTAL);
	size_t written = 0;
	size_t consumed = 0;
	struct buffer buffer = {0};

	srand(1);
	for (size_t i = 0; i < TOTAL; i++)
		model[i] = (char)rand();
	while (consumed < TOTAL) {
		size_t size = (size_t)rand() % 700;

		if (size > TOTAL - written)
			size = TOTAL - written;
		buffer_append(&buffer, model + written, size);
		written += size;
		assert_true(str_equal(buffer_view(&buffer),
				      (struct str){model + consumed, written - consumed}));
		size = (size_t)rand() % (written - consumed + 1);
		buffer_consume(&buffer, size);
		consumed += size;
	}
	buffer_finish(&buffer);
	free(model);
}

/* A full buffer that is consumed and filled byte by byte must neither grow without bound nor move
 * all its contents for each byte: a million moves of 128 KiB would not end before the time-out.
 * */
TEST(long_queue_of_bytes)
{
	enum { HELD = 128 * 1024 };
	struct buffer buffer = {0};

	memset(buffer_reserve(&buffer, HELD), 'x', HELD);
	buffer_commit(&buffer, HELD);
	for (int i = 0; i < 1000000; i++) {
		buffer_consume(&buffer, 1);
		buffer_append_char(&buffer, 'x');
	}
	assert_int_equal(buffer_length(&buffer), HELD);
	assert_in_range(buffer.capacity, HELD, 4 * HELD);
	buffer_finish(&buffer);
}

RUN_TESTS(NULL, NULL)
