#include "id_token.h"
#include "base/memory.h"
#include "record/json_memory.h"
#include "record/json_text.h"
#include "web/people/passkey.h"

#include <sodium.h>

/* Clocks of servers differ. */
enum { LEEWAY_S = 60, AUDIENCES_MAX = 16 };

static struct str copied(yyjson_val *object, const char *name, struct arena *arena)
{
	struct str text = json_text(yyjson_obj_get(object, name));

	return text.data ? arena_copy(arena, text) : text;
}

/* Whether the token is for this client. If it has several audiences, it must name the party. */
static bool is_for(yyjson_val *claims, struct str client)
{
	yyjson_val *audience = yyjson_obj_get(claims, "aud"), *one;
	yyjson_val *party = yyjson_obj_get(claims, "azp");
	size_t i, count = yyjson_arr_size(audience);
	bool is_named = str_equal(json_text(audience), client);

	if (party && !str_equal(json_text(party), client))
		return false;
	if (count > AUDIENCES_MAX || (count > 1 && !party))
		return false;
	yyjson_arr_foreach(audience, i, count, one) is_named |= str_equal(json_text(one), client);
	return is_named;
}

static int64_t seconds(yyjson_val *claims, const char *name)
{
	yyjson_val *number = yyjson_obj_get(claims, name);
	double value = yyjson_get_num(number);

	return value > 0 && value < 1e12 ? (int64_t)value : 0;
}

/* Returns when the token begins to be good. */
static int64_t begin_of(yyjson_val *claims)
{
	yyjson_val *begin = yyjson_obj_get(claims, "nbf");
	int64_t at_s = seconds(claims, "nbf");

	if (!begin || at_s)
		return at_s;
	return yyjson_is_num(begin) && yyjson_get_num(begin) < 1 ? 0 : INT64_MAX;
}

static bool read_header(struct str text, struct arena *arena, struct id_token *token)
{
	yyjson_doc *doc = yyjson_read_opts((char *)text.data, text.length, 0, &json_memory, NULL);
	yyjson_val *header = yyjson_doc_get_root(doc), *key_id = yyjson_obj_get(header, "kid");
	static const char *const names[] = {"alg", "kid", "crit"};
	/* "crit" names extensions that must be understood; none is. */
	bool is_known = yyjson_is_obj(header) && !yyjson_obj_get(header, "crit") &&
			(!key_id || yyjson_is_str(key_id)) &&
			json_has_each_once(header, names, array_length(names));

	token->algorithm = key_algorithm_of(json_text(yyjson_obj_get(header, "alg")));
	token->key_id = copied(header, "kid", arena);
	yyjson_doc_free(doc);
	return is_known;
}

static bool read_claims(struct str text, const char *client_id, struct arena *arena,
			struct id_token *token)
{
	yyjson_doc *doc = yyjson_read_opts((char *)text.data, text.length, 0, &json_memory, NULL);
	yyjson_val *claims = yyjson_doc_get_root(doc);
	static const char *const names[] = {"iss", "sub", "aud",   "azp",   "exp",
					    "iat", "nbf", "nonce", "email", "email_verified",
					    "name"};
	bool is_sound =
	    yyjson_is_obj(claims) && json_has_each_once(claims, names, array_length(names));

	token->issuer = copied(claims, "iss", arena);
	token->subject = copied(claims, "sub", arena);
	token->nonce = copied(claims, "nonce", arena);
	token->name = copied(claims, "name", arena);
	if (yyjson_is_true(yyjson_obj_get(claims, "email_verified")))
		token->email = copied(claims, "email", arena);
	token->is_for_us = is_for(claims, str_from(client_id));
	token->ends_at_s = seconds(claims, "exp");
	token->made_at_s = seconds(claims, "iat");
	token->begins_at_s = begin_of(claims);
	yyjson_doc_free(doc);
	return is_sound;
}

const char *id_token_read(struct str text, const char *client_id, struct arena *arena,
			  struct id_token *ret)
{
	struct str rest = text, parts[3], header, claims;
	unsigned count = 0;

	*ret = (struct id_token){0};
	if (text.length > ID_TOKEN_MAX)
		return "is too large";
	while (count < 3 && str_next(&rest, '.', &parts[count]))
		count++;
	if (count != 3 || rest.length || !passkey_decode(parts[0], arena, &header) ||
	    !passkey_decode(parts[1], arena, &claims) ||
	    !passkey_decode(parts[2], arena, &ret->signature) || !read_header(header, arena, ret) ||
	    !read_claims(claims, client_id, arena, ret))
		return "is not a token";
	ret->signed_text = (struct str){text.data, parts[0].length + 1 + parts[1].length};
	return ret->algorithm == KEY_UNKNOWN ? "has an algorithm that is not accepted" : NULL;
}

static bool is_nonce(struct str shown, struct str wanted)
{
	return shown.length == wanted.length &&
	       sodium_memcmp(shown.data, wanted.data, wanted.length) == 0;
}

const char *id_token_check(const struct id_token *token, const struct id_token_wanted *wanted)
{
	if (!str_equal(token->issuer, str_from(wanted->issuer)))
		return "is of another issuer";
	if (!token->is_for_us)
		return "is for another client";
	if (token->ends_at_s <= wanted->now_s - LEEWAY_S)
		return "has expired";
	if (!token->made_at_s || token->made_at_s > wanted->now_s + LEEWAY_S)
		return "has no time, or one in the future";
	if (token->begins_at_s > wanted->now_s + LEEWAY_S)
		return "cannot be used yet";
	if (!is_nonce(token->nonce, wanted->nonce))
		return "is for another sign-in";
	if (!token->subject.length || token->subject.length > ID_TOKEN_SUBJECT_MAX ||
	    memchr(token->subject.data, 0, token->subject.length))
		return "names nobody";
	return NULL;
}
