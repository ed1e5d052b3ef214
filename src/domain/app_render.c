#include "domain/app_render.h"

static const struct record_field entry_render_fields[] = {
    RECORD_TIMESTAMP(struct entry_render, rendered_at_us, .name = "renderedAt",
		     .column = "rendered_at", .nullable = true),
    RECORD_INT8(struct entry_render, took_ms, .name = "tookMs", .column = "took_ms",
		.nullable = true),
    RECORD_JSON(struct entry_render, log, .name = "log", .column = "log"),
    RECORD_JSON(struct entry_render, problem, .name = "problem", .column = "problem"),
    RECORD_TIMESTAMP(struct entry_render, paused_until_us, .name = "pausedUntil",
		     .column = "paused_until", .nullable = true),
    RECORD_BOOL(struct entry_render, is_version_paused, .name = "versionPaused",
		.column = "is_version_paused"),
    RECORD_BOOL(struct entry_render, has_nothing, .name = "hasNothing", .column = "has_nothing"),
    RECORD_JSON(struct entry_render, hosts, .name = "hosts", .column = "hosts"),
};
const struct record entry_render_record = RECORD(struct entry_render, entry_render_fields);

static const struct record_field app_renders_fields[] = {
    RECORD_STR(struct app_renders, version, .name = "version", .column = "version",
	       .nullable = true),
    RECORD_INT8(struct app_renders, installations, .name = "installations",
		.column = "installations"),
    RECORD_INT8(struct app_renders, renders, .name = "renders", .column = "renders"),
    RECORD_INT8(struct app_renders, failing, .name = "failing", .column = "failing"),
    RECORD_TIMESTAMP(struct app_renders, rendered_at_us, .name = "lastRenderedAt",
		     .column = "rendered_at", .nullable = true),
    RECORD_INT8(struct app_renders, average_ms, .name = "averageMs", .column = "average_ms",
		.nullable = true),
    RECORD_TIMESTAMP(struct app_renders, paused_until_us, .name = "pausedUntil",
		     .column = "paused_until", .nullable = true),
    RECORD_JSON(struct app_renders, failures, .name = "failures", .column = "failures"),
    RECORD_JSON(struct app_renders, hosts, .name = "hosts", .column = "hosts"),
    RECORD_JSON(struct app_renders, own_log, .name = "ownLog", .column = "own_log"),
};
const struct record app_renders_record = RECORD(struct app_renders, app_renders_fields);
