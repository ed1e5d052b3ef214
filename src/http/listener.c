#include "http/listener.h"
#include "http/transport_plain.h"

const char *http_listener_scheme(const struct http_listener_settings *listener)
{
	return (listener->transport ? listener->transport : &http_transport_plain)->scheme;
}
