#include "main/worker.h"
#include "base/log.h"
#include "base/require.h"
#include "collections/collections.h"
#include "db/background.h"
#include "db/db.h"
#include "firmware/firmware.h"
#include "hooks/hooks.h"
#include "http/proxies.h"
#include "http/server.h"
#include "http/tls.h"
#include "loop/lanes.h"
#include "main/connection_limit.h"
#include "main/heartbeat.h"
#include "main/own_request.h"
#include "main/requests.h"
#include "main/sampler.h"
#include "metric/metric.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

enum {
	/* A single connection makes batches larger. With two, the second process waited up to half
	 * a second for a core while the first one and this worker woke each other: p99 of 64
	 * connections was 17 to 530 ms instead of 2.5. */
	READ_CONNECTIONS = 1,
	/* Two with group commits wrote more than eight without. */
	WRITE_CONNECTIONS = 2,
	/* Time after the end of the connections for their statements in the database. */
	DATABASE_CLOSE_MS = 2 * 1000,
	LOOK_AGAIN_MS = 5,
	/* Afterwards a worker without the database serves what it can, unless another one has it.
	 */
	ACCEPT_AFTER_MS = 2 * 1000,
	LOOK_FOR_DATABASE_MS = 2,
};

struct worker {
	const struct worker_settings *settings;
	struct loop loop;
	struct db *db;
	struct http_server *http;
	struct http_tls *tls; /* NULL: there is none */
	struct http_proxies proxies;
	struct requests requests;
	uv_signal_t stop_signal, retire_signal;
	struct own_request own_request;
	struct http_listener_settings own_listener; /* listener of own_request */
	uint8_t key_fingerprint[SETTINGS_KEY_BYTES];
	bool has_answered;	      /* own_request was answered */
	bool has_failed;	      /* own_request failed */
	struct deadline accept;	      /* set until it accepts */
	uint64_t accept_at_ms;	      /* latest time to accept, unless it is a successor */
	bool has_told_wait;	      /* the log has the reason for its wait */
	struct deadline retire_limit; /* set while it retires */
	struct deadline drain_limit;  /* set while it drains */
	struct deadline look_again;   /* set while connections are being closed */
	struct turn_end flush_log;
	struct heartbeat heartbeat;
	struct sampler sampler;
	bool retiring;
	bool draining;
	bool closing;
	bool database_closed;
	char name[32];
};

static void on_signal_closed(uv_handle_t *handle);

/* Closes the signal handlers and ignores SIGTERM: without a handler it would kill the worker as if
 * by a crash. */
static void leave_signals(struct worker *worker)
{
	uv_close((uv_handle_t *)&worker->stop_signal, on_signal_closed);
	signal(SIGTERM, SIG_IGN);
}

/* Closes one handler after the other. */
static void on_signal_closed(uv_handle_t *handle)
{
	struct worker *worker = handle->data;

	if (!uv_is_closing((uv_handle_t *)&worker->stop_signal))
		leave_signals(worker);
	else
		loop_stop(&worker->loop);
}

static void on_database_closed(void *context)
{
	struct worker *worker = context;

	worker->database_closed = true;
	deadline_set(&worker->loop, &worker->look_again, 0);
}

/* Closes the database, when no connection is left. */
static void close_database(struct worker *worker)
{
	deadline_clear(&worker->loop, &worker->drain_limit);
	db_close(worker->db, DATABASE_CLOSE_MS, on_database_closed, worker);
}

static void look_again(struct deadline *deadline)
{
	struct worker *worker = container_of(deadline, struct worker, look_again);
	bool is_at_work =
	    worker->database_closed && worker->requests.web.api.service.task_count > 0;

	for (enum lane lane = 0; lane < LANE_COUNT; lane++)
		is_at_work |= lanes_load(&worker->loop, lane) > 0;
	/* Leases of webhooks are given back while there is a database. */
	is_at_work |= !worker->database_closed && hooks_are_at_work(worker->requests.web.api.hooks);
	is_at_work |=
	    !worker->database_closed && firmware_jobs_are_at_work(worker->requests.firmware);
	is_at_work |= !worker->database_closed && worker->requests.collections &&
		      collections_are_at_work(worker->requests.collections);
	/* Requests whose clients have left may still be under way: lanes finish their jobs, then
	 * the database answers the remaining queries, and the requests end. */
	if (!http_server_is_empty(worker->http) || is_at_work)
		deadline_set(&worker->loop, &worker->look_again, LOOK_AGAIN_MS);
	else if (!worker->database_closed)
		close_database(worker);
	else
		uv_close((uv_handle_t *)&worker->retire_signal, on_signal_closed);
}

/* Closes the remaining connections: no request is under way, or time is up. */
static void close_connections(struct worker *worker)
{
	/* Closing connections lets the server report that it is drained, which leads here again. */
	if (worker->closing)
		return;
	worker->closing = true;
	requests_close(&worker->requests);
	http_server_close(worker->http);
	deadline_set(&worker->loop, &worker->look_again, 0);
}

