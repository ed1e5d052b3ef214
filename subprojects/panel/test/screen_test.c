#include "screen.h"
#include "test.h"

#define BLOCK "\xe2\x96\x80"

static struct screen screen;
static struct pixels pixels;
static char *text;

static void draw(int brightness, const char *status)
{
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	screen_draw(&screen, &pixels, brightness, status, file);
	fclose(file);
}

static int set_up(void **state)
{
	(void)state;
	memset(&pixels, 0, sizeof(pixels));
	screen_reset(&screen, 80, 24);
	draw(100, "ready");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void set(int x, int y, uint8_t red, uint8_t green, uint8_t blue)
{
	uint8_t *rgb = pixels.rgb + (y * pixels_width(&pixels) + x) * 3;

	rgb[0] = red;
	rgb[1] = green;
	rgb[2] = blue;
}

static void expect(int brightness, const char *status, const char *golden)
{
	draw(brightness, status);
	assert_string_equal(text, golden);
}

static size_t count(const char *needle)
{
	size_t found = 0;

	for (const char *at = text; (at = strstr(at, needle)); at++)
		found++;
	return found;
}

#define SCENE(name) TEST_IN(name, set_up, tear_down)

SCENE(test_nothing_changed_draws_nothing)
{
	expect(100, "ready", "");
}

SCENE(test_small_picture)
{
	set(0, 0, 255, 0, 0); /* upper half of the first cell */
	set(1, 1, 0, 255, 0); /* lower half of the second, right behind it */
	set(2, 0, 0, 255, 0); /* colours change places */
	set(63, 31, 1, 2, 3); /* the last cell */
	expect(100, "ready",
	       "\x1b[1;1H\x1b[38;2;255;0;0m\x1b[48;2;0;0;0m" BLOCK
	       "\x1b[38;2;0;0;0m\x1b[48;2;0;255;0m" BLOCK "\x1b[38;2;0;255;0m\x1b[48;2;0;0;0m" BLOCK
	       "\x1b[16;64H\x1b[38;2;0;0;0m\x1b[48;2;1;2;3m" BLOCK "\x1b[0m");
	set(0, 0, 0, 0, 0);
	expect(100, "ready", "\x1b[1;1H\x1b[38;2;0;0;0m\x1b[48;2;0;0;0m" BLOCK "\x1b[0m");
}

SCENE(test_gap_in_a_row)
{
	set(10, 4, 9, 9, 9);
	set(12, 4, 9, 9, 9);
	/* The pen is right already at the second one. */
	expect(100, "ready",
	       "\x1b[3;11H\x1b[38;2;9;9;9m\x1b[48;2;0;0;0m" BLOCK "\x1b[3;13H" BLOCK "\x1b[0m");
}

SCENE(test_brightness)
{
	set(0, 0, 200, 100, 3);
	expect(25, "ready", "\x1b[1;1H\x1b[38;2;100;50;2m\x1b[48;2;0;0;0m" BLOCK "\x1b[0m");
	expect(0, "ready", "\x1b[1;1H\x1b[38;2;0;0;0m\x1b[48;2;0;0;0m" BLOCK "\x1b[0m");
	assert_int_equal(screen_dim(255, 100), 255);
	assert_int_equal(screen_dim(255, 0), 0);
	assert_int_equal(screen_dim(255, 1), 26);
}

SCENE(test_status)
{
	expect(100, "gone", "\x1b[17;1H\x1b[2mgone\x1b[0m\x1b[K");
	screen_reset(&screen, 3, 17);
	draw(100, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
	/* Three columns are three characters, not three bytes. */
	assert_non_null(strstr(text, "\x1b[2m\xc3\xa4\xc3\xb6\xc3\xbc\x1b[0m"));
}

SCENE(test_whole_picture)
{
	screen_reset(&screen, 64, 17);
	draw(100, "");
	assert_int_equal(count(BLOCK), 64 * 16);
	/* Colours are set only where they change. */
	assert_int_equal(count("\x1b[38;2;"), 1);
	assert_int_equal(count("\x1b[48;2;"), 1);
}

/* Twice the columns and rows; a change of the size draws everything. */
SCENE(test_wide_picture)
{
	screen_reset(&screen, 200, 60);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 64 * 16);
	assert_non_null(strstr(text, "\x1b[17;1H\x1b[2mready"));
	pixels.is_wide = true;
	set(127, 63, 1, 2, 3);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 128 * 32);
	assert_non_null(strstr(text, "\x1b[48;2;1;2;3m" BLOCK));
	assert_non_null(strstr(text, "\x1b[33;1H\x1b[2mready"));
	set(127, 63, 0, 0, 0);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 1);
}

/* A terminal of the usual size has no room for a wide picture: it shows all of it, halved. */
SCENE(test_wide_picture_in_a_usual_terminal)
{
	pixels.is_wide = true;
	for (int i = 0; i < 4; i++)
		set(126 + i % 2, 62 + i / 2, i < 2 ? 100 : 0, 200, i == 0 ? 2 : 0);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 1);
	assert_non_null(strstr(text, "\x1b[16;64H"));
	assert_non_null(strstr(text, "\x1b[48;2;50;200;1m" BLOCK));
	screen_reset(&screen, 128, 32);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 64 * 16);
	assert_non_null(strstr(text, "\x1b[17;1H\x1b[2mready"));
	screen_reset(&screen, 128, 33);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 128 * 32);
	assert_non_null(strstr(text, "\x1b[33;1H\x1b[2mready"));
}

SCENE(test_small_terminal)
{
	screen_reset(&screen, 10, 4);
	draw(100, "ready");
	assert_int_equal(count(BLOCK), 10 * 4);
	assert_null(strstr(text, "ready"));
	assert_null(strstr(text, "\x1b[5;"));
}

int main(void)
{
	return run_all_tests(NULL, NULL);
}
