/* Form of an app: the settings that it asks of people who install it.
 *
 *   schema from the renderer (written by the script's author) --form_read()--> struct form
 *   struct form --form_write()--> the pages' form
 *
 * A schema is untrusted, although it comes through our renderer: wrong shapes and excessive lengths
 * are refused, unknown names are left out. Texts lie in the arena. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

enum {
	FORM_FIELDS_MAX = 200,
	FORM_OPTIONS_MAX = 5000, /* options of a field */
	FORM_ID_BYTES_MAX = 200,
};

enum form_type {
	FORM_COLOR,
	FORM_DATETIME,
	FORM_DROPDOWN,
	FORM_GENERATED, /* no value: its fields depend on the value of another field */
	FORM_LOCATION,
	FORM_LOCATIONBASED, /* options that depend on a location */
	FORM_OAUTH1,
	FORM_OAUTH2,
	FORM_ONOFF,
	FORM_PNG, /* a photo */
	FORM_RADIO,
	FORM_TEXT,
	FORM_TYPEAHEAD, /* options that depend on what was typed */
	FORM_TYPE_COUNT,
};

struct form_option {
	struct str display, text, value;
};

/* Condition under which a field is hidden or disabled. */
struct form_visibility {
	struct str type;      /* "invisible", "disabled" */
	struct str condition; /* "equal", "not_equal" */
	struct str variable;  /* ID of another field */
	struct str value;
};

struct form_field {
	struct str id;
	enum form_type type;
	struct str name, description, icon;
	struct str default_value;
	bool has_default;
	bool has_visibility;
	bool is_secret;
	const struct form_option *options;
	unsigned option_count;
	const struct str *palette;
	unsigned palette_count;
	struct str source;  /* GENERATED */
	struct str handler; /* the handler's name for the renderer; empty: none */
	struct form_visibility visibility;
};

struct form {
	struct form_field *fields;
	unsigned count;
	bool has_made; /* includes the fields that its GENERATED fields make */
};

/* Reads a schema: of an app, or the result of a GENERATED field's handler. Empty: no fields.
 * Returns false with a sentence in *ret_reason if it is invalid. */
__attribute__((warn_unused_result)) bool form_read(struct str schema, struct arena *arena,
						   struct form *ret_form, struct str *ret_reason);

/* Reads the result of another field's handler: an array of options. Returns false with a sentence
 * in *ret_reason if it is invalid. */
__attribute__((warn_unused_result)) bool form_read_options(struct str result, struct arena *arena,
							   struct form_option **ret_options,
							   unsigned *ret_count,
							   struct str *ret_reason);

/* Returns the field with this ID, or NULL. */
const struct form_field *form_find(const struct form *form, struct str id);

/* Appends the fields of more, which belong to one of its GENERATED fields. Fields with an ID that
 * exists already, or beyond the maximum, are left out. */
void form_add(struct form *form, const struct form *more, struct arena *arena);

/* Whether it has GENERATED fields whose own fields were not made: then a name that the form does
 * not have may still be one of them. */
bool form_makes_more(const struct form *form);

enum {
	FORM_MAKERS_MAX = 8
}; /* GENERATED fields whose handlers are called; a form with more is
      refused */

/* The next GENERATED field of the form's own fields, which come first; *seen counts the fields
 * passed. NULL: there are no more. */
const struct form_field *form_next_maker(const struct form *form, unsigned own, unsigned *seen);

/* Whether the field has a handler that provides options or further fields. */
bool form_has_handler(const struct form_field *field);

/* Appends JSON arrays: FormField, FormOption of docs/api/pages. */
void form_write(const struct form *form, struct buffer *buffer);
void form_write_options(const struct form_option *options, unsigned count, struct buffer *buffer);
