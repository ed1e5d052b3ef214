/* The manifest.yaml of an app's folder. Its text is untrusted: only the values of its outermost
 * mapping and its list of tags are read, of the first document. */
#pragma once

#include "base/arena.h"

#include <stdbool.h>

/* Texts of one line, without control characters, of at most so many characters as an app may have
 * there. data NULL: it says nothing. */
struct app_manifest {
	struct str id;
	struct str package;
	struct str name;
	struct str summary;
	struct str description;
	struct str author;
	struct str category;
	struct str broken_reason; /* only with is_broken; data NULL: not said */
	struct str tags;	  /* a JSON array of texts */
	bool is_broken;		  /* as the community has found */
};

/* Reads the file; texts lie in the arena. False, with a sentence in *ret_why. */
bool app_manifest_read(const char *path, struct arena *arena, struct app_manifest *ret_manifest,
		       struct str *ret_why) __attribute__((warn_unused_result));
