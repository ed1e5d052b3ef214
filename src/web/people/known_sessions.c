#include "known_sessions.h"

#include <sodium.h>
#include <stdatomic.h>

enum {
	ENTRIES = 1 << 15,  /* 768 KiB */
	NEIGHBOURHOOD = 16, /* entries in which a session may lie */
	SHARE = 4,	    /* slots of an account in each */
};

struct entry {
	_Atomic uint64_t session; /* hash of its secret; 0: free */
	_Atomic uint64_t account; /* hash of its ID */
	_Atomic uint64_t seen_us;
};

struct known_sessions {
	uint8_t secret[crypto_shorthash_KEYBYTES];
	struct entry entries[ENTRIES];
};

static void init(void *common)
{
	struct known_sessions *known = common;

	crypto_shorthash_keygen(known->secret);
}

const struct region session_region = {
    .name = "sessions",
    .version = 1,
    .size = sizeof(struct known_sessions),
    .init = init,
};

static uint64_t tag_of(const struct known_sessions *known, const uint8_t *bytes, size_t length)
{
	uint64_t tag;

	crypto_shorthash((uint8_t *)&tag, bytes, length, known->secret);
	return tag ? tag : 1;
}

static struct entry *known_sessions_find(const struct known_sessions *known, uint64_t session)
{
	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		const struct entry *entry = &known->entries[(session + i) % ENTRIES];

		if (atomic_load_explicit(&entry->session, memory_order_relaxed) == session)
			return (struct entry *)entry;
	}
	return NULL;
}

/* Finds room for a new session of this account. */
static struct entry *make_room(struct known_sessions *known, uint64_t session, uint64_t account)
{
	struct entry *oldest = NULL, *own = NULL;
	uint64_t oldest_us = UINT64_MAX, own_us = UINT64_MAX;
	unsigned own_count = 0;

	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		struct entry *entry = &known->entries[(session + i) % ENTRIES];
		uint64_t seen_us = atomic_load(&entry->seen_us);

		if (seen_us < oldest_us) {
			oldest_us = seen_us;
			oldest = entry;
		}
		if (atomic_load(&entry->account) != account || seen_us == 0)
			continue;
		own_count++;
		if (seen_us < own_us) {
			own_us = seen_us;
			own = entry;
		}
	}
	return own_count >= SHARE ? own : oldest;
}

void known_sessions_add(struct known_sessions *known, const uint8_t hash[static KEY_HASH_BYTES],
			struct id account_id, uint64_t now_us)
{
	uint64_t session = tag_of(known, hash, KEY_HASH_BYTES);
	struct entry *entry = known_sessions_find(known, session);

	if (!entry) {
		uint64_t account = tag_of(known, account_id.bytes, sizeof(account_id.bytes));

		entry = make_room(known, session, account);
		atomic_store(&entry->session, session);
		atomic_store(&entry->account, account);
	}
	atomic_store_explicit(&entry->seen_us, now_us, memory_order_relaxed);
}

bool known_sessions_has(const struct known_sessions *known,
			const uint8_t hash[static KEY_HASH_BYTES])
{
	return known_sessions_find(known, tag_of(known, hash, KEY_HASH_BYTES)) != NULL;
}

void known_sessions_forget(struct known_sessions *known, const uint8_t hash[static KEY_HASH_BYTES])
{
	struct entry *entry = known_sessions_find(known, tag_of(known, hash, KEY_HASH_BYTES));

	if (!entry)
		return;
	atomic_store(&entry->seen_us, 0);
	atomic_store(&entry->session, 0);
}
