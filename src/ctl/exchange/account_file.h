/* File with the export of an account, see docs/export.md. Checks which kinds of lines follow each
 * other, and the checksum at its end. The server checks the content of the lines, and that each
 * belongs to the app or device before it.
 *
 *   account, secrets?, (app, version..., draft?)..., (device, entry...)..., key..., passkey..., end
 *
 * The file is untrusted: the reader holds one line, of a limited length. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "main/reason.h"

#include <sodium.h>
#include <stdio.h>

enum {
	ACCOUNT_LINE_MAX = 8 * 1024 * 1024, /* a script with each byte escaped, and other members */
	ACCOUNT_SALT_BYTES = crypto_pwhash_SALTBYTES,
};

enum account_file_kind { ACCOUNT_FILE_LINE, ACCOUNT_FILE_SECRETS, ACCOUNT_FILE_END };

/* Texts are in the arena given to account_read(). */
struct account_file_line {
	enum account_file_kind kind;
	struct str text;		      /* without its line feed */
	uint8_t salt[ACCOUNT_SALT_BYTES + 5]; /* of secrets; with room for base64_decode() */
	bool has_salt;			      /* the salt has the right size */
};

/* Checksum of the lines, which the last line contains. */
struct account_file_sum {
	crypto_hash_sha256_state state;
	uint64_t count; /* number of lines */
};

/* Begins a checksum without lines. */
void account_file_sum_begin(struct account_file_sum *sum);
/* Adds a line. text: without the line feed. */
void account_file_sum_add(struct account_file_sum *sum, struct str text);
/* Writes the checksum in hexadecimal, with a NUL. */
void account_file_sum_text(const struct account_file_sum *sum,
			   char ret_text[static 2 * crypto_hash_sha256_BYTES + 1]);

struct account_reader {
	FILE *file;
	struct account_file_sum sum; /* checksum of the lines read so far */
	struct buffer input;	     /* the last line */
	unsigned rank;	/* rank of the last line in the order of the kinds; 0: no line yet */
	bool is_salted; /* a line of secrets was read */
	bool has_draft; /* the draft of the last app was read */
};

/* Begins to read. file must be set, the rest zero. Free with account_reader_finish(). */
void account_reader_begin(struct account_reader *reader);
void account_reader_finish(struct account_reader *reader);
/* Reads the next line; not to be called after ACCOUNT_FILE_END. Returns 0, or -1 with a reason that
 * names the line. */
__attribute__((warn_unused_result)) int account_read(struct account_reader *reader,
						     struct arena *arena,
						     struct account_file_line *ret_line,
						     struct reason *reterr);
