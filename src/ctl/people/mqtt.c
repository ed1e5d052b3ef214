#include "domain/mqtt.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"

static const struct str path = {"/v1/account/mqtt", sizeof("/v1/account/mqtt") - 1};

static const struct record_field printed_fields[] = {
    RECORD_STR(struct mqtt_connection, url, .name = "url", .nullable = true),
    RECORD_STR(struct mqtt_connection, username, .name = "username", .nullable = true),
    RECORD_BOOL(struct mqtt_connection, has_password, .name = "hasPassword"),
    RECORD_BOOL(struct mqtt_connection, is_of_instance, .name = "isOfInstance"),
    RECORD_STR(struct mqtt_connection, state, .name = "state"),
    RECORD_TIMESTAMP(struct mqtt_connection, state_at_us, .name = "since", .nullable = true),
    RECORD_STR(struct mqtt_connection, error, .name = "error", .nullable = true),
};
static const struct record printed_record = RECORD(struct mqtt_connection, printed_fields);

enum ctl_exit ctl_mqtt_show(struct ctl *ctl)
{
	struct ctl_request request = {.path = path, .account = ctl_value(ctl, "account")};

	return ctl_show(ctl, &request, &printed_record);
}

enum ctl_exit ctl_mqtt_update(struct ctl *ctl)
{
	struct ctl_request request = {
	    .method = "PUT", .path = path, .account = ctl_value(ctl, "account")};
	const char *file = options_text(&ctl->options, "password-file");
	struct str password = {0};
	enum ctl_exit code = file ? ctl_read_line(ctl, file, &password) : CTL_DONE;

	if (code != CTL_DONE)
		return code;
	request.body = ctl_body_of_options(
	    ctl, (const struct ctl_member[]){{"password", password, false}, {0}});
	return ctl_show(ctl, &request, &printed_record);
}

enum ctl_exit ctl_mqtt_remove(struct ctl *ctl)
{
	struct ctl_request request = {
	    .method = "DELETE", .path = path, .account = ctl_value(ctl, "account")};

	return ctl_ask_row(ctl, &request, NULL, NULL);
}