static void on_drained(void *context)
{
	close_connections(context);
}

static void on_drain_limit(struct deadline *deadline)
{
	struct worker *worker = container_of(deadline, struct worker, drain_limit);

	log_warn("worker", "drain timed out, closing connections",
		 LOG_INT("connections", http_server_connections(worker->http)));
	close_connections(worker);
}

static void accept_connections(struct worker *worker)
{
	deadline_clear(&worker->loop, &worker->accept);
	http_server_accept(worker->http);
	heartbeat_note_serving(&worker->heartbeat);
}

/* Whether it has waited long enough for the database. A successor waits on: the supervisor ends it
 * if that takes too long, and the old workers stay. */
static bool may_serve_without_database(struct worker *worker)
{
	if (loop_now_ms(&worker->loop) < worker->accept_at_ms)
		return false;
	if (!worker->settings->is_successor)
		return true;
	if (!worker->has_told_wait)
		log_info("worker", "waiting for the database, the old workers serve meanwhile");
	worker->has_told_wait = true;
	return false;
}

/* Connections wait until the database is up: without it a worker would refuse most requests. */
static void look_for_database(struct deadline *deadline)
{
	struct worker *worker = container_of(deadline, struct worker, accept);
	bool has_database = db_is_up(worker->db) && db_hints_are_up(worker->db);

	if (worker->has_answered && (has_database || may_serve_without_database(worker)))
		accept_connections(worker);
	else
		deadline_set(&worker->loop, deadline, LOOK_FOR_DATABASE_MS);
}

static void drain(struct worker *worker)
{
	if (worker->draining)
		return;
	worker->draining = true;
	log_debug("worker", "draining");
	deadline_clear(&worker->loop, &worker->accept);
	deadline_clear(&worker->loop, &worker->retire_limit);
	own_request_stop(&worker->own_request);
	deadline_set(&worker->loop, &worker->drain_limit, WORKER_DRAIN_MS);
	sampler_stop(&worker->sampler);
	requests_drain(&worker->requests);
	http_server_drain(worker->http, on_drained, worker);
}

static void on_own_answer(struct own_request *request, bool is_answered)
{
	struct worker *worker = container_of(request, struct worker, own_request);

	worker->has_answered = is_answered;
	if (is_answered)
		return;
	log_error("worker", "cannot answer its own request");
	worker->has_failed = true;
	drain(worker);
}

static void on_stop_signal(uv_signal_t *handle, int number)
{
	(void)number;
	drain(handle->data);
}

static void on_retired(void *context)
{
	drain(context);
}

static void on_retire_limit(struct deadline *deadline)
{
	drain(container_of(deadline, struct worker, retire_limit));
}

static void on_retire_signal(uv_signal_t *handle, int number)
{
	struct worker *worker = handle->data;

	(void)number;
	if (worker->retiring || worker->draining)
		return;
	worker->retiring = true;
	log_debug("worker", "retiring");
	requests_retire(&worker->requests);
	db_retire(worker->db);
	deadline_clear(&worker->loop, &worker->accept);
	deadline_set(&worker->loop, &worker->retire_limit, WORKER_RETIRE_MS);
	http_server_retire(worker->http, on_retired, worker);
}

static int start_signal(struct worker *worker, uv_signal_t *handle, uv_signal_cb on_signal,
			int number)
{
	uv_signal_init(&worker->loop.uv, handle);
	handle->data = worker;
	return uv_signal_start(handle, on_signal, number);
}

/* At least one thread for short jobs and one for long ones; a worker alone on its machine gets all
 * cores. One more thread, since no account may hold all threads of a lane: so a single account
 * keeps all cores busy. */
static unsigned thread_count(const struct worker_settings *settings)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned share = cores > 0 ? (unsigned)cores / settings->config->workers : 1;

	return 1 + (share < 2 ? 2 : share > 16 ? 16 : share);
}

static void flush_log(struct turn_end *turn_end)
{
	(void)turn_end;
	log_flush();
}

static int listen_to_all(struct worker *worker)
{
	int error = 0;

	for (unsigned i = 0; error == 0 && i < worker->settings->socket_count; i++) {
		const struct listen_socket *socket = &worker->settings->sockets[i];
		struct http_listener_settings listener =
		    requests_listener(&worker->requests, socket->address.role);

		if (socket->address.is_tls)
			listener.transport =
			    http_tls_transport(worker->tls, socket->address.expects_proxy_header);
		else if (socket->address.expects_proxy_header)
			listener.transport = &http_transport_proxied;
		error = http_server_listen(worker->http, socket->fd, &listener);
	}
	return error;
}

static void trust_proxies(struct worker *worker)
{
	const struct option_list *trusted = &worker->settings->config->trusted;

	for (unsigned i = 0; i < trusted->count; i++)
		require(network_read(trusted->values[i],
				     &worker->proxies.networks[worker->proxies.count++]));
}

