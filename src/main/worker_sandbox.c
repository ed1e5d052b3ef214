#include "main/worker_sandbox.h"
#include "base/log.h"
#include "base/memory.h"

#include <libpq-fe.h>
#include <sandbox/sandbox.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER true
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER true
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER false
#endif

enum { NAMED_MAX = 24 };

/* Paths that a sandboxed worker may read, if they exist. */
static const char *const system_paths[] = {
    "/etc",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/lib64",
    "/usr/share",
    "/usr/local/share/ca-certificates",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/dev/null",
    "/dev/urandom",
};

static const char *const home_paths[] = {"/.pgpass", "/.pg_service.conf", "/.postgresql"};

/* libpq's settings that name a file. */
static const char *const file_settings[] = {"passfile",	   "service", "sslcert",  "sslkey",
					    "sslrootcert", "sslcrl",  "sslcrldir"};

struct readable {
	const char *paths[array_length(system_paths) + array_length(home_paths) + NAMED_MAX + 1];
	unsigned count;
	char *owned[array_length(home_paths) + NAMED_MAX];
	unsigned owned_count;
};

/* Takes ownership of the text. */
static void add_owned(struct readable *readable, char *text)
{
	if (readable->owned_count == array_length(readable->owned)) {
		free(text);
		return;
	}
	readable->owned[readable->owned_count++] = text;
	readable->paths[readable->count++] = text;
}

/* Adds the folder of a named file, since the next certificate will be another file there. For the
 * root and the folder in which displayd was started, adds only the file. */
static void add_folder_of(struct readable *readable, const char *file)
{
	char *folder = memory_strdup(file), *slash = strrchr(folder, '/');

	if (slash && slash != folder)
		*slash = 0;
	add_owned(readable, folder);
}

static void add_settings(struct readable *readable, PQconninfoOption *options)
{
	for (const PQconninfoOption *one = options; one && one->keyword; one++) {
		for (size_t i = 0; one->val && i < array_length(file_settings); i++)
			if (strcmp(one->keyword, file_settings[i]) == 0)
				add_folder_of(readable, one->val);
		if (one->val && strcmp(one->keyword, "sslcrldir") == 0)
			add_owned(readable, memory_strdup(one->val));
	}
	PQconninfoFree(options);
}

static void find_readable(struct readable *readable, const char *database)
{
	const char *home = getenv("HOME"), *service = getenv("PGSERVICEFILE");

	for (size_t i = 0; i < array_length(system_paths); i++)
		readable->paths[readable->count++] = system_paths[i];
	for (size_t i = 0; home && i < array_length(home_paths); i++) {
		size_t size = strlen(home) + strlen(home_paths[i]) + 1;
		char *path = memory_alloc(size);

		snprintf(path, size, "%s%s", home, home_paths[i]);
		add_owned(readable, path);
	}
	if (service)
		add_folder_of(readable, service);
	add_settings(readable, PQconninfoParse(database, NULL));
	/* Add the files that variables name. */
	add_settings(readable, PQconndefaults());
}

int sandbox_plan(struct worker_sandbox *ret, enum sandbox_mode mode, struct reason *reterr)
{
	unsigned wanted = SANDBOX_SERVER | (geteuid() == 0 ? SANDBOX_USER : 0), here;
	const char *names;

	here = sandbox_is_under_valgrind() ? SANDBOX_NO_NEW_PRIVS
					   : sandbox_server_layers(HAS_SANITIZER);
	*ret = (struct worker_sandbox){.layers = here, .is_required = mode == SANDBOX_REQUIRED};
	here |= wanted & SANDBOX_USER;
	names = sandbox_layer_names(here, wanted);
	if (mode == SANDBOX_REQUIRED && (here & wanted) != wanted)
		return reason_set(
		    reterr,
		    "--sandbox required asks for layers that this kernel or container lacks: %s",
		    names);
	log_info("sandbox", "workers run in a sandbox", LOG_TEXT("layers", names));
	return 0;
}

bool worker_sandbox_enter(const struct worker_sandbox *sandbox, const char *database)
{
	int spliced = log_spliced_from();
	struct sandbox_server server = {
	    .is_client = database,
	    .spliced = spliced < 0 ? 0 : spliced,
	    .has_sanitizer = HAS_SANITIZER,
	};
	struct readable readable = {0};
	unsigned made;

	if (!(sandbox->layers & SANDBOX_SECCOMP) && !(sandbox->layers & SANDBOX_LANDLOCK))
		return true;
	/* The C library reads the zone of the machine once. */
	tzset();
	if (database)
		find_readable(&readable, database);
	server.readable = readable.paths;
	made = sandbox_restrict_server(&server);
	while (readable.owned_count)
		free(readable.owned[--readable.owned_count]);
	if ((made & sandbox->layers) == sandbox->layers)
		return true;
	log_error("sandbox", "cannot enter a sandbox layer",
		  LOG_TEXT("layers", sandbox_layer_names(made, sandbox->layers)));
	return !sandbox->is_required;
}
