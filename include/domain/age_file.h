/* A file that is encrypted with a pass phrase, in the format of age (age-encryption.org/v1), so
 * that the program age reads it, too.
 *
 *   header   names scrypt with its salt and cost, which wraps the key of the file; authenticated
 *   payload  a nonce, then parts of 64 KiB, each encrypted with ChaCha20-Poly1305; the last one
 * says that it is the last, so a file that was cut is noticed
 *
 * The writer's scrypt takes 64 MiB, and some 200 ms. The reader accepts what takes up to 256 MiB,
 * as age makes it. Pure, but for random numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/str.h>

enum {
	AGE_KEY_BYTES = 16,
	AGE_SALT_BYTES = 16,
	AGE_WRAPPED_BYTES = 32,
	AGE_NONCE_BYTES = 16,
	AGE_PART_BYTES = 64 * 1024,
	AGE_TAG_BYTES = 16,
	AGE_STREAM_KEY_BYTES = 32,
	AGE_HEADER_BYTES_MAX = 1024,
	AGE_PHRASE_MIN = 8,
	AGE_PHRASE_MAX = 1024,
};

/* First bytes of every file. */
#define AGE_MAGIC "age-encryption.org/v1\n"

/* Key of a file, and the words of its header that give it to those who know the pass phrase. */
struct age_key {
	uint8_t file_key[AGE_KEY_BYTES];
	uint8_t salt[AGE_SALT_BYTES];
	uint8_t wrapped[AGE_WRAPPED_BYTES];
};

/* Makes the key of a new file. Takes long: not for a loop. Returns false if no memory is left. */
__attribute__((warn_unused_result)) bool age_key_make(struct str phrase, struct age_key *ret_key);

/* Key of the parts and their number. */
struct age_stream {
	uint8_t key[AGE_STREAM_KEY_BYTES];
	uint64_t number; /* of the next part */
};

/* ---- writing ---- */

struct age_writer {
	void (*write)(void *context, const void *data, size_t size); /* writes all of data */
	void *context;
	struct age_stream stream;
	uint8_t part[AGE_PART_BYTES]; /* bytes that are in no part yet */
	size_t part_bytes;
};

/* Writes the header. write and context must be set. */
void age_begin(struct age_writer *writer, const struct age_key *key);
/* Encrypts data, in pieces of any size. context: the struct age_writer. */
void age_write(void *context, const void *data, size_t size);
/* Writes the last part, and forgets the key. */
void age_finish(struct age_writer *writer);

/* ---- reading ---- */

enum age_fault {
	AGE_NO_FAULT,
	AGE_DAMAGED,	  /* also: encrypted in another way than with a pass phrase */
	AGE_WRONG_PHRASE, /* or changed by somebody who does not know it */
	AGE_NO_MEMORY,
};

/* Reads a header without its payload's nonce. text: all up to and with the line feed after the
 * code. */
__attribute__((warn_unused_result)) enum age_fault
age_header_read(struct str text, struct str phrase, uint8_t ret_file_key[static AGE_KEY_BYTES]);

/* Begins to decrypt parts. */
void age_stream_begin(struct age_stream *stream, const uint8_t file_key[static AGE_KEY_BYTES],
		      const uint8_t nonce[static AGE_NONCE_BYTES]);
/* Decrypts the next part, of size bytes with its tag, at most AGE_PART_BYTES + AGE_TAG_BYTES, in
 * place. Returns false if it is not the next part, or not the last one as it should be. */
__attribute__((warn_unused_result)) bool age_part_decrypt(struct age_stream *stream, uint8_t *part,
							  size_t size, bool is_last);
