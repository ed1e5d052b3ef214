#include "bridge_words.h"
#include "base/memory.h"
#include "record/json_memory.h"

#include <yyjson.h>

/* First levels of topics: displayd's, and Home Assistant's. */
#define PREFIX "displayd"
#define DISCOVERY "homeassistant"

/* ---- reading ---- */

static void copy_text(yyjson_val *from, char *to, size_t size)
{
	const char *text = yyjson_get_str(from);

	snprintf(to, size, "%s", text ? text : "");
	/* The database accepts no partial characters. */
	for (char *c = to; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
}

static bool read_account(yyjson_val *value, struct id *ret_account)
{
	const char *text = yyjson_get_str(value);

	return text && id_parse(str_from(text), ret_account);
}

static bool read_counts(yyjson_val *counts, struct bridge_word *word)
{
	word->kind = BRIDGE_COUNTS;
	if (yyjson_arr_size(counts) != BRIDGE_COUNTS_MAX)
		return false;
	for (size_t i = 0; i < BRIDGE_COUNTS_MAX; i++)
		word->counts[i] = yyjson_get_uint(yyjson_arr_get(counts, i));
	return true;
}

static bool read_root(yyjson_val *root, struct bridge_word *word)
{
	yyjson_val *state = yyjson_obj_get(root, "state"), *needs = yyjson_obj_get(root, "needs");
	yyjson_val *counts = yyjson_obj_get(root, "counts"), *gone = yyjson_obj_get(root, "gone");

	if (state) {
		word->kind = BRIDGE_STATE;
		copy_text(yyjson_obj_get(state, "error"), word->error, sizeof(word->error));
		return read_account(yyjson_obj_get(state, "account"), &word->account);
	}
	if (needs) {
		word->kind = BRIDGE_NEEDS;
		return read_account(needs, &word->account);
	}
	if (gone) {
		word->kind = BRIDGE_GONE;
		return read_account(gone, &word->account);
	}
	if (counts)
		return read_counts(counts, word);
	word->kind = BRIDGE_HELLO;
	copy_text(yyjson_obj_get(root, "library"), word->library, sizeof(word->library));
	copy_text(yyjson_obj_get(root, "layers"), word->layers, sizeof(word->layers));
	return yyjson_equals_str(yyjson_obj_get(root, "engine"), "MQTT");
}

bool bridge_read(struct str line, struct bridge_word *ret_word)
{
	yyjson_doc *doc = yyjson_read_opts((char *)line.data, line.length, 0, &json_memory, NULL);
	bool is_word;

	*ret_word = (struct bridge_word){0};
	is_word = doc && read_root(yyjson_doc_get_root(doc), ret_word);
	yyjson_doc_free(doc);
	return is_word;
}

/* ---- writing ---- */

static void write_line(struct buffer *to, yyjson_mut_doc *doc)
{
	size_t length;
	char *text = yyjson_mut_write_opts(doc, YYJSON_WRITE_NOFLAG, &json_memory, &length, NULL);

	if (text) {
		buffer_append_str(to, (struct str){text, length});
		buffer_append_str(to, STR("\n"));
	}
	free(text);
	yyjson_mut_doc_free(doc);
}

static yyjson_mut_val *bridge_words_begin(yyjson_mut_doc **ret_doc)
{
	yyjson_mut_val *root;

	*ret_doc = yyjson_mut_doc_new(&json_memory);
	root = yyjson_mut_obj(*ret_doc);
	yyjson_mut_doc_set_root(*ret_doc, root);
	return root;
}

static void add_account(yyjson_mut_doc *doc, yyjson_mut_val *to, const char *name,
			struct id account)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(account, text);
	yyjson_mut_obj_add_strcpy(doc, to, name, text);
}

void bridge_write_open(struct buffer *to, const struct bridge_opening *opening)
{
	yyjson_mut_doc *doc;
	yyjson_mut_val *root = bridge_words_begin(&doc),
		       *open = yyjson_mut_obj_add_obj(doc, root, "open");

	add_account(doc, open, "account", opening->account);
	yyjson_mut_obj_add_strcpy(doc, open, "host", opening->broker.host);
	yyjson_mut_obj_add_int(doc, open, "port", opening->broker.port);
	yyjson_mut_obj_add_bool(doc, open, "tls", opening->broker.is_tls);
	yyjson_mut_obj_add_str(doc, open, "prefix", PREFIX);
	yyjson_mut_obj_add_str(doc, open, "discovery", DISCOVERY);
	yyjson_mut_obj_add_bool(doc, open, "all", opening->reaches_all);
	yyjson_mut_obj_add_uint(doc, open, "lacks", opening->lacks);
	if (opening->username.length)
		yyjson_mut_obj_add_strn(doc, open, "user", opening->username.data,
					opening->username.length);
	if (opening->password.length)
		yyjson_mut_obj_add_strn(doc, open, "password", opening->password.data,
					opening->password.length);
	write_line(to, doc);
}

void bridge_write_close(struct buffer *to, struct id account, bool must_forget)
{
	yyjson_mut_doc *doc;
	yyjson_mut_val *root = bridge_words_begin(&doc);

	add_account(doc, root, "close", account);
	yyjson_mut_obj_add_bool(doc, root, "forget", must_forget);
	write_line(to, doc);
}

void bridge_write_socket(struct buffer *to, struct id account)
{
	yyjson_mut_doc *doc;
	yyjson_mut_val *root = bridge_words_begin(&doc);

	add_account(doc, root, "socket", account);
	write_line(to, doc);
}
