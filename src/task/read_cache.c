#include "task/read_cache.h"
#include "base/limits.h"
#include "base/map.h"

#include <stdlib.h>

enum {
	/* The hint connection answers every 250 ms; on a busy machine it may miss one. */
	FRESH_WITHOUT_HINTS_MS = 750,
	EXPIRED_MAX = 500, /* in a turn of the loop */
	ACCOUNTS_LOOKED_AT = 8,
	OVERHEAD_BYTES = 32, /* overhead of the allocator and of the map */
	/* Ages of lastOnline, see delivery/write_behind.c: of a panel that is online, of one that
	 * is surely offline, and how long a row in between is cached. */
	ONLINE_MS = 58 * 1000,
	UNAVAILABLE_MS = 90 * 1000,
	DOUBTFUL_MS = 1000,
	KEY_BYTES = 2 * ID_BYTES + 1,
};

struct kept {
	struct map_node node;
	struct list by_age;	/* of all answers, oldest first */
	struct list of_account; /* of the account's answers, oldest first */
	struct reader *reader;
	struct read_moment asked;
	uint32_t fresh_ms;
	uint32_t bytes;
	struct read_answer answer;
	uint32_t slot_count;
	uint8_t key[KEY_BYTES];
	uint32_t slots[]; /* slots of the sources; the texts follow */
};

/* Account that has answers here. */
struct reader {
	struct map_node node; /* key: id */
	struct list turn;
	struct list kept; /* oldest first */
	size_t bytes;
	struct id id;
};

struct read_cache {
	struct loop *loop;
	struct db *db;
	struct read_stamps *stamps;
	size_t bytes_max, bytes;
	struct map entries;
	struct map readers;
	struct list turns; /* of struct reader */
	struct list by_age;
	struct deadline expiry;
	uint64_t epoch;
	uint64_t heard_ms; /* the hints of all changes before this time have arrived */
	bool is_draining;
	bool has_missed; /* a hint was not sent: send "read:all" */
	struct hint_subscription hints;
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static void write_key(const struct read_key *key, uint8_t bytes[static KEY_BYTES])
{
	memcpy(bytes, key->account_id.bytes, ID_BYTES);
	memcpy(bytes + ID_BYTES, key->id.bytes, ID_BYTES);
	bytes[2 * ID_BYTES] = (uint8_t)key->kind;
}

static struct kept *kept_find(const struct read_cache *cache, const struct read_key *key)
{
	uint8_t bytes[KEY_BYTES];
	struct map_node *node;

	write_key(key, bytes);
	node = map_find(&cache->entries, (struct str){(const char *)bytes, KEY_BYTES});
	return node ? container_of(node, struct kept, node) : NULL;
}

static struct reader *reader_of(struct read_cache *cache, struct id account_id)
{
	struct map_node *node = map_find(&cache->readers, id_view(&account_id));
	struct reader *reader;

