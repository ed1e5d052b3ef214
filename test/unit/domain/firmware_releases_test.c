/* Lists of releases as strangers write them: deep, huge, of wrong types, with odd names, doubled.
 */
#include "../cmocka_test.h"
#include "domain/firmware_releases.h"

#include <string.h>

#define HASH "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"
#define SMALL_HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ASSET(name) "{\"name\":\"" name "\",\"browser_download_url\":\"https://a.org/" name "\"}"
#define RELEASE(tag, assets) "{\"tag_name\":\"" tag "\",\"assets\":[" assets "]}"

static struct arena arena;
static struct firmware_asset assets[FIRMWARE_BOARDS_MAX];
static unsigned count;

static int set_up(void **state)
{
	(void)state;
	memset(assets, 0, sizeof(assets));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_finish(&arena);
	arena = (struct arena){0};
	return 0;
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

static const char *read_list(const char *list)
{
	return firmware_releases_read(str_from(list), &arena, assets, &count);
}

static void assert_asset(unsigned index, const char *board, const char *version)
{
	assert_true(index < count);
	assert_true(str_equal(assets[index].board, str_from(board)));
	assert_true(str_equal(assets[index].version, str_from(version)));
}

SCENE(the_first_release_that_has_a_board_counts)
{
	assert_null(read_list("[" RELEASE(
	    "v2.0",
	    ASSET("tidbyt-gen1.bin") "," ASSET(
		"TIDBYT-GEN1_firmware."
		"bin")) "," RELEASE("1.9",
				    ASSET("tidbyt-gen1.bin") "," ASSET(
					"tronbyt-S3.BIN")) "," RELEASE("1.9",
								       ASSET(
									   "tronbyt-s3.bin")) "]"));
	assert_int_equal(count, 2);
	assert_asset(0, "tidbyt_gen1", "2.0");
	assert_true(str_equal(assets[0].file, STR("tidbyt-gen1.bin")));
	assert_true(str_equal(assets[0].url, STR("https://a.org/tidbyt-gen1.bin")));
	assert_asset(1, "tronbyt_s3", "1.9");
	assert_true(str_equal(assets[1].file, STR("tronbyt-S3.BIN")));
}

SCENE(no_list_is_one)
{
	static const char *const lists[] = {
	    "",
	    "{}",
	    "[",
	    "[{]",
	    "null",
	    "\"[]\"",
	    "[]x",
	    "[1e999]",
	    "[\"\xff\"]",
	    "<html>",
	    "[{\"tag_name\":\"1\",\"tag_name\":\"2\"}]",
	};

	for (size_t i = 0; i < array_length(lists); i++) {
		assert_non_null(read_list(lists[i]));
		assert_int_equal(count, 0);
	}
}

SCENE(values_of_wrong_types_are_left_out)
{
	static const char *const lists[] = {
	    "[]",
	    "[7,null,[],\"x\",{}]",
	    "[{\"tag_name\":1,\"assets\":[" ASSET("tidbyt-gen1.bin") "]}]",
	    "[{\"tag_name\":\"1\",\"assets\":{}}]",
	    "[{\"tag_name\":\"1\",\"assets\":[7,null,[],{\"name\":[]},{\"name\":7}]}]",
	    "[{\"tag_name\":\"1\",\"draft\":true,\"assets\":[" ASSET("tidbyt-gen1.bin") "]}]",
	    "[{\"tag_name\":\"1\",\"prerelease\":true,\"assets\":[" ASSET("tidbyt-gen1.bin") "]}]",
	};

	for (size_t i = 0; i < array_length(lists); i++) {
		assert_non_null(read_list(lists[i]));
		assert_int_equal(count, 0);
	}
	assert_null(read_list("[{\"tag_name\":\"1\",\"draft\":\"true\",\"assets\":[{\"name\":"
			      "\"tidbyt-gen1.bin\",\"digest\":7,\"browser_download_url\":[]}]}]"));
	assert_asset(0, "tidbyt_gen1", "1");
	assert_int_equal(assets[0].url.length, 0);
	assert_string_equal(assets[0].sha256, "");
}

SCENE(odd_versions)
{
	static const char *const tags[] = {
	    "",
	    "v",
	    "nightly",
	    "v-1",
	    "vv1",
	    "100000",
	    "1 0",
	    "1\\u0000",
	    "1\\n",
	    "1.\\u00e9",
	    "123456789.123456789.123456789.123",
	};
	char list[300];

	for (size_t i = 0; i < array_length(tags); i++) {
		snprintf(list, sizeof(list), "[{\"tag_name\":\"%s\",\"assets\":[%s]}]", tags[i],
			 ASSET("tidbyt-gen1.bin"));
		assert_non_null(read_list(list));
	}
}

SCENE(odd_names_are_no_boards)
{
	static const struct str names[] = {
	    STR(""),
	    STR(".bin"),
	    STR("_firmware.bin"),
	    STR("tidbyt-gen1"),
	    STR("tidbyt-gen1_merged.bin"),
	    STR("../tidbyt-gen1.bin"),
	    STR("tidbyt-gen1\0.bin"),
	    STR("tidbyt-gen1.bin\0"),
	    STR("\0tidbyt-gen1.bin"),
	    STR("tidbyt-gen1.bin.bin"),
	    STR("tidbyt-gen1_swap_firmware.bin"),
	    STR("pixoticker.bin"),
	    STR("other.bin"),
	    STR(" tidbyt-gen1.bin"),
	    STR("\xff\xfe.bin"),
	    STR("a-name-that-is-much-longer-than-that-of-any-board.bin"),
	};

	for (size_t i = 0; i < array_length(names); i++)
		assert_int_equal(firmware_file_board(names[i]).length, 0);
	assert_true(str_equal(firmware_file_board(STR("Tronbyt_S3-WIDE_Firmware.BIN")),
			      STR("tronbyt_s3_wide")));
}

SCENE(a_list_may_have_many_releases_of_many_files)
{
	enum { RELEASES = 200, FILES = 100 };
	struct buffer list = {0};

	buffer_append_str(&list, STR("["));
	for (int i = 0; i < RELEASES; i++) {
		buffer_append_str(&list, STR("{\"tag_name\":\"1\",\"assets\":["));
		for (int j = 0; j < FILES; j++)
			buffer_append_str(&list, STR(ASSET("unknown-board.bin") ","));
		buffer_append_str(&list, STR(ASSET("waveshare-s3.bin") "]},"));
	}
	buffer_append_str(&list, STR("0]"));
	assert_null(firmware_releases_read(buffer_view(&list), &arena, assets, &count));
	assert_int_equal(count, 1);
	assert_asset(0, "waveshare_s3", "1");
	buffer_finish(&list);
}

SCENE(a_deep_list_is_none)
{
	enum { DEPTH = 1000 * 1000 };
	struct buffer list = {0};

	for (int i = 0; i < DEPTH; i++)
		buffer_append_str(&list, STR("["));
	assert_non_null(firmware_releases_read(buffer_view(&list), &arena, assets, &count));
	for (int i = 0; i < DEPTH; i++)
		buffer_append_str(&list, STR("]"));
	assert_non_null(firmware_releases_read(buffer_view(&list), &arena, assets, &count));
	assert_int_equal(count, 0);
	buffer_finish(&list);
}

SCENE(digests)
{
	static const struct {
		const char *digest, *sha256;
	} digests[] = {
	    {"sha256:" HASH, SMALL_HASH},
	    {"sha256:" SMALL_HASH "0", ""},
	    {"sha256:", ""},
	    {"SHA256:" HASH, ""},
	    {HASH, ""},
	    {"md5:" HASH, ""},
	    {"sha256:g" HASH, ""},
	};
	char list[400];

	for (size_t i = 0; i < array_length(digests); i++) {
		snprintf(
		    list, sizeof(list),
		    "[{\"tag_name\":\"1\",\"assets\":[{\"name\":\"tidbyt-gen1.bin\",\"digest\":"
		    "\"%s\"},{\"name\":\"sha256sums\",\"browser_download_url\":\"u\"}]}]",
		    digests[i].digest);
		assert_null(read_list(list));
		assert_string_equal(assets[0].sha256, digests[i].sha256);
		assert_true(str_equal(assets[0].sums_url, STR("u")));
	}
}

SCENE(files_of_checksums)
{
	static const struct str none[] = {
	    STR(""),
	    STR("\n\n"),
	    STR(HASH),
	    STR(HASH "  "),
	    STR(HASH "\tf.bin"),
	    STR(HASH "  f.bin.sig"),
	    STR(HASH "  ./f.bin"),
	    STR("x" HASH "  f.bin"),
	    STR(HASH "  f.bin\0"),
	    STR(HASH "  F.bin"),
	};
	char found[2 * FIRMWARE_HASH_BYTES + 1] = "unchanged";

	for (size_t i = 0; i < array_length(none); i++) {
		assert_false(firmware_sums_find(none[i], STR("f.bin"), found));
		assert_string_equal(found, "unchanged");
	}
	assert_true(
	    firmware_sums_find(STR("bad\n" HASH " *f.bin\r\n" HASH "  g"), STR("f.bin"), found));
	assert_string_equal(found, SMALL_HASH);
}

SCENE(outcomes_are_json_whatever_the_names_are)
{
	struct firmware_asset asset = {
	    .board = STR("tidbyt_gen1"), .version = STR("1\"\\"), .file = STR("a\"")};
	struct buffer json = {0};

	firmware_outcome_write(&asset, "refused", "it says \"no\"", &json);
	firmware_outcome_write(&asset, "known", NULL, &json);
	assert_true(
	    str_equal(buffer_view(&json), STR("{\"file\":\"a\\\"\",\"board\":\"tidbyt_gen1\","
					      "\"version\":\"1\\\"\\\\\",\"state\":"
					      "\"refused\",\"reason\":\"it says \\\"no\\\"\"},"
					      "{\"file\":\"a\\\"\",\"board\":\"tidbyt_gen1\","
					      "\"version\":\"1\\\"\\\\\",\"state\":"
					      "\"known\",\"reason\":null}")));
	buffer_finish(&json);
}

RUN_TESTS(NULL, NULL)
