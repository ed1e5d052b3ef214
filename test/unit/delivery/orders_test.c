/* Orders for panels: what happens to a taken order that no longer belongs to the panel. */
#include "domain/secret_settings.h"
#include "served.h"

#include <endian.h>
#include <string.h>

/* Has the length of keys. */
static const char second_key[] = "second-key-of-a-panel-00";
static const struct settings_key settings_key = {.bytes = {7}};

static int begin(void **state)
{
	serve_begin(state);
	delivery_set_addresses(served, &settings_key, "http://x");
	return 0;
}

/* Returns a connected device whose panel has no unsent output. */
static struct script_device *connected(struct script_socket **ret_socket)
{
	struct script_device *device = add_device();

	add_installation(device, "one", "first");
	device->alias = "1f6a09c3";
	*ret_socket = connect_device(device);
	sent_to(*ret_socket);
	return device;
}

static void change(struct script_device *device)
{
	device->generation++;
	delivery_device_changed(served, device->id, device->generation);
	run_turns();
	answer_loads();
}

static void order(struct script_device *device, const char *key)
{
	device->second_key = key;
	device->order_generation = device->generation + 1;
	change(device);
}

static int64_t order_asked(void)
{
	const struct db_query *query = asked(STATEMENT_DEVICE_ORDER_TAKE);
	uint64_t value;

	memcpy(&value, query->parameters.values[1], sizeof(value));
	return (int64_t)be64toh(value);
}

/* key: NULL: of an order to restart only. */
static void answer_order(const struct script_device *device, const char *key)
{
	struct buffer encrypted = {0};

	begin_rows(3);
	if (key) {
		settings_encrypt(&settings_key, device->id, STR(ORDER_KEY_LABEL), str_from(key),
				 &encrypted);
		add_bytes(buffer_view(&encrypted).data, buffer_length(&encrypted));
		buffer_finish(&encrypted);
	} else {
		add_null();
	}
	add_null(); /* the usual URL */
	add_null(); /* no image */
	answer(asked(STATEMENT_DEVICE_ORDER_TAKE));
	run_turns();
	answer_loads();
}

static bool is_ordered(struct script_socket *socket)
{
	return strstr(sent_to(socket), "{\"reboot\":true}") != NULL;
}

TEST_IN(one_that_was_taken_is_sent_once, begin, serve_end)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);

	order(device, second_key);
	device->order_generation = 0;
	answer_order(device, second_key);
	assert_non_null(strstr(sent_to(socket), second_key));
	change(device);
	assert_false(is_ordered(socket));
}

/* While the first order is being taken, a load brings another. */
TEST_IN(a_newer_one_is_taken_after_it, begin, serve_end)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);
	int64_t newer;

	order(device, NULL);
	order(device, NULL);
	newer = device->order_generation;
	assert_int_equal(asked_count(STATEMENT_DEVICE_ORDER_TAKE), 1);
	assert_true(order_asked() < newer);
	answer_nothing(asked(STATEMENT_DEVICE_ORDER_TAKE), DB_OK);
	run_turns();
	assert_int_equal(order_asked(), newer);
	device->order_generation = 0;
	answer_order(device, NULL);
	assert_true(is_ordered(socket));
}

/* Takes an order for a panel that left meanwhile. */
static struct script_device *take_for_nobody(void)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);

	order(device, second_key);
	close_socket(socket);
	device->order_generation = 0;
	answer_order(device, second_key);
	return device;
}

TEST_IN(the_panel_gets_it_when_it_is_back, begin, serve_end)
{
	struct script_device *device = take_for_nobody();

	assert_non_null(strstr(sent_to(connect_device(device)), second_key));
}

TEST_IN(a_key_that_is_not_the_second_any_more_is_not_told, begin, serve_end)
{
	struct script_device *device = take_for_nobody();

	device->second_key = NULL;
	change(device);
	assert_false(is_ordered(connect_device(device)));
}

TEST_IN(nor_is_one_that_came_after_the_change, begin, serve_end)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);

	order(device, second_key);
	device->second_key = NULL;
	device->order_generation = 0;
	change(device);
	answer_order(device, second_key);
	assert_false(is_ordered(socket));
}

TEST_IN(it_lapses, begin, serve_end)
{
	struct script_device *device = take_for_nobody();

	pass_ms(7 * 60 * 1000);
	answer_loads();
	assert_false(is_ordered(connect_device(device)));
}

/* ---- the second key ---- */

static struct script_socket *connect_by(const struct script_device *device, const char *key)
{
	struct script_device other = *device;

	other.key = key;
	return connect_device(&other);
}

static void it_becomes_the_key(struct script_device *device)
{
	device->key = second_key;
	device->second_key = NULL;
	device->alias = NULL;
	change(device);
}

TEST_IN(links_by_the_key_before_end_when_the_panel_has_moved_elsewhere, begin, serve_end)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);

	device->second_key = second_key;
	change(device);
	assert_false(socket->is_dropped);
	it_becomes_the_key(device);
	assert_true(socket->is_dropped);
}

TEST_IN(a_link_by_it_stays, begin, serve_end)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);
	struct script_socket *moved;

	device->second_key = second_key;
	change(device);
	moved = connect_by(device, second_key);
	assert_true(socket->is_dropped);
	it_becomes_the_key(device);
	begin_rows(1);
	add_integer(device->generation);
	answer(asked(STATEMENT_DEVICE_MOVED));
	run_turns();
	answer_loads();
	assert_false(moved->is_dropped);
}

TEST_IN(it_is_told_to_the_database_again, begin, serve_end)
{
	struct script_socket *socket;
	struct script_device *device = connected(&socket);

	device->second_key = second_key;
	change(device);
	(void)connect_by(device, second_key);
	answer_nothing(asked(STATEMENT_DEVICE_MOVED), DB_UNAVAILABLE);
	run_turns();
	assert_int_equal(asked_count(STATEMENT_DEVICE_MOVED), 0);
	change(device);
	assert_int_equal(asked_count(STATEMENT_DEVICE_MOVED), 1);
	answer_nothing(asked(STATEMENT_DEVICE_MOVED), DB_OK);
}

RUN_TESTS(NULL, NULL)
