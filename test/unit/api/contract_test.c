/* The API description matches the code: bodies, fields and limits of the record tables agree with
 * the schemas. */
#include "../contract_document.h"
#include "api/api.h"
#include "api/endpoints.h"
#include "base/memory.h"
#include "domain/account.h"
#include "domain/app.h"
#include "domain/device.h"
#include "domain/firmware.h"
#include "domain/installation.h"
#include "domain/push.h"
#include "domain/v0.h"
#include "http/static.h"

extern const struct http_static_file documents[];
extern const size_t documents_count;

static int read_document(void **state)
{
	const struct http_static_file *file =
	    http_static_find(documents, documents_count, STR("/openapi.json"));
	struct str text = file->bodies[HTTP_CODING_IDENTITY].bytes;

	(void)state;
	document = yyjson_read(text.data, text.length, 0);
	root = yyjson_doc_get_root(document);
	return root ? 0 : -1;
}

/* The document has a body exactly if the endpoint takes one. */
TEST(bodies_agree)
{
	yyjson_val *paths = yyjson_obj_get(root, "paths");
	size_t i, count, j, methods;
	yyjson_val *path, *item, *method, *operation;

	yyjson_obj_foreach(paths, i, count, path, item)
	{
		yyjson_obj_foreach(item, j, methods, method, operation)
		{
			const struct endpoint *endpoint;

			if (yyjson_equals_str(method, "parameters"))
				continue;
			endpoint =
			    find_route_in(&api_routes, yyjson_get_str(method), yyjson_get_str(path))
				->data;
			assert_int_equal(endpoint->body != NULL,
					 yyjson_obj_get(operation, "requestBody") != NULL);
			assert_ptr_equal(endpoint->access,
					 strncmp(yyjson_get_str(path), "/v0/", 4) == 0
					     ? &access_v0_api_key
					     : &access_api_key);
		}
	}
}

/* ---- records against schemas ---- */

static int64_t number_of(yyjson_val *schema, const char *name)
{
	yyjson_val *number = yyjson_obj_get(schema, name);

	return number ? yyjson_get_sint(number) : 0;
}

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

static void compare_limits(const struct record_field *field, yyjson_val *property)
{
	if (field->kind >= RECORD_KIND_INT && field->kind <= RECORD_KIND_INT8 &&
	    (field->minimum || field->maximum)) {
		assert_int_equal(number_of(property, "minimum"), field->minimum);
		assert_int_equal(number_of(property, "maximum"), field->maximum);
	}
	if (field->kind == RECORD_KIND_STR && (field->minimum || field->maximum)) {
		assert_int_equal(number_of(property, "minLength"), field->minimum);
		assert_int_equal(number_of(property, "maxLength"), field->maximum);
	}
}

/* The object schema of "app" in an installation is in an anyOf beside null. */
static yyjson_val *object_of(yyjson_val *property)
{
	yyjson_val *choices = yyjson_obj_get(property, "anyOf");

	return choices ? yyjson_arr_get_first(choices) : property;
}

/* Every named field is a property with the same limits, and there are no others. Covers fields
 * from *i to the end or the CLOSE of this object. chosen_by: the field that makes the schema one
 * of several for its record, or NULL. */
static void compare_object(const struct record *record, unsigned *i, yyjson_val *schema,
			   bool is_body, const char *chosen_by)
{
	yyjson_val *properties = yyjson_obj_get(schema, "properties");
	yyjson_val *required = yyjson_obj_get(schema, "required");
	size_t named = 0;

	for (; *i < record->field_count; (*i)++) {
		const struct record_field *field = &record->fields[*i];
		const char *name = is_body ? field->body : field->name;
		yyjson_val *property;

		if (field->kind == RECORD_KIND_CLOSE && !is_body)
			break;
		if (!name || (field->is_private && !record->has_private) ||
		    (is_body && field->is_alias))
			continue;
		named++;
		property = yyjson_obj_get(properties, name);
		if (!property)
			fail_msg("%s is not in the schema", name);
		property = resolve(property);
		compare_limits(field, property);
		if (!chosen_by || strcmp(chosen_by, name) != 0)
			assert_int_equal(is_in(required, name),
					 is_body ? field->required : !field->is_optional);
		if (field->kind == RECORD_KIND_OPEN) {
			(*i)++;
			compare_object(record, i, object_of(property), is_body, NULL);
		}
	}
	assert_int_equal(yyjson_obj_size(properties), named);
	/* Answers may have other members later; a part that bodies share is closed. */
	assert_true(!is_body || yyjson_is_false(yyjson_obj_get(schema, "additionalProperties")));
}

static void compare(const struct record *record, const char *name, bool is_body,
		    const char *chosen_by)
{
	yyjson_val *schemas = yyjson_obj_get(yyjson_obj_get(root, "components"), "schemas");
	unsigned i = 0;

	print_message("schema %s\n", name);
	assert_non_null(yyjson_obj_get(schemas, name));
	compare_object(record, &i, yyjson_obj_get(schemas, name), is_body, chosen_by);
}

TEST(bodies_match_their_schemas)
{
	/* A body without installationId is a TemporaryPush. */
	compare(&push_body_record, "EntryPush", true, "installationId");
	compare(&firmware_change_v0_record, "V0FirmwareUpdate", true, NULL);
	compare(&push_v0_body_record, "V0Push", true, NULL);
	compare(&push_app_body_record, "V0AppPush", true, NULL);
}

TEST(answers_match_their_schemas)
{
}

RUN_TESTS(read_document, free_document)
