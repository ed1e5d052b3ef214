/* The reader of PROXY headers: for each prefix, the result is the same as for the whole input, or
 * that more is needed. */
#include <wire/proxy.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads from a copy, so that an overrun is detected. */
static enum wire_proxy_result read_copy(const uint8_t *data, size_t size, struct wire_proxy *ret)
{
	uint8_t *copy = malloc(size ? size : 1);
	enum wire_proxy_result result;

	memcpy(copy, data, size);
	result = wire_proxy_read(copy, size, ret);
	free(copy);
	return result;
}

static bool is_sound(enum wire_proxy_result result, size_t size, const struct wire_proxy *proxy)
{
	switch (result) {
	case WIRE_PROXY_MORE:
		return size < WIRE_PROXY_HEADER_MAX;
	case WIRE_PROXY_COMPLETE:
		return proxy->size > 0 && proxy->size <= size &&
		       proxy->size <= WIRE_PROXY_HEADER_MAX &&
		       !(proxy->is_local && proxy->has_source);
	case WIRE_PROXY_MALFORMED:
		return size > 0;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_proxy whole, part;
	enum wire_proxy_result all = read_copy(data, size, &whole);

	if (!is_sound(all, size, &whole))
		abort();
	for (size_t length = 0; length < size; length++) {
		enum wire_proxy_result result = read_copy(data, length, &part);

		if (!is_sound(result, length, &part))
			abort();
		if (result == WIRE_PROXY_MORE)
			continue;
		/* A known result stays, and complete headers end at the same byte. */
		if (result != all || (all == WIRE_PROXY_COMPLETE && part.size != whole.size))
			abort();
	}
	return 0;
}
