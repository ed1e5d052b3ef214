#include "batched_read.h"
#include "base/memory.h"

#include <endian.h>
#include <stdlib.h>

struct batched_read *batched_read_of(struct db_query *query)
{
	return container_of(query, struct batched_read, query);
}

static struct db_query *query_of(struct list *node)
{
	return container_of(node, struct db_query, node);
}

/* Whether both can be in one batched read. Arrays of keys have no NULL. */
static bool is_like(const struct db_query *query, const struct db_query *first)
{
	return !query->is_batched && query->statement == first->statement &&
	       query->parameters.count == 1 && query->parameters.values[0];
}

/* Replaces the first query by a batched read of it and later queries like it. Returns NULL, and
 * changes nothing, if there are none. */
static struct batched_read *batch_like(struct list *queries, struct db_query *first)
{
	struct list *node = first->node.next;
	struct batched_read *batched;

	while (node != queries && !is_like(query_of(node), first))
		node = node->next;
	if (node == queries)
		return NULL;
	batched = memory_zalloc(sizeof(*batched));
	batched->query.is_batched = true;
	batched->query.statement = first->statement;
	list_init(&batched->members);
	list_append(&first->node, &batched->query.node);
	for (struct list *next = &first->node; next != queries;) {
		struct db_query *query = query_of(next);

		next = next->next;
		if (batched->member_count == BATCHED_READ_MAX || !is_like(query, first))
			continue;
		list_remove(&query->node);
		list_append(&batched->members, &query->node);
		batched->member_count++;
	}
	return batched;
}

void batch_reads(struct list *queries, const struct statement_entry *table)
{
	for (struct list *node = queries->next; node != queries; node = node->next) {
		struct db_query *first = query_of(node);
		bool can_batch = table[first->statement].batched_by && is_like(first, first);
		struct batched_read *batched = can_batch ? batch_like(queries, first) : NULL;

		if (batched)
			node = &batched->query.node;
	}
}

static void put_number(struct buffer *array, uint32_t number)
{
	uint32_t big_endian = htobe32(number);

	buffer_append(array, &big_endian, sizeof(big_endian));
}

void batched_read_keys(const struct batched_read *batched, const struct statement_entry *table,
		       struct buffer *array)
{
	put_number(array, 1); /* dimensions */
	put_number(array, 0); /* holds no NULL */
	put_number(array, table[batched->query.statement].parameter_types[0]);
	put_number(array, batched->member_count);
	put_number(array, 1); /* first index */
	list_for_each (node, &batched->members) {
		const struct db_parameters *parameters =
		    &container_of(node, struct db_query, node)->parameters;

		put_number(array, (uint32_t)parameters->lengths[0]);
		buffer_append(array, parameters->values[0], (size_t)parameters->lengths[0]);
	}
}

/* Returns the last column of a row: the index of its key in the array, from 1. 0: the column is
 * invalid. */
static unsigned member_of(const PGresult *rows, int row, unsigned max)
{
	int column = PQnfields(rows) - 1;
	uint64_t number;

	if (column < 0 || PQgetisnull(rows, row, column) ||
	    PQgetlength(rows, row, column) != sizeof(number))
		return 0;
	memcpy(&number, PQgetvalue(rows, row, column), sizeof(number));
	number = be64toh(number);
	return number <= max ? (unsigned)number : 0;
}

bool batched_read_share(const struct batched_read *batched, const PGresult *rows,
			struct db_result ret_results[static BATCHED_READ_MAX])
{
	for (unsigned i = 0; i < batched->member_count; i++)
		ret_results[i] = (struct db_result){
		    .outcome = DB_OK,
		    .rows = rows,
		    .column_count = (unsigned)PQnfields(rows) - 1,
		};
	for (int row = 0; row < PQntuples(rows); row++) {
		unsigned number = member_of(rows, row, batched->member_count);
		struct db_result *result = &ret_results[number ? number - 1 : 0];

		if (number == 0)
			return false;
		if (result->row_count == 0)
			result->first_row = (unsigned)row;
		else if (result->first_row + result->row_count != (unsigned)row)
			return false;
		result->row_count++;
	}
	return true;
}

struct db_query *batched_read_take(struct batched_read *batched)
{
	struct list *node = list_take_first(&batched->members);

	if (node)
		return query_of(node);
	free(batched);
	return NULL;
}
