#include "gather.h"
#include "base/memory.h"

#include <endian.h>
#include <stdlib.h>

struct gather *gather_of(struct db_query *query)
{
	return container_of(query, struct gather, query);
}

static struct db_query *query_of(struct list *node)
{
	return container_of(node, struct db_query, node);
}

/* Whether both can be in one gather. Arrays of keys have no NULL. */
static bool is_like(const struct db_query *query, const struct db_query *first)
{
	return !query->gathers && query->statement == first->statement &&
	       query->parameters.count == 1 && query->parameters.values[0];
}

/* Replaces the first query by a gather that holds it and the later queries that are like it. NULL,
 * and nothing has changed, where there are none. */
static struct gather *gather_like(struct list *queries, struct db_query *first)
{
	struct list *node = first->node.next;
	struct gather *gather;

	while (node != queries && !is_like(query_of(node), first))
		node = node->next;
	if (node == queries)
		return NULL;
	gather = memory_zalloc(sizeof(*gather));
	gather->query.gathers = true;
	gather->query.statement = first->statement;
	list_init(&gather->members);
	list_append(&first->node, &gather->query.node);
	for (struct list *next = &first->node; next != queries;) {
		struct db_query *query = query_of(next);

		next = next->next;
		if (gather->member_count == GATHER_MAX || !is_like(query, first))
			continue;
		list_remove(&query->node);
		list_append(&gather->members, &query->node);
		gather->member_count++;
	}
	return gather;
}

void gather_queries(struct list *queries, const struct statement_entry *table)
{
	for (struct list *node = queries->next; node != queries; node = node->next) {
		struct db_query *first = query_of(node);
		bool can_gather = table[first->statement].gathered_by && is_like(first, first);
		struct gather *gather = can_gather ? gather_like(queries, first) : NULL;

		if (gather)
			node = &gather->query.node;
	}
}

static void put_number(struct buffer *array, uint32_t number)
{
	uint32_t big_endian = htobe32(number);

	buffer_append(array, &big_endian, sizeof(big_endian));
}

void gather_keys(const struct gather *gather, const struct statement_entry *table,
		 struct buffer *array)
{
	put_number(array, 1); /* dimensions */
	put_number(array, 0); /* holds no NULL */
	put_number(array, table[gather->query.statement].parameter_types[0]);
	put_number(array, gather->member_count);
	put_number(array, 1); /* first index */
	list_for_each (node, &gather->members) {
		const struct db_parameters *parameters =
		    &container_of(node, struct db_query, node)->parameters;

		put_number(array, (uint32_t)parameters->lengths[0]);
		buffer_append(array, parameters->values[0], (size_t)parameters->lengths[0]);
	}
}

/* The last column of a row: the place of its key in the array, from 1. 0: the column is no such
 * number. */
static unsigned place_of(const PGresult *rows, int row, unsigned max)
{
	int column = PQnfields(rows) - 1;
	uint64_t place;

	if (column < 0 || PQgetisnull(rows, row, column) ||
	    PQgetlength(rows, row, column) != sizeof(place))
		return 0;
	memcpy(&place, PQgetvalue(rows, row, column), sizeof(place));
	place = be64toh(place);
	return place <= max ? (unsigned)place : 0;
}

bool gather_share(const struct gather *gather, const PGresult *rows,
		  struct db_result ret_results[static GATHER_MAX])
{
	for (unsigned i = 0; i < gather->member_count; i++)
		ret_results[i] = (struct db_result){
		    .outcome = DB_OK,
		    .rows = rows,
		    .column_count = (unsigned)PQnfields(rows) - 1,
		};
	for (int row = 0; row < PQntuples(rows); row++) {
		unsigned place = place_of(rows, row, gather->member_count);
		struct db_result *result = &ret_results[place ? place - 1 : 0];

		if (place == 0)
			return false;
		if (result->row_count == 0)
			result->first_row = (unsigned)row;
		else if (result->first_row + result->row_count != (unsigned)row)
			return false;
		result->row_count++;
	}
	return true;
}

struct db_query *gather_take(struct gather *gather)
{
	struct list *node = list_take_first(&gather->members);

	if (node)
		return query_of(node);
	free(gather);
	return NULL;
}
