#include "preview_accounts.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
	SECOND_US = 1000 * 1000,
	KINDS = ENGINE_COMPILE + 1,
	RUN_PART = 4, /* divisor: the part of its time that an account's runs may take */
	SLOW_US = 2 * SECOND_US,
	RUN_MAX_US = 30 * SECOND_US, /* of a script, by its limit */
	PAUSE_MAX_US = RUN_PART * RUN_MAX_US,
};

struct preview_account {
	struct map_node by_id;
	struct list by_use;
	struct id id;
	uint64_t limited_until_us[KINDS]; /* 0: not limited */
	uint64_t paused_until_us;	  /* when its runs will be compensated */
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

void preview_accounts_init(struct preview_accounts *accounts)
{
	*accounts = (struct preview_accounts){0};
	list_init(&accounts->by_use);
}

static void forget(struct preview_accounts *accounts, struct list *by_use)
{
	struct preview_account *account = container_of(by_use, struct preview_account, by_use);

	map_remove(&accounts->by_id, &account->by_id);
	list_remove(&account->by_use);
	free(account);
}

void preview_accounts_finish(struct preview_accounts *accounts)
{
	list_for_each (node, &accounts->by_use)
		forget(accounts, node);
	map_finish(&accounts->by_id);
}

static struct preview_account *find(const struct preview_accounts *accounts, struct id id)
{
	struct map_node *node = map_find(&accounts->by_id, id_view(&id));

	return node ? container_of(node, struct preview_account, by_id) : NULL;
}

static struct preview_account *use(struct preview_accounts *accounts, struct id id)
{
	struct preview_account *account = find(accounts, id);

	if (account) {
		list_remove(&account->by_use);
	} else {
		if (accounts->by_id.count == PREVIEW_ACCOUNTS_MAX)
			forget(accounts, accounts->by_use.next);
		account = memory_zalloc(sizeof(*account));
		account->id = id;
		list_init(&account->by_use);
		map_insert(&accounts->by_id, &account->by_id, id_view(&account->id));
	}
	list_append(&accounts->by_use, &account->by_use);
	return account;
}

bool preview_is_limited(const struct preview_accounts *accounts, struct id id,
			enum engine_what what, uint64_t now_us)
{
	const struct preview_account *account = find(accounts, id);

	return account && account->limited_until_us[what] > now_us;
}

bool preview_is_slow(const struct preview_accounts *accounts, struct id id, uint64_t now_us)
{
	const struct preview_account *account = find(accounts, id);

	return account && account->paused_until_us > now_us + SLOW_US * RUN_PART;
}

void preview_note(struct preview_accounts *accounts, struct id id, enum engine_what what,
		  enum engine_problem_kind problem, uint64_t cost_us, uint64_t now_us)
{
	struct preview_account *account = use(accounts, id);

	if (account->paused_until_us < now_us)
		account->paused_until_us = now_us;
	account->paused_until_us += cost_us * RUN_PART;
	if (account->paused_until_us > now_us + PAUSE_MAX_US)
		account->paused_until_us = now_us + PAUSE_MAX_US;
	/* A success does not end the limit: a script could return at once to lift it. */
	if (problem != ENGINE_LIMIT && problem != ENGINE_CRASH)
		return;
	account->limited_until_us[what] = now_us + (uint64_t)PREVIEW_LIMITED_FOR_S * SECOND_US;
	/* Four accounts that share two processes take a quarter of the time each, and no more. */
	account->paused_until_us = now_us + PAUSE_MAX_US;
}
