#include "main/child_database.h"
#include "base/clock.h"
#include "base/log.h"
#include "db/hosts.h"
#include "db/migrate.h"
#include "db/unavailable.h"
#include "main/first_link.h"
#include "main/instance.h"
#include "main/secret_key_check.h"

#include <poll.h>
#include <stdio.h>

enum {
	/* For a database elsewhere that starts at the same time. */
	WAIT_FOR_DATABASE_MS = 30 * 1000,
	/* For recovery of the embedded database after a crash. If its process ends, the supervisor
	 * ends this child. */
	WAIT_FOR_CLUSTER_MS = 600 * 1000,
	LOOK_AGAIN_MS = 20,
	/* A start without recovery takes some 50 ms, and everything waits for it. */
	SOON_MS = 1000,
	LOOK_SOON_MS = 2,
	/* PostgreSQL sets the mode of its socket's file a moment after making it. */
	SOCKET_OPENS_MS = 10 * 1000,
	/* Connections of a worker, and of the worker that replaces it, with room for displayctl,
	 * psql and a backup. */
	CONNECTIONS_PER_WORKER = 10,
	CONNECTIONS_APART = 40,
};

#define APPLICATION_NAME "displayd migrate"

/* A newer PostgreSQL is never used without a request of the operator. */
static void tell_versions(const struct cluster *cluster)
{
	int newer = cluster_newer_version(cluster);
	char old[CLUSTER_PATH_BYTES];

	if (newer)
		log_warn("supervisor",
			 "the private database uses an older PostgreSQL than the newest one "
			 "installed; to "
			 "move it, stop displayd and run \"displayctl database upgrade\"",
			 LOG_TEXT("folder", cluster->folder),
			 LOG_INT("postgresql", cluster->version), LOG_INT("installed", newer));
	if (cluster_has_old(cluster, old))
		log_info("supervisor",
			 "the old database of the last upgrade still exists and may be removed",
			 LOG_TEXT("folder", old));
}

int child_prepare(struct instance *instance, unsigned index)
{
	struct cluster_error why;

	(void)index;
	log_set_process("prepare");
	if (cluster_prepare(&instance->cluster, &why) == 0) {
		tell_versions(&instance->cluster);
		return EXIT_DONE;
	}
	log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	return EXIT_DATABASE;
}

/* A server that is set to be read-only serves a database that is up to date. */
static bool lacks_migrations(PGconn *pg)
{
	const char *is_read_only = PQparameterStatus(pg, "default_transaction_read_only");
	struct migrate_error ignored;
	unsigned applied;

	return is_read_only && strcmp(is_read_only, "on") == 0 &&
	       (migrate_read(pg, &applied, &ignored) < 0 || applied < migration_count);
}

/* Works as unavailable_try(). */
static PGconn *try_database(const struct instance *instance, struct hosts *hosts,
			    enum unavailable *ret_unavailable, char *ret_words)
{
	PGconn *pg = unavailable_try(hosts, instance->config->session_pooler, APPLICATION_NAME,
				     ret_unavailable, ret_words);

	if (!pg || !lacks_migrations(pg))
		return pg;
	PQfinish(pg);
	*ret_unavailable = UNAVAILABLE_READ_ONLY;
	snprintf(ret_words, UNAVAILABLE_WORDS_BYTES, "migrations are missing");
	return NULL;
}

/* Waits until a connection is made. Returns NULL with the reason if workers could not connect. */
static PGconn *wait_for_database(const struct instance *instance, struct hosts *hosts,
				 enum unavailable *ret_unavailable, char *ret_words)
{
	bool is_embedded = instance_is_embedded(instance);
	uint64_t begun_ms = clock_monotonic_ms(), open_ms = begun_ms;
	uint64_t limit_ms = is_embedded ? WAIT_FOR_CLUSTER_MS : WAIT_FOR_DATABASE_MS;
	enum unavailable told = UNAVAILABLE_NOT;

