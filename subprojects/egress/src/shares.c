#include "shares.h"

#include <ctype.h>
#include <sandboxed/budget.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
	BUCKETS = 4096,
	SWEPT_BUCKETS = 4, /* buckets that are swept with each request */
	SECOND_US = 1000 * 1000,
	REQUEST_US = SECOND_US / SHARE_HOST_PER_S,
	NETWORK_BYTES = 8, /* first bytes of an IPv6 address */
	NAME_BYTES = 256,  /* of a host, more than names of DNS have */
};

/* A share is stored as the time at which it is full again: each use moves that time on. */
struct host {
	struct key key; /* hash of the account and the host */
	struct account *account;
	int64_t whole_us;
	struct host *next; /* next host in its bucket */
};

struct account {
	struct key key;
	int64_t whole_us; /* when the share of bytes is full again */
	unsigned host_count;
	struct account *next; /* next account in its bucket */
};

struct shares {
	struct host *hosts[BUCKETS];
	struct account *accounts[BUCKETS];
	unsigned host_count;
	unsigned next_swept;
	int64_t swept_us; /* time of the last full sweep */
};

struct shares *shares_create(void)
{
	return memory_take(sizeof(struct shares));
}

/* A key is a hash already. */
static unsigned bucket_of(const struct key *key)
{
	return (key->bytes[0] | (unsigned)key->bytes[1] << 8) % BUCKETS;
}

static void sweep_bucket(struct shares *shares, unsigned bucket, int64_t now_us)
{
	for (struct host **at = &shares->hosts[bucket]; *at;) {
		struct host *host = *at;

		if (host->whole_us > now_us) {
			at = &host->next;
			continue;
		}
		*at = host->next;
		host->account->host_count--;
		shares->host_count--;
		free(host);
	}
	for (struct account **at = &shares->accounts[bucket]; *at;) {
		struct account *account = *at;

		if (account->host_count > 0 || account->whole_us > now_us) {
			at = &account->next;
			continue;
		}
		*at = account->next;
		free(account);
	}
}

static void sweep(struct shares *shares, unsigned buckets, int64_t now_us)
{
	while (buckets-- > 0) {
		sweep_bucket(shares, shares->next_swept, now_us);
		shares->next_swept = (shares->next_swept + 1) % BUCKETS;
	}
}

void shares_destroy(struct shares *shares)
{
	/* Accounts go with their last host. */
	sweep(shares, 2 * BUCKETS, INT64_MAX);
	free(shares);
}

/* Allocates an entry, which outlives the transfer for which it is made. */
static void *take_entry(size_t size)
{
	struct budget *before = budget_enter(NULL);
	void *entry = memory_take(size);

	(void)budget_enter(before);
	return entry;
}

/* Finds the account, or adds it. Returns NULL if there is no memory. */
static struct account *find_account(struct shares *shares, const struct key *key)
{
	struct account **at = &shares->accounts[bucket_of(key)];

	while (*at && memcmp(&(*at)->key, key, sizeof(*key)) != 0)
		at = &(*at)->next;
	if (!*at) {
		*at = take_entry(sizeof(**at));
		if (*at)
			(*at)->key = *key;
	}
	return *at;
}

/* Removes hosts whose shares are full: a few each time, all once a second if there are many. */
static void make_room(struct shares *shares, int64_t now_us)
{
	bool is_crowded =
	    shares->host_count >= SHARE_HOSTS_MAX / 2 && now_us - shares->swept_us >= SECOND_US;

	sweep(shares, is_crowded ? BUCKETS : SWEPT_BUCKETS, now_us);
	if (is_crowded)
		shares->swept_us = now_us;
}

static enum share_result take(struct shares *shares, const struct key *account_key,
			      const struct key *key, int64_t now_us)
{
	struct host *host;
	struct account *account;

	make_room(shares, now_us);
	account = find_account(shares, account_key);
	if (!account)
		return SHARE_TOO_MANY_HOSTS;
	host = shares->hosts[bucket_of(key)];
	while (host && memcmp(&host->key, key, sizeof(*key)) != 0)
		host = host->next;
	if (!host) {
		if (account->host_count + shares->host_count >= SHARE_HOSTS_MAX)
			return SHARE_TOO_MANY_HOSTS;
		host = take_entry(sizeof(*host));
		if (!host)
			return SHARE_TOO_MANY_HOSTS;
		*host = (struct host){
		    .key = *key, .account = account, .next = shares->hosts[bucket_of(key)]};
		shares->hosts[bucket_of(key)] = host;
		account->host_count++;
		shares->host_count++;
	}
	if (host->whole_us < now_us)
		host->whole_us = now_us;
	if (host->whole_us - now_us > (SHARE_HOST_BURST - 1) * REQUEST_US)
		return SHARE_HOST_USED_UP;
	host->whole_us += REQUEST_US;
	return SHARE_TAKEN;
}

