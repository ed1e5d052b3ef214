/* Pauses between attempts to open a connection. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the pause of a connection after so many failed attempts in a row, shortened at random by
 * up to half. is_near: the server is on this machine. */
uint64_t connection_rest_ms(unsigned failures, bool is_near);
