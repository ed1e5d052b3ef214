#include "http/tls_hello.h"

enum {
	VERSION_MAJOR = 3,
	MESSAGE_CLIENT_HELLO = 1,
	MESSAGE_HEAD_BYTES = 4,
	MESSAGE_BYTES_MAX = 16 * 1024,
	VERSION_AND_RANDOM_BYTES = 2 + 32,
	EXTENSION_TICKET = 35,
	EXTENSION_SUPPORTED_VERSIONS = 43,
	VERSION_TLS13 = 0x0304,
};

static uint32_t number_at(struct str data, size_t offset, unsigned bytes)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < bytes; i++)
		number = number << 8 | (uint8_t)data.data[offset + i];
	return number;
}

/* Whether there is a record head: a type of TLS, and the version's first byte, which is always 3.
 */
static bool is_record_head(struct str data, size_t offset)
{
	return number_at(data, offset, 1) >= TLS_RECORD_CHANGE &&
	       number_at(data, offset, 1) <= TLS_RECORD_DATA &&
	       number_at(data, offset + 1, 1) == VERSION_MAJOR;
}

size_t tls_records_length(struct str data)
{
	size_t whole = 0;

	while (data.length - whole >= TLS_RECORD_HEAD_BYTES) {
		size_t length = TLS_RECORD_HEAD_BYTES + number_at(data, whole + 3, 2);

		if (length > TLS_RECORD_BYTES_MAX || !is_record_head(data, whole))
			return data.length;
		if (length > data.length - whole)
			break;
		whole += length;
	}
	return whole;
}

/* Takes a record from the front. Returns false if it is incomplete. */
static bool take_record(struct str *records, unsigned *ret_type, struct str *ret_content)
{
	size_t length;

	if (records->length < TLS_RECORD_HEAD_BYTES)
		return false;
	*ret_type = number_at(*records, 0, 1);
	length = number_at(*records, 3, 2);
	if (records->length - TLS_RECORD_HEAD_BYTES < length)
		return false;
	*ret_content = (struct str){records->data + TLS_RECORD_HEAD_BYTES, length};
	*records = str_from_offset(*records, TLS_RECORD_HEAD_BYTES + length);
	return true;
}

enum message_state { MESSAGE_CUT, MESSAGE_WHOLE, MESSAGE_INVALID };

/* Reads as many records as the first message needs, and returns their number in ret_records. */
static enum message_state read_message(struct str records, unsigned *ret_records)
{
	uint32_t length = 0; /* length of the message, once its head is complete */
	size_t come = 0;
	struct str content;
	unsigned type;

	for (*ret_records = 1; take_record(&records, &type, &content); ++*ret_records) {
		if (type != TLS_RECORD_HANDSHAKE || content.length == 0)
			return MESSAGE_INVALID;
		for (size_t i = 0; i < content.length && come + i < MESSAGE_HEAD_BYTES; i++)
			if (come + i > 0) /* the first byte is the message's type */
				length = length << 8 | (uint8_t)content.data[i];
		come += content.length;
		if (come >= MESSAGE_HEAD_BYTES && length > MESSAGE_BYTES_MAX)
			return MESSAGE_INVALID;
		if (come >= MESSAGE_HEAD_BYTES && come - MESSAGE_HEAD_BYTES >= length)
			return MESSAGE_WHOLE;
	}
	return records.length > 0 ? MESSAGE_INVALID /* not the head of a record */ : MESSAGE_CUT;
}

bool tls_message_is_whole(struct str records)
{
	unsigned count;

	return read_message(records, &count) != MESSAGE_CUT;
}

bool tls_message_join(struct str records, struct buffer *joined)
{
	struct str rest = records, content;
	size_t length = 0;
	unsigned count, type;

	if (!take_record(&rest, &type, &content) || content.length >= MESSAGE_HEAD_BYTES ||
	    read_message(records, &count) != MESSAGE_WHOLE)
		return false;
	rest = records;
	for (unsigned i = 0; i < count && take_record(&rest, &type, &content); i++)
		length += content.length;
	if (length > MESSAGE_BYTES_MAX)
		return false;
	buffer_append(joined, records.data, TLS_RECORD_HEAD_BYTES - 2);
	buffer_append_char(joined, (char)(length >> 8));
	buffer_append_char(joined, (char)length);
	for (rest = records; count > 0 && take_record(&rest, &type, &content); count--)
		buffer_append_str(joined, content);
	buffer_append_str(joined, rest);
	return true;
}

bool tls_records_have(struct str records, enum tls_record_type wanted)
{
	struct str content;
	unsigned type;

	while (take_record(&records, &type, &content))
		if (type == (unsigned)wanted)
			return true;
	return records.length > 0 && number_at(records, 0, 1) == (unsigned)wanted;
}

/* Takes a vector from the front, which begins with its length in so many bytes. */
static bool take_vector(struct str *data, unsigned length_bytes, struct str *ret)
{
	size_t length;

	if (data->length < length_bytes)
		return false;
	length = number_at(*data, 0, length_bytes);
	if (data->length - length_bytes < length)
		return false;
	*ret = (struct str){data->data + length_bytes, length};
	*data = str_from_offset(*data, length_bytes + length);
	return true;
}

static bool has_tls13(struct str extension)
{
	struct str versions;

	if (!take_vector(&extension, 1, &versions))
		return false;
	for (size_t i = 0; i + 2 <= versions.length; i += 2)
		if (number_at(versions, i, 2) == VERSION_TLS13)
			return true;
	return false;
}

static bool read_extensions(struct str extensions, struct tls_hello *ret)
{
	while (extensions.length > 0) {
		struct str value;
		uint32_t type;

		if (extensions.length < 2)
			return false;
		type = number_at(extensions, 0, 2);
		extensions = str_from_offset(extensions, 2);
		if (!take_vector(&extensions, 2, &value))
			return false;
		if (type == EXTENSION_TICKET)
			ret->ticket = value;
		else if (type == EXTENSION_SUPPORTED_VERSIONS)
			ret->offers_tls13 |= has_tls13(value); /* also if there are two */
	}
	return true;
}

bool tls_hello_read(struct str data, struct tls_hello *ret)
{
	struct str hello, vector;

	*ret = (struct tls_hello){0};
	if (data.length < TLS_RECORD_HEAD_BYTES || (uint8_t)data.data[0] != TLS_RECORD_HANDSHAKE)
		return false;
	data = str_from_offset(data, TLS_RECORD_HEAD_BYTES - 2);
	if (!take_vector(&data, 2, &hello) ||
	    hello.length < MESSAGE_HEAD_BYTES + VERSION_AND_RANDOM_BYTES)
		return false;
	if ((uint8_t)hello.data[0] != MESSAGE_CLIENT_HELLO ||
	    number_at(hello, 1, 3) != hello.length - MESSAGE_HEAD_BYTES)
		return false;
	hello = str_from_offset(hello, MESSAGE_HEAD_BYTES + VERSION_AND_RANDOM_BYTES);
	/* Session ID, cipher suites, compression methods. */
	if (!take_vector(&hello, 1, &vector) || !take_vector(&hello, 2, &vector) ||
	    !take_vector(&hello, 1, &vector))
		return false;
	if (hello.length == 0)
		return true;
	return take_vector(&hello, 2, &vector) && hello.length == 0 && read_extensions(vector, ret);
}
