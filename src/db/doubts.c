#include "doubts.h"
#include "base/memory.h"
#include "changes.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_BYTES = ID_BYTES + 1 };

static struct doubt *doubt_of(struct list *node)
{
	return container_of(node, struct doubt, node);
}

static void collect(void *context, struct id id, bool is_hinted)
{
	struct doubt *doubt = context;

	buffer_append(&doubt->rows, id.bytes, ID_BYTES);
	buffer_append_char(&doubt->rows, (char)is_hinted);
}

static void collect_all(void *context)
{
	struct doubt *doubt = context;

	doubt->is_all = true;
}

static struct doubt *doubt_create(void)
{
	struct doubt *doubt = memory_zalloc(sizeof(*doubt));

	list_init(&doubt->node);
	return doubt;
}

void doubt_add(struct doubt **doubt, const struct statement_entry *statement,
	       const struct db_query *query)
{
	if (statement->change_count == 0)
		return;
	if (!*doubt)
		*doubt = doubt_create();
	changes_notify(&(struct change_listener){.on_change = collect,
						 .on_all = collect_all,
						 .context = *doubt},
		       statement, query, NULL);
}

void doubt_destroy(struct doubt *doubt)
{
	if (!doubt)
		return;
	list_remove(&doubt->node);
	buffer_finish(&doubt->rows);
	free(doubt);
}

static void report(const struct doubts *doubts, const struct doubt *doubt)
{
	const struct change_listener *listener = doubts->listener;
	struct str rows = buffer_view(&doubt->rows);
	struct id id;

	for (size_t at = 0; at < rows.length && listener->on_change; at += ROW_BYTES) {
		memcpy(id.bytes, rows.data + at, ID_BYTES);
		listener->on_change(listener->context, id, rows.data[at + ID_BYTES]);
	}
	if (doubt->is_all && listener->on_all)
		listener->on_all(listener->context);
}

static void mark(const struct doubts *doubts, const struct doubt *doubt, bool is_in_doubt)
{
	const struct change_listener *listener = doubts->listener;
	struct str rows = buffer_view(&doubt->rows);
	struct id id;

	for (size_t at = 0; at < rows.length && listener->on_doubt; at += ROW_BYTES) {
		memcpy(id.bytes, rows.data + at, ID_BYTES);
		listener->on_doubt(listener->context, id, is_in_doubt);
	}
}

static void end(struct doubts *doubts, struct doubt *doubt)
{
	report(doubts, doubt);
	mark(doubts, doubt, false);
	writer_note(doubt->slot, (struct backend){0});
	doubts->count--;
	doubts->is_overfull &= doubts->count > 0;
	doubt_destroy(doubt);
}

void doubts_init(struct doubts *doubts)
{
	list_init(&doubts->list);
}

static struct writer_slot *free_slot(struct writers *writers)
{
	for (unsigned i = WRITER_DOUBTS; writers && i < WRITER_SLOTS; i++)
		if (!writer_noted(writers_slot(writers, i)))
			return writers_slot(writers, i);
	return NULL;
}

static void add(struct doubts *doubts, struct doubt *doubt, struct backend backend)
{
	if (doubts->count >= DOUBTS_WITH_ROWS_MAX) {
		buffer_finish(&doubt->rows);
		doubt->is_all = true;
	}
	if (doubts->count == DOUBTS_MAX) {
		doubts->is_overfull = true;
		report(doubts, doubt);
		doubt_destroy(doubt);
		return;
	}
	doubt->backend = backend;
	doubt->slot = free_slot(doubts->writers);
	writer_note(doubt->slot, backend);
	list_append(&doubts->list, &doubt->node);
	doubts->count++;
	mark(doubts, doubt, true);
	report(doubts, doubt);
}

void doubts_take(struct doubts *doubts, struct doubt **doubt, struct backend backend)
{
	struct doubt *taken = *doubt;

	*doubt = NULL;
	if (taken && doubts && backend.start_us) {
		add(doubts, taken, backend);
		return;
	}
	if (taken && doubts)
		report(doubts, taken);
	doubt_destroy(taken);
}

const struct backend *doubts_next(const struct doubts *doubts)
{
	return doubts->count ? &doubt_of(doubts->list.next)->backend : NULL;
}

static bool is_of(const struct doubt *doubt, const struct backend *backend)
{
	return doubt->backend.pid == backend->pid && doubt->backend.start_us == backend->start_us;
}

void doubts_answer(struct doubts *doubts, const struct backend *backend, bool is_gone)
{
	list_for_each (node, &doubts->list) {
		struct doubt *doubt = doubt_of(node);

		if (!is_of(doubt, backend))
			continue;
		if (is_gone) {
			end(doubts, doubt);
			continue;
		}
		list_remove(node);
		list_append(&doubts->list, node);
		return;
	}
}

static void report_all(const struct doubts *doubts)
{
	if (doubts->listener->on_all)
		doubts->listener->on_all(doubts->listener->context);
}

void doubts_repeat(const struct doubts *doubts)
{
	if (doubts->is_overfull)
		report_all(doubts);
	list_for_each (node, &doubts->list)
		report(doubts, doubt_of(node));
}

void doubts_finish(struct doubts *doubts)
{
	list_for_each (node, &doubts->list)
		doubt_destroy(doubt_of(node));
	doubts->count = 0;
}

void doubts_inherit(struct doubts *doubts, struct writers *writers)
{
	struct backend noted[WRITER_SLOTS] = {0};

	doubts->writers = writers;
	for (unsigned i = 0; writers && i < WRITER_SLOTS; i++)
		noted[i] = writer_take(writers_slot(writers, i));
	for (unsigned i = 0; i < WRITER_SLOTS; i++) {
		struct doubt *doubt;

		if (noted[i].start_us == 0)
			continue;
		doubt = doubt_create();
		doubt->is_all = true;
		add(doubts, doubt, noted[i]);
	}
}
