/* Changes the configuration of a running instance: listening sockets of both stay open, new ones
 * are opened, and nothing is closed until it is known which configuration stays.
 *
 *   instance_change() -> ... new workers start ... -> instance_keep() | instance_undo() */
#pragma once

#include "main/instance.h"

/* State of an instance before a change. */
struct instance_before {
	const struct config *config;
	struct listen_socket sockets[CONFIG_LISTENERS_MAX + LISTEN_GIVEN_MAX];
	unsigned socket_count;
	char tls_name[HTTP_TLS_NAME_BYTES];
	char public_url[256];
	char panel_url[256];
	uint8_t metrics_token_hash[METRICS_TOKEN_HASH_BYTES];
	struct config_secrets secrets;
};

/* Applies a new configuration to processes started from now on; it must not change fixed settings.
 * Returns 0, or -1 with a reason if it cannot listen, or use a certificate or the token for
 * metrics: then nothing has changed. */
__attribute__((warn_unused_result)) int instance_change(struct instance *instance,
							const struct config *config,
							struct instance_before *ret_before,
							struct reason *reterr);

/* Works as instance_change(), for a program that continues after another one failed to replace it:
 * workers have that configuration already, so its files may be missing. */
__attribute__((warn_unused_result)) int instance_change_back(struct instance *instance,
							     const struct config *config,
							     struct instance_before *ret_before,
							     struct reason *reterr);

/* The first closes sockets that the new configuration does not have; the second returns to the old
 * configuration. */
void instance_keep(struct instance *instance, struct instance_before *before);
void instance_undo(struct instance *instance, struct instance_before *before);
