-- A version that will be refused is refused before its script is written: an insert that fails leaves its row and its
-- large values on disk until a vacuum. The constraints stay, and decide about uploads that run at the same time.
--
-- Older instances may run meanwhile: they do not call the function. No row changes.

-- True if the app can take a version of this name that awaits review, or one that does not. Else raises the error that
-- the insert would raise. VOLATILE: it sees what was stored since the statement began.
CREATE FUNCTION app_takes_version(of_app uuid, new_name text, is_pending boolean) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF EXISTS (SELECT FROM app_version WHERE app_id = of_app AND name = new_name)
		OR EXISTS (SELECT FROM app_version_removed WHERE app_id = of_app AND name = new_name)
	THEN
		RAISE EXCEPTION 'the app has a version of this name' USING
			ERRCODE = 'unique_violation', CONSTRAINT = 'app_version_name_unique';
	END IF;
	IF is_pending AND EXISTS (SELECT FROM app_version WHERE app_id = of_app AND status = 'PENDING') THEN
		RAISE EXCEPTION 'a version of the app awaits review' USING
			ERRCODE = 'unique_violation', CONSTRAINT = 'app_version_one_pending';
	END IF;
	-- The trigger app_version_counted() adds one, which the app's constraint refuses above this number.
	IF EXISTS (SELECT FROM app WHERE id = of_app AND version_count >= 10000) THEN
		RAISE EXCEPTION 'the app has too many versions' USING
			ERRCODE = 'check_violation', CONSTRAINT = 'app_version_limit';
	END IF;
	RETURN true;
END
$$;
