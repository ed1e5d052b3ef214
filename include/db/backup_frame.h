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
 * The reader is that of displayctl restore. */
#pragma once

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BACKUP_MAGIC_BYTES = 16,
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

/* First bytes of a file, with a NUL. */
extern const char backup_magic[BACKUP_MAGIC_BYTES + 1];

/* Returns the checksum of the data added so far; more can be added afterwards. */
void backup_sum(const crypto_generichash_state *state, uint8_t ret_sum[static BACKUP_SUM_BYTES]);

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
