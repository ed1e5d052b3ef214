/* The file of a backup: what docs/operate.md calls its format 1.
 *
 *   "displayd backup\n" version(4) frame frame ... frame
 *   frame: kind(1) length(4) payload(length) sum(16)
 *
 * Numbers are big-endian. The sum is BLAKE2b over all bytes of the file before it but earlier sums,
 * so a frame is known to be whole, in its place and behind the right ones before it is used; it
 * keeps nobody from making a file. Kinds, in their order:
 *
 *   h  head      lines "schema 15", "migrations SHA256", "made-at 2026-11-20T08:15:30.123Z"
 *   k  key       32 bytes, what secret settings are encrypted with; not in every file
 *   t  table     its name, a line feed, and a line for each of its columns
 *   r  rows      a piece of what COPY ... TO STDOUT (FORMAT binary) writes, behind its table
 *   s  sequence  "render_generation 42 t": its name, last value, and whether that was used
 *   e  end       "rows 1234": of all tables; nothing comes behind it
 *
 * The reader takes a stranger's bytes: it holds one frame, of a bounded length. */
#pragma once

#include "main/reason.h"

#include <sodium.h>
#include <stdint.h>
#include <sys/types.h>
#include <text/str.h>

enum {
	BACKUP_VERSION = 1,
	BACKUP_SUM_BYTES = 16,
	BACKUP_FRAME_HEAD_BYTES = 5,
	BACKUP_PAYLOAD_MAX = 64 * 1024,
	BACKUP_COLUMNS_MAX = 100,
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
	/* Takes all of it; false: it cannot, and the context knows why. */
	bool (*write)(void *context, const void *data, size_t size);
	void *context;
	crypto_generichash_state state;
	uint8_t rows[BACKUP_PAYLOAD_MAX]; /* not yet in a frame */
	size_t row_bytes;
};

/* Functions that return the result of write(). begin: context and write are set. */
__attribute__((warn_unused_result)) bool backup_begin(struct backup_writer *writer);
/* size: at most BACKUP_PAYLOAD_MAX. Rows that wait go before it. */
__attribute__((warn_unused_result)) bool
backup_write(struct backup_writer *writer, enum backup_kind kind, const void *payload, size_t size);
__attribute__((format(printf, 3, 4), warn_unused_result)) bool
backup_printf(struct backup_writer *writer, enum backup_kind kind, const char *format, ...);
/* Bytes of the table that was written last, in any portions. */
__attribute__((warn_unused_result)) bool backup_write_rows(struct backup_writer *writer,
							   const void *data, size_t size);

/* ---- reading ---- */

struct backup_table {
	struct str name;
	unsigned column_count;
	struct str columns[BACKUP_COLUMNS_MAX];
};

struct backup_sequence {
	struct str name;
	int64_t last_value;
	bool is_called;
};

struct backup_frame {
	enum backup_kind kind;
	union {
		struct {
			unsigned schema;
			char migrations[BACKUP_HASH_DIGITS + 1];
			struct str made_at;
		} head;
		struct str key;	 /* BACKUP_KEY_BYTES */
		struct str rows; /* not empty */
		struct backup_table table;
		struct backup_sequence sequence;
		uint64_t row_count; /* of BACKUP_END */
	};
};

struct backup_reader {
	/* Bytes, at most size; 0 at the end, -1 and errno if it fails. */
	ssize_t (*read)(void *context, void *data, size_t size);
	void *context;
	crypto_generichash_state state;
	enum backup_kind last; /* 0: none yet */
	uint8_t payload[BACKUP_PAYLOAD_MAX];
	size_t length; /* of the payload */
};

/* Reads what stands before the frames. 0, or -1 with a reason: what the file is instead. */
__attribute__((warn_unused_result)) int backup_open(struct backup_reader *reader,
						    struct reason *reterr);
/* The next frame; its texts are valid until the next call. Names are lower-case letters, digits and
 * underscores. 0, or -1 with a reason. Behind BACKUP_END it is not called. */
__attribute__((warn_unused_result)) int
backup_read(struct backup_reader *reader, struct backup_frame *ret_frame, struct reason *reterr);
