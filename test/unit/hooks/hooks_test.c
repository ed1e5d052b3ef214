/* Tests when a worker looks for due webhooks, and how many messages it sends, with a scripted
 * database and a scripted egress. The statements themselves:
 * test/api/test_webhook_pauses.py. */
#include "base/buffer.h"
#include "db/statements.h"
#include "hooks/hooks.h"
#include "script.h"

#include <endian.h>
#include <sodium.h>

enum { MESSAGES_MAX = 64, UNDER_WAY = 32, IN_A_ROW = 20 };

static const struct settings_key key = {.bytes = {1}};
static struct hooks *hooks;
static int outbound_address;
static struct outbound *const outbound = (struct outbound *)(void *)&outbound_address;
static struct outbound_request *requests[MESSAGES_MAX];
static unsigned request_count;
static struct buffer secret;

/* ---- egress ---- */

void outbound_send(struct outbound *them, struct outbound_request *request)
{
	assert_ptr_equal(them, outbound);
	assert_true(request_count < MESSAGES_MAX);
	requests[request_count++] = request;
}

/* Ends the oldest message. status 0: it was dropped. */
static void end_message(int status)
{
	struct outbound_request *request = requests[0];

	memmove(requests, requests + 1, --request_count * sizeof(requests[0]));
	request->status = status;
	request->is_dropped = status == 0;
	request->done(request);
}

/* ---- scene ---- */

static int begin(void **state)
{
	char text[WEBHOOK_SECRET_LENGTH + 1];

	script_begin(state);
	request_count = 0;
	webhook_secret_new(&key, id_of(1), text, &secret);
	hooks = hooks_create(&(struct hooks_settings){
	    .loop = &script_loop, .db = script_db, .outbound = outbound, .key = &key});
	return 0;
}

static int end(void **state)
{
	hooks_drain(hooks);
	while (request_count)
		end_message(0);
	for (enum statement i = 0; i < STATEMENT_COUNT; i++)
		answer_all(i, DB_UNAVAILABLE);
	assert_false(hooks_are_at_work(hooks));
	hooks_destroy(hooks);
	buffer_finish(&secret);
	return script_end(state);
}

static struct id id_parameter(enum statement statement, unsigned number)
{
	const struct db_query *query = asked(statement);
	struct id id;

	memcpy(id.bytes, query->parameters.values[number], ID_BYTES);
	return id;
}

/* Answer to a lease. */
struct lease {
	unsigned due;	 /* webhook with a message; 0: none is due */
	unsigned after;	 /* ID after which the next part begins; 0: the last part */
	int64_t wait_ms; /* until one is due; 0: a minute */
	bool is_empty;	 /* there is no webhook */
};

static void add_id(unsigned number)
{
	add_bytes(number ? id_of(number).bytes : (struct id){0}.bytes, ID_BYTES);
}

static void add_lease_column(const char *column, const struct lease *lease)
{
	if (strcmp(column, "has_webhooks") == 0)
		add_bool(!lease->is_empty);
	else if (strcmp(column, "is_local_closed") == 0 || strcmp(column, "is_marked") == 0)
		add_bool(false);
	else if (strcmp(column, "next_after") == 0)
		add_id(lease->after);
	else if (strcmp(column, "id") == 0)
		add_id(lease->due ? 1 : 0);
	else if (strcmp(column, "account_id") == 0 || strcmp(column, "message_id") == 0)
		add_id(lease->due);
	else if (strcmp(column, "secret") == 0)
		add_bytes(buffer_view(&secret).data, buffer_length(&secret));
	else if (strcmp(column, "previous_secret") == 0)
		add_value_text("");
	else if (strcmp(column, "url") == 0 || strcmp(column, "body") == 0)
		add_value_text("https://example.org");
	else if (strcmp(column, "wait_ms") == 0)
		add_integer(lease->wait_ms ? lease->wait_ms : 60000);
	else
		add_integer(1);
}

static void answer_lease(struct lease lease)
{
	const struct statement_entry *entry = &statements[STATEMENT_WEBHOOK_LEASE];

	begin_rows(entry->column_count);
	for (unsigned i = 0; i < entry->column_count; i++)
		add_lease_column(entry->column_names[i], &lease);
	answer(asked(STATEMENT_WEBHOOK_LEASE));
	run_turns();
}

