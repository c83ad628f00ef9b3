# Who may do what: bench_rows is everybody's, the rest is granted; what runs,
# runs as its caller and writes nothing.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $node = start_node('privileges');
my $server = start_http_server();
my $superuser = TransferBench::Session->new($node);

$superuser->value($_)
  for (
	'CREATE ROLE ordinary LOGIN',
	'CREATE TABLE secret (id bigint)',
	'CREATE TABLE open_to_all AS SELECT i::bigint AS id FROM generate_series(1, 3) AS i',
	'GRANT SELECT ON open_to_all TO PUBLIC',
	'CREATE SCHEMA own AUTHORIZATION ordinary');

# --- without a grant ------------------------------------------------------------------

my $ordinary = TransferBench::Session->new($node, user => 'ordinary');

succeeds($ordinary, 'SELECT count(*) FROM bench_rows(10)', '10', 'bench_rows is open to everybody');
{
	my $plan = $ordinary->value('EXPLAIN (COSTS OFF) SELECT * FROM bench_rows(10)');
	like($plan, qr/ProjectSet/, 'bench_rows is inlined for an ordinary role: it streams');
	unlike(
		$plan,
		qr/Function Scan/,
		'bench_rows is inlined for an ordinary role: nothing is materialised');
}
is( $superuser->value(
		"SELECT string_agg(p.proname, ' ' ORDER BY p.proname) FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid"
		  . " WHERE d.deptype = 'e' AND d.classid = 'pg_proc'::regclass"
		  . " AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_transferbench')"
		  . " AND has_function_privilege('ordinary', p.oid, 'EXECUTE')"),
	'bench_generate_rows bench_rows',
	'of the extension\'s functions only the generator is open to everybody');

my $url = literal($server->url('/json', body => '[{"id":1},{"id":2},{"id":3}]'));
my %calls = (
	bench_extract => 'SELECT * FROM bench_extract(1)',
	bench_http_fetch => "SELECT * FROM bench_http_fetch($url, 3)",
	bench_compare => "SELECT * FROM bench_compare($url)",
	bench_reference_table => "SELECT bench_reference_table(1, name => 'own.reference')",
	bench_process_usage => "SELECT * FROM bench_process_usage('{1}')");
for my $function (sort keys %calls)
{
	fails_with(
		$ordinary, $calls{$function},
		{ sqlstate => '42501', message => qr/$function/ },
		"$function is closed to an ordinary role");
}

# --- with it -----------------------------------------------------------------------------

$superuser->value("GRANT EXECUTE ON FUNCTION $_ TO ordinary")
  for split /;/,
  $superuser->value(
	"SELECT string_agg(p.oid::regprocedure::text, ';') FROM pg_proc AS p WHERE p.proname IN ('bench_extract', 'bench_http_fetch', 'bench_compare', 'bench_reference_table', 'bench_process_usage')"
  );

succeeds($ordinary, extract_call('path, rows, status', 'TABLE open_to_all', 3),
	'in-server|3|ok', 'granted: bench_extract');
succeeds($ordinary,
	"SELECT path, rows, status FROM bench_http_fetch($url, 3, row_type => 'open_to_all')",
	'http-json|3|ok', 'granted: bench_http_fetch');
succeeds(
	$ordinary,
	"SELECT rows_equal FROM bench_compare($url, '{3}', trials => 1, query => 'SELECT * FROM open_to_all ORDER BY id')",
	't',
	'granted: bench_compare');
succeeds(
	$ordinary, "SELECT bench_reference_table(5, name => 'own.reference')",
	'own.reference', 'granted: bench_reference_table, in a schema of its own');
succeeds($ordinary, 'SELECT count(*), count(DISTINCT id) FROM own.reference',
	'5|5', 'and it holds its rows');
succeeds(
	$ordinary,
	"SELECT pid = pg_backend_pid() FROM bench_process_usage(ARRAY[pg_backend_pid(), "
	  . $superuser->pid . '])',
	't',
	'granted: bench_process_usage, of its own backends only');
fails_with(
	$ordinary,
	"SELECT bench_reference_table(5, name => 'own.reference')",
	{ sqlstate => '42P07' },
	'a table that is there is not replaced');
fails_with(
	$ordinary,
	"SELECT bench_reference_table(5, name => 'public.reference')",
	{ sqlstate => '42501' },
	'nor one made where its caller may not');
fails_with(
	$ordinary,
	extract_call('*', 'TABLE secret', 1),
	{ sqlstate => '42501', message => qr/secret/ },
	'bench_extract reads as its caller');
