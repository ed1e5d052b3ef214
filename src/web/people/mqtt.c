#include "api/api.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET, PUT and DELETE /web/account/mqtt - as the public API has them. */

const struct endpoint endpoint_own_mqtt_get = {
    ENDPOINT_OWN_MQTT_GET,
};
const struct endpoint endpoint_own_mqtt_set = {
    ENDPOINT_OWN_MQTT_SET,
};
const struct endpoint endpoint_own_mqtt_remove = {
    ENDPOINT_OWN_MQTT_REMOVE,
};
