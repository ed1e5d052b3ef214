#include "api/api.h"
#include "web/access.h"
#include "web/endpoints.h"

/* /web/webhooks - as in the public API, for the pages. */

const struct endpoint endpoint_own_webhook_create = {
    ENDPOINT_OWN_WEBHOOK_CREATE,
};

const struct endpoint endpoint_own_webhook_get = {
    ENDPOINT_OWN_WEBHOOK_GET,
};

const struct endpoint endpoint_own_webhook_list = {
    ENDPOINT_OWN_WEBHOOK_LIST,
};

const struct endpoint endpoint_own_webhook_remove = {
    ENDPOINT_OWN_WEBHOOK_REMOVE,
};

const struct endpoint endpoint_own_webhook_secret = {
    ENDPOINT_OWN_WEBHOOK_SECRET,
};

const struct endpoint endpoint_own_webhook_test = {
    ENDPOINT_OWN_WEBHOOK_TEST,
};

const struct endpoint endpoint_own_webhook_update = {
    ENDPOINT_OWN_WEBHOOK_UPDATE,
};
