-- A part of an image of firmware. No row: the image is gone.
-- params: image_id uuid, start int4, length int4
-- row: content bytea
SELECT substring(content FROM :start + 1 FOR :length) AS content
FROM firmware_image
WHERE id = :image_id
