#include "domain/firmware_releases.h"
#include "base/hex.h"
#include "record/json.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HASH_LENGTH = 2 * FIRMWARE_HASH_BYTES };

const char *firmware_releases_check(struct str url)
{
	static const struct str scheme = STR("https://");
	struct str host;
	bool is_good = url.length <= FIRMWARE_RELEASES_URL_MAX && str_starts_with(url, scheme);

	if (url.length == 0)
		return NULL;
	for (size_t i = 0; i < url.length; i++)
		is_good &= url.data[i] > ' ' && url.data[i] <= '~';
	host = is_good ? str_from_offset(url, scheme.length) : (struct str){0};
	host.length = str_find(host, '/');
	return is_good && host.length > 0 && str_find(host, '@') == host.length
		   ? NULL
		   : "must be an address with https://, at most 500 characters, without a user, or "
		     "empty";
}

struct str firmware_file_board(struct str file)
{
	static const struct str ends[] = {STR("_firmware.bin"), STR(".bin")};
	struct str board = {0};
	char name[32];

	for (size_t i = 0; i < array_length(ends) && board.length == 0; i++)
		if (file.length > ends[i].length &&
		    strncasecmp(file.data + file.length - ends[i].length, ends[i].data,
				ends[i].length) == 0)
			board = (struct str){file.data, file.length - ends[i].length};
	if (board.length == 0 || board.length >= sizeof(name))
		return (struct str){0};
	for (size_t i = 0; i < board.length; i++) {
		char c = board.data[i];

		name[i] = (char)(c == '-' ? '_' : c >= 'A' && c <= 'Z' ? c | 0x20 : c);
	}
	return firmware_board_named((struct str){name, board.length});
}

static struct str text_of(const struct json_value *object, const char *name)
{
	struct str text;

	return json_get_str(json_member(object, name), &text) ? text : (struct str){0};
}

static bool is_true(const struct json_value *object, const char *name)
{
	bool is_on;

	return json_get_bool(json_member(object, name), &is_on) && is_on;
}

static bool is_hash(struct str text)
{
	uint8_t hash[FIRMWARE_HASH_BYTES];

	return text.length == HASH_LENGTH && hex_decode(text, hash, sizeof(hash));
}

static void copy_hash(struct str text, char to[static HASH_LENGTH + 1])
{
	for (size_t i = 0; i < HASH_LENGTH; i++)
		to[i] = (char)(text.data[i] >= 'A' && text.data[i] <= 'F' ? text.data[i] | 0x20
									  : text.data[i]);
	to[HASH_LENGTH] = '\0';
}

static bool is_sums(struct str file)
{
	static const char *const names[] = {"SHA256SUMS", "SHA256SUMS.txt", "checksums.txt",
					    "checksums-sha256.txt"};

	for (size_t i = 0; i < array_length(names); i++)
		if (file.length == strlen(names[i]) &&
		    strncasecmp(file.data, names[i], file.length) == 0)
			return true;
	return false;
}

static struct str find_sums(const struct json_value *assets)
{
	struct json_walk walk = json_walk(assets);
	const struct json_value *asset;

	while (json_next_item(&walk, &asset))
		if (is_sums(text_of(asset, "name")))
			return text_of(asset, "browser_download_url");
	return (struct str){0};
}

static bool has_board(const struct firmware_asset *assets, unsigned count, struct str board)
{
	for (unsigned i = 0; i < count; i++)
		if (str_equal(assets[i].board, board))
			return true;
	return false;
}

/* Copies a text into the arena. */
static struct str keep(struct arena *arena, struct str text)
{
	return text.length ? arena_copy(arena, text) : (struct str){0};
}

static void read_assets(const struct json_value *release, struct str version, struct arena *arena,
			struct firmware_asset *assets, unsigned *count)
{
	static const struct str kind = STR("sha256:");
	const struct json_value *list = json_member(release, "assets"), *asset;
	struct json_walk walk = json_walk(list);
	struct str sums = find_sums(list);

	while (json_next_item(&walk, &asset)) {
		struct str file = text_of(asset, "name"), digest = text_of(asset, "digest");
		struct str board = firmware_file_board(file);
		struct firmware_asset *found = &assets[*count];

		if (!board.length || *count == FIRMWARE_BOARDS_MAX ||
		    has_board(assets, *count, board))
			continue;
		*found = (struct firmware_asset){
		    .board = board,
		    .version = keep(arena, version),
		    .file = keep(arena, file),
		    .url = keep(arena, text_of(asset, "browser_download_url")),
		    .sums_url = keep(arena, sums),
		};
		digest = str_starts_with(digest, kind) ? str_from_offset(digest, kind.length)
						       : (struct str){0};
		if (is_hash(digest))
			copy_hash(digest, found->sha256);
		(*count)++;
	}
}

const char *firmware_releases_read(struct str list, struct arena *arena,
				   struct firmware_asset ret_assets[static FIRMWARE_BOARDS_MAX],
				   unsigned *ret_count)
{
	struct json_document document = {0};
	const struct json_value *release;
	struct json_walk walk;
	struct str reason;
	unsigned count;

	*ret_count = 0;
	if (!json_parse_long(list, arena, &document, &reason))
		return "the answer is not a list of releases";
	if (!json_get_array(document.root, &count)) {
		json_document_finish(&document);
		return "the answer is not a list of releases";
	}
	walk = json_walk(document.root);
	while (json_next_item(&walk, &release)) {
		struct str version = text_of(release, "tag_name");

		if (is_true(release, "draft") || is_true(release, "prerelease") ||
		    firmware_version_check(version))
			continue;
		if (version.length && (version.data[0] == 'v' || version.data[0] == 'V'))
			version = str_from_offset(version, 1);
		read_assets(release, version, arena, ret_assets, ret_count);
	}
	json_document_finish(&document);
	return *ret_count ? NULL : "no release there has an image for a board that takes updates";
}

bool firmware_sums_find(struct str sums, struct str file, char ret_sha256[static HASH_LENGTH + 1])
{
	while (sums.length) {
		size_t end = str_find(sums, '\n');
		struct str line = {sums.data, end}, name;

		sums = str_from_offset(sums, end < sums.length ? end + 1 : end);
		if (line.length && line.data[line.length - 1] == '\r')
			line.length--;
		if (line.length <= HASH_LENGTH + 2 ||
		    !is_hash((struct str){line.data, HASH_LENGTH}) || line.data[HASH_LENGTH] != ' ')
			continue;
		name = str_from_offset(line, HASH_LENGTH + 2); /* " " or "*" is before it */
		if (!str_equal(name, file))
			continue;
		copy_hash(line, ret_sha256);
		return true;
	}
	return false;
}

void firmware_outcome_write(const struct firmware_asset *asset, const char *state,
			    const char *reason, struct buffer *buffer)
{
	const struct {
		const char *name;
		struct str value;
	} members[] = {{"\"file\":", asset->file},
		       {",\"board\":", asset->board},
		       {",\"version\":", asset->version},
		       {",\"state\":", str_from(state)}};

	if (buffer_length(buffer) > 0)
		buffer_append_char(buffer, ',');
	buffer_append_char(buffer, '{');
	for (size_t i = 0; i < array_length(members); i++) {
		buffer_append_str(buffer, str_from(members[i].name));
		json_write_str(buffer, members[i].value);
	}
	buffer_append_str(buffer, STR(",\"reason\":"));
	if (reason)
		json_write_str(buffer, str_from(reason));
	else
		buffer_append_str(buffer, STR("null"));
	buffer_append_char(buffer, '}');
}
