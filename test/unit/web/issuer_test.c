/* When an issuer is asked for its configuration and keys. The clock and the egress are scripted. */
#include "../cmocka_test.h"
#include "web/identity/issuer.h"

#include <string.h>

#define URL "https://id.example.org"
#define PLACES(issuer)                                                                             \
	"{\"issuer\": \"" issuer "\", \"authorization_endpoint\": \"" URL "/a\", "                 \
	"\"token_endpoint\": \"" URL "/t\", \"jwks_uri\": \"" URL "/k\"}"
#define KEYS "{\"keys\": []}"

static uint64_t clock_s;
static struct outbound_request *sent;
static struct issuer *issuer;
static struct issuer_wait wait;
static unsigned done_count;

uint64_t __wrap_clock_monotonic_us(void);
void __wrap_outbound_send(struct outbound *outbound, struct outbound_request *request);

uint64_t __wrap_clock_monotonic_us(void)
{
	return clock_s * 1000000;
}

void __wrap_outbound_send(struct outbound *outbound, struct outbound_request *request)
{
	(void)outbound;
	assert_null(sent);
	sent = request;
}

static void on_done(struct issuer_wait *done)
{
	(void)done;
	done_count++;
}

static int make(void **state)
{
	const struct web_issuer settings = {
	    .url = URL, .client_id = "displayd", .client_secret = "", .name = "Home"};

	(void)state;
	clock_s = 1000;
	done_count = 0;
	wait.done = on_done;
	issuer = issuer_create(NULL, &settings);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	assert_null(sent);
	issuer_destroy(issuer);
	return 0;
}

/* status 0: the issuer is dead. */
static void answer(const char *path, int status, const char *body)
{
	struct outbound_request *request = sent;

	assert_non_null(request);
	assert_true(str_equal(str_from_offset(request->url, strlen(URL)), str_from(path)));
	sent = NULL;
	request->status = status;
	request->is_dropped = true; /* no line in the log */
	request->answer = str_from(body);
	request->done(request);
}

static void learn(void)
{
	assert_false(issuer_has(issuer, ISSUER_KEYS, &wait));
	answer("/.well-known/openid-configuration", 200, PLACES(URL));
	answer("/k", 200, KEYS);
	assert_non_null(issuer_places(issuer));
	assert_non_null(issuer_known_keys(issuer));
}

TEST_IN(it_is_kept_for_an_hour, make, finish)
{
	learn();
	assert_int_equal(done_count, 1);
	clock_s += ISSUER_KEPT_S - 1;
	assert_true(issuer_has(issuer, ISSUER_KEYS, &wait));
	clock_s++;
	learn();
}

/* A key that the issuer has taken back is not used for longer, even if its keys cannot be had. */
TEST_IN(old_keys_are_not_used, make, finish)
{
	learn();
	clock_s += ISSUER_KEPT_S;
	assert_null(issuer_known_keys(issuer));
	assert_false(issuer_has(issuer, ISSUER_KEYS, &wait));
	answer("/.well-known/openid-configuration", 200, PLACES(URL));
	answer("/k", 500, "");
	assert_null(issuer_known_keys(issuer));
	assert_true(issuer_problem(issuer)[0]);
}

TEST_IN(a_dead_issuer_is_asked_seldom, make, finish)
{
	assert_false(issuer_has(issuer, ISSUER_PLACES, &wait));
	answer("/.well-known/openid-configuration", 0, "");
	assert_int_equal(done_count, 1);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(issuer_has(issuer, ISSUER_PLACES, &wait));
	assert_null(issuer_places(issuer));
	clock_s += ISSUER_AGAIN_S;
	assert_false(issuer_has(issuer, ISSUER_PLACES, &wait));
	answer("/.well-known/openid-configuration", 0, "");
}

/* Strangers who all begin at once cost one request. */
TEST_IN(many_wait_for_one_answer, make, finish)
{
	enum { MANY = 1000 };
	static struct issuer_wait waits[MANY];

	for (unsigned i = 0; i < MANY; i++) {
		waits[i].done = on_done;
		assert_false(issuer_has(issuer, ISSUER_PLACES, &waits[i]));
	}
	answer("/.well-known/openid-configuration", 200, PLACES(URL));
	answer("/k", 200, KEYS);
	assert_int_equal(done_count, MANY);
}

TEST_IN(new_keys_are_asked_for_seldom, make, finish)
{
	learn();
	assert_true(issuer_has(issuer, ISSUER_NEW_KEYS, &wait));
	clock_s += ISSUER_AGAIN_S;
	assert_false(issuer_has(issuer, ISSUER_NEW_KEYS, &wait));
	answer("/k", 200, KEYS);
	assert_true(issuer_has(issuer, ISSUER_NEW_KEYS, &wait));
}

/* Even if the configuration is old, too. */
TEST_IN(new_keys_come_after_a_new_configuration, make, finish)
{
	learn();
	clock_s += ISSUER_KEPT_S - 20;
	assert_false(issuer_has(issuer, ISSUER_NEW_KEYS, &wait));
	answer("/k", 200, KEYS);
	clock_s += 30;
	assert_false(issuer_has(issuer, ISSUER_NEW_KEYS, &wait));
	answer("/.well-known/openid-configuration", 200, PLACES(URL));
	answer("/k", 200, KEYS);
}

/* Its name is compared byte by byte. */
TEST_IN(a_configuration_of_another_issuer, make, finish)
{
	static const char *const bodies[] = {PLACES(URL "/"),
					     PLACES("https://ID.example.org"),
					     PLACES("http://id.example.org"),
					     PLACES(""),
					     "{}",
					     "[]",
					     ""};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		assert_false(issuer_has(issuer, ISSUER_PLACES, &wait));
		answer("/.well-known/openid-configuration", 200, bodies[i]);
		assert_null(issuer_places(issuer));
		clock_s += ISSUER_AGAIN_S;
	}
}

RUN_TESTS(NULL, NULL)
