#include "domain/device_link.h"

struct device_link device_link_make(struct arena *arena, struct str base, struct id device_id,
				    struct str key)
{
	/* http://... becomes ws://..., https://... wss://... */
	struct str rest = str_from_offset(base, strlen("http"));
	struct device_link link;
	char id[ID_TEXT_LENGTH + 1];

	id_format(device_id, id);
	link = (struct device_link){
	    .websocket_url =
		arena_printf(arena, "ws%.*s/d/%s/ws?key=%.*s", STR_ARG(rest), id, STR_ARG(key)),
	    .polling_url =
		arena_printf(arena, "%.*s/d/%s/next?key=%.*s", STR_ARG(base), id, STR_ARG(key)),
	};
	if (link.polling_url.length > DEVICE_URL_LENGTH_MAX)
		link.excess = link.polling_url.length - DEVICE_URL_LENGTH_MAX;
	return link;
}
