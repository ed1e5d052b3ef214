/* Entries that pin themselves while they have a picture. */
#include "domain/display_mode.h"

#include "../cmocka_test.h"

enum { COUNT = 4 };

static const int64_t hour_us = INT64_C(3600) * 1000000;
static struct content_installation entries[COUNT];

static struct content make_content(void)
{
	for (int i = 0; i < COUNT; i++)
		entries[i] =
		    (struct content_installation){.position = i + 1, .picture_generation = i + 1};
	return (struct content){.settings = {.brightness = 60, .schedule_interval_s = 15},
				.installations = entries,
				.installation_count = COUNT};
}

static void expect_shown(const struct content *content, int hour, const char *expected)
{
	struct display_mode mode = display_mode_at(content, hour * hour_us);
	char shown[COUNT + 1] = "";
	unsigned count = 0;

	for (unsigned i = 0; i < content->installation_count; i++)
		if (display_mode_shows(&mode, &entries[i]))
			shown[count++] = "abcd"[i];
	assert_string_equal(shown, expected);
}

/* Among several, each has turns. One that is over, disabled, empty or expired does not count; nor
 * do any while an entry is pinned. */
TEST(they_are_shown_alone)
{
	struct content content = make_content();

	expect_shown(&content, 12, "abcd");
	entries[1].pins_itself = true;
	expect_shown(&content, 12, "b");
	entries[3].pins_itself = true;
	expect_shown(&content, 12, "bd");
	entries[1].is_empty = true;
	expect_shown(&content, 12, "d");
	entries[3].schedule =
	    (struct schedule){.has_hours = true, .start_minute = 9 * 60, .end_minute = 12 * 60};
	expect_shown(&content, 11, "d");
	expect_shown(&content, 12, "ac");
	entries[1].is_empty = false;
	entries[1].is_disabled = true;
	expect_shown(&content, 12, "ac");
	entries[1].is_disabled = false;
	expect_shown(&content, 12, "b");
	entries[1].expires_us = 12 * hour_us;
	expect_shown(&content, 12, "ac");
	content.pinned_position = entries[0].position;
	expect_shown(&content, 11, "a");
}

RUN_TESTS(NULL, NULL)
