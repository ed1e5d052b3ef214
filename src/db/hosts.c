#include "base/memory.h"
#include "base/require.h"
#include "host_turns.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/address.h>

/* Members may be NULL: libpq's own choice. */
struct host {
	char *host;
	char *address;
	char *port;
};

struct hosts {
	PQconninfoOption *options;
	struct host *list;
	unsigned count;
	bool is_whole; /* libpq gets the string unchanged */
	bool prefers_standby;
	char *url;
	struct timeline_known *known; /* perhaps own_known */
	struct timeline_known own_known;
	unsigned first;			       /* index in the list of the server with the first
						  turn */
	char good_address[HOST_ADDRESS_BYTES]; /* address of the last good server, or "" */
};

enum { KEYWORDS_MAX = 128 };

/* ---- connection string ---- */

static const char *option(const struct hosts *hosts, const char *keyword, const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;

	for (const PQconninfoOption *one = hosts->options; one->keyword; one++)
		if (strcmp(one->keyword, keyword) == 0 && one->val && one->val[0])
			return one->val;
	return value && value[0] ? value : NULL;
}

static unsigned count_items(const char *list)
{
	unsigned count = 1;

	while ((list = strchr(list, ','))) {
		list++;
		count++;
	}
	return count;
}

/* Copies an item of a list. NULL if it is empty. */
static char *copy_item(const char *list, unsigned number)
{
	char *copy;
	size_t length;

	if (!list)
		return NULL;
	for (; number > 0; number--)
		list = strchr(list, ',') + 1;
	length = strcspn(list, ",");
	if (length == 0)
		return NULL;
	copy = memory_alloc(length + 1);
	memcpy(copy, list, length);
	copy[length] = 0;
	return copy;
}

/* Whether the lists have the same length. If not, libpq reports the fault. */
static bool do_lists_match(const char *host, const char *address, const char *port, unsigned count)
{
	if (host && address && count_items(host) != count)
		return false;
	return !port || count_items(port) == 1 || count_items(port) == count;
}

static void read_lists(struct hosts *hosts)
{
	const char *host = option(hosts, "host", "PGHOST");
	const char *address = option(hosts, "hostaddr", "PGHOSTADDR");
	const char *port = option(hosts, "port", "PGPORT");
	unsigned count = address ? count_items(address) : host ? count_items(host) : 1;

	hosts->is_whole =
	    option(hosts, "service", "PGSERVICE") || !do_lists_match(host, address, port, count);
	hosts->count = hosts->is_whole ? 1 : count;
	hosts->list = memory_zalloc(hosts->count * sizeof(*hosts->list));
	for (unsigned i = 0; i < hosts->count && !hosts->is_whole; i++)
		hosts->list[i] = (struct host){
		    .host = copy_item(host, i),
		    .address = copy_item(address, i),
		    .port = copy_item(port, port && count_items(port) > 1 ? i : 0),
		};
}

struct hosts *hosts_create(const char *url)
{
	PQconninfoOption *options = PQconninfoParse(url, NULL);
	const char *attributes, *balance;
	struct hosts *hosts;

	if (!options)
		return NULL;
	hosts = memory_zalloc(sizeof(*hosts));
	hosts->options = options;
	hosts->url = memory_strdup(url);
	hosts->known = &hosts->own_known;
	read_lists(hosts);
	attributes = option(hosts, "target_session_attrs", "PGTARGETSESSIONATTRS");
	hosts->prefers_standby =
	    !hosts->is_whole && attributes && strcmp(attributes, "prefer-standby") == 0;
	balance = option(hosts, "load_balance_hosts", "PGLOADBALANCEHOSTS");
	if (balance && strcmp(balance, "random") == 0)
		hosts->first = randombytes_uniform(hosts->count);
	return hosts;
}

void hosts_destroy(struct hosts *hosts)
{
	if (!hosts)
		return;
	for (unsigned i = 0; i < hosts->count; i++) {
		free(hosts->list[i].host);
		free(hosts->list[i].address);
		free(hosts->list[i].port);
	}
	free(hosts->list);
	free(hosts->url);
	PQconninfoFree(hosts->options);
	free(hosts);
}

