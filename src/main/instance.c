#include "main/instance.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/rights.h"
#include "base/users.h"
#include "main/certificates.h"
#include "main/config_mqtt.h"
#include "main/program.h"
#include "main/secret_key.h"
#include "main/shared.h"
#include "main/state_dir.h"
#include "web/site.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PREDECESSOR_MS = 5 * 1000, LOOK_AGAIN_MS = 20 };

static const char *const role_names[] = {
    [HTTP_ROLE_PUBLIC] = "public", [HTTP_ROLE_ADMIN] = "admin", [HTTP_ROLE_OPERATOR] = "operator"};

/* Waits for the processes of a killed server: its sockets and files are closed when the last of
 * them ends. Waits at most PREDECESSOR_MS from *begun_ms on (0: from now on). Returns false if that
 * is over or this server must stop. */
static bool wait_for_predecessor(const struct instance *instance, uint64_t *begun_ms,
				 const struct reason *why)
{
	struct pollfd stop = {.fd = instance->signal_fd, .events = POLLIN};
	uint64_t now_ms = clock_monotonic_ms();

	if (*begun_ms == 0) {
		*begun_ms = now_ms;
		log_warn("supervisor", "waiting for a server that may be ending",
			 LOG_TEXT("reason", why->text));
	}
	return now_ms - *begun_ms < PREDECESSOR_MS && poll(&stop, 1, LOOK_AGAIN_MS) == 0;
}

static int take_lock(const struct instance *instance, struct reason *reterr)
{
	uint64_t begun_ms = 0;
	pid_t owner = 0;
	int fd;

	do
		fd = state_dir_lock(instance->config->state_dir, &owner, reterr);
	while (fd == -EBUSY && wait_for_predecessor(instance, &begun_ms, reterr));
	return fd;
}

static int open_socket(const struct instance *instance, const struct listen_address *address,
		       struct listen_socket *ret, struct reason *reterr)
{
	uint64_t begun_ms = 0;
	int error;

	do
		error = listen_socket_open(address, ret, reterr);
	while (error == -EADDRINUSE && wait_for_predecessor(instance, &begun_ms, reterr));
	return error;
}

/* Takes the sockets that a service manager gives. */
enum exit_code instance_take_given_sockets(struct instance *instance, struct reason *reterr)
{
	int count = listen_given_take(instance->sockets, reterr);

	if (count < 0)
		return EXIT_LISTEN;
	instance->socket_count = (unsigned)count;
	return instance_check_given_sockets(instance, instance->config, reterr) == 0 ? EXIT_DONE
										     : EXIT_CONFIG;
}

void instance_leave_given_sockets(struct instance *instance)
{
	for (unsigned i = 0; i < instance->socket_count; i++) {
		struct listen_socket *socket = &instance->sockets[i];

		if (socket->is_given && fcntl(socket->fd, F_SETFD, 0) == 0)
			socket->fd = -1;
	}
}

int instance_check_given_sockets(const struct instance *instance, const struct config *config,
				 struct reason *reterr)
{
	for (unsigned i = 0; i < instance->socket_count; i++) {
		const struct listen_address *address = &instance->sockets[i].address;

		if (!instance->sockets[i].is_given)
			continue;
		if (address->expects_proxy_header && config->trusted.count == 0)
			reason_set(reterr, "%s expects proxies: name them with --trust-proxy",
				   address->text);
		else if (address->is_tls && config->tls_certificates.count == 0)
			reason_set(reterr, "%s needs a --tls-certificate and its --tls-key",
				   address->text);
		else
			continue;
		return -1;
	}
	return 0;
}

bool instance_wants(const struct instance *instance, const struct listen_address *address)
{
	const struct option_given *listen =
	    options_find_given(&instance->config->options, "listen");
	bool is_default = address->role == HTTP_ROLE_PUBLIC && !address->is_tls && listen &&
			  listen->source == OPTION_DEFAULT;

	for (unsigned i = 0; i < instance->socket_count; i++) {
		const struct listen_address *other = &instance->sockets[i].address;

		if (listen_address_is_same(other, address) ||
		    (is_default && other->role == HTTP_ROLE_PUBLIC))
			return false;
	}
	return true;
}

static enum exit_code open_sockets(struct instance *instance, struct reason *reterr)
{
	const struct config *config = instance->config;
	enum exit_code code = instance_take_given_sockets(instance, reterr);

