#include "main/config_mqtt.h"
#include "base/log.h"
#include "domain/mqtt.h"
int config_check_mqtt(char *value, struct options_error *reterr)
{
	struct mqtt_broker broker;
	const char *fault = mqtt_url_read(str_from(value), &broker);

	return fault ? options_error_set(reterr, "%s", fault) : 0;
}

int config_check_mqtt_settings(const struct config *config, struct options_error *reterr)
{
	const struct options *options = &config->options;
	const struct option_given *url = options_find_given(options, "mqtt");
	const struct option_given *account = options_find_given(options, "mqtt-account");
	const struct option_given *password = options_find_given(options, "mqtt-password-file");

	if (url && !account)
		return options_blame(options, url, reterr, "needs a --mqtt-account");
	if (account && !url)
		return options_blame(options, account, reterr, "needs a --mqtt");
	if (password && !options_find_given(options, "mqtt-username"))
		return options_blame(options, password, reterr, "needs a --mqtt-username");
	return 0;
}

void config_complain_of_mqtt(const struct config *config, const char *missing)
{
	if (config->mqtt_url && missing)
		log_error("mqtt", "--mqtt applies to no account", LOG_TEXT("reason", missing));
}
