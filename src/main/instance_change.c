#include "main/instance_change.h"
#include "base/log.h"
#include "main/certificates.h"
#include "main/config_mqtt.h"

#include <sodium.h>
#include <string.h>

static const struct listen_socket *instance_change_find(const struct listen_socket *sockets,
							unsigned count, int fd)
{
	for (unsigned i = 0; i < count; i++)
		if (sockets[i].fd == fd)
			return &sockets[i];
	return NULL;
}

/* Closes sockets of one set that the other does not have. */
static void close_others(struct listen_socket *sockets, unsigned count,
			 const struct listen_socket *kept, unsigned kept_count)
{
	for (unsigned i = 0; i < count; i++) {
		if (instance_change_find(kept, kept_count, sockets[i].fd))
			continue;
		log_info("supervisor", "no longer listening",
			 LOG_TEXT("address", sockets[i].address.text));
		listen_socket_close(&sockets[i]);
	}
}

/* Older programs handed over their private socket as an admin listener. */
static bool is_role(const struct listen_socket *socket, const struct listen_address *address)
{
	return socket->address.role == address->role ||
	       (address->is_private && socket->address.role == HTTP_ROLE_ADMIN);
}

static bool is_for(const struct listen_socket *socket, const struct listen_address *address)
{
	return strcmp(socket->address.text, address->text) == 0 &&
	       strcmp(socket->address.scheme, address->scheme) == 0 && is_role(socket, address);
}

/* Does not take a socket twice: there may be several addresses with port 0. */
static const struct listen_socket *find_open(const struct instance_before *before,
					     const struct instance *instance,
					     const struct listen_address *address)
{
	for (unsigned i = 0; i < before->socket_count; i++)
		if (is_for(&before->sockets[i], address) &&
		    !instance_change_find(instance->sockets, instance->socket_count,
					  before->sockets[i].fd))
			return &before->sockets[i];
	return NULL;
}

static const struct listen_socket *find_at(const struct instance_before *before, const char *text)
{
	for (unsigned i = 0; i < before->socket_count; i++)
		if (strcmp(before->sockets[i].address.text, text) == 0)
			return &before->sockets[i];
	return NULL;
}

static int open_socket(const struct instance_before *before, const struct listen_address *address,
		       struct listen_socket *ret_socket, struct reason *reterr)
{
	const struct listen_socket *own = find_at(before, address->text);

	if (listen_socket_open(address, ret_socket, reterr) == 0)
		return 0;
	if (own)
		reason_set(
		    reterr,
		    "%s: this server already listens there for %s; changing that needs a restart",
		    address->text,
		    own->address.role == HTTP_ROLE_PUBLIC ? own->address.scheme
							  : "the admin listener");
	return -1;
}

static int listen_to(struct instance *instance, const struct instance_before *before,
		     const struct listen_address *address, struct reason *reterr)
{
	const struct listen_socket *open = find_open(before, instance, address);
	struct listen_socket *socket = &instance->sockets[instance->socket_count];

	if (open) {
		*socket = *open;
		/* Keep the open port; take everything else from the new configuration. */
		socket->address = *address;
		socket->address.address = open->address.address;
	} else if (open_socket(before, address, socket, reterr) < 0) {
		return -1;
	}
	instance->socket_count++;
	if (!open)
		log_info("supervisor", "listening", LOG_TEXT("address", socket->address.text),
			 LOG_INT("port", listen_socket_port(socket)),
			 LOG_TEXT("scheme", socket->address.scheme));
	return 0;
}

static int load_certificates(struct instance *instance, const struct config *config,
			     struct reason *reterr)
{
	if (config->tls_certificates.count == 0) {
		instance->tls_name[0] = 0;
		instance->tls_ends_at_s = 0;
		return 0;
	}
	return certificates_load(config, instance->shared, instance->tls_name,
				 &instance->tls_ends_at_s, reterr);
}

static int load_token(const struct config *config, uint8_t *ret_hash, struct reason *reterr)
{
	if (!config->metrics_token_file)
		return 0;
	return metrics_token_load(config->metrics_token_file, ret_hash, reterr);
}

/* Loads all files, or none. */
static int load_files(struct instance *instance, const struct config *config, struct reason *reterr)
{
	uint8_t token[METRICS_TOKEN_HASH_BYTES] = {0};
	struct config_secrets secrets;

	if (load_token(config, token, reterr) < 0 ||
	    config_load_secrets(config, &secrets, reterr) < 0 ||
	    load_certificates(instance, config, reterr) < 0)
		return -1;
	memcpy(instance->metrics_token_hash, token, sizeof(token));
	instance->secrets = secrets;
	config_complain_of_mqtt(config, instance->missing[RENDER_MQTT]);
	return 0;
}

