#include "batch.h"
#include "base/clock.h"

struct batch *batch_create(struct list *queries, unsigned max)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));
	struct list *first;

	batch->sent_us = clock_monotonic_us();
	list_init(&batch->queries);
	list_init(&batch->skipped);
	list_init(&batch->written);
	while (batch->count < max && (first = list_take_first(queries))) {
		list_append(&batch->queries, first);
		batch->count++;
	}
	return batch;
}

static int compare_keys(const struct list *a, const struct list *b)
{
	const struct db_parameters *x = &container_of(a, struct db_query, node)->parameters;
	const struct db_parameters *y = &container_of(b, struct db_query, node)->parameters;
	int length = x->lengths[0] < y->lengths[0] ? x->lengths[0] : y->lengths[0];
	int order = memcmp(x->values[0], y->values[0], (size_t)length);

	return order ? order : x->lengths[0] - y->lengths[0];
}

void batch_sort(struct batch *batch)
{
	struct list sorted;
	struct list *node;

	if (batch->count == 1)
		return;
	list_init(&sorted);
	while ((node = list_take_first(&batch->queries))) {
		struct list *before = sorted.previous;

		while (before != &sorted && compare_keys(before, node) > 0)
			before = before->previous;
		list_append(before->next, node);
	}
	list_move_all(&batch->queries, &sorted);
}
