/* Reads a client's first bytes in TLS, as far as they decide who computes the handshake (RFC 8446
 * section 4.1.2, RFC 5246 section 7.4.1.2, RFC 5077 section 3.2). mbedTLS reads them again and
 * decides for itself. */
#pragma once

#include "base/buffer.h"

#include <text/str.h>

#include <stdbool.h>
#include <stdint.h>

enum tls_record_type { TLS_RECORD_CHANGE = 20, TLS_RECORD_HANDSHAKE = 22, TLS_RECORD_DATA = 23 };

enum { TLS_RECORD_HEAD_BYTES = 5, TLS_RECORD_BYTES_MAX = TLS_RECORD_HEAD_BYTES + 16 * 1024 + 256 };

/* The bytes of the records that are whole, from the front on. All bytes where what follows them is
 * the head of no record: whoever reads it finds that. */
size_t tls_records_length(struct str data);

/* False: the records, which are whole, begin with a message of a handshake of which more is to
 * come. True also for what is no such message, or too large for one: whoever reads it finds that.
 * Not for records that are encrypted. */
bool tls_message_is_whole(struct str records);

/* Appends to joined one record with the content of the records that hold the first message, then
 * the bytes after them. False, and nothing is appended: no need, as the first record holds at least
 * the 4 bytes that mbedTLS demands (mbedtls_ssl_handshake()), or no whole message of at most 16
 * KiB. records: what tls_message_is_whole() takes for whole. Cost: one copy. */
bool tls_message_join(struct str records, struct buffer *joined);

/* Whether the records, of which the last one may be cut, hold one of a kind: TLS_RECORD_CHANGE
 * comes before what is encrypted, TLS_RECORD_DATA holds requests or, in TLS 1.3, anything. */
bool tls_records_have(struct str records, enum tls_record_type type);

struct tls_hello {
	bool offers_tls13;
	struct str ticket; /* a view; empty: it has none, or that of TLS 1.3 */
};

/* False: the data does not begin with one record that holds one whole ClientHello. */
__attribute__((warn_unused_result)) bool tls_hello_read(struct str data, struct tls_hello *ret);
