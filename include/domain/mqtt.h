/* Connections of accounts to MQTT brokers, as their owners set and see them. */
#pragma once

#include "base/limits.h"
#include "domain/mqtt_records.h"

/* Purpose for which the password is encrypted (domain/secret_settings.h), with the account's ID in
 * place of a device's.
 */
#define MQTT_PASSWORD_PURPOSE "mqtt password"

enum { MQTT_HOST_BYTES = 256 };

/* Address of a broker. */
struct mqtt_broker {
	char host[MQTT_HOST_BYTES];
	unsigned port;
	bool is_tls;
};

/* Reads mqtt://HOST[:PORT] or mqtts://HOST[:PORT]. Returns NULL, or the fault ("must ..."). */
const char *mqtt_url_read(struct str url, struct mqtt_broker *ret_broker);

/* Maximum of a worker's connections: its share of LIMIT_MQTT_CONNECTIONS. workers: at least 1. */
static inline unsigned mqtt_share_of_worker(unsigned workers)
{
	unsigned share = LIMIT_MQTT_CONNECTIONS / workers;

	return share ? share : 1;
}
