/* Fetches a URL again and again, each time with a little more memory for the tenant: each
 * allocation of libcurl and OpenSSL fails once. Prints how many transfers failed, and the memory
 * that was enough.
 *
 *   scarce_memory URL CERTIFICATES FROM STEP */
#include "flight.h"

#include <sandboxed/tls_once.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tenant *tenants;
static const struct key account = {{1}};

static bool read_request(const char *url, struct request *ret_request)
{
	char head[512], words[REQUEST_WORDS_MAX];
	int length =
	    snprintf(head, sizeof(head),
		     "{\"fetch\":{\"id\":1,\"scope\":\"a\",\"method\":\"GET\",\"url\":\"%s\","
		     "\"paced\":true}}",
		     url);

	return request_read((struct str){head, (size_t)length}, (struct str){0}, ret_request,
			    words) == REQUEST_FINE;
}

/* Returns whether there was an answer. */
static bool fetch(struct transfer_tools *tools, const char *url, size_t bytes_max)
{
	struct tenant *tenant = tenants_take(&tenants, &account);
	struct transfer transfer;
	struct request request;
	struct reply reply = {0};
	CURLcode code = CURLE_OUT_OF_MEMORY;
	int64_t lifetime_s;
	bool is_answered = false;

	tools->shares = shares_create();
	if (!tenant || !tools->shares || !read_request(url, &request))
		abort();
	budget_set_max(tenant->budget, bytes_max);
	if (transfer_start(&transfer, tools, tenant, &request)) {
		while (!tenant_next(tenant, &code)) {
			struct pollfd fds[16];
			unsigned count = tenants_list(tenants, fds, 16);

			(void)poll(fds, count, tenants_wait_ms(tenants, 1000));
			tenant_run(tenant);
		}
		transfer_end(&transfer, code, &reply, &lifetime_s);
		is_answered = reply.body.length > 0;
		if (!is_answered && !strstr(reply.members.data, "\"error\""))
			abort();
	}
	transfer_finish(&transfer);
	reply_finish(&reply);
	request_finish(&request);
	shares_destroy(tools->shares);
	tenant_leave(tenant, 0);
	tenants_destroy(&tenants); /* the next one begins without connections */
	return is_answered;
}

int main(int argc, char **argv)
{
	static struct network_list allowed;
	struct transfer_tools tools = {.allowed = &allowed};
	size_t failed = 0, bytes_max;

	if (argc != 5 || sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
	    !tls_once() || !network_list_add(&allowed, "127.0.0.1") ||
	    !network_list_add(&allowed, "::1"))
		return 1;
	trust_init(&tools.trust, argv[2]);
	bytes_max = strtoul(argv[3], NULL, 10);
	while (!fetch(&tools, argv[1], bytes_max)) {
		bytes_max += strtoul(argv[4], NULL, 10);
		failed++;
		if (bytes_max > TENANT_TRANSFER_BYTES)
			return 1;
	}
	printf("%zu %zu\n", failed, bytes_max);
	trust_finish(&tools.trust);
	return 0;
}
