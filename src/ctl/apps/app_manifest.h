/* The manifest.yaml of an app's folder. Its text is untrusted: only the
 * values of its outermost mapping and its list of tags are read, and no aliases. */
#pragma once

#include <stdbool.h>

enum { MANIFEST_BYTES_MAX = 64 * 1024, MANIFEST_FAULT_MAX = 256, MANIFEST_TAGS_MAX = 20 };

/* Texts of one line, without control characters, of at most so many characters as an app may have
 * there. NULL: it says nothing. */
struct app_manifest {
	char *id;
	char *package;
	char *name;
	char *summary;
	char *description;
	char *author;
	char *category;
	char *broken_reason; /* only with is_broken; NULL: not said */
	char *tags;	     /* a JSON array of texts; NULL: there are none */
	bool is_broken;	     /* as the community has found */
};

/* Reads the file. 0, or -1 with a sentence in ret_fault; app_manifest_finish() either way. */
int app_manifest_read(const char *path, struct app_manifest *ret_manifest,
		      char ret_fault[static MANIFEST_FAULT_MAX])
    __attribute__((warn_unused_result));
void app_manifest_finish(struct app_manifest *manifest);
