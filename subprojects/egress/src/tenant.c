#include "tenant.h"

#include <sandboxed/reads.h>
#include <stdlib.h>
#include <sys/select.h>

static void destroy(struct tenant **at)
{
	struct tenant *tenant = *at;
	struct budget *before = budget_enter(tenant->budget);

	*at = tenant->next;
	curl_multi_cleanup(tenant->multi);
	(void)budget_enter(before);
	budget_release(tenant->budget);
	free(tenant);
}

static bool open_multi(struct tenant *tenant)
{
	struct budget *before = budget_enter(tenant->budget);

	tenant->multi = curl_multi_init();
	if (tenant->multi)
		curl_multi_setopt(tenant->multi, CURLMOPT_MAXCONNECTS,
				  (long)TENANT_CONNECTIONS_MAX);
	(void)budget_enter(before);
	return tenant->multi;
}

static struct tenant *create(struct tenant **tenants, const struct key *account)
{
	struct tenant *tenant = memory_take(sizeof(*tenant));

	if (!tenant)
		return NULL;
	tenant->account = *account;
	tenant->next = *tenants;
	*tenants = tenant;
	tenant->budget = budget_create(SIZE_MAX / 2, TENANT_IDLE_BYTES);
	if (tenant->budget && open_multi(tenant))
		return tenant;
	destroy(tenants);
	return NULL;
}

static void set_max(struct tenant *tenant)
{
	budget_set_max(tenant->budget,
		       TENANT_IDLE_BYTES + (size_t)tenant->transfers * TENANT_TRANSFER_BYTES);
}

struct tenant *tenants_take(struct tenant **tenants, const struct key *account)
{
	struct tenant *tenant = *tenants;

	while (tenant && !key_is_same(&tenant->account, account))
		tenant = tenant->next;
	if (!tenant)
		tenant = create(tenants, account);
	if (!tenant)
		return NULL;
	if (tenant->transfers++ == 0) {
		(void)budget_take_failure(tenant->budget);
		tenant->has_run_out = false;
	}
	set_max(tenant);
	return tenant;
}

void tenant_leave(struct tenant *tenant, int64_t now_ms)
{
	tenant->transfers--;
	tenant->idle_ms = now_ms;
	set_max(tenant);
}

void tenants_sweep(struct tenant **tenants, int64_t now_ms)
{
	struct tenant **oldest = NULL;
	unsigned idle = 0;

	for (struct tenant **at = tenants; *at;) {
		struct tenant *tenant = *at;

		if (tenant->transfers == 0 && (now_ms - tenant->idle_ms >= TENANT_IDLE_MS ||
					       budget_bytes(tenant->budget) > TENANT_IDLE_BYTES)) {
			destroy(at);
			continue;
		}
		if (tenant->transfers == 0) {
			idle++;
			if (!oldest || tenant->idle_ms < (*oldest)->idle_ms)
				oldest = at;
		}
		at = &tenant->next;
	}
	/* Destroys one a turn: the others follow in the next turns. */
	if (idle > TENANTS_IDLE_MAX)
		destroy(oldest);
}

void tenants_destroy(struct tenant **tenants)
{
	while (*tenants)
		destroy(tenants);
}

static unsigned list(CURLM *multi, struct pollfd *fds, unsigned room)
{
	fd_set reads, writes, others;
	unsigned count = 0;
	int last = -1;

	FD_ZERO(&reads);
	FD_ZERO(&writes);
	FD_ZERO(&others);
	curl_multi_fdset(multi, &reads, &writes, &others, &last);
	for (int fd = 0; fd <= last && count < room; fd++) {
		short events = (short)((FD_ISSET(fd, &reads) ? POLLIN : 0) |
				       (FD_ISSET(fd, &writes) ? POLLOUT : 0));

		if (events)
			fds[count++] = (struct pollfd){.fd = fd, .events = events};
	}
	return count;
}

unsigned tenants_list(const struct tenant *tenants, struct pollfd *fds, unsigned room)
{
	unsigned count = 0;

	for (; tenants; tenants = tenants->next)
		if (tenants->transfers > 0)
			count += list(tenants->multi, fds + count, room - count);
	return count;
}

int tenants_wait_ms(const struct tenant *tenants, int most_ms)
{
	for (; tenants; tenants = tenants->next) {
		long wait_ms = -1;

		if (tenants->transfers == 0)
			continue;
		curl_multi_timeout(tenants->multi, &wait_ms);
		if (wait_ms >= 0 && wait_ms < most_ms)
			most_ms = (int)wait_ms;
	}
	return most_ms;
}

void tenant_run(struct tenant *tenant)
{
	struct budget *before = budget_enter(tenant->budget);
	int left;

	reads_limit(TENANT_TURN_BYTES);
	curl_multi_perform(tenant->multi, &left);
	reads_unlimit();
	(void)budget_enter(before);
}

CURL *tenant_next(struct tenant *tenant, CURLcode *ret_code)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(tenant->multi, &left))) {
		if (message->msg != CURLMSG_DONE)
			continue;
		*ret_code = message->data.result;
		return message->easy_handle;
	}
	return NULL;
}

bool tenant_ran_out(struct tenant *tenant)
{
	tenant->has_run_out |= budget_take_failure(tenant->budget);
	return tenant->has_run_out;
}
