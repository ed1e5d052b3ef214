#include "domain/mqtt.h"

#include <text/authority.h>
#include <text/reach.h>

enum { PORT_PLAIN = 1883, PORT_TLS = 8883 };

static const char no_url[] = "must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]";

/* Without brackets a name or an address of IPv4, in brackets an address of IPv6. */
static bool take_host(const struct authority *from, struct mqtt_broker *broker)
{
	struct str host = reach_host_trim(from->host);

	if (host.length >= sizeof(broker->host) || !authority_has_plain_host(from))
		return false;
	memcpy(broker->host, host.data, host.length);
	broker->host[host.length] = '\0';
	return true;
}

const char *mqtt_url_read(struct str url, struct mqtt_broker *ret_broker)
{
	const struct str plain = STR("mqtt://"), tls = STR("mqtts://");
	struct authority authority;
	struct str rest;

	*ret_broker = (struct mqtt_broker){.is_tls = str_starts_with_ignore_case(url, tls)};
	if (!ret_broker->is_tls && !str_starts_with_ignore_case(url, plain))
		return no_url;
	rest = str_from_offset(url, ret_broker->is_tls ? tls.length : plain.length);
	if (str_ends_with(rest, STR("/")))
		rest.length--;
	if (authority_read(rest, &authority) != AUTHORITY_FINE ||
	    !take_host(&authority, ret_broker))
		return no_url;
	ret_broker->port = authority.port	? authority.port
			   : ret_broker->is_tls ? PORT_TLS
						: PORT_PLAIN;
	return NULL;
}

const char *mqtt_check_url(struct str url)
{
	struct mqtt_broker broker;

	return mqtt_url_read(url, &broker);
}

const char *mqtt_check_name(struct str name)
{
	for (size_t i = 0; i < name.length; i++)
		if ((unsigned char)name.data[i] < ' ' || name.data[i] == 0x7f)
			return "must have no control characters";
	return NULL;
}

void mqtt_check_wish(void *body, uint64_t seen, struct faults *faults)
{
	const struct mqtt_wish *wish = body;

	(void)seen;
	if (wish->password.length && !wish->username.length)
		faults_add(faults, STR("password"), "needs a username");
}
