#include "panel_event.h"

static const struct record_field fields[] = {
    RECORD_ID(struct panel_event, device_id, .name = "deviceId"),
    RECORD_BOOL(struct panel_event, is_online, .name = "isOnline"),
    RECORD_TIMESTAMP(struct panel_event, last_online_us, .name = "lastOnline"),
    RECORD_STR(struct panel_event, connection, .name = "connection", .nullable = true),
    RECORD_BOOL(struct panel_event, is_acknowledged, .name = "isAcknowledged"),
    RECORD_STR(struct panel_event, picture, .name = "picture", .nullable = true),
    RECORD_STR(struct panel_event, kind, .name = "kind"),
    RECORD_STR(struct panel_event, installation_id, .name = "installationId", .nullable = true),
    RECORD_TIMESTAMP(struct panel_event, since_us, .name = "since", .nullable = true),
    RECORD_TIMESTAMP(struct panel_event, until_us, .name = "until", .nullable = true),
    RECORD_INT(struct panel_event, brightness, .name = "brightness"),
    RECORD_OPEN(.name = "next", .nullable = true,
		.offset = offsetof(struct panel_event, has_no_next)),
    RECORD_STR(struct panel_event, next_picture, .name = "picture", .nullable = true),
    RECORD_STR(struct panel_event, next_kind, .name = "kind"),
    RECORD_STR(struct panel_event, next_installation_id, .name = "installationId",
	       .nullable = true),
    RECORD_CLOSE(),
};
const struct record panel_event_record = RECORD(struct panel_event, fields);
