#include "chunk_extension.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* RFC 9110 section 5.6.2. */
static bool is_token_byte(char c)
{
	return c > ' ' && c < 0x7f && !strchr("\"(),/:;<=>?@[\\]{}", c);
}

static bool move(enum chunk_extension *state, enum chunk_extension next)
{
	*state = next;
	return true;
}

bool chunk_extension_begins(char c)
{
	return is_blank(c) || c == ';';
}

static bool take_before(enum chunk_extension *state, char c)
{
	if (is_blank(c))
		return true;
	switch (*state) {
	case CHUNK_EXTENSION_BEFORE_SEMICOLON:
		return c == ';' && move(state, CHUNK_EXTENSION_BEFORE_NAME);
	case CHUNK_EXTENSION_BEFORE_NAME:
		return is_token_byte(c) && move(state, CHUNK_EXTENSION_NAME);
	case CHUNK_EXTENSION_BEHIND_NAME:
		if (c == '=')
			return move(state, CHUNK_EXTENSION_BEFORE_VALUE);
		return c == ';' && move(state, CHUNK_EXTENSION_BEFORE_NAME);
	default:
		if (c == '"')
			return move(state, CHUNK_EXTENSION_QUOTED);
		return is_token_byte(c) && move(state, CHUNK_EXTENSION_TOKEN);
	}
}

bool chunk_extension_take(enum chunk_extension *state, char c)
{
	switch (*state) {
	case CHUNK_EXTENSION_NAME:
		if (is_token_byte(c))
			return true;
		move(state, CHUNK_EXTENSION_BEHIND_NAME);
		break;
	case CHUNK_EXTENSION_TOKEN:
		if (is_token_byte(c))
			return true;
		move(state, CHUNK_EXTENSION_BEFORE_SEMICOLON);
		break;
	case CHUNK_EXTENSION_QUOTED:
		if (c == '"')
			return move(state, CHUNK_EXTENSION_BEHIND_QUOTED);
		return c != '\\' || move(state, CHUNK_EXTENSION_ESCAPED);
	case CHUNK_EXTENSION_ESCAPED:
		return move(state, CHUNK_EXTENSION_QUOTED);
	case CHUNK_EXTENSION_NONE:
	case CHUNK_EXTENSION_BEHIND_QUOTED:
		move(state, CHUNK_EXTENSION_BEFORE_SEMICOLON);
		break;
	default:
		break;
	}
	return take_before(state, c);
}

bool chunk_extension_may_end(enum chunk_extension state)
{
	return state == CHUNK_EXTENSION_NONE || state == CHUNK_EXTENSION_NAME ||
	       state == CHUNK_EXTENSION_TOKEN || state == CHUNK_EXTENSION_BEHIND_QUOTED;
}
