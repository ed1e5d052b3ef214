/* The description of the pages' endpoints matches the code: access, fields and limits of the
 * record tables agree with the schemas. */
#include "../contract_document.h"
#include "base/limits.h"
#include "base/memory.h"
#include "domain/account_import.h"
#include "domain/app.h"
#include "domain/app_body.h"
#include "domain/app_import.h"
#include "domain/app_render.h"
#include "domain/device_lines.h"
#include "domain/entry_change.h"
#include "domain/firmware_image.h"
#include "domain/installation.h"
#include "domain/person.h"
#include "domain/review.h"
#include "domain/studio.h"
#include "task/task.h"
#include "web/access.h"
#include "web/devices/own_device.h"
#include "web/studio/own_versions.h"
#include "web/web.h"

static int read_document(void **state)
{
	(void)state;
	document = yyjson_read_file(DOCUMENT, 0, NULL, NULL);
	root = yyjson_doc_get_root(document);
	return root ? 0 : -1;
}

/* Operations without a session are for visitors; the path shows which ones are for
 * administrators. */
static const struct access *access_of(const char *path, yyjson_val *operation)
{
	if (yyjson_obj_get(operation, "security"))
		return &access_visitor;
	if (strncmp(path, "/web/reviews", 12) == 0)
		return &access_reviewer;
	return strncmp(path, "/web/admin/", 11) == 0 ? &access_administrator : &access_session;
}

/* Scripts, and comments on their lines, are long. */
static size_t body_limit_of(const struct record *body)
{
	if (body == &app_upload_record || body == &draft_change_record ||
	    body == &draft_preview_request_record || body == &draft_handler_call_record ||
	    body == &device_lines_record || body == &collection_choice_record)
		return 4 * 1024 * 1024;
	if (body == &app_import_record || body == &firmware_addition_record)
		return 12 * 1024 * 1024;
	if (body == &account_import_lines_record)
		return LIMIT_LINES_BODY_BYTES;
	if (body == &installing_record || body == &handler_call_record ||
	    body == &preview_request_record || body == &review_preview_request_record ||
	    body == &review_handler_call_record || body == &settings_change_record)
		return LIMIT_SETTINGS_BODY_BYTES;
	if (body == &rotation_order_record)
		return LIMIT_ROTATION_BODY_BYTES;
	return body == &review_decision_record ? 1024 * 1024 : 16 * 1024;
}

static void compare_operation(const char *method, const char *path, yyjson_val *operation)
{
	const struct route *route = find_route_in(&web_routes, method, path);
	const struct endpoint *endpoint;

	if (!route)
		fail_msg("%s %s has no route", method, path);
	endpoint = route->data;
	assert_ptr_equal(endpoint->access, access_of(path, operation));
	/* Endpoints of the public API have the public API's limits. Members read what
	 * administrators change. */
	if (endpoint->same_as) {
		endpoint = endpoint->same_as;
		assert_true(endpoint->access == &access_api_key ||
			    (endpoint->access == &access_administrator && !endpoint->body));
	} else if (endpoint->body) {
		assert_in_range(endpoint->body_max_bytes, 1, body_limit_of(endpoint->body));
	}
	assert_int_equal(endpoint->body != NULL, yyjson_obj_get(operation, "requestBody") != NULL);
}

TEST(every_operation_has_its_route)
{
	yyjson_val *paths = yyjson_obj_get(root, "paths");
	size_t i, count, j, methods;
	yyjson_val *path, *item, *method, *operation;
	unsigned operations = 0;

	yyjson_obj_foreach(paths, i, count, path, item)
	{
		yyjson_obj_foreach(item, j, methods, method, operation)
		{
			if (yyjson_equals_str(method, "parameters"))
				continue;
			operations++;
			compare_operation(yyjson_get_str(method), yyjson_get_str(path), operation);
		}
	}
	assert_int_equal(operations, web_routes.count);
}

/* ---- records against schemas ---- */

