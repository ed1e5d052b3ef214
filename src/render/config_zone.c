#include "render/config_zone.h"

void config_set_zone(yyjson_mut_doc *document, yyjson_mut_val *config, struct str zone)
{
	yyjson_mut_obj_put(config, yyjson_mut_str(document, CONFIG_ZONE),
			   yyjson_mut_strncpy(document, zone.data, zone.length));
}
