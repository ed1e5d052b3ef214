/* Tests hints of events: valid ones and invalid ones. */
#include "base/limits.h"
#include "base/memory.h"
#include "event_hint.h"

#include "../cmocka_test.h"

#define ACCOUNT "0190163d-8694-739b-aea5-966c26f8ad91"
#define DEVICE "0190163d-8694-739b-aea5-966c26f8ad92"

static struct id id_of(const char *text)
{
	struct id id;

	assert_true(id_parse(str_from(text), &id));
	return id;
}

static struct event_hint pass(struct arena *arena, const struct event_hint *hint)
{
	struct str word = event_hint_write(arena, hint);
	struct event_hint read;

	assert_true(word.length <= LIMIT_HINT_WORD_BYTES);
	assert_true(str_starts_with(word, STR("event:")));
	for (size_t i = 0; i < word.length; i++)
		assert_true(word.data[i] > ' ' && word.data[i] <= '~');
	assert_true(event_hint_read(str_from_offset(word, strlen("event:")), arena, &read));
	assert_int_equal(read.kind, hint->kind);
	assert_true(id_equal(read.account_id, hint->account_id));
	assert_true(id_equal(read.device_id, hint->device_id));
	assert_int_equal(read.generation, hint->generation);
	assert_true(str_equal(read.installation_id, hint->installation_id));
	return read;
}

TEST(test_round_trip)
{
	struct arena arena = {0};
	struct event_hint hint = {
	    .account_id = id_of(ACCOUNT),
	    .kind = EVENT_PUSHED,
	    .device_id = id_of(DEVICE),
	    .generation = INT64_MAX,
	};
	struct event_hint read;

	read = pass(&arena, &hint);
	assert_null(read.installation_id.data);
	hint.installation_id = STR("a: %25\xc3\xa4\n");
	pass(&arena, &hint);
	hint.kind = EVENT_FAILED;
	hint.app_id = hint.account_id;
	hint.message = STR("no bus: \xc3\xbc");
	read = pass(&arena, &hint);
	assert_true(str_equal(read.message, hint.message));
	pass(&arena, &(struct event_hint){.account_id = hint.account_id, .kind = EVENT_LOST});
	arena_finish(&arena);
}

/* The longest texts together fit into a word; a message is cut between characters. */
TEST(test_long)
{
	struct arena arena = {0};
	char message[10000], installation[4 * LIMIT_INSTALLATION_ID];
	struct event_hint hint = {
	    .account_id = id_of(ACCOUNT),
	    .kind = EVENT_FAILED,
	    .device_id = id_of(DEVICE),
	    .app_id = id_of(DEVICE),
	    .generation = INT64_MAX,
	    .installation_id = {installation, sizeof(installation)},
	    .message = {message, sizeof(message)},
	};
	struct event_hint read;

	for (size_t i = 0; i < sizeof(message); i += 4)
		memcpy(message + i, "\xf0\x9f\x8e\x89", 4);
	memcpy(installation, message, sizeof(installation));
	for (size_t shift = 0; shift < 4; shift++) {
		memset(message, 'x', shift);
		memmove(message + shift, installation, sizeof(installation));
		memmove(message + shift + sizeof(installation), installation, sizeof(installation));
		read = pass(&arena, &hint);
		assert_true(read.message.length > 290 && read.message.length <= 300);
	}
	arena_finish(&arena);
}

TEST(test_others)
{
	static const char *const texts[] = {
	    "",
	    ACCOUNT,
	    ACCOUNT ":pushed:" DEVICE ":1::",
	    ACCOUNT ":pushed:" DEVICE ":1::::",
	    ACCOUNT ":shown:" DEVICE ":1:::",
	    ACCOUNT ":pushed:x:1:::",
	    "x:pushed:" DEVICE ":1:::",
	    ACCOUNT ":pushed:" DEVICE ":-1:::",
	    ACCOUNT ":pushed:" DEVICE ":9223372036854775808:::",
	    ACCOUNT ":pushed:" DEVICE ":1:%0:::",
	    ACCOUNT ":pushed:" DEVICE ":1:%00::",
	    ACCOUNT ":pushed:" DEVICE ":1:%ff::",
	    ACCOUNT ":failed:" DEVICE ":1:x::",
	};
	struct arena arena = {0};
	struct event_hint hint;

	for (size_t i = 0; i < array_length(texts); i++)
		assert_false(event_hint_read(str_from(texts[i]), &arena, &hint));
	arena_finish(&arena);
}

RUN_TESTS(NULL, NULL)
