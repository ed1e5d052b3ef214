/* Finds the start of URLs that displayctl prints. */
#include "ctl/ctl.h"
#include "ctl/server/remote.h"
#include "main/listen_socket.h"
#include "main/state_dir.h"
#include "web/site.h"

/* Copies a text into the arena and frees it; data is NULL if there is none. */
static struct str keep(struct ctl *ctl, char *text)
{
	struct str copy = {0};

	if (text)
		copy = arena_copy(&ctl->arena, str_from(text));
	free(text);
	return copy;
}

/* Returns the URL of a server with this configuration; data is NULL if no listener is reachable. */
static struct str url_of_listener(struct ctl *ctl, bool from_elsewhere)
{
	char made[256];

	for (unsigned i = 0; i < ctl->config.listen_count; i++) {
		const struct listen_address *address = &ctl->config.listen[i];

		if (address->role == HTTP_ROLE_PUBLIC &&
		    listen_address_url(address, made, sizeof(made)) &&
		    !(from_elsewhere && site_is_loopback_url(made)))
			return arena_copy(&ctl->arena, str_from(made));
	}
	return (struct str){0};
}

struct str ctl_public_url(struct ctl *ctl)
{
	struct str url = str_from(ctl->config.public_url);

	if (ctl->remote)
		return ctl->remote->base;
	if (!url.data)
		url = keep(ctl, state_dir_read_public_url(ctl->config.state_dir));
	if (!url.data)
		url = url_of_listener(ctl, false);
	return url.data ? url : STR("http://localhost");
}

struct str ctl_panel_url(struct ctl *ctl)
{
	struct str public_url = ctl_public_url(ctl), url;

	/* Choose as the running server does (main/instance.c), but prefer the command's own
	 * options. */
	if (ctl_value(ctl, "public-url").data || !site_is_loopback_url(public_url.data))
		return public_url;
	url = keep(ctl, state_dir_read_panel_url(ctl->config.state_dir));
	if (!url.data)
		url = url_of_listener(ctl, true);
	return url.data ? url : public_url;
}
