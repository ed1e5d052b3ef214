/* Outcome of the apps of a fetch: counts, and JSON of those that are not unchanged. */
#pragma once

#include "base/buffer.h"

#include <stdint.h>

enum outcome_kind {
	OUTCOME_MADE,
	OUTCOME_UPDATED,
	OUTCOME_UNCHANGED,
	OUTCOME_FAILED,
	OUTCOME_HELD,
	OUTCOME_GONE,
	OUTCOME_KINDS,
};

struct outcome {
	int64_t counts[OUTCOME_KINDS];
	struct buffer apps;    /* JSON, without its brackets */
	unsigned listed;       /* apps there */
	struct buffer folders; /* paths and SHA-256 of folders whose content the server has */
};

/* Notes an app. reason: data NULL: none. */
void outcome_note(struct outcome *outcome, enum outcome_kind kind, struct str folder,
		  struct str reason);
/* Notes that the server has the content of a folder. */
void outcome_keep(struct outcome *outcome, struct str folder, const char *sha256);
/* Whether a list of outcome_keep() has the folder with this content. */
bool outcome_is_kept(struct str folders, struct str folder, const char *sha256);
void outcome_finish(struct outcome *outcome);
