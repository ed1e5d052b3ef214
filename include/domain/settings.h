/* Settings of an app's installation: texts by the IDs of its form's fields, as the app gets them.
 *
 *   body --settings_read()--> struct settings --settings_check(form)--> open and secret settings
 *        --settings_write()--> canonical JSON: an object, its names sorted by their bytes
 *
 * Equal settings have equal canonical texts. Texts lie in the arena. */
#pragma once

#include "domain/form.h"
#include "record/fault.h"
#include "record/json.h"

enum {
	SETTINGS_MAX = 200,
	SETTINGS_BYTES_MAX = 64 * 1024, /* names and values */
	SETTINGS_READ_MAX = 5000,	/* by settings_read_all() */
};

struct setting {
	struct str name;
	struct str value;
	bool is_removed; /* null in a body: remove the secret */
};

/* Settings, sorted by unique names. */
struct settings {
	struct setting *items;
	unsigned count;
	struct str member; /* member of the body that faults name; data is NULL: "settings" */
};

/* Reads the member "settings" of a body; NULL: it was left out. Adds a fault for each setting that
 * is wrong regardless of the form; its pointer is "/settings/NAME". The texts of object must
 * outlive ret. */
void settings_read(const struct json_value *object, struct faults *faults,
		   struct settings *ret_settings);
/* Works as settings_read(), for a member of another name, which must be static. */
void settings_read_member(const struct json_value *object, struct str name, struct faults *faults,
			  struct settings *ret_settings);

/* Works as settings_read_member(), as programs for tronbyt servers write settings: null means that
 * the setting is left out, and other values than texts are made texts: a number, true or false, and
 * JSON of objects and arrays. */
void settings_read_any(const struct json_value *object, struct str name, struct faults *faults,
		       struct settings *ret_settings);

/* Works as settings_read_any(), but without limits of their number and total: settings_fit() has
 * these. */
void settings_read_all(const struct json_value *object, struct str name, struct faults *faults,
		       struct settings *ret_settings);

/* Reads a text that settings_write() wrote; other texts give no settings. */
void settings_parse(struct str json, struct arena *arena, struct settings *ret_settings);

/* Splits the settings that the form accepts, in normal form, into *ret_open and, if the field is
 * secret, *ret_secret. Names that the form does not have are left out; but if form_makes_more(),
 * they may belong to secret fields, so they go to *ret_secret. Adds a fault for each value that its
 * field does not accept. */
void settings_check(const struct settings *settings, const struct form *form, struct faults *faults,
		    struct settings *ret_open, struct settings *ret_secret);

/* Leaves out settings that settings_check() has returned, until the others fit: first those that
 * the form does not have, the last by name; then the largest. Adds a fault for each. */
void settings_fit(struct settings *open, struct settings *secret, const struct form *form,
		  struct faults *faults);

/* Makes the settings after a change of some: those sent, and stored open ones that the change does
 * not name and the form still accepts. Adds a fault if they are too long together. */
void settings_change(const struct settings *stored, const struct settings *sent,
		     const struct form *form, struct faults *faults, struct settings *ret_settings);

/* Merges both; if a name is in both, the second wins. Settings with is_removed are dropped. */
void settings_merge(const struct settings *first, const struct settings *second,
		    struct arena *arena, struct settings *ret_settings);

/* Filters settings that are stored in the clear: keeps those whose field is secret if are_secret,
 * else those whose field is not. A name that the form does not have is not secret. */
void settings_keep(struct settings *settings, const struct form *form, bool are_secret);
/* Removes, from settings that are stored encrypted, those whose field is no longer secret, and,
 * unless form_makes_more(), those that the form does not have. */
void settings_keep_secret(struct settings *settings, const struct form *form);

/* Returns the setting with this name, or NULL. */
const struct setting *settings_find(const struct settings *settings, struct str name);

/* Returns the field of this ID that has a handler. If there are several: the first that is shown
 * with these settings, else the first. NULL: none has a handler. */
const struct form_field *settings_find_asking(const struct settings *settings,
					      const struct form *form, struct str id);

/* Whether a setting names a field that the form does not have. */
bool settings_has_unknown(const struct settings *settings, const struct form *form);

/* Returns the argument for the handler of a GENERATED field: the value of its source, or the
 * source's default. */
struct str settings_of_source(const struct settings *settings, const struct form *form,
			      const struct form_field *field);

/* Returns the canonical text, in the arena. */
struct str settings_to_text(const struct settings *settings, struct arena *arena);
/* Appends the canonical text. */
void settings_write(const struct settings *settings, struct buffer *buffer);
