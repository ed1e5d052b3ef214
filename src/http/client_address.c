#include "http/client_address.h"

/* State after a part of a list, read from its beginning. */
struct hops {
	const struct http_proxies *proxies;
	struct address address;
	struct str text; /* address with its port, as in the field */
	bool is_known;	 /* if false, the peer counts */
};

/* "1.2.3.4", "1.2.3.4:56", "::1", "[::1]" or "[::1]:56" */
static bool read_node(struct str text, struct address *ret_address)
{
	unsigned long long port;
	size_t end;

	if (text.length && text.data[0] == '[') {
		end = str_find(text, ']');
		if (end == text.length ||
		    !address_read((struct str){text.data + 1, end - 1}, ret_address) ||
		    str_find((struct str){text.data, end}, ':') == end)
			return false;
		end++;
	} else {
		end = str_find(text, ':');
		/* More than one colon: IPv6 without brackets, which has no port. */
		if (end < text.length &&
		    str_find(str_from_offset(text, end + 1), ':') < text.length - end - 1)
			end = text.length;
		if (!address_read((struct str){text.data, end}, ret_address))
			return false;
	}
	return end == text.length || (text.data[end] == ':' &&
				      str_to_uint64(str_from_offset(text, end + 1), 65535, &port));
}

/* Adds the list's next hop: an untrusted one, or one that is not an address, hides all before it. A
 * proxy counts as the client only if no other is known. */
static void add_hop(struct hops *hops, struct str node)
{
	struct address address;

	node = str_trim(node);
	if (!read_node(node, &address))
		hops->is_known = false;
	else if (!hops->is_known || !http_proxies_have(hops->proxies, &address)) {
		hops->address = address;
		hops->text = node;
		hops->is_known = true;
	}
}

static void add_forwarded_for(struct hops *hops, struct str list)
{
	struct str node;

	while (str_next(&list, ',', &node))
		add_hop(hops, node);
}

/* A quote that the client leaves open would include the entries that proxies append. */
static bool has_open_quote(struct str list)
{
	bool is_quoted = false;

	for (size_t i = 0; i < list.length; i++) {
		if (list.data[i] == '"')
			is_quoted = !is_quoted;
		else if (list.data[i] == '\\' && is_quoted)
			i++;
	}
	return is_quoted;
}

/* Takes the part up to the next unquoted separator from the front of the list. */
static bool next_unquoted(struct str *list, char separator, struct str *ret_piece)
{
	bool is_quoted = false;
	size_t i = 0;

	if (!list->data)
		return false;
	for (; i < list->length && (is_quoted || list->data[i] != separator); i++) {
		if (list->data[i] == '"')
			is_quoted = !is_quoted;
		else if (list->data[i] == '\\' && is_quoted && i + 1 < list->length)
			i++;
	}
	*ret_piece = (struct str){list->data, i};
	*list = i < list->length ? str_from_offset(*list, i + 1) : (struct str){0};
	return true;
}

/* RFC 7239 section 4: elements of pairs, of which only "for" counts here. An element without it, or
 * with two, is ignored. */
static void add_forwarded(struct hops *hops, struct str list)
{
	struct str element, pair;

	if (has_open_quote(list)) {
		hops->is_known = false;
		return;
	}
	while (next_unquoted(&list, ',', &element)) {
		struct str node = {0};
		unsigned count = 0;

		while (next_unquoted(&element, ';', &pair)) {
			size_t end = str_find(pair, '=');
			struct str name = str_trim((struct str){pair.data, end});

			if (end == pair.length || !str_equal_ignore_case(name, STR("for")))
				continue;
			node = str_trim(str_from_offset(pair, end + 1));
			count++;
		}
		/* No address needs an escape. */
		if (node.length >= 2 && node.data[0] == '"' && node.data[node.length - 1] == '"')
			node = (struct str){node.data + 1, node.length - 2};
		add_hop(hops, count == 1 ? node : (struct str){0});
	}
}

/* IPv4 has only one form, so only a port must be removed. */
static struct str address_text(struct arena *arena, const struct hops *hops)
{
	char text[ADDRESS_TEXT_BYTES];

	if (str_find(hops->text, ':') == hops->text.length)
		return hops->text;
	address_write(&hops->address, text);
	return arena_copy(arena, str_from(text));
}

struct str http_client_address(const struct http_proxies *proxies, struct str peer,
			       struct http_request *request)
{
	struct hops one = {.proxies = proxies}, other = one;
	bool has_one = false, has_other = false;
	const struct hops *said;

	for (unsigned i = 0; i < request->field_count; i++) {
		const struct http_field *field = &request->fields[i];

		if (str_equal_ignore_case(field->name, STR("X-Forwarded-For"))) {
			add_forwarded_for(&one, field->value);
			has_one = true;
		} else if (str_equal_ignore_case(field->name, STR("Forwarded"))) {
			add_forwarded(&other, field->value);
			has_other = true;
		}
	}
	if (has_one && has_other &&
	    (!one.is_known || !other.is_known ||
	     memcmp(&one.address, &other.address, sizeof(one.address)) != 0))
		return peer;
	said = has_one ? &one : &other;
	return said->is_known ? address_text(&request->arena, said) : peer;
}
