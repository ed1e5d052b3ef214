#include "domain/studio.h"
#include "base/limits.h"
#include "domain/app.h"
#include "domain/device.h"

#include <text/utf8.h>

static const struct record_field catalogue_app_fields[] = {
    RECORD_ID(struct catalogue_app, id, .name = "id", .column = "id"),
    RECORD_STR(struct catalogue_app, slug, .name = "slug", .column = "slug"),
    RECORD_STR(struct catalogue_app, path, .name = "path", .column = "path", .nullable = true,
	       .is_optional = true),
    RECORD_STR(struct catalogue_app, name, .name = "name", .column = "name"),
    RECORD_STR(struct catalogue_app, description, .name = "description", .column = "description"),
    RECORD_STR(struct catalogue_app, version, .name = "version", .column = "version"),
    RECORD_STR(struct catalogue_app, author, .name = "author", .column = "author"),
    RECORD_BOOL(struct catalogue_app, is_own, .name = "isOwn", .column = "is_own"),
    RECORD_BOOL(struct catalogue_app, is_private, .name = "isPrivate", .column = "is_private"),
    RECORD_STR(struct catalogue_app, picture, .name = "picture", .column = "picture",
	       .nullable = true),
    RECORD_JSON(struct catalogue_app, hosts, .name = "hosts", .column = "hosts"),
    RECORD_STR(struct catalogue_app, collection, .name = "collection", .column = "collection",
	       .nullable = true, .is_optional = true),
    RECORD_STR(struct catalogue_app, category, .name = "category", .column = "category",
	       .nullable = true, .is_optional = true),
    RECORD_JSON(struct catalogue_app, tags, .name = "tags", .column = "tags", .nullable = true,
		.is_optional = true),
    RECORD_STR(struct catalogue_app, broken_reason, .name = "brokenReason",
	       .column = "broken_reason", .nullable = true, .is_optional = true),
};
const struct record catalogue_app_record = RECORD(struct catalogue_app, catalogue_app_fields);

static const struct record_field app_detail_fields[] = {
    RECORD_ID(struct catalogue_app, id, .name = "id"),
    RECORD_STR(struct catalogue_app, slug, .name = "slug"),
    RECORD_STR(struct catalogue_app, name, .name = "name"),
    RECORD_STR(struct catalogue_app, description, .name = "description"),
    RECORD_STR(struct catalogue_app, version, .name = "version"),
    RECORD_OPEN(.name = "author"),
    RECORD_STR(struct catalogue_app, author, .name = "name"),
    RECORD_CLOSE(),
    RECORD_BOOL(struct catalogue_app, is_private, .name = "isPrivate"),
    RECORD_STR(struct catalogue_app, picture, .name = "picture", .nullable = true),
    RECORD_JSON(struct catalogue_app, hosts, .name = "hosts"),
    RECORD_STR(struct catalogue_app, collection, .name = "collection", .nullable = true,
	       .is_optional = true),
    RECORD_STR(struct catalogue_app, category, .name = "category", .nullable = true,
	       .is_optional = true),
    RECORD_JSON(struct catalogue_app, tags, .name = "tags", .nullable = true, .is_optional = true),
    RECORD_STR(struct catalogue_app, broken_reason, .name = "brokenReason", .nullable = true,
	       .is_optional = true),
};
const struct record app_detail_record = RECORD(struct catalogue_app, app_detail_fields);

static const struct record_field app_device_fields[] = {
    RECORD_ID(struct app_device, id, .name = "id", .column = "id"),
    RECORD_STR(struct app_device, name, .name = "name", .column = "name"),
    RECORD_INT4(struct app_device, entry_count, .name = "entryCount", .column = "entry_count"),
    RECORD_JSON(struct app_device, installations, .name = "installations",
		.column = "installations"),
    RECORD_TIMESTAMP(struct app_device, created_at_us, .column = "created_at"),
};
const struct record app_device_record = RECORD(struct app_device, app_device_fields);

/* ---- authors ---- */

const char *app_slug_check(struct str slug)
{
	struct id id;

	for (size_t i = 0; i < slug.length; i++) {
		char c = slug.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return "must have only lower-case letters, digits and \"-\"";
	}
	if (slug.length && (slug.data[0] == '-' || slug.data[slug.length - 1] == '-'))
		return "must begin and end with a letter or a digit";
	return id_parse(slug, &id) ? "must not look like an ID" : NULL;
}

struct str app_slug_of(struct str name, struct arena *arena)
{
	char slug[APP_SLUG_LENGTH_MAX];
	size_t length = 0;

