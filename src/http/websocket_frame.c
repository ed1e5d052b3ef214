#include "http/sha1.h"
#include "http/websocket_private.h"

#include <sodium.h>

size_t websocket_frame_header(enum websocket_opcode opcode, uint64_t length,
			      uint8_t ret_header[static WEBSOCKET_HEADER_BYTES_MAX])
{
	size_t length_bytes = length < 126 ? 0 : length <= 0xffff ? 2 : 8;

	ret_header[0] = (uint8_t)(0x80 | opcode); /* FIN */
	ret_header[1] = (uint8_t)(length_bytes == 0 ? length : length_bytes == 2 ? 126 : 127);
	for (size_t i = 0; i < length_bytes; i++)
		ret_header[2 + i] = (uint8_t)(length >> (8 * (length_bytes - 1 - i)));
	return 2 + length_bytes;
}

void websocket_accept_key(struct str key, char ret_text[static WEBSOCKET_ACCEPT_LENGTH + 1])
{
	uint8_t digest[SHA1_BYTES];

	sha1((struct str[]){key, STR("258EAFA5-E914-47DA-95CA-C5AB0DC85B11")}, 2, digest);
	sodium_bin2base64(ret_text, WEBSOCKET_ACCEPT_LENGTH + 1, digest, sizeof(digest),
			  sodium_base64_VARIANT_ORIGINAL);
}

bool token_list_has(struct str list, struct str token)
{
	struct str rest = list;
	struct str piece;

	while (str_next(&rest, ',', &piece)) {
		if (str_equal_ignore_case(str_trim(piece), token))
			return true;
	}
	return false;
}
