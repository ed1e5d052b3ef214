#include "domain/installation.h"

static const struct record_field installation_fields[] = {
    RECORD_STR(struct installation, id, .name = "id", .column = "id"),
    RECORD_BOOL(struct installation, is_pushed, .column = "is_pushed"),
    RECORD_OPEN(.name = "app", .nullable = true,
		.offset = offsetof(struct installation, is_pushed)),
    RECORD_ID(struct installation, app_id, .name = "id", .column = "app_id", .nullable = true),
    RECORD_STR(struct installation, app_name, .name = "name", .column = "app_name",
	       .nullable = true),
    RECORD_CLOSE(),
    RECORD_TIMESTAMP(struct installation, created_at_us, .name = "createdAt",
		     .column = "created_at"),
};
const struct record installation_record = RECORD(struct installation, installation_fields);
