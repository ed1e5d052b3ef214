/* File with the export of an account, as docs/export.md describes it: the order of its lines, and
 * the sum at its end. The server checks what the lines say.
 *
 *   account, secrets?, (app, version..., draft?)..., (device, entry...)..., key..., passkey..., end
 *
 * The reader takes a stranger's bytes: it holds one line, of a bounded length. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "main/reason.h"

#include <sodium.h>
#include <sys/types.h>

enum {
	ACCOUNT_LINE_MAX = 8 * 1024 * 1024, /* a script of which each byte is escaped, and more */
	ACCOUNT_SALT_BYTES = crypto_pwhash_SALTBYTES,
};

enum account_file_kind {
	ACCOUNT_FILE_ACCOUNT,
	ACCOUNT_FILE_SECRETS,
	ACCOUNT_FILE_APP,
	ACCOUNT_FILE_VERSION,
	ACCOUNT_FILE_DRAFT,
	ACCOUNT_FILE_DEVICE,
	ACCOUNT_FILE_ENTRY,
	ACCOUNT_FILE_KEY,
	ACCOUNT_FILE_PASSKEY,
	ACCOUNT_FILE_END,
	ACCOUNT_FILE_KINDS, /* and of a line whose kind the server is to judge */
};

/* Texts lie in the arena of the reading. */
struct account_file_line {
	enum account_file_kind kind;
	struct str text;		      /* without its line feed */
	uint8_t salt[ACCOUNT_SALT_BYTES + 5]; /* of secrets */
	bool has_salt;			      /* and it has the right size */
};

/* Sum of the lines: a file has it in its last one. */
struct account_file_sum {
	crypto_hash_sha256_state state;
	uint64_t count; /* of lines */
};

void account_file_sum_begin(struct account_file_sum *sum);
/* text: without the line feed. */
void account_file_sum_add(struct account_file_sum *sum, struct str text);
/* Hexadecimal, with a NUL. */
void account_file_sum_text(const struct account_file_sum *sum,
			   char ret_text[static 2 * crypto_hash_sha256_BYTES + 1]);

struct account_reader {
	/* Bytes, at most size; 0 at the end, -1 and errno if it fails. */
	ssize_t (*read)(void *context, void *data, size_t size);
	void *context;
	struct account_file_sum sum; /* of the lines that were read */
	struct buffer input;
	enum account_file_kind last;
	struct buffer owner; /* the device's ID, or the app's slug, that lines belong to */
	bool is_salted;	     /* there is a line of secrets */
};

/* context and read are set, the rest is zero. */
void account_reader_begin(struct account_reader *reader);
void account_reader_finish(struct account_reader *reader);
/* The next line; behind ACCOUNT_FILE_END it is not called. 0, or -1 with a reason that names the
 * line. */
__attribute__((warn_unused_result)) int account_read(struct account_reader *reader,
						     struct arena *arena,
						     struct account_file_line *ret_line,
						     struct reason *reterr);
