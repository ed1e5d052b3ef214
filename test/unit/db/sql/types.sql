-- Every type there and back, and as text.
-- params: a bool, b int2, c int4, d int8, e float8, f text, g bytea, h uuid, i macaddr,
--         j timestamptz, k uuid[], l int8[], m timestamptz[], n text[], o text
-- row: a bool, b int2, c int4, d int8, e float8, f text, g bytea, h uuid, i macaddr,
--      j timestamptz, k uuid[], l int8[], m timestamptz[], n text[], o text, words text
-- effect: read
-- work: bounded
SELECT :a AS a, :b AS b, :c AS c, :d AS d, :e AS e, :f AS f, :g AS g, :h AS h, :i AS i, :j AS j,
	:k AS k, :l AS l, :m AS m, :n AS n, :o AS o,
	concat_ws('|', :a, :b, :c, :d, :e, :f, :g, :h, :i, :j, :k, :l, :m, :n, :o) AS words