/* Loads the files again. The workers serve with this configuration already, so an unusable file
 * does not end them: certificates stay in memory, and a random hash disables the token, since it
 * matches none. */
static void load_files_again(struct instance *instance, const struct config *config)
{
	struct reason why;

	if (load_token(config, instance->metrics_token_hash, &why) < 0) {
		randombytes_buf(instance->metrics_token_hash, METRICS_TOKEN_HASH_BYTES);
		log_error("supervisor", "cannot load the metrics token, new workers accept none",
			  LOG_TEXT("reason", why.text));
	}
	if (config_load_secrets(config, &instance->secrets, &why) < 0)
		log_error("supervisor", "cannot load a secret of the configuration",
			  LOG_TEXT("reason", why.text));
	if (load_certificates(instance, config, &why) < 0)
		log_error("tls", "cannot load the certificates, keeping the current ones",
			  LOG_TEXT("reason", why.text));
}

static void note_before(const struct instance *instance, struct instance_before *ret_before)
{
	*ret_before = (struct instance_before){.config = instance->config,
					       .socket_count = instance->socket_count};
	memcpy(ret_before->sockets, instance->sockets, sizeof(instance->sockets));
	memcpy(ret_before->tls_name, instance->tls_name, sizeof(instance->tls_name));
	memcpy(ret_before->public_url, instance->public_url, sizeof(instance->public_url));
	memcpy(ret_before->panel_url, instance->panel_url, sizeof(instance->panel_url));
	ret_before->secrets = instance->secrets;
	memcpy(ret_before->metrics_token_hash, instance->metrics_token_hash,
	       METRICS_TOKEN_HASH_BYTES);
}

static int change_sockets(struct instance *instance, const struct config *config,
			  struct instance_before *before, struct reason *reterr)
{
	instance->config = config;
	instance->socket_count = 0;
	instance->other_sockets = before->sockets;
	instance->other_socket_count = before->socket_count;
	for (unsigned i = 0; i < before->socket_count; i++)
		if (before->sockets[i].is_given)
			instance->sockets[instance->socket_count++] = before->sockets[i];
	for (unsigned i = 0; i < config->listen_count; i++) {
		if (!instance_wants(instance, &config->listen[i]) ||
		    listen_to(instance, before, &config->listen[i], reterr) == 0)
			continue;
		instance_undo(instance, before);
		return -1;
	}
	instance_choose_urls(instance);
	return 0;
}

int instance_change(struct instance *instance, const struct config *config,
		    struct instance_before *ret_before, struct reason *reterr)
{
	note_before(instance, ret_before);
	if (instance_check_given_sockets(instance, config, reterr) < 0 ||
	    load_files(instance, config, reterr) < 0)
		return -1;
	return change_sockets(instance, config, ret_before, reterr);
}

int instance_change_back(struct instance *instance, const struct config *config,
			 struct instance_before *ret_before, struct reason *reterr)
{
	note_before(instance, ret_before);
	load_files_again(instance, config);
	return change_sockets(instance, config, ret_before, reterr);
}

void instance_keep(struct instance *instance, struct instance_before *before)
{
	close_others(before->sockets, before->socket_count, instance->sockets,
		     instance->socket_count);
	instance->other_sockets = NULL;
	instance->other_socket_count = 0;
	/* Also drop certificates of another program, whose configuration is unknown. */
	if (instance->config->tls_certificates.count == 0)
		http_tls_forget(instance->shared);
}

void instance_undo(struct instance *instance, struct instance_before *before)
{
	bool has_tls = instance->config->tls_certificates.count > 0;
	struct reason why;

	close_others(instance->sockets, instance->socket_count, before->sockets,
		     before->socket_count);
	instance->other_socket_count = 0;
	instance->config = before->config;
	instance->socket_count = before->socket_count;
	memcpy(instance->sockets, before->sockets, sizeof(instance->sockets));
	/* Its files were valid a moment ago. */
	if (load_certificates(instance, before->config, &why) < 0)
		log_error("tls", "cannot read the certificates of the previous configuration",
			  LOG_TEXT("reason", why.text));
	if (has_tls && before->config->tls_certificates.count == 0)
		http_tls_forget(instance->shared);
	memcpy(instance->tls_name, before->tls_name, sizeof(instance->tls_name));
	instance->secrets = before->secrets;
	memcpy(instance->metrics_token_hash, before->metrics_token_hash, METRICS_TOKEN_HASH_BYTES);
	memcpy(instance->public_url, before->public_url, sizeof(instance->public_url));
	memcpy(instance->panel_url, before->panel_url, sizeof(instance->panel_url));
}
