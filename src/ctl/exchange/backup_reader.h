/* Reads the file of a backup (db/backup_frame.h), which may be encrypted with a pass phrase
 * (domain/age_file.h). It is untrusted: the reader holds one frame, of a limited length. */
#pragma once

#include "db/backup_frame.h"
#include "domain/age_file.h"
#include "main/reason.h"

#include <stdint.h>
#include <stdio.h>
#include <text/str.h>

struct backup_frame {
	enum backup_kind kind;
	struct str payload; /* the key, or rows: at least a byte */
	struct {
		unsigned schema;
		char migrations[BACKUP_HASH_DIGITS + 1];
		struct str made_at;
	} head;
	struct str name;    /* of a table or a sequence */
	struct str columns; /* of a table, with a line feed between them */
	int64_t last_value; /* of a sequence */
	bool is_called;
	int64_t row_count; /* in BACKUP_END */
};

/* Parts of an encrypted file. */
struct backup_parts {
	bool is_used, is_last;
	struct age_stream stream;
	uint8_t part[AGE_PART_BYTES + AGE_TAG_BYTES];
	size_t at, length; /* decrypted bytes of the part */
};

struct backup_reader {
	/* Given: the file, and what asks for the pass phrase if it is encrypted; NULL: such a file
	 * is rejected. It returns 0, or -1 with a reason. */
	FILE *file;
	int (*ask)(void *context, struct str *ret_phrase, struct reason *reterr);
	void *context;

	struct backup_parts age;
	crypto_generichash_state state;
	enum backup_kind last;			 /* 0: none yet */
	uint8_t payload[BACKUP_PAYLOAD_MAX + 1]; /* and a NUL */
	size_t length;				 /* length of the payload */
};

/* Reads the start of the file, before the frames. Returns 0, or -1 with a reason if the file is
 * something else. */
__attribute__((warn_unused_result)) int backup_open(struct backup_reader *reader,
						    struct reason *reterr);
/* Reads the next frame; not to be called after BACKUP_END. Texts are valid until the next call.
 * Names have lower-case letters, digits and underscores. Returns 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int
backup_read(struct backup_reader *reader, struct backup_frame *ret_frame, struct reason *reterr);
