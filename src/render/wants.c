#include "wants.h"
#include "base/require.h"

#include <stdlib.h>
#include <string.h>

struct want_account {
	struct map_node by_id;
	struct id id;
	struct fair_flow flow;
	struct list later; /* of struct want */
	unsigned count;
	unsigned current; /* in the queue or under way */
};

static struct str key_view(const uint8_t key[static WANT_KEY_BYTES])
{
	return (struct str){(const char *)key, WANT_KEY_BYTES};
}

static void write_key(const struct upcoming_app *app, uint8_t ret_key[static WANT_KEY_BYTES])
{
	int64_t moment_s = app->is_each_turn ? app->moment_s : 0;

	memcpy(ret_key, app->place, PLACE_BYTES);
	memcpy(ret_key + PLACE_BYTES, &moment_s, sizeof(moment_s));
}

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

void wants_init(struct wants *wants, unsigned max)
{
	*wants = (struct wants){.max = max};
	fair_queue_init(&wants->queue);
}

static struct want_account *account_of(struct wants *wants, struct id id)
{
	struct map_node *node = map_find(&wants->by_account, id_view(&id));
	struct want_account *account;

	if (node)
		return container_of(node, struct want_account, by_id);
	account = memory_zalloc(sizeof(*account));
	account->id = id;
	fair_flow_init(&account->flow);
	list_init(&account->later);
	map_insert(&wants->by_account, &account->by_id, id_view(&account->id));
	return account;
}

static void let_go(struct wants *wants, struct want_account *account)
{
	if (account->count)
		return;
	fair_flow_finish(&account->flow);
	map_remove(&wants->by_account, &account->by_id);
	free(account);
}

static void give_turn(struct wants *wants, struct want *want)
{
	want->account->current++;
	fair_queue_add(&wants->queue, &want->account->flow, &want->node);
}

static void repeat(struct want *want, const struct upcoming_app *app, uint64_t now_ms)
{
	want->asked_ms = now_ms;
	if (!want->is_under_way)
		want->app.version_id = app->version_id;
}

bool wants_add(struct wants *wants, const struct upcoming_app *app, uint64_t now_ms)
{
	uint8_t key[WANT_KEY_BYTES];
	struct want_account *account;
	struct map_node *node;
	struct want *want;

	write_key(app, key);
	node = map_find(&wants->by_place, key_view(key));
	if (node) {
		repeat(container_of(node, struct want, by_place), app, now_ms);
		return true;
	}
	account = account_of(wants, app->account_id);
	if (account->count >= wants->max - wants->count) {
		let_go(wants, account);
		return false;
	}
	want = memory_zalloc(sizeof(*want));
	want->app = *app;
	want->account = account;
	want->asked_ms = now_ms;
	account->count++;
	wants->count++;
	list_init(&want->node);
	memcpy(want->key, key, sizeof(key));
	map_insert(&wants->by_place, &want->by_place, key_view(want->key));
	if (account->current < WANTS_OF_ACCOUNT_MAX)
		give_turn(wants, want);
	else
		list_append(&account->later, &want->node);
	return true;
}

static struct want *take(struct wants *wants)
{
	struct list *node = fair_queue_take(&wants->queue);

	return node ? container_of(node, struct want, node) : NULL;
}

struct want *wants_take(struct wants *wants, uint64_t now_ms)
{
	struct want *want;

	while ((want = take(wants))) {
		if (now_ms - want->asked_ms <= WANT_MS) {
			want->is_under_way = true;
			return want;
		}
		want_end(wants, want);
	}
	return NULL;
}

void want_end(struct wants *wants, struct want *want)
{
	struct want_account *account = want->account;
	struct list *next = list_take_first(&account->later);

	account->current--;
	if (next)
		give_turn(wants, container_of(next, struct want, node));
	map_remove(&wants->by_place, &want->by_place);
	free(want);
	wants->count--;
	account->count--;
	let_go(wants, account);
}

void wants_finish(struct wants *wants)
{
	struct want *want;

	while ((want = take(wants)))
		want_end(wants, want);
	require(wants->count == 0);
	map_finish(&wants->by_place);
	map_finish(&wants->by_account);
}
