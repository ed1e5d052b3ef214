/* Tests which requests are accepted. No transfer begins, and nothing here depends on the time. */
#include "desk.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	struct desk *desk;
	struct client *client;
	size_t out_total;
	int other_end;
};

static int set_up(void **state)
{
	static const struct network_list allowed;
	static struct place place;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	place = (struct place){.other_end = ends[1]};
	place.desk = desk_create(&allowed, NULL);
	place.client = client_create(ends[0], "{}", &place.out_total);
	bytes_finish(&place.client->out);
	place.out_total = 0;
	*state = &place;
	return 0;
}

static int take_down(void **state)
{
	struct place *place = *state;

	desk_forget(place->desk, place->client);
	client_destroy(place->client);
	assert_int_equal(place->out_total, 0);
	desk_destroy(place->desk);
	close(place->other_end);
	return 0;
}

/* Sends a new request each time. Returns whether it was accepted. */
static bool ask(struct place *place, const char *scope, size_t body)
{
	static const char zeros[REQUEST_BODY_MAX];
	static int last_id;
	int id = ++last_id;
	unsigned char lengths[8] = {0};
	unsigned before = place->client->under_way;
	size_t out_before = place->client->out.length;
	char head[256];
	int length = snprintf(head, sizeof(head),
			      "{\"fetch\":{\"id\":%d,\"scope\":\"%s\",\"method\":\"POST\",\"url\":"
			      "\"http://a%d.org/\"}}",
			      id, scope, id);

	for (int i = 0; i < 4; i++) {
		lengths[3 - i] = (unsigned char)((unsigned)length >> 8 * i);
		lengths[7 - i] = (unsigned char)(body >> 8 * i);
	}
	bytes_add(&place->client->in, lengths, sizeof(lengths));
	bytes_add(&place->client->in, head, (size_t)length);
	bytes_add(&place->client->in, zeros, body);
	desk_take(place->desk, place->client);
	assert_int_equal(place->client->in.length, 0);
	assert_false(place->client->is_gone);
	assert_int_equal(place->client->out.length > out_before,
			 place->client->under_way == before);
	return place->client->under_way > before;
}

static unsigned ask_often(struct place *place, const char *scope, size_t body)
{
	unsigned count = 0;

	while (ask(place, scope, body))
		count++;
	return count;
}

static void test_an_app_leaves_places_free(void **state)
{
	struct place *place = *state;

	assert_int_equal(ask_often(place, "greedy", 0), 256);
	assert_true(ask(place, "modest", 0));
	assert_false(ask(place, "greedy", 0));
	assert_int_equal(ask_often(place, "modest", 0), 127);
}

static void test_an_app_leaves_memory_free(void **state)
{
	struct place *place = *state;

	assert_int_equal(ask_often(place, "greedy", REQUEST_BODY_MAX), 16);
	assert_true(ask(place, "greedy", 0));
	assert_true(ask(place, "modest", REQUEST_BODY_MAX));
	assert_int_equal(ask_often(place, "modest", REQUEST_BODY_MAX), 7);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_an_app_leaves_places_free, set_up, take_down),
	    cmocka_unit_test_setup_teardown(test_an_app_leaves_memory_free, set_up, take_down),
	};

	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
