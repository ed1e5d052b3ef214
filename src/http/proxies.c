#include "http/proxies.h"

bool http_proxies_have(const struct http_proxies *proxies, const struct address *address)
{
	for (unsigned i = 0; i < proxies->count; i++) {
		if (network_has(&proxies->networks[i], address))
			return true;
	}
	return false;
}

bool http_proxies_have_peer(const struct http_proxies *proxies, struct str peer)
{
	struct address address;

	if (!str_equal(peer, STR("unix")))
		return address_read(peer, &address) && http_proxies_have(proxies, &address);
	for (unsigned i = 0; i < proxies->count; i++) {
		if (proxies->networks[i].is_unix)
			return true;
	}
	return false;
}
