/* Headers of proxies about their clients: lines of X-Forwarded-For, or of Forwarded if a line
 * begins with "f". For any input, the result is an address. */
#include "http/client_address.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_field fields[FIELDS_MAX];
	struct http_request request = {.fields = fields};
	struct http_proxies proxies = {.count = 2};
	struct str peer = STR("10.0.0.1"), rest, line, result;
	struct address address;
	char *copy = malloc(size + 1);

	if (size)
		memcpy(copy, data, size);
	copy[size] = 0;
	rest = (struct str){copy, size};
	if (!network_read("10.0.0.0/8", &proxies.networks[0]) ||
	    !network_read("2001:db8::/32", &proxies.networks[1]))
		abort();
	while (request.field_count < FIELDS_MAX && str_next(&rest, '\n', &line)) {
		bool is_forwarded = line.length && line.data[0] == 'f';

		fields[request.field_count].name =
		    is_forwarded ? STR("Forwarded") : STR("X-Forwarded-For");
		fields[request.field_count++].value =
		    is_forwarded ? str_from_offset(line, 1) : line;
	}
	result = http_client_address(&proxies, peer, &request);
	if (!address_read(result, &address))
		abort();
	arena_finish(&request.arena);
	free(copy);
	return 0;
}