static int ask_itself(struct worker *worker)
{
	worker->own_listener = requests_listener(&worker->requests, HTTP_ROLE_PUBLIC);
	worker->own_listener.is_own = true;
	worker->own_request.done = on_own_answer;
	return own_request_start(&worker->own_request, &worker->loop, worker->http,
				 &worker->own_listener);
}

/* No untrusted data has been read yet. */
static int enter_sandbox_and_start_threads(struct worker *worker)
{
	const struct worker_settings *settings = worker->settings;
	unsigned threads = thread_count(settings);

	if (!worker_sandbox_enter(&settings->sandbox, settings->config->database))
		return -EPERM;
	lanes_start(&worker->loop, threads);
	return 0;
}

static struct db *create_database(struct worker *worker)
{
	const struct worker_settings *settings = worker->settings;
	struct db_settings db = {
	    .url = settings->database_url,
	    .read_connections = READ_CONNECTIONS,
	    .write_connections = WRITE_CONNECTIONS,
	    .storage = region_common(settings->shared, &storage_region),
	    .timeline = region_common(settings->shared, &timeline_region),
	    .background = region_slot(settings->shared, &background_region, settings->index),
	    .session_pooler = settings->config->session_pooler,
	    .key_fingerprint = worker->key_fingerprint,
	    .instance = instance_name(region_common(settings->shared, &instance_region)),
	    .worker = settings->index,
	    .hint_memory = settings->config->workers > 1 ? settings->shared : NULL,
	    .worker_slots = config_worker_slots(settings->config),
	    .writers = region_slot(settings->shared, &writer_region, settings->index)};

	return db_create(&worker->loop, &db);
}

static int start(struct worker *worker)
{
	const struct worker_settings *settings = worker->settings;
	struct http_server_settings http = {
	    .access_log = settings->config->access_log,
	    .admin_access_log = settings->config->admin_access_log,
	    .proxies = &worker->proxies,
	    .connections_max = connection_limit_here(settings->config->workers,
						     settings->config->tls_certificates.count > 0),
	    .waits_to_accept = true};
	int error;

	settings_key_fingerprint(settings->settings_key, worker->key_fingerprint);
	trust_proxies(worker);
	error = start_signal(worker, &worker->stop_signal, on_stop_signal, SIGTERM);
	if (error == 0)
		error = start_signal(worker, &worker->retire_signal, on_retire_signal, SIGUSR1);
	deadline_init(&worker->accept, look_for_database);
	deadline_init(&worker->retire_limit, on_retire_limit);
	deadline_init(&worker->drain_limit, on_drain_limit);
	deadline_init(&worker->look_again, look_again);
	worker->db = create_database(worker);
	if (!worker->db)
		return -EINVAL;
	requests_start(&worker->requests, &worker->loop, worker->db, settings->config,
		       settings->public_url, settings->panel_url, &settings->engines,
		       settings->shared, settings->index, settings->settings_key,
		       settings->metrics_token_hash, settings->secrets->oidc_secret);
	worker->http = http_server_create(&worker->loop, &http);
	requests_start_bridge(&worker->requests, worker->http, settings->why_no_mqtt,
			      settings->config, settings->secrets->mqtt_password);
	requests_start_collections(&worker->requests, worker->http);
	if (settings->config->tls_certificates.count > 0) {
		worker->tls = http_tls_create(settings->shared);
		if (!worker->tls)
			return -EINVAL;
	}
	if (error == 0)
		error = listen_to_all(worker);
	if (error == 0)
		error = ask_itself(worker);
	worker->accept_at_ms = loop_now_ms(&worker->loop) + ACCEPT_AFTER_MS;
	deadline_set(&worker->loop, &worker->accept, 0);
	metric_attach(settings->shared, (int)settings->index); /* all routes have their names */
	sampler_start(&worker->sampler, &worker->requests, worker->http,
		      settings->index % settings->config->workers == 0);
	heartbeat_start(&worker->heartbeat, &worker->loop, settings->shared, settings->index);
	/* Register last, to flush what the other handlers logged. */
	worker->flush_log.run = flush_log;
	turn_end_add(&worker->loop, &worker->flush_log);
	if (error == 0)
		error = enter_sandbox_and_start_threads(worker);
	return error;
}

int worker_run(const struct worker_settings *settings)
{
	struct worker worker = {.settings = settings, .own_request.fd = -1};
	int error;

	snprintf(worker.name, sizeof(worker.name), "worker-%u", settings->index + 1);
	log_set_process(worker.name);
	log_hold();
	error = loop_init(&worker.loop);
	if (error == 0)
		error = start(&worker);
	if (error < 0) {
		log_error("worker", "cannot start", LOG_TEXT("error", uv_strerror(error)));
		log_release();
		return 1;
	}
	loop_run(&worker.loop);
	http_server_destroy(worker.http);
	http_tls_destroy(worker.tls);
	requests_finish(&worker.requests);
	db_destroy(worker.db);
	lanes_stop(&worker.loop);
	loop_finish(&worker.loop);
	log_release();
	return worker.has_failed;
}
