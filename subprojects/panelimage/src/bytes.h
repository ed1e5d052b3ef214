/* Integers out of bytes. The caller has checked the bounds. */
#pragma once

#include <stdint.h>

static inline uint32_t le16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t le24(const uint8_t *p)
{
	return le16(p) | (uint32_t)p[2] << 16;
}

static inline uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void put_le16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static inline void put_le24(uint8_t *p, uint32_t value)
{
	put_le16(p, value);
	p[2] = (uint8_t)(value >> 16);
}

static inline void put_le32(uint8_t *p, uint32_t value)
{
	put_le16(p, value);
	put_le16(p + 2, value >> 16);
}

static inline void put_be32(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 24);
	p[1] = (uint8_t)(value >> 16);
	p[2] = (uint8_t)(value >> 8);
	p[3] = (uint8_t)value;
}
