/* The form of an app: what it asks of those who install it.
 *
 *   renderer's schema (a script's author wrote it) --form_read()--> struct form --form_write()-->
 *   the pages' form
 *
 * A schema is a stranger's text, though a program of ours has passed it on: what has another shape
 * is refused, what is too long is refused, and names that are not known are left out. Texts lie in
 * the arena. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

enum {
	FORM_FIELDS_MAX = 200,
	FORM_OPTIONS_MAX = 5000, /* of a field */
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

/* Condition under which a field is not asked for. */
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
	struct str handler; /* its name for the renderer; empty: none */
	struct form_visibility visibility;
};

struct form {
	struct form_field *fields;
	unsigned count;
	bool has_made; /* those that its GENERATED fields make are among them */
};

/* schema: of an app, or what a handler of a GENERATED field returned. Empty: no fields. False: a
 * sentence is in *ret_reason. */
__attribute__((warn_unused_result)) bool form_read(struct str schema, struct arena *arena,
						   struct form *ret_form, struct str *ret_reason);

/* Reads the result of another field's handler: an array of options. */
__attribute__((warn_unused_result)) bool form_read_options(struct str result, struct arena *arena,
							   struct form_option **ret_options,
							   unsigned *ret_count,
							   struct str *ret_reason);

/* NULL: there is none. */
const struct form_field *form_find(const struct form *form, struct str id);

/* Appends the fields of more, which belong to one of its GENERATED fields. What has an ID that is
 * there already, or is one too many, is left out. */
void form_add(struct form *form, const struct form *more, struct arena *arena);

/* Whether it has GENERATED fields, and not what they make: nobody can say then of a name that it
 * does not have what it is. */
bool form_makes_more(const struct form *form);

enum { FORM_MAKERS_MAX = 8 }; /* GENERATED fields that are asked; a form with more has too many */

/* The next GENERATED field of the form's own fields, which come first; *seen counts them up. NULL:
 * there are no more. */
const struct form_field *form_next_maker(const struct form *form, unsigned own, unsigned *seen);

/* Whether a handler answers for it: it has options or fields to ask for. */
bool form_has_handler(const struct form_field *field);

/* Appends JSON arrays: FormField, FormOption of docs/web-openapi.json. */
void form_write(const struct form *form, struct buffer *buffer);
void form_write_options(const struct form_option *options, unsigned count, struct buffer *buffer);
