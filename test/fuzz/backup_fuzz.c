/* Backups: for any input, a reader ends with an error or at the end, stores one frame at a time,
 * and reads only within that frame; accepted frames are written as they were read. */
#include "base/buffer.h"
#include "ctl/exchange/backup_reader.h"

#include <stdlib.h>
#include <string.h>

struct input {
	const uint8_t *data;
	size_t length;
};

static void append(void *context, const void *data, size_t size)
{
	buffer_append(context, data, size);
}

static bool is_within(const struct backup_reader *reader, struct str text)
{
	const char *payload = (const char *)reader->payload;

	return text.length == 0 ||
	       (text.data >= payload && text.data + text.length <= payload + reader->length);
}

static void check(const struct backup_reader *reader, const struct backup_frame *frame)
{
	if (!is_within(reader, frame->payload) || !is_within(reader, frame->name) ||
	    !is_within(reader, frame->columns) || !is_within(reader, frame->head.made_at) ||
	    (frame->kind == BACKUP_ROWS && !frame->payload.length) ||
	    (frame->kind == BACKUP_SEQUENCE && frame->last_value <= 0) ||
	    (frame->kind == BACKUP_KEY && frame->payload.length != BACKUP_KEY_BYTES))
		abort();
}

static int ask(void *context, struct str *ret_phrase, struct reason *reterr)
{
	(void)context;
	(void)reterr;
	*ret_phrase = STR("correct horse battery");
	return 0;
}

/* Reads the whole input, and appends accepted frames as a writer writes them. Returns true at its
 * end. */
static bool read_all(struct input input, struct buffer *again)
{
	struct backup_writer writer;
	struct backup_reader reader;
	struct backup_frame frame;
	struct reason why = {""};
	bool is_end = false;

	reader.ask = ask;
	reader.file = fmemopen((void *)(uintptr_t)input.data, input.length, "r");
	if (!reader.file)
		abort();
	writer.write = append;
	writer.context = again;
	if (backup_open(&reader, &why) == 0) {
		backup_begin(&writer);
		while (!is_end && backup_read(&reader, &frame, &why) == 0) {
			check(&reader, &frame);
			backup_write(&writer, frame.kind, reader.payload, reader.length);
			is_end = frame.kind == BACKUP_END;
		}
	}
	if (!is_end && !why.text[0])
		abort();
	fclose(reader.file);
	return is_end;
}

/* Encrypts the input as frames without sums: a kind, two bytes of length, and a payload. */
static void encrypt(const uint8_t *data, size_t size, struct buffer *ret_file)
{
	struct backup_writer writer;

	writer.write = append;
	writer.context = ret_file;
	backup_begin(&writer);
	while (size >= 3) {
		size_t length = (size_t)data[1] << 8 | data[2];

		length = length > size - 3 ? size - 3 : length;
		backup_write(&writer, (enum backup_kind)data[0], data + 3, length);
		data += 3 + length;
		size -= 3 + length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer again = {0}, encrypted = {0};

	if (sodium_init() < 0)
		abort();
	if (read_all((struct input){data, size}, &again) && data[0] != AGE_MAGIC[0] &&
	    (buffer_length(&again) != size || memcmp(again.data, data, size) != 0))
		abort();
	buffer_clear(&again);
	encrypt(data, size, &encrypted);
	if (read_all((struct input){(const uint8_t *)encrypted.data, buffer_length(&encrypted)},
		     &again) &&
	    (buffer_length(&again) != buffer_length(&encrypted) ||
	     memcmp(again.data, encrypted.data, buffer_length(&encrypted)) != 0))
		abort();
	buffer_finish(&again);
	buffer_finish(&encrypted);
	return 0;
}
