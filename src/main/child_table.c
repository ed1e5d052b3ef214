#include "main/child_table.h"
#include "db/hints.h"
#include "main/child_database.h"
#include "main/heartbeat.h"
#include "main/instance.h"
#include "main/render_host.h"
#include "main/worker.h"

#include <signal.h>

enum {
	/* Workers end by themselves before that; see worker.h. */
	WORKER_STOP_MS = 2 * WORKER_DRAIN_MS,
	/* Silence that counts as a hang: with the start of a replacement, less than 5 s in all. */
	SILENCE_MS = 4 * 1000,
	/* A shutdown writes dirty pages; if killed, it recovers at the next start. */
	POSTGRES_STOP_MS = 60 * 1000,
	/* The render host has nothing to finish. */
	HOST_STOP_MS = 5 * 1000,
};

static unsigned one(const struct instance *instance)
{
	(void)instance;
	return 1;
}

static unsigned one_if_embedded(const struct instance *instance)
{
	return instance_is_embedded(instance);
}

static unsigned workers(const struct instance *instance)
{
	return instance->config->workers;
}

static unsigned one_if_hosting(const struct instance *instance)
{
	return instance->host_sockets[0] >= 0;
}

static struct render_health *health_of(const struct instance *instance)
{
	return region_common(instance->shared, &render_health_region);
}

static bool is_host_ready(const struct instance *instance, unsigned index, pid_t pid)
{
	(void)index;
	return atomic_load(&health_of(instance)->host) == pid;
}

static uint32_t host_heartbeat(const struct instance *instance, unsigned index)
{
	(void)index;
	return atomic_load_explicit(&health_of(instance)->host_beat, memory_order_relaxed);
}

static void give_up_host(struct instance *instance)
{
	render_health_give_up_host(health_of(instance));
}

static int run_host(struct instance *instance, unsigned index)
{
	struct render_host_settings settings = {
	    .sockets = instance->host_sockets,
	    .workers = config_worker_slots(instance->config),
	    .is_required = instance->config->sandbox == SANDBOX_REQUIRED,
	    .renders = instance->config->renderers > 0,
	    .egress_allow = &instance->config->egress_allow,
	    .ready_pid = &health_of(instance)->host,
	    .beat = &health_of(instance)->host_beat,
	    .health = health_of(instance),
	};

	(void)index;
	instance_leave_to_host(instance);
	return render_host_run(&settings);
}

static void fill_engines(const struct instance *instance, unsigned index,
			 struct engines_settings *ret)
{
	const char *const *missing = instance->missing;
	const char *script =
	    missing[RENDER_TYPESCRIPT] ? missing[RENDER_TYPESCRIPT] : missing[RENDER_COMPILER];

	*ret = (struct engines_settings){
	    .host = instance->worker_sockets[index],
	    .processes = instance->config->renderers,
	    .download_folder = instance->config->state_dir,
	    .health = health_of(instance),
	    /* The renderer for Starlark paints for both. */
	    .missing = {[ENGINE_STARLARK] = missing[RENDER_STARLARK],
			[ENGINE_TYPESCRIPT] = script ? script : missing[RENDER_STARLARK]},
	};
}

static int run_worker(struct instance *instance, unsigned index)
{
	struct worker_settings settings = {
	    .index = index,
	    .is_successor = instance->is_successor,
	    .config = instance->config,
	    .database_url = instance_worker_url(instance),
	    .public_url = instance->public_url,
	    .panel_url = instance->panel_url,
	    .sockets = instance->sockets,
	    .socket_count = instance->socket_count,
	    .shared = instance->shared,
	    .why_no_mqtt = instance->missing[RENDER_MQTT],
	    .secrets = &instance->secrets,
	    .settings_key = &instance->settings_key,
	    .metrics_token_hash =
		instance->config->metrics_token_file ? instance->metrics_token_hash : NULL,
	    .sandbox = instance->sandbox,
	};

	fill_engines(instance, index, &settings.engines);
	instance_leave_to_worker(instance, index);
	return worker_run(&settings);
}

