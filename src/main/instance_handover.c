#include "main/instance_handover.h"
#include "base/log.h"
#include "base/memory.h"
#include "main/secret_key.h"
#include "main/shared.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static void hand_over_socket(const struct listen_socket *socket, struct handover *handover)
{
	struct handover_socket *to = &handover->sockets[handover->socket_count++];

	*to = (struct handover_socket){
	    .fd = socket->fd,
	    .role = (int)socket->address.role,
	    .is_given = socket->is_given,
	    .device = socket->device,
	    .inode = socket->inode,
	};
	snprintf(to->scheme, sizeof(to->scheme), "%s", socket->address.scheme);
	snprintf(to->text, sizeof(to->text), "%s", socket->address.text);
}

/* Includes sockets of the old configuration only. */
static void hand_over_sockets(const struct instance *instance, struct handover *handover)
{
	for (unsigned i = 0; i < instance->other_socket_count; i++)
		hand_over_socket(&instance->other_sockets[i], handover);
	for (unsigned i = 0; instance->other_socket_count == 0 && i < instance->socket_count; i++)
		hand_over_socket(&instance->sockets[i], handover);
}

void instance_hand_over(const struct instance *instance, struct handover *handover)
{
	handover->lock_fd = instance->lock_fd;
	handover->shared_fd = instance->shared_fd;
	handover->postmaster_log_fd = instance->cluster.log_fd;
	handover->postmaster_socket_fd = instance->cluster.socket_fd;
	memcpy(handover->host_sockets, instance->host_sockets, sizeof(instance->host_sockets));
	memcpy(handover->worker_sockets, instance->worker_sockets,
	       sizeof(instance->worker_sockets));
	handover->socket_count = 0;
	hand_over_sockets(instance, handover);
}

static const char *find_scheme(const char *name)
{
	return strcmp(name, "https") == 0 ? "https" : "http";
}

static bool take_socket(const struct handover_socket *from, struct listen_socket *ret)
{
	*ret = (struct listen_socket){.fd = from->fd, .device = from->device, .inode = from->inode};
	if (listen_address_parse(str_from(from->text), &ret->address, &(struct reason){0}) < 0)
		return false;
	/* Older programs did not take IPv4 at "[::]". */
	if (!listen_address_is_unix(&ret->address) && !listen_socket_ask(from->fd, &ret->address))
		return false;
	if (from->role < 0 || from->role >= HTTP_ROLE_COUNT)
		return false;
	ret->address.role = (enum http_role)from->role;
	ret->address.scheme = find_scheme(from->scheme);
	return true;
}

/* Takes the sockets, except those of the service manager, which are open as at the start. */
static bool take_sockets(struct instance *instance, const struct handover *handover)
{
	for (unsigned i = 0; i < handover->socket_count; i++) {
		if (handover->sockets[i].is_given)
			continue;
		if (instance->socket_count == array_length(instance->sockets) ||
		    !take_socket(&handover->sockets[i], &instance->sockets[instance->socket_count]))
			return false;
		instance->socket_count++;
	}
	return true;
}

static enum exit_code take_memory(struct instance *instance, const struct handover *handover,
				  struct reason *reterr)
{
	instance->shared = shared_adopt(handover->shared_fd, config_worker_slots(instance->config),
					&instance->shared_fd);
	if (instance->shared)
		return EXIT_DONE;
	reason_set(reterr, "cannot map the shared memory: %s", strerror(errno));
	return EXIT_FAILED;
}

static void take_host(struct instance *instance, const struct handover *handover)
{
	memcpy(instance->host_sockets, handover->host_sockets, sizeof(instance->host_sockets));
	memcpy(instance->worker_sockets, handover->worker_sockets,
	       sizeof(instance->worker_sockets));
	instance_find_programs(instance);
	for (unsigned i = 0; instance->host_sockets[0] < 0 && i < RENDER_PROGRAM_COUNT; i++)
		if (!instance->missing[i])
			instance->missing[i] =
			    "the old program had no render host: restart displayd";
}

enum exit_code instance_take_over(struct instance *instance, const struct config *config,
				  const struct handover *handover,
				  struct instance_before *ret_before, struct reason *reterr)
{
	int (*change)(struct instance *, const struct config *, struct instance_before *,
		      struct reason *) =
	    handover->returned[0] ? instance_change_back : instance_change;
	enum exit_code code = instance_begin(instance, config, reterr);
	struct cluster_error why;

	if (code != EXIT_DONE)
		return code;
	instance->lock_fd = handover->lock_fd;
	code = instance_take_given_sockets(instance, reterr);
	if (code != EXIT_DONE)
		return code;
	if (!take_sockets(instance, handover)) {
		reason_set(reterr, "a socket that was handed over is not a listening socket");
		return EXIT_LISTEN;
	}
	if (secret_key_load(config->state_dir, config->secret_key_file, &instance->settings_key,
			    &instance->has_new_key, reterr) < 0)
		return EXIT_STATE_DIR;
	if (instance_is_embedded(instance) &&
	    cluster_adopt(config->state_dir, handover->postmaster, handover->postmaster_log_fd,
			  handover->postmaster_socket_fd, &instance->cluster, &why) < 0) {
		reason_set(reterr, "%s", why.text);
		return why.is_not_installed ? EXIT_NO_POSTGRESQL : EXIT_DATABASE;
	}
	take_host(instance, handover);
	code = take_memory(instance, handover, reterr); /* certificates lie in this memory */
	if (code != EXIT_DONE)
		return code;
	if (change(instance, config, ret_before, reterr) < 0)
		return EXIT_LISTEN;
	code = instance_give_up_rights(instance, reterr);
	if (code != EXIT_DONE)
		instance_undo(instance, ret_before); /* its sockets have files */
	return code;
}
