#include "http/proxy_header.h"

#include <errno.h>
#include <wire/proxy.h>

static void complete(struct proxy_header *header, const struct wire_proxy *proxy)
{
	struct address source;

	header->is_complete = true;
	header->is_local = proxy->is_local;
	memcpy(source.bytes, proxy->source, sizeof(source.bytes));
	if (proxy->has_source)
		address_write(&source, header->address);
	else
		memcpy(header->address, "unknown", sizeof("unknown"));
}

int proxy_header_take(struct proxy_header *header, struct str data, struct str *ret_rest)
{
	bool is_first = buffer_length(&header->bytes) == 0;
	struct wire_proxy proxy;

	if (!is_first) {
		buffer_append_str(&header->bytes, data);
		data = buffer_view(&header->bytes);
	}
	switch (wire_proxy_read((const uint8_t *)data.data, data.length, &proxy)) {
	case WIRE_PROXY_COMPLETE:
		complete(header, &proxy);
		*ret_rest = str_from_offset(data, proxy.size);
		return 0;
	case WIRE_PROXY_MORE:
		if (is_first)
			buffer_append_str(&header->bytes, data);
		return -EAGAIN;
	case WIRE_PROXY_MALFORMED:
		break;
	}
	return -EPROTO;
}

void proxy_header_finish(struct proxy_header *header)
{
	buffer_finish(&header->bytes);
}
