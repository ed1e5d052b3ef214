/* Apps as the pages show them to people who install them, to their authors and to reviewers.
 *
 * The catalogue has the apps that an account can install. The studio is the pages of authors. A
 * draft is an author's work in progress: saving it changes no version. Its revision grows with each
 * save, and a save names the revision that it changes, so that two windows do not overwrite each
 * other. */
#pragma once

#include "domain/studio_records.h"

enum {
	APP_NAME_LENGTH_MAX = 100, /* code points */
	APP_DESCRIPTION_LENGTH_MAX = 500,
	APP_SLUG_LENGTH_MAX = 64,
};

/* NULL, or the fault of a slug, which must not have the form of an ID. */
const char *app_slug_check(struct str slug);
/* Makes a slug of a name, in the arena: its letters and digits in lower case, with a dash in place
 * of other characters. Empty if it has no letters or digits of ASCII. */
struct str app_slug_of(struct str name, struct arena *arena);
/* NULL, or the fault of a visibility ("legacy" included), or of a draft's script. */
const char *app_visibility_check(struct str visibility);
const char *app_draft_check(struct str script);
/* NULL, or the fault of a text that may have several lines. */
const char *app_text_check(struct str text);

#define APP_VISIBILITY_FAULT "must be private or public"
