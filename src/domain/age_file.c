#include "domain/age_file.h"
#include "base/require.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum {
	LOG_COST = 16, /* 2^16 blocks of 1 KiB */
	LOG_COST_MAX = 18,
	BLOCK_SIZE = 8,
	HASH_BYTES = crypto_auth_hmacsha256_BYTES,
	COUNTER_BYTES = 8,
	NUMBER_OFFSET = 3, /* of the counter in a part's nonce, of 12 bytes */
};

#define SCRYPT_LABEL "age-encryption.org/v1/scrypt"
#define BASE64_VARIANT sodium_base64_VARIANT_ORIGINAL_NO_PADDING

_Static_assert(AGE_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES &&
		   AGE_STREAM_KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES &&
		   AGE_WRAPPED_BYTES == AGE_KEY_BYTES + AGE_TAG_BYTES,
	       "sizes of age and libsodium");

static const uint8_t no_salt[1]; /* libsodium takes no NULL, even of no bytes */

/* Makes a key by HKDF with SHA-256 (RFC 5869): its first block is enough. */
static void derive(const uint8_t file_key[static AGE_KEY_BYTES], const uint8_t *salt,
		   size_t salt_bytes, const char *purpose, uint8_t ret_key[static HASH_BYTES])
{
	static const uint8_t first = 1;
	crypto_auth_hmacsha256_state state;
	uint8_t extracted[HASH_BYTES];

	crypto_auth_hmacsha256_init(&state, salt, salt_bytes);
	crypto_auth_hmacsha256_update(&state, file_key, AGE_KEY_BYTES);
	crypto_auth_hmacsha256_final(&state, extracted);
	crypto_auth_hmacsha256_init(&state, extracted, sizeof(extracted));
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)purpose, strlen(purpose));
	crypto_auth_hmacsha256_update(&state, &first, 1);
	crypto_auth_hmacsha256_final(&state, ret_key);
	sodium_memzero(&state, sizeof(state));
	sodium_memzero(extracted, sizeof(extracted));
}

/* Returns false if no memory is left. */
static bool stretch(struct str phrase, const uint8_t salt[static AGE_SALT_BYTES], int log_cost,
		    uint8_t ret_key[static AGE_STREAM_KEY_BYTES])
{
	uint8_t labelled[sizeof(SCRYPT_LABEL) - 1 + AGE_SALT_BYTES];

	memcpy(labelled, SCRYPT_LABEL, sizeof(SCRYPT_LABEL) - 1);
	memcpy(labelled + sizeof(SCRYPT_LABEL) - 1, salt, AGE_SALT_BYTES);
	return crypto_pwhash_scryptsalsa208sha256_ll(
		   (const uint8_t *)phrase.data, phrase.length, labelled, sizeof(labelled),
		   UINT64_C(1) << log_cost, BLOCK_SIZE, 1, ret_key, AGE_STREAM_KEY_BYTES) == 0;
}

bool age_key_make(struct str phrase, struct age_key *ret_key)
{
	static const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
	uint8_t key[AGE_STREAM_KEY_BYTES];

	randombytes_buf(ret_key->file_key, sizeof(ret_key->file_key));
	randombytes_buf(ret_key->salt, sizeof(ret_key->salt));
	if (!stretch(phrase, ret_key->salt, LOG_COST, key))
		return false;
	crypto_aead_chacha20poly1305_ietf_encrypt(ret_key->wrapped, NULL, ret_key->file_key,
						  sizeof(ret_key->file_key), NULL, 0, NULL, nonce,
						  key);
	sodium_memzero(key, sizeof(key));
	return true;
}

/* Writes the code of a header, which includes the three dashes before the code. */
static void header_code(struct str header, const uint8_t file_key[static AGE_KEY_BYTES],
			uint8_t ret_code[static HASH_BYTES])
{
	crypto_auth_hmacsha256_state state;
	uint8_t key[HASH_BYTES];

	derive(file_key, no_salt, 0, "header", key);
	crypto_auth_hmacsha256_init(&state, key, sizeof(key));
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)header.data, header.length);
	crypto_auth_hmacsha256_final(&state, ret_code);
	sodium_memzero(key, sizeof(key));
}

void age_stream_begin(struct age_stream *stream, const uint8_t file_key[static AGE_KEY_BYTES],
		      const uint8_t nonce[static AGE_NONCE_BYTES])
{
	derive(file_key, nonce, AGE_NONCE_BYTES, "payload", stream->key);
	stream->number = 0;
}

/* Writes the nonce of the next part: its number in 11 bytes, and whether it is the last one. */
static void next_nonce(struct age_stream *stream, bool is_last,
		       uint8_t ret_nonce[static crypto_aead_chacha20poly1305_ietf_NPUBBYTES])
{
	memset(ret_nonce, 0, crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
	for (int i = 0; i < COUNTER_BYTES; i++)
		ret_nonce[NUMBER_OFFSET + i] =
		    (uint8_t)(stream->number >> (8 * (COUNTER_BYTES - 1 - i)));
	ret_nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES - 1] = is_last;
	stream->number++;
}

/* ---- writing ---- */

