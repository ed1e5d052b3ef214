#include "session_checks.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/statements.h"

enum { BATCH = 128, ALL_MS = 30 * 1000 };

static struct page_stream *page_of(struct list *to_check)
{
	return container_of(to_check, struct page_stream, to_check);
}

static const struct sessions_alive_row *session_checks_find(const struct sessions_alive_row *rows,
							    unsigned count, struct id id)
{
	for (unsigned i = 0; i < count; i++) {
		if (id_equal(rows[i].id, id))
			return &rows[i];
	}
	return NULL;
}

static void on_alive(struct db_query *query, const struct db_result *result)
{
	struct session_checks *checks = container_of(query, struct session_checks, query);
	const struct sessions_alive_row *rows = NULL;
	struct list *node;

	checks->is_asking = false;
	if (result->outcome == DB_OK)
		rows = db_read_rows(result, query->record, &checks->arena);
	while ((node = list_take_first(&checks->asked))) {
		struct page_stream *page = page_of(node);
		const struct sessions_alive_row *row =
		    rows ? session_checks_find(rows, result->row_count, page->session_id) : NULL;

		if (row) {
			page->is_reviewer = row->is_reviewer;
			page->is_administrator = row->is_administrator;
			checks->on_alive(page);
		} else if (result->outcome == DB_OK) {
			checks->on_ended(page);
		}
	}
	arena_finish(&checks->arena);
	if (!list_is_empty(&checks->waiting))
		loop_later(checks->loop, &checks->ask);
}

static void on_ask(struct later *later)
{
	struct session_checks *checks = container_of(later, struct session_checks, ask);
	struct id ids[BATCH];
	unsigned count = 0;
	struct list *node;

	if (checks->is_asking || checks->is_draining)
		return;
	while (count < BATCH && (node = list_take_first(&checks->waiting))) {
		list_append(&checks->asked, node);
		ids[count++] = page_of(node)->session_id;
	}
	if (count == 0)
		return;
	checks->is_asking = true;
	db_query_init(&checks->query, &checks->arena);
	statement_sessions_alive(&checks->query,
				 &(struct sessions_alive_parameters){
				     .ids = {ids, count},
				     .idle_s = LIMIT_SESSION_IDLE_S,
				     .life_s = LIMIT_SESSION_S,
				     .lasting_s = LIMIT_SESSION_LASTING_S,
				 },
				 NULL);
	checks->query.done = on_alive;
	db_submit(checks->db, &checks->query);
}

void session_checks_add(struct session_checks *checks, struct page_stream *page)
{
	/* Also a stream of the query under way: its session may have ended after the database read
	 * it. */
	list_remove(&page->to_check);
	list_append(&checks->waiting, &page->to_check);
	loop_later(checks->loop, &checks->ask);
}

bool session_checks_has(const struct page_stream *page)
{
	return list_is_linked(&page->to_check);
}

void session_checks_add_all(struct session_checks *checks)
{
	list_for_each (node, checks->all)
		session_checks_add(checks, container_of(node, struct page_stream, member.node));
}

static void on_next(struct deadline *deadline)
{
	struct session_checks *checks = container_of(deadline, struct session_checks, next);

	deadline_set(checks->loop, deadline, ALL_MS);
	session_checks_add_all(checks);
}

void session_checks_init(struct session_checks *checks)
{
	list_init(&checks->waiting);
	list_init(&checks->asked);
	loop_later_init(&checks->ask, on_ask);
	deadline_init(&checks->next, on_next);
	deadline_set(checks->loop, &checks->next, ALL_MS);
}

void session_checks_drain(struct session_checks *checks)
{
	checks->is_draining = true;
	loop_later_cancel(&checks->ask);
	deadline_clear(checks->loop, &checks->next);
}

void session_checks_finish(struct session_checks *checks)
{
	require(!checks->is_asking);
	loop_later_cancel(&checks->ask);
	deadline_clear(checks->loop, &checks->next);
}
