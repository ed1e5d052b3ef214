#include "domain/form_schema.h"
#include "domain/settings.h"
#include "record/json.h"

static void write_text(struct buffer *json, const char *name, struct str text)
{
	buffer_printf(json, ",\"%s\":", name);
	json_write_str(json, text);
}

static void write_options(const struct form_field *field, struct buffer *json)
{
	/* Without options, no value is valid. */
	if (field->option_count == 0) {
		buffer_append_str(json, STR(",\"not\":{}"));
		return;
	}
	buffer_append_str(json, STR(",\"anyOf\":["));
	for (unsigned i = 0; i < field->option_count; i++) {
		buffer_append_str(json, i ? STR(",{\"const\":") : STR("{\"const\":"));
		json_write_str(json, field->options[i].value);
		write_text(json, "title", field->options[i].display);
		buffer_append_char(json, '}');
	}
	buffer_append_char(json, ']');
}

static void write_color(const struct form_field *field, struct buffer *json)
{
	buffer_append_str(json, STR(",\"pattern\":\"^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$\""));
	if (field->palette_count == 0)
		return;
	buffer_append_str(json, STR(",\"examples\":["));
	for (unsigned i = 0; i < field->palette_count; i++) {
		if (i)
			buffer_append_char(json, ',');
		json_write_str(json, field->palette[i]);
	}
	buffer_append_char(json, ']');
}

static void write_type(const struct form_field *field, struct buffer *json)
{
	switch (field->type) {
	case FORM_ONOFF:
		buffer_append_str(json, STR(",\"enum\":[\"true\",\"false\"]"));
		return;
	case FORM_DROPDOWN:
	case FORM_RADIO:
		write_options(field, json);
		return;
	case FORM_COLOR:
		write_color(field, json);
		return;
	case FORM_DATETIME:
		buffer_append_str(json,
				  STR(",\"anyOf\":[{\"format\":\"date-time\"},{\"const\":\"\"}]"));
		return;
	case FORM_LOCATION:
		buffer_append_str(json, STR(",\"contentMediaType\":\"application/json\","
					    "\"contentSchema\":{\"type\":\"object\","
					    "\"required\":[\"lat\",\"lng\"]}"));
		return;
	case FORM_LOCATIONBASED:
	case FORM_TYPEAHEAD:
		buffer_append_str(json, STR(",\"contentMediaType\":\"application/json\","
					    "\"contentSchema\":{\"type\":\"object\","
					    "\"required\":[\"value\"]}"));
		return;
	case FORM_PNG:
		buffer_append_str(json, STR(",\"contentEncoding\":\"base64\""));
		return;
	default:
		return;
	}
}

static void write_field(const struct form_field *field, struct buffer *json)
{
	/* null removes a stored secret. */
	buffer_append_str(json, field->is_secret ? STR("{\"type\":[\"string\",\"null\"]")
						 : STR("{\"type\":\"string\""));
	write_text(json, "title", field->name);
	if (field->description.length)
		write_text(json, "description", field->description);
	if (field->has_default)
		write_text(json, "default", field->default_value);
	if (field->is_secret)
		buffer_append_str(json, STR(",\"writeOnly\":true"));
	write_type(field, json);
	buffer_append_char(json, '}');
}

static bool can_be_set(const struct form_field *field)
{
	return field->type != FORM_GENERATED && field->type != FORM_OAUTH1 &&
	       field->type != FORM_OAUTH2;
}

/* Returns the next field of this ID that can be set; NULL: none. */
static const struct form_field *next_of(const struct form *form, struct str id,
					const struct form_field *field)
{
	for (; field < form->fields + form->count; field++)
		if (can_be_set(field) && str_equal(field->id, id))
			return field;
	return NULL;
}

/* A value that fits one of several fields of an ID is accepted. */
static void write_property(const struct form *form, const struct form_field *first,
			   struct buffer *json)
{
	const struct form_field *field = next_of(form, first->id, first + 1);

	json_write_str(json, first->id);
	buffer_append_char(json, ':');
	if (!field) {
		write_field(first, json);
		return;
	}
	buffer_append_str(json, first->is_secret ? STR("{\"writeOnly\":true,\"anyOf\":[")
						 : STR("{\"anyOf\":["));
	write_field(first, json);
	for (; field; field = next_of(form, first->id, field + 1)) {
		buffer_append_char(json, ',');
		write_field(field, json);
	}
	buffer_append_str(json, STR("]}"));
}

void form_write_schema(const struct form *form, struct str title, struct buffer *json)
{
	bool is_first = true;

	buffer_append_str(json,
			  STR("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\""));
	write_text(json, "title", title);
	buffer_append_str(json, STR(",\"type\":\"object\",\"properties\":{"));
	for (unsigned i = 0; i < form->count; i++) {
		const struct form_field *field = &form->fields[i];

		if (next_of(form, field->id, form->fields) != field)
			continue;
		if (!is_first)
			buffer_append_char(json, ',');
		is_first = false;
		write_property(form, field, json);
	}
	buffer_append_str(json, STR("},\"additionalProperties\":"));
	buffer_append_str(json, form_makes_more(form) ? STR("{\"type\":[\"string\",\"null\"]}")
						      : STR("false"));
	buffer_printf(json, ",\"maxProperties\":%d}", SETTINGS_MAX);
}
