-- bench_extract: what a trial says, which queries it takes, and that it only reads.
CREATE EXTENSION pg_transferbench;
SELECT bench_reference_table(1000);

-- a trial without a query: generated rows, labelled so
SELECT path, trial, rows, bytes, elapsed_ms > 0 AS elapsed, rows_per_second > 0 AS rate,
       cpu_user_ms >= 0 AS cpu_user, cpu_system_ms >= 0 AS cpu_system, peak_memory_bytes >= 0 AS memory,
       requests, connect_ms, first_byte_ms, transfer_ms, decode_ms, digest, wire_bytes, retries,
       retry_wait_ms, decoder, status
FROM bench_extract(1000);
-- with a query
SELECT path, trial, rows, status FROM bench_extract(1000, 'SELECT * FROM bench_reference');
SELECT path, trial, rows, digest, status FROM bench_extract(1000, 'SELECT * FROM bench_reference', 3, true);

-- n
SELECT rows, status FROM bench_extract(0);
SELECT rows, status FROM bench_extract(1);
SELECT rows, status FROM bench_extract(0, 'TABLE bench_reference');
SELECT rows, status FROM bench_extract(10, 'TABLE bench_reference');
SELECT rows, status FROM bench_extract(1001, 'TABLE bench_reference');
SELECT rows, status FROM bench_extract(-1);
SELECT rows, status FROM bench_extract(NULL);
SELECT rows, status FROM bench_extract(1000000000001);
SELECT rows, status FROM bench_extract(1, trials => 0);
SELECT rows, status FROM bench_extract(1, trials => NULL);
SELECT rows, status FROM bench_extract(1, trials => 10001);
SELECT rows, status FROM bench_extract(1, verify => NULL);
SELECT rows, status FROM bench_extract(1, parallel => NULL);

-- forms of a query
SELECT rows FROM bench_extract(2, 'SELECT 1 AS a UNION ALL SELECT 2');
SELECT rows FROM bench_extract(2, 'VALUES (1, ''a''), (2, NULL)');
SELECT rows FROM bench_extract(1, 'SELECT 1 AS a;');
SELECT rows FROM bench_extract(1, 'SELECT 1 AS a -- the last line is a comment');
SELECT rows FROM bench_extract(1, E'/* first */ SELECT 1 AS a ; -- and this after it\n');
SELECT rows FROM bench_extract(2, 'WITH w AS (SELECT * FROM bench_reference) SELECT id FROM w ORDER BY id DESC');
SELECT rows FROM bench_extract(1, 'SELECT 1 AS a, 2 AS a');
SELECT rows FROM bench_extract(1, '');
SELECT rows FROM bench_extract(1, '-- nothing');
SELECT rows FROM bench_extract(1, 'SELECT');
SELECT rows FROM bench_extract(1, 'SELEC 1');
SELECT rows FROM bench_extract(1, 'SELECT * FROM no_such_table');
SELECT rows FROM bench_extract(1, 'SELECT 1; SELECT 2');
SELECT rows FROM bench_extract(1, 'SELECT 1) AS q; DROP TABLE bench_reference; SELECT * FROM (SELECT 1');
SELECT rows FROM bench_extract(1, 'EXPLAIN SELECT 1');
SELECT rows FROM bench_extract(1, 'SELECT 1 INTO made_by_query');
SELECT rows FROM bench_extract(1, 'CREATE TABLE made_by_query (a int)');

-- only reads
CREATE TABLE written (a int);
CREATE SEQUENCE counted;
CREATE FUNCTION inserts() RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN INSERT INTO written VALUES (1); RETURN 1; END';
CREATE FUNCTION opens() RETURNS int LANGUAGE plpgsql VOLATILE
    AS 'BEGIN SET LOCAL transaction_read_only = off; INSERT INTO written VALUES (1); RETURN 1; END';
