#include "../cmocka_test.h"
#include "base/hex.h"
#include "base/memory.h"
#include "domain/place.h"
#include "domain/secret_settings.h"
#include "domain/settings.h"
#include "domain/settings_mask.h"

#include <sodium.h>

static const char schema[] =
    "{\"schema\":["
    "{\"type\":\"text\",\"id\":\"text\"},{\"type\":\"text\",\"id\":\"key\",\"secret\":true},"
    "{\"type\":\"onoff\",\"id\":\"on\"},{\"type\":\"color\",\"id\":\"color\"},"
    "{\"type\":\"dropdown\",\"id\":\"one\",\"options\":[{\"display\":\"A\",\"value\":\"a\"}]},"
    "{\"type\":\"datetime\",\"id\":\"at\"},{\"type\":\"location\",\"id\":\"here\"},"
    "{\"type\":\"typeahead\",\"id\":\"found\",\"handler\":\"h\"},{\"type\":\"png\",\"id\":"
    "\"photo\"},"
    "{\"type\":\"oauth2\",\"id\":\"auth\"}]}";

static struct arena arena;
static struct form form;
static struct faults faults;
static struct settings all, open, secret;

static int set_up(void **state)
{
	struct str reason;

	(void)state;
	if (!form_read(str_from(schema), &arena, &form, &reason))
		return -1;
	return sodium_init() < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_finish(&arena);
	return 0;
}

static const char *text_of(const struct settings *settings)
{
	struct buffer buffer = {0};
	const char *text;

	settings_write(settings, &buffer);
	text = arena_copy(&arena, buffer_view(&buffer)).data;
	buffer_finish(&buffer);
	return text;
}

static void read_body(const char *json)
{
	struct json_document document;
	struct str reason;

	faults_init(&faults, &arena);
	assert_true(json_parse(str_from(json), &arena, &document, &reason));
	settings_read(document.root, &faults, &all);
	json_document_finish(&document);
}

static void check(const char *json)
{
	read_body(json);
	settings_check(&all, &form, &faults, &open, &secret);
}

TEST(canonical_form_is_sorted)
{
	read_body("{ \"b\": \"2\", \"a\": \"1\\n\", \"ab\": \"\\u00e9\" }");
	assert_int_equal(faults.count, 0);
	assert_string_equal(text_of(&all), "{\"a\":\"1\\u000a\",\"ab\":\"\xc3\xa9\",\"b\":\"2\"}");
	settings_parse(str_from(text_of(&all)), &arena, &open);
	assert_string_equal(text_of(&open), text_of(&all));
	settings_parse(STR("nonsense"), &arena, &open);
	assert_string_equal(text_of(&open), "{}");
}

TEST(secrets_are_kept_apart_and_unknown_names_out)
{
	check("{\"text\":\"a\",\"key\":\"secret\",\"on\":\"true\",\"nobody\":\"x\"}");
	assert_int_equal(faults.count, 0);
	assert_string_equal(text_of(&open), "{\"on\":\"true\",\"text\":\"a\"}");
	assert_string_equal(text_of(&secret), "{\"key\":\"secret\"}");
}

TEST(what_a_generated_field_may_make_is_secret)
{
	struct settings stored;
	struct str reason;

	assert_true(form_read(STR("{\"schema\":[{\"type\":\"generated\",\"id\":\"more\"},{\"type\":"
				  "\"onoff\",\"id\":\"on\"}]}"),
			      &arena, &form, &reason));
	check("{\"nobody\":\"x\",\"gone\":null,\"more\":\"x\",\"on\":\"x\"}");
	assert_int_equal(faults.count, 2);
	assert_string_equal(text_of(&open), "{}");
	assert_int_equal(secret.count, 2);
	assert_true(secret.items[0].is_removed);
	assert_string_equal(secret.items[1].value.data, "x");
	settings_parse(STR("{\"nobody\":\"x\",\"on\":\"true\"}"), &arena, &stored);
	settings_keep_secret(&stored, &form);
	assert_string_equal(text_of(&stored), "{\"nobody\":\"x\"}");
	form.has_made = true;
	check("{\"nobody\":\"x\",\"gone\":null,\"on\":\"true\"}");
	assert_string_equal(text_of(&open), "{\"on\":\"true\"}");
	assert_int_equal(secret.count, 0);
	settings_keep_secret(&stored, &form);
	assert_int_equal(stored.count, 0);
	assert_true(form_read(str_from(schema), &arena, &form, &reason));
}

