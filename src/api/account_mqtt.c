#include "api/operator_note.h"
#include "base/limits.h"
#include "domain/mqtt.h"
#include "domain/secret_settings.h"
#include "endpoints.h"
#include "local_url.h"

/* PUT /v1/account/mqtt - sets the account's connection to its MQTT broker. The worker
 * that holds it is notified of each change by the hint "mqtt:ACCOUNT" (render/bridge.h). */

struct mqtt_setting {
	struct mqtt_wish wish; /* first: the pre-handler checks read the request into it */
	struct local_url local;
	struct mqtt_connection connection;
};

static struct step_result fail_fixed(struct task *task)
{
	return task_fail(
	    task, PROBLEM_MQTT_OF_SERVER,
	    "the server's --mqtt option sets this connection; it cannot be changed here");
}

static struct step_result set(struct task *task)
{
	const struct mqtt_setting *setting = task_state(task);

	if (task_row_count(task) == 0)
		return fail_fixed(task);
	return task_reply_record(task, 200, &mqtt_connection_record, &setting->connection);
}

static struct step_result refused(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_MQTT_TOO_OFTEN:
		task_add_field(task, STR("Retry-After"), STR("5"));
		return task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
				 "the account's MQTT connection changes too often: at most 20 "
				 "times in a row, then once in 5 seconds");
	case CONSTRAINT_KEY_ENDED:
		return task_refuse(task);
	default:
		return task_fail_constraint(task);
	}
}

static struct step_result set_url(struct task *task)
{
	struct mqtt_setting *setting = task_state(task);
	struct buffer encrypted = {0};
	struct str password = {0};

	if (setting->wish.password.length) {
		settings_encrypt(api_service(task)->settings_key, task_account_id(task),
				 STR(MQTT_PASSWORD_PURPOSE), setting->wish.password, &encrypted);
		password = arena_copy(task_arena(task), buffer_view(&encrypted));
		buffer_finish(&encrypted);
	}
	statement_mqtt_set(task_new_query(task),
			   &(struct mqtt_set_parameters){
			       .account_id = task_account_id(task),
			       .key_hash = api_maker(task),
			       .url = setting->wish.url,
			       .username = setting->wish.username,
			       .password = password,
			       .address = task_request(task)->remote_address,
			       .session_id = api_noted_session(task),
			   },
			   &setting->connection);
	return task_query(task, set);
}

static struct step_result begin_set(struct task *task)
{
	struct mqtt_setting *setting = task_state(task);
	struct mqtt_broker broker;
	const char *wrong = mqtt_url_read(setting->wish.url, &broker);

	if (api_service(task)->why_no_mqtt)
		return task_fail(task, PROBLEM_MQTT_UNAVAILABLE, "%s",
				 api_service(task)->why_no_mqtt);
	return local_url_check(task, &setting->local, setting->wish.url,
			       wrong ? STR("") : str_from(broker.host), (struct id){0}, set_url);
}

ENDPOINT_ACCOUNT_MQTT_SET(.handler = begin_set, .state_size = sizeof(struct mqtt_setting),
			  .refused = refused);