	for (unsigned i = 0; code == EXIT_DONE && i < config->listen_count; i++) {
		if (!instance_wants(instance, &config->listen[i]))
			continue;
		if (open_socket(instance, &config->listen[i],
				&instance->sockets[instance->socket_count], reterr) < 0)
			code = EXIT_LISTEN;
		else
			instance->socket_count++;
	}
	for (unsigned i = 0; code == EXIT_DONE && i < instance->socket_count; i++) {
		const struct listen_socket *socket = &instance->sockets[i];

		if (socket->address.is_private)
			continue;
		log_info("supervisor", "listening", LOG_TEXT("address", socket->address.text),
			 LOG_INT("port", listen_socket_port(socket)),
			 LOG_TEXT("role", role_names[socket->address.role]),
			 LOG_TEXT("scheme", socket->address.scheme));
	}
	return code;
}

/* Writes the URL of a socket, if it can have one. TLS clients check the name. */
static bool write_url(const struct instance *instance, const struct listen_socket *socket,
		      char *ret_url, size_t size)
{
	const unsigned https_port = 443;
	unsigned port = listen_socket_port(socket);

	if (!listen_address_url(&socket->address, ret_url, size))
		return false;
	if (socket->address.is_tls && instance->tls_name[0] && port == https_port)
		snprintf(ret_url, size, "https://%s", instance->tls_name);
	else if (socket->address.is_tls && instance->tls_name[0])
		snprintf(ret_url, size, "https://%s:%u", instance->tls_name, port);
	return true;
}

/* Chooses --public-url, else the URL of the first public socket that has one, with TLS if possible:
 * a unix socket has none. */
static void choose_public_url(struct instance *instance)
{
	const struct config *config = instance->config;

	if (config->public_url) {
		snprintf(instance->public_url, sizeof(instance->public_url), "%s",
			 config->public_url);
		return;
	}
	for (int wants_tls = 1; wants_tls >= 0; wants_tls--) {
		for (unsigned i = 0; i < instance->socket_count; i++) {
			const struct listen_socket *socket = &instance->sockets[i];

			if (socket->address.role == HTTP_ROLE_PUBLIC &&
			    socket->address.is_tls == wants_tls &&
			    write_url(instance, socket, instance->public_url,
				      sizeof(instance->public_url)))
				return;
		}
	}
	snprintf(instance->public_url, sizeof(instance->public_url), "http://localhost");
	log_warn("supervisor", "URLs start with http://localhost: --public-url is not set, and "
			       "clients reach no TCP listener");
}

/* A public URL with a loopback address is only for browsers on this machine. */
static void choose_panel_url(struct instance *instance)
{
	char url[sizeof(instance->panel_url)];

	memcpy(instance->panel_url, instance->public_url, sizeof(instance->panel_url));
	for (unsigned i = 0; i < instance->socket_count; i++) {
		const struct listen_address *address = &instance->sockets[i].address;

		if (!site_is_loopback_url(instance->panel_url))
			return;
		if (address->role == HTTP_ROLE_PUBLIC &&
		    listen_address_url(address, url, sizeof(url)) && !site_is_loopback_url(url))
			memcpy(instance->panel_url, url, sizeof(url));
	}
}

void instance_choose_urls(struct instance *instance)
{
	choose_public_url(instance);
	choose_panel_url(instance);
}

static int open_signals(struct instance *instance)
{
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGUSR2);
	sigaddset(&wanted, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &wanted, NULL) < 0)
		return -errno;
	instance->signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return instance->signal_fd < 0 ? -errno : 0;
}

static enum exit_code open_cluster(struct instance *instance, struct reason *reterr)
{
	struct cluster_error why;

	if (!instance_is_embedded(instance) ||
	    cluster_open(instance->config->state_dir, &instance->cluster, &why) == 0)
		return EXIT_DONE;
	reason_set(reterr, "%s", why.text);
	return why.is_not_installed ? EXIT_NO_POSTGRESQL : EXIT_DATABASE;
}

void instance_find_programs(struct instance *instance)
{
	for (enum render_program name = 0; name < RENDER_PROGRAM_COUNT; name++) {
		struct program program;

		if (instance->config->renderers == 0 && program_renders(name))
			instance->missing[name] = "this server renders no apps (--renderers 0)";
		else if (!program_find(name, false, &program))
			instance->missing[name] = program_missing(name);
	}
}