struct hosts *hosts_copy(const struct hosts *hosts)
{
	struct hosts *copy = hosts_create(hosts->url);

	require(copy);
	copy->known = hosts->known;
	copy->first = hosts->first;
	return copy;
}

/* ---- timelines ---- */

void hosts_fence(struct hosts *hosts, struct timeline_known *known)
{
	hosts->known = known;
}

struct timeline_known *hosts_known(struct hosts *hosts)
{
	return hosts->known;
}

bool hosts_are_fenced(const struct hosts *hosts)
{
	return hosts->count > 1 && !hosts->prefers_standby;
}

enum unavailable hosts_judge(struct hosts *hosts, struct timeline timeline)
{
	static const enum unavailable reasons[] = {
	    [TIMELINE_CURRENT] = UNAVAILABLE_NOT,
	    [TIMELINE_OLD] = UNAVAILABLE_REPLACED,
	    [TIMELINE_OTHER] = UNAVAILABLE_OTHER_SYSTEM,
	};

	return reasons[timeline_note(hosts->known, timeline)];
}

/* ---- turns ---- */

bool hosts_are_same(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "") == 0;
}

unsigned hosts_turns(const struct hosts *hosts)
{
	return hosts->count * (hosts->prefers_standby ? 2 : 1);
}

struct host_turn hosts_first_turn(const struct hosts *hosts)
{
	return (struct host_turn){.first = hosts->first};
}

/* Returns the server of a turn: first the preferred one, then the others in the order of the
 * string. */
static unsigned index_of(const struct hosts *hosts, struct host_turn turn)
{
	unsigned number = turn.number % hosts->count;

	if (number == 0)
		return turn.first;
	return number <= turn.first ? number - 1 : number;
}

static bool is_name(const char *host)
{
	struct address address;

	/* A slash begins a socket's folder, an at sign an abstract socket. */
	return host && host[0] != '/' && host[0] != '@' && !address_read(str_from(host), &address);
}

const char *hosts_name(const struct hosts *hosts, struct host_turn turn)
{
	const struct host *host = &hosts->list[index_of(hosts, turn)];

	return !host->address && is_name(host->host) ? host->host : NULL;
}

unsigned hosts_limit_ms(const struct hosts *hosts, unsigned addresses)
{
	return hosts_turns(hosts) > 1 || addresses > 1 ? HOSTS_EACH_MS : HOSTS_ONLY_MS;
}

bool hosts_are_near(const struct hosts *hosts)
{
	for (unsigned i = 0; i < hosts->count; i++) {
		const struct host *host = &hosts->list[i];

		if (host->address || (host->host && host->host[0] != '/' && host->host[0] != '@'))
			return false;
	}
	return !hosts->is_whole;
}

struct keywords {
	const char *keywords[KEYWORDS_MAX];
	const char *values[KEYWORDS_MAX];
	unsigned count;
};

/* Later ones override earlier ones. */
static void add(struct keywords *all, const char *keyword, const char *value)
{
	if (!value || !value[0])
		return;
	require(all->count + 1 < KEYWORDS_MAX);
	all->keywords[all->count] = keyword;
	all->values[all->count++] = value;
}

static bool is_of_host(const char *keyword)
{
	return strcmp(keyword, "host") == 0 || strcmp(keyword, "hostaddr") == 0 ||
	       strcmp(keyword, "port") == 0;
}

static void ignore_notice(void *context, const char *text)
{
	(void)context;
	(void)text;
}

PGconn *hosts_begin(const struct hosts *hosts, const struct hosts_use *use, struct host_turn turn,
		    const char *address)
{
	const struct host *host = &hosts->list[index_of(hosts, turn)];
	struct keywords all = {0};
	PGconn *pg;

	for (const char *const *one = use->settings; one && *one; one += 2)
		add(&all, one[0], one[1]);
	for (const PQconninfoOption *one = hosts->options; one->keyword; one++)
		if (hosts->is_whole || !is_of_host(one->keyword))
			add(&all, one->keyword, one->val);
	add(&all, "host", host->host);
	add(&all, "hostaddr", address ? address : host->address);
	add(&all, "port", host->port);
	if (hosts->prefers_standby)
		add(&all, "target_session_attrs", turn.number < hosts->count ? "standby" : "any");
	add(&all, "client_encoding", "UTF8");
	pg = PQconnectStartParams(all.keywords, all.values, /* expand_dbname= */ 0);
	if (!pg)
		require_memory_failed(sizeof(pg));
	PQsetNoticeProcessor(pg, ignore_notice, NULL);
	if (use->has_sqlstates)
		PQsetErrorVerbosity(pg, PQERRORS_VERBOSE);
	return pg;
}

