/* The settings of an app's installation: texts by the IDs of its form's fields, as the app gets
 * them.
 *
 *   body --settings_read()--> struct settings --settings_check(form)--> open and secret ones
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
};

struct setting {
	struct str name;
	struct str value;
	bool is_removed; /* null in a body: a secret that is given up */
};

/* Sorted by name; a name is there once. */
struct settings {
	struct setting *items;
	unsigned count;
	struct str member; /* of the body, which faults name; data is NULL: "settings" */
};

/* The member "settings" of a body; NULL: it was left out. Adds a fault for each that is wrong,
 * whatever the form: its pointer is "/settings/NAME". Its texts must outlast ret. */
void settings_read(const struct json_value *object, struct faults *faults,
		   struct settings *ret_settings);
/* The same of a member of another name, which is static. */
void settings_read_member(const struct json_value *object, struct str name, struct faults *faults,
			  struct settings *ret_settings);

/* A text that settings_write() wrote; what is none has no settings. */
void settings_parse(struct str json, struct arena *arena, struct settings *ret_settings);

/* Sorts out what the form takes, in normal form: *ret_open, and *ret_secret where its field is
 * secret. Names that the form does not have are left out; but where form_makes_more() they may be
 * of fields that are secret, so that they are. Adds a fault for each value that its field does not
 * take. */
void settings_check(const struct settings *settings, const struct form *form, struct faults *faults,
		    struct settings *ret_open, struct settings *ret_secret);

/* Makes the settings that a change of some leaves: those sent, and the stored plain ones that the
 * change does not name and the form still takes. Adds a fault if they are too long together. */
void settings_change(const struct settings *stored, const struct settings *sent,
		     const struct form *form, struct faults *faults, struct settings *ret_settings);

/* All of both; where a name is in both, the second has it. What is_removed is in neither. */
void settings_merge(const struct settings *first, const struct settings *second,
		    struct arena *arena, struct settings *ret_settings);

/* Removes, from settings that are stored in the clear, those whose field is not secret, or, unless
 * are_secret, those whose field is. A name that the form does not have is not secret. */
void settings_keep(struct settings *settings, const struct form *form, bool are_secret);
/* Removes, from settings that are stored as secrets, those whose field is no longer secret, and
 * those that the form does not have, unless form_makes_more(). */
void settings_keep_secret(struct settings *settings, const struct form *form);

/* NULL: there is none. */
const struct setting *settings_find(const struct settings *settings, struct str name);

/* The field of this ID that asks a handler. Of several it is the first that is shown with these
 * settings, or if none is, the first. NULL: none asks a handler. */
const struct form_field *settings_find_asking(const struct settings *settings,
					      const struct form *form, struct str id);

/* Whether it names a field that the form does not have. */
bool settings_has_unknown(const struct settings *settings, const struct form *form);

/* The value that the handler of a GENERATED field is asked with: that of its source, or its
 * default. */
struct str settings_of_source(const struct settings *settings, const struct form *form,
			      const struct form_field *field);

/* The canonical text, in the arena. */
struct str settings_to_text(const struct settings *settings, struct arena *arena);
/* The canonical text. */
void settings_write(const struct settings *settings, struct buffer *buffer);
