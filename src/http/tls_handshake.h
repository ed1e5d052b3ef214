/* The TLS handshake of a connection.
 *
 *   records of the client, until whole ones are there -> a turn of mbedTLS -> records for it
 *
 * A turn that signs or agrees on keys takes 1 to 3 ms, and runs as a job on a worker thread
 * (LANE_HANDSHAKE); meanwhile the connection reads nothing. Only the first turn may be refused:
 * handshakes that have begun precede others. Addresses take turns, and so do their networks.
 *
 * While a first turn waits in the lane, the connection keeps reading, so that the job of a client
 * that leaves is dropped; just before a turn the kernel is asked whether the client is still
 * connected. An incomplete message gets no turn. So nothing is computed for clients that left, and
 * a client whose bytes are missing occupies no slot.
 *
 * A client that resumes a session of TLS 1.2 costs as much as a small request, and all its turns
 * are served on the loop, as is the last turn of each handshake of TLS 1.3. Without lanes all turns
 * of all clients are served there. */
#pragma once

#include "http/tls_records.h"

/* Begins the handshake: the client has LIMIT_HANDSHAKE_MS for each of its parts. */
void tls_handshake_start(struct tls_transport *tls);

/* Takes bytes of the client; not while tls->is_working. When the handshake is done, tls->handshake
 * is NULL, and the records after it are read. */
void tls_handshake_take(struct tls_transport *tls, struct str data);

/* Whether the client has sent a part of the handshake. */
bool tls_handshake_has_begun(const struct tls_transport *tls);

/* Call it when the connection is closing or has ended: clears the deadline, and gives up a waiting
 * first turn. While tls->is_working the connection must stay; the handshake closes the lower
 * transport afterwards. */
void tls_handshake_stop(struct tls_transport *tls);

/* Frees the handshake, if it is not done yet. No job may be under way. */
void tls_handshake_free(struct tls_transport *tls);