TEST(second_wins_and_null_removes)
{
	struct settings stored, merged;

	settings_parse(STR("{\"a\":\"1\",\"key\":\"old\"}"), &arena, &stored);
	check("{\"key\":null,\"text\":null}");
	assert_int_equal(faults.count, 0);
	settings_merge(&stored, &secret, &arena, &merged);
	assert_string_equal(text_of(&merged), "{\"a\":\"1\"}");
	check("{\"key\":\"new\"}");
	settings_merge(&stored, &secret, &arena, &merged);
	assert_string_equal(text_of(&merged), "{\"a\":\"1\",\"key\":\"new\"}");
}

static const char *const good[] = {
    "{\"color\":\"#FfAa00\"}",
    "{\"color\":\"abc\"}",
    "{\"on\":\"false\"}",
    "{\"one\":\"a\"}",
    "{\"at\":\"2024-02-29T23:59:60.5+02:00\"}",
    "{\"at\":\"2026-07-01T12:34:56Z\"}",
    "{\"at\":\"\"}",
    ("{\"here\":\"{\\\"lat\\\":\\\"45.8\\\",\\\"lng\\\":15.97,"
     "\\\"timezone\\\":\\\"Europe/Zagreb\\\"}\"}"),
    "{\"here\":\"\"}",
    "{\"found\":\"{\\\"display\\\":\\\"D\\\",\\\"value\\\":\\\"v\\\"}\"}",
    "{\"photo\":\"iVBORw0KGgo=\"}",
    "{\"text\":\"\"}",
};

static const struct {
	const char *json, *pointer, *detail;
} bad[] = {
    {"{\"color\":\"#ffaa0\"}", "/settings/color", "must be a colour like #ffaa00"},
    {"{\"color\":\"#gggggg\"}", "/settings/color", "must be a colour like #ffaa00"},
    {"{\"on\":\"yes\"}", "/settings/on", "must be true or false"},
    {"{\"on\":true}", "/settings/on", "must be a string"},
    {"{\"one\":\"b\"}", "/settings/one", "must be one of the options"},
    {"{\"at\":\"2023-02-29T00:00:00Z\"}", "/settings/at",
     "must be a date and time like 2026-07-01T12:34:56Z"},
    {"{\"at\":\"2026-07-01 12:34:56Z\"}", "/settings/at",
     "must be a date and time like 2026-07-01T12:34:56Z"},
    {"{\"at\":\"2026-07-01T12:34:56\"}", "/settings/at",
     "must be a date and time like 2026-07-01T12:34:56Z"},
    {"{\"here\":\"{\\\"lat\\\":\\\"91\\\",\\\"lng\\\":\\\"0\\\"}\"}", "/settings/here",
     "must have a latitude of -90 to 90 and a longitude of -180 to 180 degrees"},
    {"{\"here\":\"{\\\"lat\\\":\\\"nan\\\",\\\"lng\\\":\\\"0\\\"}\"}", "/settings/here",
     "must have a latitude of -90 to 90 and a longitude of -180 to 180 degrees"},
    {"{\"here\":\"{\\\"lat\\\":1,\\\"lng\\\":2,\\\"timezone\\\":\\\"../etc/passwd\\\"}\"}",
     "/settings/here", "has an unknown time zone"},
    {"{\"here\":\"[]\"}", "/settings/here", "must be the JSON of a place with \"lat\" and \"lng\""},
    {"{\"found\":\"v\"}", "/settings/found", "must be JSON"},
    {"{\"found\":\"{}\"}", "/settings/found", "must be the JSON of an option with its \"value\""},
    {"{\"photo\":\"AAAA\"}", "/settings/photo", "must be a picture: PNG, JPEG, GIF or WebP"},
    {"{\"photo\":\"*\"}", "/settings/photo", "must be the Base64 of a picture"},
    {"{\"auth\":\"x\"}", "/settings/auth",
     "cannot be set: signing in at another service is not possible here"},
    {"{\"a/b~\":\"\\u0000\"}", "/settings/a~1b~0", "must not contain U+0000"},
    {"{\"\":\"x\"}", "/settings/", "is not a valid field name"},
    {"[]", "/settings", "must be an object"},
};