static bool is_in(yyjson_val *array, const char *text)
{
	size_t i, count;
	yyjson_val *item;

	yyjson_arr_foreach(array, i, count, item)
	{
		if (yyjson_equals_str(item, text))
			return true;
	}
	return false;
}

static void compare_field(const struct record_field *field, const char *name, yyjson_val *schema,
			  bool is_body)
{
	yyjson_val *property = yyjson_obj_get(yyjson_obj_get(schema, "properties"), name);
	yyjson_val *required = yyjson_obj_get(schema, "required");

	if (!property)
		fail_msg("%s is not in the schema", name);
	property = resolve(property);
	if (is_body && field->kind == RECORD_KIND_STR) {
		assert_int_equal(yyjson_get_sint(yyjson_obj_get(property, "minLength")),
				 field->minimum);
		assert_int_equal(yyjson_get_sint(yyjson_obj_get(property, "maxLength")),
				 field->maximum);
	}
	if (!is_body && field->nullable && !field->is_optional)
		assert_true(is_in(yyjson_obj_get(property, "type"), "null"));
	assert_int_equal(is_in(required, name), is_body ? field->required : !field->is_optional);
}

/* The schema of an object in an answer, which may be null. */
static yyjson_val *object_schema(yyjson_val *property)
{
	yyjson_val *choices = yyjson_obj_get(property, "anyOf");

	return resolve(choices ? yyjson_arr_get_first(choices) : property);
}

/* Returns how many members of the schema the record has. *i: the first field of an object;
 * afterwards its CLOSE. */
static size_t compare_fields(const struct record *record, unsigned *i, yyjson_val *schema,
			     bool is_body)
{
	size_t named = 0;

	for (; *i < record->field_count; ++*i) {
		const struct record_field *field = &record->fields[*i];
		const char *field_name = is_body ? field->body : field->name;
		yyjson_val *inner;
		unsigned first = 0;

		if (field->kind == RECORD_KIND_CLOSE && !is_body)
			break;
		if (field->is_shown)
			named += compare_fields(field->row, &first, schema, is_body);
		if (!field_name || (field->is_private && !record->has_private))
			continue;
		named++;
		if (field->kind == RECORD_KIND_OPEN) {
			inner = yyjson_obj_get(yyjson_obj_get(schema, "properties"), field_name);
			assert_non_null(inner);
			assert_int_equal(field->nullable, yyjson_obj_get(inner, "anyOf") != NULL);
			inner = object_schema(inner);
			++*i;
			assert_int_equal(compare_fields(record, i, inner, is_body),
					 yyjson_obj_size(yyjson_obj_get(inner, "properties")));
			continue;
		}
		compare_field(field, field_name, schema, is_body);
	}
	return named;
}

static void compare(const struct record *record, const char *name, bool is_body)
{
	yyjson_val *schemas = yyjson_obj_get(yyjson_obj_get(root, "components"), "schemas");
	yyjson_val *schema = yyjson_obj_get(schemas, name);
	unsigned first = 0;

	print_message("schema %s\n", name);
	assert_non_null(schema);
	assert_int_equal(compare_fields(record, &first, schema, is_body),
			 yyjson_obj_size(yyjson_obj_get(schema, "properties")));
	/* Answers may have other members later; a part that bodies share is closed. */
	assert_true(!is_body || yyjson_is_false(yyjson_obj_get(schema, "additionalProperties")));
}

TEST(bodies_match_their_schemas)
{
	compare(&installing_record, "Installing", true);
	compare(&handler_call_record, "HandlerCall", true);
	compare(&preview_request_record, "PreviewRequest", true);
	compare(&draft_handler_call_record, "DraftHandlerCall", true);
	compare(&draft_preview_request_record, "DraftPreviewRequest", true);
	compare(&review_handler_call_record, "ReviewHandlerCall", true);
	compare(&review_preview_request_record, "ReviewPreviewRequest", true);
	compare(&settings_change_record, "SettingsChange", true);
}

TEST(answers_match_their_schemas)
{
	compare(&own_device_record, "Device", false);
	compare(&own_version_record, "OwnVersion", false);
}

RUN_TESTS(read_document, free_document)
