#include "base/clock.h"
#include "base/log.h"
#include "db/migrate.h"
#include "main/supervisor_private.h"

#include <libpq-fe.h>
#include <poll.h>

enum {
	/* A database elsewhere that starts together with us. */
	WAIT_FOR_DATABASE_MS = 30 * 1000,
	/* The embedded one: recovery after a crash. The supervisor ends us when it ends. */
	WAIT_FOR_CLUSTER_MS = 600 * 1000,
	LOOK_AGAIN_MS = 20,
};

enum exit_code helper_prepare(struct supervisor *supervisor)
{
	struct cluster_error why;

	log_set_process("prepare");
	if (cluster_prepare(&supervisor->cluster, &why) == 0)
		return EXIT_DONE;
	log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	return EXIT_DATABASE;
}

static bool wait_for_database(const struct supervisor *supervisor, const char *url)
{
	uint64_t begun_ms = clock_monotonic_ms();
	uint64_t limit_ms =
	    supervisor_is_embedded(supervisor) ? WAIT_FOR_CLUSTER_MS : WAIT_FOR_DATABASE_MS;
	bool told = supervisor_is_embedded(supervisor);
	PGPing state;

	while ((state = PQping(url)) != PQPING_OK) {
		uint64_t waited_ms = clock_monotonic_ms() - begun_ms;

		/* libpq did not even try: the settings are wrong, waiting does not help. */
		if (state == PQPING_NO_ATTEMPT || waited_ms > limit_ms)
			return false;
		if (!told)
			log_warn("supervisor", "waiting for the database");
		told = true;
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	return true;
}

enum exit_code helper_migrate(struct supervisor *supervisor)
{
	const char *url = supervisor_database_url(supervisor);
	struct migrate_error why;
	int applied = 0;

	log_set_process("migrate");
	if (!wait_for_database(supervisor, url)) {
		log_error("supervisor", "cannot start",
			  LOG_TEXT("reason", "the database does not answer"));
		return EXIT_DATABASE;
	}
	if (migrate_run(url, &applied, &why) == 0) {
		if (applied > 0)
			log_info("supervisor", "database migrated", LOG_INT("migrations", applied));
		return EXIT_DONE;
	}
	log_error("supervisor", "cannot start", LOG_TEXT("reason", why.text));
	return why.fault == MIGRATE_AWAY    ? EXIT_DATABASE
	       : why.fault == MIGRATE_NEWER ? EXIT_DATABASE_NEWER
					    : EXIT_MIGRATION;
}
