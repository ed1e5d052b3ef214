/* The settings of the instance's own connection to an MQTT broker: --mqtt and related ones. */
#pragma once

#include "main/config.h"

/* Checks a broker's URL. */
int config_check_mqtt(char *value, struct options_error *reterr);
/* Returns 0, or -1 with a reason: a setting lacks another one that it needs. */
__attribute__((warn_unused_result)) int config_check_mqtt_settings(const struct config *config,
								   struct options_error *reterr);

/* Logs if --mqtt is set but nothing connects to brokers. missing: the reason; NULL: brokers work.
 */
void config_complain_of_mqtt(const struct config *config, const char *missing);