/* Whether there is a program that the render host can start. */
static bool has_program(const struct instance *instance)
{
	for (unsigned i = 0; i < RENDER_PROGRAM_COUNT; i++)
		if (!instance->missing[i])
			return true;
	return false;
}

static enum exit_code open_host_sockets(struct instance *instance, struct reason *reterr)
{
	bool has_host = has_program(instance);

	for (unsigned i = 0; has_host && i < config_worker_slots(instance->config); i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
			reason_set(reterr, "cannot open a socket: %s", strerror(errno));
			return EXIT_FAILED;
		}
		instance->host_sockets[i] = ends[0];
		instance->worker_sockets[i] = ends[1];
	}
	return EXIT_DONE;
}

/* Finds the users that a server started as root needs; without them it does not start. */
static enum exit_code find_users(struct instance *instance, struct reason *reterr)
{
	instance->is_root = geteuid() == 0;
	if (!instance->is_root)
		return EXIT_DONE;
	if (!users_check(instance_is_embedded(instance), reterr->text, sizeof(reterr->text)) ||
	    !users_find(USERS_WORKER, &instance->worker_user))
		return EXIT_CONFIG;
	instance->migrate_user = instance->worker_user;
	if (instance_is_embedded(instance))
		instance->migrate_user.uid = 0;
	return EXIT_DONE;
}

/* A supervisor that is root reads no untrusted data, and needs these rights to the end: it starts
 * processes as other users, signals them, owns the cluster's files, finds processes of a PostgreSQL
 * that was left behind, and lowers the priority of those that run list queries. Ports below 1024
 * may be needed for addresses that are added later.
 */
enum exit_code instance_give_up_rights(const struct instance *instance, struct reason *reterr)
{
	const uint64_t kept = RIGHT(CAP_SETUID) | RIGHT(CAP_SETGID) | RIGHT(CAP_SETPCAP) |
			      RIGHT(CAP_KILL) | RIGHT(CAP_CHOWN) | RIGHT(CAP_FOWNER) |
			      RIGHT(CAP_FSETID) | RIGHT(CAP_DAC_OVERRIDE) | RIGHT(CAP_SYS_PTRACE) |
			      RIGHT(CAP_NET_BIND_SERVICE) | RIGHT(CAP_SYS_NICE);
	int error = instance->is_root ? rights_keep(kept) : 0;

	if (error == 0)
		return EXIT_DONE;
	reason_set(reterr, "cannot give up capabilities: %s", strerror(-error));
	return EXIT_FAILED;
}

enum exit_code instance_begin(struct instance *instance, const struct config *config,
			      struct reason *reterr)
{
	enum exit_code code;

	*instance =
	    (struct instance){.config = config, .lock_fd = -1, .signal_fd = -1, .shared_fd = -1};
	instance->cluster.log_fd = instance->cluster.socket_fd = -1;
	for (unsigned i = 0; i < CONFIG_WORKER_SLOTS_MAX; i++)
		instance->host_sockets[i] = instance->worker_sockets[i] = -1;
	if (open_signals(instance) < 0) {
		reason_set(reterr, "cannot open a descriptor for signals: %s", strerror(errno));
		return EXIT_FAILED;
	}
	code = find_users(instance, reterr);
	if (code != EXIT_DONE)
		return code;
	return sandbox_plan(&instance->sandbox, config->sandbox, reterr) ? EXIT_CONFIG : EXIT_DONE;
}

enum exit_code instance_open(struct instance *instance, const struct config *config,
			     struct reason *reterr)
{
	enum exit_code code = instance_begin(instance, config, reterr);

