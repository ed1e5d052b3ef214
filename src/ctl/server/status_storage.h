/* Lines of displayctl status about what runs out: the disk, the age of the backup, the certificate.
 */
#pragma once

#include "base/buffer.h"

#include <yyjson.h>

/* now: the answer of GET /status. */
void status_put_storage(struct buffer *out, const yyjson_val *now);

/* Writes nothing if the server has no certificate. */
void status_put_certificate(struct buffer *out, const yyjson_val *now);