	if (node)
		return container_of(node, struct reader, node);
	reader = memory_zalloc(sizeof(*reader));
	reader->id = account_id;
	list_init(&reader->kept);
	list_append(&cache->turns, &reader->turn);
	map_insert(&cache->readers, &reader->node, id_view(&reader->id));
	cache->bytes += sizeof(*reader) + OVERHEAD_BYTES;
	return reader;
}

/* Call it only after its last answer. */
static void reader_destroy(struct read_cache *cache, struct reader *reader)
{
	map_remove(&cache->readers, &reader->node);
	list_remove(&reader->turn);
	cache->bytes -= sizeof(*reader) + OVERHEAD_BYTES;
	free(reader);
}

static void kept_destroy(struct read_cache *cache, struct kept *kept)
{
	struct reader *reader = kept->reader;

	map_remove(&cache->entries, &kept->node);
	list_remove(&kept->by_age);
	list_remove(&kept->of_account);
	cache->bytes -= kept->bytes;
	reader->bytes -= kept->bytes;
	free(kept);
	if (list_is_empty(&reader->kept))
		reader_destroy(cache, reader);
}

static struct kept *oldest_of(struct list *kept_of_account)
{
	return container_of(kept_of_account->next, struct kept, of_account);
}

/* ---- validity of answers ---- */

/* An answer has all changes that were answered before it was asked for, so it counts for a while
 * whatever hints are missing. Else a worker whose hints are late would ask the database for
 * everything, which makes hints later still. */
static bool is_fresh(const struct read_cache *cache, const struct kept *kept)
{
	uint64_t now_ms = loop_now_ms(cache->loop);
	uint64_t asked_ms = kept->asked.ms;
	uint64_t whole_ms = asked_ms > cache->heard_ms ? asked_ms : cache->heard_ms;

	return kept->asked.epoch == cache->epoch && now_ms - asked_ms < kept->fresh_ms &&
	       now_ms - whole_ms < FRESH_WITHOUT_HINTS_MS;
}

static bool is_unchanged(const struct read_cache *cache, const struct kept *kept)
{
	for (unsigned i = 0; i < kept->slot_count; i++) {
		if (read_stamps_last(cache->stamps, kept->slots[i]) > kept->asked.stamp)
			return false;
	}
	return true;
}

uint64_t read_cache_device_ms(int64_t last_online_us, int64_t wall_us)
{
	int64_t ago_ms = (wall_us - last_online_us) / 1000;

	/* The answer shows the present time instead. */
	if (wall_us < last_online_us)
		return 0;
	if (ago_ms >= UNAVAILABLE_MS)
		return READ_FRESH_MS;
	return ago_ms < ONLINE_MS - DOUBTFUL_MS ? (uint64_t)(ONLINE_MS - ago_ms) : DOUBTFUL_MS;
}

struct read_moment read_cache_now(const struct read_cache *cache)
{
	return (struct read_moment){
	    .stamp = read_stamps_now(cache->stamps),
	    .epoch = cache->epoch,
	    .ms = loop_now_ms(cache->loop),
	};
}

const struct read_answer *read_cache_find(struct read_cache *cache, const struct read_key *key)
{
	struct kept *kept = kept_find(cache, key);

	if (!kept)
		return NULL;
	if (is_fresh(cache, kept) && is_unchanged(cache, kept))
		return &kept->answer;
	kept_destroy(cache, kept);
	return NULL;
}

/* ---- memory ---- */

static void await_expiry(struct read_cache *cache)
{
	const struct kept *oldest;

	if (list_is_empty(&cache->by_age) || deadline_is_set(&cache->expiry) || cache->is_draining)
		return;
	oldest = container_of(cache->by_age.next, struct kept, by_age);
	deadline_set_at(cache->loop, &cache->expiry, oldest->asked.ms + READ_FRESH_MS);
}

/* Drops answers that were not requested again. */
static void on_expiry(struct deadline *deadline)
{
	struct read_cache *cache = container_of(deadline, struct read_cache, expiry);
	uint64_t now_ms = loop_now_ms(cache->loop);

	for (unsigned i = 0; i < EXPIRED_MAX && !list_is_empty(&cache->by_age); i++) {
		struct kept *oldest = container_of(cache->by_age.next, struct kept, by_age);

		if (oldest->asked.ms + READ_FRESH_MS > now_ms)
			break;
		kept_destroy(cache, oldest);
	}
	await_expiry(cache);
}

/* Finds an account above its share; if none is found quickly, that of the oldest answer. */
static struct reader *find_largest(struct read_cache *cache, size_t share)
{
	for (unsigned i = 0; i < ACCOUNTS_LOOKED_AT; i++) {
		struct list *turn = cache->turns.next;
		struct reader *reader = container_of(turn, struct reader, turn);

		if (reader->bytes > share)
			return reader;
		list_remove(turn);
		list_append(&cache->turns, turn);
	}
	return container_of(cache->by_age.next, struct kept, by_age)->reader;
}

/* Makes room for an answer of the account. The account's struct stays even if all its answers are
 * dropped. */
static void make_room(struct read_cache *cache, struct id account_id, size_t bytes)
{
	while (cache->bytes + bytes > cache->bytes_max && !list_is_empty(&cache->by_age)) {
		struct map_node *node = map_find(&cache->readers, id_view(&account_id));
		struct reader *own = node ? container_of(node, struct reader, node) : NULL;
		size_t share = cache->bytes_max / (cache->readers.count + (own ? 0 : 1));
		bool has_share = own && own->bytes + bytes > share;
		struct reader *reader = has_share ? own : find_largest(cache, share);

		kept_destroy(cache, oldest_of(&reader->kept));
	}
}

static struct str put(char **at, struct str text)
{
	struct str copy = {*at, text.length};

	memcpy(*at, text.data, text.length);
	*at += text.length;
	return copy;
}

/* Makes an answer, which is in no list yet. */
static struct kept *kept_create(const struct read_cache *cache, const struct read_key *key,
				const struct read_answer *answer,
				const struct read_sources *sources)
{
	size_t slots = sources->count * sizeof(uint32_t);
	size_t bytes = sizeof(struct kept) + slots + answer->tag.length + answer->body.length;
	struct kept *kept = memory_zalloc(bytes);
	char *texts = (char *)kept->slots + slots;

	kept->bytes = (uint32_t)(bytes + OVERHEAD_BYTES);
	kept->fresh_ms = (uint32_t)sources->fresh_ms;
	kept->slot_count = sources->count;
	for (unsigned i = 0; i < sources->count; i++)
		kept->slots[i] = read_stamps_slot(cache->stamps, sources->ids[i]);
	kept->answer.tag = put(&texts, answer->tag);
	kept->answer.body = put(&texts, answer->body);
	write_key(key, kept->key);
	return kept;
}

void read_cache_keep(struct read_cache *cache, const struct read_key *key,
		     const struct read_answer *answer, const struct read_sources *sources,
		     struct read_moment asked)
{
	struct kept *kept, *before = kept_find(cache, key);