	if (code != EXIT_DONE)
		return code;
	instance->lock_fd = take_lock(instance, reterr);
	if (instance->lock_fd < 0)
		return EXIT_STATE_DIR;
	if (secret_key_load(config->state_dir, config->secret_key_file, &instance->settings_key,
			    &instance->has_new_key, reterr) < 0)
		return config->secret_key_file ? EXIT_CONFIG : EXIT_STATE_DIR;
	if ((config->metrics_token_file &&
	     metrics_token_load(config->metrics_token_file, instance->metrics_token_hash, reterr) <
		 0) ||
	    config_load_secrets(config, &instance->secrets, reterr) < 0)
		return EXIT_CONFIG;
	code = open_sockets(instance, reterr);
	if (code != EXIT_DONE)
		return code;
	instance->shared = shared_create(config_worker_slots(config), &instance->shared_fd);
	if (!instance->shared) {
		reason_set(reterr, "cannot map shared memory: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (config->tls_certificates.count > 0 &&
	    certificates_load(config, instance->shared, instance->tls_name,
			      &instance->tls_ends_at_s, reterr) < 0)
		return EXIT_CONFIG;
	instance_choose_urls(instance);
	instance_find_programs(instance);
	config_complain_of_mqtt(config, instance->missing[RENDER_MQTT]);
	code = open_host_sockets(instance, reterr);
	if (code == EXIT_DONE)
		code = open_cluster(instance, reterr);
	return code == EXIT_DONE ? instance_give_up_rights(instance, reterr) : code;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Whether only the old configuration has the socket; those of the service manager are in all. */
static bool is_other(const struct instance *instance, const struct listen_socket *socket)
{
	for (unsigned i = 0; i < instance->socket_count; i++)
		if (instance->sockets[i].fd == socket->fd)
			return false;
	return !socket->is_given;
}

/* Closes the sockets of the old configuration if the instance ends while a new one is tried: else
 * their files would remain, without a listener. */
static void close_other_sockets(struct instance *instance)
{
	for (unsigned i = 0; i < instance->other_socket_count; i++) {
		struct listen_socket socket = instance->other_sockets[i];

		if (is_other(instance, &socket))
			listen_socket_close(&socket);
	}
	instance->other_socket_count = 0;
}

void instance_close(struct instance *instance)
{
	if (instance->lock_fd >= 0 &&
	    state_dir_write_urls(instance->config->state_dir, NULL, NULL) < 0)
		log_warn("supervisor", "cannot remove the files public-url and panel-url");
	close_other_sockets(instance);
	for (unsigned i = 0; i < instance->socket_count; i++)
		listen_socket_close(&instance->sockets[i]);
	for (unsigned i = 0; i < CONFIG_WORKER_SLOTS_MAX; i++) {
		close_one(&instance->host_sockets[i]);
		close_one(&instance->worker_sockets[i]);
	}
	cluster_close(&instance->cluster);
	region_map_destroy(instance->shared);
	close_one(&instance->shared_fd);
	if (instance->signal_fd >= 0)
		close(instance->signal_fd);
	/* Do this last: the next server that takes the lock must find everything ended. */
	if (instance->lock_fd >= 0)
		close(instance->lock_fd);
}

/* Closes them in a child, which would otherwise keep them open. */
static void leave_other_sockets(struct instance *instance)
{
	for (unsigned i = 0; i < instance->other_socket_count; i++)
		if (is_other(instance, &instance->other_sockets[i]))
			close(instance->other_sockets[i].fd);
	instance->other_socket_count = 0;
}

void instance_leave(struct instance *instance)
{
	sigset_t none;

	leave_other_sockets(instance);

	close(instance->signal_fd);
	close(instance->lock_fd);
	close_one(&instance->shared_fd);
	if (instance->cluster.log_fd >= 0)
		close(instance->cluster.log_fd);
	instance->signal_fd = instance->lock_fd = instance->cluster.log_fd = -1;
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void instance_leave_to_host(struct instance *instance)
{
	for (unsigned i = 0; i < instance->socket_count; i++)
		close_one(&instance->sockets[i].fd);
	for (unsigned i = 0; i < config_worker_slots(instance->config); i++)
		close_one(&instance->worker_sockets[i]);
	close_one(&instance->cluster.socket_fd);
}

void instance_leave_to_worker(struct instance *instance, unsigned index)
{
	for (unsigned i = 0; i < config_worker_slots(instance->config); i++) {
		close_one(&instance->host_sockets[i]);
		if (i != index)
			close_one(&instance->worker_sockets[i]);
	}
}

bool instance_is_embedded(const struct instance *instance)
{
	return instance->config->database == NULL;
}

const char *instance_database_url(const struct instance *instance)
{
	return instance_is_embedded(instance) ? instance->cluster.url : instance->config->database;
}

const char *instance_worker_url(const struct instance *instance)
{
	return instance_is_embedded(instance) ? instance->cluster.worker_url
					      : instance->config->database;
}

const struct process_user *instance_worker_user(const struct instance *instance)
{
	return instance->is_root ? &instance->worker_user : NULL;
}

const struct process_user *instance_migrate_user(const struct instance *instance)
{
	return instance->is_root ? &instance->migrate_user : NULL;
}
