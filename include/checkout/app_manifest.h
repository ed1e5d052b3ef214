/* The manifest.yaml of an app's folder. It is untrusted: only the values of its top mapping and its
 * list of tags are read, of the first document. */
#pragma once

#include "base/arena.h"

#include <stdbool.h>

/* Texts have one line, no control characters, and at most as many characters as the server permits.
 * data is NULL if the manifest lacks the value. */
struct app_manifest {
	struct str id;
	struct str package;
	struct str name;
	struct str summary;
	struct str description;
	struct str author;
	struct str category;
	struct str broken_reason; /* only with is_broken; data NULL: no reason given */
	struct str tags;	  /* a JSON array of texts */
	bool is_broken;		  /* marked as broken by the community */
};

/* Maximum of its bytes. */
enum { APP_MANIFEST_BYTES_MAX = 64 * 1024 };

/* Reads the text of a manifest; texts are in the arena. Returns false with the reason in *ret_why
 * if it fails. */
bool app_manifest_parse(struct str text, struct arena *arena, struct app_manifest *ret_manifest,
			struct str *ret_why) __attribute__((warn_unused_result));
