/* TCP and unix sockets, byte for byte. */
#pragma once

#include "http/transport.h"

extern const struct http_transport_kind http_transport_plain;
