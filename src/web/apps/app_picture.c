#include "api/api.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId}/picture - the picture of an app in the catalogue, as by the public API. */

const struct endpoint endpoint_app_picture = {
    ENDPOINT_APP_PICTURE,
};