	for (;;) {
		PGconn *pg = try_database(instance, hosts, ret_unavailable, ret_words);
		uint64_t now_ms = clock_monotonic_ms();
		enum unavailable unavailable = *ret_unavailable;

		if (unavailable != UNAVAILABLE_SHUT)
			open_ms = now_ms;
		if (pg || now_ms - begun_ms > limit_ms ||
		    (!unavailable_may_pass(unavailable) &&
		     (unavailable != UNAVAILABLE_SHUT || now_ms - open_ms > SOCKET_OPENS_MS)))
			return pg;
		if (!is_embedded && unavailable != told)
			log_warn("supervisor", "waiting for the database",
				 LOG_TEXT("reason", unavailable_text(unavailable)),
				 LOG_TEXT("error", ret_words));
		told = unavailable;
		poll(NULL, 0,
		     is_embedded && now_ms - begun_ms < SOON_MS ? LOOK_SOON_MS : LOOK_AGAIN_MS);
	}
}

/* Returns NULL, and logs the reason, on failure. */
static PGconn *connect_to_database(const struct instance *instance)
{
	char words[UNAVAILABLE_WORDS_BYTES] = "not a valid connection string";
	struct hosts *hosts = hosts_create(instance_database_url(instance));
	enum unavailable unavailable = UNAVAILABLE_SETTINGS;
	struct reason why;
	PGconn *pg = NULL;

	if (hosts)
		hosts_fence(hosts, region_common(instance->shared, &timeline_region));
	if (hosts)
		pg = wait_for_database(instance, hosts, &unavailable, words);
	hosts_destroy(hosts);
	if (pg)
		return pg;
	reason_set(&why, "the database cannot be reached: %s", unavailable_text(unavailable));
	log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text),
		  LOG_TEXT("error", words));
	return NULL;
}

static enum exit_code migrate(PGconn *pg)
{
	struct migrate_error why;
	int applied = 0;

	if (migrate_over(pg, &applied, &why) == 0) {
		if (applied > 0)
			log_info("supervisor", "database migrated", LOG_INT("migrations", applied));
		return EXIT_DONE;
	}
	log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	return why.fault == MIGRATE_NEWER ? EXIT_DATABASE_NEWER : EXIT_MIGRATION;
}

static enum exit_code check_key(const struct instance *instance, PGconn *pg)
{
	const struct secret_key_location location = {.state_dir = instance->config->state_dir,
						     .file = instance->config->secret_key_file,
						     .is_new = instance->has_new_key};
	struct reason why;
	enum secret_key_check result =
	    secret_key_check(pg, &instance->settings_key, &location, &why);

	if (result == SECRET_KEY_FITS)
		return EXIT_DONE;
	log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	if (result == SECRET_KEY_FAILED)
		return EXIT_DATABASE;
	return location.file ? EXIT_CONFIG : EXIT_STATE_DIR;
}

/* Use one connection for everything: each costs PostgreSQL a process that fills its caches first.
 */
int child_migrate(struct instance *instance, unsigned index)
{
	struct cluster_error why;
	enum exit_code code;
	PGconn *pg;

	(void)index;
	log_set_process("migrate");
	pg = connect_to_database(instance);
	code = pg ? migrate(pg) : EXIT_DATABASE;
	if (code == EXIT_DONE)
		code = check_key(instance, pg);
	if (code == EXIT_DONE && instance_is_embedded(instance) &&
	    cluster_admit_workers(pg, &why) < 0) {
		log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
		code = EXIT_DATABASE;
	}
	PQfinish(pg);
	return code;
}

int child_first_link(struct instance *instance, unsigned index)
{
	(void)index;
	log_set_process("first-link");
	first_link_print(instance_database_url(instance),
			 region_common(instance->shared, &timeline_region), instance->public_url);
	return EXIT_DONE;
}

pid_t child_start_postgres(struct instance *instance, const struct process *as)
{
	unsigned connections =
	    CONNECTIONS_APART + CONNECTIONS_PER_WORKER * config_worker_slots(instance->config);
	struct cluster_error why;

	if (cluster_spawn(&instance->cluster, as, connections, &why) == 0)
		return instance->cluster.pid;
	log_error("supervisor", "cannot start PostgreSQL", LOG_TEXT("reason", why.text));
	return -1;
}

const struct process_user *child_postgres_user(const struct instance *instance)
{
	return cluster_user(&instance->cluster);
}

int child_postgres_output(const struct instance *instance)
{
	return instance->cluster.log_fd;
}

void child_read_postgres(struct instance *instance)
{
	if (!cluster_read_log(&instance->cluster))
		cluster_close_log(&instance->cluster);
}