/* kind keeps names and addresses apart. */
static struct key key_of(const struct key *account, char kind, const void *data, size_t length)
{
	crypto_generichash_state state;
	struct key key;

	crypto_generichash_init(&state, NULL, 0, KEY_BYTES);
	crypto_generichash_update(&state, account->bytes, KEY_BYTES);
	crypto_generichash_update(&state, (const unsigned char *)&kind, 1);
	crypto_generichash_update(&state, data, length);
	crypto_generichash_final(&state, key.bytes, KEY_BYTES);
	return key;
}

static int64_t used_us(const struct account *account, int64_t now_us)
{
	return account->whole_us > now_us ? account->whole_us - now_us : 0;
}

static int64_t time_of(int64_t bytes)
{
	return bytes * SECOND_US / SHARE_BYTES_PER_S;
}

/* Adds the time in which the share grows again. Returns whether the most is not exceeded. */
static bool take_time(struct shares *shares, const struct key *key, int64_t time_us,
		      int64_t most_us, int64_t now_us)
{
	struct account *account = find_account(shares, key);
	int64_t used;

	if (!account)
		return false;
	used = used_us(account, now_us) + time_us;
	account->whole_us = now_us + used;
	return used <= most_us;
}

enum share_result shares_take_name(struct shares *shares, const struct key *account,
				   const char *host, int64_t now_us)
{
	const struct account *found = find_account(shares, account);
	size_t length = strlen(host);
	char name[NAME_BYTES];
	struct key key;

	if (!found)
		return SHARE_TOO_MANY_HOSTS;
	if (used_us(found, now_us) >= time_of(SHARE_BYTES_BURST))
		return SHARE_BYTES_USED_UP;
	if (length > sizeof(name))
		length = sizeof(name); /* longer ones do not resolve */
	memcpy(name, host, length);
	/* "host" and "HOST." are one. */
	while (length > 0 && name[length - 1] == '.')
		length--;
	for (size_t i = 0; i < length; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	key = key_of(account, 'n', name, length);
	return take(shares, account, &key, now_us);
}

enum share_result shares_take_address(struct shares *shares, const struct key *account,
				      const struct address *address, int64_t now_us)
{
	static const unsigned char v4[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	bool is_v4 = memcmp(address->bytes, v4, sizeof(v4)) == 0;
	struct key key =
	    key_of(account, 'a', address->bytes, is_v4 ? sizeof(address->bytes) : NETWORK_BYTES);

	return take(shares, account, &key, now_us);
}

bool shares_take_bytes(struct shares *shares, const struct key *key, size_t bytes, int64_t now_us)
{
	return take_time(shares, key, time_of((int64_t)bytes),
			 time_of((int64_t)SHARE_BYTES_BURST + SHARE_DEBT_BYTES), now_us);
}

bool shares_take_download(struct shares *shares, const struct key *key, size_t bytes,
			  int64_t now_us)
{
	return take_time(
	    shares, key, (int64_t)bytes * SECOND_US / SHARE_DOWNLOAD_BYTES_PER_S,
	    (int64_t)SHARE_DOWNLOAD_BYTES_BURST * SECOND_US / SHARE_DOWNLOAD_BYTES_PER_S, now_us);
}

unsigned shares_count(const struct shares *shares)
{
	return shares->host_count;
}

void shares_explain(enum share_result result, const char *host, struct reply *reply)
{
	if (result == SHARE_HOST_USED_UP)
		reply_set_error(reply,
				"too many requests to %s: the apps of an account may send %d to a "
				"host at once and then %d a second, try again later",
				host, SHARE_HOST_BURST, SHARE_HOST_PER_S);
	else if (result == SHARE_TOO_MANY_HOSTS)
		reply_set_error(
		    reply, "the apps of this account use too many hosts: %s is one more", host);
	else if (result == SHARE_DOWNLOADS_USED_UP)
		reply_set_error(reply,
				"cannot fetch the file of %s: this account has used its share of "
				"downloads, %d KiB a second, try again later",
				host, SHARE_DOWNLOAD_BYTES_PER_S >> 10);
	else
		reply_set_error(reply,
				"cannot reach %s: the apps of this account have used their share "
				"of the network, %d MB a second, try again later",
				host, SHARE_BYTES_PER_S / 1000000);
}
