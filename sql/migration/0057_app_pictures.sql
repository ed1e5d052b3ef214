-- The part of an app's animation that was left out, since panels would not take it, is told beside its picture.
--
-- No row changes. Older instances may run meanwhile: they leave the column as it is, so what it says of a render key may be
-- older than its picture, until a newer instance renders it.

ALTER TABLE render ADD COLUMN cut text;
COMMENT ON COLUMN render.cut IS 'what was left out of the picture, a sentence; NULL: nothing';