\set VERBOSITY sqlstate
SELECT rows FROM bench_extract(1, 'SELECT inserts()');
SELECT rows FROM bench_extract(1, 'SELECT opens()');
SELECT rows FROM bench_extract(1, 'WITH w AS (INSERT INTO written VALUES (1) RETURNING a) SELECT * FROM w');
SELECT rows FROM bench_extract(1, 'INSERT INTO written VALUES (1) RETURNING a');
SELECT rows FROM bench_extract(1, 'SELECT * FROM bench_reference FOR UPDATE');
SELECT rows FROM bench_extract(1, 'SELECT * FROM (SELECT * FROM bench_reference FOR SHARE) s');
SELECT rows FROM bench_extract(1, 'SELECT nextval(''counted'')');
\set VERBOSITY default
SELECT (SELECT count(*) FROM written) AS written, (SELECT is_called FROM counted) AS counted;
-- and the transaction is as it was
BEGIN;
SELECT rows FROM bench_extract(1, 'SELECT 1 AS a');
SHOW transaction_read_only;
SHOW synchronize_seqscans;
INSERT INTO written VALUES (2);
COMMIT;
-- even when the query itself sets it
BEGIN;
SELECT rows FROM bench_extract(1, 'SELECT set_config(''transaction_read_only'', ''on'', false), set_config(''work_mem'', ''64kB'', false)');
SHOW transaction_read_only;
SELECT current_setting('work_mem') <> '64kB' AS work_mem_as_before;
COMMIT;
SELECT rows, status FROM bench_extract(1, 'SELECT inserts()', trials => 2);
INSERT INTO written VALUES (3);
TABLE written;

-- a failure in one of several trials is a row; the others stand
CREATE TABLE divisors (a int);
INSERT INTO divisors VALUES (1), (0);
SELECT trial, rows, elapsed_ms IS NULL AS no_time, status FROM bench_extract(2, 'SELECT 1 / a AS b FROM divisors', 2);
SELECT rows FROM bench_extract(2, 'SELECT 1 / a AS b FROM divisors');
CREATE FUNCTION fails() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE ''inside'' USING ERRCODE = ''XX000''; END';
SELECT trial, status FROM bench_extract(1, 'SELECT fails()', 2);
-- but a cancel is a cancel
SET statement_timeout = '100ms';
SELECT status FROM bench_extract(2, 'SELECT pg_sleep(10)::text', 3);
SELECT rows FROM bench_extract(1000000000);
RESET statement_timeout;

-- values of many kinds are consumed and digested
CREATE TYPE regress_mood AS ENUM ('calm', 'busy');
CREATE DOMAIN regress_positive AS int CHECK (VALUE > 0);
CREATE TABLE kinds (gone int, a smallint, b int, c real, d numeric, e "char", f char(5), g varchar(3), h bytea, i date, j time,
    k timetz, l timestamp, m interval, n uuid, o json, p jsonb, q int[], r text[][], s int4range, t inet, u regress_mood,
    v regress_positive, w bench_reference_row, x money, z tsvector);
ALTER TABLE kinds DROP COLUMN gone;
INSERT INTO kinds (a, b, d, w) SELECT 1, 2, 'NaN', r FROM bench_generate_rows(1, 0) r;
INSERT INTO kinds VALUES (1, 2, 1.5, 3.10, 'x', 'ab', 'abc', '\x00ff', '2024-02-29', '12:34', '12:34+02', '2024-02-29 12:34',
    '1 mon', '00000000-0000-0000-0000-000000000001', '{"b": 1, "a": [1.0]}', '{"a": 1}', '{1,NULL}', '{{a},{b}}', '[1,5)', '::1', 'busy',
    7, ROW(1, 2, '2024-02-29 12:34Z', 1.5, 0.1, true, 'l', NULL), 12, 'fat cat');
