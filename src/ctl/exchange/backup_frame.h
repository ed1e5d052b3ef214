/* The file of a backup, in format 1.
 *
 *   "displayd backup\n" version(4) frame frame ... frame
 *   frame: kind(1) length(4) payload(length) sum(16)
 *
 * Numbers are big-endian. The sum is BLAKE2b over all earlier bytes of the file except other sums.
 * So a frame is used only if it is complete and follows the right frames. The sum does not
 * authenticate the file: anybody can make one. Kinds, in their order:
 *
 *   h  head      lines "schema 15", "migrations SHA256", "made-at 2026-11-20T08:15:30.123Z"
 *   k  key       32 bytes, the key for secret settings; optional
 *   t  table     its name, a line feed, and a line for each of its columns
 *   r  rows      a part of the output of COPY ... TO STDOUT (FORMAT binary), after its table
 *   s  sequence  "render_generation 42 t": its name, last value, and whether that was used
 *   e  end       "rows 1234": number of rows of all tables; nothing follows
 *
 * The file is untrusted: the reader holds one frame, of a limited length. */
#pragma once

#include "main/reason.h"

#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <text/str.h>

enum {
	BACKUP_VERSION = 1,
	BACKUP_SUM_BYTES = 16,
	BACKUP_FRAME_HEAD_BYTES = 5,
	BACKUP_PAYLOAD_MAX = 64 * 1024,
	BACKUP_COLUMNS_MAX = 100,
	BACKUP_NAME_BYTES_MAX = 63,
	BACKUP_KEY_BYTES = 32,
	BACKUP_HASH_DIGITS = 64,
	BACKUP_SCHEMA_MAX = 1000000,
};

enum backup_kind {
	BACKUP_HEAD = 'h',
	BACKUP_KEY = 'k',
	BACKUP_TABLE = 't',
	BACKUP_ROWS = 'r',
	BACKUP_SEQUENCE = 's',
	BACKUP_END = 'e',
};

/* ---- writing ---- */

struct backup_writer {
	/* Writes all of data. The context keeps the reason of the first failure. */
	void (*write)(void *context, const void *data, size_t size);
	void *context;
	crypto_generichash_state state;
	uint8_t rows[BACKUP_PAYLOAD_MAX]; /* rows that are in no frame yet */
	size_t row_bytes;
};

/* context and write must be set. */
void backup_begin(struct backup_writer *writer);
/* Writes a frame, after waiting rows. size: at most BACKUP_PAYLOAD_MAX. */
void backup_write(struct backup_writer *writer, enum backup_kind kind, const void *payload,
		  size_t size);
/* Writes a frame with a formatted text of less than 512 bytes, after waiting rows. */
__attribute__((format(printf, 3, 4))) void
backup_printf(struct backup_writer *writer, enum backup_kind kind, const char *format, ...);
/* Adds rows of the last table, in parts of any size. */
void backup_write_rows(struct backup_writer *writer, const void *data, size_t size);

/* ---- reading ---- */

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

struct backup_reader {
	FILE *file;
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
