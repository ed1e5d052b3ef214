/* Fetches a URL again and again, each time with a little more memory for the tenant: each
 * allocation of libcurl and OpenSSL fails once. Prints how many transfers failed, and the memory
 * that was enough.
 *
 *   scarce_memory URL CERTIFICATES FROM STEP
 *
 * Without arguments: prints how many bytes an account can allocate with one transfer, with two,
 * with one again, and another account meanwhile. */
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

enum { BLOCK_BYTES = 64 << 10, BLOCKS_MAX = 1024 };

/* Allocates for the tenant until it may not. Returns the bytes, which stay allocated. */
static size_t fill(struct tenant *tenant, void *blocks[BLOCKS_MAX])
{
	struct budget *before = budget_enter(tenant->budget);
	size_t count = 0;

	while (count < BLOCKS_MAX && (blocks[count] = malloc(BLOCK_BYTES)))
		count++;
	(void)budget_enter(before);
	if (tenant_ran_out(tenant) != (count < BLOCKS_MAX))
		abort();
	return count * BLOCK_BYTES;
}

static size_t fill_and_free(struct tenant *tenant)
{
	void *blocks[BLOCKS_MAX];
	size_t bytes = fill(tenant, blocks);

	for (size_t i = 0; i < bytes / BLOCK_BYTES; i++)
		free(blocks[i]);
	return bytes;
}

static int print_shares(void)
{
	static const struct key others = {{2}};
	struct tenant *tenant = tenants_take(&tenants, &account);
	struct tenant *other = tenants_take(&tenants, &others);
	void *blocks[BLOCKS_MAX];
	size_t one, two, again;

	if (!tenant || !other)
		return 1;
	one = fill_and_free(tenant);
	if (tenants_take(&tenants, &account) != tenant)
		return 1;
	two = fill_and_free(tenant);
	tenant_leave(tenant, 0);
	again = fill(tenant, blocks);
	printf("%zu %zu %zu %zu\n", one, two, again, fill_and_free(other));
	for (size_t i = 0; i < again / BLOCK_BYTES; i++)
		free(blocks[i]);
	tenant_leave(tenant, 0);
	tenant_leave(other, 0);
	tenants_destroy(&tenants);
	return 0;
}

int main(int argc, char **argv)
{
	static struct network_list allowed;
	struct transfer_tools tools = {.allowed = &allowed};
	size_t failed = 0, bytes_max;

	if (argc == 1)
		return print_shares();
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
