/* The settings of the instance's own connection to an MQTT broker: --mqtt and related ones. */
#pragma once

#include "main/config.h"
#include "main/reason.h"

enum { MQTT_SECRET_BYTES = 512 };

/* Checks a broker's URL. */
int config_check_mqtt(char *value, struct options_error *reterr);
/* Returns 0, or -1 with a reason: a setting lacks another one that it needs. */
__attribute__((warn_unused_result)) int config_check_mqtt_settings(const struct config *config,
								   struct options_error *reterr);

/* Reads the password of --mqtt-password-file; empty: none. Returns 0, or -1 with the reason. */
__attribute__((warn_unused_result)) int
config_load_mqtt_password(const struct config *config, char ret_password[static MQTT_SECRET_BYTES],
			  struct reason *reterr);
/* Logs if --mqtt is set but nothing connects to brokers. missing: the reason; NULL: brokers work.
 */
void config_complain_of_mqtt(const struct config *config, const char *missing);
