/* ID tokens: reading, and every check but that of the signature. */
#include "../cmocka_test.h"
#include "web/identity/id_token.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define HEADER "{\"alg\": \"RS256\", \"kid\": \"one\"}"
#define NOW 1795176000
#define WHO "\"iss\": \"https://id.example.org\", \"sub\": \"ada\", \"nonce\": \"n\", "
#define WHEN "\"iat\": 1795176000, \"exp\": 1795176300"

static struct arena arena;
static char text[3 * ID_TOKEN_MAX];
static struct id_token token;

static size_t encode(size_t at, const char *json)
{
	sodium_bin2base64(text + at, sizeof(text) - at, (const uint8_t *)json, strlen(json),
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	return at + strlen(text + at);
}

/* Returns NULL, or why the token is refused. */
static const char *judge_of(const char *header, const char *claims, const char *issuer)
{
	const struct id_token_wanted wanted = {
	    .issuer = issuer, .client_id = "displayd", .nonce = STR("n"), .now_s = NOW};
	const char *fault;
	size_t at = encode(0, header);

	text[at] = '.';
	at = encode(at + 1, claims);
	snprintf(text + at, sizeof(text) - at, ".c2ln");
	fault = id_token_read(str_from(text), wanted.client_id, &arena, &token);
	return fault ? fault : id_token_check(&token, &wanted);
}

static const char *judge(const char *claims)
{
	return judge_of(HEADER, claims, "https://id.example.org");
}

static int finish(void **state)
{
	(void)state;
	arena_finish(&arena);
	arena = (struct arena){0};
	return 0;
}

TEST_IN(a_good_token, NULL, finish)
{
	assert_null(judge("{" WHO WHEN ", \"aud\": \"displayd\", \"email\": \"a@example.org\", "
			  "\"email_verified\": true, \"name\": \"Ada\"}"));
	assert_true(str_equal(token.subject, STR("ada")));
	assert_true(str_equal(token.email, STR("a@example.org")));
	assert_true(str_equal(token.key_id, STR("one")));
	assert_true(str_equal(token.signature, STR("sig")));
	assert_int_equal(token.signed_text.length, strlen(text) - strlen(".c2ln"));
}

TEST_IN(an_address_counts_if_it_is_verified, NULL, finish)
{
	static const char *const not_verified[] = {"false", "\"true\"", "1", "null", "[true]"};
	char claims[500];

	for (size_t i = 0; i < sizeof(not_verified) / sizeof(*not_verified); i++) {
		snprintf(claims, sizeof(claims),
			 "{" WHO WHEN
			 ", \"aud\": \"displayd\", \"email\": \"a@b.c\", \"email_verified\": %s}",
			 not_verified[i]);
		assert_null(judge(claims));
		assert_null(token.email.data);
	}
}

TEST_IN(audiences, NULL, finish)
{
	static const struct {
		const char *claims;
		bool is_good;
	} cases[] = {
	    {"\"aud\": [\"displayd\"]", true},
	    {"\"aud\": [\"displayd\"], \"azp\": \"displayd\"", true},
	    {"\"aud\": [\"displayd\", \"other\"], \"azp\": \"displayd\"", true},
	    {"\"aud\": [\"displayd\", \"other\"]", false},
	    {"\"aud\": [\"displayd\", \"other\"], \"azp\": \"other\"", false},
	    {"\"aud\": \"displayd\", \"azp\": \"other\"", false},
	    {"\"aud\": \"displayd\", \"azp\": null", false},
	    {"\"aud\": \"Displayd\"", false},
	    {"\"aud\": \"displayd \"", false},
	    {"\"aud\": \"displayd\\u0000\"", false},
	    {"\"aud\": [[\"displayd\"]]", false},
	    {"\"aud\": {\"displayd\": \"displayd\"}", false},
	    {"\"aud\": []", false},
	    {"\"aud\": null", false},
	    {"\"azp\": \"displayd\"", false},
	};
	char claims[500];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(claims, sizeof(claims), "{" WHO WHEN ", %s}", cases[i].claims);
		if (cases[i].is_good)
			assert_null(judge(claims));
		else
			assert_string_equal(judge(claims), "is for another client");
	}
}

/* Byte by byte: neither a slash nor case is passed over. */
TEST_IN(issuers, NULL, finish)
{
	static const char *const others[] = {"https://id.example.org/", "https://ID.example.org",
					     "https://id.example.org.evil.example",
					     "http://id.example.org", ""};
	const char *claims = "{" WHO WHEN ", \"aud\": \"displayd\"}";

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_string_equal(judge_of(HEADER, claims, others[i]), "is of another issuer");
}