TEST(values_are_held_to_their_fields)
{
	for (size_t i = 0; i < array_length(good); i++) {
		check(good[i]);
		if (faults.count)
			fail_msg("%s: %.*s", good[i], STR_ARG(faults.list[0].detail));
	}
	for (size_t i = 0; i < array_length(bad); i++) {
		check(bad[i].json);
		if (faults.count != 1)
			fail_msg("%s: %u faults", bad[i].json, faults.count);
		assert_string_equal(arena_copy(&arena, faults.list[0].pointer).data,
				    bad[i].pointer);
		assert_string_equal(arena_copy(&arena, faults.list[0].detail).data, bad[i].detail);
	}
}

TEST(colours_have_one_form)
{
	check("{\"color\":\"FfAA00\"}");
	assert_string_equal(text_of(&open), "{\"color\":\"#ffaa00\"}");
}

TEST(all_faults_come_at_once)
{
	check("{\"on\":\"x\",\"one\":\"x\",\"color\":7}");
	assert_int_equal(faults.count, 3);
}

TEST(sizes_are_bounded)
{
	struct buffer buffer = {0};

	buffer_append_str(&buffer, STR("{\"text\":\""));
	for (int i = 0; i < SETTINGS_BYTES_MAX - 4; i++)
		buffer_append_char(&buffer, 'x');
	buffer_append_str(&buffer, STR("\"}"));
	buffer_append_char(&buffer, '\0');
	check(buffer_view(&buffer).data);
	assert_int_equal(faults.count, 0);
	buffer_clear(&buffer);
	buffer_append_str(&buffer, STR("{\"text\":\"x"));
	for (int i = 0; i < SETTINGS_BYTES_MAX - 4; i++)
		buffer_append_char(&buffer, 'x');
	buffer_append_str(&buffer, STR("\"}"));
	buffer_append_char(&buffer, '\0');
	check(buffer_view(&buffer).data);
	assert_int_equal(faults.count, 1);
	buffer_clear(&buffer);
	for (int i = 0; i <= SETTINGS_MAX; i++)
		buffer_printf(&buffer, "%c\"%d\":\"\"", i ? ',' : '{', i);
	buffer_append_char(&buffer, '}');
	buffer_append_char(&buffer, '\0');
	check(buffer_view(&buffer).data);
	assert_int_equal(faults.count, 1);
	buffer_finish(&buffer);
}

/* ---- secrets ---- */

static void assert_masked(const char *text, const char *masked)
{
	struct str result = settings_mask(&secret, str_from(text), &arena);

	assert_string_equal(arena_copy(&arena, result).data, masked);
}

TEST(secrets_in_a_log_are_masked)
{
	settings_parse(STR("{\"a\":\"pass\",\"b\":\"password\",\"c\":\"abc\",\"d\":\"\"}"), &arena,
		       &secret);
	assert_masked("", "");
	assert_masked("nothing of it", "nothing of it");
	assert_masked("password", "****");
	assert_masked("pass", "****");
	assert_masked("my passpasswordpas abc\n", "my ****pas abc\n");
	secret.count = 0;
	assert_masked("password", "password");
}

TEST(other_spellings_are_masked)
{
	settings_parse(STR("{\"a\":\"a+b/c= &\\\"\\u00e4\"}"), &arena, &secret);
	assert_masked("GET /?k=a%2Bb%2fc%3D%20%26%22%C3%A4&x", "GET /?k=****&x");
	assert_masked("a%2Bb%2Fc%3D+%26%22%c3%a4", "****");
	assert_masked("{\"k\":\"a+b\\/c= \\u0026\\\"\xc3\xa4\"}", "{\"k\":\"****\"}");
	assert_masked("\"a+b/c= &\\\"\\xc3\\xa4\"", "\"****\"");
	assert_masked("100% \\ %zz \\u00zz a%2Bb", "100% \\ %zz \\u00zz a%2Bb");
}

TEST(a_secret_that_is_cut_is_masked)
{
	settings_parse(STR("{\"a\":\"pass word\"}"), &arena, &secret);
	assert_masked("my pass wor", "my ****");
	assert_masked("my pass wor\n", "my ****\n");
	assert_masked("my pass ...", "my **** ...");
	assert_masked("my pass%2", "my ****");
	assert_masked("my pass%20w ...", "my **** ...");
	assert_masked("my pas", "my pas");
	assert_masked("pass on", "pass on");
}

TEST(an_author_sees_no_part_of_a_setting)
{
	struct settings values;
	struct str text;

	read_body("{\"at\":\"{\\\"lat\\\":\\\"45.81\\\",\\\"n\\\":7}\",\"on\":\"true\",\"x\":"
		  "\"Ada L\"}");
	settings_parts(&all, &arena, &values);
	text = settings_mask(&values, STR("true: Ada+L at 45.81, 7"), &arena);
	assert_string_equal(arena_copy(&arena, text).data, "true: **** at ****, 7");
}