	if (asked.epoch != cache->epoch || sources->fresh_ms == 0 || cache->is_draining ||
	    answer->body.length > LIMIT_LOOP_TEXT_BYTES)
		return;
	/* The later of two reads may be answered first. */
	if (before && before->asked.stamp > asked.stamp)
		return;
	if (before)
		kept_destroy(cache, before);
	kept = kept_create(cache, key, answer, sources);
	kept->asked = asked;
	make_room(cache, key->account_id, kept->bytes);
	kept->reader = reader_of(cache, key->account_id);
	map_insert(&cache->entries, &kept->node, (struct str){(const char *)kept->key, KEY_BYTES});
	list_append(&cache->by_age, &kept->by_age);
	list_append(&kept->reader->kept, &kept->of_account);
	cache->bytes += kept->bytes;
	kept->reader->bytes += kept->bytes;
	await_expiry(cache);
}

size_t read_cache_bytes(const struct read_cache *cache)
{
	return cache->bytes;
}

/* ---- changes ---- */

void read_cache_on_change(void *context, struct id id, bool is_hinted)
{
	struct read_cache *cache = context;
	char word[sizeof("read:") + ID_TEXT_LENGTH] = "read:";

	read_stamps_note(cache->stamps, id);
	if (!is_hinted || !cache->db)
		return;
	id_format(id, word + strlen("read:"));
	if (db_hint_room(cache->db) > sizeof(word))
		db_hint(cache->db, str_from(word));
	else
		cache->has_missed = true;
}

static void hint_all(struct read_cache *cache)
{
	cache->has_missed = !cache->db || db_hint_room(cache->db) < sizeof("read:all");
	if (!cache->has_missed)
		db_hint(cache->db, STR("read:all"));
}

void read_cache_on_doubt(void *context, struct id id, bool is_in_doubt)
{
	struct read_cache *cache = context;

	read_stamps_doubt(cache->stamps, id, is_in_doubt);
}

void read_cache_on_all(void *context)
{
	struct read_cache *cache = context;

	read_stamps_note_all(cache->stamps);
	hint_all(cache);
}

/* Older programs do not send "read:<id>", but "device:<id>:..." for all changes of a device, and
 * "changed:<account>:..." for a new one. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct read_cache *cache = container_of(hints, struct read_cache, hints);
	size_t colon = str_find(text, ':');
	struct str kind = {text.data, colon}, rest;
	struct id id;

	if (colon == text.length)
		return;
	rest = str_from_offset(text, colon + 1);
	if (str_equal(text, STR("read:all")))
		read_stamps_note_all(cache->stamps);
	else if ((str_equal(kind, STR("read")) || str_equal(kind, STR("device")) ||
		  str_equal(kind, STR("changed"))) &&
		 id_parse((struct str){rest.data, str_find(rest, ':')}, &id))
		read_stamps_note(cache->stamps, id);
}

/* Hints sent while the connection was down are lost: answers that were cached or requested until
 * now are invalid, and are dropped when found or expired. Hints that this worker, or the one before
 * it, could not send are lost, too: other instances hear of that before its beat (db/hints.h). */
static void on_hints_up(struct hint_subscription *hints, bool up)
{
	struct read_cache *cache = container_of(hints, struct read_cache, hints);

	if (!up)
		return;
	cache->epoch++;
	hint_all(cache);
}

static void on_heard(struct hint_subscription *hints, uint64_t before_ms)
{
	struct read_cache *cache = container_of(hints, struct read_cache, hints);

	cache->heard_ms = before_ms;
	if (cache->has_missed)
		hint_all(cache);
}

/* ---- beginning and end ---- */

struct read_cache *read_cache_create(struct loop *loop, struct db *db, struct read_stamps *stamps,
				     size_t bytes_max)
{
	struct read_cache *cache = memory_zalloc(sizeof(*cache));

	cache->loop = loop;
	cache->db = db;
	cache->stamps = stamps;
	cache->bytes_max = bytes_max;
	list_init(&cache->turns);
	list_init(&cache->by_age);
	deadline_init(&cache->expiry, on_expiry);
	cache->hints = (struct hint_subscription){
	    .is_once = true, /* all workers have the stamps */
	    .on_hint = on_hint,
	    .on_up = on_hints_up,
	    .on_heard = on_heard,
	};
	list_init(&cache->hints.node);
	/* The previous worker may have died between a commit and its note.
	 */
	read_stamps_note_all(stamps);
	return cache;
}

void read_cache_drain(struct read_cache *cache)
{
	cache->is_draining = true;
	deadline_clear(cache->loop, &cache->expiry);
}

void read_cache_destroy(struct read_cache *cache)
{
	if (!cache)
		return;
	db_unsubscribe(&cache->hints);
	deadline_clear(cache->loop, &cache->expiry);
	list_for_each (node, &cache->by_age)
		kept_destroy(cache, container_of(node, struct kept, by_age));
	map_finish(&cache->entries);
	map_finish(&cache->readers);
	free(cache);
}

struct hint_subscription *read_cache_subscription(struct read_cache *cache)
{
	return &cache->hints;
}
