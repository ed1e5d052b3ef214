#include "line.h"

#include <stdlib.h>

/* No bytes: it has none. */
static struct str key_of(const struct db_query *query)
{
	const struct db_parameters *parameters = &query->parameters;

	if (!parameters->count || !parameters->values[0] || parameters->lengths[0] > LINE_KEY_MAX)
		return (struct str){0};
	return (struct str){parameters->values[0], (size_t)parameters->lengths[0]};
}

struct write_line *line_of(struct lines *lines, struct db_query *query)
{
	struct str key = key_of(query);
	struct map_node *node = key.length ? map_find(&lines->map, key) : NULL;
	struct write_line *line;

	if (node)
		return container_of(node, struct write_line, node);
	line = memory_zalloc(sizeof(*line));
	list_init(&line->turn);
	list_init(&line->queries);
	list_init(&line->returned);
	line->account_id = query->account_id;
	if (key.length) {
		memcpy(line->key, key.data, key.length);
		map_insert(&lines->map, &line->node,
			   (struct str){(const char *)line->key, key.length});
		line->is_mapped = true;
	}
	return line;
}

void line_destroy(struct lines *lines, struct write_line *line)
{
	list_remove(&line->turn);
	if (line->is_mapped)
		map_remove(&lines->map, &line->node);
	free(line);
}

void lines_finish(struct lines *lines)
{
	map_finish(&lines->map);
}

void line_append(struct write_line *line, struct db_query *query)
{
	query->line = line;
	line->count++;
	list_append(&line->queries, &query->node);
}

void line_return(struct write_line *line, struct db_query *query)
{
	line->under_way--;
	line->count++;
	list_append(&line->returned, &query->node);
}

static void order(struct write_line *line)
{
	list_move_all(&line->returned, &line->queries);
	list_move_all(&line->queries, &line->returned);
}

struct db_query *line_take(struct write_line *line)
{
	struct db_query *query = line_first(line);

	if (!query)
		return NULL;
	list_remove(&query->node);
	line->count--;
	return query;
}

struct db_query *line_first(struct write_line *line)
{
	order(line);
	if (list_is_empty(&line->queries))
		return NULL;
	return container_of(line->queries.next, struct db_query, node);
}

struct write_line *line_at(struct list *turn)
{
	return container_of(turn, struct write_line, turn);
}
