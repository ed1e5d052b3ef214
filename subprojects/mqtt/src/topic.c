#include "topic.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *text;
	enum topic_command command;
} commands[] = {
    {"push", COMMAND_PUSH},	    {"message", COMMAND_MESSAGE},
    {"light/set", COMMAND_LIGHT},   {"pinned/set", COMMAND_PINNED},
    {"plan/set", COMMAND_PLAN},	    {"interval/set", COMMAND_INTERVAL},
    {"next/set", COMMAND_NEXT},	    {"reboot/set", COMMAND_REBOOT},
    {"update/set", COMMAND_UPDATE},
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* An ID of a device, as the API writes it. */
static bool is_id(const char *text, size_t length)
{
	if (length != TOPIC_ID_BYTES - 1)
		return false;
	for (size_t i = 0; i < length; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
		char c = text[i];

		if (is_dash ? c != '-' : !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
	}
	return true;
}

/* Whether the text has the form that topic_encode() writes; in a URL's path it cannot lead
 * elsewhere. */
static bool is_encoded(const char *text, size_t length)
{
	size_t dots = 0;

	for (size_t i = 0; i < length; i++) {
		dots += text[i] == '.';
		if (is_plain(text[i]))
			continue;
		if (text[i] != '%' || i + 2 >= length || !is_hex(text[i + 1]) ||
		    !is_hex(text[i + 2]))
			return false;
		i += 2;
	}
	return length > 0 && length < TOPIC_PART_BYTES && !(dots == length && dots < 3);
}

static bool read_entry(const char *text, struct topic *ret_topic)
{
	static const char begin[] = "entries/", end[] = "/set";
	size_t length = strlen(text);

	if (strncmp(text, begin, sizeof(begin) - 1) != 0 || length < sizeof(begin) + sizeof(end))
		return false;
	text += sizeof(begin) - 1;
	length -= sizeof(begin) - 1 + sizeof(end) - 1;
	if (strcmp(text + length, end) != 0 || !is_encoded(text, length))
		return false;
	memcpy(ret_topic->entry, text, length);
	ret_topic->entry[length] = '\0';
	ret_topic->command = COMMAND_ENTRY;
	return true;
}

/* Reads the device of a topic. Returns the text behind it, or NULL: it is no topic of a device. */
static const char *read_device(const char *text, const char *base, struct topic *ret_topic)
{
	size_t length = strlen(base);
	const char *device, *slash;

	*ret_topic = (struct topic){0};
	if (strnlen(text, TOPIC_MAX) == TOPIC_MAX || strncmp(text, base, length) != 0 ||
	    text[length] != '/')
		return NULL;
	device = text + length + 1;
	slash = strchr(device, '/');
	if (!slash || !is_id(device, (size_t)(slash - device)))
		return NULL;
	memcpy(ret_topic->device, device, TOPIC_ID_BYTES - 1);
	return slash + 1;
}

bool topic_read(const char *text, const char *base, struct topic *ret_topic)
{
	const char *last = read_device(text, base, ret_topic);

	for (size_t i = 0; last && i < sizeof(commands) / sizeof(*commands); i++) {
		ret_topic->command = commands[i].command;
		if (strcmp(last, commands[i].text) == 0)
			return true;
	}
	return last && read_entry(last, ret_topic);
}

bool topic_read_told(const char *text, const char *base, struct topic *ret_topic)
{
	static const char begin[] = "entries/";
	const char *last = read_device(text, base, ret_topic);

	if (!last || strcmp(last, "availability") == 0)
		return last;
	if (strncmp(last, begin, sizeof(begin) - 1) != 0)
		return false;
	last += sizeof(begin) - 1;
	if (!is_encoded(last, strlen(last)))
		return false;
	memcpy(ret_topic->entry, last, strlen(last) + 1);
	return true;
}

bool topic_encode(const char *id, char *ret_text, size_t size)
{
	size_t length = 0;

	for (; *id; id++) {
		if (length + 4 > size)
			return false;
		if (is_plain(*id))
			ret_text[length++] = *id;
		else
			length += (size_t)sprintf(ret_text + length, "%%%02X", (unsigned char)*id);
	}
	ret_text[length] = '\0';
	return length > 0;
}
