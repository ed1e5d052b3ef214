#include "api/api.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/devices/{deviceId}/apps - installs an app on a device, as by the public API. */

const struct endpoint endpoint_app_install = {
    ENDPOINT_APP_INSTALL,
};
