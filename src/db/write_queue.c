#include "write_queue.h"

#include <stdlib.h>

/* Returns a write's key; empty: it has none. */
static struct str key_of(const struct db_query *query)
{
	const struct db_parameters *parameters = &query->parameters;

	if (!parameters->count || !parameters->values[0] || parameters->lengths[0] > LINE_KEY_MAX)
		return (struct str){0};
	return (struct str){parameters->values[0], (size_t)parameters->lengths[0]};
}

struct write_queue *write_queue_of(struct write_queues *queues, struct db_query *query)
{
	struct str key = key_of(query);
	struct map_node *node = key.length ? map_find(&queues->map, key) : NULL;
	struct write_queue *queue;

	if (node)
		return container_of(node, struct write_queue, node);
	queue = memory_zalloc(sizeof(*queue));
	list_init(&queue->turn);
	list_init(&queue->queries);
	list_init(&queue->returned);
	queue->account_id = query->account_id;
	if (key.length) {
		memcpy(queue->key, key.data, key.length);
		map_insert(&queues->map, &queue->node,
			   (struct str){(const char *)queue->key, key.length});
		queue->is_mapped = true;
	}
	return queue;
}

void write_queue_destroy(struct write_queues *queues, struct write_queue *queue)
{
	list_remove(&queue->turn);
	if (queue->is_mapped)
		map_remove(&queues->map, &queue->node);
	free(queue);
}

void write_queues_finish(struct write_queues *queues)
{
	map_finish(&queues->map);
}

void write_queue_append(struct write_queue *queue, struct db_query *query)
{
	query->queue = queue;
	queue->count++;
	list_append(&queue->queries, &query->node);
}

void write_queue_return(struct write_queue *queue, struct db_query *query)
{
	queue->under_way--;
	queue->count++;
	list_append(&queue->returned, &query->node);
}

static void order(struct write_queue *queue)
{
	list_move_all(&queue->returned, &queue->queries);
	list_move_all(&queue->queries, &queue->returned);
}

struct db_query *write_queue_take(struct write_queue *queue)
{
	struct db_query *query = write_queue_first(queue);

	if (!query)
		return NULL;
	list_remove(&query->node);
	queue->count--;
	return query;
}

struct db_query *write_queue_first(struct write_queue *queue)
{
	order(queue);
	if (list_is_empty(&queue->queries))
		return NULL;
	return container_of(queue->queries.next, struct db_query, node);
}

struct write_queue *write_queue_at(struct list *turn)
{
	return container_of(turn, struct write_queue, turn);
}
