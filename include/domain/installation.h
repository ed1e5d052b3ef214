/* Installations: the pictures and apps of a device's rotation, as the public API shows them.
 *
 * An installation is an entry of a rotation. Its creation number (column position) is the
 * generation of the device when it was made, and never changes: rotation states name by it the
 * entry that a panel showed last. Its rank orders the rotation: it is the creation number until
 * somebody reorders the entries. */
#pragma once

#include "base/limits.h"
#include "domain/installation_records.h"

/* Installation with everything that its owner sets. */
struct installation_detail {
	struct installation installation;
	struct entry_options options;
	struct str settings;   /* JSON: without secrets; data is NULL for a pushed image */
	struct str secrets;    /* JSON: names of secrets that have a value */
	int64_t expires_at_us; /* 0: never */
};

/* Answers only. */
extern const struct record installation_detail_record;

/* Returns a positive number that identifies these options, the settings with this hash and the end
 * (0: none). */
int64_t installation_revision(const struct entry_options *options, struct str settings_hash,
			      int64_t expires_at_us);