static void write_header(struct age_writer *writer, const struct age_key *key)
{
	char salt[sodium_base64_ENCODED_LEN(AGE_SALT_BYTES, BASE64_VARIANT)];
	char wrapped[sodium_base64_ENCODED_LEN(AGE_WRAPPED_BYTES, BASE64_VARIANT)];
	char code[sodium_base64_ENCODED_LEN(HASH_BYTES, BASE64_VARIANT)];
	char header[AGE_HEADER_BYTES_MAX];
	uint8_t bytes[HASH_BYTES];
	int length;

	sodium_bin2base64(salt, sizeof(salt), key->salt, sizeof(key->salt), BASE64_VARIANT);
	sodium_bin2base64(wrapped, sizeof(wrapped), key->wrapped, sizeof(key->wrapped),
			  BASE64_VARIANT);
	length = snprintf(header, sizeof(header), AGE_MAGIC "-> scrypt %s %d\n%s\n---", salt,
			  LOG_COST, wrapped);
	header_code((struct str){header, (size_t)length}, key->file_key, bytes);
	sodium_bin2base64(code, sizeof(code), bytes, sizeof(bytes), BASE64_VARIANT);
	length += snprintf(header + length, sizeof(header) - (size_t)length, " %s\n", code);
	require(length < (int)sizeof(header));
	writer->write(writer->context, header, (size_t)length);
}

void age_begin(struct age_writer *writer, const struct age_key *key)
{
	uint8_t nonce[AGE_NONCE_BYTES];

	writer->part_bytes = 0;
	randombytes_buf(nonce, sizeof(nonce));
	age_stream_begin(&writer->stream, key->file_key, nonce);
	write_header(writer, key);
	writer->write(writer->context, nonce, sizeof(nonce));
}

static void write_part(struct age_writer *writer, bool is_last)
{
	uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], tag[AGE_TAG_BYTES];

	next_nonce(&writer->stream, is_last, nonce);
	crypto_aead_chacha20poly1305_ietf_encrypt_detached(writer->part, tag, NULL, writer->part,
							   writer->part_bytes, NULL, 0, NULL, nonce,
							   writer->stream.key);
	writer->write(writer->context, writer->part, writer->part_bytes);
	writer->write(writer->context, tag, sizeof(tag));
	writer->part_bytes = 0;
}

void age_write(void *context, const void *data, size_t size)
{
	struct age_writer *writer = context;
	const uint8_t *rest = data;

	while (size > 0) {
		size_t room = AGE_PART_BYTES - writer->part_bytes;
		size_t more = size < room ? size : room;

		/* A full part waits for the next byte: the last one is marked. */
		if (room == 0) {
			write_part(writer, false);
			continue;
		}
		memcpy(writer->part + writer->part_bytes, rest, more);
		writer->part_bytes += more;
		rest += more;
		size -= more;
	}
}

void age_finish(struct age_writer *writer)
{
	write_part(writer, true);
	sodium_memzero(&writer->stream, sizeof(writer->stream));
}

/* ---- reading ---- */

/* Takes the next line, which begins with this text. */
static bool take_line(struct str *rest, const char *start, struct str *ret_line)
{
	struct str begin = str_from(start);

	if (!str_next(rest, '\n', ret_line) || !str_starts_with(*ret_line, begin))
		return false;
	*ret_line = str_from_offset(*ret_line, begin.length);
	return true;
}

/* Decodes a text of exactly this many bytes. */
static bool decode(struct str text, uint8_t *ret_bytes, size_t size)
{
	size_t decoded = 0;

	return sodium_base642bin(ret_bytes, size, text.data, text.length, NULL, &decoded, NULL,
				 BASE64_VARIANT) == 0 &&
	       decoded == size;
}

static enum age_fault unwrap(struct str phrase, const uint8_t salt[static AGE_SALT_BYTES],
			     int log_cost, const uint8_t wrapped[static AGE_WRAPPED_BYTES],
			     uint8_t ret_file_key[static AGE_KEY_BYTES])
{
	static const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
	uint8_t key[AGE_STREAM_KEY_BYTES];
	bool is_right;

	if (!stretch(phrase, salt, log_cost, key))
		return AGE_NO_MEMORY;
	is_right =
	    crypto_aead_chacha20poly1305_ietf_decrypt(ret_file_key, NULL, NULL, wrapped,
						      AGE_WRAPPED_BYTES, NULL, 0, nonce, key) == 0;
	sodium_memzero(key, sizeof(key));
	return is_right ? AGE_NO_FAULT : AGE_WRONG_PHRASE;
}

enum age_fault age_header_read(struct str text, struct str phrase,
			       uint8_t ret_file_key[static AGE_KEY_BYTES])
{
	struct str rest = text, line, salt_text, code_text;
	uint8_t salt[AGE_SALT_BYTES], wrapped[AGE_WRAPPED_BYTES], code[HASH_BYTES], own[HASH_BYTES];
	unsigned long long log_cost;
	enum age_fault fault;

	if (!take_line(&rest, "age-encryption.org/v1", &line) || line.length ||
	    !take_line(&rest, "-> scrypt ", &line) || !str_next(&line, ' ', &salt_text) ||
	    !decode(salt_text, salt, sizeof(salt)) ||
	    !str_to_uint64(line, LOG_COST_MAX, &log_cost) || log_cost == 0 ||
	    !take_line(&rest, "", &line) || !decode(line, wrapped, sizeof(wrapped)) ||
	    !take_line(&rest, "--- ", &code_text) || rest.length ||
	    !decode(code_text, code, sizeof(code)))
		return AGE_DAMAGED;
	fault = unwrap(phrase, salt, (int)log_cost, wrapped, ret_file_key);
	if (fault != AGE_NO_FAULT)
		return fault;
	header_code((struct str){text.data, (size_t)(code_text.data - text.data) - 1}, ret_file_key,
		    own);
	return sodium_memcmp(own, code, sizeof(own)) == 0 ? AGE_NO_FAULT : AGE_DAMAGED;
}

bool age_part_decrypt(struct age_stream *stream, uint8_t *part, size_t size, bool is_last)
{
	uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];

	if (size < AGE_TAG_BYTES)
		return false;
	next_nonce(stream, is_last, nonce);
	return crypto_aead_chacha20poly1305_ietf_decrypt(part, NULL, NULL, part, size, NULL, 0,
							 nonce, stream->key) == 0;
}