static bool is_worker_serving(const struct instance *instance, unsigned index, pid_t pid)
{
	return heartbeat_is_serving(instance->shared, index, pid);
}

static uint32_t worker_heartbeat(const struct instance *instance, unsigned index)
{
	return heartbeat_read(instance->shared, index);
}

static void on_worker_ended(const struct instance *instance, unsigned index)
{
	hint_worker_ended(instance->shared, config_worker_slots(instance->config), index);
}

static const struct child_kind prepare = {
    .name = "prepare",
    .count = one_if_embedded,
    .run = child_prepare,
    .stop_signal = SIGTERM,
    .stop_at_once_signal = SIGKILL,
    .stop_ms = 20 * 1000,
};

static const struct child_kind postgres = {
    .name = "PostgreSQL",
    .metric = METRIC_CHILD_POSTGRES,
    .count = one_if_embedded,
    .start = child_start_postgres,
    .user = child_postgres_user,
    .gives_up_rights = true,
    .limits = {{.resource = RLIMIT_NOFILE, .value = RLIM_INFINITY}},
    .limit_count = 1,
    .is_kept = true,
    .preparation = &prepare,
    .exit_code = EXIT_DATABASE,
    .stop_order = 1, /* workers finish their requests with it */
    .stop_signal = CLUSTER_STOP_SIGNAL,
    .stop_at_once_signal = CLUSTER_STOP_AT_ONCE_SIGNAL,
    .stop_ms = POSTGRES_STOP_MS,
    .output = child_postgres_output,
    .read_output = child_read_postgres,
};

static const struct child_kind migrate = {
    .name = "migrate",
    .count = one,
    .run = child_migrate,
    .user = instance_migrate_user,
    .gives_up_rights = true,
    .stop_signal = SIGTERM,
    .stop_at_once_signal = SIGKILL,
    .stop_ms = 20 * 1000,
};

/* It keeps its rights: as root it starts each renderer with a user of its own. */
static const struct child_kind renderers = {
    .name = "renderers",
    .metric = METRIC_CHILD_RENDERERS,
    .count = one_if_hosting,
    .run = run_host,
    .is_kept = true,
    .is_late = true,
    .exit_code = EXIT_FAILED,
    .heartbeat = host_heartbeat,
    .silence_ms = SILENCE_MS,
    .is_ready = is_host_ready,
    .given_up = give_up_host,
    .stop_order = 1, /* workers finish their requests with it */
    .stop_signal = SIGTERM,
    .stop_at_once_signal = SIGKILL,
    .stop_ms = HOST_STOP_MS,
};

static const struct child_kind worker = {
    .name = "worker",
    .metric = METRIC_CHILD_WORKER,
    .count = workers,
    .run = run_worker,
    .user = instance_worker_user,
    .gives_up_rights = true,
    /* A connected panel costs a descriptor; the soft limit of 1,024 is for programs that still use
     * select(). */
    .limits = {{.resource = RLIMIT_NOFILE, .value = RLIM_INFINITY}},
    .limit_count = 1,
    .is_kept = true,
    .exit_code = EXIT_FAILED,
    .heartbeat = worker_heartbeat,
    .silence_ms = SILENCE_MS,
    .ended = on_worker_ended,
    .is_ready = is_worker_serving,
    .is_renewed = true,
    .retire_signal = SIGUSR1,
    .retire_ms = WORKER_RETIRE_MS + WORKER_STOP_MS,
    .stop_signal = SIGTERM,
    .stop_at_once_signal = SIGKILL,
    .stop_ms = WORKER_STOP_MS,
};

static const struct child_kind first_link = {
    .name = "first link",
    .count = one,
    .run = child_first_link,
    .user = instance_migrate_user,
    .gives_up_rights = true,
    .is_on_demand = true,
    .stop_signal = SIGTERM,
    .stop_at_once_signal = SIGKILL,
    .stop_ms = 20 * 1000,
};

const struct child_kind *const child_table[CHILD_KIND_COUNT] = {
    &prepare, &postgres, &migrate, &renderers, &worker, &first_link,
};
