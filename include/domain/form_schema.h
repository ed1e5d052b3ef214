/* The form of an app as JSON Schema (draft 2020-12): of the object of its settings, which are
 * texts.
 *
 * Fields without a value of their own (GENERATED) and those that cannot be set (OAUTH1, OAUTH2) are
 * left out. The fields that a GENERATED one makes depend on other settings: such a form allows
 * further texts. Values of secret fields are writeOnly. */
#pragma once

#include "domain/form.h"

/* Appends it. title: the app's name. */
void form_write_schema(const struct form *form, struct str title, struct buffer *json);