TEST(hosts_of_settings_are_left_out)
{
	struct settings values;
	struct str hosts;

	read_body("{\"url\":\"https://Ha.example.org:8123/\",\"key\":\"T0ken\",\"x\":\"de\"}");
	settings_parts(&all, &arena, &values);
	hosts = settings_mask_hosts(
	    &values, STR("a.de ha.example.org t0ken.example.net example.net"), &arena);
	assert_string_equal(arena_copy(&arena, hosts).data, "a.de example.net");
	hosts = settings_mask(&values, STR("Get \"https://Ha.example.org\": no"), &arena);
	assert_string_equal(arena_copy(&arena, hosts).data, "Get \"https://****\": no");
	assert_int_equal(settings_mask_hosts(&values, STR("ha.example.org"), &arena).length, 0);
	assert_int_equal(settings_mask_hosts(&values, (struct str){0}, &arena).length, 0);
}

static const struct settings_key key = {{1}};
static const struct id device = {{2}};

TEST(what_is_encrypted_opens_for_its_installation_only)
{
	struct buffer encrypted = {0}, again = {0};
	struct str json;

	settings_encrypt(&key, device, STR("one"), STR("{\"key\":\"secret\"}"), &encrypted);
	settings_encrypt(&key, device, STR("one"), STR("{\"key\":\"secret\"}"), &again);
	assert_true(
	    settings_decrypt(&key, device, STR("one"), buffer_view(&encrypted), &arena, &json));
	assert_true(str_equal(json, STR("{\"key\":\"secret\"}")));
	assert_false(str_equal(buffer_view(&encrypted), buffer_view(&again)));
	assert_false(
	    settings_decrypt(&key, device, STR("two"), buffer_view(&encrypted), &arena, &json));
	assert_false(settings_decrypt(&key, (struct id){{3}}, STR("one"), buffer_view(&encrypted),
				      &arena, &json));
	assert_false(settings_decrypt(&(struct settings_key){{9}}, device, STR("one"),
				      buffer_view(&encrypted), &arena, &json));
	for (size_t i = 0; i < buffer_length(&encrypted); i++) {
		encrypted.data[i] ^= 1;
		assert_false(settings_decrypt(&key, device, STR("one"), buffer_view(&encrypted),
					      &arena, &json));
		encrypted.data[i] ^= 1;
	}
	for (size_t length = 0; length < buffer_length(&encrypted); length++)
		assert_false(settings_decrypt(&key, device, STR("one"),
					      (struct str){encrypted.data, length}, &arena, &json));
	buffer_finish(&encrypted);
	buffer_finish(&again);
}

