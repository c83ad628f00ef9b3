-- What `make demo` shows. The two trials stand side by side, a line per figure.
\pset footer off
\pset null -
\set extract 'SELECT * FROM bench_extract(1000000)'
\set fetch 'SELECT * FROM bench_http_fetch(''':url''', 1000000)'

\echo
\echo :extract
\echo :fetch
WITH native AS MATERIALIZED (:extract), http AS MATERIALIZED (:fetch)
SELECT e.key AS figure,
       CASE WHEN e.value ~ '^-?\d+\.\d+$' THEN round(e.value::numeric, 1)::text ELSE e.value END AS bench_extract,
       CASE WHEN h.value ~ '^-?\d+\.\d+$' THEN round(h.value::numeric, 1)::text ELSE h.value END AS bench_http_fetch
FROM native, LATERAL json_each_text(row_to_json(native)) WITH ORDINALITY AS e(key, value, place)
    JOIN (SELECT f.* FROM http, LATERAL json_each_text(row_to_json(http)) AS f) AS h ON h.key = e.key
WHERE e.key NOT IN ('trial', 'digest') ORDER BY e.place;

\set compare 'SELECT * FROM bench_compare(''':url''', trials => 6)'
\echo :compare
\echo '-- the same stored rows down both paths, proven equal before they are timed'
SELECT n, rows_equal, round(native_ms::numeric, 1) AS native_ms, round(http_ms::numeric, 1) AS http_ms,
       round(toll::numeric, 1) AS toll, format('%s - %s', round(toll_low::numeric, 1), round(toll_high::numeric, 1)) AS toll_interval,
       round(extra_us_per_row::numeric, 2) AS extra_us_per_row,
       round(native_cpu_ms::numeric, 1) AS native_cpu_ms, round(http_cpu_ms::numeric, 1) AS http_cpu_ms
FROM bench_compare(:'url', trials => 6);
