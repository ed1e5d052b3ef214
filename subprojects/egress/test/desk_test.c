/* Tests which requests are accepted. No transfer begins, and nothing here depends on the time. */
#include "desk.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../test/unit/cmocka_test.h"

struct fixture {
	struct desk *desk;
	struct client *client;
	size_t out_total;
	int other_end;
};

static int set_up(void **state)
{
	static const struct network_list allowed;
	static struct fixture fixture;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	fixture = (struct fixture){.other_end = ends[1]};
	fixture.desk = desk_create(&allowed, NULL);
	fixture.client = client_create(ends[0], "{}", &fixture.out_total);
	bytes_finish(&fixture.client->out);
	fixture.out_total = 0;
	*state = &fixture;
	return 0;
}

static int take_down(void **state)
{
	struct fixture *fixture = *state;

	desk_forget(fixture->desk, fixture->client);
	client_destroy(fixture->client);
	assert_int_equal(fixture->out_total, 0);
	desk_destroy(fixture->desk);
	close(fixture->other_end);
	return 0;
}

/* Sends a new request each time. Returns whether it was accepted. */
static bool ask(struct fixture *fixture, const char *scope, size_t body)
{
	static const char zeros[REQUEST_BODY_MAX];
	static int last_id;
	int id = ++last_id;
	unsigned char lengths[8] = {0};
	unsigned before = fixture->client->under_way;
	size_t out_before = fixture->client->out.length;
	char head[256];
	int length = snprintf(head, sizeof(head),
			      "{\"fetch\":{\"id\":%d,\"scope\":\"%s\",\"method\":\"POST\",\"url\":"
			      "\"http://a%d.org/\"}}",
			      id, scope, id);

	for (int i = 0; i < 4; i++) {
		lengths[3 - i] = (unsigned char)((unsigned)length >> 8 * i);
		lengths[7 - i] = (unsigned char)(body >> 8 * i);
	}
	bytes_add(&fixture->client->in, lengths, sizeof(lengths));
	bytes_add(&fixture->client->in, head, (size_t)length);
	bytes_add(&fixture->client->in, zeros, body);
	desk_take(fixture->desk, fixture->client);
	assert_int_equal(fixture->client->in.length, 0);
	assert_false(fixture->client->is_gone);
	assert_int_equal(fixture->client->out.length > out_before,
			 fixture->client->under_way == before);
	return fixture->client->under_way > before;
}

static unsigned ask_often(struct fixture *fixture, const char *scope, size_t body)
{
	unsigned count = 0;

	while (ask(fixture, scope, body))
		count++;
	return count;
}

TEST_IN(test_an_app_leaves_places_free, set_up, take_down)
{
	struct fixture *fixture = *state;

	assert_int_equal(ask_often(fixture, "greedy", 0), 256);
	assert_true(ask(fixture, "modest", 0));
	assert_false(ask(fixture, "greedy", 0));
	assert_int_equal(ask_often(fixture, "modest", 0), 127);
}

TEST_IN(test_an_app_leaves_memory_free, set_up, take_down)
{
	struct fixture *fixture = *state;

	assert_int_equal(ask_often(fixture, "greedy", REQUEST_BODY_MAX), 16);
	assert_true(ask(fixture, "greedy", 0));
	assert_true(ask(fixture, "modest", REQUEST_BODY_MAX));
	assert_int_equal(ask_often(fixture, "modest", REQUEST_BODY_MAX), 7);
}

int main(void)
{
	return sodium_init() < 0 ? 1 : run_all_tests(NULL, NULL);
}
