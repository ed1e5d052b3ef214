/* Access of a panel to an image of firmware, by the token in the URL (domain/firmware_token.h). The
 * URL never has the device's key. Wrong tokens count as failed attempts. Each device has a rate
 * limit of its own. */
#pragma once

#include "task/access.h"

extern const struct access access_firmware_token;
