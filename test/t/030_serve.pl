# transferbench serve, GET half: values, formats, statuses, and what it does
# when clients, the database or the disk misbehave.
use strict;
use warnings FATAL => 'all';

use Compress::Zlib;
use IO::Socket::INET;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Socket qw(SO_RCVBUF SOL_SOCKET);
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();
{
	my $output = qx(@{[endpoint_program()]} serve --help 2>&1);
	plan skip_all => 'the loader was built without serve' if $output =~ /built without/;
}

use constant ROWS => 100_000;

my $node    = start_node('serve', extension => 0);
my $session = TransferBench::Session->new($node);
my $json    = JSON::PP->new->utf8->allow_bignum;

# --- a client that sees every byte ---------------------------------------------------------

# Opens a connection and sends a request; further fields as a list of lines.
# Options: method, receive_buffer, version.
sub send_request
{
	my ($server, $target, $fields, %options) = @_;
	my $socket = IO::Socket::INET->new(Proto => 'tcp', Type => SOCK_STREAM) or die "no socket: $@";

	setsockopt $socket, SOL_SOCKET, SO_RCVBUF, pack 'i', $options{receive_buffer} if $options{receive_buffer};
	connect $socket, pack_sockaddr_in($server->port, inet_aton('127.0.0.1')) or die "could not connect: $!";
	$socket->autoflush;
	my $method  = $options{method}  // 'GET';
	my $version = $options{version} // '1.1';
	print $socket join "\r\n", "$method $target HTTP/$version", 'Host: 127.0.0.1', 'Connection: close', @{ $fields // [] }, '', '';
	return $socket;
}

# Reads to the end of the connection; a hash: status, head, fields, body, trailer, and whole: whether
# the body has the end that its framing promises.
sub read_answer
{
	my ($socket) = @_;
	my ($answer, $got) = ('');

	while (1)
	{
		my $got = sysread $socket, $answer, 1 << 16, length $answer;
		last if !$got;
	}
	my ($head, $rest) = split /\r\n\r\n/, $answer, 2;
	my %answer = (head => $head // '', body => '', trailer => '', whole => 0, fields => {});
	($answer{status}) = $answer{head} =~ m{^HTTP/1\.1 (\d+) };
	$answer{fields}{ lc $1 } = $2 while $answer{head} =~ /^([^:\r\n]+): *([^\r\n]*)/mg;
	if (lc($answer{fields}{'transfer-encoding'} // '') eq 'chunked')
	{
		my $position = 0;
		while (substr($rest, $position) =~ /^([0-9a-fA-F]+)\r\n/)
		{
			my ($size, $line) = (hex $1, length $1);
			$position += $line + 2;
			if ($size == 0)
			{
				$answer{trailer} = substr $rest, $position;
				$answer{whole}   = $answer{trailer} =~ /\r\n\z/;
				last;
			}
			$answer{body} .= substr $rest, $position, $size;
			$position += $size + 2;
			last if $position > length $rest;
		}
	}
	else
	{
		$answer{body} = $rest // '';
		$answer{whole} = length $answer{body} == ($answer{fields}{'content-length'} // -1);
	}
	return \%answer;
}

sub get
{
	my ($server, $target, $fields, %options) = @_;
	return read_answer(send_request($server, $target, $fields, %options));
}

# Backends of the endpoint in a state, or all.
sub backends
{
	my ($state) = @_;
	my $and = defined $state ? "AND state = '$state'" : '';
	return $session->value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'transferbench serve' $and");
}

sub terminate_backends
{
	my ($and) = @_;
	$session->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'transferbench serve' $and");
	return;
}

# Exit status and both outputs of the loader.
sub run_loader
{
	my (@arguments) = @_;
	my ($output, $errors) = ('', '');

	IPC::Run::run([ endpoint_program(), @arguments ], '<', \undef, '>', \$output, '2>', \$errors,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return ($? >> 8, $output, $errors);
}

# --- values --------------------------------------------------------------------------------

$session->value($_) for (
	q{CREATE TYPE mood AS ENUM ('sad', 'h"appy')},
	q{CREATE TYPE pair AS (a int, b text)},
	q{CREATE DOMAIN positive AS int CHECK (value > 0)},
	q{CREATE DOMAIN document AS json},
	q{CREATE TABLE types (id int PRIMARY KEY, gone int, i2 int2, domain positive, f4 float4, f8 float8, n numeric, b bool,
		j json, jb jsonb, d document, ba bytea, iv interval, m mood, p pair, ia int[], fa float8[], r int4range, u uuid,
		da date, tz timestamptz, mo money, ch char(5), "we""ird Näme" text, g int GENERATED ALWAYS AS (id * 2) STORED, o oid,
		pa pair[])},
	q{ALTER TABLE types DROP COLUMN gone},
	q{INSERT INTO types VALUES (1, -5, 7, 1.5, 0.1, '123456789012345678901234567890.1234567890', true,
		E'{"a":\n 1,\r\n"b\\\\n":[1,2]}', '{"k": "v"}', E'[1,\n2]', '\xdeadbeef', '1 day 02:03:04.5', 'h"appy', '(1,"x,y")',
		'{1,NULL,3}', '{1.5,NaN}', '[1,5)', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2024-01-01', '2024-03-31 01:30:00+00',
		'12.34', 'ab', E'q"\\\\\t\n\r\b\f\x0b\x01' || chr(127) || '😀', DEFAULT, 4294967295, '{"(1,x)"}')},
	q{INSERT INTO types (id, f8, f4, n, b, "we""ird Näme") VALUES (2, 'Infinity', '-Infinity', 'NaN', false, ''),
		(3, '-Infinity', 'NaN', 'Infinity', NULL, '\N'), (4, '-0', 1e-45, 0.000, NULL, '\.'), (5, 5e-324, 0, 1e100, true, NULL)},
	'CREATE TABLE numbers (n bigint PRIMARY KEY, code bigint, text text)',
	"INSERT INTO numbers SELECT g, g * 92233720368547, CASE WHEN g % 10 > 0 THEN md5(g::text) END FROM generate_series(1, @{[ROWS]}) AS g");

{
	my $server = start_endpoint($node, '--table', 'types');
	my $rows   = get($server, '/load_from_db?row_limit=1');
	my $wanted = join ',',
	  '{"id":1', '"i2":-5', '"domain":7', '"f4":1.5', '"f8":0.1', '"n":123456789012345678901234567890.1234567890', '"b":true',
	  '"j":{"a":  1,  "b\\n":[1,2]}', '"jb":{"k": "v"}', '"d":[1, 2]', '"ba":"\\\\xdeadbeef"', '"iv":"1 day 02:03:04.5"',
	  '"m":"h\\"appy"', '"p":{"a":1,"b":"x,y"}', '"ia":[1,null,3]', '"fa":[1.5,"NaN"]', '"r":"[1,5)"',
	  '"u":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', '"da":"2024-01-01"', '"tz":"2024-03-31 01:30:00+00"', '"mo":"$12.34"',
	  '"ch":"ab   "', qq{"we\\"ird N\xc3\xa4me":"q\\"\\\\\\t\\n\\r\\b\\f\\u000b\\u0001\x7f\xf0\x9f\x98\x80"}, '"g":2', '"o":4294967295',
	  '"pa":[{"a":1,"b":"x"}]}';
	is($rows->{body}, "[$wanted]", 'one row of many types, byte by byte');

	my $all = $json->decode(get($server, '/load_from_db')->{body});
	is_deeply([ map { $_->{f8} } @$all[ 1 .. 3 ] ], [ 'Infinity', '-Infinity', '0' ], 'what JSON has no number for is a string');
	like(get($server, '/load_from_db?row_limit=1&offset=3')->{body}, qr/"f4":1e-45,"f8":-0,"n":0\.000,/, 'digits stay as they are');
	is_deeply([ map { $_->{"we\"ird N\x{e4}me"} // 'null' } @$all[ 1 .. 4 ] ], [ '', '\N', '\.', 'null' ],
		'the empty string, the marks of COPY, and null');

	my @lines = split /\n/, get($server, '/load_from_db?format=ndjson')->{body};
	is_deeply([ map { $json->decode($_) } @lines ], $all, 'ndjson: the same rows, one a line');
	my $columns = $json->decode(get($server, '/load_from_db?format=columns')->{body});
	my @again;
	for my $i (0 .. $#$all)
	{
		push @again, { map { $_ => $columns->{$_}[$i] } keys %$columns };
	}
	is_deeply(\@again, $all, 'columns: the same values, by column');

	my $file = PostgreSQL::Test::Utils::tempdir() . '/types.csv';
	open my $csv, '>:raw', $file or die "could not write $file: $!";
	print $csv get($server, '/load_from_db?format=csv')->{body};
	close $csv or die "could not write $file: $!";
	$session->value('CREATE TABLE again (LIKE types); ALTER TABLE again ALTER g TYPE int');
	my $copied = $session->run("COPY again FROM '$file' WITH (FORMAT csv, HEADER match, ENCODING 'UTF8')");
	is($copied->{errors}, '', 'csv: COPY reads it');
	is($session->value('SELECT count(*) FROM (SELECT a::text FROM again AS a EXCEPT ALL SELECT t::text FROM types AS t) AS x'),
		'0', 'csv: the same rows');
	$server->stop;
}

# --- formats and statuses --------------------------------------------------------------------

my $server = start_endpoint($node, '--table', 'numbers');
like(($server->first_lines)[0], qr{^listening on http://127\.0\.0\.1:\d+$}, 'it says where it listens');

my %bodies = (
	rows    => [ 'application/json',     '[]' ],
	ndjson  => [ 'application/x-ndjson', '' ],
	columns => [ 'application/json; shape=columns', '{"n":[],"code":[],"text":[]}' ],
	csv     => [ 'text/csv; charset=utf-8; header=present', "n,code,text\n" ]);
for my $format (sort keys %bodies)
{
	for my $query ('row_limit=0', 'offset=' . ROWS, 'offset=9223372036854775807&row_limit=9223372036854775807')
	{
		my $answer = get($server, "/load_from_db?format=$format&$query");
		is("$answer->{status} $answer->{fields}{'content-type'} $answer->{body}", "201 @{$bodies{$format}}", "no rows: $format, $query");
	}
	my $answer = get($server, "/load_from_db?format=$format&row_limit=1&offset=9");
	my $value = $format eq 'csv' ? "10,922337203685470,\n" : $format eq 'columns' ? '"text":[null]}' : '"text":null}';
	is($answer->{status}, '200', "a row: $format");
	like($answer->{body}, qr/\Q$value\E/, "its nulls: $format");
}

my $answer = get($server, '/load_from_db');
is(scalar @{ $json->decode($answer->{body}) }, 10_000, 'the limit is 10000 unless given');
is($answer->{fields}{vary},    'Accept-Encoding', 'caches are told what the answer depends on');
is($answer->{fields}{trailer}, 'Server-Timing',   'the trailer is announced');
like($answer->{trailer}, qr/^Server-Timing: query;dur=\d+\.\d+, serialise;dur=\d+\.\d+, cpu;dur=\d+\.\d+\r\n/, 'and comes');
is_deeply(
	[ map { $_->{n} } @{ $json->decode(get($server, '/load_from_db?row_limit=3&offset=5')->{body}) } ],
	[ 6, 7, 8 ], 'pages follow the primary key');

my %refused = (
	'402 format'              => [ 'format=xml', 'format=', 'format=ROWS' ],
	'403 row_limit'           => [ 'row_limit=-5', 'row_limit=1e6', 'row_limit=10x', 'row_limit=9223372036854775808', 'row_limit=%201',
		'row_limit=1%00', 'row_limit=1%27%3B%20DROP%20TABLE%20numbers%3B--', 'row_limit=%FF%FE', 'row_limit=', 'row_limit=%zz' ],
	'403 "row_limit" has no'  => ['row_limit'],
	'403 "row_limit" comes'   => [ 'row_limit=1&row_limit=1', 'row_limit=1&offset=2&row_limit=3' ],
	'403 offset'              => [ 'offset=-1', 'offset=0.5' ],
	'403 "limit" is no'       => ['limit=5'],
	'403 "??" is no'          => ['%C3%A9=5'],
	'403 "Row_Limit" is no'   => ['Row_Limit=5']);
for my $expected (sort keys %refused)
{
	my ($status, $detail) = split / /, $expected, 2;
	for my $query (@{ $refused{$expected} })
	{
		my $answer = get($server, "/load_from_db?$query");
		my $error = eval { $json->decode($answer->{body}) } // {};
		is($answer->{status}, $status, "$query: $status");
		like($error->{detail} // '', qr/^\Q$detail\E/, "$query: the detail names the parameter");
	}
}
is($session->value('SELECT count(*) FROM numbers'), ROWS, 'and no parameter has become SQL');

for my $case (
	[ 404, 'GET', '/' ], [ 404, 'POST', '/nothing' ], [ 405, 'POST', '/load_from_db' ], [ 405, 'DELETE', '/info' ],
	[ 405, 'OPTIONS', '/health' ])
{
	my ($status, $method, $path) = @$case;
	my $answer = get($server, $path, [], method => $method);
	is($answer->{status}, $status, "$method $path: $status");
	ok($json->decode($answer->{body})->{error}, "$method $path: the error is JSON");
	is($answer->{fields}{allow}, $status == 405 ? 'GET, HEAD' : undef, "$method $path: methods are told where they matter");
}
is(get($server, '/load_from_db', ['Content-Length: 2'])->{status}, '401', 'a GET that brings a body: 401');
for my $case ([ '200', 'row_limit=1' ], [ '201', 'row_limit=0' ], [ '402', 'format=xml' ])
{
	my ($status, $query) = @$case;
	my $answer = get($server, "/load_from_db?$query", [], method => 'HEAD');
	is("$answer->{status} $answer->{body}", "$status ", "HEAD ?$query: the status alone");
}

my $info = $json->decode(get($server, '/info')->{body});
is("$info->{table} $info->{order_by} $info->{limits}{default_row_limit}", 'public.numbers n 10000', '/info tells what is served');
is_deeply($info->{columns}[0], { name => 'n', type => 'bigint', json => 'number' }, '/info tells the columns');
my $health = get($server, '/health');
is("$health->{status} " . $json->decode($health->{body})->{database}, '200 reached', '/health');

# --- gzip --------------------------------------------------------------------------------------

my $plain = get($server, '/load_from_db?row_limit=1000')->{body};
for my $case (
	[ 1, 'gzip' ], [ 1, '*' ], [ 1, 'deflate, gzip;q=0.5' ], [ 1, 'x-gzip' ], [ 1, 'GZIP;Q=0.001' ], [ 1, 'gzip ; q=1.0, identity;q=0' ],
	[ 0, 'gzip;q=0' ], [ 0, 'identity' ], [ 0, 'br' ], [ 0, '*;q=0' ], [ 0, 'identity;q=1, gzip;q=0.5' ], [ 0, 'gzip;q=2' ], [ 0, '' ])
{
	my ($compressed, $wish) = @$case;
	my $answer = get($server, '/load_from_db?row_limit=1000', ["Accept-Encoding: $wish"]);
	is($answer->{fields}{'content-encoding'}, $compressed ? 'gzip' : undef, "Accept-Encoding: $wish");
	my $body = $compressed ? Compress::Zlib::memGunzip($answer->{body}) : $answer->{body};
	ok(defined $body && $body eq $plain, "Accept-Encoding: $wish, the same bytes");
}
ok(get($server, '/load_from_db?row_limit=0&format=ndjson', ['Accept-Encoding: gzip'])->{whole}, 'no bytes at all, compressed');

# --- clients that misbehave ----------------------------------------------------------------------

{
	my $socket;

	my @idle = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $server->port) or die "connection $_: $@" } 1 .. 1000;
	print $_ 'GET /load_from_db?row_limit=1 HT' for @idle[ 0 .. 99 ];
	is(get($server, '/load_from_db?row_limit=1')->{status}, '200', '1000 idle connections, and one that asks');
	undef @idle;

	my $long = get($server, '/load_from_db', [ 'X: ' . 'x' x 200_000 ]);
	ok(!defined $long->{status} || $long->{status} == 431, 'an endless head is refused');
	is(get($server, '/health')->{status}, '200', 'and the server lives');

	$socket = send_request($server, '/load_from_db?row_limit=' . ROWS, [], receive_buffer => 4096);
	sysread $socket, my $some, 4096;
	close $socket;
	wait_until(sub { backends('active') eq '0' }, 'the query of a client that has gone');
	pass('the query of a client that has gone ends');
}

# --- slow readers, and too many ------------------------------------------------------------------

{
	my $busy = start_endpoint($node, '--table', 'numbers', '--connections', '2', '--max-requests', '8');
	my $target = '/load_from_db?row_limit=' . ROWS;
	my $whole  = get($busy, $target)->{body};
	my @slow   = map { send_request($busy, $target, [], receive_buffer => 4096) } 1 .. 6;
	is(get($busy, '/load_from_db?row_limit=1')->{status}, '200', 'slow readers, more than connections, delay nobody');
	is(scalar(grep { read_answer($_)->{body} eq $whole } @slow), 6, 'and each has got all of its bytes');
	$busy->stop;
}
for my $case (
	[ 503, 'no database connection became free',  '--queue-timeout', '0' ],
	[ 429, 'as many requests as --max-requests', '--max-requests',  '1' ])
{
	my ($status, $detail, @arguments) = @$case;
	my $name   = "narrow $status";
	my $narrow = start_endpoint($node, '-d', $node->connstr('postgres') . " application_name='$name'",
		'--query', 'SELECT pg_sleep(1)::text AS slept', '--connections', '1', @arguments);
	my $state = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '$name'";

	# the one that examined the query may still be leaving
	wait_until(sub { $session->value("$state AND query = ''") eq '1' }, 'the connection');
	my $first = send_request($narrow, '/load_from_db');
	wait_until(sub { $session->value("$state AND wait_event = 'PgSleep'") eq '1' }, 'the first request');
	my $answer = get($narrow, '/load_from_db');
	is("$answer->{status} $answer->{fields}{'retry-after'}", "$status 1", "@arguments: $status, and when to come back");
	like($json->decode($answer->{body})->{detail}, qr/^\Q$detail\E/, "@arguments: and why");
	is(get($narrow, '/health')->{status}, '200', "@arguments: /health answers");
	is(read_answer($first)->{status},     '200', "@arguments: the first one is served");
	$narrow->stop;
}

# --- a database that misbehaves ------------------------------------------------------------------

{
	my $socket = send_request($server, '/load_from_db?row_limit=' . ROWS, [], receive_buffer => 4096);
	sysread $socket, my $some, 4096;
	terminate_backends("AND state = 'active'");
	my $rest = '';
	while (sysread $socket, my $more, 65536)
	{
		$rest .= $more;
	}
	like($some, qr{^HTTP/1\.1 200 }, 'a backend killed in the middle: the status had been sent');
	unlike($rest, qr/\r\n0\r\n/, 'then there is no last chunk');
	unlike($rest, qr/\]\s*\z/,   'and the array is not closed');
	is(get($server, '/load_from_db?row_limit=1')->{status}, '200', 'and the next request is served');

	terminate_backends('');
	wait_until(sub { backends() eq '0' }, 'the end of idle backends');
	is_deeply([ map { get($server, '/load_from_db?row_limit=1')->{status} } 1 .. 6 ], [ ('200') x 6 ],
		'backends killed while idle are replaced silently');
}
{
	my $error = start_endpoint($node, '--query', 'SELECT 1 / (50000 - g) AS x FROM generate_series(1, 100000) AS g');
	my $answer = get($error, '/load_from_db?row_limit=100000');
	is($answer->{status}, '200', 'an error in the middle: the status had been sent');
	ok(!$answer->{whole}, 'the body has no end');
	is(() = $answer->{body} =~ /"x":/g, 49_999, 'the rows before it have come');
	for my $case ([ 502, 'format=columns&row_limit=100000' ], [ 502, 'offset=49999' ])
	{
		my ($status, $query) = @$case;
		my $answer = get($error, "/load_from_db?$query");
		is("$answer->{status} " . $json->decode($answer->{body})->{detail}, "$status 22012: division by zero", "an error before the first byte: $query");
	}
	is(get($error, '/load_from_db?row_limit=1')->{status}, '200', 'the connection is fit for the next one');
	$error->stop;
}
{
	$session->value('CREATE TABLE altered (id int PRIMARY KEY, v int); INSERT INTO altered VALUES (1, 7)');
	my $endpoint = start_endpoint($node, '--table', 'altered');
	$session->value(q{ALTER TABLE altered ALTER v TYPE text USING 'seven', ADD more int});
	is(get($endpoint, '/load_from_db')->{body}, '[{"id":1,"v":"seven"}]', 'a column whose type was changed is still valid JSON');
	$session->value('DROP TABLE altered');
	like(get($endpoint, '/load_from_db')->{body}, qr/42P01: relation \\"public\.altered\\" does not exist/, 'a table that was dropped: 502 and why');
	$endpoint->stop;
}
$node->stop;
$answer = get($server, '/load_from_db');
is("$answer->{status} " . $json->decode($answer->{body})->{detail}, '502 the database cannot be reached', 'a server that is down');
is($json->decode(get($server, '/health')->{body})->{database}, 'unreachable', 'is told by /health too');
$node->start;
is(get($server, '/load_from_db?row_limit=1')->{status}, '200', 'a server that is back');
$session = TransferBench::Session->new($node);

# --- the disk ------------------------------------------------------------------------------------

{
	my $limited = start_endpoint($node, '--table', 'numbers', '--max-spool-bytes', '1MiB');
	my $answer = get($limited, '/load_from_db?format=columns&row_limit=' . ROWS);
	is("$answer->{status} " . $json->decode($answer->{body})->{detail},
		'500 the temporary file would exceed its limit of 1048576 bytes', 'columns beyond the limit of temporary files');
	is(get($limited, '/load_from_db?format=columns&row_limit=1000')->{status}, '200', 'columns that need no file');
	$limited->stop;

	local $ENV{TMPDIR} = '/nonexistent';
	my $homeless = start_endpoint($node, '--table', 'numbers');
	like(get($homeless, '/load_from_db?format=columns&row_limit=' . ROWS)->{body}, qr/cannot create a temporary file/, 'no place for one: 500');
	$homeless->stop;
}

# --- memory --------------------------------------------------------------------------------------

{
	my $endpoint = start_endpoint($node, '--query', 'SELECT g AS id, md5(g::text) AS text FROM generate_series(1, 1000000) AS g');
	my %peak;
	for my $rows (10_000, 1_000_000)
	{
		for my $format (sort keys %bodies)
		{
			my $socket = send_request($endpoint, "/load_from_db?format=$format&row_limit=$rows");
			1 while sysread $socket, my $piece, 1 << 16;
		}
		$peak{$rows} = peak_memory($endpoint->pid);
	}
	memory_within($peak{1_000_000} - $peak{10_000}, 4 << 20, 'memory does not grow with the rows, in any format');
	$endpoint->stop;
}

# --- stop ----------------------------------------------------------------------------------------

{
	my $endpoint = start_endpoint($node, '--query', 'SELECT pg_sleep(1)::text AS slept');
	my $socket = send_request($endpoint, '/load_from_db');
	wait_until(sub { backends('active') ge '1' }, 'the query');
	is($endpoint->stop, 0, 'a stop with a request under way: exit code 0');
	is(read_answer($socket)->{body}, '[{"slept":""}]', 'the request was answered before');
	wait_until(sub { $session->value(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()}) eq '0' },
		'the end of its backends');
}
is($server->stop, 0, 'a stop at rest: exit code 0');

# --- command line ----------------------------------------------------------------------------------

my @connection = ('-d', $node->connstr('postgres'), '--port', '0');
for my $case (
	[ 'a table that is not there', qr/"nope" cannot be served: relation "nope" does not exist, SQLSTATE 42P01/, @connection, '--table', 'nope' ],
	[ 'no table given, and no default one', qr/"bench_reference" cannot be served/,                          @connection ],
	[ 'two statements',            qr/multiple commands/,               @connection, '--query', 'SELECT 1; SELECT 2' ],
	[ 'not a SELECT',              qr/SQLSTATE 42601/,                  @connection, '--query', 'DELETE FROM numbers' ],
	[ 'a query that writes',       qr/data-modifying/,                  @connection, '--query', 'WITH d AS (DELETE FROM numbers RETURNING 1) SELECT 1 AS one FROM d' ],
	[ 'a query out of its parentheses', qr/SQLSTATE 42601/,             @connection, '--query', 'SELECT 1) AS s; DROP TABLE numbers; SELECT (1' ],
	[ 'a key that comes twice',    qr/column "a" comes twice/,          @connection, '--query', 'SELECT 1 AS a, 2 AS a' ],
	[ 'an order by nothing',       qr/there is no column "nope"/,       @connection, '--table', 'numbers', '--order-by', 'n, nope' ],
	[ 'an order of something else', qr/is not a list of columns/,       @connection, '--table', 'numbers', '--order-by', 'n; DROP' ],
	[ 'an order by what has none', qr/could not identify an ordering operator/, @connection, '--query', q(SELECT '{}'::json AS j), '--order-by', 'j' ],
	[ 'both table and query',      qr/exclude each other/,              '--table', 'a', '--query', 'SELECT 1' ],
	[ 'a port with letters',       qr/--port: invalid value "10x"/,     '--port', '10x' ],
	[ 'a negative port',           qr/--port: invalid value "-5"/,      '--port', '-5' ],
	[ 'a port out of range',       qr/--port: value "1M" is outside/,   '--port', '1M' ],
	[ 'an overflow',               qr/--connections: invalid value/,    '--connections', '99999999999999999999' ],
	[ 'an unknown option',         qr/option "--bogus" does not exist/, '--bogus' ],
	[ 'an option without a value', qr/option "--table" wants a value/,  '--table' ],
	[ 'an argument',               qr/unexpected argument "numbers"/,   'numbers' ],
	[ 'a malformed connection string', qr/cannot be read/,              '-d', 'host=x password=a secret' ],
	[ 'no server',                 qr/failed/,                          '-d', 'host=127.0.0.1 port=1 password=secret' ])
{
	my ($name, $message, @arguments) = @$case;
	my ($status, $output, $errors) = run_loader('serve', @arguments);
	is("$status $output", '1 ', "$name: exit code 1");
	like($errors, $message, "$name: the message");
	unlike($errors, qr/secret/, "$name: no password");
}
is($session->value('SELECT count(*) FROM numbers'), ROWS, 'and nothing was lost by them');

{
	my $endpoint = start_endpoint($node, '--query', "SELECT g AS \"N\", g % 2 AS odd FROM generate_series(1, 4) AS g -- a comment;\n;", '--order-by', 'odd DESC, "N" desc nulls last');
	is(get($endpoint, '/load_from_db')->{body}, '[{"N":3,"odd":1},{"N":1,"odd":1},{"N":4,"odd":0},{"N":2,"odd":0}]',
		'a query with a comment and a semicolon, ordered by quoted and folded names');
	$endpoint->stop;
}

# --- tables and paths that mislead ------------------------------------------------------------

$session->value($_)
  for (
	'CREATE TABLE including (id int, j json, PRIMARY KEY (id) INCLUDE (j))', q(INSERT INTO including VALUES (2, '[]'), (1, '{}')),
	'CREATE ROLE planter', 'CREATE SCHEMA planted AUTHORIZATION planter', 'SET ROLE planter',
	map({ my $type = $_;
		qq(CREATE FUNCTION planted.equals($type, $type) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'),
		qq(CREATE OPERATOR planted.= (FUNCTION = planted.equals, LEFTARG = $type, RIGHTARG = $type)) } 'oid', '"char"', 'int2'),
	'RESET ROLE', 'CREATE ROLE hijacked LOGIN SUPERUSER', 'ALTER ROLE hijacked SET search_path = planted, public, pg_catalog');
{
	my $endpoint = start_endpoint($node, '--table', 'including', '-U', 'hijacked');
	is(get($endpoint, '/load_from_db')->{body}, '[{"id":1,"j":{}},{"id":2,"j":[]}]',
		'ordered by the key alone, whatever its index includes; planted operators are not called');
	$endpoint->stop;

	$endpoint = start_endpoint($node, '--connections', '1', '--query', q(SELECT set_config('search_path', 'nowhere', false) AS path, set_config('DateStyle', 'German', false) AS style));
	is(get($endpoint, '/load_from_db')->{status}, '200', "a query that sets things: request $_") for 1 .. 2;
	unlike(get($endpoint, '/info')->{body}, qr/set_config/, '/info does not tell the text of a query');
	$endpoint->stop;
}

# --- bodies cut short, for clients that know no chunks --------------------------------------------

{
	my $endpoint = start_endpoint($node, '--query', 'SELECT 1 / (50000 - g) AS x FROM generate_series(1, 100000) AS g');
	my $target = '/load_from_db?row_limit=100000&format=ndjson';
	my $socket = send_request($endpoint, $target, [], version => '1.0');
	my ($some, $got) = ('');

	1 while $got = sysread $socket, $some, 1 << 16;
	ok(!defined $got && $!{ECONNRESET}, 'HTTP/1.0: a body that breaks off ends in a reset') or diag($got // $!);
	$endpoint->stop;
}

# --- signals while it waits to start ----------------------------------------------------------------

{
	my $holder = TransferBench::Session->new($node);
	$holder->value($_) for ('BEGIN', 'LOCK TABLE numbers IN ACCESS EXCLUSIVE MODE');
	my $pid = open my $waiting, '-|', endpoint_program(), 'serve', '--port', '0', '-d', $node->connstr('postgres'), '--table', 'numbers'
	  or die "could not start: $!";

	wait_until(sub { $session->value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") ne '0' }, 'the start to wait');
	my $start = time();
	kill 'TERM', $pid;
	close $waiting;
	cmp_ok(time() - $start, '<', 2, 'SIGTERM ends a start that waits for a lock');
	is($? & 127, 15, 'by the signal');
	$holder->quit;
}

done_testing();