fails_with(
	$ordinary,
	"SELECT * FROM bench_compare($url, '{3}', query => 'TABLE secret')",
	{ sqlstate => '42501', message => qr/secret/ },
	'bench_compare reads as its caller');
fails_with(
	$ordinary,
	"SELECT * FROM bench_http_fetch('http://192.0.2.1/', 3)",
	{ sqlstate => '42501' },
	'a grant does not widen allowed_hosts');

# --- settings ---------------------------------------------------------------------------

# Every setting there is: what an ordinary role may set, and of the rest another value.
my %anybodys = map { $_ => '1s' } qw(connect_timeout stall_timeout timeout);
my %superusers = (
	allowed_hosts => 'example.invalid',
	ca_file => '/dev/null',
	credentials_file => '/dev/null',
	tls_verify => 'off',
	follow_redirects => 'on',
	max_response_bytes => '1MB',
	max_row_bytes => '1MB',
	max_buffered_bytes => '2MB');

$superuser->value('CREATE DATABASE owned OWNER ordinary');
$superuser->value('SELECT count(*) FROM bench_rows(1)');
is( $superuser->value(
		q(SELECT string_agg(split_part(name, '.', 2), ' ' ORDER BY name COLLATE "C") FROM pg_settings WHERE name LIKE 'pg\_transferbench.%')),
	join(' ', sort keys %anybodys, keys %superusers),
	'every setting is either anybody\'s or a superuser\'s');
for my $setting (sort keys %superusers)
{
	my $value = "pg_transferbench.$setting = " . literal($superusers{$setting});
	my $before = $superuser->value("SHOW pg_transferbench.$setting");

	for my $statement (
		"SET $value",
		"SET LOCAL $value",
		"SELECT set_config('pg_transferbench.$setting', '$superusers{$setting}', false)",
		"ALTER ROLE ordinary SET $value",
		"ALTER DATABASE owned SET $value",
		"ALTER ROLE ordinary IN DATABASE owned SET $value",
		"CREATE FUNCTION own.widens() RETURNS int LANGUAGE sql SET $value AS 'SELECT 1'",
		"ALTER SYSTEM SET $value")
	{
		fails_with($ordinary, $statement, { sqlstate => '42501' },
			'a setting of the superuser\'s, by an ordinary role: ' . substr($statement, 0, 60));
	}
	is($superuser->value("SHOW pg_transferbench.$setting"), $before, "$setting is what it was");
	succeeds($superuser, "SET $value", '', "a superuser may set $setting");
	$superuser->value("RESET pg_transferbench.$setting");
}
for my $setting (sort keys %anybodys)
{
	succeeds($ordinary, "SET pg_transferbench.$setting = '$anybodys{$setting}'", '', "an ordinary role may set $setting");
	succeeds($ordinary, "RESET pg_transferbench.$setting", '', "and reset $setting");
}
fails_with(
	$ordinary,
	'SET pg_transferbench.no_such_setting = 1',
	{ sqlstate => '42602' },
	'the prefix is reserved');

