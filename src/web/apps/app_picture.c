#include "api/api.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId}/picture - an app as the catalogue shows it, as by the public API. */

const struct endpoint endpoint_app_picture = {
    ENDPOINT_APP_PICTURE,
};
