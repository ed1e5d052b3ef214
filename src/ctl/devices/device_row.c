#include "device_row.h"
#include "domain/device_link.h"
#include "main/state_dir.h"
#include "web/site.h"

#include <stdlib.h>

static const struct record_field fields[] = {
    RECORD_ID(struct device_row, id, .name = "id"),
    RECORD_STR(struct device_row, name, .name = "name"),
    RECORD_STR(struct device_row, serial, .name = "serialNumber", .nullable = true),
    RECORD_STR(struct device_row, mac, .name = "macAddress", .nullable = true),
    RECORD_STR(struct device_row, key, .name = "key"),
    RECORD_STR(struct device_row, poll_url, .name = "pollUrl"),
    RECORD_STR(struct device_row, websocket_url, .name = "websocketUrl"),
    RECORD_TIMESTAMP(struct device_row, created_at_us, .name = "createdAt"),
};
const struct record device_row_record = RECORD(struct device_row, fields);

/* Returns the start of the panels' URLs: that of --public-url or the configuration, unless only
 * this machine can reach it, else that of the running server. */
static struct str panel_url(struct ctl *ctl)
{
	const char *chosen = ctl->config.public_url;
	struct str url;
	char *text;

	if (chosen && (ctl_value(ctl, "public-url").data || !site_is_loopback_url(chosen)))
		return str_from(chosen);
	text = state_dir_read_panel_url(ctl->config.state_dir);
	url = arena_copy(&ctl->arena, text ? str_from(text) : STR("http://localhost"));
	free(text);
	return url;
}

enum ctl_exit ctl_make_urls(struct ctl *ctl, struct id id, struct str key, struct device_row *row)
{
	struct str base = panel_url(ctl);
	struct device_link link = device_link_make(&ctl->arena, base, id, key);

	row->key = key;
	row->poll_url = link.polling_url;
	row->websocket_url = link.websocket_url;
	if (link.excess)
		return ctl_fail(
		    CTL_REFUSED,
		    "device URL has %zu characters, maximum %d; use a --public-url of %zu or less",
		    row->poll_url.length, DEVICE_URL_LENGTH_MAX, base.length - link.excess);
	return CTL_DONE;
}

enum ctl_exit ctl_check_urls(struct ctl *ctl)
{
	struct device_row row = {0};
	char key[LINK_KEY_LENGTH + 1];

	/* Over --server the server checks its own URLs. */
	if (ctl->remote)
		return CTL_DONE;
	link_key_new(key);
	return ctl_make_urls(ctl, id_new(), str_from(key), &row);
}

static const struct record_field answer_fields[] = {
    RECORD_OPEN(.name = "device"),
    RECORD_ID(struct device_row, id, .name = "id"),
    RECORD_STR(struct device_row, name, .name = "name"),
    RECORD_STR(struct device_row, serial, .name = "serialNumber", .nullable = true),
    RECORD_STR(struct device_row, mac, .name = "macAddress", .nullable = true),
    RECORD_TIMESTAMP(struct device_row, created_at_us, .name = "createdAt"),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "link"),
    RECORD_STR(struct device_row, key, .name = "key"),
    RECORD_STR(struct device_row, poll_url, .name = "pollingUrl"),
    RECORD_STR(struct device_row, websocket_url, .name = "webSocketUrl"),
    RECORD_CLOSE(),
};
static const struct record answer_record = RECORD(struct device_row, answer_fields);

enum ctl_exit ctl_make_device(struct ctl *ctl, const struct ctl_request *request)
{
	struct device_row row = {0};
	enum ctl_exit code = ctl_ask_row(ctl, request, &answer_record, &row);

	if (code == CTL_DONE && !ctl->remote)
		code = ctl_make_urls(ctl, row.id, row.key, &row);
	if (code == CTL_DONE)
		code = ctl_print_row(ctl, &device_row_record, &row);
	if (code == CTL_DONE && site_is_loopback_url(row.poll_url.data))
		fputs("displayctl: only programs on this machine can reach these URLs; for panels, "
		      "start the server with another --listen address or with --public-url\n",
		      stderr);
	return code;
}
