#include "api/api.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/import/tronbyt, POST /web/devices/{deviceId}/reboot, .../move-address, DELETE
 * .../alias, GET .../firmware - as in the public API. */

const struct endpoint endpoint_own_import_tronbyt = {
    ENDPOINT_OWN_IMPORT_TRONBYT,
};
const struct endpoint endpoint_own_device_reboot = {
    ENDPOINT_OWN_DEVICE_REBOOT,
};
const struct endpoint endpoint_own_device_move = {
    ENDPOINT_OWN_DEVICE_MOVE,
};
const struct endpoint endpoint_own_device_alias_end = {
    ENDPOINT_OWN_DEVICE_ALIAS_END,
};
const struct endpoint endpoint_own_firmware_get = {
    ENDPOINT_OWN_FIRMWARE_GET,
};