TEST(hash_is_keyed_where_there_are_secrets)
{
	uint8_t plain[SETTINGS_HASH_BYTES], keyed[SETTINGS_HASH_BYTES], other[SETTINGS_HASH_BYTES];
	char hex[2 * SETTINGS_HASH_BYTES + 1];

	settings_hash(&key, STR("{}"), false, plain);
	hex_encode(plain, sizeof(plain), hex);
	/* The default of the column: sha256('{}'). */
	assert_string_equal(hex,
			    "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
	settings_hash(&key, STR("{}"), true, keyed);
	assert_memory_not_equal(plain, keyed, sizeof(plain));
	settings_hash(&key, STR("{}"), true, other);
	assert_memory_equal(keyed, other, sizeof(keyed));
	settings_hash(&(struct settings_key){{9}}, STR("{}"), true, other);
	assert_memory_not_equal(keyed, other, sizeof(keyed));
}

/* Usually one of them is visible. */
TEST(several_fields_have_one_id)
{
	struct str reason;

	assert_true(
	    form_read(STR("{\"schema\":["
			  "{\"type\":\"onoff\",\"id\":\"a\"},{\"type\":\"color\",\"id\":\"a\"},"
			  "{\"type\":\"text\",\"id\":\"b\"},"
			  "{\"type\":\"text\",\"id\":\"b\",\"secret\":true}]}"),
		      &arena, &form, &reason));
	check("{\"a\":\"ABC\",\"b\":\"hidden\"}");
	assert_int_equal(faults.count, 0);
	assert_string_equal(text_of(&open), "{\"a\":\"#abc\"}");
	assert_string_equal(text_of(&secret), "{\"b\":\"hidden\"}");
	check("{\"a\":\"true\"}");
	assert_int_equal(faults.count, 0);
	check("{\"a\":\"neither\"}");
	assert_int_equal(faults.count, 1);
	assert_true(str_equal(faults.list[0].detail, STR("must be true or false")));
	assert_true(form_read(str_from(schema), &arena, &form, &reason));
}

static const char *asked(const char *json)
{
	struct settings given;
	const struct form_field *field;

	settings_parse(str_from(json), &arena, &given);
	field = settings_find_asking(&given, &form, STR("stop"));
	return field ? arena_printf(&arena, "%.*s", STR_ARG(field->handler)).data : NULL;
}

/* If several fields have one ID, the visible one uses its own handler. */
TEST(the_shown_field_asks)
{
	struct str reason;

	assert_true(form_read(
	    STR("{\"schema\":[{\"type\":\"dropdown\",\"id\":\"by\",\"default\":\"bus\"},"
		"{\"type\":\"text\",\"id\":\"stop\"},"
		"{\"type\":\"typeahead\",\"id\":\"stop\",\"handler\":\"buses\",\"visibility\":"
		"{\"type\":\"invisible\",\"condition\":\"not_equal\",\"variable\":\"by\","
		"\"value\":\"bus\"}},"
		"{\"type\":\"typeahead\",\"id\":\"stop\",\"handler\":\"trams\",\"visibility\":"
		"{\"type\":\"invisible\",\"condition\":\"equal\",\"variable\":\"by\","
		"\"value\":\"bus\"}}]}"),
	    &arena, &form, &reason));
	assert_string_equal(asked("{}"), "buses");
	assert_string_equal(asked("{\"by\":\"bus\"}"), "buses");
	assert_string_equal(asked("{\"by\":\"tram\"}"), "trams");
	form.fields[2].visibility = form.fields[3].visibility;
	assert_string_equal(asked("{\"by\":\"bus\"}"), "buses"); /* none is visible */
	form.count = 2;
	assert_null(asked("{}"));
	assert_true(form_read(str_from(schema), &arena, &form, &reason));
}

static const char *place_of(const char *value)
{
	struct settings body = {.items = (struct setting[]){{.name = STR("here")}}, .count = 1};
	struct settings stored;

	body.items[0].value = str_from(value);
	faults_init(&faults, &arena);
	settings_check(&body, &form, &faults, &open, &secret);
	assert_int_equal(faults.count, 0);
	settings_parse(str_from(text_of(&open)), &arena, &stored);
	return arena_copy(&arena, stored.items[0].value).data;
}

/* The time zone is the nearest city's. */
TEST(places_have_six_texts)
{
	if (places_zone_at(0, 0).length == 0)
		skip(); /* built without the list of cities */
	assert_string_equal(place_of("{\"lat\":45.81,\"lng\":-0.5}"),
			    "{\"lat\":\"45.81\",\"lng\":\"-0.5\",\"description\":\"\","
			    "\"locality\":\"\",\"place_id\":\"\",\"timezone\":\"Europe/Paris\"}");
	assert_string_equal(
	    place_of("{\"timezone\":\"Europe/Zagreb\",\"locality\":\"Zagreb\",\"lng\":\"15.90\","
		     "\"lat\":45,\"place_id\":null,\"mine\":\"a\",\"other\":7}"),
	    "{\"lat\":\"45\",\"lng\":\"15.90\",\"description\":\"Zagreb\",\"locality\":"
	    "\"Zagreb\",\"place_id\":\"\",\"timezone\":\"Europe/Zagreb\",\"mine\":\"a\"}");
	assert_string_equal(
	    place_of("{\"lat\":0.0000001,\"lng\":1e2,\"description\":\"Split, Croatia\"}"),
	    "{\"lat\":\"0.0000001\",\"lng\":\"100\",\"description\":\"Split, Croatia\","
	    "\"locality\":\"Split\",\"place_id\":\"\",\"timezone\":\"Asia/Jakarta\"}");
	assert_string_equal(
	    place_of(
		"{\"name\":\"Maui, HI\",\"timezone\":\"UTC\",\"lat\":\"20.7\",\"lng\":\"-156.3\"}"),
	    "{\"lat\":\"20.7\",\"lng\":\"-156.3\",\"description\":\"Maui, HI\",\"locality\":"
	    "\"Maui\",\"place_id\":\"\",\"timezone\":\"UTC\",\"name\":\"Maui, HI\"}");
}

RUN_TESTS(set_up, tear_down)
