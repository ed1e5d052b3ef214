/* Another configuration for an instance that runs: listening sockets that both have stay open, new
 * ones are opened, and nothing is closed until it is known which of the two stays.
 *
 *   instance_change() -> ... fresh workers start ... -> instance_keep() | instance_undo() */
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
	char mqtt_password[MQTT_SECRET_BYTES];
};

/* Applies a new configuration to processes started from now on; it must not change what an instance
 * keeps to its end. 0, or -1 with a reason if it cannot listen, or use a certificate or the token
 * for metrics: then nothing has changed. */
__attribute__((warn_unused_result)) int instance_change(struct instance *instance,
							const struct config *config,
							struct instance_before *ret_before,
							struct reason *reterr);

/* The same for a program that goes on after another one failed in its place: workers have that
 * configuration, so it needs no file that it names. */
__attribute__((warn_unused_result)) int instance_change_back(struct instance *instance,
							     const struct config *config,
							     struct instance_before *ret_before,
							     struct reason *reterr);

/* Closes what the new configuration listens on no more; or goes back to the one before. */
void instance_keep(struct instance *instance, struct instance_before *before);
void instance_undo(struct instance *instance, struct instance_before *before);
