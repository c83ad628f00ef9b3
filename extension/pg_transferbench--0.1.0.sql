/* pg_transferbench 0.1.0: installed by CREATE EXTENSION, not by psql -f */
\echo Use "CREATE EXTENSION pg_transferbench" to load this file. \quit

-- The reference rows ----------------------------------------------------------

CREATE TYPE bench_reference_row AS (
    id bigint,
    code bigint,
    created_at timestamptz,
    amount numeric(12,2),
    ratio double precision,
    active boolean,
    label text,
    note text
);
COMMENT ON TYPE bench_reference_row IS 'one reference row of pg_transferbench; default row_type of bench_http_fetch';

CREATE FUNCTION bench_generate_rows(n bigint, seed bigint)
RETURNS SETOF bench_reference_row
AS 'MODULE_PATHNAME', 'pg_transferbench_generate_rows'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1 ROWS 1000000;
COMMENT ON FUNCTION bench_generate_rows(bigint, bigint) IS 'what bench_rows stands on; call bench_rows';

-- Written so that the planner inlines it: a C function in FROM would be
-- materialised into a tuplestore, a set-returning function in a subquery's
-- target list streams (ProjectSet). STRICT, VOLATILE, SET or no subquery would
-- each prevent that; NULL is refused by the inner function.
CREATE FUNCTION bench_rows(n bigint, seed bigint DEFAULT 0)
RETURNS TABLE (
    id bigint,
    code bigint,
    created_at timestamptz,
    amount numeric(12,2),
    ratio double precision,
    active boolean,
    label text,
    note text
)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000000
AS $$SELECT (r).* FROM (SELECT @extschema@.bench_generate_rows(n, seed) AS r) AS s$$;
COMMENT ON FUNCTION bench_rows(bigint, bigint) IS 'n reference rows of a seed, the same on every machine; streams';

CREATE FUNCTION bench_reference_table(n bigint, seed bigint DEFAULT 0, name text DEFAULT 'bench_reference')
RETURNS regclass
AS 'MODULE_PATHNAME', 'pg_transferbench_reference_table'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION bench_reference_table(bigint, bigint, text) IS 'creates a table of n reference rows with primary key id, analysed';

-- The measurements ------------------------------------------------------------

CREATE TYPE bench_trial AS (
    path text,
    trial int,
    rows bigint,
    bytes bigint,
    elapsed_ms double precision,
    rows_per_second double precision,
    cpu_user_ms double precision,
    cpu_system_ms double precision,
    peak_memory_bytes bigint,
    requests int,
    connect_ms double precision,
    first_byte_ms double precision,
    transfer_ms double precision,
    decode_ms double precision,
    digest bigint,
    wire_bytes bigint,
    retries int,
    retry_wait_ms double precision,
    decoder text,
    status text
);
COMMENT ON TYPE bench_trial IS 'one timed pass of n rows down one path';

CREATE TYPE bench_comparison AS (
    n bigint,
    rows_equal boolean,
    values_changed bigint,
    changed_columns text[],
    native_path text,
    http_path text,
    native_ms double precision,
    native_ms_low double precision,
    native_ms_high double precision,
    http_ms double precision,
    http_ms_low double precision,
    http_ms_high double precision,
    toll double precision,
    toll_low double precision,
    toll_high double precision,
    extra_us_per_row double precision,
    native_cpu_ms double precision,
    http_cpu_ms double precision,
    native_peak_memory_bytes bigint,
    http_peak_memory_bytes bigint,
    trials_ok int,
    trials_failed int
);
COMMENT ON TYPE bench_comparison IS 'native path against HTTP path at one size: medians with 95 % intervals, and the toll';

CREATE FUNCTION bench_extract(
    n bigint,
    query text DEFAULT NULL,
    trials int DEFAULT 1,
    verify boolean DEFAULT false,
    parallel boolean DEFAULT true)
RETURNS SETOF bench_trial
AS 'MODULE_PATHNAME', 'pg_transferbench_extract'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION bench_extract(bigint, text, int, boolean, boolean) IS 'times producing n rows in this backend';

CREATE FUNCTION bench_http_fetch(
    url text,
    n bigint,
    trials int DEFAULT 1,
    row_type regclass DEFAULT NULL,
    headers jsonb DEFAULT NULL,
    page_rows bigint DEFAULT NULL,
    decoder text DEFAULT NULL,
    verify boolean DEFAULT false)
RETURNS SETOF bench_trial
AS 'MODULE_PATHNAME', 'pg_transferbench_http_fetch'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION bench_http_fetch(text, bigint, int, regclass, jsonb, bigint, text, boolean)
    IS 'times getting n rows as JSON over HTTP into this backend';

CREATE FUNCTION bench_compare(
    url text,
    sizes bigint[] DEFAULT '{10000,100000,1000000}',
    trials int DEFAULT 10,
    query text DEFAULT NULL,
    row_type regclass DEFAULT NULL,
    headers jsonb DEFAULT NULL,
    page_rows bigint DEFAULT NULL,
    decoder text DEFAULT NULL,
    parallel boolean DEFAULT true,
    order_seed bigint DEFAULT NULL)
RETURNS SETOF bench_comparison
AS 'MODULE_PATHNAME', 'pg_transferbench_compare'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 3;
COMMENT ON FUNCTION bench_compare(text, bigint[], int, text, regclass, jsonb, bigint, text, boolean, bigint)
    IS 'verifies, then times the native path against the HTTP path, one row per size';

CREATE FUNCTION bench_process_usage(
    pids int[],
    reset_peak boolean DEFAULT false)
RETURNS TABLE (
    pid int,
    cpu_ms double precision,
    resident_bytes bigint,
    shared_bytes bigint,
    peak_bytes bigint
)
AS 'MODULE_PATHNAME', 'pg_transferbench_process_usage'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION bench_process_usage(int[], boolean)
    IS 'what backends of this server have used since they started, as the system counts it; reset_peak: peak_bytes begins anew';

-- Privileges: the generator is as harmless as generate_series; what opens
-- connections from the server, makes tables, burns CPU by design or looks at
-- other sessions is closed.
REVOKE ALL ON FUNCTION bench_reference_table(bigint, bigint, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION bench_extract(bigint, text, int, boolean, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION bench_http_fetch(text, bigint, int, regclass, jsonb, bigint, text, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION bench_compare(text, bigint[], int, text, regclass, jsonb, bigint, text, boolean, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION bench_process_usage(int[], boolean) FROM PUBLIC;