/* Index of a connection's server in the list. libpq knows the host by its name or address, and by
 * its port. */
static unsigned find(const struct hosts *hosts, const PGconn *pg)
{
	for (unsigned i = 0; i < hosts->count; i++) {
		const struct host *host = &hosts->list[i];
		const char *name = host->host ? host->host : host->address;

		if ((!name || hosts_are_same(name, PQhost(pg))) &&
		    (!host->port || hosts_are_same(host->port, PQport(pg))) &&
		    (!host->address || hosts_are_same(host->address, PQhostaddr(pg))))
			return i;
	}
	return hosts->first;
}

void hosts_put_first(struct hosts *hosts, unsigned index)
{
	hosts->first = index;
}

void hosts_note_good(struct hosts *hosts, const PGconn *pg)
{
	const char *address = PQhostaddr(pg);

	hosts->first = find(hosts, pg);
	snprintf(hosts->good_address, sizeof(hosts->good_address), "%s", address ? address : "");
}

void hosts_pass_over(struct hosts *hosts, const PGconn *pg)
{
	if (find(hosts, pg) == hosts->first)
		hosts->first = (hosts->first + 1) % hosts->count;
	if (hosts_are_same(hosts->good_address, PQhostaddr(pg)))
		hosts->good_address[0] = 0;
}

/* A server that may not be used tells more than others that cannot be reached. */
static unsigned weight(enum unavailable unavailable)
{
	if (unavailable == UNAVAILABLE_NOT)
		return 0;
	if (unavailable == UNAVAILABLE_REPLACED || unavailable == UNAVAILABLE_OTHER_SYSTEM)
		return 2;
	return unavailable_may_pass(unavailable) ? 1 : 3;
}

void hosts_keep_failure(struct hosts_failure *kept, enum unavailable unavailable, const char *words)
{
	if (weight(unavailable) <= weight(kept->unavailable))
		return;
	kept->unavailable = unavailable;
	snprintf(kept->words, sizeof(kept->words), "%.*s", (int)strcspn(words, "\n"), words);
}

bool hosts_look_up(const struct hosts *hosts, const char *name, struct host_addresses *ret,
		   struct hosts_failure *failure)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	char words[UNAVAILABLE_WORDS_BYTES];
	int error = getaddrinfo(name, NULL, &hints, &found);

	if (error == 0) {
		hosts_take_addresses(hosts, found, ret);
		freeaddrinfo(found);
		if (ret->count > 0)
			return true;
	}
	snprintf(words, sizeof(words), "cannot resolve %s: %s", name,
		 error ? gai_strerror(error) : "it has no address");
	hosts_keep_failure(failure, UNAVAILABLE_UNKNOWN, words);
	return false;
}

void hosts_take_addresses(const struct hosts *hosts, const struct addrinfo *found,
			  struct host_addresses *ret)
{
	ret->count = 0;
	for (; found && ret->count < HOSTS_ADDRESSES_MAX; found = found->ai_next) {
		char *text = ret->list[ret->count];

		if (getnameinfo(found->ai_addr, found->ai_addrlen, text, HOST_ADDRESS_BYTES, NULL,
				0, NI_NUMERICHOST) != 0)
			continue;
		if (ret->count > 0 && hosts_are_same(text, hosts->good_address)) {
			memcpy(text, ret->list[0], HOST_ADDRESS_BYTES);
			snprintf(ret->list[0], HOST_ADDRESS_BYTES, "%s", hosts->good_address);
		}
		ret->count++;
	}
}
