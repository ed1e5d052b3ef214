/* Reads a client's first bytes in TLS, as far as they decide where the handshake is computed (RFC
 * 8446 section 4.1.2, RFC 5246 section 7.4.1.2, RFC 5077 section 3.2). mbedTLS reads them again and
 * decides for itself. */
#pragma once

#include "base/buffer.h"

#include <text/str.h>

#include <stdbool.h>
#include <stdint.h>

enum tls_record_type { TLS_RECORD_CHANGE = 20, TLS_RECORD_HANDSHAKE = 22, TLS_RECORD_DATA = 23 };

enum { TLS_RECORD_HEAD_BYTES = 5, TLS_RECORD_BYTES_MAX = TLS_RECORD_HEAD_BYTES + 16 * 1024 + 256 };

/* Returns the bytes of the complete records at the front. If the following bytes are not the head
 * of a record, returns all bytes: mbedTLS will find the fault. */
size_t tls_records_length(struct str data);

/* Returns false if the records, which are complete, begin with an incomplete handshake message.
 * Returns true also for other or too large messages: mbedTLS will find the fault. Not for encrypted
 * records. */
bool tls_message_is_whole(struct str records);

/* Appends to joined one record with the content of the records that hold the first message, then
 * the bytes after them. Returns false, and appends nothing, if the first record has at least the 4
 * bytes that mbedTLS demands (mbedtls_ssl_handshake()), or if there is no complete message of at
 * most 16 KiB. records: must pass tls_message_is_whole(). Cost: one copy. */
bool tls_message_join(struct str records, struct buffer *joined);

/* Whether a record of this type is among the records, of which the last may be cut:
 * TLS_RECORD_CHANGE precedes encrypted records, TLS_RECORD_DATA has requests or, in TLS 1.3,
 * anything. */
bool tls_records_have(struct str records, enum tls_record_type type);

struct tls_hello {
	bool offers_tls13;
	struct str ticket; /* a view; empty: no ticket, or one of TLS 1.3 */
};

/* Returns false if the data does not begin with one record that has one complete ClientHello. */
__attribute__((warn_unused_result)) bool tls_hello_read(struct str data, struct tls_hello *ret);
