#include "cuts.h"

enum { SILENCE_MS = 2500 /* after 1500 in hint.c */ };

/* Without the hint connection, and those of statements that have one of their own. */
static void for_each_connection(struct db *db,
				void (*run)(struct db *db, struct connection *connection))
{
	for (unsigned i = 0; i < db->reads.pool.count; i++)
		run(db, &db->reads.pool.connections[i]);
	for (unsigned i = 0; i < db->writes.pool.count; i++)
		run(db, &db->writes.pool.connections[i]);
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++)
		run(db, &db->writes.blocked.retries[i].connection);
	for (unsigned i = 0; i < db->lists.count; i++)
		run(db, &db->lists.connections[i].connection);
	for (unsigned i = 0; i < db->growing.count; i++)
		run(db, &db->growing.connections[i].connection);
}

/* ---- a server that was replaced ---- */

static void cut_outdated(struct db *db, struct connection *connection)
{
	struct timeline timeline = connection->set_up.timeline;

	if (connection->state != CONNECTION_UP || !timeline.system ||
	    (timeline.system == db->timeline.system && timeline.number >= db->timeline.number))
		return;
	hosts_pass_over(db->hosts, connection->pg);
	connection_cut(connection, str_from(unavailable_text(UNAVAILABLE_REPLACED)));
}

void cuts_leave_replaced(struct db *db)
{
	struct timeline newest = timeline_get(hosts_known(db->hosts));

	if (db->timeline.system == newest.system && db->timeline.number == newest.number)
		return;
	db->timeline = newest;
	for_each_connection(db, cut_outdated);
	for (unsigned i = 0; i < db->apart.count; i++)
		cut_outdated(db, &db->apart.connections[i].connection);
	cut_outdated(db, &db->hints.connection);
}

/* ---- a server that hangs ---- */

/* Whether the connection's server answers on another connection. */
static bool is_server_alive(const struct db *db, const struct connection *connection)
{
	const PGconn *hint = db->hints.connection.pg, *pg = connection->pg;

	return db->hints.is_connected && hosts_are_same(PQhost(hint), PQhost(pg)) &&
	       hosts_are_same(PQhostaddr(hint), PQhostaddr(pg)) &&
	       hosts_are_same(PQport(hint), PQport(pg));
}

static void cut_silent(struct db *db, struct connection *connection)
{
	bool is_looked_at = db->silent_looks == 1 || connection->pipeline.batch_count > 0;

	if (is_looked_at && connection_is_silent(connection, db->silent_since_ms) &&
	    !is_server_alive(db, connection))
		connection_cut_silent(connection);
}

/* Whether the only server answers the hint connection, even by refusing it. With several servers
 * the answer may be another one's. */
static bool is_alone_alive(const struct db *db)
{
	enum unavailable unavailable = db->hints.connection.unavailable;

	return hosts_turns(db->hosts) == 1 && unavailable != UNAVAILABLE_NOT &&
	       unavailable != UNAVAILABLE_SILENT;
}

static void look_again(struct db *db)
{
	db->silent_looks++;
	db->silent_since_ms = loop_now_ms(db->loop);
	deadline_set(db->loop, &db->silence, SILENCE_MS);
}

/* Cuts connections that have not answered since the last check: their queries end with
 * DB_UNAVAILABLE. From the second check on, only connections with queries under way count. */
void cuts_on_silence(struct deadline *deadline)
{
	struct db *db = container_of(deadline, struct db, silence);

	if (is_alone_alive(db))
		return;
	for_each_connection(db, cut_silent);
	/* Statements with a connection of their own run for minutes before they answer, so only
	 * their own time limit ends them. */
	if (!db->hints.is_connected)
		look_again(db);
}

/* The hint connection queries the server four times a second. If it gets no answer, a reconnect
 * may: so the others get time until it should be back. */
void cuts_on_silent(void *context)
{
	struct db *db = context;

	db->silent_looks = 0;
	look_again(db);
}
