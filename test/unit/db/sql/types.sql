-- Every type there and back, and as text.
-- params: a bool, b int2, c int4, d int8, e float8, f text, g bytea, h uuid, i macaddr,
--         j timestamptz, k uuid[], l int8[], m timestamptz[], n text[], o text
-- row: a bool, b int2, c int4, d int8, e float8, f text, g bytea, h uuid, i macaddr,
--      j timestamptz, k uuid[], l int8[], m timestamptz[], n text[], o text, words text
-- effect: read
SELECT $1 AS a, $2 AS b, $3 AS c, $4 AS d, $5 AS e, $6 AS f, $7 AS g, $8 AS h, $9 AS i, $10 AS j,
	$11 AS k, $12 AS l, $13 AS m, $14 AS n, $15 AS o,
	concat_ws('|', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) AS words
