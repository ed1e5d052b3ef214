/* Form of an app as JSON Schema (draft 2020-12), which describes the object of its settings. All
 * settings are texts.
 *
 * Fields without a value of their own (GENERATED) and those that cannot be set (OAUTH1, OAUTH2) are
 * left out. Fields that a GENERATED field makes depend on other settings, so a form with one allows
 * further texts. Values of secret fields are writeOnly. */
#pragma once

#include "domain/form.h"

/* Appends the JSON Schema. title: the app's name. */
void form_write_schema(const struct form *form, struct str title, struct buffer *json);