/* Answers the upkeep of a look, which finds nothing. */
static void answer_upkeep(void)
{
	answer_nothing(asked(STATEMENT_WEBHOOK_ONLINE), DB_OK);
	answer_nothing(asked(STATEMENT_WEBHOOK_TRIM), DB_OK);
}

static bool looks(void)
{
	return asked_count(STATEMENT_WEBHOOK_LEASE) + asked_count(STATEMENT_WEBHOOK_ONLINE) > 0;
}

static void assert_looks_after(uint64_t ms)
{
	pass_ms(ms - 1);
	assert_false(looks());
	pass_ms(1);
	assert_true(looks());
}

/* Lets the first look find webhooks of which none is due; its upkeep follows in 2 s at most. */
static void find_webhooks(void)
{
	hint("webhook:changed");
	pass_ms(30);
	answer_upkeep();
	answer_lease((struct lease){0});
}

#define SCENE(function) TEST_IN(function, begin, end)

/* ---- when it looks ---- */

SCENE(it_looks_seldom_while_there_are_none)
{
	assert_looks_after(1000);
	answer_lease((struct lease){.is_empty = true});
	assert_looks_after(30 * 1000);
	answer_lease((struct lease){0});
	/* There are some: at once after, it checks which panels are online. */
	assert_looks_after(1);
	assert_int_equal(asked_count(STATEMENT_WEBHOOK_ONLINE), 1);
	answer_upkeep();
	answer_lease((struct lease){0});
	assert_looks_after(2000);
}

SCENE(it_looks_when_the_next_is_due)
{
	find_webhooks();
	hint("webhook:due");
	pass_ms(30);
	answer_lease((struct lease){.wait_ms = 700});
	assert_looks_after(701);
	answer_lease((struct lease){.wait_ms = 5000});
	assert_looks_after(2000 - 701 - 30); /* the time of the upkeep */
	answer_upkeep();
	answer_lease((struct lease){.wait_ms = 5000});
	assert_looks_after(2000);
}

SCENE(hints_bring_it_soon_and_never_later)
{
	find_webhooks();
	for (unsigned i = 0; i < 3; i++) {
		hint("webhook:due");
		pass_ms(9);
	}
	assert_false(looks());
	pass_ms(3);
	assert_int_equal(asked_count(STATEMENT_WEBHOOK_LEASE), 1);
	/* A hint while the query is under way may be of what it has not seen. */
	hint("webhook:due");
	answer_lease((struct lease){.wait_ms = 60000});
	assert_looks_after(30);
	answer_lease((struct lease){0});
	pass_ms(1000);
	assert_false(looks());
}

SCENE(a_lost_database_is_asked_each_second)
{
	set_database_up(false);
	pass_ms(10 * 1000);
	assert_false(looks());
	set_database_up(true);
	pass_ms(1000);
	answer_nothing(asked(STATEMENT_WEBHOOK_LEASE), DB_UNAVAILABLE);
	assert_looks_after(1000);
}

/* ---- turns ---- */

/* All that wait are looked at, part after part, before it pauses; then from the first on. */
SCENE(those_beyond_the_first_part_have_their_turn)
{
	find_webhooks();
	for (unsigned round = 0; round < 2; round++) {
		hint("webhook:due");
		pass_ms(30);
		assert_true(id_is_none(id_parameter(STATEMENT_WEBHOOK_LEASE, 3)));
		answer_lease((struct lease){.after = 100});
		assert_true(id_equal(id_parameter(STATEMENT_WEBHOOK_LEASE, 3), id_of(100)));
		/* After a message it looks at the same part again: others of it may be due. */
		answer_lease((struct lease){.due = 150, .after = 200});
		assert_true(id_equal(id_parameter(STATEMENT_WEBHOOK_LEASE, 3), id_of(100)));
		answer_lease((struct lease){.after = 200});
		assert_true(id_equal(id_parameter(STATEMENT_WEBHOOK_LEASE, 3), id_of(200)));
		answer_lease((struct lease){0});
		assert_false(looks());
	}
	assert_int_equal(request_count, 2);
}