	for (size_t i = 0; i < name.length && length < sizeof(slug); i++) {
		char c = name.data[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			slug[length++] = c;
		else if (length > 0 && slug[length - 1] != '-')
			slug[length++] = '-';
	}
	while (length > 0 && slug[length - 1] == '-')
		length--;
	return arena_copy(arena, (struct str){slug, length});
}

const char *app_text_check(struct str text)
{
	while (text.length) {
		uint32_t c = utf8_next(&text);

		if (utf8_is_control(c) && c != '\n' && c != '\t')
			return "must not contain control characters";
	}
	return NULL;
}

static const char *visibility_check(struct str visibility)
{
	return str_equal(visibility, STR("private")) || str_equal(visibility, STR("public"))
		   ? NULL
		   : APP_VISIBILITY_FAULT;
}

/* The operator may also make legacy apps: own_app_create.c. */
const char *app_visibility_check(struct str visibility)
{
	return str_equal(visibility, STR("legacy")) ? NULL : visibility_check(visibility);
}

const char *app_draft_check(struct str script)
{
	return script.length <= LIMIT_SCRIPT_BYTES ? NULL : "must have at most 1000000 bytes";
}

static void change_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

static const struct record_field own_app_fields[] = {
    RECORD_ID(struct own_app, id, .name = "id", .column = "id"),
    RECORD_STR(struct own_app, slug, .name = "slug", .column = "slug"),
    RECORD_STR(struct own_app, name, .name = "name", .column = "name"),
    RECORD_STR(struct own_app, description, .name = "description", .column = "description"),
    RECORD_STR(struct own_app, visibility, .name = "visibility", .column = "visibility"),
    RECORD_STR(struct own_app, status, .name = "status", .column = "status"),
    RECORD_STR(struct own_app, version, .name = "version", .column = "version", .nullable = true),
    RECORD_STR(struct own_app, pending_version, .name = "pendingVersion",
	       .column = "pending_version", .nullable = true),
    RECORD_TIMESTAMP(struct own_app, created_at_us, .name = "createdAt", .column = "created_at"),
    RECORD_STR(struct own_app, collection, .name = "collection", .column = "collection",
	       .nullable = true, .is_optional = true),
    RECORD_STR(struct own_app, broken_reason, .name = "brokenReason", .column = "broken_reason",
	       .nullable = true, .is_optional = true),
};
const struct record own_app_record = RECORD(struct own_app, own_app_fields);

static const struct record_field app_creation_fields[] = {
    RECORD_STR(struct app_creation, slug, .body = "slug", .required = true, .minimum = 1,
	       .maximum = APP_SLUG_LENGTH_MAX, .check = app_slug_check),
    RECORD_STR(struct app_creation, name, .body = "name", .required = true, .minimum = 1,
	       .maximum = APP_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct app_creation, description, .body = "description",
	       .maximum = APP_DESCRIPTION_LENGTH_MAX, .check = app_text_check),
    RECORD_STR(struct app_creation, visibility, .body = "visibility",
	       .check = app_visibility_check),
};
const struct record app_creation_record = RECORD(struct app_creation, app_creation_fields);

static const struct record_field app_update_fields[] = {
    RECORD_STR(struct app_update, name, .body = "name", .column = "name", .minimum = 1,
	       .maximum = APP_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct app_update, description, .body = "description", .column = "description",
	       .maximum = APP_DESCRIPTION_LENGTH_MAX, .check = app_text_check),
    RECORD_STR(struct app_update, visibility, .body = "visibility", .column = "visibility",
	       .check = visibility_check),
};
const struct record app_update_record =
    RECORD(struct app_update, app_update_fields, .check = change_check);

static const struct record_field app_draft_fields[] = {
    RECORD_STR(struct app_draft, script_language, .name = "scriptLanguage",
	       .column = "script_language"),
    RECORD_STR(struct app_draft, script_content, .name = "scriptContent",
	       .column = "script_content"),
    RECORD_INT8(struct app_draft, revision, .name = "revision", .column = "revision"),
    RECORD_TIMESTAMP(struct app_draft, updated_at_us, .name = "updatedAt", .column = "updated_at",
		     .nullable = true),
};
const struct record app_draft_record = RECORD(struct app_draft, app_draft_fields);

static const struct record_field draft_change_fields[] = {
    RECORD_STR(struct draft_change, script_language, .body = "scriptLanguage", .required = true,
	       .check = app_language_check),
    RECORD_STR(struct draft_change, script_content, .body = "scriptContent", .required = true,
	       .check = app_draft_check),
    RECORD_INT(struct draft_change, revision, .body = "revision", .required = true, .minimum = 0,
	       .maximum = DRAFT_REVISION_MAX),
};
const struct record draft_change_record = RECORD(struct draft_change, draft_change_fields);

static const struct record_field draft_saved_fields[] = {
    RECORD_INT8(struct draft_saved, revision, .name = "revision", .column = "revision"),
    RECORD_TIMESTAMP(struct draft_saved, updated_at_us, .name = "updatedAt",
		     .column = "updated_at"),
};
const struct record draft_saved_record = RECORD(struct draft_saved, draft_saved_fields);

static const struct record_field app_script_fields[] = {
    RECORD_STR(struct app_script, version, .name = "version", .column = "version"),
    RECORD_STR(struct app_script, script_language, .name = "scriptLanguage",
	       .column = "script_language"),
    RECORD_STR(struct app_script, script_content, .name = "scriptContent",
	       .column = "script_content"),
};
const struct record app_script_record = RECORD(struct app_script, app_script_fields);
