#include "db/backup_frame.h"
#include "base/require.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VERSION_BYTES = 4, TEXT_BYTES = 512 };

const char backup_magic[BACKUP_MAGIC_BYTES + 1] = "displayd backup\n";

static void put_number(uint8_t *to, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(number >> (24 - 8 * i));
}

void backup_sum(const crypto_generichash_state *state, uint8_t ret_sum[static BACKUP_SUM_BYTES])
{
	crypto_generichash_state copy = *state;

	crypto_generichash_final(&copy, ret_sum, BACKUP_SUM_BYTES);
}

static void put(struct backup_writer *writer, const void *data, size_t size)
{
	crypto_generichash_update(&writer->state, data, size);
	writer->write(writer->context, data, size);
}

void backup_begin(struct backup_writer *writer)
{
	uint8_t head[BACKUP_MAGIC_BYTES + VERSION_BYTES];

	memcpy(head, backup_magic, BACKUP_MAGIC_BYTES);
	put_number(head + BACKUP_MAGIC_BYTES, BACKUP_VERSION);
	crypto_generichash_init(&writer->state, NULL, 0, BACKUP_SUM_BYTES);
	writer->row_bytes = 0;
	put(writer, head, sizeof(head));
}

static void write_frame(struct backup_writer *writer, enum backup_kind kind, const void *payload,
			size_t size)
{
	uint8_t head[BACKUP_FRAME_HEAD_BYTES] = {(uint8_t)kind}, sum[BACKUP_SUM_BYTES];

	require(size <= BACKUP_PAYLOAD_MAX);
	put_number(head + 1, (uint32_t)size);
	put(writer, head, sizeof(head));
	put(writer, payload, size);
	backup_sum(&writer->state, sum);
	writer->write(writer->context, sum, sizeof(sum));
}

static void write_waiting_rows(struct backup_writer *writer)
{
	if (writer->row_bytes > 0)
		write_frame(writer, BACKUP_ROWS, writer->rows, writer->row_bytes);
	writer->row_bytes = 0;
}

void backup_write(struct backup_writer *writer, enum backup_kind kind, const void *payload,
		  size_t size)
{
	write_waiting_rows(writer);
	write_frame(writer, kind, payload, size);
}

void backup_printf(struct backup_writer *writer, enum backup_kind kind, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	require(length >= 0 && length < (int)sizeof(text));
	backup_write(writer, kind, text, (size_t)length);
}

void backup_write_rows(struct backup_writer *writer, const void *data, size_t size)
{
	const uint8_t *rest = data;

	while (size > 0) {
		size_t room = sizeof(writer->rows) - writer->row_bytes;
		size_t part = size < room ? size : room;

		memcpy(writer->rows + writer->row_bytes, rest, part);
		writer->row_bytes += part;
		rest += part;
		size -= part;
		if (writer->row_bytes == sizeof(writer->rows))
			write_waiting_rows(writer);
	}
}