CREATE TEMP TABLE digests AS SELECT digest FROM bench_extract(2, 'TABLE kinds', verify => true);
SET TimeZone = 'Asia/Kolkata'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'iso_8601'; SET extra_float_digits = -5; SET bytea_output = 'escape';
SELECT d.digest = e.digest AS unmoved_by_settings FROM digests d, bench_extract(2, 'TABLE kinds', verify => true) e;
SHOW TimeZone;
RESET TimeZone; RESET DateStyle; RESET IntervalStyle; RESET extra_float_digits; RESET bytea_output;
-- the digest is bound to names, not to order; scale and spelling do not matter
SELECT count(DISTINCT digest) FROM (
    SELECT digest FROM bench_extract(1, 'SELECT 1.50 AS a, ''x'' AS b', verify => true) UNION ALL
    SELECT digest FROM bench_extract(1, 'SELECT ''x'' AS b, 1.5 AS a', verify => true)) s;
SELECT count(DISTINCT digest) FROM (
    SELECT digest FROM bench_extract(1, 'SELECT 1 AS a', verify => true) UNION ALL
    SELECT digest FROM bench_extract(1, 'SELECT 1 AS b', verify => true) UNION ALL
    SELECT digest FROM bench_extract(1, 'SELECT ''1'' AS a', verify => true) UNION ALL
    SELECT digest FROM bench_extract(1, 'SELECT NULL::int AS a', verify => true) UNION ALL
    SELECT digest FROM bench_extract(1, 'SELECT '''' AS a', verify => true)) s;

-- parallel workers: their CPU time is not the backend's, so it is null
CREATE TABLE wide AS SELECT g AS a, repeat('x', 100) AS b FROM generate_series(1, 20000) g;
ANALYZE wide;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT rows, cpu_user_ms IS NULL AS cpu_unknown FROM bench_extract(20000, 'TABLE wide');
SELECT rows, cpu_user_ms IS NULL AS cpu_unknown FROM bench_extract(20000, 'TABLE wide', parallel => false);
-- those of a statement within a function too
CREATE FUNCTION reads_wide() RETURNS SETOF wide LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT * FROM wide; END';
SELECT rows, cpu_user_ms IS NULL AS cpu_unknown FROM bench_extract(20000, 'SELECT * FROM reads_wide()');
SELECT rows, cpu_user_ms IS NULL AS cpu_unknown FROM bench_extract(20000, 'SELECT * FROM reads_wide()', parallel => false);
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- in a read-only transaction, in a subtransaction, in PL/pgSQL, beside other queries
BEGIN READ ONLY;
SELECT rows FROM bench_extract(10, 'TABLE bench_reference');
ROLLBACK;
DO $$
DECLARE got bigint;
BEGIN
    BEGIN
        PERFORM bench_extract(2, 'SELECT 1 / a AS b FROM divisors');
    EXCEPTION WHEN division_by_zero THEN
        RAISE NOTICE 'caught';
    END;
    SELECT rows INTO got FROM bench_extract(2, 'SELECT 1 AS a UNION ALL SELECT 2');
    RAISE NOTICE '% rows', got;
END $$;
SELECT g, rows FROM generate_series(1, 2) g, LATERAL bench_extract(g, 'TABLE bench_reference') ORDER BY g;
SELECT rows FROM bench_extract(2, 'SELECT rows, (SELECT rows FROM bench_extract(3)) AS inner_rows FROM bench_extract(5, trials => 2)');
PREPARE again AS SELECT rows FROM bench_extract($1, 'TABLE bench_reference');
EXECUTE again(1);
EXECUTE again(2);
CREATE TEMP TABLE temporary AS SELECT 1 AS a;
SELECT rows FROM bench_extract(1, 'TABLE temporary');

DROP FUNCTION inserts, opens, fails, reads_wide;
DROP TABLE written, divisors, kinds, digests, wide, bench_reference;
DROP SEQUENCE counted;
DROP DOMAIN regress_positive;
DROP TYPE regress_mood;
DROP EXTENSION pg_transferbench;