TEST_IN(times, NULL, finish)
{
	static const struct {
		const char *claims, *fault;
	} cases[] = {
	    {"\"iat\": 1795176060, \"exp\": 1795175941", NULL},
	    {"\"iat\": 1795176061, \"exp\": 1795176300", "has no time, or one in the future"},
	    {"\"iat\": 1795175900, \"exp\": 1795175940", "has expired"},
	    {"\"iat\": 1795176000", "has expired"},
	    {"\"iat\": 1795176000, \"exp\": 1e300", "has expired"},
	    {"\"iat\": 1795176000, \"exp\": -1", "has expired"},
	    {"\"iat\": 1795176000, \"exp\": true", "has expired"},
	    {"\"exp\": 1795176300", "has no time, or one in the future"},
	    {"\"iat\": \"1795176000\", \"exp\": 1795176300", "has no time, or one in the future"},
	    {WHEN ", \"nbf\": 1795176060", NULL},
	    {WHEN ", \"nbf\": 0", NULL},
	    {WHEN ", \"nbf\": -1e300", NULL},
	    {WHEN ", \"nbf\": 1795176061", "cannot be used yet"},
	    {WHEN ", \"nbf\": 1e300", "cannot be used yet"},
	    {WHEN ", \"nbf\": \"0\"", "cannot be used yet"},
	    {WHEN ", \"nbf\": null", "cannot be used yet"},
	};
	char claims[500];
	const char *fault;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(claims, sizeof(claims), "{" WHO "%s, \"aud\": \"displayd\"}",
			 cases[i].claims);
		fault = judge(claims);
		if (cases[i].fault)
			assert_string_equal(fault ? fault : cases[i].claims, cases[i].fault);
		else
			assert_null(fault);
	}
}

/* Readers differ in which of two members they find. */
TEST_IN(doubled_members, NULL, finish)
{
	static const char *const doubled[] = {
	    "\"iss\": \"x\"", "\"sub\": \"eve\"", "\"aud\": \"x\"",	    "\"exp\": 1",
	    "\"iat\": 1",     "\"nonce\": \"x\"", "\"\\u0073ub\": \"eve\"",
	};
	char claims[500];

	for (size_t i = 0; i < sizeof(doubled) / sizeof(*doubled); i++) {
		snprintf(claims, sizeof(claims), "{" WHO WHEN ", \"aud\": \"displayd\", %s}",
			 doubled[i]);
		assert_string_equal(judge(claims), "is not a token");
	}
	assert_string_equal(judge_of("{\"alg\": \"RS256\", \"alg\": \"none\"}",
				     "{" WHO WHEN ", \"aud\": \"displayd\"}",
				     "https://id.example.org"),
			    "is not a token");
	/* Names that nobody reads may be there twice. */
	assert_null(judge("{" WHO WHEN ", \"aud\": \"displayd\", \"x\": 1, \"x\": 2}"));
}

TEST_IN(headers, NULL, finish)
{
	static const struct {
		const char *header, *fault;
	} cases[] = {
	    {"{\"alg\": \"EdDSA\"}", NULL},
	    {"{\"alg\": \"ES256\", \"kid\": \"../../etc/passwd\"}", NULL},
	    {"{\"alg\": \"none\"}", "has an algorithm that is not accepted"},
	    {"{\"alg\": \"nOnE\"}", "has an algorithm that is not accepted"},
	    {"{\"alg\": \"HS256\"}", "has an algorithm that is not accepted"},
	    {"{\"alg\": \"RS256\\u0000\"}", "has an algorithm that is not accepted"},
	    {"{\"alg\": \"rs256\"}", "has an algorithm that is not accepted"},
	    {"{\"alg\": [\"RS256\"]}", "has an algorithm that is not accepted"},
	    {"{}", "has an algorithm that is not accepted"},
	    {"{\"alg\": \"RS256\", \"kid\": null}", "is not a token"},
	    {"{\"alg\": \"RS256\", \"crit\": []}", "is not a token"},
	    {"[]", "is not a token"},
	    {"", "is not a token"},
	};
	const char *fault;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fault = judge_of(cases[i].header, "{" WHO WHEN ", \"aud\": \"displayd\"}",
				 "https://id.example.org");
		if (cases[i].fault)
			assert_string_equal(fault ? fault : cases[i].header, cases[i].fault);
		else
			assert_null(fault);
	}
}

TEST_IN(what_is_no_token, NULL, finish)
{
	static const char *const texts[] = {"",
					    ".",
					    "..",
					    "...",
					    "e30.e30",
					    "e30.e30.",
					    "e30.e30.x.",
					    "e30.e30.AA.AA",
					    "e30=.e30.AA",
					    " e30.e30.AA"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_non_null(id_token_read(str_from(texts[i]), "displayd", &arena, &token));
	memset(text, 'A', sizeof(text));
	assert_string_equal(
	    id_token_read((struct str){text, ID_TOKEN_MAX + 1}, "displayd", &arena, &token),
	    "is too large");
	assert_non_null(id_token_read((struct str){0}, "displayd", &arena, &token));
}

RUN_TESTS(NULL, NULL)
