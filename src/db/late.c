#include "late.h"
#include "failures.h"

static void on_later(struct later *later)
{
	struct late *late = container_of(later, struct late, later);
	struct list queries;
	struct list *node;

	list_init(&queries);
	list_move_all(&queries, &late->queries);
	while ((node = list_take_first(&queries))) {
		struct db_query *query = container_of(node, struct db_query, node);
		const struct db_result result = {.outcome = query->late_outcome};

		failures_count(result.outcome, late->storage);
		query->done(query, &result);
	}
}

void late_init(struct late *late, struct loop *loop)
{
	late->loop = loop;
	list_init(&late->queries);
	loop_later_init(&late->later, on_later);
}

void late_answer(struct late *late, struct db_query *query, enum db_outcome outcome)
{
	query->late_outcome = outcome;
	list_append(&late->queries, &query->node);
	loop_later(late->loop, &late->later);
}

bool late_is_idle(const struct late *late)
{
	return list_is_empty(&late->queries);
}

void late_finish(struct late *late)
{
	loop_later_cancel(&late->later);
}
