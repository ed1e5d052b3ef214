#include "attempt_hints.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "db/hint_text.h"

#include <stdlib.h>

struct attempt_hints {
	struct hint_subscription words;
	struct db *db;
	struct rate_table *table;
	struct id instance;
	const struct rate_policy *const *policies;
	unsigned policy_count;
};

/* Token of a word: of many workers that hear it, one takes it. */
static const struct rate_policy of_word = {.name = "att-word", .burst = 1, .seconds_each = 60};

static const struct rate_policy *policy_of(const struct attempt_hints *hints, struct str name)
{
	for (unsigned i = 0; i < hints->policy_count; i++)
		if (str_equal(name, str_from(hints->policies[i]->name)))
			return hints->policies[i];
	return NULL;
}

static void take_all(const struct attempt_hints *hints, struct str tokens)
{
	uint64_t now_us = clock_monotonic_us();
	const struct rate_policy *policy;
	struct str token, name;
	struct id id;

	while (str_next(&tokens, ',', &token)) {
		if (!str_next(&token, '=', &name) || !id_parse(token, &id))
			continue;
		policy = policy_of(hints, name);
		if (policy)
			(void)rate_take(hints->table, policy, id, now_us);
	}
}

static void on_word(struct hint_subscription *subscription, struct str text)
{
	struct attempt_hints *hints = container_of(subscription, struct attempt_hints, words);
	struct str fields[3];
	struct id instance, number;

	if (!hint_split(text, fields, 3) || !id_parse(fields[0], &instance) ||
	    !id_parse(fields[1], &number) || id_equal(instance, hints->instance))
		return;
	if (rate_take(hints->table, &of_word, number, clock_monotonic_us()).is_allowed)
		take_all(hints, fields[2]);
}

void attempt_hints_send(struct attempt_hints *hints, const struct attempt_token *tokens,
			unsigned count)
{
	char text[ID_TEXT_LENGTH + 1];
	struct buffer word = {0};

	if (!count)
		return;
	id_format(hints->instance, text);
	buffer_printf(&word, "failed:%s", text);
	id_format(id_new(), text);
	buffer_printf(&word, ":%s:", text);
	for (unsigned i = 0; i < count; i++) {
		id_format(tokens[i].id, text);
		buffer_printf(&word, "%s%s=%s", i ? "," : "", tokens[i].policy->name, text);
	}
	db_hint(hints->db, buffer_view(&word));
	buffer_finish(&word);
}

struct attempt_hints *attempt_hints_create(const struct attempt_hints_settings *settings)
{
	struct attempt_hints *hints = memory_zalloc(sizeof(*hints));

	hints->db = settings->db;
	hints->table = settings->table;
	hints->instance = settings->instance;
	hints->policies = settings->policies;
	hints->policy_count = settings->policy_count;
	hints->words = (struct hint_subscription){.kind = STR("failed"), .on_hint = on_word};
	db_subscribe(hints->db, &hints->words);
	return hints;
}

void attempt_hints_destroy(struct attempt_hints *hints)
{
	db_unsubscribe(&hints->words);
	free(hints);
}
