/* Resources of this instance, made by the supervisor before it starts a child: the lock of the
 * state directory, the listening sockets, the memory that workers share, the private cluster.
 *
 * If started as root, processes have users of their own. The systemd unit starts all of them as one
 * user: then only their sandboxes separate them, and PostgreSQL cannot distinguish a worker from
 * the supervisor, so a compromised worker could act as the owner of the database. */
#pragma once

#include "base/process.h"
#include "base/region.h"
#include "cluster/cluster.h"
#include "domain/secret_settings.h"
#include "http/tls.h"
#include "main/config.h"
#include "main/config_secrets.h"
#include "main/exit_code.h"
#include "main/listen_given.h"
#include "main/metrics_token.h"
#include "main/worker_sandbox.h"
#include "render/host.h"

struct instance {
	const struct config *config;
	int lock_fd;
	int signal_fd; /* SIGTERM, SIGINT, SIGHUP, SIGUSR2 and SIGCHLD are blocked and read from
			* here */
	struct listen_socket sockets[CONFIG_LISTENERS_MAX + LISTEN_GIVEN_MAX];
	unsigned socket_count;
	char tls_name[HTTP_TLS_NAME_BYTES]; /* name of the first certificate; "": none */
	int64_t tls_ends_at_s;		    /* earliest end of a certificate; 0: none */
	char public_url[256];
	/* While another configuration is tried (main/instance_change.h): sockets of the old one
	 * only. */
	const struct listen_socket *other_sockets;
	unsigned other_socket_count;
	char panel_url[256]; /* public_url, unless panels on other machines need another one */
	struct region_map *shared; /* see main/shared.h */
	int shared_fd;
	struct settings_key settings_key;
	bool has_new_key; /* settings_key was made at this start */
	struct config_secrets secrets;
	uint8_t metrics_token_hash[METRICS_TOKEN_HASH_BYTES]; /* with --metrics-token-file */
	struct cluster cluster;				      /* unused with --database */
	/* Sockets between workers and the render host (render/host.h), by the worker's index; -1
	 * if it has no program to start. */
	int host_sockets[CONFIG_WORKER_SLOTS_MAX];
	int worker_sockets[CONFIG_WORKER_SLOTS_MAX];
	/* Why workers cannot have a program (see main/program.h); NULL: they can. Found before
	 * changing from a user who may see it. */
	const char *missing[RENDER_PROGRAM_COUNT];
	bool is_root; /* the next two are set */
	struct process_user worker_user;
	struct process_user migrate_user;
	struct worker_sandbox sandbox; /* sandbox of the workers */
	bool is_successor;	       /* in a child: another one serves until this one does */
};

/* Opens the resources. As root it also gives up capabilities that no child and no later step needs.
 * Returns EXIT_DONE, or an exit code with a reason. Call instance_close() in either case. */
enum exit_code instance_open(struct instance *instance, const struct config *config,
			     struct reason *reterr);
void instance_close(struct instance *instance);

/* Whether to listen on an address of the configuration in addition to the existing sockets: a
 * default address is not used if a public socket was given. */
bool instance_wants(const struct instance *instance, const struct listen_address *address);

/* Steps of instance_open() that also begin an instance that was handed over
 * (main/instance_handover.h): signals, users and the sandbox; sockets of the service manager;
 * programs; capabilities. */
enum exit_code instance_begin(struct instance *instance, const struct config *config,
			      struct reason *reterr);
enum exit_code instance_take_given_sockets(struct instance *instance, struct reason *reterr);
/* Leaves the given sockets open for the program that is executed next; instance_close() skips
 * them. */
void instance_leave_given_sockets(struct instance *instance);
/* Checks whether the configuration has what the given sockets need. Returns 0, or -1 with a reason.
 */
int instance_check_given_sockets(const struct instance *instance, const struct config *config,
				 struct reason *reterr);
void instance_find_programs(struct instance *instance);
enum exit_code instance_give_up_rights(const struct instance *instance, struct reason *reterr);

/* Sets public_url and panel_url by the configuration and the sockets. */
void instance_choose_urls(struct instance *instance);

/* Call it in a forked child: closes descriptors of the supervisor, and restores default signals.
 * Ctrl-C reaches all processes of the terminal, but only the supervisor handles it. */
void instance_leave(struct instance *instance);

/* Call the first in the render host: closes descriptors that only workers need. Call the second in
 * a worker: closes those that the host and other workers need. */
void instance_leave_to_host(struct instance *instance);
void instance_leave_to_worker(struct instance *instance, unsigned index);

/* Whether the database is the private cluster. */
bool instance_is_embedded(const struct instance *instance);
/* Return libpq connection strings of the database's owner and of workers; for the cluster valid
 * once it was started. */
const char *instance_database_url(const struct instance *instance);
const char *instance_worker_url(const struct instance *instance);

/* Return the user of the children, if it differs from this process's; else NULL. Migrating the
 * private cluster needs its owner, which root may become, but no other right of root. */
const struct process_user *instance_worker_user(const struct instance *instance);
const struct process_user *instance_migrate_user(const struct instance *instance);