# where the module is not loaded, a setting is a name that nobody knows: what it
# would have become is looked at when the module comes
{
	local $ENV{PGOPTIONS} = q(-c pg_transferbench.allowed_hosts=192.0.2.1 -c pg_transferbench.follow_redirects=on);
	my $session = TransferBench::Session->new($node, user => 'ordinary');
	my %not_allowed = (sqlstate => '42501', message => qr/"192\.0\.2\.1" port 80 is not allowed/);

	succeeds($session, 'SHOW pg_transferbench.allowed_hosts', '192.0.2.1', 'before the module is loaded: a setting of the connection is kept as text');
	fails_with($session, "SELECT * FROM bench_http_fetch('http://192.0.2.1/', 1)", \%not_allowed, 'but dropped when it comes');
	succeeds($session, "SELECT current_setting('pg_transferbench.allowed_hosts'), current_setting('pg_transferbench.follow_redirects')",
		'localhost, 127.0.0.1, ::1|off', 'and the value is that of the server');
	$session->quit;

	delete $ENV{PGOPTIONS};
	$session = TransferBench::Session->new($node, user => 'ordinary');
	$session->value("SET pg_transferbench.allowed_hosts = '192.0.2.1'");
	fails_with($session, "SELECT * FROM bench_http_fetch('http://192.0.2.1/', 1)", \%not_allowed, 'a setting of the session is dropped, too');
	$session->quit;

	$session = TransferBench::Session->new($node, user => 'ordinary');
	for my $statement ("ALTER ROLE ordinary SET pg_transferbench.allowed_hosts = '192.0.2.1'", "ALTER DATABASE owned SET pg_transferbench.allowed_hosts = '192.0.2.1'")
	{
		fails_with($session, $statement, { sqlstate => '42501' }, "before the module is loaded: $statement");
	}
	$session->run(q(CREATE FUNCTION own.widens() RETURNS SETOF bench_trial LANGUAGE sql SET pg_transferbench.allowed_hosts = '192.0.2.1')
		  . q( AS $$ SELECT * FROM bench_http_fetch('http://192.0.2.1/', 1) $$));
	for my $round (1, 2)
	{
		my $result = $session->run('SELECT * FROM own.widens()');
		like($result->{error}{sqlstate} // 'none', qr/^(42501|42883)$/, "a setting of a function does not widen anything, $round");
	}
	$session->quit;
}

# --- nothing is written ----------------------------------------------------------------------

$superuser->value($_)
  for (
	'CREATE TABLE target (id bigint)',
	'INSERT INTO target VALUES (0)',
	'CREATE SEQUENCE counter',
	'CREATE FUNCTION inserts() RETURNS bigint LANGUAGE sql VOLATILE AS $$ INSERT INTO target VALUES (1) RETURNING id $$',
	'CREATE FUNCTION unlocks() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$'
	. ' BEGIN SET LOCAL transaction_read_only = off; INSERT INTO target VALUES (1); RETURN 1; END $$',
	'CREATE FUNCTION configures() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$'
	. q( BEGIN PERFORM set_config('transaction_read_only', 'off', false); INSERT INTO target VALUES (1); RETURN 1; END $$)
  );

my @writing = (
	[ 'a volatile function that inserts', 'SELECT inserts()', '25006' ],
	[ 'a function that lifts read-only before', 'SELECT unlocks()', qr/^25\w{3}$/ ],
	[ 'a function that lifts read-only by set_config', 'SELECT configures()', qr/^25\w{3}$/ ],
	[   'a data-modifying CTE',
		'WITH w AS (INSERT INTO target VALUES (1) RETURNING id) SELECT * FROM w',
		qr/^(25006|0A000)$/ ],
	[ 'FOR UPDATE', 'SELECT * FROM target FOR UPDATE', '25006' ],
	[ 'FOR KEY SHARE', 'SELECT * FROM target FOR KEY SHARE', '25006' ],
	[   'FOR UPDATE in a subquery',
		'SELECT * FROM (SELECT * FROM target FOR UPDATE) AS s',
		qr/^(25006|0A000)$/ ],
	[ 'nextval', "SELECT nextval('counter')", '25006' ],
	[ 'setval', "SELECT setval('counter', 5)", '25006' ],
	[ 'INSERT', 'INSERT INTO target VALUES (1) RETURNING id', qr/^(42601|0A000|25006)$/ ],
	[ 'DELETE', 'DELETE FROM target', qr/^(42601|0A000|25006)$/ ],
	[ 'CREATE TABLE AS', 'CREATE TABLE made AS SELECT 1', qr/^(42601|0A000|25006)$/ ],
	[ 'SELECT INTO', 'SELECT 1 AS x INTO made', qr/^(42601|0A000|25006)$/ ],
	[ 'two statements', 'SELECT 1; SELECT 2', '42601' ],
	[   'a statement hidden behind another',
		'SELECT 1) AS q; DELETE FROM target; SELECT * FROM (SELECT 2', '42601' ],
	[ 'a subquery closed early', 'SELECT 1) AS q, (SELECT 2', '42601' ],
	[ 'a comment that swallows the rest', 'SELECT 1 AS x --', undef ],
	[ 'EXPLAIN', 'EXPLAIN SELECT 1', qr/^(42601|0A000)$/ ],
	[ 'SET', 'SET work_mem = 64', qr/^(42601|0A000)$/ ],
	[ 'COMMIT', 'COMMIT', qr/^(42601|0A000)$/ ],
	[ 'COPY', "COPY target TO '/dev/null'", qr/^(42601|0A000)$/ ],
	[ 'nothing', '', qr/^(42601|22023)$/ ],
	[ 'a semicolon', ';', qr/^(42601|22023)$/ ],
	[ 'no SQL', 'SELEKT 1', '42601' ],
	[ 'a parameter', 'SELECT $1', '42P02' ]);

for my $case (@writing)
{
	my ($name, $query, $sqlstate) = @$case;
	my $sql = extract_call('rows, status', $query, 1);

	if (!defined $sqlstate)
	{
		succeeds($superuser, $sql, '1|ok', "as a query: $name");
		next;
	}
	fails_with(
		$superuser, $sql,
		{ sqlstate => $sqlstate },
		"as a query: $name is refused by bench_extract");
	fails_with(
		$superuser,
		"SELECT * FROM bench_compare($url, '{1}', trials => 1, query => " . literal($query) . ')',
		{ sqlstate => $sqlstate },
		"as a query: $name is refused by bench_compare");
}
succeeds($superuser,
	"SELECT (SELECT count(*) FROM target), is_called, to_regclass('made') FROM counter",
	'1|f|(null)', 'none of them wrote anything');
for my $fine (
	'SELECT 1 AS x;',
	' SELECT 1 AS x ',
	'/* c */ SELECT 1 AS x',
	"SELECT 1 AS x -- c\n",
	'VALUES (1)',
	'TABLE open_to_all',
	'(SELECT 1 AS x)',
	'WITH w AS (SELECT 1 AS x) SELECT * FROM w',
	'SELECT 1 AS x UNION ALL SELECT 2')
{
	succeeds(
		$superuser, extract_call('rows, status', $fine, 1),
		qr/^1\|ok/, "as a query: '" . ($fine =~ s/\n/<LF>/r) . "' is one");
}

# --- and the transaction is as it was -------------------------------------------------------------

$superuser->value('BEGIN');
$superuser->value(extract_call('rows', 'TABLE open_to_all', 3));
succeeds($superuser, 'SHOW transaction_read_only', 'off', 'after a call the transaction may write');
$superuser->value('INSERT INTO target VALUES (2)');
$superuser->value('SAVEPOINT s');
fails_with(
	$superuser,
	extract_call('rows', 'SELECT inserts()', 1),
	{ sqlstate => '25006' },
	'a failing call within the transaction');
$superuser->value('ROLLBACK TO s');
succeeds($superuser, 'SHOW transaction_read_only',
	'off', 'after a failed call the transaction may write');
succeeds($superuser, 'INSERT INTO target VALUES (3) RETURNING id', '3', 'and does');
$superuser->value('ROLLBACK');
succeeds($superuser, 'SHOW synchronize_seqscans', 'on', 'settings for the run are taken back');

$superuser->value('BEGIN READ ONLY');
succeeds(
	$superuser, extract_call('rows, status', 'TABLE open_to_all', 3),
	'3|ok', 'a read-only transaction can measure');
fails_with(
	$superuser,
	'SELECT bench_reference_table(1)',
	{ sqlstate => '25006' },
	'but make no table');
$superuser->value('ROLLBACK');

# --- another schema, and a search path that lies ----------------------------------------------------

$superuser->value('CREATE DATABASE elsewhere');
{
	my $session = TransferBench::Session->new($node, dbname => 'elsewhere');
	$session->value($_)
	  for (
		'CREATE SCHEMA bench',
		'CREATE SCHEMA lies',
		'CREATE EXTENSION pg_transferbench SCHEMA bench',
		'CREATE TYPE lies.bench_reference_row AS (x int)',
		'CREATE FUNCTION lies.bench_generate_rows(bigint, bigint) RETURNS SETOF bench.bench_reference_row LANGUAGE sql AS $$ SELECT NULL::bench.bench_reference_row WHERE false $$',
		"SET search_path = 'lies'");
	succeeds(
		$session, 'SELECT count(*) FROM bench.bench_rows(3)',
		'3', 'in a schema of its own: bench_rows');
	succeeds(
		$session, 'SELECT rows, status FROM bench.bench_extract(3)',
		'3|ok', 'in a schema of its own: bench_extract');
	succeeds(
		$session, "SELECT rows, status FROM bench.bench_http_fetch($url, 3)",
		'3|ok', 'in a schema of its own: bench_http_fetch finds its row type');
	succeeds($session, "SELECT bench.bench_reference_table(3, name => 'bench.reference')",
		'bench.reference', 'in a schema of its own: bench_reference_table');
	fails_with(
		$session,
		'ALTER EXTENSION pg_transferbench SET SCHEMA lies',
		{ sqlstate => '0A000' },
		'it is not relocatable');
	$session->value('DROP EXTENSION pg_transferbench CASCADE');
	succeeds(
		$session, "SELECT count(*) FROM pg_class WHERE relname = 'reference'",
		'1', 'the reference table outlives the extension');
	succeeds($session, "SELECT count(*) FROM pg_proc WHERE pronamespace = 'bench'::regnamespace",
		'0', 'nothing else does');
	$session->quit;
}

done_testing();