SCENE(so_many_messages_are_under_way)
{
	find_webhooks();
	hint("webhook:due");
	pass_ms(30);
	for (unsigned i = 0; i < UNDER_WAY; i++)
		answer_lease((struct lease){.due = 1 + i});
	assert_int_equal(request_count, UNDER_WAY);
	hint("webhook:due");
	pass_ms(1000);
	assert_false(looks());
	end_message(204);
	answer_all(STATEMENT_WEBHOOK_SENT, DB_OK);
	assert_looks_after(30);
}

/* Other webhooks of a worker have their turns though the upkeep finds more and more to do. */
SCENE(upkeep_leaves_room_for_messages)
{
	find_webhooks();
	pass_ms(2000);
	for (unsigned i = 0; i <= IN_A_ROW; i++) {
		assert_int_equal(asked_count(STATEMENT_WEBHOOK_ONLINE), 1);
		begin_rows(1);
		add_integer(1);
		answer(asked(STATEMENT_WEBHOOK_ONLINE));
	}
	/* The row limit of trims is not used up by the checks: both count together. */
	begin_rows(1);
	add_integer(1);
	answer(asked(STATEMENT_WEBHOOK_TRIM));
	assert_int_equal(asked_count(STATEMENT_WEBHOOK_LEASE), 1);
	answer_lease((struct lease){0});
	assert_looks_after(100); /* the rest of the upkeep */
	assert_int_equal(asked_count(STATEMENT_WEBHOOK_ONLINE), 1);
	answer_upkeep();
	answer_lease((struct lease){0});
	assert_looks_after(2000);
}

/* ---- results ---- */

static int64_t int_parameter(enum statement statement, unsigned number)
{
	const struct db_query *query = asked(statement);
	uint32_t bits;

	assert_int_equal(query->parameters.lengths[number], sizeof(bits));
	memcpy(&bits, query->parameters.values[number], sizeof(bits));
	return (int32_t)be32toh(bits);
}

static void lease_one(void)
{
	hint("webhook:due");
	pass_ms(30);
	answer_lease((struct lease){.due = 1});
	answer_lease((struct lease){0});
	assert_int_equal(request_count, 1);
}

/* The result is noted with the lease by which it was sent: another worker's lease has its own. */
SCENE(a_result_is_noted_with_its_lease)
{
	static const int statuses[] = {204, 299, 300, 500, 199};
	struct id lease;

	find_webhooks();
	for (unsigned i = 0; i < array_length(statuses); i++) {
		hint("webhook:due");
		pass_ms(30);
		lease = id_parameter(STATEMENT_WEBHOOK_LEASE, 0);
		answer_lease((struct lease){.due = 1});
		answer_lease((struct lease){0});
		end_message(statuses[i]);
		assert_true(id_equal(id_parameter(STATEMENT_WEBHOOK_SENT, 0), id_of(1)));
		assert_true(id_equal(id_parameter(STATEMENT_WEBHOOK_SENT, 1), lease));
		assert_int_equal(*asked(STATEMENT_WEBHOOK_SENT)->parameters.values[2],
				 i < 2 ? 1 : 0);
		assert_int_equal(int_parameter(STATEMENT_WEBHOOK_SENT, 3), statuses[i]);
		answer_nothing(asked(STATEMENT_WEBHOOK_SENT), DB_OK);
	}
}

SCENE(a_message_that_was_not_sent_is_given_back)
{
	struct id lease;

	find_webhooks();
	lease_one();
	end_message(0);
	assert_int_equal(asked_count(STATEMENT_WEBHOOK_SENT), 0);
	answer_nothing(asked(STATEMENT_WEBHOOK_FREE), DB_OK);
	/* A lease that comes while the worker ends. */
	pass_ms(30);
	lease = id_parameter(STATEMENT_WEBHOOK_LEASE, 0);
	hooks_drain(hooks);
	assert_true(hooks_are_at_work(hooks));
	answer_lease((struct lease){.due = 1, .after = 100});
	assert_int_equal(request_count, 0);
	assert_true(id_equal(id_parameter(STATEMENT_WEBHOOK_FREE, 1), lease));
	answer_nothing(asked(STATEMENT_WEBHOOK_FREE), DB_OK);
	assert_false(hooks_are_at_work(hooks));
	assert_int_equal(next_deadline_ms(), UINT64_MAX);
}

int main(void)
{
	return sodium_init() < 0 ? 1 : run_all_tests(NULL, NULL);
}
